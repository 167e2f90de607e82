"""Differences of unsigned numbers that are meant as signed ones, as src/frontend/check/wrapping.cc
refuses them: `(i - 1) % n`, `max(i - 1, 0)`, `clamp(i - 1, 0, n)`, `i - 1 >= 0`."""

from __future__ import annotations

import ast

from hologram.simulator import types
from hologram.simulator.context import Context, Expr


def _is_difference(value: Expr, context: Context) -> bool:
    scope = context.scope
    if scope.type_variables or scope.link.type_variables or value.kind not in types.UNSIGNED:
        return False  # types of a type variable may have forms that only some of them need
    node = value.at
    plain = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)
    return plain and not isinstance(node.left, ast.BinOp)


def _number(node: ast.expr, context: Context) -> int | None:
    known: object = None
    if isinstance(node, ast.Name):
        symbol = context.symbols.get(node.id)
        known = symbol.const if symbol is not None else context.scope.values.get(node.id)
    elif isinstance(node, ast.Constant):
        known = node.value
    return known if isinstance(known, int) else None


def _wraps(value: Expr, context: Context) -> str:
    return f"`{context.text(value.at)}` is {value.kind} and wraps below 0"


def _as_operand(node: ast.expr, context: Context) -> str:
    alone = isinstance(node, (ast.Name, ast.Constant, ast.Subscript, ast.Call, ast.Attribute))
    return context.text(node) if alone else f"({context.text(node)})"


def refuse_remainder(left: Expr, right: Expr, at: ast.expr, context: Context) -> None:
    if not _is_difference(left, context) or not types.is_integer(right.kind):
        return
    power = isinstance(right.const, int) and right.const > 0 and right.const.bit_count() == 1
    count = _number(left.at.right, context)
    if power or count is None or context.guards.is_at_least(left.at.left, count):
        return
    whole, modulus = _as_operand(left.at.left, context), _as_operand(right.at, context)
    if isinstance(right.const, int) and right.const > 0:
        added = str(-count % right.const)
    else:
        less = context.text(left.at.right)
        added = f"{modulus} - {less}" if count == 1 else f"{modulus} - {less} % {modulus}"
    context.error(
        at,
        f"{_wraps(left, context)}, where the remainder is another one; write "
        f"({whole} + {added}) % {modulus}",
    )


def refuse_bound(at: ast.Call, value: Expr, bound: Expr, context: Context, rest: str = "") -> None:
    """`at` is a call of max or clamp."""
    if bound.const != 0 or isinstance(bound.const, (bool, float)):
        return
    if not _is_difference(value, context):
        return
    cast = "i64" if value.kind == "u64" else "i32"
    whole, less = context.text(value.at.left), context.text(value.at.right)
    context.error(
        at,
        f"{_wraps(value, context)}, so it is never less than the 0; write "
        f"{context.text(at.func)}({cast}({whole}) - {less}, 0{rest})",
    )


def refuse_comparison(op: str, left: Expr, right: Expr, context: Context) -> None:
    known = right.const == 0 and not isinstance(right.const, (bool, float))
    if op not in ("lt", "ge") or not known or not _is_difference(left, context):
        return
    symbol = "<" if op == "lt" else ">="
    whole, less = context.text(left.at.left), context.text(left.at.right)
    context.error(
        left.at,
        f"{_wraps(left, context)}, so `{symbol} 0` is always "
        f"{'true' if op == 'ge' else 'false'}; write {whole} {symbol} {less}",
    )
