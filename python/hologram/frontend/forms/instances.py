"""Helpers for the shapes of their arguments, and kernels: from definition to plain definition.

A helper is written once for each combination of what its arguments are, beside numbers: a vector
makes a parameter for each of its numbers; functions, tables and `None` are no parameters at all.
"""

from __future__ import annotations

from hologram.frontend import constants
from hologram.frontend.forms import shapes, trees
from hologram.frontend.forms.base import Returned, assembled
from hologram.frontend.forms.body import Body
from hologram.frontend.forms.records import layout_of
from hologram.frontend.forms.shapes import Struct, described
from hologram.frontend.forms.signatures import Kind, defaults_of, kind_of, parameters_of
from hologram.frontend.forms.values import (
    Array,
    Function,
    Nothing,
    Parts,
    RefusedError,
    Result,
    Slice,
    Table,
    Type,
    whole_array,
)
from hologram.frontend.scope import Helper
from hologram.frontend.syntax_tree import ast, children

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.forms.values import Value

MAX_DEPTH = 64  # of helpers that are being written


class Instance:
    """A helper for one combination."""

    def __init__(self, helper: Helper) -> None:
        self.helper = helper
        self.returned = Returned()
        self.is_written = False
        self.failed = False  # an error was reported in its body
        self.keeps: list[object] = []  # what the key has the ids of


class Walk(Body):
    """A function, with calls of helpers."""

    def helper_call(self, helper: Helper, node: ast.Call) -> Value:
        definition = helper.original
        given = self._given(definition, node)
        if given is None:
            return self._rebuilt(node)
        values: list[tuple[ast.arg, Kind | None, Value]] = []
        for parameter in parameters_of(definition):
            kind = None
            if parameter.annotation is not None:
                kind = kind_of(parameter.annotation, helper.scope)
            value = given.get(parameter.arg)
            if value is None:
                value = _default(helper, parameter.arg, node)
            values.append((parameter, kind, self._argument(parameter.arg, kind, value, node)))
        below: dict[str, int] = {}
        for parameter, _, value in values:
            limit = self.limit(value) if isinstance(value, ast.expr) else None
            if limit is not None and _indexes(parameter.arg, definition):
                below[parameter.arg] = limit
        made = instance(helper, values, below)
        if made.failed:
            raise RefusedError
        passed = [leaf for _, _, value in values for leaf in self._passed(value, node)]
        target = node.func
        if made.helper is not helper or self.scope.helper(target) is not helper:
            key = f"{made.helper.name}$"
            self.scope.helpers[key] = made.helper
            target = trees.name(key, node.func)
        call = trees.rebuilt(node, func=target, args=passed, keywords=[])
        if isinstance(made.returned.shape, Struct):
            return Result(call, made.returned.shape)
        return call

    def _given(self, definition: ast.FunctionDef, node: ast.Call) -> dict[str, Value] | None:
        """The arguments by parameter; None for what the compiler refuses."""
        names = [parameter.arg for parameter in parameters_of(definition)]
        optional = defaults_of(definition)
        plain = not node.keywords and not optional
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            return None
        if plain and len(node.args) != len(names):
            return None
        title = self.text(node.func)
        places = [*definition.args.posonlyargs, *definition.args.args]
        if len(node.args) > len(places):
            self.error(node, f"`{title}` takes {len(places)} arguments, not {len(node.args)}")
        given: dict[str, Value] = {}
        for parameter, argument in zip(places, node.args):  # noqa: B905 (fewer)
            given[parameter.arg] = self._placed(self.expression(argument), argument)
        for keyword in node.keywords:
            if keyword.arg not in names:
                self.error(
                    keyword,
                    f"`{title}` has no parameter `{keyword.arg}`; it has " f"{', '.join(names)}",
                )
            if keyword.arg in given:
                self.error(keyword, f"`{keyword.arg}` is given twice")
            given[keyword.arg] = self._placed(self.expression(keyword.value), keyword.value)
        missing = [name for name in names if name not in given and name not in optional]
        if missing:
            self.error(node, f"`{title}` needs `{missing[0]}`")
        return given

    def _placed(self, value: Value, argument: ast.expr) -> Value:
        """For errors about an array."""
        if not isinstance(value, Array):
            return value
        result = Array(value.name, value.element, value.dimensions)
        result.at = argument
        return result

    def _argument(self, name: str, kind: Kind | None, value: Value, node: ast.Call) -> Value:
        """The value as the parameter wants it."""
        if kind is None or (kind.optional and isinstance(value, Nothing)):
            parts = self.parts(value)
            return value if parts is None else parts
        what = f"parameter `{name}`"
        if kind.what == "struct" and isinstance(kind.shape, Struct):
            if not isinstance(value, (Parts, Result)):
                given = "a number" if isinstance(value, ast.expr) else "none"
                self.error(node, f"{what} is {described(kind.shape)}, the argument is {given}")
            return self.as_field(value, kind.shape, name, node)
        if kind.what == "function":
            if not isinstance(value, Function):
                self.error(node, f"{what} is a function; pass the name of a helper")
            return value
        if kind.what == "array":
            if isinstance(value, Array):
                self._fits(what, kind, value, node)
            elif not isinstance(value, ast.Name):
                self.error(node, f"{what} is an array; pass one by its name")
            return value
        if isinstance(value, Array) and value.is_whole and isinstance(value.element, str):
            return value
        return self.one(value, node)

    def _fits(self, what: str, kind: Kind, value: Array, node: ast.Call) -> None:
        wants, has = kind.shape, value.element
        differ = isinstance(wants, Struct) != isinstance(has, Struct)
        if isinstance(wants, Struct) and isinstance(has, Struct):
            differ = wants.key != has.key
        if differ:
            wanted = described(wants).partition(" ")[2]
            given = described(has).partition(" ")[2]
            self.error(node, f"{what} is an array of {wanted}, the argument one of {given}")
        if not value.is_whole and len(value.free) != kind.rank:
            self.error(node, f"{what} has {kind.rank} dimensions, the argument {len(value.free)}")

    def _passed(self, value: Value, node: ast.Call) -> list[ast.expr]:
        if isinstance(value, Array):
            result: list[ast.expr] = [trees.name(value.name, value.at or node)]
            for part in value.dimensions:
                ends = [part.start, part.stop] if isinstance(part, Slice) else [part]
                result += [end for end in ends if end is not None]
            return result
        if isinstance(value, (Function, Table, Nothing, Type)):
            return []
        return self.leaves(value, node)


def _default(helper: Helper, name: str, node: ast.Call) -> Value:
    """A default value, as a literal at the call."""
    written = defaults_of(helper.original)[name]
    try:
        return trees.number(constants.fold(written, helper.scope.known), node)
    except constants.FoldError:
        pass
    walk = Walk(helper.original, helper.scope, set())
    walk.locals = set()
    value = walk.expression(written)
    if isinstance(value, (Nothing, Function, Table)):
        return value
    if isinstance(value, Parts) and not walk.before:
        leaves = [_moved(leaf, node) for leaf in walk.leaves(value, written)]
        return assembled(value.shape, iter(leaves))
    return walk.error(
        written, "a default value is a number, a vector of numbers, a helper or `None`"
    )


def _moved(leaf: ast.expr, at: ast.expr) -> ast.expr:
    """A number of a default value, `f32(0.0)`."""
    if isinstance(leaf, ast.Call) and isinstance(leaf.func, ast.Name):
        return trees.call(leaf.func.id, [_moved(a, at) for a in leaf.args], at)
    known = trees.literal(leaf)
    return trees.rebuilt(leaf) if known is None else trees.number(known, at)


# ---- Instances


def _key(value: Value, kind: Kind | None) -> object:
    """What makes two arguments different for a helper; None for numbers."""
    if isinstance(value, (Parts, Result)):
        return ("values", value.shape.key)
    if isinstance(value, Function):
        return ("function", id(value.helper) if value.helper is not None else value.name)
    if isinstance(value, (Table, Type)):
        return (type(value).__name__, id(value))
    if isinstance(value, Nothing):
        return ("none",)
    if isinstance(value, Array) and not (value.is_whole and isinstance(value.element, str)):
        element = "" if isinstance(value.element, str) else value.element.key
        parts = tuple(
            (part.start is not None, part.stop is not None) if isinstance(part, Slice) else "index"
            for part in value.dimensions
        )
        return ("array", element, parts)
    return None


Arguments = list[tuple[ast.arg, "Kind | None", "Value"]]


def _indexes(name: str, definition: ast.FunctionDef) -> bool:
    """Whether a parameter, which is not assigned, is an index by itself."""
    pending: list[ast.AST] = list(definition.body)
    found = False
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
            return False
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name):
            found = found or node.slice.id == name
        pending += children(node)
    return found


def instance(helper: Helper, values: Arguments, below: dict[str, int] | None = None) -> Instance:
    """The helper for such arguments, written when it is first asked for. `below`: what numbers
    among them are known to be less than, which are not negative."""
    key = tuple(_key(value, kind) for _, kind, value in values)
    if below:
        key = (*key, tuple(sorted(below.items())))
    known = helper.instances.get(key)
    if isinstance(known, Instance):
        if not known.is_written:
            name = helper.original.name
            message = f"helper `{name}` calls itself; helpers have no recursion, write a loop"
            helper.scope.diagnostics.error(helper.original, message)
            raise RefusedError
        return known
    link = helper.scope.link
    made = Instance(helper)
    if any(part is not None for part in key):
        made.helper = link.another(helper)
    made.keeps = [value for _, _, value in values if isinstance(value, (Function, Table, Type))]
    helper.instances[key] = made
    if link.writing > MAX_DEPTH:
        helper.scope.diagnostics.error(
            helper.original, f"helper `{helper.original.name}` calls itself; write a loop"
        )
        raise RefusedError
    link.writing += 1
    try:
        before = len(helper.scope.diagnostics)
        made.helper.node = _written(helper, values, made.returned, below or {})
        made.failed = len(helper.scope.diagnostics) > before
        made.is_written = True
    finally:
        link.writing -= 1
    return made


def _written(
    helper: Helper, values: Arguments, returned: Returned, below: dict[str, int]
) -> ast.FunctionDef:
    definition = helper.original
    walk = Walk(definition, helper.scope, {parameter.arg for parameter, _, _ in values})
    walk.is_helper, walk.returned = True, returned
    walk.below.update(below)
    parameters: list[ast.arg] = []
    for parameter, kind, value in values:
        parameters += parameters_for(walk, parameter, kind, value)
    returns = definition.returns
    if returns is not None:
        returns = _returns(kind_of(returns, helper.scope), returned)
    body = walk.block(definition.body)
    return plain_definition(definition, parameters, body, returns)


def _returns(kind: Kind, returned: Returned) -> ast.expr:
    if kind.what != "struct" or not isinstance(kind.shape, Struct):
        return kind.annotation
    returned.known, returned.shape = True, kind.shape
    at = kind.annotation
    leaves: list[ast.expr] = [trees.name(scalar, at) for _, scalar in kind.shape.leaves()]
    if len(leaves) == 1:
        return leaves[0]
    inner = trees.placed(ast.Tuple(leaves, ast.Load()), at)
    return trees.placed(ast.Subscript(trees.name("tuple", at), inner, ast.Load()), at)


def parameters_for(
    walk: Body, parameter: ast.arg, kind: Kind | None, value: Value
) -> list[ast.arg]:
    """The plain parameters that one becomes, and what its name means in the body."""
    name = parameter.arg
    at = parameter
    if isinstance(value, (Function, Table, Nothing, Type)):
        walk.env[name] = value
        walk.plain_locals.discard(name)
        return []
    if isinstance(value, Array):
        return array_parameters(walk, parameter, kind, value)
    if not isinstance(value, (Parts, Result)):
        annotation = None if kind is None else kind.annotation
        if kind is not None and isinstance(kind.shape, str) and kind.shape[1:] in ("32", "64"):
            walk.wide.add(name)
        return [trees.rebuilt(parameter, annotation=annotation)]
    result: list[ast.arg] = []
    names: list[ast.expr] = []
    for leaf, scalar in value.shape.leaves():
        one = walk.fresh.take(f"{name}_{leaf}")
        annotation = trees.name(scalar, at) if scalar and kind is not None else None
        result.append(trees.rebuilt(parameter, arg=one, annotation=annotation))
        names.append(trees.name(one, at))
    walk.env[name] = assembled(value.shape, iter(names))
    walk.plain_locals.discard(name)
    return result


def array_parameters(
    walk: Body, parameter: ast.arg, kind: Kind | None, value: Array
) -> list[ast.arg]:
    name = parameter.arg
    if value.is_whole and kind is not None and kind.what == "array":
        value = whole_array(value.name, value.element, kind.rank)  # what it is, for its errors
    rank = len(value.dimensions)
    annotation = None if kind is None else kind.annotation
    if kind is not None and (isinstance(value.element, Struct) or not value.is_whole):
        annotation = array_annotation(kind, value.element, rank)
    result = [trees.rebuilt(parameter, annotation=annotation)]
    dimensions: list[ast.expr | Slice] = []
    for place, part in enumerate(value.dimensions):
        ends = [part.start, part.stop] if isinstance(part, Slice) else [part]
        held: list[ast.expr | None] = []
        for end in ends:
            if end is None:
                held.append(None)
                continue
            one = walk.fresh.take(f"{name}_{place}")
            walk.wide.add(one)
            result.append(trees.rebuilt(parameter, arg=one, annotation=None))
            held.append(trees.name(one, parameter))
        index = held[0]
        if isinstance(part, Slice):
            dimensions.append(Slice(*held))
        elif index is not None:
            dimensions.append(index)
    walk.env[name] = Array(name, value.element, dimensions)
    walk.plain_locals.discard(name)
    return result


def array_annotation(kind: Kind, element: shapes.Shape, rank: int) -> ast.expr:
    """`DeviceArray[f32, 2]` of the numbers of an array."""
    at = kind.annotation
    if isinstance(element, Struct):
        inner: ast.expr = trees.name(layout_of(element).word, at)
        rank = rank if rank == 1 else rank + 1
    else:
        assert isinstance(at, ast.Subscript)
        inner = at.slice.elts[0] if isinstance(at.slice, ast.Tuple) else at.slice
    if rank > 1:
        inner = trees.placed(ast.Tuple([inner, trees.number(rank, at)], ast.Load()), at)
    return trees.placed(ast.Subscript(trees.name("DeviceArray", at), inner, ast.Load()), at)


def plain_definition(
    definition: ast.FunctionDef,
    parameters: list[ast.arg],
    body: list[ast.stmt],
    returns: ast.expr | None,
    defaults: list[ast.expr] | None = None,
) -> ast.FunctionDef:
    old = definition.args
    arguments = ast.arguments([], parameters, old.vararg, [], [], old.kwarg, defaults or [])
    at = definition.body[-1]
    body = body or [trees.placed(ast.Pass(), at)]
    return trees.rebuilt(definition, args=arguments, body=body, returns=returns)
