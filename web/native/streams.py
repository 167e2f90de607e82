"""Streams of hologram._native (python/hologram/streams.py) in a page: windows are read, computed
and written, one after the other, by the plan of the library (src/stream/plan.h). There is one
thread, and files are in memory, so that what is streamed fits memory."""

from __future__ import annotations

import itertools
import json
import time
from typing import Any

import numpy as np

from hologram._native.bridge import CODES, TYPES, text_of
from hologram._native.kernels import Kernel
from hologram._native.windows import request_of, window_launch, window_reach

_UNTIL_END = 2**64 - 1
_BETWEEN = 0.1  # seconds between two calls of a progress function


def _unsupported(what: str) -> Exception:
    from hologram.errors import UnsupportedError

    return UnsupportedError(f"{what} are not there in a page")


class _Flow:
    """One array of a stream: where it comes from, and what of it has gone."""

    def __init__(self, name: str, code: int, extent: int, flow: tuple[Any, ...]) -> None:
        from hologram.places import TYPES as DTYPES

        source, sink, self.memory = flow
        kind = TYPES[code]
        if kind == "bf16":
            raise _unsupported("streams of bf16")
        self.name, self.extent, self.dtype = name, extent, DTYPES[kind]
        self.reads, self.writes = source is not None, sink is not None
        self.moves = self.reads or self.writes
        self.in_memory = all(place is None or place[0] == "array" for place in (source, sink))
        self.position = self.before = self.written = 0
        self._sink = sink
        self._source = source
        self._data: Any = None
        self._parts: list[bytes] = []

    def open(self) -> None:
        if self.extent == _UNTIL_END:
            raise _unsupported("streams without a length")
        if self.reads:
            self._data = self._read(self._source)

    def _read(self, place: tuple[Any, ...]) -> Any:
        size = self.extent * self.dtype.itemsize
        if place[0] == "array":
            data = place[1].reshape(-1).view(np.uint8)[:size].tobytes()
        elif place[0] == "file":
            with open(place[1], "rb") as file:
                file.seek(place[2])
                data = file.read(size)
        elif place[0] == "call":
            data = _called(place[1], size)
        else:
            raise _unsupported("standard input and descriptors")
        if len(data) != size:
            from hologram.errors import ArgumentError

            raise ArgumentError(
                f"'{self.name}' ends after {len(data)} bytes; it was to have {size}"
            )
        return np.frombuffer(data, self.dtype)

    def part(self, kernel: str, low: int, high: int) -> Any:
        """The elements of a window, zeros where nothing is read."""
        if not self.reads:
            return np.zeros(high - low, self.dtype)
        if low < high:
            if low < self.before or (self.writes and low < self.position):
                raise _unsupported(f"steps of '{kernel}' back to element {low} of '{self.name}'")
            self.before, self.position = low, high
        return self._data[low:high].copy()

    def write(self, kernel: str, low: int, part: Any) -> None:
        if not self.writes or part.size == 0:
            return
        if low < self.written:
            raise _unsupported(
                f"kernels that write element {low} of '{self.name}' in two windows, as '{kernel}',"
            )
        self._send(np.zeros(low - self.written, self.dtype))
        self._send(part)
        self.written = low + part.size

    def _send(self, part: Any) -> None:
        if part.size == 0:
            return
        if self._sink[0] == "call":
            self._sink[1](memoryview(part.tobytes()))
        elif self._sink[0] in ("array", "file"):
            self._parts.append(part.tobytes())
        else:
            raise _unsupported("standard output and descriptors")

    def finish(self) -> None:
        """What no window has written; then files appear."""
        if not self.writes:
            return
        self._send(np.zeros(self.extent - self.written, self.dtype))
        self.written = self.extent
        if self._sink[0] == "file":
            with open(self._sink[1], "wb") as file:
                file.write(self._sink[3] + b"".join(self._parts))
        elif self._sink[0] == "array":
            self._sink[1].reshape(-1).view(np.uint8)[...] = np.frombuffer(
                b"".join(self._parts), np.uint8
            )


def _called(read: Any, size: int) -> bytes:
    data = bytearray(size)
    done = 0
    while done < size:
        got = read(memoryview(data)[done:])
        if got == 0:
            break
        done += got
    return bytes(data[:done])


class _Run:
    """The progress of a stream and its callback."""

    def __init__(self, flows: list[_Flow], plan: list[int], callback: Any) -> None:
        self._flows, self._callback = flows, callback
        _, self.step, self.count, self._pool = plan
        self._elements = self._windows = 0
        self._seconds = [0.0, 0.0, 0.0]
        self._start = self._called_at = time.perf_counter()

    def window(self, read: Any, compute: Any, write: Any) -> None:
        now = time.perf_counter()
        for k, hand in enumerate((read, compute, write)):
            hand()
            now, before = time.perf_counter(), now
            self._seconds[k] += now - before
        if self._callback is not None and now - self._called_at >= _BETWEEN:
            self._called_at = now
            self._callback(*self.numbers())

    def count_window(self, *highest: int) -> None:
        """Of each array that moves, where the window ends."""
        self._windows += 1
        self._elements = max(self._elements, *highest)

    def finish(self) -> tuple[Any, ...]:
        for flow in self._flows:
            flow.finish()
        return self.numbers()

    def numbers(self) -> tuple[Any, ...]:
        seconds = time.perf_counter() - self._start
        read = sum(flow.position * flow.dtype.itemsize for flow in self._flows)
        written = sum(flow.written * flow.dtype.itemsize for flow in self._flows)
        counts = self._elements, self._windows, read, written, self._pool
        return (*counts, seconds, *self._seconds)


def _sizes(flows: list[_Flow], options: tuple[Any, ...]) -> dict[str, str]:
    window, depth, pool, _ = options
    if pool is not None:
        raise _unsupported("pools of streams")
    # One window at a time where nothing is outside memory, as in the library.
    apart = 1 if all(flow.in_memory for flow in flows) else depth
    return {"window": str(window), "depth": str(apart)}


def stream_run(
    kernel: Kernel, whole: tuple[Any, ...], flows: tuple[Any, ...], options: tuple[Any, ...]
) -> tuple[Any, ...]:
    buffers = [(row, value) for row, value in zip(kernel._found.rows, whole, strict=True)
               if row["buffer"]]  # fmt: skip
    arrays = [
        _Flow(row["name"], CODES[row["type"]], int(np.prod(shape, dtype=object)), flow)
        for (row, shape), flow in zip(buffers, flows, strict=True)
    ]
    for array in arrays:
        array.open()
    bits = {
        name: str(sum(1 << k for k, array in enumerate(arrays) if getattr(array, name)))
        for name in ("moves", "reads")
    }
    request = request_of(kernel, whole)
    plan = json.loads(text_of("plan", **request, **_sizes(arrays, options), **bits))
    run = _Run(arrays, plan, options[3])
    for k in range(run.count):
        _kernel_window(run, kernel, whole, arrays, k * run.step, min((k + 1) * run.step, plan[0]))
    return run.finish()


def _kernel_window(  # noqa: PLR0913
    run: _Run, kernel: Kernel, whole: tuple[Any, ...], arrays: list[_Flow], first: int, last: int
) -> None:
    reach = window_reach(kernel, whole, first, last)
    parts: list[tuple[Any, int]] = []

    def read() -> None:
        for array, (_, low, high, *_rest) in zip(arrays, reach, strict=True):
            one = (array.part(kernel.name, low, high), low) if array.moves else (array.memory, 0)
            parts.append(one)

    def compute() -> None:
        memory, base = zip(*parts, strict=True)
        window_launch(kernel, whole, first, last, memory, base)

    def write() -> None:
        for array, (part, low), touched in zip(arrays, parts, reach, strict=True):
            if array.writes:
                begin, end = (low, low + part.size) if array.reads else touched[3:]
                array.write(kernel.name, begin, part[begin - low : end - low])

    run.window(read, compute, write)
    run.count_window(*(one[2] for array, one in zip(arrays, reach, strict=True) if array.moves))


def _length_of(arrays: list[_Flow]) -> int:
    from hologram.errors import ArgumentError

    known = [array for array in arrays if array.extent != _UNTIL_END]
    for measured, array in itertools.pairwise(known):
        if array.extent != measured.extent:
            raise ArgumentError(
                f"'{array.name}' has {array.extent} elements, '{measured.name}' has "
                f"{measured.extent}"
            )
    return known[0].extent if known else _UNTIL_END


def stream_apply(  # noqa: PLR0913
    work: Any, names: tuple[str, ...], codes: tuple[int, ...], extents: tuple[int, ...],
    flows: tuple[Any, ...], row: int, options: tuple[Any, ...],
) -> tuple[Any, ...]:  # fmt: skip
    arrays = [_Flow(*given) for given in zip(names, codes, extents, flows, strict=True)]
    length = _length_of(arrays)
    for array in arrays:
        array.open()
    sizes = [array.dtype.itemsize for array in arrays]
    plan = json.loads(
        text_of(
            "planApart", sizes=sizes, length=str(length), row=str(row), **_sizes(arrays, options)
        )  # fmt: skip
    )
    run = _Run(arrays, plan, options[3])
    for k in range(run.count):
        low, high = k * run.step, min((k + 1) * run.step, length)
        _function_window(run, work, arrays, low, high)
    return run.finish()


def _function_window(run: _Run, work: Any, arrays: list[_Flow], low: int, high: int) -> None:
    parts: list[Any] = []

    def read() -> None:
        parts.extend(array.part("function", low, high) for array in arrays)

    def compute() -> None:
        work(*(memoryview(part).cast("B") for part in parts), high - low)

    def write() -> None:
        for array, part in zip(arrays, parts, strict=True):
            array.write("function", low, part)

    run.window(read, compute, write)
    run.count_window(high)
