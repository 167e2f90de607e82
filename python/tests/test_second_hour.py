"""Mistakes of a second new user, which the tests of test_first_hour.py do not make."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hologram as hg
from hologram.lang import DeviceArray, complex128, get_global_id, vec3

STDIN = """
import hologram as hg
from hologram.lang import *
@hg.kernel
def scale(x: DeviceArray[f64], a: f64 = 2.0):
    i = get_global_id()
    if i < len(x):
        x[i] = x[i] * a
import numpy as np
try:
    scale(np.ones(4))
except hg.Error as error:
    print(type(error).__name__, error)
"""
LOADING = """
import sys, warnings
import hologram as hg, numpy as np
warnings.simplefilter("error")
try:
    hg.load(sys.argv[1]).double(np.ones(4, np.float32))
except hg.InterpretedWarning as warning:
    print(warning)
"""
DOUBLE = """
def double(x: DeviceArray[f32]):
    i = get_global_id()
    if i < len(x):
        x[i] = x[i] * 2.0
"""


@hg.kernel
def conjugate(z: DeviceArray[complex128], out: DeviceArray[complex128]):
    i = get_global_id()
    if i < len(z):
        out[i] = z[i].conjugate()


@hg.kernel
def untyped(x: DeviceArray[vec3], k):
    i = get_global_id()
    if i < len(x):
        x[i] = x[i] * k


def run(text: str, *words: str, **variables: Any) -> str:
    """What a program prints that comes through a pipe."""
    done = subprocess.run(
        [sys.executable, "-", *words],
        input=text,
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | variables,
    )
    return done.stdout


def test_real_numbers_are_no_complex_ones() -> None:
    out = np.zeros(6, complex)
    with pytest.raises(hg.ArgumentError, match=r"z is an array of complex128; .* \(n, 2\)"):
        conjugate(np.arange(6.0), out)
    assert not out.any()
    pairs = np.arange(12.0).reshape(6, 2)
    conjugate(pairs, out)
    assert np.array_equal(out, np.conj(pairs.view(complex)[:, 0]))


def test_a_parameter_needs_a_type_beside_a_vector_too() -> None:
    with pytest.raises(hg.CompileError, match="k"):
        untyped(np.zeros((4, 3), np.float32), 2.0)


def test_errors_of_kernels_with_defaults_are_errors_of_hologram() -> None:
    printed = run(STDIN)
    assert printed.startswith("CompileError the source of 'scale' is not there (<stdin>)")
    assert "`cat > scale.py <<'E'` in place of `python3 - <<'E'`" in printed


@pytest.mark.skipif(
    os.environ.get("HOLOGRAM_JIT") == "/nonexistent", reason="needs the compiler plugin"
)
def test_without_the_plugin_a_bundle_with_native_code_says_what_it_wants(tmp_path: Path) -> None:
    source, path = tmp_path / "double.py", tmp_path / "double.holo"
    source.write_text(DOUBLE, encoding="utf-8")
    hg.compile(source).save(path, native="all")
    printed = run(LOADING, str(path), HOLOGRAM_JIT=str(tmp_path / "missing.so"))
    assert "native code, which runs if its hash is given (expect)" in printed


def test_operations_say_that_they_do_not_take_a_type() -> None:
    with pytest.raises(hg.ArgumentError, match="'a' has elements of bool, which it does not take"):
        hg.ops.add(np.zeros(4, bool), np.zeros(4, bool))
