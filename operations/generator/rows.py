"""The rows of operations/elementwise.py: what one may say, and reading them from the file's tree.

The file is read, not run: only its decorators are evaluated. Errors of results are in units in the
last place (ulp, docs/math.md) of the exact result: 0 is exact, 0.5 correctly rounded.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

FLOATS = ("f32", "f64", "f16", "bf16")
SIGNED = ("i8", "i16", "i32", "i64")
UNSIGNED = ("u8", "u16", "u32", "u64")
INTEGERS = SIGNED + UNSIGNED
ALL = FLOATS + INTEGERS
EXACT: dict[str, float] = {}
ROUNDED = {"f32": 0.5, "f64": 0.5, "f16": 0.5, "bf16": 0.5}
NAN = "NaN gives NaN."


def ulps(f32: float, f64: float) -> dict[str, float]:
    """f16 and bf16 are computed in f32: half a unit for the last rounding, and what little the
    error of f32 adds."""
    return {"f32": f32, "f64": f64, "f16": 0.51, "bf16": 0.51}


FUNCTION = ulps(1.0, 1.5)
FOLDER = Path(__file__).resolve().parents[1]
ELEMENTWISE = "operations/elementwise.py"  # as messages call it
ARRAYS = ("x", "a", "b")  # parameters that are elements


class RowError(Exception):
    """What is wrong with a row, with its place."""


class Facts(NamedTuple):
    """What `@operation(...)` says of the function below it."""

    formula: str
    types: tuple[str, ...]
    ulp: dict[str, float] = EXACT
    fast: float = 0.0  # ulp of the fast form, f32 only; 0: there is none
    notes: str = ""
    # What tests compare with, in NumPy: floats are long doubles, or of their type where the result
    # is exact. Names beside np are those of python/tests/ops_references.py.
    reference: str = ""
    span: tuple[float, float] | None = None  # of the elements in tests; None: all kinds
    numbers: tuple[float, ...] = ()  # the numbers of the operation in tests
    # Option and its value where hg.ops has it as one; third the operation that has the option.
    option: tuple[str, ...] = ()

    def __call__(self, function: Any) -> Any:
        return function


class Variant(NamedTuple):
    """What `@variant(...)` says: the formula of `operation` for these types."""

    operation: str
    suffix: str  # in names of kernels
    types: tuple[str, ...]

    def __call__(self, function: Any) -> Any:
        return function


def operation(
    formula: str, types: tuple[str, ...], ulp: dict[str, float] = EXACT, **facts: Any
) -> Facts:
    return Facts(formula, types, ulp, **facts)


def variant(of: str, suffix: str, types: tuple[str, ...]) -> Variant:
    return Variant(of, suffix, types)


def wide(x: Any) -> Any:
    """x in the type to compute in; the generator writes x * f32(1.0) for it."""
    return x


class Row(NamedTuple):
    """One operation."""

    name: str
    facts: Facts
    arrays: tuple[str, ...]
    scalars: tuple[str, ...]
    defaults: tuple[float, ...]  # of the last scalars
    function: ast.FunctionDef
    variants: tuple[tuple[Variant, ast.FunctionDef], ...]

    @property
    def types(self) -> tuple[str, ...]:
        return self.facts.types

    @property
    def is_option(self) -> bool:
        """Reached in hg.ops by an option of another operation."""
        return len(self.facts.option) == 3

    def variant_of(self, kind: str) -> str:
        """_SUFFIX in the names of kernels of a type."""
        return next((f"_{v.suffix}" for v, _ in self.variants if kind in v.types), "")


class Elementwise(NamedTuple):
    """The file."""

    text: str
    rows: tuple[Row, ...]
    constants: dict[str, ast.Assign]

    def row(self, name: str) -> Row:
        return next(row for row in self.rows if row.name == name)


def _fail(node: ast.AST, text: str) -> RowError:
    return RowError(f"{ELEMENTWISE}:{getattr(node, 'lineno', 1)}: error: {text}")


def _facts_of(function: ast.FunctionDef) -> Facts | Variant:
    if len(function.decorator_list) != 1:
        raise _fail(function, f"`{function.name}` has no row; write @operation(...) above it")
    names = {name: value for name, value in globals().items() if not name.startswith("_")}
    expression = ast.Expression(function.decorator_list[0])
    try:
        made = eval(compile(expression, ELEMENTWISE, "eval"), names)
    except Exception as error:
        raise _fail(function, f"the row of `{function.name}`: {error}") from None
    if not isinstance(made, (Facts, Variant)):
        raise _fail(function, f"`{function.name}` has no row; write @operation(...) above it")
    return made


def _row(function: ast.FunctionDef, facts: Facts) -> Row:
    names = [argument.arg for argument in function.args.args]
    arrays = tuple(name for name in names if name in ARRAYS)
    scalars = tuple(names[len(arrays) :])
    if arrays not in (("x",), ("a", "b")) or names != [*arrays, *scalars]:
        raise _fail(function, f"`{function.name}` expects x or a, b first, then numbers")
    if len(arrays) == 2 and scalars:
        raise _fail(function, f"`{function.name}` has two arrays and numbers: no form for these")
    if facts.fast and scalars:
        raise _fail(function, f"`{function.name}` has numbers and a fast form: no form for these")
    if not facts.reference or len(facts.numbers) != len(scalars):
        raise _fail(function, f"`{function.name}` expects reference=, and numbers= for each number")
    defaults = tuple(ast.literal_eval(value) for value in function.args.defaults)
    return Row(function.name, facts, arrays, scalars, defaults, function, ())


def read(path: Path = FOLDER / "elementwise.py") -> Elementwise:
    """Reads and checks the rows."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    rows: dict[str, Row] = {}
    constants: dict[str, ast.Assign] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            constants[node.targets[0].id] = node
        if not isinstance(node, ast.FunctionDef):
            continue
        facts = _facts_of(node)
        if isinstance(facts, Facts):
            rows[node.name] = _row(node, facts)
            continue
        if facts.operation not in rows:
            raise _fail(
                node, f"`{node.name}` is a variant of `{facts.operation}`, which is not above"
            )
        base = rows[facts.operation]
        rows[base.name] = base._replace(variants=(*base.variants, (facts, node)))
    return Elementwise(text, tuple(rows.values()), constants)


def walk_names(nodes: list[ast.stmt], accept: Callable[[ast.AST], str | None]) -> list[str]:
    """What `accept` finds in statements, each once, sorted."""
    found = {accept(inner) for node in nodes for inner in ast.walk(node)}
    return sorted(name for name in found if name)
