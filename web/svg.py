"""Pictures as SVG text, in the colours of the pictures of the command (src/picture/svg.cc)."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WIDTH_OF_LETTER = 0.6  # of the size of the font, in which all have the same width


def _theme() -> str:
    """From a picture that the command has drawn: its colours, of light and dark screens."""
    text = (ROOT / "docs/seeing-circuit.svg").read_text(encoding="utf-8")
    found = re.search(r"<style>.*?</defs>\n", text, re.DOTALL)
    assert found is not None
    return found[0]


def number(value: float) -> str:
    """Three digits, and no more signs than they need."""
    text = f"{value:.3g}"
    return f"{value:.0f}" if "e" in text and abs(value) < 1e6 else text


def _place(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


class Svg:
    """Shapes in the order in which they are drawn; `style` is one or more classes of the theme."""

    def __init__(self, about: str) -> None:
        """`about` is for readers who do not see the picture."""
        self._about = about
        self._shapes: list[str] = []

    def box(self, x: float, y: float, width: float, height: float, style: str = "box") -> None:
        at = f'x="{_place(x)}" y="{_place(y)}" width="{_place(width)}" height="{_place(height)}"'
        self._shapes.append(f'<rect {at} rx="2" class="{style}"/>')

    def heat(self, x: float, y: float, width: float, height: float, part: float) -> None:
        """From cold to hot: 0 to 1."""
        at = f'x="{_place(x)}" y="{_place(y)}" width="{_place(width)}" height="{_place(height)}"'
        self._shapes.append(f'<rect {at} class="heat" fill-opacity="{0.05 + 0.9 * part:.2f}"/>')

    def line(self, points: list[tuple[float, float]], style: str = "line") -> None:
        path = "M" + "L".join(f"{_place(x)} {_place(y)}" for x, y in points)
        self._shapes.append(f'<path d="{path}" class="{style}"/>')

    def arrow(self, points: list[tuple[float, float]]) -> None:
        path = "M" + "L".join(f"{_place(x)} {_place(y)}" for x, y in points)
        self._shapes.append(f'<path d="{path}" class="line" marker-end="url(#tip)"/>')

    def circle(self, x: float, y: float, radius: float, style: str = "dot") -> None:
        at = f'cx="{_place(x)}" cy="{_place(y)}" r="{_place(radius)}"'
        self._shapes.append(f'<circle {at} class="{style}"/>')

    def text(
        self, x: float, y: float, text: str, style: str = "small", anchor: str = "start"
    ) -> None:
        at = f'x="{_place(x)}" y="{_place(y)}" text-anchor="{anchor}"'
        self._shapes.append(f'<text {at} class="{style}">{escape(text)}</text>')

    def finish(self, width: float, height: float) -> str:
        size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
        title = f"<title>{escape(self._about)}</title>"
        paper = '<rect width="100%" height="100%" class="paper"/>'
        return "\n".join([head, title, _theme() + paper, *self._shapes, "</svg>"]) + "\n"
