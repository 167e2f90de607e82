"""The command line: exit status, streams, files, and input that is no kernel file at all."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hologram.frontend.cli import main
from hologram.frontend.source import MAX_BYTES

PYTHON_FOLDER = Path(__file__).parents[1]
MAIN_FILE = PYTHON_FOLDER / "hologram" / "frontend" / "__main__.py"

TOO_DEEP = re.compile("nested|larger than")

KERNELS = """from hologram.lang import DeviceArray, f32


def first(a: DeviceArray[f32]):
    a[0] = 1.0


def second(a: DeviceArray[f32]):
    a[0] = 2.0
"""


@pytest.fixture
def kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "k.py"
    file.write_text(KERNELS)
    return file


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Runs a command that must fail with status 1 and say nothing on standard output."""
    assert main(list(arguments)) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


def test_document_on_standard_output(kernels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["k.py"]) == 0
    captured = capsys.readouterr()
    document = json.loads(captured.out)
    assert captured.err == ""
    assert document["source"] == {"file": "k.py"}
    assert [kernel["name"] for kernel in document["kernels"]] == ["first", "second"]


def test_entry_chooses_one_kernel(kernels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["k.py", "--entry", "second"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [kernel["name"] for kernel in document["kernels"]] == ["second"]


def test_entry_ignores_errors_of_other_kernels(
    kernels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernels.write_text(KERNELS.replace("1.0", "None"))
    assert main(["k.py", "--entry=second"]) == 0
    assert capsys.readouterr().err == ""
    assert "None" in refused(capsys, "k.py")


def test_entry_that_is_not_there(kernels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = "hologram: error: k.py has no kernel `third`; it has first, second\n"
    assert refused(capsys, "k.py", "--entry", "third") == expected


def test_a_function_without_types_is_named(
    kernels: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernels.write_text(
        "from hologram.lang import *\n\n\ndef k(x, n):\n    x[get_global_id()] = n\n"
    )
    expected = (
        "hologram: error: k.py has no kernel; `k` (line 4) looks like one: write `@kernel` above "
        "it, and a type for each parameter, as in `x: DeviceArray[f32]`\n"
    )
    assert refused(capsys, "k.py") == expected


def test_output_file(kernels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["k.py", "-o", "k.json"]) == 0
    assert capsys.readouterr().out == ""
    assert json.loads(Path("k.json").read_text())["version"] == "1.2"
    assert sorted(os.listdir()) == ["k.json", "k.py"]


def test_no_output_file_after_an_error(kernels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernels.write_text(KERNELS.replace("1.0", "None"))
    Path("old.json").write_text("old")
    refused(capsys, "k.py", "-o", "k.json")
    refused(capsys, "k.py", "-o", "old.json")
    assert sorted(os.listdir()) == ["k.py", "old.json"]
    assert Path("old.json").read_text() == "old"


def test_output_that_cannot_be_written(kernels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = "hologram: error: cannot write no/k.json: no such file or directory\n"
    assert refused(capsys, "k.py", "-o", "no/k.json") == message
    assert "would overwrite" in refused(capsys, "k.py", "-o", "./k.py")
    assert kernels.read_text() == KERNELS
    Path("folder").mkdir()
    assert "cannot write folder" in refused(capsys, "k.py", "-o", "folder")


def test_output_to_a_device_leaves_the_device(kernels: Path) -> None:
    assert main(["k.py", "-o", os.devnull]) == 0
    assert not Path(os.devnull).is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no file given"),
        (["--fast", "k.py"], "unknown option --fast"),
        (["k.py", "l.py"], "one file at a time: k.py and l.py are given"),
        (["k.py", "--entry"], "--entry needs a value"),
        (["k.py", "-o"], "-o needs a value"),
    ],
)
def test_wrong_command_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"hologram: error: {message}\nusage: ")


def test_files_that_cannot_be_read(kernels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = "hologram: error: cannot read no.py: no such file or directory\n"
    assert refused(capsys, "no.py") == missing
    assert refused(capsys, ".") == "hologram: error: cannot read .: is a directory\n"
    assert refused(capsys, "/dev/zero").endswith(f"larger than {MAX_BYTES >> 10} KiB\n")


def test_bytes_that_are_no_text(kernels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernels.write_bytes(b"# ok\r\nx = '\xc3\xa4\xff'\n")
    expected = (
        "k.py:2:8: error: byte 0xff is not valid UTF-8; save the file as UTF-8\n"
        "  x = 'ä\ufffd'\n"
        "        ^\n"
    )
    assert refused(capsys, "k.py") == expected
    kernels.write_bytes(b"x = 1\ny\0z = 2\n")
    expected = "k.py:2:2: error: null byte in the file; remove it\n  y?z = 2\n   ^\n"
    assert refused(capsys, "k.py") == expected


@pytest.mark.parametrize(
    "expression",
    [
        "(" * 5000 + "1" + ")" * 5000,
        "1" + " + 1" * 200_000,
        "-" * 100_000 + "1",
        "a[" * 3000 + "0" + "]" * 3000,
        "1 if n else " * 5000 + "1",
        "(1" + " + (1" * 150 + ")" * 151 + " + 1" * 900,
    ],
    ids=["parentheses", "sum", "minus", "index", "conditional", "both"],
)
@pytest.mark.parametrize("where", ["kernel", "module"])
def test_deep_nesting_is_an_error_or_harmless(
    kernels: Path, capsys: pytest.CaptureFixture[str], expression: str, where: str
) -> None:
    if where == "kernel":
        kernels.write_text(KERNELS.replace("1.0", expression))
        assert TOO_DEEP.search(refused(capsys, "k.py"))
    else:
        kernels.write_text(f"X = {expression}\n{KERNELS}")
        status = main(["k.py"])
        captured = capsys.readouterr()
        assert status == 0 or (status == 1 and TOO_DEEP.search(captured.err))


def test_long_elif_chain(kernels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chain = "    if a[0] == 0.0:\n        pass\n"
    chain += "    elif a[0] == 1.0:\n        pass\n" * 900
    kernels.write_text(KERNELS + chain)
    assert "nested more than 200 levels" in refused(capsys, "k.py")


@pytest.mark.parametrize("count", [900, 2500, 5000])
def test_long_elif_chain_outside_kernels(
    kernels: Path, capsys: pytest.CaptureFixture[str], count: int
) -> None:
    kernels.write_text(KERNELS + "if first:\n pass\n" + "elif first:\n pass\n" * count)
    status = main(["k.py"])
    captured = capsys.readouterr()
    assert status == 0 or (status == 1 and TOO_DEEP.search(captured.err))


def test_line_ends_and_byte_order_mark(kernels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["k.py"]) == 0
    plain = capsys.readouterr().out
    for text in (KERNELS.replace("\n", "\r\n"), KERNELS.replace("\n", "\r"), "\ufeff" + KERNELS):
        kernels.write_bytes(text.encode())
        assert main(["k.py"]) == 0
        assert capsys.readouterr().out == plain


def run(*arguments: str, cwd: Path, isolated: bool) -> subprocess.CompletedProcess[str]:
    if isolated:
        command = [sys.executable, "-I", "-S", str(MAIN_FILE), *arguments]
    else:
        command = [sys.executable, "-m", "hologram.frontend", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(PYTHON_FOLDER)}
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=60
    )


def batch(
    capsysbinary: pytest.CaptureFixture[bytes], *arguments: str
) -> list[tuple[int, str, str]]:
    """The records of a batch: status, JSON and messages of each file."""
    assert main(["--batch", *arguments]) == 0
    captured = capsysbinary.readouterr()
    assert captured.err == b""
    records, rest = [], captured.out
    while rest:
        head, _, rest = rest.partition(b"\n")
        status, json_bytes, message_bytes = map(int, head.split())
        text, messages = rest[:json_bytes], rest[json_bytes : json_bytes + message_bytes]
        records.append((status, text.decode(), messages.decode()))
        rest = rest[json_bytes + message_bytes :]
    return records


def test_batch(kernels: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    bad = kernels.with_name("b\u00e4d.py")
    bad.write_text(KERNELS.replace("a[0] = 2.0", "import os"), encoding="utf-8")
    good, broken, absent, again = batch(capsysbinary, "k.py", bad.name, "absent.py", "k.py")
    names = [kernel["name"] for kernel in json.loads(good[1])["kernels"]]
    assert (good[0], names, good[2]) == (0, ["first", "second"], "")
    assert again == good
    # What is wrong with one kernel does not hide the others from the compiler, nor its own rest.
    assert broken[0] == 1 and f"{bad.name}:9:5: error: " in broken[2]
    left = json.loads(broken[1])["kernels"]
    assert [kernel["name"] for kernel in left] == ["first", "second"]
    assert left[1]["body"] == []
    assert absent[:2] == (1, "") and "absent.py" in absent[2]


def test_batch_of_one_kernel(kernels: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    ((status, text, _),) = batch(capsysbinary, "--entry=second", "k.py")
    assert status == 0
    assert [kernel["name"] for kernel in json.loads(text)["kernels"]] == ["second"]


@pytest.mark.parametrize("isolated", [False, True])
def test_as_a_program(kernels: Path, isolated: bool) -> None:
    done = run("k.py", cwd=kernels.parent, isolated=isolated)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["version"] == "1.2"
    failed = run("no.py", cwd=kernels.parent, isolated=isolated)
    assert (failed.returncode, failed.stdout) == (1, "")
    wrong = run("--no", cwd=kernels.parent, isolated=isolated)
    assert (wrong.returncode, wrong.stdout) == (2, "")


def test_started_by_its_relative_path(kernels: Path) -> None:
    for folder, path in (
        (PYTHON_FOLDER, "hologram/frontend/__main__.py"),
        (MAIN_FILE.parent, "__main__.py"),
    ):
        done = subprocess.run(
            [sys.executable, "-S", "-E", path, str(kernels)],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("isolated", [False, True])
def test_the_file_and_its_neighbours_are_never_run(kernels: Path, isolated: bool) -> None:
    bomb = "open('ran', 'w').close()\n"
    kernels.write_text(bomb + KERNELS)
    for name in ("ast", "json", "hologram_x", "source", "names", "cli"):
        (kernels.parent / f"{name}.py").write_text(bomb)
    done = run("k.py", cwd=kernels.parent, isolated=isolated)
    assert (done.returncode, done.stderr) == (0, "")
    assert not (kernels.parent / "ran").exists()


def test_closed_standard_output(kernels: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full here")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(MAIN_FILE), "k.py"],
            cwd=kernels.parent,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=60,
        )
    assert done.returncode == 1
    assert done.stderr == (
        "hologram: error: cannot write standard output: no space left on device\n"
    )


def test_start_imports_little() -> None:
    code = (
        "import sys; before = set(sys.modules); sys.path.insert(0, sys.argv[1]); "
        "import hologram.frontend.cli; print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(PYTHON_FOLDER)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    heavy = {"ast", "json", "re", "typing", "dataclasses", "inspect", "enum", "argparse"}
    assert not heavy & set(done.stdout.split())
