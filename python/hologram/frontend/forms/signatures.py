"""Annotations, default values, and the classes that are structs."""

from __future__ import annotations

from hologram.frontend import constants, names
from hologram.frontend.forms import shapes
from hologram.frontend.forms.shapes import Struct
from hologram.frontend.forms.trees import placed
from hologram.frontend.syntax_tree import PyCF_ONLY_AST, ast, dotted_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.forms.shapes import Shape
    from hologram.frontend.scope import Scope

_FUNCTION_TYPES = ("Callable", "FunctionType")
MAX_FIELDS = 64


class Alias:
    """A name of a type in a module: `Field = DeviceArray[f32, 2]`."""

    def __init__(self, annotation: ast.expr, scope: Scope) -> None:
        self.annotation = annotation
        self.scope = scope


class Kind:
    """What an annotation says."""

    annotation: ast.expr  # without quotes, aliases and `| None`

    def __init__(self, annotation: ast.expr | None, what: str = "scalar") -> None:
        if annotation is not None:  # a kernel that was loaded has none
            self.annotation = annotation
        self.what = what  # scalar, struct, array, function
        self.shape: Shape = ""  # of the value, or of the elements
        self.rank = 1
        self.optional = False


def kind_of(annotation: ast.expr, scope: Scope, depth: int = 0) -> Kind:
    """Reads an annotation. What it cannot read is a scalar, and an error of signature.py."""
    known = scope.kinds.get(annotation)
    if known is None:
        known = scope.kinds[annotation] = _kind_of(annotation, scope, depth)
    return known


def _kind_of(annotation: ast.expr, scope: Scope, depth: int) -> Kind:
    annotation = unquoted(annotation)
    inner = _optional(annotation, scope)
    if inner is not None:
        kind = _kind_of(inner, scope, depth)
        kind.optional = True
        return kind
    alias = form_of(annotation, scope)
    if isinstance(alias, Alias) and depth < 8:
        return kind_of(alias.annotation, alias.scope, depth + 1)
    struct = struct_of(annotation, scope)
    if struct is not None:
        kind = Kind(annotation, "struct")
        kind.shape = struct
        return kind
    if isinstance(annotation, ast.Subscript):
        if scope.language_name(annotation.value) == names.DEVICE_ARRAY:
            return _array(annotation, scope, depth)
        if _last(annotation.value) in ("tuple", "Tuple"):
            return _tuple(annotation, scope, depth)
    target = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    if _last(target) in _FUNCTION_TYPES:
        return Kind(annotation, "function")
    kind = Kind(annotation)
    kind.shape = names.canonical_scalar(scope.language_name(annotation) or "") or ""
    return kind


def _array(annotation: ast.Subscript, scope: Scope, depth: int) -> Kind:
    kind = Kind(annotation, "array")
    element = annotation.slice
    if isinstance(element, ast.Tuple) and len(element.elts) == 2:
        element, rank = element.elts
        try:
            folded = constants.fold(rank_in(rank), scope.known)
            kind.rank = folded if isinstance(folded, int) else 1
        except constants.FoldError:
            return kind
    inner = kind_of(element, scope, depth)
    kind.shape = inner.shape
    if inner.annotation is not element and not isinstance(inner.shape, Struct):
        parts = annotation.slice
        if isinstance(parts, ast.Tuple):
            shown: ast.expr = placed(
                ast.Tuple([inner.annotation, parts.elts[1]], ast.Load()), parts
            )
        else:
            shown = inner.annotation
        kind.annotation = placed(ast.Subscript(annotation.value, shown, ast.Load()), annotation)
    return kind


def rank_in(rank: ast.expr) -> ast.expr:
    """The number of a rank, which type checkers accept as `Literal[2]`."""
    if isinstance(rank, ast.Subscript) and _last(rank.value) == "Literal":
        return rank.slice
    return rank


def _tuple(annotation: ast.Subscript, scope: Scope, depth: int) -> Kind:
    inner = annotation.slice
    items = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    kinds = [kind_of(item, scope, depth) for item in items]
    kind = Kind(annotation, "struct")
    kind.shape = shapes.tuple_of([item.shape or _written(item) for item in kinds])
    return kind


def _written(kind: Kind) -> str:
    """A type variable by its name; the error for anything else is signature.py's."""
    return dotted_name(kind.annotation) or ""


def _optional(annotation: ast.expr, scope: Scope) -> ast.expr | None:
    """T of `T | None`, `None | T`, `Optional[T]`."""
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        for one, other in (
            (annotation.left, annotation.right),
            (annotation.right, annotation.left),
        ):
            if isinstance(other, ast.Constant) and other.value is None:
                return one
    if isinstance(annotation, ast.Subscript) and _last(annotation.value) == "Optional":
        return annotation.slice
    return None


def _last(node: ast.AST) -> str:
    return (dotted_name(node) or "").rpartition(".")[2]


def unquoted(annotation: ast.expr) -> ast.expr:
    """A type in quotes, as `from __future__ import annotations` would make of it."""
    if not isinstance(annotation, ast.Constant) or not isinstance(annotation.value, str):
        return annotation
    try:
        tree = compile(annotation.value, "<annotation>", "eval", PyCF_ONLY_AST, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return annotation
    assert isinstance(tree, ast.Expression)
    return moved(tree.body, annotation)


def moved(node: ast.expr, at: ast.expr) -> ast.expr:
    pending: list[ast.AST] = [node]
    while pending:
        piece = pending.pop()
        if isinstance(piece, ast.expr):
            placed(piece, at)
        for field in piece._fields:
            value = getattr(piece, field, None)
            pending += [v for v in (value if isinstance(value, list) else [value]) if _is_tree(v)]
    return node


def _is_tree(value: object) -> bool:
    return isinstance(value, ast.AST)


def form_of(node: ast.AST, scope: Scope) -> object:
    """The struct, table or alias that an expression names; None if it names none."""
    dotted = dotted_name(node)
    if dotted is None:
        return None
    scope.touch(dotted)
    found = scope.forms.get(dotted)
    if isinstance(found, ast.ClassDef):
        found = scope.forms[dotted] = _read_class(found, scope)
    if isinstance(found, str):
        del scope.forms[dotted]
        scope.others[dotted] = found
        return None
    return found


def struct_of(node: ast.AST, scope: Scope) -> Struct | None:
    found = form_of(node, scope)
    if isinstance(found, Struct):
        return found
    if isinstance(found, Alias):
        return struct_of(unquoted(found.annotation), found.scope)
    return shapes.BUILT_IN.get(scope.language_name(node) or "")


def is_struct_class(statement: ast.ClassDef) -> bool:
    """`class Ray(NamedTuple)`, or one under `@dataclass`."""
    if any(_last(base) == "NamedTuple" for base in statement.bases):
        return True
    decorators = [d.func if isinstance(d, ast.Call) else d for d in statement.decorator_list]
    return any(_last(decorator) == "dataclass" for decorator in decorators)


def _read_class(statement: ast.ClassDef, scope: Scope) -> object:
    """The struct of a class; why it is none, as a text, if it cannot be one."""
    struct = Struct("struct", statement.name, [])
    for line in statement.body:
        if not isinstance(line, ast.AnnAssign) or not isinstance(line.target, ast.Name):
            continue
        kind = kind_of(line.annotation, scope)
        shape: Shape = kind.shape
        variable = scope.language_name(line.annotation) or ""
        if variable in scope.type_variables:
            shape = variable
        if kind.what not in ("scalar", "struct") or not shape:
            field = f"{statement.name}.{line.target.id}"
            return (
                f"a class, and the type of `{field}` (line {line.lineno}) is not a number of the "
                "language; write f32, u32, a vector or another such class"
            )
        struct.fields.append((line.target.id, shape))
        if line.value is not None:
            default = constants.folded(line.value, scope.known)
            if default is not None:  # else it is given at each call
                struct.defaults[line.target.id] = default
    if not struct.fields or struct.size > MAX_FIELDS:
        line_number = statement.lineno
        return f"a class of no or more than {MAX_FIELDS} numbers (line {line_number})"
    return struct


def parameters_of(definition: ast.FunctionDef) -> list[ast.arg]:
    arguments = definition.args
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def defaults_of(definition: ast.FunctionDef) -> dict[str, ast.expr]:
    arguments = definition.args
    places = [*arguments.posonlyargs, *arguments.args]
    found: dict[str, ast.expr] = {}
    behind = places[len(places) - len(arguments.defaults) :]
    for parameter, value in zip(behind, arguments.defaults):  # noqa: B905 (same length)
        found[parameter.arg] = value
    for parameter, default in zip(arguments.kwonlyargs, arguments.kw_defaults):  # noqa: B905
        if default is not None:
            found[parameter.arg] = default
    return found
