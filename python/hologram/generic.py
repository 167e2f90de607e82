"""Kernels that stand for several programs: type variables, and parameters known when compiling.

    T = TypeVar("T", f32, f64)

    @hg.kernel
    def blur(src: DeviceArray[T], dst: DeviceArray[T], n: u32, R: constexpr = 1): ...

    blur(src, dst, n)                    # T is the type of the arrays, R is 1
    blur(src, dst, n, R=3)               # compiled once for each T and R
    blur.instance(T="f64", R=3)          # that kernel by itself

A call binds its arguments as Python does, all parameters in their order or by name.
"""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any

from hologram import errors, lang, remembered
from hologram._native import element_type
from hologram.configured import (
    OF_ONE,
    Launcher,
    described,
    sum_of_counts,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hologram._native import Kernel

_WORD = re.compile(r"\w+")
# Attributes that instances have.
_OF_ONE = (*OF_ONE, "bundle", "id", "parameters", "path")


def is_generic(function: Callable[..., object]) -> bool:
    """Has a type variable or `constexpr` in its annotations. Nothing is evaluated: an annotation in
    quotes (or under `from __future__ import annotations`) is looked through for such names."""
    typing = sys.modules.get("typing")
    variable = typing.TypeVar if typing is not None else ()
    names = getattr(function, "__globals__", {})
    constexpr = lang.constexpr

    def counts(value: object) -> bool:
        if isinstance(value, str):
            words = _WORD.findall(value)
            return "constexpr" in words or any(counts_object(names.get(word)) for word in words)
        inner = getattr(value, "__args__", ())
        return counts_object(value) or any(counts_object(item) for item in inner)

    def counts_object(value: object) -> bool:
        return value is constexpr or isinstance(value, variable)

    return any(counts(value) for value in getattr(function, "__annotations__", {}).values())


class _Parameter:
    """A parameter as the kernel's file has it."""

    def __init__(self, row: dict[str, Any], variables: Mapping[str, list[str]]) -> None:
        kind = row["type"]
        self.name: str = row["name"]
        self.is_array = kind["kind"] == "device_array"
        self.is_constant = kind["kind"] == "constexpr"
        self.default: object = kind.get("default")
        written = kind["element_type"]["type"] if self.is_array else kind.get("type")
        self.variable: str | None = written if written in variables else None


class _Signature:
    """What the front end says of the kernel; read at the first call."""

    def __init__(self, document: str, name: str) -> None:
        read = json.loads(document)
        rows = next(kernel["params"] for kernel in read["kernels"] if kernel["name"] == name)
        known = {
            row["name"]: [item["type"] for item in row["types"]]
            for row in read.get("type_variables", [])
        }
        self.document = document
        self.parameters = [_Parameter(row, known) for row in rows]
        used = {parameter.variable for parameter in self.parameters}
        self.variables = {name: types for name, types in known.items() if name in used}
        self.constants = [p.name for p in self.parameters if p.is_constant]


class GenericKernel(Launcher):
    """A kernel that is compiled for the types of the arrays that it is called with, and for the
    values of its compile-time parameters. Made by `hg.kernel`; several threads may call it.

    A call launches the instance that fits the arguments. Raises hologram.Error."""

    def __init__(
        self,
        function: Callable[..., object],
        read: Callable[[], str],
        compile_instance: Callable[[str, list[tuple[str, str]]], Kernel],
        name: str = "",
    ) -> None:
        """`name`: of the kernel in the document, if that is not the function's."""
        self.__wrapped__ = function
        self.__name__ = name or function.__name__
        variant = self.__name__ != function.__name__
        self.__qualname__ = name if variant else function.__qualname__
        self.__annotations__ = function.__annotations__
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__
        super().__init__()
        self._read = read
        self._compile = compile_instance
        self._signature: _Signature | None = None
        self._instances: dict[tuple[tuple[str, ...], tuple[tuple[str, str], ...]], Kernel] = {}

    @property
    def name(self) -> str:
        """The kernel's name; instances have longer ones, `blur_f64_R3`."""
        return self.__name__

    def __repr__(self) -> str:
        found = [(kernel.name, kernel) for kernel in self._instances.values()]
        return described("GenericKernel", self.__name__, found)

    def _repr_html_(self) -> str:
        from hologram import display

        return display.html(self, list(self._instances.values()))

    def _shown(self) -> Kernel | None:
        """The instance, if there is one only."""
        return next(iter(self._instances.values())) if len(self._instances) == 1 else None

    @property
    def counts(self) -> dict[str, int]:
        """Launches so far, of all instances."""
        return sum_of_counts(self._instances.values())

    def __getattr__(self, name: str) -> object:
        """Of the instance, if there is one only."""
        if name not in _OF_ONE:
            raise AttributeError(f"'GenericKernel' object has no attribute '{name}'")
        if (one := self._shown()) is not None:
            return getattr(one, name)
        chosen, found = "T='f32'", "no instance yet; call it or choose one"
        for types, values in self._instances:
            choices = [f"{n}='{t}'" for n, t in zip(self._known().variables, types, strict=True)]
            chosen = ", ".join([*choices, *(f"{n}={v}" for n, v in values)])
            found = f"{', '.join(k.name for k in self._instances.values())}; choose one"
        raise AttributeError(
            f"kernel '{self.__name__}' has {found}, as in "
            f"{self.__name__}.instance({chosen}).{name}"
        )

    def __reduce__(self) -> str:
        return self.__name__  # by reference, as functions are

    def instance(self, **chosen: object) -> Kernel:
        """The kernel for these types and values, `k.instance(T="f32", R=3)`; a value that has a
        default may be left out."""
        signature = self._known()
        for name in chosen:
            if name not in signature.variables and name not in signature.constants:
                has = ", ".join((*signature.variables, *signature.constants))
                raise self._wrong(f"there is no '{name}' to choose; there is {has}")
        types = {}
        for name, choices in signature.variables.items():
            if name not in chosen:
                raise self._wrong(f"{name} is not chosen; write {name}='{choices[0]}'")
            types[name] = text_of(chosen[name])
        values = {name: chosen[name] for name in signature.constants if name in chosen}
        return self._instance(types, values)

    # ---- Binding

    def _known(self) -> _Signature:
        if self._signature is None:
            self._signature = _Signature(self._read(), self.__name__)
        return self._signature

    def _wrong(self, message: str) -> errors.ArgumentError:
        text = f"kernel '{self.__name__}': {message}"
        return errors.ArgumentError(text, text)

    def _bind(self, arguments: tuple[object, ...], named: dict[str, object]) -> dict[str, object]:
        """Arguments by parameter, as Python binds them."""
        parameters = self._known().parameters
        names = [parameter.name for parameter in parameters]
        if len(arguments) > len(names):
            expected = ", ".join(names)
            raise self._wrong(f"expects at most {expected}, found {len(arguments)} arguments")
        bound = dict(zip(names, arguments, strict=False))
        for name, value in named.items():
            if name not in names:
                raise self._wrong(f"there is no parameter '{name}'")
            if name in bound:
                raise self._wrong(f"given twice: '{name}'")
            bound[name] = value
        for parameter in parameters:
            if parameter.name in bound:
                continue
            if not parameter.is_constant:
                raise self._wrong(f"'{parameter.name}' is missing")
            if parameter.default is None:
                raise self._wrong(
                    f"'{parameter.name}' is known when compiling and has no default; give it, "
                    f"{self.__name__}(..., {parameter.name}=...)"
                )
        return bound

    def _types(self, bound: dict[str, object]) -> dict[str, str]:
        """What the type variables are: the types of the arrays."""
        signature = self._known()
        types: dict[str, str] = {}
        where: dict[str, str] = {}
        for parameter in signature.parameters:
            variable, name = parameter.variable, parameter.name
            if variable is None or not parameter.is_array:
                continue
            found = self._element_type(name, bound[name])
            if variable not in types:
                choices = signature.variables[variable]
                if found not in choices:
                    raise self._wrong(f"'{name}' is {found}; {variable} is {_either(choices)}")
                types[variable], where[variable] = found, name
            elif types[variable] != found:
                raise self._wrong(
                    f"{variable} is {types[variable]} in '{where[variable]}' and {found} in "
                    f"'{name}'; pass arrays of one type"
                )
        for variable in signature.variables:
            if variable not in types:
                choice = signature.variables[variable][0]
                raise self._wrong(
                    f"no array determines {variable}; choose it, "
                    f"{self.__name__}.instance({variable}='{choice}')(...)"
                )
        return types

    def _element_type(self, name: str, array: object) -> str:
        try:
            found = element_type(array)
        except Exception as error:
            raise errors.argument_error(self.__name__, name, error) from None
        if found is None:
            raise self._wrong(f"'{name}' expects an array, found {array!r}")
        return found

    def _choose(
        self, arguments: tuple[object, ...], named: dict[str, object]
    ) -> tuple[Kernel, dict[str, object], tuple[remembered.Place, ...] | None]:
        bound = self._bind(arguments, named)
        places = self._places(bound)
        constants = self._known().constants
        values = {name: bound.pop(name) for name in constants if name in bound}
        return self._instance(self._types(bound), values), bound, places

    def _places(self, bound: dict[str, object]) -> tuple[remembered.Place, ...] | None:
        """None if a compile-time value is not an int."""
        places = []
        for parameter in self._known().parameters:
            value = bound.get(parameter.name, parameter.default)
            if not parameter.is_constant:
                places.append(remembered.plain(parameter.name))
            elif type(value) is int:
                places.append(remembered.constant(parameter.name, value, parameter.default))
            else:
                return None
        return tuple(places)

    def _instance(self, types: dict[str, str], values: dict[str, object]) -> Kernel:
        texts = {name: self._text(name, value) for name, value in values.items()}
        key = (tuple(types.values()), tuple(sorted(texts.items())))
        known = self._instances.get(key)
        if known is None:
            chosen = [*types.items(), *texts.items()]
            # Threads that ask at once get the same.
            made = self._compile(self._known().document, chosen)
            known = self._instances.setdefault(key, made)
        return known

    def _text(self, name: str, value: object) -> str:
        """A compile-time value as the compiler reads it."""
        plain = _plain(value)
        if not isinstance(plain, (bool, int, float)):
            raise self._wrong(f"'{name}' is a number known when compiling, found {value!r}")
        return repr(plain)


def _plain(value: object) -> object:
    """A NumPy number as the Python number that it is."""
    numpy = sys.modules.get("numpy")
    return value.item() if numpy is not None and isinstance(value, numpy.generic) else value


def text_of(chosen: object) -> str:
    """A number, or a type: `f32` of hologram.lang, its name, a NumPy type."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(chosen, (type, numpy.dtype)):
        found = element_type(numpy.zeros(1, chosen))
        return found if found is not None else repr(chosen)
    return chosen if isinstance(chosen, str) else repr(_plain(chosen))


def _either(choices: list[str]) -> str:
    *most, last = choices
    return f"{', '.join(most)} or {last}" if most else last
