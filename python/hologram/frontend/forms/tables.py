"""Tables: rows of numbers that a module has, in tuples, lists, or as an array of NumPy."""

from __future__ import annotations

import sys

from hologram.frontend import constants
from hologram.frontend.forms.values import Table
from hologram.frontend.syntax_tree import ast, dotted_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.forms.values import Number, Rows
    from hologram.frontend.scope import Scope

MAX_NUMBERS = 65536
MAX_CHOICES = 64  # of an index that is not known when compiling
_ARRAYS = ("array", "asarray", "tuple", "list")
_MAKERS = (
    *("range", "arange", "linspace", "logspace", "zeros", "ones", "full", "eye", "repeat", "dict"),
    *("zeros_like", "ones_like", "concatenate", "outer", "reshape", "astype"),
)
_SINGLE = ("float32", "single", "f4", "<f4")


def read(value: ast.expr, name: str, scope: Scope) -> Table | None:
    """The table that an expression of a module gives, or None; raises constants.FoldError for what
    looks like one and has something else in it."""
    rounds = False
    if isinstance(value, ast.Call) and len(value.args) >= 1:
        if (dotted_name(value.func) or "").rpartition(".")[2] not in _ARRAYS:
            return None
        types = [*value.args[1:], *(k.value for k in value.keywords if k.arg == "dtype")]
        rounds = any(_type(item) in _SINGLE for item in types)
        value = value.args[0]
    if not isinstance(value, (ast.Tuple, ast.List)) or not value.elts:
        return None
    rows = _rows(value, scope)
    return Table(_rounded(rows) if rounds else rows, name)


def hint(value: ast.expr) -> str:
    """What to write instead of a table that is computed, with a semicolon before it, or nothing."""
    called = value.func if isinstance(value, ast.Call) else None
    name = called.attr if isinstance(called, ast.Attribute) else dotted_name(called or value) or ""
    several = isinstance(value, (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.Set))
    if isinstance(value, ast.BinOp):
        several = any(isinstance(s, (ast.Tuple, ast.List)) for s in (value.left, value.right))
    if called is not None:
        several = name in _MAKERS or name in _ARRAYS
    if isinstance(value, (ast.Dict, ast.DictComp)):
        return "; write a table and numbers as its indices, `W = (1.0, 2.0)`"
    return "; write its numbers, `W = (1.0, 2.0)`, or pass it as an array" if several else ""


def _type(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return (dotted_name(node) or "").rpartition(".")[2]


def _rows(value: ast.Tuple | ast.List, scope: Scope) -> Rows:
    rows: Rows = []
    for item in value.elts:
        if isinstance(item, (ast.Tuple, ast.List)):
            rows.append(_rows(item, scope))
        else:
            rows.append(constants.fold(item, scope.known))
    return rows


def _rounded(rows: Rows) -> Rows:
    from struct import pack, unpack

    def single(value: Number) -> Number:
        try:
            result: float = unpack("<f", pack("<f", value))[0]
        except OverflowError:
            raise constants.FoldError("it is too large for f32") from None
        return result

    return [_rounded(row) if isinstance(row, list) else single(row) for row in rows]


def of_object(value: object, name: str) -> Table | None:
    """The table that an object of a running program is: tuples and lists of numbers, arrays."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.ndarray):
        if type(value).__module__.startswith("hologram."):  # an array of a capture is no constant
            return None
        if value.dtype.kind not in "fiub" or not 0 < value.size <= MAX_NUMBERS or value.ndim == 0:
            return None
        value = value.tolist()
    rows = _rows_of(value)
    return None if rows is None else Table(rows, name)


def _rows_of(value: object) -> Rows | None:
    if not isinstance(value, (tuple, list)) or not value or len(value) > MAX_NUMBERS:
        return None
    rows: Rows = []
    for item in value:
        row = _rows_of(item) if isinstance(item, (tuple, list)) else number(item)
        if row is None:
            return None
        rows.append(row)
    return rows


def number(value: object) -> Number | None:
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        value = value.item()
    return value if isinstance(value, (int, float)) else None


def extents(rows: Rows) -> tuple[int, ...] | None:
    """The size of each dimension; None where rows differ."""
    inner = {extents(row) if isinstance(row, list) else () for row in rows}
    if len(inner) != 1:
        return None
    (below,) = inner
    return None if below is None else (len(rows), *below)
