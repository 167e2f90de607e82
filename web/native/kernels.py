"""Bundles and kernels of hologram._native, run by the interpreter of the page."""

from __future__ import annotations

import ctypes
import json
import re
import sys
from typing import Any

import hologram_page

from hologram._native.arguments import array, number, sizes_of
from hologram._native.bridge import number_of, refused, text_of, unsupported

_PATH = "interpreter"
# Of a printed line, which the binding does not write.
_PLACE = re.compile(r"^[^\n]*?:\d+: \[block [^\]\n]*\] ", re.MULTILINE)


def _warn(rows: str) -> None:
    from hologram import errors

    for row in json.loads(rows):
        errors.warn_of_source(row["message"], row["file"], row["line"])


def _bundle_of(form: str, text: str, file: str, entry: str, constants: Any = ()) -> bytes:
    request = {"form": form, "text": text, "file": file, "entry": entry, "constants": constants}
    reply = hologram_page.call("bundle", json.dumps(request))
    if reply.failed:
        raise refused(reply.text)
    _warn(reply.text)
    return reply.bytes.to_bytes()


def compile_json(json: str, file: str, entry: str = "", constants: Any = ()) -> bytes:
    return _bundle_of("json", json, file, entry, list(constants))


def compile_circuit(text: str, name: str) -> bytes:
    return _bundle_of("circuit", text, "", name)


def assemble(text: str, file: str, entry: str = "") -> bytes:
    return _bundle_of("asm", text, file, entry)


def canonical_circuit(text: str) -> tuple[str, list[int]]:
    found = json.loads(text_of("canonical", text=text))
    return found["circuit"], found["numbers"]


class Bundle:
    """The kernels of a file; each is verified when it is first asked for."""

    def __init__(self, data: bytes, expect: str | None = None, tiered: bool = False) -> None:
        self.data, self.expect = data, expect
        memory = ctypes.create_string_buffer(data, len(data))
        place = ctypes.addressof(memory)
        self._number, about = number_of("open", address=place, size=len(data))
        self.names: list[str] = about["names"]
        self.trust_hash: str = about["trust_hash"]
        if expect is not None and expect != self.trust_hash:
            from hologram.errors import BundleError

            raise BundleError(f"the trust hash is {self.trust_hash}, expected {expect}")

    def __del__(self) -> None:
        if hasattr(self, "_number"):
            hologram_page.call("close", json.dumps({"bundle": self._number}))

    def kernel(self, name: str) -> Kernel:
        module, about = number_of("find", bundle=self._number, name=name)
        return Kernel(_Found(module, about, self))

    def with_native(self, levels: Any) -> Bundle:
        from hologram.errors import UnsupportedError

        if not levels:
            return self
        raise UnsupportedError("a page has no compiler of native code")


class Registry:
    """The standard library: its bundle is a file of the package, without native code, so that there
    is nothing to trust."""

    def __init__(self, only_added: bool = False) -> None:
        self._bundle: Bundle | None = None
        self._classes: Any = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise unsupported(f"Executor.{name}")

    @property
    def _memory(self) -> Any:
        from hologram._native.buffers import Classes

        self._classes = self._classes or Classes()
        return self._classes

    def allocate_boundary(self, class_index: Any, width: int, height: int, dtype: str) -> Any:
        return self._memory.allocate(class_index, width, height, dtype)

    num_free_classes = property(lambda self: self._memory.num_free_classes)

    def load_standard(self, expect: str) -> None:
        import pathlib

        import hologram

        self._bundle = Bundle(pathlib.Path(hologram.__file__).with_name("stdlib.holo").read_bytes())

    def trust(self, _: str) -> None:
        pass

    def _opened(self) -> Bundle:
        if self._bundle is None:
            self.load_standard("")
        assert self._bundle is not None
        return self._bundle

    def kernel(self, name: str) -> Kernel:
        return self._opened().kernel(name)

    def list(self) -> tuple[list[tuple[str, str, str, str, None]], list[str]]:
        return [(name, "", "built-in", "", None) for name in self._opened().names], []


class _Found:
    """A kernel of a bundle, as the module has it."""

    def __init__(self, module: int, about: dict[str, Any], bundle: Bundle) -> None:
        signature = about["signature"]
        self.module, self.bundle = module, bundle
        self.id, self.arguments = about["id"], about["arguments"]
        self.name: str = signature["name"]
        self.uses_stream: bool = about["uses_stream"]
        self.block: int = signature["block"]
        self.rows: list[dict[str, Any]] = signature["parameters"]
        self.counts = {"native": 0, "interpreted": 0, "guarded": 0}
        self.last: dict[str, Any] = {}

    def __del__(self) -> None:
        hologram_page.call("release", json.dumps({"module": self.module}))


class Kernel:
    """A kernel that is ready to run."""

    def __init__(self, found: _Found | None, make: Any = None, function: Any = None) -> None:
        self._made, self._make = found, make
        self._function = function
        self._grid: list[int] = []
        self._block: list[int] = []
        self._deterministic = True
        self._budget = 0

    @property
    def _found(self) -> _Found:
        if self._made is None:
            self._made = self._make()._found
        return self._made

    def _copy(self) -> Kernel:
        other = Kernel(self._found, None, self._function)
        other._grid, other._block = self._grid, self._block
        other._deterministic, other._budget = self._deterministic, self._budget
        return other

    def __repr__(self) -> str:
        if self._made is None:
            return f"<hologram.Kernel {self._function.__name__}: compiled when it is first called>"
        return f"<hologram.Kernel {self._found.name}: {_PATH}>"

    name = property(lambda self: self._found.name)
    __name__ = property(lambda self: self._found.name)
    id = property(lambda self: self._found.id)
    bundle = property(lambda self: self._found.bundle)
    path = property(lambda self: self._found.bundle and _PATH)
    counts = property(lambda self: dict(self._found.counts))
    _arguments = property(lambda self: self._found.arguments)

    @property
    def __wrapped__(self) -> Any:
        if self._function is None:
            raise AttributeError("this kernel was loaded, there is no function")
        return self._function

    @property
    def parameters(self) -> tuple[tuple[str, str, str, str], ...]:
        return tuple(
            (row["name"], "array" if row["buffer"] else "scalar", row["type"], row["direction"])
            for row in self._found.rows
        )

    @property
    def last_launch(self) -> Any:
        from hologram.compiling import LastLaunch

        last = self._found.last
        if not last:
            return LastLaunch("", "it was not launched yet", 0, False, "")
        ran = last["engine"], last["reason"], 1, last["checked"], last["condition"]
        return LastLaunch(*ran)

    def wait(self) -> None:
        _ = self._found

    def explain(self, level: str | None = None) -> str:
        return text_of("view", module=self._found.module, form="explain")

    def asm(self, level: str | None = None) -> str:
        return text_of("view", module=self._found.module, form="asm")

    def __getitem__(self, key: Any) -> Kernel:
        from hologram.errors import GRID_OR_BOTH

        pair = key if isinstance(key, tuple) else (key, None)
        if len(pair) != 2:
            raise TypeError(GRID_OR_BOTH)
        return self.configure(grid=pair[0], block=pair[1])

    def configure(  # noqa: PLR0913
        self,
        *,
        grid: Any = None,
        block: Any = None,
        budget: int | None = None,
        backend: str = "auto",
        deterministic: bool = True,
        threads: int | None = None,
        class_base: int | None = None,
    ) -> Kernel:
        if backend not in ("auto", "interpreter") or class_base is not None:
            from hologram.errors import UnsupportedError

            raise UnsupportedError(f"kernel '{self.name}': a page has the interpreter alone")
        made = self._copy()
        if grid is not None:
            made._grid = sizes_of("grid", grid)
        if block is not None:
            made._block = sizes_of("block", block)
        made._deterministic = deterministic
        made._budget = budget or made._budget
        return made

    def __call__(self, *arguments: Any, **named: Any) -> None:
        rows = self._found.rows
        if len(arguments) + len(named) != len(rows):
            names = ", ".join(row["name"] for row in rows)
            count = len(arguments) + len(named)
            raise TypeError(
                f"kernel '{self.name}' expects {len(rows)} arguments ({names}), found {count}"
            )
        values = [*arguments, *(named[row["name"]] for row in rows[len(arguments) :])]
        self._launch(values, *self._shape())

    def _shape(self) -> tuple[list[int], list[int]]:
        """Grid and block of a launch; zeros: by default."""
        grid, block = self._grid, self._block
        if grid and not block:
            block = [self._found.block, 1, 1]
        return grid or [0, 0, 0], block or [0, 0, 0]

    def _launch(self, values: Any, grid: list[int], block: list[int]) -> None:
        if self._found.uses_stream:
            raise unsupported(
                f"kernel '{self.name}': what launches leave to each other, as phase, resonances "
                "and class memory,"
            )
        given: list[list[Any]] = []
        shapes: list[list[int] | None] = []
        held = []
        for row, value in zip(self._found.rows, values, strict=True):
            read = array if row["buffer"] else number
            argument, shape, keep = read_named(self, row, value, read)
            given.append(argument)
            shapes.append(shape)
            held.append(keep)
        request = {
            "module": self._found.module, "arguments": given, "shapes": shapes, "grid": grid,
            "block": block, "deterministic": self._deterministic, "budget": str(self._budget),
        }  # fmt: skip
        self._answered(hologram_page.call("launch", json.dumps(request)))

    def _answered(self, reply: Any) -> None:
        """What a launch prints, and its error."""
        answer = json.loads(reply.text)
        launch = (
            answer
            if not reply.failed
            else answer.get("launch", {})
            if isinstance(answer, dict)
            else {}
        )
        sys.stdout.write(_PLACE.sub("", launch.get("prints", "")))
        if launch:
            self._found.last = launch
        if reply.failed:
            raise refused(reply.text)
        self._found.counts["guarded" if launch["checked"] else "interpreted"] += 1


def read_named(kernel: Kernel, row: dict[str, Any], value: Any, read: Any) -> Any:
    """An argument; errors name it."""
    from hologram import errors

    try:
        return read(row, value)
    except (TypeError, ValueError, OverflowError, BufferError) as error:
        written = row["buffer"] and row["direction"] != "in"
        raise errors.argument_error(kernel.name, row["name"], error, written) from None


def lazy_kernel(make: Any, function: Any) -> Kernel:
    return Kernel(None, make, function)


def launch(kernel: Kernel, x: int, y: int, z: int, lanes: int, *arguments: Any) -> None:
    """Blocks of lanes, on the memory of arrays, whatever their strides are."""
    flat = [
        _memory(value) if hasattr(value, "strides") and value.ndim else value for value in arguments
    ]
    kernel._launch(flat, [x, y, z], [lanes, 1, 1])


def _memory(array: Any) -> Any:
    """An array from its first element to its last, as a line."""
    import numpy as np

    if array.flags.c_contiguous:
        return array
    if min(array.strides) < 0:
        from hologram.errors import ArgumentError

        raise ArgumentError("an array runs backwards")
    last = sum((e - 1) * s for e, s in zip(array.shape, array.strides, strict=True))
    count = last // array.itemsize + 1
    return np.lib.stride_tricks.as_strided(array, (count,), (array.itemsize,))
