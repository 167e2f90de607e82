"""A strict reader of the trace format that Perfetto and Chrome read: what it does not know is an
error. https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

COMMON = {"name": str, "ph": str, "pid": int, "tid": int, "args": dict}
MORE = {
    "X": {"cat": str, "ts": float, "dur": float},
    "M": {},
    "i": {"ts": float, "s": str},
}
CATEGORIES = {
    "load",
    "find",
    "verify",
    "compile",
    "cache",
    "launch",
    "chunk",
    "copy",
    "device",
    "queue",
    "pool",
    "pipeline",
    "stream",
    "user",
}


@dataclass(frozen=True)
class Event:
    category: str
    name: str
    begin: float
    end: float
    thread: int
    arguments: dict[str, object]

    def holds(self, other: Event) -> bool:
        return self.begin <= other.begin and other.end <= self.end


@dataclass(frozen=True)
class Trace:
    events: list[Event]
    threads: dict[int, str]
    dropped: int

    def of(self, category: str, name: str | None = None) -> list[Event]:
        return [
            event
            for event in self.events
            if event.category == category and name in (None, event.name)
        ]


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    names = [name for name, _ in pairs]
    assert len(set(names)) == len(names), f"a name twice in {names}"
    return dict(pairs)


def _check_fields(event: dict[str, object]) -> None:
    wanted = {**COMMON, **MORE[str(event["ph"])]}
    assert set(event) == set(wanted), event
    for name, kind in wanted.items():
        assert type(event[name]) is kind, (name, event)
    for name, value in event["args"].items():  # type: ignore[attr-defined]
        assert name and type(value) in (int, str), event
        assert not isinstance(value, int) or 0 <= value <= 2**53


def _check_nesting(events: list[Event]) -> None:
    """On one thread, two spans are apart or one is in the other."""
    for thread in {event.thread for event in events}:
        open_spans: list[Event] = []
        mine = [event for event in events if event.thread == thread]
        for event in sorted(mine, key=lambda event: (event.begin, -event.end)):
            while open_spans and open_spans[-1].end <= event.begin:
                open_spans.pop()
            assert not open_spans or open_spans[-1].holds(event), (open_spans[-1], event)
            open_spans.append(event)


def read(path: str | Path) -> Trace:
    text = Path(path).read_bytes().decode("utf-8")
    document = json.loads(text, object_pairs_hook=_unique)
    assert set(document) == {"displayTimeUnit", "otherData", "traceEvents"}
    assert document["displayTimeUnit"] == "ns"
    assert set(document["otherData"]) == {"producer", "dropped_spans"}
    events, threads = [], {}
    for event in document["traceEvents"]:
        _check_fields(event)
        if event["ph"] == "M":
            assert event["name"] in ("process_name", "thread_name")
            if event["name"] == "thread_name":
                threads[event["tid"]] = event["args"]["name"]
        elif event["ph"] == "X":
            assert event["cat"] in CATEGORIES and event["ts"] >= 0 and event["dur"] >= 0
            begin, duration = round(event["ts"] * 1000), round(event["dur"] * 1000)
            events.append(
                Event(
                    event["cat"],
                    event["name"],
                    begin,
                    begin + duration,
                    event["tid"],
                    event["args"],
                )
            )
    assert {event.thread for event in events} <= set(threads)
    _check_nesting(events)
    return Trace(events, threads, document["otherData"]["dropped_spans"])
