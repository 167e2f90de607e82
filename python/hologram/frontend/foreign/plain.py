"""Forms of Python that need no types to be said in words of kernels.

`raise` is a fault, the `else` of a loop a condition behind it, `chr(c) == "i"` compares numbers,
elements of an array of no dimensions are its value, and a small array whose every index is a
literal is that many locals.
"""

from __future__ import annotations

from hologram.frontend import names
from hologram.frontend.foreign.types import Elements, Types
from hologram.frontend.forms import trees
from hologram.frontend.syntax_tree import ast, dotted_name, fields, walked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hologram.frontend.foreign.types import Type
    from hologram.frontend.scope import Scope

MOST_NESTED = 64  # operators of one expression, to its left
MOST_LOCALS = 16  # elements of a small array
_ENDS = (ast.Return, ast.Raise, ast.Break, ast.Continue)


def mapped(node: ast.AST, change: Callable[[ast.expr], ast.expr]) -> None:
    """Each expression below a node by what it is changed to, the inner ones first; in place."""
    for field in fields(node):
        value = getattr(node, field, None)
        if isinstance(value, list):
            for one in value:
                if isinstance(one, ast.AST):
                    mapped(one, change)
            setattr(node, field, [change(v) if isinstance(v, ast.expr) else v for v in value])
        elif isinstance(value, ast.AST):
            mapped(value, change)
            if isinstance(value, ast.expr):
                setattr(node, field, change(value))


def block(statements: Sequence[ast.stmt], fresh: trees.Fresh) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for node in statements:
        found += _statement(node, fresh)
    return found


def _statement(node: ast.stmt, fresh: trees.Fresh) -> list[ast.stmt]:
    if isinstance(node, ast.Raise):
        false = trees.placed(ast.Constant(False), node)
        return [trees.placed(ast.Assert(false, _message(node.exc)), node)]
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        return [trees.placed(ast.Assign([node.target], node.value), node)]
    if isinstance(node, ast.For) and isinstance(node.iter, ast.Call):
        called = dotted_name(node.iter.func) or ""
        if called.rpartition(".")[2] == "prange":
            node.iter.func = trees.name("range", node.iter.func)
    if isinstance(node, (ast.If, ast.For, ast.While)):
        node.body, node.orelse = block(node.body, fresh), block(node.orelse, fresh)
        if node.orelse and isinstance(node, (ast.For, ast.While)):
            return [x for one in _with_else(node, fresh) for x in _counted(one, fresh)]
        return _counted(node, fresh)
    if isinstance(node, ast.Assign) and len(node.targets) > 1 and trees.is_literal(node.value):
        value = node.value
        return [trees.placed(ast.Assign([one], value), node) for one in node.targets]
    if isinstance(node, (ast.Assign, ast.Return)) and isinstance(node.value, ast.BinOp):
        return _shallow(node, fresh)
    return [node]


def _counted(node: ast.stmt, fresh: trees.Fresh) -> list[ast.stmt]:
    """A `range` whose step is not known when compiling, up or down, as a `while`."""
    loop = node.iter if isinstance(node, ast.For) else None
    is_range = isinstance(loop, ast.Call) and dotted_name(loop.func) == "range"
    if not isinstance(node, ast.For) or not isinstance(loop, ast.Call) or not is_range:
        return [node]
    if len(loop.args) != 3 or trees.literal(loop.args[2]) is not None:
        return [node]
    at, end, by = (fresh.take(name) for name in ("_at", "_end", "_by"))
    found: list[ast.stmt] = [
        trees.assignment([trees.stored(name, node)], [trees.call("int", [value], node)], node)
        for name, value in zip((at, end, by), loop.args)  # noqa: B905 (same length)
    ]
    zero = trees.number(0, node)
    nonzero = trees.compared(trees.name(by, node), ast.NotEq(), zero, node)
    message = trees.placed(ast.Constant("range() arg 3 must not be zero"), node)
    found.append(trees.placed(ast.Assert(nonzero, message), node))

    def goes(op: ast.cmpop, other: ast.cmpop) -> ast.expr:
        one = trees.compared(trees.name(by, node), op, zero, node)
        two = trees.compared(trees.name(at, node), other, trees.name(end, node), node)
        return trees.joined(ast.And(), [one, two], node)

    test = trees.joined(ast.Or(), [goes(ast.Gt(), ast.Lt()), goes(ast.Lt(), ast.Gt())], node)
    start = trees.placed(ast.Assign([node.target], trees.name(at, node)), node)
    step = trees.placed(
        ast.AugAssign(trees.stored(at, node), ast.Add(), trees.name(by, node)), node
    )
    return [*found, trees.placed(ast.While(test, [start, step, *node.body], []), node)]


def _shallow(node: ast.Assign | ast.Return, fresh: trees.Fresh) -> list[ast.stmt]:
    """A long sum, which is nested as deep as it has terms, in parts; a part is a local."""
    spine: list[ast.BinOp] = []
    inner = node.value
    while isinstance(inner, ast.BinOp):
        spine.append(inner)
        inner = inner.left
    found: list[ast.stmt] = []
    for k in range(len(spine) - MOST_NESTED, 0, -MOST_NESTED):
        part = fresh.take("_part")
        value = spine[k]
        found.append(trees.assignment([trees.stored(part, value)], [value], value))
        spine[k - 1].left = trees.name(part, value)
    return [*found, node]


def _with_else(node: ast.If | ast.For | ast.While, fresh: trees.Fresh) -> list[ast.stmt]:
    """The `else` of a loop, where no `break` ended it."""
    ended = fresh.take("_ended")
    otherwise, node.orelse = node.orelse, []
    node.body = _marked(node.body, ended)
    start = trees.assignment([trees.stored(ended, node)], [trees.number(False, node)], node)
    test = trees.placed(ast.UnaryOp(ast.Not(), trees.name(ended, node)), node)
    return [start, node, trees.placed(ast.If(test, otherwise, []), node)]


def _marked(body: list[ast.stmt], ended: str) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for node in body:
        if isinstance(node, ast.Break):
            true = trees.number(True, node)
            found.append(trees.assignment([trees.stored(ended, node)], [true], node))
        elif isinstance(node, ast.If):
            node.body, node.orelse = _marked(node.body, ended), _marked(node.orelse, ended)
        found.append(node)
    return found


def _message(raised: ast.expr | None) -> ast.expr | None:
    """The text of an exception, if it is one."""
    if not isinstance(raised, ast.Call) or len(raised.args) != 1:
        return None
    text = raised.args[0]
    if isinstance(text, ast.Constant) and isinstance(text.value, str):
        line = " ".join(text.value.split())
        return trees.placed(ast.Constant(line), text) if line.isprintable() else None
    return text if isinstance(text, ast.JoinedStr) else None


def always_ends(body: list[ast.stmt]) -> bool:
    """Whether no path reaches the end of these statements."""
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return always_ends(last.body) and always_ends(last.orelse)
    return isinstance(last, _ENDS) or is_fault(last)


def is_fault(node: ast.stmt | None) -> bool:
    """What `raise` is written as."""
    test = node.test if isinstance(node, ast.Assert) else None
    return isinstance(test, ast.Constant) and test.value is False


def returns(body: list[ast.stmt]) -> bool:
    """Whether each path ends in a `return`, as the compiler sees it."""
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return returns(last.body) and returns(last.orelse)
    return isinstance(last, ast.Return)


# ---- Expressions


def characters(node: ast.expr) -> ast.expr:
    """`chr(c) == "i"` and `chr(c) in ("i", "j")` as comparisons of numbers."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return node
    left, right = node.left, node.comparators[0]
    called = _of_chr(left)
    if called is None and _of_chr(right) is not None:
        called, right = _of_chr(right), left
    parts = right.elts if isinstance(right, (ast.Tuple, ast.List)) else [right]
    codes = [_code(part) for part in parts]
    if called is None or any(code is None for code in codes):
        return node
    numbers = [trees.number(code or 0, part) for code, part in zip(codes, parts)]  # noqa: B905
    other = numbers[0]
    if isinstance(right, (ast.Tuple, ast.List)):
        other = trees.placed(ast.Tuple(numbers, ast.Load()), right)
    return trees.rebuilt(node, left=called, comparators=[other])


def _of_chr(node: ast.expr) -> ast.expr | None:
    is_call = isinstance(node, ast.Call) and dotted_name(node.func) == "chr"
    return node.args[0] if isinstance(node, ast.Call) and is_call and node.args else None


def _code(node: ast.expr) -> int | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return ord(value) if isinstance(value, str) and len(value) == 1 else None


def without_dimensions(body: ast.Module, known: dict[str, Type], scope: Scope) -> None:
    """A parameter of no dimensions: `x[0]` of a number is the number, and the bare name of an array
    of one element is its element, but as an argument of a helper, or where it is assigned."""
    numbers = {name for name, kind in known.items() if isinstance(kind, str)}
    single = {n for n, kind in known.items() if isinstance(kind, Elements) and kind.is_single}
    kept: set[ast.AST] = set()
    for node in walked(body):
        if isinstance(node, (ast.Subscript, ast.Attribute)):
            kept.add(node.value)
        elif isinstance(node, ast.Call) and _takes_arrays(node, scope):
            kept.update(node.args)
        elif isinstance(node, ast.Assign):
            kept.update(node.targets)

    def changed(node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            is_first = trees.literal(node.slice) == 0 and isinstance(node.ctx, ast.Load)
            return node.value if node.value.id in numbers and is_first else node
        if isinstance(node, ast.Name) and node.id in single and node not in kept:
            load = trees.name(node.id, node)
            return trees.placed(ast.Subscript(load, trees.number(0, node), node.ctx), node)
        return node

    mapped(body, changed)


def _takes_arrays(node: ast.Call, scope: Scope) -> bool:
    """Helpers, `len`, and the functions of NumPy that give a number for an array."""
    dotted = dotted_name(node.func) or ""
    if scope.helper(node.func) is not None or dotted in ("len", "sum", "min", "max", "any", "all"):
        return True
    return scope.named.get(dotted, "") in ("numpy.zeros_like", "numpy.full_like", "numpy.argmax")


# ---- Rows that branches choose


def chosen_rows(definition: ast.FunctionDef) -> None:
    """A local that is one row or another of the same table, by its number; in place."""
    rows: dict[str, list[ast.Assign]] = {}
    for node in walked(definition):
        if isinstance(node, ast.Assign) and _is_plain(node):
            rows.setdefault(node.targets[0].id, []).append(node)  # type: ignore[attr-defined]
    for name, assigned in rows.items():
        found = [_row(one.value) for one in assigned]
        tables = {row[0] for row in found if row is not None}
        if len(assigned) < 2 or None in found or len(tables) != 1:
            continue
        uses = [one for one in walked(definition) if isinstance(one, ast.Name) and one.id == name]
        indexed = [one for one in walked(definition) if _is_element_of(one, name)]
        if len(uses) != len(indexed) + len(assigned):
            continue
        for one, row in zip(assigned, found):  # noqa: B905 (same length)
            assert row is not None
            one.value = row[1]

        def changed(node: ast.expr, name: str = name, table: str = min(tables)) -> ast.expr:
            if not _is_element_of(node, name) or not isinstance(node, ast.Subscript):
                return node
            places = trees.placed(ast.Tuple([node.value, node.slice], ast.Load()), node)
            return trees.rebuilt(node, value=trees.name(table, node), slice=places)

        mapped(definition, changed)


def _row(node: ast.expr) -> tuple[str, ast.expr] | None:
    """`T[k, :]` or `T[k]` with a literal: the name, and which row."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
        return None
    place = node.slice
    if (
        isinstance(place, ast.Tuple)
        and len(place.elts) == 2
        and isinstance(place.elts[1], ast.Slice)
    ):
        rest = place.elts[1]
        place = place.elts[0] if rest.lower is rest.upper is rest.step is None else rest
    return (node.value.id, place) if isinstance(trees.literal(place), int) else None


def _is_element_of(node: ast.AST, name: str) -> bool:
    is_of = isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)
    if not isinstance(node, ast.Subscript) or not is_of or node.value.id != name:  # type: ignore[attr-defined]
        return False
    return isinstance(node.ctx, ast.Load) and not isinstance(node.slice, (ast.Slice, ast.Tuple))


# ---- Small arrays


def small_arrays(definition: ast.FunctionDef, types: Types) -> None:
    """`t = np.zeros(3)` of which each index is a literal, as locals; in place."""
    fresh = trees.Fresh(trees.words(definition))
    inside = [one for one in walked(definition) if isinstance(one, ast.Assign)]
    for made in inside:
        name = made.targets[0].id if _is_plain(made) else ""  # type: ignore[attr-defined]
        found = allocated(made.value, types) if name else None
        length = found[0] if found is not None else None
        if found is None or not isinstance(length, int) or not 0 < length <= MOST_LOCALS:
            continue
        if _only_literals(definition, made, name, length):
            own = [fresh.take(f"{name}_{k}") for k in range(length)]
            _split(definition, made, own, found[1], found[2])


def _is_plain(node: ast.Assign) -> bool:
    return len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)


def allocated(node: ast.expr, types: Types) -> tuple[int | ast.expr, str, ast.expr] | None:
    """`np.zeros(n)`, `ones`, `empty`, `full`: length, type of the elements, their value."""
    if not isinstance(node, ast.Call) or not node.args:
        return None
    function = types.named(node).removeprefix("numpy.")
    if function not in ("zeros", "ones", "empty", "full"):
        return None
    given = {one.arg: one.value for one in node.keywords}
    rest = node.args[1:]
    value: ast.expr = trees.number(int(function == "ones"), node)
    if function == "full":
        if not rest:
            return None
        value, rest = rest[0], rest[1:]
    kind = "f64" if function != "full" else types.of(value)
    written = given.pop("dtype", rest[0] if rest else None)
    if written is not None:
        kind = type_of(written, types)
    length = node.args[0]
    if isinstance(length, (ast.Tuple, ast.List)) and len(length.elts) == 1:
        length = length.elts[0]
    known = trees.literal(length)
    kind = {"int": "i64", "float": "f64"}.get(kind, kind) if isinstance(kind, str) else None
    if given or len(rest) > 1 or not isinstance(kind, str):
        return None
    return (known if isinstance(known, int) else length), kind, value


def type_of(written: ast.expr, types: Types) -> str | None:
    """`np.float64`, `float`, `"f8"`, `x.dtype`"""
    if isinstance(written, ast.Constant) and isinstance(written.value, str):
        text = written.value
        known = {"float": "f64", "int": "i64", "bool": "bool"}
        short = f"{text[:1]}{8 * int(text[1:])}" if text[1:].isdigit() and len(text) == 2 else ""
        long = f"{text[:1]}{text.lstrip('intfloau')}"
        return known.get(text, next((one for one in (short, long) if one in names.SCALARS), None))
    if isinstance(written, ast.Attribute) and written.attr == "dtype":
        found = types.of(written.value)
        return (
            found.kind if isinstance(found, Elements) else found if isinstance(found, str) else None
        )
    dotted = dotted_name(written) or ""
    if dotted in ("float", "int", "bool"):
        return {"float": "f64", "int": "i64", "bool": "bool"}[dotted]
    if types.scope.named.get(dotted) in ("numpy.int_", "numpy.intp"):
        return "i64"
    found_name = types.scope.language_name(written)
    return found_name if found_name in names.SCALARS else None


def _only_literals(definition: ast.FunctionDef, made: ast.Assign, name: str, length: int) -> bool:
    indexed = 0
    for node in walked(definition):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            place = trees.literal(node.slice)
            inside = isinstance(place, int) and -length <= place < length
            indexed += node.value.id == name and inside
    uses = sum(isinstance(one, ast.Name) and one.id == name for one in walked(definition))
    return uses == indexed + 1  # and the assignment


def _split(
    definition: ast.FunctionDef, made: ast.Assign, own: list[str], kind: str, value: ast.expr
) -> None:
    """In place: what `made` makes as these locals."""
    name = made.targets[0].id  # type: ignore[attr-defined]

    def place(node: ast.expr) -> str:
        assert isinstance(node, ast.Subscript)
        at = trees.literal(node.slice)
        assert isinstance(at, int)
        return own[at]

    def is_element(node: ast.expr) -> bool:
        return (
            isinstance(node, ast.Subscript)
            and isinstance(node.value, ast.Name)
            and node.value.id == name
        )

    def visited(body: list[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for node in body:
            if node is made:
                start = trees.call(kind, [value], node)
                result += [trees.assignment([trees.stored(o, node)], [start], node) for o in own]
                continue
            for field in ("body", "orelse"):
                inner = getattr(node, field, None)
                if isinstance(inner, list):
                    setattr(node, field, visited(inner))
            result.append(_rounded(node, kind, is_element))
        return result

    definition.body = visited(definition.body)
    mapped(
        definition,
        lambda node: (
            trees.placed(ast.Name(place(node), node.ctx), node)  # type: ignore[attr-defined]
            if is_element(node)
            else node
        ),
    )


def _rounded(node: ast.stmt, kind: str, is_element: Callable[[ast.expr], bool]) -> ast.stmt:
    """What is stored has the type of the elements."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and is_element(node.targets[0]):
        return trees.rebuilt(node, value=trees.call(kind, [node.value], node))
    if isinstance(node, ast.AugAssign) and is_element(node.target):
        load = trees.rebuilt(node.target, ctx=ast.Load())
        value = trees.call(kind, [trees.binary(node.op, load, node.value, node)], node)
        return trees.placed(ast.Assign([node.target], value), node)
    return node
