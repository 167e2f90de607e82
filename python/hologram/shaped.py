"""Kernels whose arguments are more than numbers and arrays of them, or have defaults.

    @hg.kernel
    def move(x: DeviceArray[vec3], mask: DeviceArray[f32] | None, by: vec3, s: f32 = 1.0): ...

    move(x, None, (0.0, 0.0, 1.0))       # x: NumPy array of shape (n, 3)

A call takes the arguments apart (hologram.functions.arguments) and launches the compiled kernel,
which has plain parameters: `by_x`, `by_y`, `by_z`. Each choice of optional arrays is a kernel of
its own, compiled when it is first called.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from hologram import errors, lang
from hologram.configured import OF_ONE, Launcher, sum_of_counts
from hologram.frontend.names import FORM_TYPES
from hologram.functions.arguments import flat, places
from hologram.functions.structs import is_struct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from hologram.frontend.forms.definitions import Parameter
    from hologram.remembered import Place

_WORD = re.compile(r"\w+")
_VALUES = frozenset(id(getattr(lang, name)) for name in FORM_TYPES)


def is_shaped(function: Callable[..., object]) -> bool:
    """Whether an annotation or a default value asks for a ShapedKernel; nothing is evaluated."""
    annotations = getattr(function, "__annotations__", {})
    if any(_has_default(function, annotation, name) for name, annotation in annotations.items()):
        return True
    names = getattr(function, "__globals__", {})

    def counts(value: object) -> bool:
        if isinstance(value, str):
            words = _WORD.findall(value)
            return (
                "None" in words
                or "Optional" in words
                or any(word in FORM_TYPES or counts_object(names.get(word)) for word in words)
            )
        inner = getattr(value, "__args__", ())
        return counts_object(value) or any(counts(item) for item in inner)

    def counts_object(value: object) -> bool:
        return value is type(None) or id(value) in _VALUES or is_struct(value)

    return any(counts(value) for name, value in annotations.items() if name != "return")


def _has_default(function: Any, annotation: object, name: str) -> bool:
    """Of a parameter that is an argument of the launch."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    defaults = function.__defaults__ or ()
    behind = names[len(names) - len(defaults) :]
    keyword = function.__kwdefaults__ or {}
    known = annotation is lang.constexpr or "constexpr" in str(annotation)
    return (name in behind or name in keyword) and not known


class ShapedKernel(Launcher):
    """A kernel that takes its arguments apart. Made by `hg.kernel`; several threads may call it.

    A call launches the kernel. Raises hologram.Error."""

    def __init__(
        self,
        name: str,
        make: Callable[..., Any],
        read_parameters: Callable[[], list[Parameter]],
        wrapped: Callable[[Any], Any],
        function: Callable[..., object] | None = None,
    ) -> None:
        """`make` gives the plain kernel without the optional arrays that it gets the names of;
        `read_parameters` raises CompileError as it does. `wrapped` makes a
        kernel like this one of the plain one. `function`: None for a kernel that was loaded."""
        self.__name__ = self.__qualname__ = name
        if function is not None:
            self.__wrapped__ = function
            self.__qualname__ = function.__qualname__
            self.__annotations__ = function.__annotations__
            self.__doc__ = function.__doc__
            self.__module__ = function.__module__
        super().__init__()
        self._make = make
        self._read_parameters = read_parameters
        self._wrapped = wrapped
        self._parameters: list[Parameter] | None = None
        self._kernels: dict[tuple[str, ...], Any] = {}
        self._last: Any = None  # the one of them that was called last

    @property
    def name(self) -> str:
        return self.__name__

    def __repr__(self) -> str:
        found = self._shown()
        if found is None:
            return f"<hologram.ShapedKernel {self.__name__}{errors.NOT_COMPILED}>"
        as_name = "" if found.name == self.__name__ else f", as {found.name}"
        state = repr(found).removesuffix(">").partition(found.name)[2]
        return f"<hologram.ShapedKernel {self.__name__}{as_name}{state}>"

    def _repr_html_(self) -> str:
        from hologram import display

        return display.html(self)

    def _shown(self) -> Any:
        """The kernel that was called last. Before a call, one that is there already."""
        if self._last is None and not hasattr(self, "__wrapped__"):
            return self.plain()
        return self._last or next(iter(self._kernels.values()), None)

    @property
    def counts(self) -> dict[str, int]:
        """Launches so far, of all choices of optional arrays."""
        return sum_of_counts(self._kernels.values())

    def __reduce__(self) -> str | tuple[Callable[..., object], tuple[object]]:
        if hasattr(self, "__wrapped__"):
            return self.__name__  # by reference, as functions are
        return self._wrapped, (self.plain(),)

    def __getattr__(self, name: str) -> Any:
        """What depends on the compiled code, of the kernel that was called last; before a call, and
        the rest at any time, of the one with all its arrays."""
        if name.startswith("_"):
            raise AttributeError(name)
        last = self._last if name == "path" or name in OF_ONE else None
        return getattr(last or self.plain(), name)

    def plain(self, *absent: str) -> Any:
        """The compiled kernel, without the optional arrays that are named."""
        if absent not in self._kernels:
            self._kernels.setdefault(absent, self._make(*absent))
        return self._kernels[absent]

    def portable(self, native: Iterable[str] | str = "all") -> Any:
        """`Kernel.portable` of the kernel with all its arrays, which takes the same arguments."""
        return self._wrapped(self.plain().portable(native))

    def _choose(
        self, arguments: tuple[object, ...], named: dict[str, object]
    ) -> tuple[Any, dict[str, object], tuple[Place, ...] | None]:
        given = self._bound(arguments, named)
        kernel, plain, absent = self._flat(given)
        assert self._parameters is not None
        return kernel, plain, places(self._parameters, given, absent)

    def _bound(
        self, arguments: tuple[object, ...], named: Mapping[str, object]
    ) -> dict[str, object]:
        """Arguments by parameter."""
        if self._parameters is None:
            self._parameters = self._read_parameters()
        names = [parameter.name for parameter in self._parameters]
        if len(arguments) > len(names):
            raise self._wrong(f"expects {', '.join(names)}, found {len(arguments)} arguments")
        given = dict(zip(names, arguments, strict=False))
        for name, value in named.items():
            if name not in names:
                raise self._wrong(f"there is no parameter '{name}'")
            if name in given:
                raise self._wrong(f"given twice: '{name}'")
            given[name] = value
        return given

    def _flat(self, given: Mapping[str, object]) -> tuple[Any, dict[str, object], list[str]]:
        """The compiled kernel, its arguments, and the optional arrays that are not there."""
        assert self._parameters is not None
        try:
            plain, absent = flat(self._parameters, given, self.__name__)
        except ValueError as error:
            raise self._wrong(str(error)) from None
        self._last = kernel = self.plain(*absent)
        return kernel, plain, absent

    def _wrong(self, message: str) -> errors.ArgumentError:
        text = f"kernel '{self.__name__}': {message}"
        return errors.ArgumentError(text, text)
