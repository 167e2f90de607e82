"""What stopped a third new user."""

from __future__ import annotations

import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import hologram as hg
from hologram.lang import (
    DeviceArray,
    barrier,
    complex128,
    f32,
    get_global_id,
    get_local_id,
    min,
    shared,
    sqrt,
    u32,
)
from hologram.simulator import launch
from hologram.simulator.errors import LaunchError


@hg.kernel
def conjugate(z: DeviceArray[complex128], out: DeviceArray[complex128]):
    i = get_global_id()
    if i < len(z):
        out[i] = z[i].conjugate()


@hg.vectorize
def line(a, b):
    return a * 2 + b


@hg.vectorize
def root(a):
    return sqrt(a)


def test_vectorize_takes_lists_and_whole_numbers() -> None:
    assert np.array_equal(line([1, 2], [3, 4]), [5, 8])
    assert np.array_equal(line([1.5, 2], b=3), [6, 7])
    assert line(1, 2) == 4 and root(4) == 2.0 and root(4).dtype == np.float64
    assert np.array_equal(root([1, 4]), [1, 2])
    assert line([], []).shape == (0,)
    for call, found in (
        (lambda: root("a"), "numbers and arrays of them are expected, found values of <U1"),
        (lambda: root(None), "found values of object"),
        (lambda: line([1, 2], [1, 2], out=[0, 0]), "out= is a NumPy array, found list"),
        (lambda: line([1]), "line takes 2 arguments, not 1"),
        (lambda: line(1, c=2), "line has no argument `c` left to give by name"),
    ):
        with pytest.raises(TypeError, match=found):
            call()


def test_an_example_runs_without_the_source_tree(tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "examples/python/black_scholes.py"
    shutil.copy(example, tmp_path)
    done = subprocess.run(
        [sys.executable, tmp_path / example.name, "20000"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


NARROW = """
from hologram.lang import *


def dot(a: DeviceArray[i32], b: DeviceArray[i32], out: DeviceArray[i64]):
    i = get_global_id()
    if i < len(out):
        total: i64 = 0
        for k in range(len(a)):
            total += a[k] * b[k]
        x = a[0]
        out[i] = total + (x + b[0])


def right(a: DeviceArray[i32], p: DeviceArray[u8], out: DeviceArray[i64], n: i32):
    i = get_global_id()
    if i < len(out):
        k = i32(i)
        out[i] = i64(a[k]) * a[k] + i64(a[k] * a[k]) + a[k] + a[k] * 2 + n * k
        out[i] += i32(p[i]) * i32(p[i]) + i64(i)


def pixels(p: DeviceArray[u8], out: DeviceArray[f32]):
    i = get_global_id()
    if i + 1 < len(out):
        out[i] = f32(p[i]) + (p[i] + p[i + 1])
"""


def test_a_sum_that_is_widened_too_late_is_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "narrow.py"
    path.write_text(NARROW, encoding="utf-8")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kernels = hg.compile(path)
    assert {warning.category for warning in caught} == {hg.OverflowWarning}
    assert [(warning.lineno, str(warning.message)) for warning in caught] == [
        (
            10,
            "a[k] * b[k] is computed in i32, may wrap there, and then becomes i64; "
            "write i64(a[k]) * b[k], or i64(a[k] * b[k]) to mean that",
        ),
        (
            12,
            "x + b[0] is computed in i32, may wrap there, and then becomes i64; "
            "write i64(x) + b[0], or i64(x + b[0]) to mean that",
        ),
        (
            26,
            "p[i] + p[i + 1] is computed in u8, may wrap there, and then becomes f32; "
            "write f32(p[i]) + p[i + 1], or f32(p[i] + p[i + 1]) to mean that",
        ),
    ]
    out = np.zeros(1, np.int64)
    kernels.dot(np.full(2, 2**16, np.int32), np.full(2, 2**16, np.int32), out)
    assert out[0] == 2**17  # what the text says


def test_the_square_of_ops_and_fused_functions_is_a_product() -> None:
    rng = np.random.default_rng(7)
    by_number = hg.fuse(lambda x, p: x**p)
    known = hg.fuse(lambda x: x**2)
    for kind in (np.float32, np.float64, np.float16):
        x = np.concatenate([rng.normal(0, 30, 5000), [-0.0, 0, np.inf, -np.inf, 60000]]).astype(
            kind
        )
        bits = np.dtype(f"u{x.itemsize}")
        with np.errstate(over="ignore"):
            wanted = (x * x).view(bits)
        for made in (
            hg.ops.pow(x, 2.0),
            hg.ops.pow(x, 2),
            hg.ops.pow(x, kind(2)),
            hg.ops.pow(x, np.array(2, kind)),
            hg.ops.pow(x, 2.0, accuracy="fast"),
            hg.ops.pow(x.reshape(-1, 5)[:, ::2], 2.0).ravel(),
            known(x),
            by_number(x, 2.0),
            by_number(x, kind(2)),
        ):
            whole = wanted if made.size == x.size else wanted.reshape(-1, 5)[:, ::2].ravel()
            assert np.array_equal(made.view(bits), whole)
        for exponent in (3.0, 0.5, -1.0):
            with np.errstate(all="ignore"):
                one = hg.ops.pow(np.abs(x), exponent)
            assert np.array_equal(by_number(np.abs(x), exponent).view(bits), one.view(bits))
    with pytest.raises(hg.ArgumentError, match="pow: 'a' is i32, which has no such operation"):
        hg.ops.pow(np.arange(4, dtype=np.int32), 2)
    torch_like = hg.ops.pow(2.0, np.array([1.0, 2.0]))
    assert np.array_equal(torch_like, [2, 4])


def test_deterministic_is_a_bool() -> None:
    for kernel in (conjugate, hg.kernels.vector_add):
        for wrong in ("no", 0, None, []):
            with pytest.raises(TypeError, match="deterministic: expected True or False, found"):
                kernel.configure(deterministic=wrong)  # type: ignore[arg-type]
        kernel.configure(deterministic=False)
        kernel.configure(deterministic=np.bool_(True))  # type: ignore[arg-type]
    with pytest.raises(LaunchError, match="deterministic: expected True or False, found 'no'"):
        launch(conjugate, deterministic="no")  # type: ignore[arg-type]


@hg.kernel(block=64)
def upsweep(x: DeviceArray[f32]):
    tile = shared(f32, 64)
    lane = get_local_id()
    tile[lane] = x[get_global_id()]
    barrier()
    for d in range(6):
        k = (lane + 1) * (2 << d) - 1
        if k < 64:
            tile[k] += tile[k - (1 << d)]
        barrier()
    x[get_global_id()] = tile[lane]


@hg.kernel
def chunks(x: DeviceArray[f32], width: u32):
    lane = get_global_id()
    total = 0.0
    for k in range(lane * width, min((lane + 1) * width, len(x))):
        total += x[k]
        x[k] = total


@hg.kernel
def proved_chunks(x: DeviceArray[f32], width: u32):
    lane = get_global_id()
    total = 0.0
    for j in range(width):
        k = lane * width + j
        if k < len(x):
            total += x[k]
            x[k] = total


def test_a_scan_that_is_not_proved_says_what_is() -> None:
    x = np.ones(64, np.float32)
    wanted = (
        "no two lanes of this launch meet there, but a proof takes an index like id * width + j, "
        "with j of range(width) and a width that no loop changes; deterministic=False"
    )
    with pytest.raises(hg.ArgumentError) as caught:
        chunks[1, 4](x, 16)
    assert wanted in str(caught.value)
    assert "several lanes of this launch" not in str(caught.value)
    proved_chunks[1, 4](x, 16)
    assert np.array_equal(x, np.tile(np.arange(1, 17), 4))


def test_a_tree_over_the_lanes_of_a_block_is_proved() -> None:
    x = np.arange(64, dtype=np.float32)
    wanted = x.copy()
    for d in range(6):
        ends = np.arange((2 << d) - 1, 64, 2 << d)
        wanted[ends] += wanted[ends - (1 << d)]
    upsweep(x)
    assert np.array_equal(x, wanted)


def test_any_and_all_end_early_with_the_same_results() -> None:
    for size in (1, 65536, 65537, 400_000):
        for place in {0, size // 2, size - 1}:
            flags = np.zeros(size, bool)
            assert not hg.ops.any(flags) and not hg.ops.all(flags)
            flags[place] = True
            assert hg.ops.any(flags) and hg.ops.all(flags) == (size == 1)
            assert hg.ops.all(~flags) == (size == 1 and not flags[0])
            numbers = flags.astype(np.float32)
            assert hg.ops.any(numbers) and hg.ops.any(numbers).dtype == bool
