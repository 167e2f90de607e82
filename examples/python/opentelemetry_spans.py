"""Spans of hologram in OpenTelemetry: what the library does, inside of what the program does.

usage: opentelemetry_spans.py   needs opentelemetry-sdk; without pip install of hologram:
                                PYTHONPATH=build/release/python

Prints each span as JSON. An OTLP exporter in place of the console's sends them to a collector.
"""

import time
from collections.abc import Iterable

import numpy as np
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

import hologram as hg
from hologram.lang import DeviceArray, f32, get_global_id, u32
from hologram.observe import TracedSpan


@hg.kernel
def scale(a: f32, x: DeviceArray[f32], n: u32) -> None:
    i = get_global_id()
    if i < n:
        x[i] = a * x[i]


class SpansTo:
    """What hg.trace() calls with lists of spans: gives them to a tracer, each inside of the one
    around it on its thread, and what threads and devices do for a launch inside of that."""

    def __init__(self, tracer: trace.Tracer) -> None:
        self._tracer = tracer
        self._begin_ns = time.time_ns()  # spans count from the begin of the trace

    def __call__(self, spans: Iterable[TracedSpan]) -> None:
        around: dict[int, list[tuple[int, trace.Span]]] = {}  # by thread: the end, and the span
        launches: list[tuple[int, int, trace.Span]] = []
        ordered = sorted(spans, key=lambda span: (span.begin_ns, -span.duration_ns))
        for span in ordered:
            end_ns = span.begin_ns + span.duration_ns
            stack = around.setdefault(span.thread, [])
            while stack and stack[-1][0] < end_ns:
                stack.pop()
            parent = stack[-1][1] if stack else None
            if parent is None and span.category in ("chunk", "queue"):
                parent = next((s for b, e, s in launches if b <= span.begin_ns < e), None)
            made = self._tracer.start_span(
                f"{span.category} {span.name}",
                context=trace.set_span_in_context(parent) if parent else None,
                start_time=self._begin_ns + span.begin_ns,
                attributes={
                    "thread.id": span.thread,
                    "thread.name": span.thread_name,
                    **{f"hologram.{name}": value for name, value in span.arguments.items()},
                },
            )
            made.end(self._begin_ns + end_ns)
            stack.append((end_ns, made))
            if span.category == "launch":
                launches.append((span.begin_ns, end_ns, made))


def work(steps: int) -> None:
    x = np.ones(1 << 22, np.float32)
    for number in range(steps):
        with hg.span("step", number=number):
            scale.configure(threads=2)(0.5, x, x.size)


def main() -> int:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter()))
    with hg.trace(SpansTo(provider.get_tracer("hologram"))) as running:
        for _ in range(3):
            work(1)
            running.flush()  # between spans of the program: one that is open comes when it ends
    provider.shutdown()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
