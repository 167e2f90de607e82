"""What the names of a function mean: closure, module and builtins, looked up as Python does.

Each name gets its meaning when the front end first looks it up. Numbers become literals, functions
marked with `@inline` helpers with a scope of their own, names of hologram.lang what they are under
whatever name; anything else is an error that says what the name is.
"""

from __future__ import annotations

import builtins
import re
import sys
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from hologram import lang
from hologram.frontend import constants, document, foreign, names
from hologram.frontend.diagnostics import Diagnostics
from hologram.frontend.foreign import called, made
from hologram.frontend.forms import tables
from hologram.frontend.forms.shapes import Struct
from hologram.frontend.forms.signatures import Alias, moved
from hologram.frontend.scope import Link, Scope, TypeVariable
from hologram.frontend.syntax_tree import ast
from hologram.functions import structs, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hologram.frontend.foreign.temporaries import Temporary
    from hologram.frontend.foreign.types import Type
    from hologram.frontend.source import Source

    Typed = tuple[list[Type] | None, str | None]

_KERNELS = ("Kernel", "GenericKernel", "ShapedKernel")
_MISSING = object()
# By identity; numbers (`inf`) are just numbers. Of two names of one function, `exp` and `expf`, the
# shorter one.
_LANGUAGE = {
    id(getattr(lang, name)): name
    for name in sorted(names.LANGUAGE, key=lambda name: -len(name))
    if callable(getattr(lang, name))
}


def is_usable(value: object) -> bool:
    """Whether a name of this value can mean something to a kernel."""
    return (
        isinstance(value, (int, float, complex, ModuleType, FunctionType, tuple, list))
        or _of_module(value) is not None
        or structs.is_struct(value)
        or structs.is_struct(type(value))
        or hasattr(value, "__array_interface__")
        or of_numba(value) is not None
        or id(value) in _LANGUAGE
        or type(value).__name__ == names.TYPE_VARIABLE
    )


def scope_of(
    function: Any,
    source: Source,
    diagnostics: Diagnostics,
    around: Mapping[str, object],
    link: Link | None = None,
) -> Scope:
    """The scope in which a function was defined."""
    scope = Scope(source, diagnostics, link)
    scope.find = _Namespace(scope, function, around).find
    return scope


class _Namespace:
    """Names as one function sees them."""

    def __init__(self, scope: Scope, function: Any, around: Mapping[str, object]) -> None:
        self._scope = scope
        self._function = function
        self._around = around

    def find(self, dotted: str) -> None:
        """Of Scope.touch: once for each name."""
        head, *rest = dotted.split(".")
        try:
            value = self._value(head)
        except ValueError:  # an empty cell
            self._scope.others[head] = "a variable of a function around it that has no value yet"
            return
        for number, name in enumerate(rest):
            if isinstance(value, type) and _number(getattr(value, name, None)) is not None:
                value = getattr(value, name)  # of an enumeration, or of a class for constants
                continue
            if not isinstance(value, ModuleType) or _is_language(value):
                return
            found = getattr(value, name, _MISSING)
            if found is _MISSING and number == len(rest) - 1:
                what = f"not there: the module `{value.__name__}` has no name `{name}`"
                self._scope.others[dotted] = what
            value = found
        # A kernel may be called like a function of the language, which it cannot be called as.
        if value is not _MISSING and not (dotted in names.FUNCTIONS and _is_kernel(value)):
            if (own := _name_in_module(value)) is not None:
                self._scope.named[dotted] = own
            self._bind(dotted, value)

    def _value(self, name: str) -> object:
        function = self._function
        if name in function.__code__.co_freevars:
            cell = function.__closure__[function.__code__.co_freevars.index(name)]
            return cell.cell_contents
        if name in self._around and name not in function.__code__.co_names:
            return self._around[name]
        if name in function.__globals__:
            return function.__globals__[name]
        found = getattr(builtins, name, _MISSING)
        # The language has some of them, and other names of the language need no import.
        return _MISSING if name in names.LANGUAGE or name in names.SCALAR_ALIASES else found

    def _bind(self, name: str, value: object) -> None:
        scope = self._scope
        number = _number(value)
        if id(value) in _LANGUAGE:
            written = name.rpartition(".")[2]
            same = written in names.LANGUAGE and getattr(lang, written) is value
            scope.aliases[name] = names.language_function(written if same else _LANGUAGE[id(value)])
        elif _is_decorator(value):
            scope.aliases[name] = "kernel"
        elif number is not None:
            self._bind_number(name, number)
        elif (meaning := _of_module(value)) is not None:
            scope.aliases[name] = meaning
        elif (scalar := _scalar_of_numba(value)) is not None:
            scope.aliases[name] = scalar
        elif isinstance(value, ModuleType):
            if _is_language(value):
                scope.modules[name] = value.__name__
                scope.bind_values(name, value.__name__)
            else:
                scope.others[name] = f"the module `{value.__name__}`"
        elif type(value).__name__ == names.TYPE_VARIABLE:
            self._bind_type_variable(name, value)
        elif isinstance(helper_of(value), FunctionType):
            self._bind_function(name, value)
        elif structs.is_struct(value):
            self._bind_struct(name, value)
        elif (built := structs.made(value, _LANGUAGE)) is not None:
            scope.forms[name] = built
        elif (table := tables.of_object(value, name)) is not None:
            scope.forms[name] = table
        elif (alias := _annotation(value)) is not None:
            scope.forms[name] = Alias(alias, scope)
        elif getattr(builtins, name, _MISSING) is not value:
            scope.others[name] = _described(name, value)

    def _bind_struct(self, name: str, value: Any) -> None:
        found = structs.of_class(value, _LANGUAGE)
        if isinstance(found, Struct):
            self._scope.forms[name] = found
        else:
            self._scope.others[name] = found

    def _bind_function(self, name: str, value: object) -> None:
        self._bind_helper(name, helper_of(value), of_numba(value))
        if id(value) in ufuncs and name in self._scope.helpers:
            self._scope.helpers[name].ranks = ufuncs[id(value)][2]
        if type(value).__name__ == "StencilFunc":
            self._bind_stencil(name, value)

    def _bind_number(self, name: str, number: int | float) -> None:
        try:
            self._scope.values[name] = constants.check_range(number) if number == number else number
        except constants.FoldError as error:
            if isinstance(number, float):
                self._scope.values[name] = number  # an infinity
            else:
                self._scope.others[name] = f"no number of the language: {error}"

    def _bind_helper(self, name: str, function: Any, of_numba: Typed | None) -> None:
        link = self._scope.link
        known = link.functions.get(id(function))  # the scope keeps the function
        if known is not None:
            self._scope.helpers[name] = known
            return
        try:
            source, node = text.read(function, text.of(function), link.trees)
        except document.CompileError as error:
            why = str(error).removeprefix("hologram: error: ").rstrip("\n").splitlines()[0]
            self._scope.others[name] = f"a helper that cannot be read; {why}"
            return
        inner = scope_of(function, source, Diagnostics(source), {}, link)
        known = link.functions[id(function)] = link.helper(node, inner)
        if of_numba is not None:
            known.pristine = called.tree_copied(node)
            is_outer = of_numba[0] is not None
            foreign.adopt(node, *of_numba, inner, [] if is_outer else None)
        self._scope.helpers[name] = known

    def _bind_stencil(self, name: str, value: Any) -> None:
        """Of `numba.stencil`: its function at an index, where the neighbours are literals."""
        known = self._scope.helpers.pop(name, None)
        if known is None:
            return
        options = getattr(value, "options", {})
        border = getattr(value, "mode", ""), options.get("cval", 0)
        if border[0] == "constant" and set(options) <= {"cval"} and known.pristine is not None:
            if known.border is None:
                ends = made.relative(known.pristine)
                known.border = None if ends is None else (*ends, border[1])
            if known.border is not None:
                self._scope.helpers[name] = known
                return
        self._scope.others[name] = (
            "a stencil of Numba's with more than neighbours at literal indices"
        )

    def _bind_type_variable(self, name: str, value: Any) -> None:
        types = [_LANGUAGE.get(id(item), "") for item in value.__constraints__]
        scalars = [names.canonical_scalar(item) or "" for item in types]
        if not scalars or "" in scalars:
            example = f'write {name} = TypeVar("{name}", f32, f64)'
            self._scope.others[name] = f"a type variable without element types; {example}"
            return
        self._scope.type_variables[name] = TypeVariable(None, value.__name__, scalars)


def temporaries(helper: Any, function: FunctionType) -> list[Temporary]:
    """The arrays that a function for Numba makes for itself, for the types of its parameters."""
    found: list[Temporary] = []
    source, node = text.read(function, text.of(function), {})
    scope = scope_of(function, source, Diagnostics(source), {}, None)
    kinds, result = helper._of_numba
    foreign.adopt(called.tree_copied(node), kinds, result, scope, found)
    return found


def _annotation(value: Any) -> ast.expr | None:
    """`DeviceArray[f32]` as an object."""
    if getattr(value, "__origin__", None) is not lang.DeviceArray:
        return None
    items: list[ast.expr] = []
    for item in value.__args__:
        if str(getattr(item, "__origin__", "")).endswith("typing.Literal"):
            item = item.__args__[0]  # noqa: PLW2901 - of DeviceArray[f32, Literal[2]]
        written = _LANGUAGE.get(id(item), getattr(item, "__name__", ""))
        items.append(ast.Constant(item) if isinstance(item, int) else ast.Name(written, ast.Load()))
    inner = items[0] if len(items) == 1 else ast.Tuple(items, ast.Load())
    at = ast.Name("DeviceArray", ast.Load(), lineno=1, col_offset=0)
    return moved(ast.Subscript(at, inner, ast.Load()), at)


# Objects of numpy.ufunc that hold no attributes, by id: the functions that they were made of, and
# the dimensions of the arguments of these.
ufuncs: dict[int, tuple[object, FunctionType, list[int]]] = {}


def helper_of(value: object) -> object:
    """The function that `@inline`, or `numba.njit`, marked, or `hg.vectorize` compiled."""
    if id(value) in ufuncs:
        return ufuncs[id(value)][1]
    if type(value).__name__ == "Vectorized":
        return getattr(value, "__wrapped__", None)
    if _is_dispatcher(value):
        return getattr(value, "py_func", None)
    if type(value).__name__ == "StencilFunc":
        return getattr(getattr(getattr(value, "kernel_ir", None), "func_id", None), "func", None)
    return getattr(value, "_atlas_helper", None)


def of_numba(value: object) -> Typed | None:
    """Of a helper that is written for Numba, by `numba.njit`, `hg.vectorize` or `hg.guvectorize`,
    the types of its parameters and of its result, where they are known."""
    is_made = id(value) in ufuncs or type(value).__name__ in ("Vectorized", "StencilFunc")
    if is_made or _is_dispatcher(value):
        return None, None
    known: Typed | None = getattr(value, "_of_numba", None)
    return known


def _scalar_of_numba(value: object) -> str | None:
    """`numba.float64` is `f64`."""
    if type(value).__module__.partition(".")[0] != "numba":
        return None
    found = re.fullmatch(r"(int|uint|float)(\d+)", str(value))
    scalar = f"{found[1][0]}{found[2]}" if found else str(value)
    return scalar if scalar in names.SCALARS else None


def _is_dispatcher(value: object) -> bool:
    return type(value).__module__.partition(".")[0] == "numba" and hasattr(value, "py_func")


def _is_language(module: ModuleType) -> bool:
    return module.__name__ in names.LANGUAGE_MODULES or module.__name__ == names.PACKAGE


def _of_module(value: object) -> str | None:
    """The function of the language that one of `math` or NumPy is."""
    # A kernel is none; its attributes would compile it, which may be what happens just now.
    if not callable(value) or type(value).__name__ in _KERNELS:
        return None
    for module, functions in names.MODULE_FUNCTIONS.items():
        loaded = sys.modules.get(module)
        name = getattr(value, "__name__", "")
        meaning = functions.get(name)
        if loaded is not None and meaning and getattr(loaded, name, None) is value:
            return meaning
    return None


def _name_in_module(value: object) -> str | None:
    """`numpy.linalg.norm` of this function."""
    name = getattr(value, "__name__", "") if callable(value) else ""
    if not isinstance(name, str) or not name or type(value).__name__ in _KERNELS:
        return None
    for module in ("numpy", "numpy.linalg", "math"):
        if getattr(sys.modules.get(module), name, _MISSING) is value:
            return f"{module}.{name}"
    return None


def _is_decorator(value: object) -> bool:
    """`hologram.kernel`"""
    is_function = isinstance(value, FunctionType) and value.__name__ == "kernel"
    return is_function and getattr(value, "__module__", "") == "hologram.compiling"


def _is_kernel(value: object) -> bool:
    """Decorated, or a function of arrays, as in a kernel file."""
    if hasattr(value, "_atlas_kernel") or type(value).__name__ in _KERNELS:
        return True
    annotations = getattr(value, "__annotations__", {}) if isinstance(value, FunctionType) else {}
    return any(
        getattr(annotation, "__origin__", annotation) is lang.DeviceArray
        or (isinstance(annotation, str) and names.DEVICE_ARRAY in annotation)
        for annotation in annotations.values()
    )


def _number(value: object) -> int | float | None:
    """The Python number of a number; NumPy's are such numbers too."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        value = value.item()
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    return float(value) if isinstance(value, float) else None


def _described(name: str, value: object) -> str:
    if hasattr(value, "__array_interface__") or hasattr(value, "__dlpack__"):
        return f"an array; give the kernel a parameter, `{name}: DeviceArray[f32]`, and pass it"
    if _is_kernel(value):
        return "a kernel; a kernel cannot call a kernel, launch one after the other"
    if isinstance(value, FunctionType):
        place = f"{value.__code__.co_filename}:{value.__code__.co_firstlineno}"
        return f"a Python function ({place}); write `@inline` above its `def`"
    if isinstance(value, type):
        return f"a class, `{value.__qualname__}`"
    module = getattr(value, "__module__", None) or type(value).__module__
    if callable(value):
        hint = f"; write `from hologram.lang import {name}`" if name in names.FUNCTIONS else ""
        return f"a function of the module `{module}`{hint}"
    return f"of type {type(value).__name__}"
