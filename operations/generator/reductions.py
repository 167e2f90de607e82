"""The rows of operations/reductions.py, and the kernel files of these."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any, NamedTuple

from generator import kernels
from generator.kernels import File
from generator.rows import FOLDER, INTEGERS, SIGNED, UNSIGNED, RowError

PLACE = "operations/reductions.py"  # as messages call it
ARRAYS_OF_LOSS = ("prediction", "target")


class Kernels(NamedTuple):
    """Kernels of a reduction for some types of elements. In names: op_REDUCTION, _FORM, _SUFFIX."""

    forms: tuple[tuple[str, str], ...]  # in reduction_forms.py, in names
    suffix: str
    types: tuple[str, ...]
    total: str  # the type to accumulate in, if it is another


_LINES = (("rows", "rows"), ("columns", "columns"))
_PAIR = (("pairs", ""),)
_FLOATS = ("f32", "f64", "f16", "bf16")
_HALVES = ("f32", "f16", "bf16")
SUMS_OF_FLOATS = (
    Kernels(_LINES, "", _HALVES, "f32"),
    Kernels(_LINES, "double_f64", ("f64",), "f64"),
)
SUMS = (
    *SUMS_OF_FLOATS,
    Kernels(_LINES, "signed", SIGNED, "i64"),
    Kernels(_LINES, "unsigned", UNSIGNED, "u64"),
)
WIDE = (Kernels(_LINES, "wide", INTEGERS, "f64"),)
PAIRS = (Kernels(_PAIR, "", _HALVES, "f32"), Kernels(_PAIR, "double_f64", ("f64",), "f64"))


_ALL = (*_FLOATS, *INTEGERS)
EXTREMES = (
    Kernels((("best_rows", "rows"),), "", _FLOATS, ""),
    Kernels((("best_rows_whole", "rows_whole"),), "", INTEGERS, ""),
    Kernels((("best_columns", "columns"),), "", _ALL, ""),
)
INDICES = (Kernels((("index_pick", "pick"), ("index_columns", "columns")), "", _ALL, ""),)


class Helper(NamedTuple):
    """What `@helper(...)` says: the function that forms of a reduction call by this name."""

    reduction: str
    name: str

    def __call__(self, function: Any) -> Any:
        return function


class Facts(NamedTuple):
    """What `@reduction(...)` says of the function below it."""

    formula: str
    kernels: tuple[Kernels, ...]
    join: str
    start: int = 0
    arrays: tuple[str, ...] = ("src",)

    def __call__(self, function: Any) -> Any:
        return function


def reduction(formula: str, of: tuple[Kernels, ...], **facts: Any) -> Facts:
    return Facts(formula, of, **facts)


def helper(of: str, name: str) -> Helper:
    return Helper(of, name)


class Reduction(NamedTuple):
    name: str
    facts: Facts
    functions: dict[str, ast.FunctionDef]  # `take` first


class Reductions(NamedTuple):
    text: str
    rows: tuple[Reduction, ...]


def read(path: Path = FOLDER / "reductions.py") -> Reductions:
    """Reads the rows."""
    text = path.read_text(encoding="utf-8")
    names = {name: value for name, value in globals().items() if not name.startswith("_")}
    found: dict[str, Reduction] = {}
    for node in ast.parse(text).body:
        if not isinstance(node, ast.FunctionDef):
            continue
        place = f"{PLACE}:{node.lineno}: error: "
        if len(node.decorator_list) != 1:
            raise RowError(f"{place}`{node.name}` has no row; write @reduction(...) above it")
        try:
            made = eval(compile(ast.Expression(node.decorator_list[0]), PLACE, "eval"), names)
        except Exception as error:
            raise RowError(f"{place}the row of `{node.name}`: {error}") from None
        if isinstance(made, Facts):
            found[node.name] = Reduction(node.name, made, {"take": node})
        elif made.reduction in found:
            found[made.reduction].functions[made.name] = node
        else:
            raise RowError(f"{place}`{node.name}` is of `{made.reduction}`, which is not above")
    return Reductions(text, tuple(found.values()))


def _language_function(function: ast.FunctionDef) -> str | None:
    """The function of the language that this is: `return lang.max(best, x)`."""
    names = ", ".join(argument.arg for argument in function.args.args)
    found = re.fullmatch(rf"return lang\.(\w+)\({names}\)", ast.unparse(function.body))
    return found[1] if found else None


def kernel_file(file: Reductions, row: Reduction) -> File:
    """The kernel file of a reduction."""
    facts, function = row.facts, row.functions["take"]
    functions = dict(row.functions)
    # The total comes first, then an element of each array.
    numbers = tuple(argument.arg for argument in function.args.args[1 + len(facts.arrays) :])
    names = {"start": str(facts.start), "join": facts.join}
    if same := _language_function(function):
        names["take"] = same
        del functions["take"]
    in_place = {name: functions.pop(name) for name in ("ahead",) if name in functions}
    if len(facts.arrays) == 2:
        names |= dict(zip(("x", "y"), facts.arrays, strict=True))
    variables, made = [], []
    for part, letter in zip(facts.kernels, "TSUVW", strict=False):
        kind = letter
        if len(part.types) == 1:
            (kind,) = part.types
        else:
            variables.append(kernels.type_variable(letter, list(part.types)))
        given = {**names, "T": kind, "A": part.total}
        for form, word in part.forms:
            name = "_".join(piece for piece in ("op", row.name, word, part.suffix) if piece)
            made.append(kernels.filled("reduction_forms.py", form, name, given, numbers, in_place))
    helpers = {
        name: kernels.helper(name, one, kernels.verbatim(file.text, one))
        for name, one in functions.items()
    }
    values = ["BLOCK = 64", "NONE = 4294967295"]
    values = [value for value in values if value.split()[0] in "".join(made)]
    return kernels.assembled(
        row.name, facts.formula, PLACE, values, variables, helpers, made, functions, function.lineno
    )
