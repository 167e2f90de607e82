"""Whether a function needs this package: a quick look, so that the others cost nothing."""

from __future__ import annotations

from hologram.frontend import names
from hologram.frontend.forms.shapes import BUILT_IN
from hologram.frontend.forms.signatures import kind_of
from hologram.frontend.syntax_tree import ast, children, dotted_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.scope import Helper, Scope

_NODES = (ast.NamedExpr, ast.Lambda, ast.Slice)
_COMPARISONS = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
_PLAIN = (ast.UnaryOp, ast.BoolOp, ast.IfExp, ast.Subscript, ast.Expr, ast.Return, ast.Tuple)
_CALLS = names.FORM_FUNCTIONS | {"divmod", "enumerate", "zip", "tuple", "complex"}
_CALLS |= {"sum", "any", "all"}
_SEVERAL = ("min", "max")
_ARRAYS = ("shared", "local")


def needed(function: ast.FunctionDef, scope: Scope) -> bool:
    if _signature(function, scope):
        return True
    pending: list[ast.AST] = list(function.body)
    if any(_is_text(statement) for statement in function.body[1:]):
        return True
    ranked = _ranked(function, scope)
    seen: set[str] = set()
    while pending:
        node = pending.pop()
        kind = node.__class__
        if kind is ast.Name:
            name = node.id  # type: ignore[attr-defined]
            if name not in seen:
                seen.add(name)
                if _is_name(node, scope):  # type: ignore[arg-type]
                    return True
            continue
        if kind not in _PLAIN and _is_form(node, scope):
            return True
        if ranked and isinstance(node, ast.Subscript) and _is_row(node, ranked):
            return True
        pending += children(node)
    return False


def _ranked(function: ast.FunctionDef, scope: Scope) -> set[str]:
    """Arrays of several dimensions."""
    found = set()
    for parameter in (*function.args.posonlyargs, *function.args.args):
        if parameter.annotation is not None and kind_of(parameter.annotation, scope).rank > 1:
            found.add(parameter.arg)
    for statement in function.body:
        value = statement.value if isinstance(statement, ast.Assign) else None
        arguments = value.args if isinstance(value, ast.Call) else []
        if len(arguments) == 2 and isinstance(arguments[1], ast.Tuple):
            target = statement.targets[0]  # type: ignore[attr-defined]
            found.add(target.id if isinstance(target, ast.Name) else "")
    return found


def _is_row(node: ast.Subscript, ranked: set[str]) -> bool:
    """One index of an array of several dimensions."""
    is_one = isinstance(node.ctx, ast.Load) and not isinstance(node.slice, ast.Tuple)
    return is_one and isinstance(node.value, ast.Name) and node.value.id in ranked


def _signature(function: ast.FunctionDef, scope: Scope) -> bool:
    arguments = function.args
    if arguments.defaults or arguments.kwonlyargs:
        return True
    annotations = [a.annotation for a in (*arguments.posonlyargs, *arguments.args)]
    if function.returns is not None:
        annotations.append(function.returns)
    for annotation in annotations:
        if annotation is None:
            continue
        kind = kind_of(annotation, scope)
        if kind.annotation is not annotation or kind.what == "function" or kind.optional:
            return True
        if not isinstance(kind.shape, str) and kind.shape.kind != "tuple":
            return True
    return False


def _is_form(node: ast.AST, scope: Scope) -> bool:
    kind = type(node)
    if kind is ast.Constant:
        return isinstance(node.value, complex)  # type: ignore[attr-defined]
    if kind is ast.BinOp or kind is ast.AugAssign:
        return isinstance(node.op, ast.MatMult)  # type: ignore[attr-defined]
    if kind is ast.Compare:
        return any(isinstance(op, _COMPARISONS) for op in node.ops)  # type: ignore[attr-defined]
    if kind is ast.Call:
        return _is_call(node, scope)  # type: ignore[arg-type]
    if kind is ast.Attribute:
        return _is_attribute(node, scope)  # type: ignore[arg-type]
    if kind is ast.Assign:
        return _is_assignment(node, scope)  # type: ignore[arg-type]
    if kind is ast.For:
        assert isinstance(node, ast.For)
        loop = node.iter
        counts = isinstance(loop, ast.Call) and dotted_name(loop.func) in ("range", "reversed")
        if isinstance(loop, ast.Call) and dotted_name(loop.func) == "reversed":
            counts = all(isinstance(argument, ast.Call) for argument in loop.args)  # a range
        return not counts or any(map(_is_text, node.body))
    if kind is ast.AnnAssign:
        assert isinstance(node, ast.AnnAssign)
        found = kind_of(node.annotation, scope)
        return found.annotation is not node.annotation or found.what == "struct"
    if kind is ast.If or kind is ast.While:
        return any(map(_is_text, [*node.body, *node.orelse]))  # type: ignore[attr-defined]
    return kind in _NODES


def _is_text(statement: ast.stmt) -> bool:
    """A string in the place of a statement."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _is_name(node: ast.Name, scope: Scope) -> bool:
    name = node.id
    scope.touch(name)
    if name in scope.forms:
        return True
    return name in BUILT_IN and scope.language_name(node) in BUILT_IN


def _is_attribute(node: ast.Attribute, scope: Scope) -> bool:
    if node.attr == "shape":
        return False
    dotted = dotted_name(node)
    if dotted is None:
        return True
    scope.touch(dotted)
    known = dotted in scope.values or dotted in scope.helpers or dotted in scope.others
    return not known


def _is_assignment(node: ast.Assign, scope: Scope) -> bool:
    if len(node.targets) > 1:
        return True
    target, value = node.targets[0], node.value
    if isinstance(value, ast.Tuple):
        calls = [item.func for item in value.elts if isinstance(item, ast.Call)]
        if any(dotted_name(call) in ("shared", "local") for call in calls):
            return True
    if isinstance(target, ast.List):
        return True
    if isinstance(target, ast.Tuple):
        return any(isinstance(item, (ast.Tuple, ast.List)) for item in target.elts)
    if isinstance(value, ast.Call) and isinstance(target, ast.Name):
        helper = scope.helper(value.func)
        return helper is not None and _gives_several(helper, [])
    return isinstance(value, ast.Tuple) or (
        isinstance(value, (ast.Name, ast.Attribute)) and scope.helper(value) is not None
    )


def _gives_several(helper: Helper, above: list[Helper]) -> bool:
    """Whether it returns a tuple, or what such a helper returns."""
    pending: list[ast.AST] = list(helper.original.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Return):
            if isinstance(node.value, ast.Tuple):
                return True
            if isinstance(node.value, ast.Call):
                inner = helper.scope.helper(node.value.func)
                if inner is not None and inner not in [*above, helper]:
                    return _gives_several(inner, [*above, helper])
        elif isinstance(node, ast.stmt):
            pending += children(node)
    return False


def _is_call(node: ast.Call, scope: Scope) -> bool:
    helper = scope.helper(node.func)
    if helper is not None:
        return (
            bool(node.keywords)
            or _of_helper(helper)
            or any(
                scope.helper(a) is not None or scope.language_name(a) in names.MATH
                for a in node.args
                if isinstance(a, (ast.Name, ast.Attribute))
            )
        )
    name = scope.language_name(node.func)
    if name in _SEVERAL:
        return len(node.args) != 2
    if name in _ARRAYS:
        return bool(node.keywords)
    return name in _CALLS


def _of_helper(helper: Helper) -> bool:
    """Kept; a helper that calls itself is none while it is looked at."""
    if helper.needs_forms is None:
        helper.needs_forms = False
        helper.needs_forms = needed(helper.original, helper.scope)
    return helper.needs_forms
