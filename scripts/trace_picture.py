"""Draws a trace of hg.trace() or --trace as an SVG: a row for each thread, boxes for its spans, those inside of
others below them. docs/seeing-trace.svg is one.

usage: trace_picture.py TRACE.json OUT.svg
"""

from __future__ import annotations

import json
import sys
from html import escape
from pathlib import Path
from typing import Any

WIDTH, LEFT, ROW, TOP = 720.0, 24.0, 22.0, 66.0
CHARACTER = 6.7
STYLE = """<style>
text{font-family:ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;font-size:11px;fill:#1d2733}
.paper{fill:#fff}.title{font-size:15px;font-weight:600}.faint{fill:#66717d}rect.span{stroke:#8a96a3;stroke-width:.35}
.user{fill:#dce9f6}.launch{fill:#f6d9c8}.chunk{fill:#eda184}.compile,.verify,.find,.cache,.load{fill:#d9ead9}
.pipeline,.device{fill:#e6dcf3}.copy,.queue,.stream,.pool{fill:#f3e6c4}.grid{stroke:#c3ccd5;stroke-width:.7}
@media (prefers-color-scheme:dark){text{fill:#e3e8ee}.paper{fill:#12171d}.faint{fill:#95a1ad}.user{fill:#1d3350}
.launch{fill:#5b3622}.chunk{fill:#93492a}.compile,.verify,.find,.cache,.load{fill:#23402f}.pipeline,.device{fill:#3b2d52}.copy,.queue,.stream,.pool{fill:#54441c}}
</style>"""


def depths(events: list[dict[str, Any]]) -> list[int]:
    """How many spans are around each, of one thread in the order of their begins."""
    around: list[float] = []
    found = []
    for event in events:
        while around and around[-1] <= event["ts"]:
            around.pop()
        found.append(len(around))
        around.append(event["ts"] + event["dur"])
    return found


def draw(trace: dict[str, Any], name: str) -> str:
    spans = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    names = {
        event["tid"]: event["args"]["name"]
        for event in trace["traceEvents"]
        if event["name"] == "thread_name"
    }
    begin = min(span["ts"] for span in spans)
    whole = max(span["ts"] + span["dur"] for span in spans) - begin
    scale = (WIDTH - 2 * LEFT) / whole
    shapes = []
    y = TOP
    for thread in sorted(
        {span["tid"] for span in spans},
        key=lambda t: min(span["ts"] for span in spans if span["tid"] == t),
    ):
        mine = sorted(
            (span for span in spans if span["tid"] == thread),
            key=lambda span: (span["ts"], -span["dur"]),
        )
        shapes.append(
            f'<text x="{LEFT}" y="{y - 6}" class="faint">thread {escape(names[thread])}</text>'
        )
        found = depths(mine)
        for span, depth in zip(mine, found, strict=True):
            x, width = LEFT + (span["ts"] - begin) * scale, max(0.7, span["dur"] * scale)
            top = y + depth * ROW
            shapes.append(
                f'<rect x="{x:.1f}" y="{top:.1f}" width="{width:.1f}" height="{ROW - 3}" rx="2" '
                f'class="span {span["cat"]}"><title>{escape(span["name"])}</title></rect>'
            )
            text = f"{span['cat']} {span['name']}" if span["cat"] != "user" else span["name"]
            if len(text) * CHARACTER + 8 < width:
                shapes.append(f'<text x="{x + 5:.1f}" y="{top + 13:.1f}">{escape(text)}</text>')
        y += (max(found) + 1) * ROW + 26
    height = y
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:.0f} {height:.0f}" '
            f'width="{WIDTH:.0f}" height="{height:.0f}" role="img">',
            f"<title>{escape(name)}</title>{STYLE}",
            '<rect width="100%" height="100%" class="paper"/>',
            f'<text x="{LEFT}" y="28" class="title">{escape(name)}</text>',
            f'<text x="{WIDTH - LEFT}" y="28" class="faint" text-anchor="end">{whole / 1000:.2f} ms</text>',
            *shapes,
            "</svg>\n",
        ]
    )


def write(source: Path, output: Path) -> None:
    trace = json.loads(source.read_text(encoding="utf-8"))
    output.write_text(draw(trace, f"Trace {source.name}"), encoding="utf-8")


def main() -> int:
    source, output = map(Path, sys.argv[1:])
    write(source, output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
