"""What the Python package has of the operations: the modules _operations and _elementwise, which
the build writes, and the stub of the latter, which is in the tree for type checkers."""

from __future__ import annotations

import importlib.util
import sys
import types
from typing import Any

from generator.kernels import FORMS
from generator.rows import ELEMENTWISE, FOLDER, Elementwise, Row
from generator.steps import Literal, Step, steps_of


def _dictionary(items: dict[str, object]) -> str:
    return "{" + ", ".join(f"{key!r}: {value!r}" for key, value in items.items()) + "}"


def _spec(row: Row) -> str:
    """The fields of hologram.ops.table.Spec."""
    facts = row.facts
    forms = tuple(suffix for _, suffix in FORMS[len(row.arrays)] if suffix not in ("", "strided"))
    kernel = {
        kind: f"op_{row.name}{row.variant_of(kind)}" for kind in row.types if row.variant_of(kind)
    }
    fields = (row.name, facts.formula, row.arrays, row.scalars, row.types)
    rest = (facts.fast, "", "", facts.notes, forms)
    texts = [
        *map(repr, fields),
        _dictionary(dict(facts.ulp)),
        *map(repr, rest),
        _dictionary(dict(kernel)),
    ]
    return f"({', '.join(texts)})"


def _step(step: Step) -> str:
    sources = [f"({s.value!r},)" if isinstance(s, Literal) else repr(s) for s in step.sources]
    return f"({step.word!r}, {step.kind!r}, {', '.join(sources)})"


def choices(file: Elementwise) -> dict[str, tuple[str, dict[str, str]]]:
    """By operation: its option, and the operation for each value of that."""
    found = {}
    for row in file.rows:
        if row.facts.option and not row.is_option:
            name, value = row.facts.option
            others = {
                other.facts.option[1]: other.name
                for other in file.rows
                if other.facts.option[2:] == (row.name,)
            }
            found[row.name] = (name, {value: row.name, **others})
    return found


def rows_module(file: Elementwise) -> str:
    """hologram/_operations.py: data alone."""
    lines = [
        f'"""Written by the build: the rows of {ELEMENTWISE}, and their functions as steps."""',
        "",
        "ROWS = (",
        *(f"    {_spec(row)}," for row in file.rows if not row.is_option),
        ")",
        "OPTIONS = (",
        *(f"    {_spec(row)}," for row in file.rows if row.is_option),
        ")",
        "DEFAULTS = {",
        *(f"    {row.name!r}: {row.defaults!r}," for row in file.rows if row.defaults),
        "}",
        "CHOICES = {",
        *(f"    {name!r}: {choice!r}," for name, choice in choices(file).items()),
        "}",
        "STEPS = {",
    ]
    for row in file.rows:
        steps = ", ".join(_step(step) for step in steps_of(file, row))
        lines.append(f"    {row.name!r}: ({steps},),")
    return "\n".join([*lines, "}", ""])


def _parameters(file: Elementwise, row: Row, typed: bool) -> str:
    def one(name: str, kind: str, default: object = None) -> str:
        shown = f'"{default}"' if isinstance(default, str) else repr(default)
        if not typed:
            return name if default is None else f"{name}={shown}"
        return f"{name}: {kind}" + ("" if default is None else f" = {shown}")

    least = len(row.scalars) - len(row.defaults)
    defaults = (*(None for _ in range(least)), *row.defaults)
    parts = [one(name, "Any") for name in row.arrays]
    parts += [one(*pair[:1], "float", pair[1]) for pair in zip(row.scalars, defaults, strict=True)]
    parts.append("out: Any = None" if typed else "out=None")
    named = []
    if row.facts.option:
        named.append(one(row.facts.option[0], "str", row.facts.option[1]))
    if row.facts.fast:
        named.append(one("accuracy", "str", "precise"))
    return ", ".join([*parts, "*", *named] if named else parts)


def _tuple(names: tuple[str, ...]) -> str:
    return f"({', '.join(names)},)" if len(names) == 1 else f"({', '.join(names)})"


def _shown(file: Elementwise) -> list[Row]:
    return [row for row in file.rows if not row.is_option]


def names(file: Elementwise) -> list[str]:
    """The names of hologram.ops, as they are listed."""
    return sorted((row.name for row in _shown(file)), key=sorting)


def _names(file: Elementwise) -> list[str]:
    return ["__all__ = [", *(f'    "{name}",' for name in names(file)), "]"]


def sorting(name: str) -> tuple[object, ...]:
    """log2 before log10, as the linter sorts lists of names."""
    digits = name[len(name.rstrip("0123456789")) :]
    return (name.removesuffix(digits), int(digits or -1))


def functions_module(file: Elementwise) -> str:
    """hologram/_elementwise.py: the functions of hologram.ops."""
    lines = [
        f'"""Written by the build of {ELEMENTWISE}: the operations on elements of hologram.ops."""',
        "",
        "from hologram.ops.elementwise_calls import check_accuracy, chosen, elements, operation",
        "from hologram.ops.table import TABLE",
        "",
        *_names(file),
    ]
    # Scalar forms first: add and mul find them when they are made.
    for row in sorted(_shown(file), key=lambda row: not row.name.startswith("scalar_")):
        spec = f'TABLE["{row.name}"]'
        lines += ["", "", "@operation", f"def {row.name}({_parameters(file, row, False)}):"]
        if row.facts.option:
            lines.append(f'    spec = chosen("{row.name}", {row.facts.option[0]})')
            spec = "spec"
        fast = f', fast=check_accuracy("{row.name}", accuracy)' if row.facts.fast else ""
        arrays, scalars = _tuple(row.arrays), _tuple(row.scalars)
        lines.append(f"    return elements({spec}, {arrays}, {scalars}, out{fast})")
    return "\n".join([*lines, ""])


def load_table(file: Elementwise) -> Any:
    """hologram.ops.table by itself, for scripts: the package needs the built module."""
    data = types.ModuleType("hologram._operations")
    exec(rows_module(file), data.__dict__)
    sys.modules[data.__name__] = data
    path = FOLDER.parent / "python/hologram/ops/table.py"
    spec = importlib.util.spec_from_file_location("ops_table", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def stub(file: Elementwise) -> str:
    """hologram/_elementwise.pyi."""
    lines = [
        f"# Made of {ELEMENTWISE} by scripts/ops_documents.py, for type checkers.",
        "from typing import Any",
        "",
        "from hologram.ops.arrays import Array",
        "",
        *_names(file),
        "",
    ]
    for row in sorted(_shown(file), key=lambda row: sorting(row.name)):
        text = f"def {row.name}({_parameters(file, row, True)}) -> Array: ..."
        if len(text) > 100:
            inside = _parameters(file, row, True)
            text = f"def {row.name}(\n    {inside}\n) -> Array: ..."
        lines.append(text)
    return "\n".join([*lines, ""])
