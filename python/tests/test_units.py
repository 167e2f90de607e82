"""Pieces of the front end on their own: folding, JSON text, names, the language module."""

from __future__ import annotations

import ast
import builtins
import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

import atlas_kernel
import hologram
import hologram.lang
from hologram.frontend import names
from hologram.frontend.constants import FoldError, fold
from hologram.frontend.json_writer import to_json
from hologram.frontend.names import LANGUAGE

KNOWN = {"N": 256, "X": 0.5}


def folded(text: str) -> int | float:
    return fold(ast.parse(text, mode="eval").body, KNOWN)


@pytest.mark.parametrize(
    "text",
    [
        *("1 + 2", "7 - 9", "6 * 7", "1 / 4", "-7 // 2", "-7 % 3", "2 ** 10", "2 ** -2", "1 << 40"),
        *("-1 >> 3", "12 & 10", "12 | 3", "12 ^ 10", "-5", "+5", "~5", "not 5", "True", "1.5 ** 2"),
        *("2 ** 64 - 1", "-(2 ** 63)", "(-1) ** 1000001", "0 ** 99999999", "7.5 // 2", "-7.5 % 2"),
    ],
)
def test_fold_is_python_arithmetic(text: str) -> None:
    expected = eval(text)
    assert folded(text) == expected
    assert type(folded(text)) is type(expected)


def test_fold_uses_earlier_constants() -> None:
    assert folded("N // 2") == 128
    assert folded("N * X") == 128.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 // 0", "it divides by zero"),
        ("1 % 0", "it divides by zero"),
        ("2 ** 64", "it does not fit in 64 bits"),
        ("-(2 ** 63) - 1", "it does not fit in 64 bits"),
        ("9 ** 9 ** 9", "it does not fit in 64 bits"),
        ("1 << 999999999999", "it shifts by 999999999999"),
        ("1 << -1", "it shifts by -1"),
        ("10.0 ** 400", "it is too large for f64"),
        ("1e308 * 10", "it is too large for f64"),
        ("(-8) ** 0.5", "it is not a real number"),
        ("1.5 & 1", "bit operators need integers"),
        ("1.5 << 1", "bit operators need integers"),
        ("~1.5", "`~` needs an integer"),
        ("M + 1", "`M` is not an earlier constant"),
        ("2 @ 3", "`@` is not in the language"),
        ("'text'", "it is not made of numbers, earlier constants and operators"),
        ("f(2)", "it is not made of numbers, earlier constants and operators"),
    ],
)
def test_fold_refuses(text: str, message: str) -> None:
    with pytest.raises(FoldError) as caught:
        folded(text)
    assert str(caught.value) == message


def test_json_text_reads_back() -> None:
    document = {
        "text": 'plain, "quoted", \\ \n\t\x00\x7f ä 漢 😀',
        "numbers": [0, -1, 2**64 - 1, 0.1, 1e300, 5e-324, 1e22, -0.0],
        "rest": [True, False, None, [], {}, [[{}]]],
        'key "': {"a": {}},
    }
    text = to_json(document)
    assert text.isascii()
    assert json.loads(text) == document


def test_language_module_has_the_names_of_the_compiler() -> None:
    assert len(hologram.lang.__all__) == len(set(hologram.lang.__all__))
    assert set(hologram.lang.__all__) == LANGUAGE
    assert atlas_kernel.__all__ == hologram.lang.__all__
    for name in LANGUAGE:
        assert getattr(atlas_kernel, name) is getattr(hologram.lang, name)
        if name != "kernel":  # hologram.kernel is the one that compiles
            assert getattr(hologram, name) is getattr(hologram.lang, name)
    with pytest.raises(AttributeError):
        _ = hologram.no_such_name


@pytest.mark.parametrize("name", sorted(LANGUAGE))
def test_device_functions_refuse_to_run(name: str) -> None:
    value = getattr(hologram.lang, name)
    if name in names.VALUES:
        assert repr(value) == name
        return
    if name in (*names.KERNEL_DECORATORS, names.INLINE_DECORATOR):
        return
    if name in ("abs", "max", "min", "pow", "round"):
        assert value is getattr(builtins, name), "`import *` takes Python's own"
        return
    if name == names.DEVICE_ARRAY:
        with pytest.raises(RuntimeError, match="type of a kernel's parameter"):
            value(3)
        assert value[hologram.lang.f32].__origin__ is value
        return
    callable_names = names.FUNCTIONS | names.FORM_FUNCTIONS | {"where"}
    counts = [0] if name not in callable_names else range(6)
    for count in counts:
        try:
            value(*[1] * count)
        except TypeError:
            continue
        except RuntimeError as error:
            assert str(error).endswith(
                "() works only inside a kernel; write `@hg.kernel` above the function that calls it"
            )
            return
    pytest.fail(f"{name} ran")


def test_kernels_run_from_files_and_helpers_refuse() -> None:
    pytest.importorskip("numpy")
    errors = importlib.import_module("hologram.simulator.errors")

    def plain(x: int) -> None:
        """What it does."""

    for decorated in (
        hologram.lang.kernel(plain),
        hologram.lang.atlas_kernel(plain),
        hologram.lang.kernel(block=64, contract=True)(plain),
    ):
        assert decorated._atlas_kernel is plain
        assert (decorated.__name__, decorated.__doc__) == ("plain", "What it does.")
        with pytest.raises(errors.LaunchError, match="plain writes no array; pass a grid"):
            decorated(1)
        decorated[4, 64](1)
    assert hologram.lang.kernel(block=64)(plain).block == 64
    with pytest.raises(RuntimeError, match="plain\\(\\) works only inside a kernel"):
        hologram.lang.inline(plain)(1)


@pytest.mark.parametrize(
    "code",
    [
        "import atlas_kernel; atlas_kernel.exp",
        "from hologram import lang; lang.exp",
        "import hologram; hologram.lang.exp",
        "from hologram import exp",
        "from atlas_kernel import *; exp",
        "import hologram.frontend",
    ],
)
def test_every_way_to_import(code: str) -> None:
    root = str(Path(hologram.__file__).parents[1])
    program = f"import sys; sys.path.insert(0, {root!r}); {code}"
    subprocess.run([sys.executable, "-I", "-c", program], check=True, timeout=60)


def test_keywords_are_those_of_the_language_module() -> None:
    tree = ast.parse(Path(hologram.lang.__file__).read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.args.kwonlyargs and node.name in names.MATH:
            keywords = tuple(argument.arg for argument in node.args.kwonlyargs)
            assert names.KEYWORDS.get(node.name) == keywords, node.name
    assert names.KEYWORDS["expf"] == ("fast",)
    assert "sqrt" not in names.KEYWORDS


@pytest.mark.parametrize("name", ["ops.sum", "ops.softmax", "stream", "fuse"])
def test_what_needs_numpy_says_so(name: str) -> None:
    code = f"import sys; sys.modules['numpy'] = None; import hologram as hg; hg.{name}"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    expected = f"ModuleNotFoundError: hologram.{name} needs NumPy: pip install numpy"
    assert done.stderr.splitlines()[-1] == expected
