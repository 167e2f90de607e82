"""Decorator, parameters and types of kernels and helpers."""

from __future__ import annotations

from hologram.frontend import constants, names
from hologram.frontend.forms import definitions, signatures
from hologram.frontend.nodes import position
from hologram.frontend.scope import decorator_name
from hologram.frontend.syntax_tree import ast, children, dotted_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from hologram.frontend.diagnostics import Diagnostics
    from hologram.frontend.nodes import Node
    from hologram.frontend.scope import Scope

_TYPES = "u8 u16 u32 u64 i8 i16 i32 i64 f16 bf16 f32 f64 bool"

_DIMENSIONS = 3
_UFUNCS = ("vectorize", "guvectorize")

# Options of `Kernel.configure`.
_OF_LAUNCHES = ("grid", "budget", "backend", "deterministic", "threads")


class Signature:
    """Reads what stands before the body of a kernel or helper."""

    def __init__(self, scope: Scope, diagnostics: Diagnostics) -> None:
        self._scope = scope
        self._diagnostics = diagnostics

    def decorator(self, kernel: ast.FunctionDef) -> Node:
        result: Node = {"contract": False}
        seen = False
        for decorator in kernel.decorator_list:
            if decorator_name(decorator, self._scope) not in names.KERNEL_DECORATORS:
                written = dotted_name(decorator) or "..."
                if isinstance(decorator, ast.Call):
                    written = dotted_name(decorator.func) or "..."
                self._error(decorator, f"`@{written}` is not allowed on a kernel; remove it")
            elif seen:
                self._error(decorator, "a kernel is decorated once; remove the second decorator")
            else:
                seen = True
                if isinstance(decorator, ast.Call):
                    self._decorator_arguments(decorator, result)
        return result

    def helper_decorator(self, helper: ast.FunctionDef) -> None:
        """Only `@inline` stands above a helper, or what makes it a helper of its own kernels."""
        first, *more = helper.decorator_list
        called = first.func if isinstance(first, ast.Call) else first
        if (dotted_name(called) or "").rpartition(".")[2] in _UFUNCS:
            return
        for decorator in more:
            self._error(decorator, "a helper is decorated once, with `@inline`; remove the others")
        if isinstance(first, ast.Call) or decorator_name(first, self._scope) != "inline":
            self._error(first, "a helper is decorated with `@inline`, without arguments")

    def parameters(self, kernel: ast.FunctionDef) -> list[Node]:
        returns = kernel.returns
        if returns is not None and not _is_none(returns):
            self._error(returns, "a kernel returns nothing; write `-> None` or no annotation")
        presets = self._presets(kernel)
        self._refuse_other_parameters(
            kernel, "every launch passes every argument", self._other_defaults(kernel, presets)
        )
        result: list[Node] = []
        for parameter in [*kernel.args.posonlyargs, *kernel.args.args]:
            if parameter.annotation is None:
                self._error(
                    parameter,
                    f"parameter `{parameter.arg}` has no type; write `{parameter.arg}: u32` or "
                    f"`{parameter.arg}: DeviceArray[f32]`",
                )
                continue
            kind = self._type(parameter.annotation)
            if parameter.arg in presets:
                kind.update(self._preset(presets[parameter.arg]))
            node: Node = {"name": parameter.arg, "type": kind}
            node.update(position(parameter))
            result.append(node)
        return result

    def _presets(self, kernel: ast.FunctionDef) -> dict[str, ast.expr]:
        """The default values of compile-time parameters."""
        parameters = [*kernel.args.posonlyargs, *kernel.args.args]
        defaults = kernel.args.defaults
        presets: dict[str, ast.expr] = {}
        for parameter, default in zip(parameters[len(parameters) - len(defaults) :], defaults):  # noqa: B905 (same length)
            annotation = parameter.annotation
            if annotation is not None and self._is_constexpr(annotation):
                presets[parameter.arg] = default
        return presets

    def _other_defaults(
        self, kernel: ast.FunctionDef, presets: dict[str, ast.expr]
    ) -> set[ast.expr]:
        """Those of scalars, which are numbers, and of optional arrays: for calls from Python."""
        allowed = set(presets.values())
        parameters = [*kernel.args.posonlyargs, *kernel.args.args]
        defaults = kernel.args.defaults
        for parameter, default in zip(parameters[len(parameters) - len(defaults) :], defaults):  # noqa: B905 (same length)
            if parameter.annotation is None or isinstance(parameter.annotation, ast.Subscript):
                if _is_none(default):
                    allowed.add(default)
                continue
            try:
                constants.fold(default, self._scope.known)
                allowed.add(default)
            except constants.FoldError:
                continue
        return allowed

    def _preset(self, value: ast.expr) -> Node:
        try:
            return {"default": constants.fold(value, self._scope.known)}
        except constants.FoldError as error:
            self._error(value, f"the default must be known at compile time: {error}")
            return {}

    def _is_constexpr(self, annotation: ast.expr) -> bool:
        return self._scope.language_name(annotation) == names.CONSTEXPR

    def helper_parameters(self, helper: ast.FunctionDef) -> list[Node]:
        """As those of a kernel, but a parameter without a type has that of the argument."""
        self._refuse_other_parameters(helper, "every call passes every argument")
        result: list[Node] = []
        for parameter in [*helper.args.posonlyargs, *helper.args.args]:
            node: Node = {"name": parameter.arg}
            if parameter.annotation is not None:
                node["type"] = self._type(parameter.annotation)
            node.update(position(parameter))
            result.append(node)
        return result

    def returns(self, helper: ast.FunctionDef) -> list[Node] | None:
        """The types that `-> ...` gives; None where nothing is said."""
        annotation = helper.returns
        if annotation is None:
            return None
        if _is_none(annotation):
            return []
        where = "what a helper returns"
        items = [annotation]
        if isinstance(annotation, ast.Subscript) and dotted_name(annotation.value) in (
            "tuple",
            "Tuple",
            "typing.Tuple",
        ):
            inner = annotation.slice
            items = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            if len(items) < 2:
                self._error(annotation, "a tuple of one value; write the type alone")
        return [{"kind": "scalar", "type": self.scalar(item, where)} for item in items]

    def scalar(self, annotation: ast.expr, where: str) -> str:
        """The scalar type that an annotation names; an error and "" if it names none."""
        name = self._scope.language_name(annotation)
        variable = self._scope.type_variables.get(name) if name is not None else None
        if variable is not None:
            if not self._scope.link.use(variable):
                what = f"`{variable.name}` has other types in another file; rename one"
                self._error(annotation, what)
            return variable.name
        scalar = names.canonical_scalar(name) if name is not None else None
        if scalar is not None:
            return scalar
        written = dotted_name(annotation)
        if written in ("np.ndarray", "numpy.ndarray", "ndarray"):
            self._error(annotation, f"`{written}` has no element type; write `DeviceArray[f32]`")
        elif written in self._scope.others:
            self._error(annotation, self._scope.why_not(written) or "")
        elif isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            self._error(annotation, f"a type in quotes; write `{annotation.value}` without them")
        elif written is None:
            self._error(annotation, f"{where} must be one of {_TYPES}")
        else:
            self._error(annotation, f"`{written}` is not a type; {where} must be one of {_TYPES}")
        return ""

    def _error(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword, message: str) -> None:
        self._diagnostics.error(node, message)

    def _decorator_arguments(self, call: ast.Call, result: Node) -> None:
        for argument in call.args:
            self._error(argument, "the decorator takes `block=` and `contract=` by name only")
        seen: set[str | None] = set()
        for keyword in call.keywords:
            if keyword.arg in seen:
                self._error(keyword, f"`{keyword.arg}=` is there twice; remove one")
            elif keyword.arg == "block":
                self._block(keyword.value, result)
            elif keyword.arg == "contract":
                self._contract(keyword.value, result)
            else:
                written = "**" if keyword.arg is None else f"{keyword.arg}="
                message = f"the decorator has no argument `{written}`; it has block, contract"
                if keyword.arg in _OF_LAUNCHES:
                    message += f", and a launch takes this one: k.configure({written}...)(...)"
                self._error(keyword, message)
            seen.add(keyword.arg)

    def _block(self, value: ast.expr, result: Node) -> None:
        if not isinstance(value, ast.Tuple):
            result["block"] = self._block_size(value)
        elif not 1 <= len(value.elts) <= _DIMENSIONS:
            self._error(value, "`block=` has one, two or three sizes, as in `block=(16, 16)`")
        else:
            result["block"] = [self._block_size(size) for size in value.elts]

    def _block_size(self, value: ast.expr) -> int:
        try:
            block = constants.fold(value, self._scope.known)
        except constants.FoldError as error:
            self._error(value, f"`block=` must be an integer known at compile time: {error}")
            return 1
        if isinstance(block, bool) or not isinstance(block, int) or block < 1:
            self._error(value, f"`block=` must be an integer of at least 1, not {block}")
            return 1
        return block

    def _contract(self, value: ast.expr, result: Node) -> None:
        if isinstance(value, ast.Constant) and isinstance(value.value, bool):
            result["contract"] = value.value
        else:
            self._error(value, "`contract=` must be True or False")

    def _refuse_other_parameters(
        self, kernel: ast.FunctionDef, why: str, allowed: Collection[ast.expr] = ()
    ) -> None:
        arguments = kernel.args
        seen: set[str] = set()
        for parameter in [*arguments.posonlyargs, *arguments.args]:
            if parameter.arg in seen:
                self._error(parameter, f"parameter `{parameter.arg}` is there twice; rename one")
            seen.add(parameter.arg)
        for default in [*arguments.defaults, *arguments.kw_defaults]:
            if default is not None and default not in allowed:
                self._error(default, f"default values are not allowed; {why}")
        if arguments.posonlyargs:
            self._error(
                arguments.posonlyargs[0],
                "positional-only parameters are not allowed; remove the `/`",
            )
        for parameter in arguments.kwonlyargs:
            self._error(
                parameter, f"keyword-only parameter `{parameter.arg}`; put it before the `*`"
            )
        if arguments.vararg is not None:
            self._error(arguments.vararg, "`*args` is not allowed; write each parameter")
        if arguments.kwarg is not None:
            self._error(arguments.kwarg, "`**kwargs` is not allowed; write each parameter")
        for parameter in getattr(kernel, "type_params", []):
            self._error(
                parameter, 'type parameters are not allowed; write T = TypeVar("T", f32, f64)'
            )

    def _type(self, annotation: ast.expr) -> Node:
        if isinstance(annotation, ast.Subscript):
            if self._scope.language_name(annotation.value) == names.DEVICE_ARRAY:
                return self._array_type(annotation)
            self._refuse_subscript(annotation)
            return {}
        if self._scope.language_name(annotation) == names.DEVICE_ARRAY:
            self._error(annotation, "`DeviceArray` needs an element type; write DeviceArray[f32]")
            return {}
        if self._is_constexpr(annotation):
            return {"kind": "constexpr"}
        where = "a parameter's type"
        return {"kind": "scalar", "type": self.scalar(annotation, where)}

    def _array_type(self, annotation: ast.Subscript) -> Node:
        element = annotation.slice
        rank = 1
        if isinstance(element, ast.Tuple):
            if len(element.elts) != 2:
                self._error(annotation, "an array has a type and a rank; write DeviceArray[f32, 2]")
                return {}
            rank = self._rank(element.elts[1])
            element = element.elts[0]
        scalar = self.scalar(element, "the element type")
        kind: Node = {"kind": "device_array", "element_type": {"kind": "scalar", "type": scalar}}
        if rank > 1:
            kind["rank"] = rank
        return kind

    def _rank(self, value: ast.expr) -> int:
        try:
            rank = constants.fold(signatures.rank_in(value), self._scope.known)
        except constants.FoldError:
            rank = -1
        if isinstance(rank, bool) or not isinstance(rank, int) or not 1 <= rank <= names.MAX_RANK:
            self._error(value, f"the rank of an array is a number from 1 to {names.MAX_RANK}")
            return 1
        return rank

    def _refuse_subscript(self, annotation: ast.Subscript) -> None:
        written = dotted_name(annotation.value) or "..."
        why = self._scope.why_not(written.partition(".")[0])
        self._error(annotation, why or f"`{written}[...]` is not a type; write DeviceArray[f32]")


def stands_for_several(kernel: ast.FunctionDef, scope: Scope) -> bool:
    """Has a parameter with a type variable, one known at compile time, or an optional array."""
    if definitions.optional_arrays(kernel, scope):
        return True
    pending: list[ast.AST] = [
        parameter.annotation
        for parameter in [*kernel.args.posonlyargs, *kernel.args.args]
        if parameter.annotation is not None
    ]
    while pending:
        node = pending.pop()
        name = scope.language_name(node)
        if name == names.CONSTEXPR or name in scope.type_variables:
            return True
        pending += children(node)
    return False


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
