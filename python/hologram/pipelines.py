"""Pipelines: launches that were recorded, as one unit. Used as `hologram.capture`.

    with hg.capture("digits") as p:
        x = p.input("x", example)                  # an array of the shape that runs will have
        h = hg.ops.relu(hg.ops.add(hg.ops.gemm(x, w1), b1))
        p.output("scores", hg.ops.add(hg.ops.gemm(h, w2), b2))

    scores = p.run(images)                         # one call
    trust = p.save("digits.holo")
    p = hg.load_pipeline("digits.holo", trust)

In the block everything runs as always, on the example, and each launch of this thread is recorded:
those of hologram.ops, of fused functions and of kernels. What the block makes of an input is an
array of the capture: it may be sliced, reshaped and given to operations and kernels, but NumPy does
not compute with it, because no run would repeat that. All other arrays that launches read are
constants of the pipeline, copied as they are. docs/pipelines.md has the rules.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from hologram._native import (
    capture_array,
    capture_begin,
    capture_end,
    capture_keep,
    pipeline_load,
)
from hologram.errors import ArgumentError
from hologram.ops.arrays import CODES, RECORDINGS, kind_of, read

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from hologram._native import NativePipeline
    from hologram.ops.arrays import Array

_KINDS = tuple(CODES)
# What gives views of the memory, or only says something of the array.
_VIEWS = frozenset({"T", "reshape", "ravel", "squeeze", "swapaxes", "transpose", "view"})
_FACTS = frozenset(
    "base ctypes data dtype flags itemsize nbytes ndim shape size strides setflags".split()
)


class CapturedArray(np.ndarray):  # type: ignore[misc]
    """An array of a capture. NumPy shows views of it, and computes nothing with it."""

    def __getattribute__(self, name: str) -> Any:
        if name in _FACTS or name.startswith("_"):  # of which no array has one that computes
            return super().__getattribute__(name)
        if name not in _VIEWS:
            raise ArgumentError(
                f"capture: .{name} of an array of the capture is not a launch: a run would not "
                "repeat it; use hologram.ops, or end the capture before"
            )
        found = super().__getattribute__(name)
        return found if name == "T" else _Viewing(self, name, found)

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise ArgumentError(
            "capture: NumPy does not compute with arrays of a capture, because no run would repeat "
            "it; use hologram.ops"
        )

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        if not isinstance(found, np.ndarray) or not _share(found, self):
            self._refuse()
        return found

    def __repr__(self) -> str:
        return f"<array of a capture: {self.dtype} {self.shape}>"

    __str__ = __repr__
    __array_ufunc__ = __array_function__ = __setitem__ = _refuse
    __float__ = __int__ = __bool__ = __index__ = __complex__ = _refuse
    __iter__ = __contains__ = __copy__ = __deepcopy__ = _refuse
    __reduce__ = __reduce_ex__ = _refuse


def _share(view: Array, array: Array) -> bool:
    plain = np.asarray(view), np.asarray(array)
    return view.size == 0 or bool(np.may_share_memory(*plain))


class _Viewing:
    """A method that gives a view, where there is one, and else a copy, which is refused."""

    def __init__(self, array: CapturedArray, name: str, method: Any) -> None:
        self._array = array
        self._name = name
        self._method = method

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        made = self._method(*arguments, **named)
        if not _share(made, self._array):
            raise ArgumentError(
                f"capture: .{self._name} needs a copy of an array of the capture; "
                "hologram.ops.copy makes one"
            )
        return made


class Pipeline:
    """Launches that run with one call, for arrays of the shapes that were recorded.

    Any thread may run it; runs of one pipeline wait for each other. `run` takes the inputs by place
    or by name, and `out` (a tuple for several outputs); it returns the outputs, new arrays if `out`
    is not given. Errors name the array.
    """

    def __init__(self, native: NativePipeline) -> None:
        self.run = native
        self.name = native.name

    def __call__(self, *arrays: Any, **named: Any) -> Any:
        """The same as `run`."""
        return self.run(*arrays, **named)

    @property
    def inputs(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """The inputs in their order: type and shape, by name."""
        return {n: (_KINDS[t], shape) for n, t, out, shape in self.run._arrays if not out}

    @property
    def outputs(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        return {n: (_KINDS[t], shape) for n, t, out, shape in self.run._arrays if out}

    @property
    def text(self) -> str:
        """Its arrays and launches, as `hologram inspect` prints them."""
        return self.run.text

    def save(self, path: str | os.PathLike[str], *, native: Iterable[str] | str = "all") -> str:
        """Writes a .holo file with kernels and constants, and returns the trust hash that
        `load_pipeline` takes as `expect`. `native`: the levels that it has native code for, as for
        Kernels.save; () needs no compiler plugin."""
        names = native if isinstance(native, str) else ",".join(native) or "none"
        data, trust_hash = self.run._bundle(None if native == "all" else names)
        temporary = f"{os.fspath(path)}.{os.getpid()}.tmp"
        file = open(temporary, "xb")  # noqa: SIM115 - what is not ours is not removed below
        try:
            with file:
                file.write(data)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
        return trust_hash

    def __repr__(self) -> str:
        return f"<hologram.Pipeline {self.name}: {', '.join((*self.inputs, *self.outputs))}>"


class Capture(Pipeline):
    """Records the launches of a `with` block of this thread, and is their pipeline behind it."""

    def __init__(self, name: str, fuse: bool = True) -> None:
        self.name = name
        self._fuse = fuse
        self._capsule: Any = None
        self._thread = 0
        self._kept: list[Array] = []

    def __enter__(self) -> Capture:
        if self._capsule is not None or hasattr(self, "run"):
            raise ArgumentError("capture: it has begun already")
        self._capsule = capture_begin(self.name, self._fuse)
        self._thread = threading.get_ident()
        RECORDINGS[self._thread] = self
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if RECORDINGS.get(self._thread) is self:  # it may be ended by another thread
            del RECORDINGS[self._thread]
        capsule, self._capsule = self._capsule, None
        try:
            if kind is None:
                super().__init__(capture_end(capsule, np.empty))
        finally:
            self._kept.clear()

    def input(self, name: str, array: object) -> Array:
        """An array that each run gets anew. Returns it for the operations of the block; the block
        computes with the values that it has now."""
        whole = self._whole(name, array)
        capture_array(self._open(), name, CODES[kind_of("capture", name, whole)], False, whole)
        self._kept.append(whole)
        view = whole.view(CapturedArray)
        view.setflags(write=False)
        return view

    def output(self, name: str, array: object) -> None:
        """What a run returns: all of an array that launches of the block have written."""
        whole = self._whole(name, array)
        capture_array(self._open(), name, CODES[kind_of("capture", name, whole)], True, whole)
        self._kept.append(whole)

    def empty(self, shape: int | tuple[int, ...], dtype: Any = np.float32) -> Array:
        """An array of any values for launches to write: the output of a kernel, or `out`."""
        return self.result(None, np.empty(shape, dtype))

    def result(self, out: object, array: Array) -> Array:
        """Called for results of operations while it records."""
        if out is not None:
            if not isinstance(out, CapturedArray):
                raise ArgumentError(
                    "capture: 'out' does not belong to the capture, and would keep its values; "
                    ".empty(shape, dtype) of the capture makes one"
                )
            return out
        self.made(array)
        return array.view(CapturedArray)

    def made(self, array: Array) -> None:
        """Called for memory of results, and on the way to them, when it is new."""
        capture_keep(self._open(), array)

    def _open(self) -> Any:
        if self._capsule is None:
            raise ArgumentError("capture: it does not record; use it as `with capture() as p:`")
        return self._capsule

    def _whole(self, name: str, array: object) -> Array:
        found = read("capture", name, array)
        if not found.flags.c_contiguous:
            raise ArgumentError(
                f"capture: '{name}' has gaps or another order; hologram.ops.copy makes one without"
            )
        return found

    def __repr__(self) -> str:
        return super().__repr__() if hasattr(self, "run") else f"<hologram.Capture {self.name}>"


def capture(name: str = "pipeline", *, fuse: bool = True) -> Capture:
    """Records the launches of a `with` block as a pipeline: see the module hologram.pipelines.

    At the end launches become parts of others, with the same bits, where the compiler plugin is
    there; with fuse=False each stays a launch of its own.
    """
    return Capture(name, fuse)


def load_pipeline(path: str | os.PathLike[str], expect: str | None = None) -> Pipeline:
    """The pipeline of a .holo file, verified as a whole. Its native code is used only if `expect`
    is the file's trust hash; without it its kernels are compiled now. Raises BundleError,
    NotFoundError for a file without a pipeline, and OSError."""
    with open(path, "rb") as file:
        return Pipeline(pipeline_load(file.read(), expect, np.empty))
