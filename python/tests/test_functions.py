"""Where kernels are defined: imports, closures, exec, standard input, `python -c`; without the
compiled part. What they compute is tested in test_places.py."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from math import perm  # noqa: F401 (what a kernel finds under this name)
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import pytest

import hologram
from hologram.frontend.document import CompileError, compile_file
from hologram.functions import Function, names_around
from hologram.lang import DeviceArray, f32, f64, get_global_id, inline

HELPERS = """\
from typing import TypeVar

from hologram.lang import cos, f32, f64, inline, sin

TWO_PI = 6.25
SCALE = 2
T = TypeVar("T", f32, f64)

@inline
def half(x):
    return x / SCALE

@inline
def rotate(x, y, angle):
    c, s = cos(angle), sin(angle)
    return half(x * c - y * s), x * s + y * c

@inline
def twice(x: T) -> T:
    return x + x

def plain(x):
    return x

class Thing:
    pass
"""

KERNEL = """\
{imports}
from hologram.lang import DeviceArray, f32, get_global_id, u32

SCALE = 8.0

def spin(x: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        {body}
"""


def compiled(folder: Path, imports: str, body: str) -> dict[str, Any]:
    (folder / "helpers.py").write_text(HELPERS)
    (folder / "k.py").write_text(KERNEL.format(imports=imports, body=body))
    document: dict[str, Any] = json.loads(compile_file(str(folder / "k.py"), None))
    return document


def refused(folder: Path, imports: str, body: str) -> str:
    with pytest.raises(CompileError) as caught:
        compiled(folder, imports, body)
    return str(caught.value).splitlines()[0].replace(f"{folder}/", "")


def document_of(function: Any, depth: int = 1) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(Function(function, names_around(depth)).json())
    return document


def literals(node: Any) -> list[Any]:
    """The values of all literals in a document."""
    if isinstance(node, list):
        return [value for item in node for value in literals(item)]
    if not isinstance(node, dict):
        return []
    own = [node["value"]] if node.get("type") == "literal" else []
    return own + [value for item in node.values() for value in literals(item)]


# ---- Files beside a kernel file


@pytest.mark.parametrize(
    ("imports", "body"),
    [
        ("from helpers import rotate, TWO_PI", "x[i], _ = rotate(x[i], x[i], TWO_PI)"),
        ("import helpers", "x[i], _ = helpers.rotate(x[i], x[i], helpers.TWO_PI)"),
        ("import helpers as h", "x[i], _ = h.rotate(x[i], x[i], h.TWO_PI)"),
        ("from helpers import rotate as r", "x[i], _ = r(x[i], x[i], 6.25)"),
        ("from helpers import *", "x[i], _ = rotate(x[i], x[i], TWO_PI)"),
    ],
)
def test_helpers_of_a_file_beside(tmp_path: Path, imports: str, body: str) -> None:
    document = compiled(tmp_path, imports, body)
    assert [helper["name"] for helper in document["helpers"]] == ["half", "rotate"]
    assert document["helpers"][0]["file"] == str(tmp_path / "helpers.py")
    # A constant of the other file is its value there: SCALE of this one is another.
    assert literals(document["helpers"]) == [2]
    assert 6.25 in literals(document["kernels"])
    assert [row["name"] for row in document["constants"]] == ["SCALE"]


def test_constants_may_be_made_of_imported_ones(tmp_path: Path) -> None:
    document = compiled(tmp_path, "from helpers import TWO_PI\nSTEP = TWO_PI / 5", "x[i] = STEP")
    assert document["constants"][0] == {**document["constants"][0], "name": "STEP", "value": 1.25}


def test_type_variables_come_along(tmp_path: Path) -> None:
    document = compiled(tmp_path, "from helpers import twice", "x[i] = twice(x[i])")
    assert [row["name"] for row in document["type_variables"]] == ["T"]


def test_a_name_that_is_taken_gets_a_number(tmp_path: Path) -> None:
    own = "import helpers\nfrom hologram.lang import inline\n@inline\ndef half(x):\n    return x\n"
    document = compiled(tmp_path, own, "x[i] = half(helpers.half(x[i]))")
    names = [(helper["name"], "file" in helper) for helper in document["helpers"]]
    assert names == [("half", False), ("half_2", True)]


def test_packages_and_relative_imports(tmp_path: Path) -> None:
    package = tmp_path / "lib"
    package.mkdir()
    (package / "__init__.py").write_text("from .parts import cube\n")
    (package / "parts.py").write_text(
        "from hologram.lang import inline\nfrom . import numbers\n"
        "@inline\ndef cube(x):\n    return x * x * x + numbers.ONE\n"
    )
    (package / "numbers.py").write_text("ONE = 1\n")
    for imports, body in (
        ("from lib import cube", "x[i] = cube(x[i])"),
        ("import lib.parts", "x[i] = lib.parts.cube(x[i])"),
        ("from lib import parts", "x[i] = parts.cube(x[i])"),
    ):
        document = compiled(tmp_path, imports, body)
        assert [helper["name"] for helper in document["helpers"]] == ["cube"]
        assert literals(document["helpers"]) == [1]


def test_files_that_import_each_other(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(
        "import helpers, k\nfrom hologram.lang import inline\n"
        "@inline\ndef third(x):\n    return helpers.half(x) + k.SCALE\n"
    )
    document = compiled(tmp_path, "import other", "x[i] = other.third(x[i])")
    assert [helper["name"] for helper in document["helpers"]] == ["half", "third"]


@pytest.mark.parametrize(
    ("imports", "body", "message"),
    [
        (
            "from helpers import plain",
            "x[i] = plain(x[i])",
            "k.py:9:16: error: `plain` is imported from `helpers`, where it is a Python function "
            "(line 22); write `@inline` above its `def`",
        ),
        (
            "from helpers import nothing",
            "x[i] = nothing",
            "k.py:9:16: error: `nothing` is imported from `helpers`, which has no such name; a "
            "kernel uses parameters, locals, module constants and the names of hologram.lang",
        ),
        (
            "import helpers",
            "x[i] = helpers.Thing",
            "k.py:9:16: error: `helpers.Thing` is imported from `helpers`, where it is a class "
            "(line 25); a kernel uses parameters, locals, module constants and the names of "
            "hologram.lang",
        ),
        (
            "import helpers",
            "x[i] = helpers.half",
            "k.py:9:16: error: `helpers.half` is a helper; call it, `helpers.half(...)`",
        ),
        (
            "from absent import f",
            "x[i] = f(x[i])",
            "k.py:9:16: error: `f` is imported from `absent`; a kernel uses parameters, locals, "
            "module constants and the names of hologram.lang",
        ),
    ],
)
def test_what_is_imported_and_cannot_be_used(
    tmp_path: Path, imports: str, body: str, message: str
) -> None:
    assert refused(tmp_path, imports, body) == message


def test_errors_in_another_file_name_it(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def f(:\n")
    assert refused(tmp_path, "from broken import f", "x[i] = f(x[i])").startswith(
        "k.py:9:16: error"
    )
    (tmp_path / "wrong.py").write_text(
        "from hologram.lang import inline\n@inline\ndef f(x):\n    return [x]\n"
    )
    text = refused(tmp_path, "from wrong import f", "x[i] = f(x[i])")
    assert text.startswith("wrong.py:4:12: error: a list is not in the kernel language")


def test_nothing_is_imported_and_no_pipe_is_read(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text("raise SystemExit('executed')\nN = 3\n")
    document = compiled(tmp_path, "from loud import N", "x[i] = N")
    assert 3 in literals(document["kernels"])
    os.mkfifo(tmp_path / "pipe.py")
    assert "is imported from `pipe`" in refused(tmp_path, "from pipe import N", "x[i] = N")


# ---- Functions of a running program

OUTER = 3
f32_alias = f32
field_alias = DeviceArray[f32, Literal[2]]


@inline
def scaled(x):  # type: ignore[no-untyped-def]
    return x * OUTER


def test_closures_over_numbers_and_names_of_functions_around() -> None:
    import hologram.lang as hl

    def make(n: float) -> Any:
        ones = hl.f32

        def kernel(x: DeviceArray[ones], k: hl.u32):  # type: ignore[no-untyped-def,valid-type]
            i = get_global_id()
            if i < k:
                x[i] = scaled(x[i]) * n

        return kernel, names_around(0)

    for n in (0.5, 4):
        kernel, around = make(n)
        document = json.loads(Function(kernel, around).json())
        assert n in literals(document["kernels"])
        assert literals(document["helpers"]) == [3]
        assert document["kernels"][0]["params"][0]["type"]["element_type"]["type"] == "f32"


def test_names_are_those_of_the_module_of_each_function() -> None:
    other = ModuleType("other")
    exec("OUTER = 10\ndef k(x):\n    x[0] = OUTER\n", other.__dict__)

    def kernel(x: DeviceArray[f32]):  # type: ignore[no-untyped-def]
        x[0] = other.OUTER + OUTER

    assert literals(document_of(kernel)["kernels"]) == [0, 10, 3]
    other.OUTER = 11  # type: ignore[attr-defined]
    assert literals(document_of(kernel)["kernels"]) == [0, 11, 3]


def test_aliases_of_the_language_are_known_by_what_they_are() -> None:
    def kernel(x: DeviceArray[f32_alias]):  # type: ignore[no-untyped-def,valid-type]
        x[0] = f32_alias(3)

    assert document_of(kernel)["kernels"][0]["body"][0]["value"]["function"] == "f32"


def test_an_alias_of_an_array_with_a_rank_for_type_checkers() -> None:
    def kernel(x: field_alias, y: DeviceArray[f32, Literal[3]]):  # type: ignore[no-untyped-def,valid-type]
        x[0, 0] = y[0, 0, 0]

    parameters = document_of(kernel)["kernels"][0]["params"]
    assert [parameter["type"]["rank"] for parameter in parameters] == [2, 3]


def test_two_names_of_one_function_keep_their_meaning() -> None:
    from hologram.lang import exp, expf

    longer = expf

    def kernel(x: DeviceArray[f64]):  # type: ignore[no-untyped-def]
        x[0] = exp(1) + expf(1) + longer(1)

    body = json.dumps(document_of(kernel)["kernels"][0]["body"])
    assert body.count('"function": "exp"') == 2
    assert body.count('"function": "expf"') == 1


def test_numbers_of_numpy() -> None:
    numpy = pytest.importorskip("numpy")
    step, wide = numpy.float32(0.5), numpy.int64(7)

    def kernel(x: DeviceArray[f64]):  # type: ignore[no-untyped-def]
        x[0] = step + wide

    assert literals(document_of(kernel)["kernels"]) == [0, 0.5, 7]


class Holder:
    def method(self, x: DeviceArray[f32]) -> None:
        x[0] = 1.0


def a_python_function() -> int:
    return 1


table = ["a", "b"]


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("a_python_function()", "is a Python function ("),
        ("table", "is of type list; a kernel uses"),
        ("Holder", "is a class, `Holder`; a kernel uses"),
        ("sys.maxunicode_", "is not there: the module `sys` has no name `maxunicode_`"),
        ("json", "is the module `json`; a kernel uses"),
        ("os.path.exp(x[0])", "write `exp(...)` (from hologram.lang import exp)"),
        ("perm(x[0])", "is a function of the module `math`"),
        ("later", "is a variable of a function around it that has no value yet"),
    ],
)
def test_what_a_name_is_that_cannot_be_used(expression: str, message: str) -> None:
    kernel = _with(expression)
    with pytest.raises(CompileError) as caught:
        Function(kernel, {}).json()
    assert message in str(caught.value)


def _with(expression: str) -> Any:
    text = (
        "def outer():\n"
        "    def kernel(x: DeviceArray[f32]):\n"
        f"        x[0] = {expression}\n"
        "    return kernel\n"
        "    later = 1\n"
    )
    made: dict[str, Any] = dict(globals())
    exec(text, made)
    kernel = made["outer"]()
    Function(kernel, {})  # the text is found now
    kernel.__hologram_text__ = text
    return kernel


def test_methods_and_lambdas_are_refused() -> None:
    with pytest.raises(CompileError, match="is a method of Holder, and kernels have no `self`"):
        Function(Holder.method, {}).json()
    with pytest.raises(CompileError, match="a lambda is not a kernel"):
        Function(lambda x: x, {}).json()


def test_a_file_that_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "changing.py"
    path.write_text("def k(x: DeviceArray[f32]):\n    x[0] = 1.0\n")
    names: dict[str, Any] = {"DeviceArray": DeviceArray, "f32": f32}
    exec(compile(path.read_text(), str(path), "exec"), names)
    found = Function(names["k"], {})  # the text as it is now
    path.write_text("# another line\n" + path.read_text())
    assert "1.0" in found.json()
    with pytest.raises(CompileError, match="the file has changed since it was imported"):
        Function(names["k"], {}).json()


# ---- Where Python keeps no file

PROGRAM = """\
import json
from hologram.functions import Function
from hologram.lang import DeviceArray, f32, inline
N = 3

@inline
def cube(x):
    return x * x * x * N

def k(x: DeviceArray[f32]):
    x[0] = cube(x[0])

print(len(json.loads(Function(k, {}).json())["helpers"]))
"""


PACKAGE = str(Path(hologram.__file__).parents[1])


def run(arguments: list[str], stdin: Any = subprocess.DEVNULL) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        stdin=stdin,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": PACKAGE},
    )
    return done.stdout + done.stderr


def test_the_command_line() -> None:
    assert run(["-c", PROGRAM]) == "1\n"


def test_standard_input_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    with open(tmp_path / "program.py", encoding="utf-8") as file:
        assert run(["-"], file) == "1\n"


def test_exec_of_a_variable(tmp_path: Path) -> None:
    assert run(["-c", f"text = {PROGRAM!r}\nexec(text)"]) == "1\n"
    (tmp_path / "program.py").write_text(PROGRAM)
    path = str(tmp_path / "program.py")
    text = run(["-c", f"exec(open({path!r}).read())"])
    assert "the source of 'k' is not there (<string>): keep the text that is executed" in text


def test_the_repl_remembers_what_was_typed() -> None:
    """As a terminal shows it: of Python up to 3.12 by readline, then by Python itself."""
    pty = pytest.importorskip("pty")
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(PYTHON_BASIC_REPL="1", PYTHONPATH=PACKAGE)
        os.execv(sys.executable, [sys.executable, "-q"])
    os.write(terminal, (PROGRAM + "\nexit()\n").encode())
    shown = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.waitpid(child, 0)
    assert "\r\n1\r\n" in shown.decode(), shown.decode()
