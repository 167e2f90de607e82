"""Traces of whole programs: the digits example, a sum on two threads, and one of a file. They keep to the schema of
Chrome's format, and have the spans that these programs are known to make."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import chrome_reader
import pytest

jsonschema = pytest.importorskip("jsonschema")
pytest.importorskip("hologram._native", reason="the Python module is not built")
pytest.importorskip("numpy")

HERE = Path(__file__).parent
DIGITS = HERE.parents[1] / "examples/python/digits.py"
SUM = """
import numpy as np
import hologram as hg
x = np.arange(1 << 23, dtype=np.float32) % 8
hg.ops.sum(x[:4])  # the trace begins with the first executor
with hg.span("sum", elements=x.size):
    assert float(hg.ops.sum(x)) == x.size * 3.5
"""
STREAMED = """
import sys
import numpy as np
import hologram as hg
x = np.arange(1 << 21, dtype=np.float32) % 8
np.save(sys.argv[1], x)
hg.ops.sum(x[:4])
before = hg.metrics()
with hg.span("streamed sum"):
    done = hg.stream(hg.ops.sum, [sys.argv[1]], window=1 << 20)
assert float(done.result) == x.size * 3.5
counts = hg.metrics() - before
assert (counts.streams, counts.stream_windows, counts.stream_bytes) == (1, 8, x.nbytes), counts
assert counts.pools == 1 and counts.pool_bytes >= 2 << 20, counts
"""


def traced(folder: Path, *command: str) -> chrome_reader.Trace:
    path = folder / "t.json"
    run = subprocess.run(
        [sys.executable, *command],
        env={**os.environ, "HOLOGRAM_TRACE": str(path), "HOLOGRAM_NUM_THREADS": "2"},
        capture_output=True,
        text=True,
    )
    assert (run.returncode, run.stderr) == (0, ""), run
    schema = json.loads((HERE / "chrome_trace.schema.json").read_text(encoding="utf-8"))
    document = json.loads(path.read_text(encoding="utf-8"))
    # The strict reader looks at all; the schema, which takes its time, at some of each kind.
    kinds: dict[tuple[str, str], list[object]] = {}
    for event in document["traceEvents"]:
        kinds.setdefault((event["ph"], event["name"]), []).append(event)
    document["traceEvents"] = [event for some in kinds.values() for event in some[:5]]
    jsonschema.Draft202012Validator(schema).validate(document)
    return chrome_reader.read(path)


def test_the_schema_refuses_what_is_no_trace() -> None:
    schema = json.loads((HERE / "chrome_trace.schema.json").read_text(encoding="utf-8"))
    check = jsonschema.Draft202012Validator(schema)
    good = {"name": "a", "ph": "X", "cat": "launch", "ts": 0.5, "dur": 1, "pid": 1, "tid": 1}
    head = {"displayTimeUnit": "ns", "otherData": {"producer": "hologram", "dropped_spans": 0}}
    assert check.is_valid({**head, "traceEvents": [good]})
    for change in ({"ph": "Q"}, {"dur": -1}, {"ts": "0"}, {"tid": None}, {"args": {"a": []}}):
        assert not check.is_valid({**head, "traceEvents": [{**good, **change}]}), change


def test_the_digits_program(tmp_path: Path) -> None:
    found = traced(tmp_path, str(DIGITS))
    assert found.dropped == 0
    # It is compiled once, and launched in each of 300 rounds, as are the operations around it.
    rounds = found.of("launch", "minus_one_hot")
    assert len(rounds) == 300
    assert len(found.of("find", "minus_one_hot")) == 1
    [compiled] = found.of("compile", "minus_one_hot") or [None]
    [looked, *_] = found.of("cache") or [None]
    assert compiled is not None or looked is not None  # or it was in the cache of code
    lines = DIGITS.read_text(encoding="utf-8").splitlines()
    for launch in rounds:
        assert os.path.samefile(str(launch.arguments["file"]), DIGITS)
        assert "minus_one_hot(" in lines[int(str(launch.arguments["line"])) - 1]
        assert launch.arguments["engine"] == "cpu" and "end" not in launch.arguments
    names = {event.name for event in found.of("launch")}
    assert any("softmax" in name for name in names) and any("argmax" in name for name in names)
    softmax = [event for event in found.of("launch") if "softmax" in event.name]
    assert len(softmax) == 300
    for before, behind in itertools.pairwise(rounds):
        assert before.end <= behind.begin
    # Between two of its launches lie those of the operations of a round.
    for before, behind in itertools.pairwise(rounds[:10]):
        between = [e for e in found.of("launch") if before.end <= e.begin and e.end <= behind.begin]
        assert len(between) >= 4, [event.name for event in between]


def test_a_sum_on_two_threads(tmp_path: Path) -> None:
    found = traced(tmp_path, "-c", SUM)
    [outer] = found.of("user", "sum")
    assert outer.arguments == {"elements": 1 << 23}
    launches = [event for event in found.of("launch") if outer.holds(event)]
    spread = [event for event in launches if event.arguments["threads"] == 2]
    assert spread, [event.arguments for event in launches]
    chunks = found.of("chunk")
    assert all(any(launch.holds(chunk) for launch in spread) for chunk in chunks)
    assert 1 <= len({chunk.thread for chunk in chunks}) <= 2 < len(chunks)
    for launch in spread:
        mine = [chunk for chunk in chunks if launch.holds(chunk)]
        parts = sorted(
            (int(str(c.arguments["first"])), int(str(c.arguments["last"]))) for c in mine
        )
        assert parts[0][0] == 0 and all(a[1] + 1 == b[0] for a, b in itertools.pairwise(parts))


def test_a_streamed_sum_on_two_threads(tmp_path: Path) -> None:
    found = traced(tmp_path, "-c", STREAMED, str(tmp_path / "x.npy"))
    [outer] = found.of("user", "streamed sum")
    spans = found.of("stream")
    [whole] = [span for span in spans if span.name not in ("read", "compute", "write")]
    assert outer.holds(whole) and whole.arguments["windows"] == 8
    assert whole.arguments["read"] == 8 << 20 and whole.arguments["written"] == 0
    # One thread reads, another computes what was read; nothing is written.
    reads, computes = found.of("stream", "read"), found.of("stream", "compute")
    assert [span.arguments["window"] for span in reads] == list(range(8))
    assert [span.arguments["window"] for span in computes] == list(range(8))
    assert not found.of("stream", "write")
    [reader] = {span.thread for span in reads}
    [computer] = {span.thread for span in computes}
    assert computer == whole.thread != reader
    assert found.threads[reader] == "hologram-read"
    for read, compute in zip(reads, computes, strict=True):
        assert read.end <= compute.begin
    launches = [event for event in found.of("launch") if whole.holds(event)]
    assert len(launches) >= 8
    assert all(any(span.holds(launch) for span in computes) for launch in launches[:8])
