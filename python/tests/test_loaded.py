"""Kernels of a bundle take the arguments that the decorated kernel takes."""

from __future__ import annotations

import pickle
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hologram as hg
from hologram import _native
from hologram._native import Bundle, compile_json
from hologram.compiling import Kernels
from hologram.frontend.document import compile_file
from hologram.frontend.forms import written
from hologram.frontend.forms.records import layout_of
from hologram.frontend.forms.shapes import Struct

TEXT = """
from typing import NamedTuple, TypeVar

from hologram.lang import *

T = TypeVar("T", f32, f64)


class Egg(NamedTuple):
    ready: i32
    mother: u32
    weight: f32


class Pair(NamedTuple):
    a: T
    b: T


def turn(z: DeviceArray[complex64], by: complex64, shift: f32 = 1.5):
    i = get_global_id()
    if i < len(z):
        z[i] = z[i] * by + shift


def move(x: DeviceArray[vec3], by: vec3, mask: DeviceArray[f32] | None = None, scale: f32 = 2.0):
    i = get_global_id()
    if i < len(x) and (mask is None or mask[i] > 0.5):
        x[i] += scale * by


def hatch(eggs: DeviceArray[Egg], mean: Egg):
    i = get_global_id()
    if i < len(eggs):
        egg = eggs[i]
        eggs[i] = Egg(egg.ready + 1, mean.mother, egg.weight * mean.weight)


def scaled(x: DeviceArray[T], k: T, add: DeviceArray[T] | None = None, R: constexpr = 2, s: f32 = 1.0):
    i = get_global_id()
    if i < len(x):
        x[i] = x[i] * k * R + T(s)
        if add is not None:
            x[i] += add[i]


def swap(p: DeviceArray[Pair]):
    i = get_global_id()
    if i < len(p):
        p[i] = Pair(p[i].b, p[i].a)


def plain(x: DeviceArray[f32]):
    i = get_global_id()
    if i < len(x):
        x[i] += 1.0
"""  # noqa: E501
EGG = np.dtype([("ready", "i4"), ("mother", "u4"), ("weight", "f4")], align=True)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kernels") / "forms.py"
    path.write_text(TEXT, encoding="utf-8")
    return path


def check(kernels: Any) -> None:
    """Calls of each kind of argument, as of decorated kernels."""
    z = np.array([1 + 2j, 3j], np.complex64)
    kernels["turn"](z, 1j)
    assert np.array_equal(z, np.complex64([-0.5 + 1j, -1.5]))
    kernels["turn"](z, by=(1.0, 0.0), shift=0.0)
    x = np.zeros((2, 3), np.float32)
    kernels["move"](x, (1.0, 2.0, 3.0))
    kernels["move"](x, (1.0, 0.0, 0.0), mask=np.array([1, 0], np.float32), scale=10.0)
    assert np.array_equal(x, [[12, 4, 6], [2, 4, 6]])
    kernels["move"][1, 64](x, np.float32([0, 0, 1]), None, 1.0)
    assert x[0, 2] == 7
    eggs = np.array([(1, 2, 3.0)], EGG)
    kernels["hatch"](eggs, (0, 9, 0.5))
    assert eggs.tolist() == [(2, 9, 1.5)]
    y = np.ones(3)
    kernels["scaled_f64"](y, 3.0)
    assert np.array_equal(y, [7, 7, 7])
    kernels["scaled_f64"](y, 1.0, np.ones(3), 0.5)
    assert np.array_equal(y, [15.5] * 3)
    pairs = np.arange(4.0, dtype=np.float32).reshape(2, 2)
    kernels["swap_f32"](pairs)
    assert np.array_equal(pairs, [[1, 0], [3, 2]])


def test_kernels_of_a_file_and_of_a_bundle_take_the_same_arguments(
    source: Path, tmp_path: Path
) -> None:
    compiled = hg.compile(source)
    check(compiled)
    trust = compiled.save(tmp_path / "forms.holo")
    check(hg.load(tmp_path / "forms.holo"))
    check(hg.load(tmp_path / "forms.holo", trust))
    executor = hg.Executor()
    executor.load(tmp_path / "forms.holo")
    names = ("turn", "move", "hatch", "scaled_f64", "swap_f32")
    check({name: executor.kernel(name) for name in names})
    assert compiled["plain"].parameters == (("x", "array", "f32", "inout"),)
    assert type(compiled["plain"]) is hg.Kernel
    assert compiled["move"].plain("mask").name == "move_without_mask"


def test_they_keep_them_when_they_are_pickled(source: Path) -> None:
    kernel = pickle.loads(pickle.dumps(hg.compile(source)["move"]))
    x = np.zeros((1, 3), np.float32)
    kernel(x, (1.0, 2.0, 3.0))
    assert np.array_equal(x, [[2, 4, 6]])
    assert repr(kernel).startswith(
        f"<hologram.ShapedKernel move, as move_without_mask: {kernel.path}"
    )


def test_the_command_writes_them_too(source: Path, tmp_path: Path) -> None:
    command = Path(_native.__file__).parents[2] / "bin/hologram"
    if not command.exists():
        pytest.skip("needs the command of a build")
    path, again = tmp_path / "by-command.holo", tmp_path / "again.holo"
    for given, made in ((source, path), (path, again)):
        subprocess.run([command, "compile", given, "-o", made, "--native", "none"], check=True)
        check(hg.load(made))


def test_a_wrong_argument_is_refused_by_name(source: Path) -> None:
    kernels = hg.compile(source)
    with pytest.raises(hg.ArgumentError, match="kernel 'move': by is a vec3"):
        kernels.move(np.zeros((2, 3), np.float32), 1.0)
    with pytest.raises(hg.ArgumentError, match="z is an array of complex64"):
        kernels.turn(np.zeros(4, np.float32), 1j)
    with pytest.raises(hg.ArgumentError, match="by is missing"):
        kernels.move(np.zeros((2, 3), np.float32))


PLAIN = (
    *(("x", "array", "f32", "inout"), ("by_x", "scalar", "f32", "in")),
    *(("by_y", "scalar", "f32", "in"), ("n", "scalar", "u32", "in")),
)


def test_texts_are_read_back() -> None:
    text = "move(x: P{at: vec2, k: f32}[2]?, by: vec2, n: u32 = -1e-05)"
    kernel, (x, by, n) = written.read(text, PLAIN)
    assert (kernel, x.kind.rank, x.optional, x.leaves) == ("move", 2, True, ["x"])
    assert isinstance(x.kind.shape, Struct) and layout_of(x.kind.shape).bytes == 12
    assert (by.leaves, n.default, n.kind.shape) == (["by_x", "by_y"], -1e-5, "u32")
    assert written.write(kernel, [x, by, n]) == text
    for value in ("inf", "-inf", "nan", "True", "3", "-7"):
        read = written.read(text.replace("-1e-05", value), PLAIN)[1][2]
        assert repr(read.default) == value


@pytest.mark.parametrize(
    "text",
    [
        *("", "move", "move(", "move()", "move(x: f32[1]", "move(x: f32[1])x", "move(x f32[1])"),
        "move(x: f32[0], by: vec2, n: u32)",
        "move(x: f32[12], by: vec2, n: u32)",
        "move(x: f32[1], by: vec3, n: u32)",
        "move(x: f32[1], by: vec2)",
        "move(x: f32[1], by: vec2, n: u32, m: u32)",
        "move(x: f32[1], by: vec2, x: u32)",
        "move(y: f32[1], by: vec2, n: u32)",
        "move(x: dvec2[1], by: vec2, n: u32)",
        "move(x: f32[1], by: vec2, n: u32?)",
        "move(x: f32[1], by: vec2 = 1, n: u32)",
        "move(x: f32[1], by: vec2, n: u32 = x)",
        "move(x: f32[1], by: vec2, n: u32 = 1e)",
        "move(x: P{}[1], by: vec2, n: u32)",
        "move(x: " + "P{a: " * 5000 + "f32" + "}" * 5000 + "[1], by: vec2, n: u32)",
        "move(x: P{" + ", ".join(f"f{k}: f32" for k in range(65)) + "}[1], by: vec2, n: u32)",
        "move(" + ", ".join(f"p{k}: f32" for k in range(65)) + ")",
        "move(x: f32[1], by: vec2, n: u32" + " " * 100 + ")(",
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(written.WrongTextError):
        written.read(text, PLAIN)


def test_a_bundle_whose_text_is_of_another_program_is_refused(source: Path) -> None:
    json = compile_file(str(source), None)
    for old, new, found in (
        ("hatch(eggs: ", "hatch(eggs: f32[1], z: ", "'z' is not one of the arrays of the program"),
        (
            "turn(z: complex64[1], by",
            "turn(z: complex64[1], by: f32, be",
            "'by' is not one of the scalars of the program",
        ),
        ("move(x: vec3[1], ", "turn(x: vec3[1], ", "it is of 'turn'"),
    ):
        assert json.count(old) > 0
        kernels = Kernels(Bundle(compile_json(json.replace(old, new), "k.json", "", []), None))
        name = old.partition("(")[0]
        with pytest.raises(
            hg.BundleError, match=f"kernel '{name}' in its bundle do not fit its program: {found}"
        ):
            _ = kernels[name]
        assert kernels["plain"].path
    with pytest.raises(hg.CompileError, match="arguments must be a text without control"):
        compile_json(json.replace("hatch(eggs: ", "hatch(\\n: "), "k.json", "", [])
