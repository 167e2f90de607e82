"""Golden tests: golden/accept/X.py -> X.json, golden/refuse/X.py -> X.err.

`python3 -m pytest python/tests --bless` writes the expected files anew; read the diff before
committing it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from pretty import pretty

from hologram.frontend.document import CompileError, compile_file

GOLDEN = Path(__file__).parent / "golden"
ACCEPTED = sorted((GOLDEN / "accept").glob("*.py"))
# What only newer versions of Python can parse is in since-VERSION.
REFUSED = sorted((GOLDEN / "refuse").glob("*.py"))
for folder in sorted((GOLDEN / "refuse").glob("since-*")):
    if sys.version_info >= tuple(map(int, folder.name.removeprefix("since-").split("."))):
        REFUSED += sorted(folder.glob("*.py"))


def compare(expected_file: Path, actual: str, bless: bool) -> None:
    if bless:
        expected_file.write_text(actual, encoding="utf-8")
    assert expected_file.exists(), f"{expected_file.name} is missing; run with --bless"
    assert actual == expected_file.read_text(encoding="utf-8")


@pytest.mark.parametrize("file", ACCEPTED, ids=lambda file: file.stem)
def test_accepted(file: Path, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config) -> None:
    monkeypatch.chdir(file.parent)
    document = json.loads(compile_file(file.name, None))
    bless = pytestconfig.getoption("bless")
    compare(file.with_suffix(".json"), pretty(document) + "\n", bless)


@pytest.mark.parametrize("file", REFUSED, ids=lambda file: file.stem)
def test_refused(file: Path, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config) -> None:
    monkeypatch.chdir(file.parent)
    with pytest.raises(CompileError) as caught:
        compile_file(file.name, None)
    compare(file.with_suffix(".err"), str(caught.value), pytestconfig.getoption("bless"))


def test_no_stale_expectations() -> None:
    for pattern in ("accept/*.json", "refuse/**/*.err"):
        for file in GOLDEN.glob(pattern):
            assert file.with_suffix(".py").exists(), f"{file.name} belongs to no kernel file"
