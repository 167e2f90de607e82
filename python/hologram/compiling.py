"""Kernels for Python programs: compile, load, call. Used as `hologram.kernel`, `.compile`, `.load`.

    import hologram as hg

    @hg.kernel
    def scale(a: f32, x: DeviceArray[f32], n: u32): ...

    scale(2.0, x, len(x))              # x: NumPy array or anything with buffer protocol or DLPack
    scale[grid, block](2.0, x, len(x))

A kernel with type variables or compile-time parameters is a GenericKernel: hologram.generic.

A kernel is compiled when it is first used; with the compiler plugin to native code, else it runs in
the interpreter: `kernel.path` says which. Nothing here imports NumPy or starts a thread.
"""

from __future__ import annotations

import errno
import os
import re
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

from hologram import loaded
from hologram._native import (
    Bundle,
    Kernel,
    assemble,
    compile_circuit,
    compile_json,
    lazy_kernel,
)
from hologram.errors import ArgumentError, CompileError, NotFoundError
from hologram.frontend import document
from hologram.frontend.diagnostics import with_excerpts
from hologram.frontend.forms.definitions import variant_name
from hologram.frontend.json_writer import to_json
from hologram.frontend.source import Source
from hologram.functions import Function, names_around
from hologram.generic import GenericKernel, is_generic, text_of
from hologram.pickles import levels_of
from hologram.shaped import ShapedKernel, is_shaped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from hologram.bars import Line

Read = TypeVar("Read")
_PLACE = re.compile(r"(?P<file>.*?):(?P<line>\d+):(?P<column>\d+): error: (?P<message>.*)")


class LastLaunch(NamedTuple):
    """How the last launch of a kernel was run, of any thread (`kernel.last_launch`).

    A launch that runs inline, on the calling thread, leaves no record and needs none: the answer
    then is that of native code on one thread, which is also that of a kernel with native code that
    was not launched yet.
    """

    engine: str  # "cpu" (native code), "interpreter", "library"; "": nothing ran
    reason: str  # why it was not native code, or not the usual one, or why nothing ran
    threads: int  # upper bound
    checked: bool  # accesses were checked, as no proof covered the arguments
    condition: str  # what did not hold then, with values; "": not known


class _Doc:
    """The text of the class Kernel; of a kernel, that of the function that it was made from."""

    def __init__(self) -> None:
        self._of_class = Kernel.__doc__

    def __get__(self, kernel: Kernel | None, owner: type) -> str | None:
        function = getattr(kernel, "__wrapped__", None)
        return self._of_class if function is None else function.__doc__


Kernel.__doc__ = _Doc()  # type: ignore[assignment]


class Kernels:
    """The kernels of a bundle: `kernels.name` or `kernels["name"]`; iterating gives the names."""

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = bundle
        self._kernels: dict[str, Kernel] = {}

    def __getitem__(self, name: str) -> Kernel:
        """Raises NotFoundError (a LookupError)."""
        found = self._kernels.get(name)
        if found is None:
            # Threads that ask at once get the same.
            with _line(name):
                made = loaded.of(self.bundle.kernel(name))
                found = self._kernels.setdefault(name, made)
        return found

    def __getattr__(self, name: str) -> Kernel:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self[name]
        except NotFoundError as error:
            raise AttributeError(str(error)) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.bundle.names)

    def __len__(self) -> int:
        return len(self.bundle.names)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.bundle.names]

    def __repr__(self) -> str:
        return f"<hologram.Kernels: {', '.join(self.bundle.names)}>"

    def save(
        self, path: str | os.PathLike[str], *, native: Iterable[str] | str | None = None
    ) -> str:
        """Writes the bundle, and returns the trust hash that `load` takes as `expect`. `native`:
        with native code for these levels, `("v3", "v4")`, in place of what the bundle has; "all" is
        both of these, () is none. Raises UnsupportedError without the compiler plugin, and for a
        kernel that it does not compile."""
        bundle = self.bundle
        if native is not None:
            bundle = bundle.with_native(levels_of(native))
        temporary = f"{os.fspath(path)}.{os.getpid()}.tmp"
        file = open(temporary, "xb")  # noqa: SIM115 - what is not ours is not removed below
        try:
            with file:
                file.write(bundle.data)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
        return bundle.trust_hash


def load(
    path: str | os.PathLike[str], expect: str | None = None, *, tiered: bool = False
) -> Kernels:
    """Loads a .holo file. Its programs are verified; its native code is used only if `expect` is
    the file's trust hash (`hologram inspect` prints it). Without it they are compiled when they are
    first asked for; `tiered` as in compile(). Raises BundleError, CompileError and OSError."""
    with open(path, "rb") as file:
        return Kernels(Bundle(file.read(), expect, tiered))


@overload
def compile(
    source: Callable[..., object],
    *,
    entry: None = None,
    constants: Mapping[str, object] | None = None,
    tiered: bool = False,
) -> Kernel: ...
@overload
def compile(
    source: str | os.PathLike[str],
    *,
    entry: str | None = None,
    constants: Mapping[str, object] | None = None,
    tiered: bool = False,
) -> Kernels: ...
def compile(
    source: Callable[..., object] | str | os.PathLike[str],
    *,
    entry: str | None = None,
    constants: Mapping[str, object] | None = None,
    tiered: bool = False,
) -> Kernel | Kernels:
    """Compiles a kernel function, or the kernels of a file (.py, .json, .hasm, .circuit), or only
    `entry` of it.
    `constants` has the values of compile-time parameters and the types of type variables,
    `{"R": 3, "T": "f32"}`; a file without the latter gives a kernel for each type. With `tiered`
    a kernel is there at once and runs in the interpreter, with the same bits, until a thread has
    compiled it; a launch that would take longer so waits, as Kernel.wait() does. The source is
    read, never executed. Raises CompileError with all that is wrong."""
    chosen = [(name, text_of(value)) for name, value in (constants or {}).items()]
    if isinstance(source, GenericKernel) and not tiered:
        return source.instance(**(constants or {}))
    if callable(source):
        function = getattr(source, "_atlas_kernel", getattr(source, "__wrapped__", source))
        if getattr(function, "__code__", None) is None:
            raise CompileError(f"expected a Python function, found {function!r}")
        if is_shaped(function):
            shaped = _shaped(Function(function, names_around(1)), chosen, tiered)
            if not is_generic(function) or chosen:
                shaped.plain()
            return shaped  # type: ignore[return-value]
        if is_generic(function):
            found = Function(function, names_around(1))
            return _generic(found, tiered).instance(**(constants or {}))
        return _compile(Function(function, names_around(1)), chosen, tiered)
    path = os.fspath(source)
    if path.endswith((".hasm", ".circuit")):
        if chosen:
            raise ArgumentError(f"{path}: no kernel in it has compile-time parameters")
        text = _text_of(path)
        if path.endswith(".hasm"):
            return Kernels(Bundle(assemble(text, path, entry or ""), None, tiered))
        name = os.path.splitext(os.path.basename(path))[0]
        if entry not in (None, name):
            raise NotFoundError(f"{path} has no kernel {entry!r}: it is called {name!r}")
        return Kernels(Bundle(compile_circuit(text, name), None, tiered))
    json = _text_of(path) if path.endswith(".json") else _file_json(path, entry, chosen)
    data = _bundle(json, path, entry or "", chosen, lambda: Source(path, _text_of(path)))
    return Kernels(Bundle(data, None, tiered))


def asm(text: str, *, tiered: bool = False) -> Kernels:
    """The kernels of a text in assembly (docs/assembly.md), verified. `tiered`: as for compile().
    Raises CompileError with all that is wrong, each with line and column. Any thread."""
    return Kernels(Bundle(assemble(text, "<asm>"), None, tiered))


def _line(name: str) -> Line:
    """On a terminal, what takes so long."""
    from hologram import bars

    return bars.Line(f"compiling kernel '{name}'")


def _bundle(
    json: str,
    path: str,
    entry: str,
    chosen: list[tuple[str, str]],
    read: Callable[[], Source],
) -> bytes:
    """The kernels of a document; errors show the lines of what `read` gives."""
    try:
        return compile_json(json, path, entry, chosen)
    except CompileError as error:
        if not error.line or not path or path.endswith(".json"):
            raise
        text = with_excerpts(str(error), read())
        place = (error.message, error.file, error.line, error.column)
    raise CompileError(text, *place)


def _text_of(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def _compile(function: Function, chosen: list[tuple[str, str]], tiered: bool = False) -> Kernel:
    name = function.function.__name__
    with _line(name):
        json = _front_end(function.json)
        data = _bundle(json, function.path, name, chosen, function.source)
        return Bundle(data, None, tiered).kernel(name)


def _generic(function: Function, tiered: bool = False, name: str = "") -> GenericKernel:
    name = name or function.function.__name__

    def compile_instance(json: str, chosen: list[tuple[str, str]]) -> Kernel:
        with _line(name):
            data = _bundle(json, function.path, name, chosen, function.source)
            bundle = Bundle(data, None, tiered)
            return bundle.kernel(bundle.names[0])

    return GenericKernel(
        function.function, lambda: _front_end(function.json), compile_instance, name
    )


def _shaped(
    function: Function, chosen: list[tuple[str, str]], tiered: bool = False
) -> ShapedKernel:
    original = function.function

    def make(*absent: str) -> Kernel | GenericKernel:
        name = variant_name(original.__name__, list(absent))
        if is_generic(function.function) and not chosen:
            return _generic(function, tiered, name)
        with _line(name):
            data = _bundle(_front_end(function.json), function.path, name, chosen, function.source)
            bundle = Bundle(data, None, tiered)
            return bundle.kernel(bundle.names[0])

    return ShapedKernel(
        original.__name__, make, lambda: _front_end(function.parameters), loaded.of, original
    )


def _front_end(run: Callable[[], Read]) -> Read:
    try:
        return run()
    except document.CompileError as error:
        raise _readable(str(error)) from None


def _file_json(path: str, entry: str | None, chosen: list[tuple[str, str]]) -> str:
    """An error in one kernel does not hide those in the others."""
    if not os.path.exists(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    try:
        return document.compile_file(path, entry)
    except document.CompileError as error:
        text = str(error)
        if error.rest is not None:
            try:
                compile_json(to_json(error.rest), path, "", chosen)
            except CompileError as other:
                text += str(other)
        raise _readable(text) from None


def _readable(text: str) -> CompileError:
    text = text.rstrip("\n")
    place = _PLACE.match(text)
    if place is None:
        return CompileError(text.removeprefix("hologram: error: "))
    return CompileError(
        text, place["message"], place["file"], int(place["line"]), int(place["column"])
    )


@overload
def kernel(function: Callable[..., object], /) -> Kernel: ...
@overload
def kernel(
    *, block: int | tuple[int, ...] | None = None, contract: bool = False
) -> Callable[[Callable[..., object]], Kernel]: ...
def kernel(
    function: Callable[..., object] | None = None,
    /,
    *,
    block: int | tuple[int, ...] | None = None,  # read from the source, as is `contract`
    contract: bool = False,
) -> Any:
    """Makes a function a Kernel, compiled when it is first used: `@hg.kernel` or
    `@hg.kernel(block=128, contract=True)`. With type variables (`DeviceArray[T]`) or compile-time
    parameters (`R: constexpr`) it is a GenericKernel, compiled for what it is called with, which
    type checkers see as a Kernel."""

    def decorate(decorated: Callable[..., object]) -> Kernel | GenericKernel | ShapedKernel:
        return _decorated(decorated, names_around(1))

    return decorate if function is None else _decorated(function, names_around(1))


def _decorated(
    function: Callable[..., object], around: Mapping[str, object]
) -> Kernel | GenericKernel | ShapedKernel:
    function = getattr(function, "__func__", function)  # refused by name, as all of a class
    if getattr(function, "__code__", None) is None:
        raise CompileError(f"expected a Python function, found {function!r}")
    found = Function(function, around)
    if is_shaped(function):
        return _shaped(found, [])
    if is_generic(function):
        return _generic(found)
    return lazy_kernel(lambda: _compile(found, []), function)
