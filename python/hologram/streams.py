"""Arrays that are larger than memory (docs/scale.md).

hg.stream(blur, {"src": "big.npy", "n": hg.length_of("src")}, {"dst": "out.npy"})
hg.stream(hg.ops.sum, ["big.npy"]).result
hg.stream(chain, ["a.raw:f32", 2.0], ["b.raw"])       a function of arrays, element by element
pool = hg.Pool(128 * 1024); hg.stream(..., pool=pool)  all windows in this memory
"""

from __future__ import annotations

import math
import operator
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import numpy as np

from hologram import _native, bars, ops
from hologram.errors import ArgumentError
from hologram.ops.parts import PART
from hologram.places import CODES, TYPES, UNTIL_END, Place, sink_of, source_of
from hologram.reducing import Parts, reduces


class Streamed(NamedTuple):
    """What a stream has done; while it runs, so far. `reading`, `computing` and `writing` are
    seconds that each was at work, one beside the other."""

    elements: int
    windows: int
    bytes_read: int
    bytes_written: int
    pool_bytes: int
    seconds: float
    reading: float
    computing: float
    writing: float
    result: Any = None

    @property
    def rate(self) -> float:
        """GB/s of what was read, or else written."""
        return (self.bytes_read or self.bytes_written) / max(self.seconds, 1e-9) / 1e9


class length_of(NamedTuple):  # noqa: N801
    """The elements of the array of that name, where a kernel wants a number."""

    name: str


class Pool:
    """Memory of a fixed size, at a multiple of 64 bytes, zeros at first."""

    def __init__(self, size: int) -> None:
        if not 0 <= operator.index(size) < 2**64:
            raise ArgumentError(f"a pool expects a number of bytes, found {size}")
        self._memory = _native.PoolMemory(size)
        self.size = size

    def _part(self, offset: int, count: int) -> memoryview:
        if offset < 0 or count < 0 or offset + count > self.size:
            raise ArgumentError(f"{count} bytes at byte {offset} of a pool of {self.size} bytes")
        return memoryview(self._memory)[offset : offset + count]

    def copy_to(self, offset: int, data: Any) -> None:
        """Copies the bytes of `data` into the pool."""
        view = memoryview(data).cast("B")
        self._part(offset, view.nbytes)[:] = view

    def copy_from(self, offset: int, out: Any) -> None:
        """Fills `out` with bytes of the pool."""
        view = memoryview(out).cast("B")
        view[:] = self._part(offset, view.nbytes)

    def array(self, offset: int, count: int, dtype: Any) -> Any:
        """Elements of the pool, as an array: nothing is copied."""
        kind = TYPES.get(dtype, dtype) if isinstance(dtype, str) else dtype
        item = np.dtype(kind).itemsize
        if offset % item:
            raise ArgumentError(f"byte {offset} of a pool is not aligned to elements of {item}")
        self._part(offset, count * item)
        return np.frombuffer(self._memory, kind, count, offset)

    def __len__(self) -> int:
        return self.size


def bar(now: Streamed) -> None:
    """The rate on standard error, if that is a terminal, for progress=hg.streams.bar."""
    if bars.wanted():
        print(
            f"\r{now.elements:,} elements, {now.rate:.2f} GB/s", end="", file=sys.stderr, flush=True
        )


def stream(  # noqa: PLR0913
    step: Any,
    inputs: Mapping[str, Any] | Sequence[Any],
    outputs: Mapping[str, Any] | Sequence[Any] | None = None,
    *,
    window: int | None = None,
    depth: int | None = None,
    pool: Pool | None = None,
    row: int = 1,
    progress: Callable[[Streamed], object] | None = None,
) -> Streamed:
    """Runs a kernel, or a function of arrays, over arrays that need not fit memory. Windows of them
    are read, computed and written, each in its turn; bits are those of the whole.

    A kernel gets its arguments by name. Arrays are places (hologram.places); arrays of NumPy are
    whole, in memory, unless there is a pool and the kernel moves through them. A function, or a
    list of functions, each of the result of the one before, gets `inputs` in order and is to work
    element by element, or on rows of `row` elements. `window`: bytes of its inputs together, 1 MiB;
    `depth`: windows of each array in memory. hg.ops.sum, prod, min, max, mean give `result`.
    """
    began = time.perf_counter()
    line = bars.Line("streaming")
    heard: Any = None
    if progress is not None:
        heard = lambda *numbers: progress(Streamed(*numbers))  # noqa: E731
    elif bars.wanted():
        heard = lambda elements, *_: setattr(line, "done", elements)  # noqa: E731
    if pool is not None and not isinstance(pool, Pool):
        raise ArgumentError(f"pool: expected a hologram.Pool, found {type(pool).__name__}")
    native = (window or 0, depth or 0, None if pool is None else pool._memory, heard)
    options = _Options(native, pool is not None, line)
    shown: AbstractContextManager[object] = line if progress is None else nullcontext()
    with shown:
        if isinstance(inputs, Mapping):
            done = _run(step, inputs, outputs or {}, options)
        else:
            done = _apply(step, inputs, outputs, options, row)
    return done._replace(seconds=time.perf_counter() - began)


class _Options(NamedTuple):
    native: tuple[Any, ...]  # what the binding takes
    pooled: bool
    line: bars.Line


# ---- Kernels


class _Array(NamedTuple):
    source: Place | None
    sink: Any
    memory: Any  # the whole array
    shape: tuple[int, ...]
    type: str


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray)


def _run(
    kernel: Any,
    inputs: Mapping[str, Any],
    outputs: Any,
    options: _Options,
) -> Streamed:
    if not isinstance(kernel, _native.Kernel):
        if not hasattr(kernel, "plain"):
            raise ArgumentError(
                f"{type(kernel).__name__} takes no names: expected a kernel with types"
            )
        kernel = kernel.plain()
    if not isinstance(outputs, Mapping):
        raise ArgumentError("outputs: expected a dictionary, as the inputs are")
    names = [name for name, *_ in kernel.parameters]
    for name in [*inputs, *outputs]:
        if name not in names:
            raise ArgumentError(f"kernel '{kernel.name}': there is no parameter '{name}'")
    pooled = options.pooled
    arrays = _arrays_of(kernel, inputs, outputs, pooled)
    moving = [array for array in arrays.values() if array.memory is None or pooled]
    options.line.total = _known(max((math.prod(array.shape) for array in moving), default=0))
    whole: list[Any] = []
    flows = []
    for name, form, *_ in kernel.parameters:
        if form == "array":
            whole.append(arrays[name].shape)
            flows.append(_flow_of(arrays[name]))
            continue
        if name not in inputs:
            raise ArgumentError(f"kernel '{kernel.name}': '{name}' is missing")
        whole.append(_number_of(kernel, name, inputs[name], arrays))
    if pooled:
        flows = _through_pool(kernel, tuple(whole), flows, arrays, outputs)
    return Streamed(*_native.stream_run(kernel, tuple(whole), tuple(flows), options.native))


def _arrays_of(
    kernel: Any, inputs: Mapping[str, Any], outputs: Mapping[str, Any], pooled: bool
) -> dict[str, _Array]:
    found: dict[str, _Array] = {}
    for name, form, kind, _ in kernel.parameters:
        if form != "array" or name not in inputs:
            continue
        value = inputs[name]
        if _is_array(value) and name not in outputs:
            found[name] = _Array(None, None, value, value.shape, kind)
            continue
        place = source_of(value, kind)
        if place.type != kind:
            raise ArgumentError(
                f"kernel '{kernel.name}': '{name}' expects {kind}, found {place.type}"
            )
        count = UNTIL_END if place.length is None else place.length
        found[name] = _Array(place, outputs.get(name), None, place.shape or (count,), kind)
    measured = [array for array in found.values() if array.source is not None]
    measured = measured or [array for array in found.values() if pooled]
    longest = max(measured, key=lambda array: int(np.prod(array.shape)), default=None)
    for name, form, kind, _ in kernel.parameters:
        if form != "array" or name in found:
            continue
        if name not in outputs:
            raise ArgumentError(f"kernel '{kernel.name}': '{name}' is missing")
        value = outputs[name]
        if _is_array(value):
            found[name] = _Array(None, None, value, value.shape, kind)
            continue
        if longest is None and not isinstance(value, tuple):
            raise ArgumentError(f"'{name}': how long? nothing is streamed in; give (place, length)")
        shape = (value[1],) if isinstance(value, tuple) else longest.shape  # type: ignore[union-attr]
        found[name] = _Array(None, value, None, shape, kind)
    return found


def _known(count: int) -> int:
    """0: nobody knows."""
    return 0 if count >= UNTIL_END else count


def _flow_of(array: _Array) -> tuple[Any, Any, Any]:
    if array.memory is not None:
        return (None, None, array.memory)
    count = 1
    for extent in array.shape:
        count *= extent
    known = None if count >= UNTIL_END else count
    sink = None if array.sink is None else sink_of(array.sink, array.type, known, array.shape)
    return (
        None if array.source is None else array.source.place,
        None if sink is None else sink.place,
        None,
    )


def _number_of(kernel: Any, name: str, value: Any, arrays: Mapping[str, _Array]) -> Any:
    if not isinstance(value, length_of):
        return value
    if value.name not in arrays:
        raise ArgumentError(f"kernel '{kernel.name}': '{name}': there is no array '{value.name}'")
    count = 1
    for extent in arrays[value.name].shape:
        count *= extent
    return _known(count)  # else found out where the stream ends


def _through_pool(
    kernel: Any,
    whole: tuple[Any, ...],
    flows: list[tuple[Any, Any, Any]],
    arrays: Mapping[str, _Array],
    outputs: Mapping[str, Any],
) -> list[tuple[Any, Any, Any]]:
    """Arrays in memory that the kernel moves through are copied through the pool."""
    if any(UNTIL_END in shape for shape in whole if isinstance(shape, tuple)):
        return flows
    units = _native.window_units(kernel, whole)[1]
    middle = _native.window_reach(kernel, whole, units // 2, units // 2 + 1)
    moved = []
    names = [name for name, form, *_ in kernel.parameters if form == "array"]
    directions = {name: direction for name, _, _, direction in kernel.parameters}
    for name, flow, reach in zip(names, flows, middle, strict=True):
        array = arrays[name].memory
        if array is None or reach[0] != 1:
            moved.append(flow)
            continue
        place = ("array", np.ascontiguousarray(array))
        if directions[name] == "in":
            moved.append((place, None, None))
        else:
            moved.append((None if directions[name] == "out" else place, ("array", array), None))
    return moved


# ---- Functions


def _functions_of(step: Any) -> list[Any]:
    return list(step) if isinstance(step, (list, tuple)) else [step]


def _apply(  # noqa: PLR0915
    step: Any, inputs: Sequence[Any], outputs: Any, options: _Options, row: int
) -> Streamed:
    steps = _functions_of(step)
    reduction = steps.pop() if reduces(steps[-1]) else None
    places: list[Place] = []
    arguments: list[Any] = []  # a number, or the index of a place
    for given in inputs:
        number = isinstance(given, (int, float)) and not isinstance(given, bool) and places != []
        if number:
            arguments.append(given)
            continue
        place = source_of(given, None)
        if place.type is None or place.type not in TYPES:
            raise ArgumentError("of which type? write it behind the name of a file: 'a.raw:f32'")
        arguments.append(_Window(len(places)))
        places.append(place)
    if not places:
        raise ArgumentError("nothing is streamed in")
    lengths = {place.length for place in places}
    known = lengths.pop() if len(lengths) == 1 else None
    options.line.total = known or 0
    shape = places[0].shape
    types = [place.type or "" for place in places]
    sinks: list[Place] = []
    for given in outputs or ():
        kind = _type_of_result(steps, arguments, types, row)
        sinks.append(sink_of(given, kind, known, shape))
    if len(sinks) > 1:
        raise ArgumentError("outputs: expected one, as functions have one result")
    if not sinks and reduction is None:
        raise ArgumentError("outputs: expected one, or a last step that reduces, as hg.ops.sum")
    parts = None if reduction is None else Parts(reduction)
    count = len(places)
    dtypes = [TYPES[kind] for kind in (*types, *(sink.type or "" for sink in sinks))]

    def work(*windows: Any) -> None:
        *memory, elements = windows
        arrays = [np.frombuffer(one, kind) for one, kind in zip(memory, dtypes, strict=True)]
        if elements == 0:
            return
        del elements
        values = [arrays[a.number] if isinstance(a, _Window) else a for a in arguments]
        for k, function in enumerate(steps):
            last = k + 1 == len(steps) and sinks != [] and parts is None
            takes_out = isinstance(function, _OUT)
            if last and takes_out:  # its result is made where it goes
                function(*values, out=arrays[count])
                return
            values = [function(*values)]
        if sinks:
            np.copyto(arrays[count], values[0], casting="same_kind")
        if parts is not None:
            parts.add(values[0])

    names = [f"input {k}" for k in range(count)] + [f"output {k}" for k in range(len(sinks))]
    flows: list[tuple[Any, Any, Any]] = [(place.place, None, None) for place in places]
    flows += [(None, sink.place, None) for sink in sinks]
    extents = [UNTIL_END if place.length is None else place.length for place in (*places, *sinks)]
    codes = [CODES[place.type or ""] for place in (*places, *sinks)]
    multiple = row if parts is None else row * PART
    numbers: tuple[Any, ...] = _native.stream_apply(
        work, tuple(names), tuple(codes), tuple(extents), tuple(flows), multiple, options.native
    )
    done = Streamed(*numbers)
    return done if parts is None else done._replace(result=parts.result())


class _Window(NamedTuple):
    number: int


_OUT: tuple[type, ...] = (type(ops.exp),)


def _type_of_result(steps: list[Any], arguments: list[Any], types: list[str], row: int) -> str:
    """What the functions make of a few elements."""
    from hologram.places import type_of

    values = [
        np.ones(max(8 // row, 1) * row, TYPES[types[a.number]]) if isinstance(a, _Window) else a
        for a in arguments
    ]
    for function in steps:
        values = [function(*values)]
    return type_of(np.asarray(values[0]).dtype)
