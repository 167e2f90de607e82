"""From definitions with forms to plain ones: the part of definitions.py that few files need."""

from __future__ import annotations

from hologram.frontend import constants, names
from hologram.frontend.forms import trees
from hologram.frontend.forms.base import NOTHING, assembled
from hologram.frontend.forms.definitions import Parameter, is_optional, variant_name
from hologram.frontend.forms.instances import (
    Arguments,
    Instance,
    Walk,
    array_parameters,
    instance,
    parameters_for,
    plain_definition,
)
from hologram.frontend.forms.shapes import Struct
from hologram.frontend.forms.signatures import Kind, defaults_of, kind_of, parameters_of
from hologram.frontend.forms.values import RefusedError, whole_array
from hologram.frontend.syntax_tree import ast, children

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.forms.values import Value
    from hologram.frontend.scope import Helper, Scope


def helper(wanted: Helper) -> Helper | None:
    """Of definitions.helper, for one that needs this package."""
    if wanted.instances:
        plain = wanted.instances.get(tuple(None for _ in parameters_of(wanted.original)))
        return wanted if isinstance(plain, Instance) else None
    values: Arguments = []
    for parameter in parameters_of(wanted.original):
        if parameter.annotation is None:
            if _decides(parameter.arg, wanted.original):
                return None
            values.append((parameter, None, trees.name(parameter.arg, parameter)))
            continue
        kind = kind_of(parameter.annotation, wanted.scope)
        if kind.what == "function" or kind.optional:
            return None
        values.append((parameter, kind, _of_kind(parameter, kind)))
    try:
        return instance(wanted, values).helper
    except RefusedError:
        return wanted


def _decides(name: str, definition: ast.FunctionDef) -> bool:
    """Whether a parameter is used as something that may be no number."""
    pending: list[ast.AST] = list(definition.body)
    while pending:
        node = pending.pop()
        within: list[ast.AST] = []
        if isinstance(node, ast.Attribute):
            within = [node.value]
        elif isinstance(node, ast.Call):
            within = [node.func, *node.args, *(k.value for k in node.keywords)]
        elif isinstance(node, (ast.For, ast.Subscript)):
            within = [node.iter if isinstance(node, ast.For) else node.value]
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            within = [node.left, *node.comparators]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            within = [node.left, node.right]
        if any(isinstance(part, ast.Name) and part.id == name for part in within):
            return True
        pending += children(node)
    return False


def _of_kind(parameter: ast.arg, kind: Kind) -> Value:
    name = trees.name(parameter.arg, parameter)
    if kind.what == "array":
        return whole_array(parameter.arg, kind.shape, kind.rank)
    if isinstance(kind.shape, Struct):
        return assembled(kind.shape, iter([name] * kind.shape.size))
    return name


def kernel(definition: ast.FunctionDef, scope: Scope, absent: list[str]) -> ast.FunctionDef:
    """Without forms, and without the optional arrays `absent`."""
    walk = Walk(definition, scope, {parameter.arg for parameter in parameters_of(definition)})
    defaults = defaults_of(definition)
    parameters: list[ast.arg] = []
    kept: list[ast.expr] = []
    for parameter in parameters_of(definition):
        if parameter.arg in absent:
            walk.env[parameter.arg] = NOTHING
            walk.plain_locals.discard(parameter.arg)
            continue
        if parameter.annotation is None:
            parameters.append(parameter)
            continue
        kind = kind_of(parameter.annotation, scope)
        made = _kernel_parameter(walk, parameter, kind)
        parameters += made
        default = defaults.get(parameter.arg)
        if len(made) == 1 and default is not None:
            kept.append(default)
        elif kept or default is not None:
            kept += [trees.number(0, one) for one in made]
    body = walk.block(definition.body)
    plain = plain_definition(definition, parameters, body, definition.returns, kept)
    return trees.rebuilt(plain, name=variant_name(definition.name, absent))


def _kernel_parameter(walk: Walk, parameter: ast.arg, kind: Kind) -> list[ast.arg]:
    shape = kind.shape
    if kind.what == "array":
        return array_parameters(walk, parameter, kind, whole_array(parameter.arg, shape, kind.rank))
    if kind.what == "struct" and isinstance(shape, Struct) and shape.kind != "tuple":
        return parameters_for(walk, parameter, kind, _of_kind(parameter, kind))
    if isinstance(shape, str) and shape[1:] in ("32", "64"):
        walk.wide.add(parameter.arg)
    return [trees.rebuilt(parameter, annotation=kind.annotation)]


def parameters(definition: ast.FunctionDef, scope: Scope) -> list[Parameter]:
    """Of definitions.parameters."""
    defaults = defaults_of(definition)
    walk = Walk(definition, scope, {p.arg for p in parameters_of(definition)})
    result: list[Parameter] = []
    for argument in parameters_of(definition):
        assert argument.annotation is not None
        kind = kind_of(argument.annotation, scope)
        plain = [made.arg for made in _kernel_parameter(walk, argument, kind)]
        found = Parameter(argument.arg, kind, plain)
        found.optional = is_optional(argument, defaults, scope)
        found.is_constant = scope.language_name(argument.annotation) == names.CONSTEXPR
        default = defaults.get(argument.arg)
        if default is not None and not found.optional:
            found.default = constants.folded(default, scope.known)
        result.append(found)
    return result
