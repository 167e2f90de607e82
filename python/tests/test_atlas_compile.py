"""The command atlas-compile: its flags, what it says, and its exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hologram.frontend.atlas_compile import main
from hologram.frontend.document import compile_file

ONE = "def one(a: DeviceArray[f32]):\n    a[0] = 1.0\n"
TWO = ONE + "\n\ndef two(a: DeviceArray[f32]):\n    a[0] = 2.0\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_writes_beside_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(ONE)
    assert main(["k.py"]) == 0
    assert capsys.readouterr() == ("Compiled one -> k.json\n", "")
    assert Path("k.json").read_text() == compile_file("k.py", None) + "\n"


@pytest.mark.parametrize("output", [["-o", "x.json"], ["--output", "x.json"], ["--output=x.json"]])
def test_output_and_verbose(output: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(TWO)
    assert main(["-v", "k.py", *output]) == 0
    said = "Found 2 kernel(s)\nCompiling one...\nCompiling two...\nCompiled 2 kernels -> x.json\n"
    assert capsys.readouterr() == (said, "")
    names = [kernel["name"] for kernel in json.loads(Path("x.json").read_text())["kernels"]]
    assert names == ["one", "two"]
    assert not Path("k.json").exists()


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = 1\n", "hologram: error: k.py has no kernel; decorate"),
        (ONE + "    import os\n", "k.py:3:5: error: `import` is not allowed inside a kernel"),
        (None, "hologram: error: cannot read k.py: no such file"),
    ],
)
def test_errors(source: str | None, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    if source is not None:
        Path("k.py").write_text(source)
    assert main(["k.py"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(message)
    assert not Path("k.json").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no file given"),
        (["a.py", "b.py"], "one file at a time: a.py and b.py are given"),
        (["a.py", "-o"], "-o needs a value"),
        (["a.py", "--watch"], "unknown option --watch"),
    ],
)
def test_wrong_command_lines(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith(f"atlas-compile: error: {message}\nusage: ")


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["k.py", "--help"]])
def test_help(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert out.startswith("usage: atlas-compile INPUT")
    assert err == ""


@pytest.mark.parametrize("name", [".", "..", "/"])
def test_folders(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name]) == 1
    assert capsys.readouterr().err.startswith(f"hologram: error: cannot read {name}: ")


def test_output_that_cannot_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.py").write_text(ONE)
    assert main(["k.py", "-o", "missing/k.json"]) == 1
    assert "hologram: error: cannot write missing/k.json: no such file" in capsys.readouterr().err
    assert main(["k.py", "-o", "k.py"]) == 1
    assert Path("k.py").read_text() == ONE
