"""Constants of a module that are values of several numbers: `UP = vec3(0.0, 1.0, 0.0)`."""

from __future__ import annotations

from hologram.frontend import constants
from hologram.frontend.forms.signatures import form_of, struct_of
from hologram.frontend.forms.values import Made, Table
from hologram.frontend.syntax_tree import ast, dotted_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.scope import Scope


def read(value: ast.expr, scope: Scope) -> Made | None:
    """What an expression of a module makes, or None; raises constants.FoldError for what looks like
    one and has something else in it."""
    if isinstance(value, ast.Call):
        struct = struct_of(value.func, scope)
        if struct is not None:
            keywords = {str(k.arg): _argument(k.value, scope) for k in value.keywords}
            return Made(struct, [_argument(item, scope) for item in value.args], keywords)
    if isinstance(value, (ast.Tuple, ast.List)) and any(_is_made(v, scope) for v in value.elts):
        return Made(None, [_argument(item, scope) for item in value.elts])
    number = _complex(value, scope)
    return Made(None, [number]) if isinstance(number, complex) else None


def _is_made(value: ast.expr, scope: Scope) -> bool:
    call = value.func if isinstance(value, ast.Call) else None
    if call is not None and struct_of(call, scope) is not None:
        return True
    return isinstance(form_of(value, scope), Made) or _complex(value, scope) is not None


def _argument(value: ast.expr, scope: Scope) -> object:
    if dotted_name(value) is not None:
        found = form_of(value, scope)
        if isinstance(found, (Made, Table)):
            return found
    made = read(value, scope)
    return constants.fold(value, scope.known) if made is None else made


def _complex(value: ast.expr, scope: Scope) -> complex | None:
    """Arithmetic of Python; None for values of other types."""
    if isinstance(value, ast.Constant) and isinstance(value.value, complex):
        return value.value
    if isinstance(value, (ast.Name, ast.Attribute)):
        found = form_of(value, scope)
        number = found.arguments[0] if isinstance(found, Made) and found.struct is None else None
        return number if isinstance(number, complex) else None
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        parts = [constants.folded(item, scope.known) for item in value.args]
        given = [part for part in parts if part is not None]
        known = len(given) == len(parts) and len(parts) == 2 and not value.keywords
        if value.func.id == "complex" and known and not scope.defines("complex"):
            return complex(*given)
        return None
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub):
        number = _complex(value.operand, scope)
        return None if number is None else -number
    if not isinstance(value, ast.BinOp):
        return None
    left, right = _complex(value.left, scope), _complex(value.right, scope)
    if left is None and right is None:
        return None
    first = constants.fold(value.left, scope.known) if left is None else left
    second = constants.fold(value.right, scope.known) if right is None else right
    if isinstance(value.op, ast.Add):
        return first + second
    if isinstance(value.op, ast.Sub):
        return first - second
    if isinstance(value.op, ast.Mult):
        return first * second
    if isinstance(value.op, ast.Div) and second != 0:
        return first / second
    raise constants.FoldError("it is not made of `+`, `-`, `*` and `/` of numbers")
