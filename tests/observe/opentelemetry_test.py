"""The example that sends spans to OpenTelemetry, with an exporter in memory. scripts/seeing.sh
installs the SDK."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("opentelemetry.sdk")
pytest.importorskip("hologram._native", reason="the Python module is not built")

from opentelemetry.sdk.trace import TracerProvider  # noqa: E402
from opentelemetry.sdk.trace.export import SimpleSpanProcessor  # noqa: E402
from opentelemetry.sdk.trace.export.in_memory_span_exporter import (  # noqa: E402
    InMemorySpanExporter,
)

import hologram as hg  # noqa: E402

EXAMPLE = Path(__file__).parents[2] / "examples/python/opentelemetry_spans.py"


def example() -> Any:
    spec = importlib.util.spec_from_file_location("opentelemetry_spans", EXAMPLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_spans_arrive_inside_of_each_other() -> None:
    module = example()
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    before = time.time_ns()
    with hg.trace(module.SpansTo(provider.get_tracer("test"))) as running:
        module.work(2)
        running.flush()
        module.work(1)
    after = time.time_ns()
    spans = exporter.get_finished_spans()
    assert len(spans) == running.spans > 0
    by_id = {span.context.span_id: span for span in spans}
    steps = [span for span in spans if span.name == "user step"]
    launches = [span for span in spans if span.name == "launch scale"]
    chunks = [span for span in spans if span.name.startswith("chunk ")]
    assert [step.attributes["hologram.number"] for step in steps] == [0, 1, 0]
    assert len(launches) == 3 and len(chunks) >= 6
    assert all(step.parent is None for step in steps)
    assert [by_id[launch.parent.span_id] for launch in launches] == steps
    for chunk in chunks:
        launch = by_id[chunk.parent.span_id]
        assert launch in launches
        assert launch.start_time <= chunk.start_time <= chunk.end_time <= launch.end_time
    for launch in launches:
        assert launch.attributes["hologram.engine"] == "cpu"
        assert launch.attributes["hologram.threads"] == 2
        assert os.path.samefile(launch.attributes["hologram.file"], EXAMPLE)
    for span in spans:
        assert before <= span.start_time <= span.end_time <= after


def test_the_example_runs() -> None:
    run = subprocess.run([sys.executable, str(EXAMPLE)], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.count('"name": "launch scale"') == 3
