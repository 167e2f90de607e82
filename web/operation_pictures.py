"""Pictures of reductions, rows, losses, products and movements: what their kernels give for a small
example, and for sums the order of the additions, which sum_order.py finds out by running them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from operation_runs import Runs
from sum_order import Tree, depth_of, leaves_of, order_of, text_of
from svg import WIDTH_OF_LETTER, Svg, number

LEFT, WIDTH = 12, 424
TILE, LETTER = 30, 11 * WIDTH_OF_LETTER
SUMMED = 160  # elements of the picture of a sum: lanes have three or two of them
INNER = 8  # the length of the sums of a product
SAMPLE = np.float32([1.5, -2, 0.5, 3, 2, -1, -3, 4, 1, 2.5, -1.5, 0.5, 3.5, 5, -2.5, 1])
# Of others there would be little to see.
SAMPLES = {
    "prod": np.float32([1.5, 2, 0.5, 1.25, 2, -1, 1.5, 0.5, -2, 1, 1.5, 0.5, 2, 0.75, -1, 1]),
    "any": np.float32([0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0]),
    "all": np.float32([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1]),
    "cross_entropy": np.float32([0.05, 0.1, 0.6, 0.05, 0.04, 0.1, 0.03, 0.03]),
}
# What leaves a result as it is, behind the elements of it; of the others the first element again.
NEUTRAL = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "any": 0.0, "all": 1.0, "norm": 0.0}


class Panel:
    """Values beside each other, with a line at zero."""

    def __init__(self, svg: Svg, top: float, height: float, values: np.ndarray) -> None:
        self._svg = svg
        low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
        self._bottom, self._low = top + height, low
        self._scale = height / ((high - low) or 1)
        self.width = (WIDTH - 2 * LEFT) / values.size
        self.line(0.0, "grid")

    def y(self, value: float) -> float:
        return self._bottom - (value - self._low) * self._scale

    def x(self, k: float) -> float:
        return LEFT + (k + 0.5) * self.width

    def line(self, value: float, style: str) -> None:
        self._svg.line([(LEFT, self.y(value)), (WIDTH - LEFT, self.y(value))], style)

    def bar(self, k: float, value: float, style: str, part: float = 0.8) -> None:
        """`part` of the width of an element."""
        top, bottom = sorted((self.y(value), self.y(0.0)))
        left = self.x(k) - self.width * part / 2
        self._svg.box(left, top, self.width * part, max(bottom - top, 1), style)

    def steps(self, values: np.ndarray) -> None:
        for k, value in enumerate(values):
            if k > 0:
                middle = (self.x(k) + self.x(k - 1)) / 2
                before = self.y(float(values[k - 1]))
                line = [(self.x(k - 1), before), (middle, before)]
                line += [(middle, self.y(float(value))), (self.x(k), self.y(float(value)))]
                self._svg.line(line, "back")
            changed = k == 0 or value != values[k - 1]
            self._svg.circle(self.x(k), self.y(float(value)), 3.2 if changed else 1.6)


def draw_tree(
    svg: Svg, tree: Tree, place: Callable[[int], float], bottom: float, step: float
) -> tuple[float, float]:
    """Additions above their parts. `place`: x of a leaf. Gives the place of the result."""
    if isinstance(tree, int):
        return place(tree), bottom
    parts = [draw_tree(svg, part, place, bottom, step) for part in tree]
    x, y = (parts[0][0] + parts[1][0]) / 2, bottom - step * depth_of(tree)
    svg.line([parts[0], (parts[0][0], y), (parts[1][0], y), parts[1]], "back")
    return x, y


# ---- Reductions


def sum_picture(runs: Runs, spec: Any) -> str:
    tree = order_of(lambda rows: runs.sums(spec.name, rows), SUMMED)
    order, depth = leaves_of(tree), depth_of(tree)
    svg = Svg(f"{spec.name} of {SUMMED} elements: the order of its additions")
    width, bottom, step = 640, 190, 18
    size = (width - 2 * LEFT) / SUMMED
    places = {leaf: LEFT + (k + 0.5) * size for k, leaf in enumerate(order)}
    for k, leaf in enumerate(order):
        svg.heat(LEFT + k * size, bottom, size, 14, leaf / (SUMMED - 1))
    x, y = draw_tree(svg, tree, places.__getitem__, bottom, step)
    svg.line([(x, y), (x, y - 12)], "back")
    svg.circle(x, y - 12, 4, "hot")
    svg.text(x + 10, y - 9, spec.name, "text hot")
    svg.text(LEFT, 20, f"x[0] ... x[{SUMMED - 1}]", "text")
    starts = ", ".join(f"x[{leaf}]" for leaf in order[:6])
    svg.text(LEFT, bottom + 32, f"from left to right: {starts}, ...", "small faint")
    told = f"darker: later elements; at most {depth} additions on the way"
    svg.text(LEFT, bottom + 48, told, "small faint")
    return svg.finish(width, bottom + 58)


def running(runs: Runs, name: str, x: np.ndarray) -> np.ndarray:
    """The result for the first element, the first two and so on."""
    rows = np.full((x.size, x.size), NEUTRAL.get(name, x[0]), np.float32)
    for k in range(x.size):
        rows[k, : k + 1] = x[: k + 1]
    found = runs.reduce(name, rows).astype(float)
    if name == "mean":
        found /= np.arange(1, x.size + 1)
    return np.sqrt(found) if name == "norm" else found


def reduction(runs: Runs, spec: Any) -> str:
    x = SAMPLES.get(spec.name, SAMPLE)
    results = running(runs, spec.name, x)
    svg = Svg(f"{spec.name} of {x.size} numbers is {number(results[-1])}")
    svg.text(LEFT, 20, "x", "text")
    panel = Panel(svg, 30, 80, x)
    for k, value in enumerate(x):
        changes = k == 0 or results[k] != results[k - 1]
        panel.bar(k, float(value), "soft" if changes else "box")
    svg.text(LEFT, 136, f"{spec.name} of the elements up to here", "text")
    below = Panel(svg, 148, 70, results)
    below.steps(results)
    svg.text(WIDTH - LEFT, 136, number(results[-1]), "text hot", "end")
    svg.circle(below.x(x.size - 1), below.y(results[-1]), 5, "hot")
    return svg.finish(WIDTH, 232)


# ---- Rows


def about(values: np.ndarray) -> str:
    parts = {"sum": values.sum(), "mean": values.mean(), "deviation": values.std()}
    return ", ".join(
        f"{name} {number(round(float(part), 5) + 0.0)}" for name, part in parts.items()
    )


def layer(runs: Runs, spec: Any) -> str:
    after = runs.layer(spec.name, SAMPLE).astype(float)
    svg = Svg(f"{spec.name}: a row before and after it")
    for top, name, values, style in ((0, "x", SAMPLE, "box"), (132, spec.name, after, "soft")):
        svg.text(LEFT, top + 20, name, "text")
        svg.text(WIDTH - LEFT, top + 20, about(values.astype(float)), "small faint", "end")
        panel = Panel(svg, top + 32, 80, values)
        for k, value in enumerate(values):
            panel.bar(k, float(value), style)
    return svg.finish(WIDTH, 256)


# ---- Losses


def loss(runs: Runs, spec: Any) -> str:
    prediction = np.float32([0.1, 0.7, 0.9, 0.3, 0.5, 0.95, 0.2, 0.4])
    target = np.float32([0, 1, 1, 0, 1, 1, 0, 1])
    if spec.name == "cross_entropy":  # of classes: the target is one of them
        prediction, target = SAMPLES[spec.name], np.float32([0, 0, 1, 0, 0, 0, 0, 0])
    pairs = zip(prediction, target, strict=True)
    terms = np.array([runs.loss(spec.name, p.reshape(1), t.reshape(1)) for p, t in pairs])
    result = runs.loss(spec.name, prediction, target) / target.size
    svg = Svg(f"{spec.name} of {target.size} predictions is {number(result)}")
    svg.text(LEFT, 20, "prediction", "text accent")
    svg.text(LEFT + 100, 20, "target", "text faint")
    panel = Panel(svg, 30, 80, target)
    for k, (p, t) in enumerate(zip(prediction, target, strict=True)):
        panel.bar(k - 0.2, float(p), "soft", 0.36)
        panel.bar(k + 0.2, float(t), "box", 0.36)
    svg.text(LEFT, 136, "its term of each", "text")
    svg.text(WIDTH - LEFT, 136, f"mean {number(result)}", "text hot", "end")
    below = Panel(svg, 148, 70, terms)
    for k, term in enumerate(terms):
        below.bar(k, float(term), "soft")
    below.line(result, "frame dash")
    return svg.finish(WIDTH, 232)


# ---- Products and movements: tiles with numbers


def shown(value: np.generic) -> str:
    return str(value) if np.issubdtype(value.dtype, np.integer) else number(float(value))


def tiles(svg: Svg, left: float, top: float, values: np.ndarray, width: float = TILE) -> None:
    finite = np.nan_to_num(values.astype(float))
    low, high = float(finite.min()), float(finite.max())
    for (i, j), value in np.ndenumerate(values):
        x, y = left + j * width, top + i * TILE
        svg.heat(x, y, width, TILE, 0.75 * (float(finite[i, j]) - low) / ((high - low) or 1))
        svg.box(x, y, width, TILE, "tile")
        svg.text(x + width / 2, y + TILE / 2 + 4, shown(value), "small", "middle")


def frame(svg: Svg, left: float, top: float, columns: int, rows: int) -> None:
    svg.box(left, top, columns * TILE, rows * TILE, "frame")


def product(runs: Runs, spec: Any) -> str:
    """A on the left, B above, and the result where rows and columns meet."""
    m, n = {"dot": (1, 1), "matvec": (4, 1)}.get(spec.name, (4, 5))
    at = np.arange(m * INNER + INNER * n)
    digits = (3 * at * at + 5 * at) % 11 // 2
    a = np.float32(digits[: m * INNER]).reshape(m, INNER)
    b = np.float32(digits[m * INNER :]).reshape(INNER, n)
    c = runs.product(spec.name, a, b)
    row, column = m // 2, n // 2
    left, top = 2 * LEFT + INNER * TILE, 28
    below = top + INNER * TILE + LEFT
    svg = Svg(f"{spec.name}: an element is a row times a column, summed in a fixed order")
    first, second = spec.arrays
    svg.text(LEFT, below - 8, first, "text")
    svg.text(left, top - 8, second, "text")
    tiles(svg, LEFT, below, a)
    tiles(svg, left, top, b)
    tiles(svg, left, below, c)
    frame(svg, LEFT, below + row * TILE, INNER, 1)
    frame(svg, left + column * TILE, top, 1, INNER)
    frame(svg, left + column * TILE, below + row * TILE, 1, 1)
    tree = order_of(lambda rows: runs.sums(spec.name, rows), INNER)
    step, gap = 14, (WIDTH - 2 * LEFT) / INNER
    bottom = below + m * TILE + 44 + depth_of(tree) * step
    order = leaves_of(tree)
    x, y = draw_tree(svg, tree, lambda k: LEFT + (order.index(k) + 0.5) * gap, bottom, step)
    svg.line([(x, y), (x, y - 10)], "back")
    svg.circle(x, y - 10, 4, "hot")
    svg.text(x + 9, y - 7, number(float(c[row, column])), "text hot")
    for k in range(INNER):
        factors = f"{number(float(a[row, k]))}*{number(float(b[k, column]))}"
        svg.text(LEFT + (order.index(k) + 0.5) * gap, bottom + 16, factors, "small", "middle")
    names = [str(k) for k in range(INNER)]
    svg.text(LEFT, bottom + 36, f"terms: {text_of(tree, names)}", "small faint")
    return svg.finish(WIDTH, bottom + 46)


def movement(runs: Runs, spec: Any) -> str:
    x = np.float32([[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]])
    arrays = {"x": x}
    if spec.name == "cast":
        arrays = {"x": np.float32([[-2.7], [-0.5], [0.5], [2.7], [3e9], [np.nan]])}
    if spec.name == "where":
        arrays = {
            "condition": np.uint8([[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]]),
            "a": x,
            "b": -x,
        }
    out = runs.move(spec.name, arrays)
    svg = Svg(f"{spec.name}: the arrays before and after it")
    given = {} if spec.name == "fill" else arrays
    at = float(LEFT)
    tallest = max(array.shape[0] for array in (*arrays.values(), out))
    for name, values in {**given, "out": out}.items():
        longest = max(len(shown(value)) for value in values.ravel())
        width = max(TILE - 4, longest * LETTER + 8)
        if name == "out":
            middle = 28 + tallest * TILE / 2
            svg.arrow([(at, middle), (at + 34, middle)])
            at += 44
        svg.text(at, 20, spec.name if name == "out" else name, "text")
        tiles(svg, at, 28, values, width)
        at += width * values.shape[1] + 14
    return svg.finish(max(at, 200), 28 + tallest * TILE + 12)


FAMILIES: dict[str, Callable[[Runs, Any], str]] = {
    "reduction": reduction,
    "row": layer,
    "loss": loss,
    "product": product,
    "movement": movement,
}


def picture_of(runs: Runs, spec: Any) -> str:
    return sum_picture(runs, spec) if spec.name == "sum" else FAMILIES[spec.family](runs, spec)
