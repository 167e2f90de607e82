"""Kernels wherever they are defined, what they compute and what they show of themselves."""

from __future__ import annotations

import array
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hologram as hg
from hologram.lang import DeviceArray, f32, f64, get_global_id, inline, u32

PACKAGE = str(Path(hg.__file__).parents[1])
BASE = 3


@inline
def times_base(x):  # type: ignore[no-untyped-def]
    return x * BASE


def floats(*values: float) -> array.array[float]:
    return array.array("f", values)


def add_to_each(number: float) -> Any:
    @hg.kernel
    def add(x: DeviceArray[f32], n: u32):  # type: ignore[no-untyped-def]
        i = get_global_id()
        if i < n:
            x[i] = times_base(x[i]) + number

    return add


def test_kernels_close_over_numbers() -> None:
    one, half = add_to_each(1), add_to_each(0.5)
    x = floats(1, 2)
    one(x, 2)
    half(x, 2)
    assert list(x) == [12.5, 21.5]
    assert one.id != half.id
    assert add_to_each(1).id == one.id


def test_block_sizes_and_types_may_be_locals() -> None:
    block, element = 32, f64

    @hg.kernel(block=block)
    def fill(x: DeviceArray[element]):  # type: ignore[no-untyped-def,valid-type]
        i = get_global_id()
        if i < len(x):
            x[i] = block

    x = array.array("d", [0] * 40)
    fill(x)
    assert list(x) == [32.0] * 40


def test_compile_takes_functions_in_functions() -> None:
    scale = 2.5

    def kernel(x: DeviceArray[f32]):  # type: ignore[no-untyped-def]
        i = get_global_id()
        if i < len(x):
            x[i] = scale

    x = floats(0)
    hg.compile(kernel)(x)
    assert list(x) == [2.5]


class Holder:
    @hg.kernel
    def method(self, x: DeviceArray[f32]) -> None:
        x[0] = 1.0

    @staticmethod
    def static(x: DeviceArray[f32]) -> None:
        x[0] = 1.0

    @hg.kernel
    @staticmethod
    def outer(x: DeviceArray[f32]) -> None:
        x[0] = 1.0


def test_methods_are_refused() -> None:
    with pytest.raises(hg.CompileError) as caught:
        Holder.method(floats(1))
    assert str(caught.value) == (
        "kernel 'method' is a method of Holder, and kernels have no `self`; write it outside of "
        "the class, with the arrays and numbers it needs as parameters"
    )
    for static in (hg.kernel(Holder.static), Holder.outer):
        with pytest.raises(
            hg.CompileError, match="is in class Holder; write it outside of the class"
        ):
            static(floats(1))


def test_errors_in_a_helper_of_another_file_have_its_place(tmp_path: Path) -> None:
    (tmp_path / "wrong_helpers.py").write_text(
        "from hologram.lang import inline\n\n@inline\ndef f(x):\n    return x + missing\n"
    )
    (tmp_path / "k.py").write_text(
        "from wrong_helpers import f\nfrom hologram.lang import DeviceArray, f32\n\n"
        "def k(x: DeviceArray[f32]):\n    x[0] = f(x[0])\n"
    )
    with pytest.raises(hg.CompileError) as caught:
        hg.compile(tmp_path / "k.py")
    error = caught.value
    assert (os.path.basename(error.file), error.line) == ("wrong_helpers.py", 5)
    assert error.message.startswith("undefined name 'missing'")


def test_faults_in_a_helper_of_another_file_are_at_its_call(tmp_path: Path) -> None:
    (tmp_path / "reading_helpers.py").write_text(
        "from hologram.lang import inline\n\n\n\n\n@inline\ndef get(x, i):\n    return x[i + 5]\n"
    )
    (tmp_path / "k.py").write_text(
        "import reading_helpers\nfrom hologram.lang import DeviceArray, f32, get_global_id\n\n"
        "def k(x: DeviceArray[f32], y: DeviceArray[f32]):\n    i = get_global_id()\n"
        "    if i < len(y):\n        y[i] = reading_helpers.get(x, i)\n"
    )
    kernel = hg.compile(tmp_path / "k.py").k
    with pytest.raises(hg.FaultError) as caught:
        kernel(floats(1, 2), floats(1, 2))
    assert (os.path.basename(caught.value.file), caught.value.line) == ("k.py", 7)
    assert "x[i + 5] reads element 5 of 2" in caught.value.message


PROGRAM = """\
import array
import hologram as hg
from hologram.lang import DeviceArray, f32, get_global_id, inline
N = 3

@inline
def cube(x):
    return x * x * x * N

@hg.kernel
def k(x: DeviceArray[f32]):
    i = get_global_id()
    if i < len(x):
        x[i] = cube(x[i])

x = array.array("f", [2])
k(x)
print(x[0])
"""


def run(arguments: list[str], text: str | None = None) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *arguments],
        input=text,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": PACKAGE},
    )
    return done.stdout + done.stderr


def test_the_command_line_and_exec() -> None:
    assert run(["-c", PROGRAM]) == "24.0\n"
    assert run(["-c", f"text = {PROGRAM!r}\nexec(text)"]) == "24.0\n"


def test_standard_input_from_a_pipe_is_refused() -> None:
    text = run(["-"], PROGRAM)
    assert "in place of `python3 - <<'E'`" in text and "python3 -c TEXT" in text


# ---- What a kernel shows


def test_repr_says_what_runs_it_and_why() -> None:
    add = add_to_each(2)
    assert repr(add) == "<hologram.Kernel add: compiled when it is first called>"
    with pytest.warns() if "interpreter" in _path(add) else _nothing():
        add(floats(1), 1)
    shown = repr(add)
    if add.path.startswith("native"):
        assert shown == f"<hologram.Kernel add: {add.path}>"
    else:
        assert shown.startswith("<hologram.Kernel add: interpreter; ")
        assert "compiler" in shown


def _path(kernel: Any) -> str:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path: str = add_to_each(2).path
    return path


def _nothing() -> Any:
    import contextlib

    return contextlib.nullcontext()


@pytest.mark.filterwarnings("ignore")
def test_explain_and_asm() -> None:
    add = add_to_each(2)
    proved = [line for line in add.explain().splitlines() if ": proved  x[i]" in line]
    assert len(proved) == 2
    assert proved[0].startswith(f"{__file__}:")
    assert add.asm().startswith(".kernel add\n.source ")
    assert "  fma.f32 " in add.asm() or "  mul.f32 " in add.asm()
    assert repr(add.asm()) == str(add.asm())
    html = add._repr_html_()
    assert "def add(x: DeviceArray[f32], n: u32):" in html
    assert html.count("<td>proved</td>") == 2


@pytest.mark.filterwarnings("ignore")
def test_llvm_machine_code_and_ptx() -> None:
    add = add_to_each(2)
    if not add.path.startswith("native"):
        with pytest.raises(hg.UnsupportedError, match="libhologram_jit|no compiler plugin"):
            add.llvm()
        return
    assert "define" in add.llvm()
    assert "ymm" in add.asm("v3")
    assert ".target sm_90" in add.ptx("sm_90")
    assert ".target sm_80" in add.ptx()
    with pytest.raises(hg.ArgumentError, match="level: expected v2, v3, v4 or aarch64, found 'v9'"):
        add.llvm("v9")
    with pytest.raises(hg.ArgumentError, match="arch: expected sm_80 or sm_90, found 'sm_10'"):
        add.ptx("sm_10")


def test_dir_has_what_users_call() -> None:
    names = dir(hg)
    assert {"compile", "fuse", "kernel", "kernels", "lang", "load", "ops", "Error"} <= set(names)
    assert not {"f32", "get_global_id", "atomic_add"} & set(names)
    assert hg.f32 is f32  # type: ignore[comparison-overlap]


# ---- Standard kernels


@pytest.mark.skipif(
    not os.path.exists(os.path.join(os.path.dirname(hg.__file__), "stdlib.holo")),
    reason="stdlib.holo is not built",
)
@pytest.mark.filterwarnings("ignore")
def test_standard_kernels_have_their_names() -> None:
    a, b, c = floats(1, 2), floats(3, 4), floats(0, 0)
    hg.kernels.vector_add(a, b, c, 2)
    assert list(c) == [4.0, 6.0]
    names = dir(hg.kernels)
    assert {"gemm", "relu", "saxpy", "softmax_rows", "vector_add"} - set(names) <= {"softmax_rows"}
    assert len(names) > 100
    assert not [name for name in names if name.startswith("op_")]
    listed = hg.kernels.overview()
    assert set(names) <= set(listed.split()) and "Reductions, running sums" in listed
    assert "\n  vector_add            c = a + b, element by element\n" in listed
    executor = hg.Executor()
    executor.kernel("vector_add")(b, b, c, 2)
    assert list(c) == [6.0, 8.0]
    with pytest.raises(AttributeError, match="there is no standard kernel 'vector_adds'") as raised:
        hg.kernels.vector_adds  # noqa: B018
    assert (raised.value.name, raised.value.obj) == ("vector_adds", hg.kernels)


def test_names_that_are_misspelt() -> None:
    command = [sys.executable, "-c", "import hologram as hg\nhg.kernal"]
    environment = {**os.environ, "PYTHONPATH": PACKAGE}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert "module 'hologram' has no attribute 'kernal'. Did you mean: 'kernel'?" in done.stderr
