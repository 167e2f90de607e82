"""What the library has done in this process (docs/seeing.md).

hg.metrics()                 counts: launches by engine and reason, compiles, cache hits
"""

from __future__ import annotations

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
