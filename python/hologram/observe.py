"""What the library has done in this process (docs/seeing.md).

hg.metrics()                 counts: launches by engine and reason, compiles, cache hits
with hg.trace("t.json"):     spans of what it does, for ui.perfetto.dev
with hg.span("epoch", n=3):  one of the program, among them
print(hg.doctor())           how kernels run here, and a test of every engine
hg.devices()                 what cuda and opencl have found, and why one is not used
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from types import TracebackType
from typing import Any, NamedTuple

from hologram import _native


class Metrics(NamedTuple):
    """Counts of all threads since the library was loaded. A forked child goes on from those of
    its parent.

    `launches` are those that ran, faulted ones included, by engine; `launches_by_reason` those that
    went another way than usual, as `kernel.last_launch` says. `elements` are those of the largest
    array of each launch, `bytes` those of all its arrays.
    """

    launches: dict[str, int]
    launches_by_reason: dict[str, int]
    launches_on_threads: int
    launches_checked: int
    launches_empty: int
    launches_refused: int
    faults: int
    cancelled: int
    elements: int
    bytes: int
    chunks: int
    streams: int
    stream_windows: int
    stream_bytes: int
    pools: int
    pool_bytes: int
    bundles_loaded: int
    programs_verified: int
    compiles: int
    compile_errors: int
    compile_nanoseconds: int
    cache_hits: int
    cache_misses: int

    def __sub__(self, before: Metrics) -> Metrics:
        """What happened since `before`."""
        then = before._asdict()
        values: dict[str, Any] = {}
        for name, now in self._asdict().items():
            if isinstance(now, dict):
                values[name] = {key: now[key] - then[name].get(key, 0) for key in now}
            else:
                values[name] = now - then[name]
        return Metrics(**values)


def metrics() -> Metrics:
    """The counts up to now."""
    counts: dict[str, int] = {}
    launches: dict[str, int] = {}
    reasons: dict[str, int] = {}
    for name, engine, reason, value in _native.read_metrics():
        if reason:
            reasons[f"{engine}: {reason}"] = value
        elif engine:
            launches[engine] = value
        else:
            counts[name] = value
    return Metrics(launches=launches, launches_by_reason=reasons, **counts)


class TracedSpan(NamedTuple):
    """A span as a callback gets it: times in nanoseconds since the start of the trace."""

    category: str
    name: str
    begin_ns: int
    duration_ns: int
    thread: int
    thread_name: str
    arguments: dict[str, int | str]


class Trace:
    """A trace that runs; `spans` and `dropped` say how many there were once it is over."""

    spans = 0
    dropped = 0

    def __init__(self, target: bytes | Callable[[list[TracedSpan]], object]) -> None:
        self._target = target

    def __enter__(self) -> Trace:
        target = self._target
        if isinstance(target, bytes):
            _native.trace_start(target)
        else:
            take = target
            _native.trace_start(lambda rows: take([TracedSpan(*row) for row in rows]))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.spans, self.dropped = _native.trace_stop()
        if self.dropped:
            warnings.warn(
                f"{self.dropped} of {self.spans + self.dropped} spans found no room and are not "
                "in the trace",
                RuntimeWarning,
                stacklevel=2,
            )

    def flush(self) -> None:
        """Calls the callback with the spans up to now, which makes room for others."""
        _native.trace_flush()


def trace(target: str | os.PathLike[str] | Callable[[list[TracedSpan]], object]) -> Trace:
    """A context in which everything the library does is traced: to a file that ui.perfetto.dev
    opens, or to a function that is called with lists of spans, by flush() and at the end. One
    trace runs at a time. An empty one is written at once, so that a wrong path is an error then.
    """
    return Trace(target if callable(target) else os.fsencode(os.fspath(target)))


class span(_native.Span):  # noqa: N801  (used like a function)
    """A span of the program in a trace, with facts by name; nothing without a trace.

    with hg.span("epoch", number=3):
        ...
    """

    __slots__ = ()


class Report(NamedTuple):
    """The lines of a report; `well` if none of them begins with BAD."""

    text: str
    well: bool

    def __str__(self) -> str:
        return self.text.removesuffix("\n")


class Device(NamedTuple):
    """A device of an engine, "cuda" or "opencl". `why_not` is empty where launches may run, with
    kernel.configure(backend=engine); an engine without a library has one line, without a name."""

    engine: str
    name: str
    driver: str
    why_not: str


def devices() -> list[Device]:
    """What the engines of devices have found. The first call looks, and runs a kernel on each."""
    return [Device(*row) for row in _native.devices()]


def doctor(*, test: bool = True) -> Report:
    """What decides how kernels run on this machine: processor, threads, clock, compiler, cache,
    devices, variables. With `test` fifty kernels are run on each engine, which takes some seconds,
    and their results compared with the published ones."""
    return Report(*_native.doctor(test))
