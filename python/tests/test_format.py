"""The documents follow docs/kernel.schema.json, and docs/kernel-json.md shows a real one."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from pretty import pretty

from hologram.frontend.document import compile_file

DOCS = Path(__file__).parents[2] / "docs"
ACCEPT = Path(__file__).parent / "golden" / "accept"
POSITIONS = ("line", "col", "end_line", "end_col")


@pytest.fixture(scope="module")
def validator() -> Any:
    try:
        jsonschema: Any = importlib.import_module("jsonschema")
    except ImportError:
        print("jsonschema is not installed: documents are not checked against the schema")
        pytest.skip("jsonschema is not installed")
    schema = json.loads((DOCS / "kernel.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("file", sorted(ACCEPT.glob("*.json")), ids=lambda file: file.stem)
def test_document_satisfies_the_schema(file: Path, validator: Any) -> None:
    errors = [error.message for error in validator.iter_errors(json.loads(file.read_text()))]
    assert errors == []


def test_schema_refuses_other_documents(validator: Any) -> None:
    good = json.loads((ACCEPT / "saxpy.json").read_text())
    assert validator.is_valid(good)
    changes: list[Callable[[Any], object]] = [
        lambda document: document.update(version="1.0"),
        lambda document: document.update(kernels=[]),
        lambda document: document["kernels"][0].pop("line"),
        lambda document: document["kernels"][0].update(extra=1),
        lambda document: document["kernels"][0]["body"][0].pop("end_col"),
        lambda document: document["kernels"][0]["body"][0].update(type="lett"),
        lambda document: document["kernels"][0]["body"][0]["value"].update(kwargs={"dtype": 1}),
        lambda document: document["kernels"][0]["body"][1].update(condition={}),
        lambda document: document["kernels"][0]["params"][0]["type"].update(type="f128"),
    ]
    for change in changes:
        bad = deepcopy(good)
        change(bad)
        assert not validator.is_valid(bad)


@pytest.mark.parametrize("file", sorted(ACCEPT.glob("*.json")), ids=lambda file: file.stem)
def test_positions_point_at_the_source(file: Path) -> None:
    """Every name and number stands in the source where its node says it stands."""
    lines = file.with_suffix(".py").read_bytes().split(b"\n")
    pending: list[Any] = [json.loads(file.read_text())["kernels"]]
    checked = 0
    while pending:
        node = pending.pop()
        if isinstance(node, list):
            pending += node
        elif isinstance(node, dict):
            pending += node.values()
            if node.get("type") in ("var", "index", "let") and node["line"] == node["end_line"]:
                line, start, end_line, end = (node[key] for key in POSITIONS)
                text = lines[line - 1][start - 1 : end - 1].decode()
                assert line == end_line
                if node["type"] == "index":
                    assert text == node["text"]
                elif node["type"] == "let":
                    assert text.startswith(node["name"])
                elif file.stem != "imports":  # there names are imported under other names
                    assert text == node["name"]
                checked += 1
    assert checked > 0


def test_example_of_the_documentation_is_real(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (DOCS / "kernel-json.md").read_text()
    blocks = re.findall(r"```(python|json)\n(.*?)```", text, re.DOTALL)
    source = next(block for language, block in blocks if language == "python")
    example = next(block for language, block in blocks if language == "json")
    monkeypatch.chdir(tmp_path)
    Path("clip.py").write_text(source)
    assert pretty(json.loads(compile_file("clip.py", None))) + "\n" == example
