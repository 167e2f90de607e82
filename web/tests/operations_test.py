#!/usr/bin/env python3
"""Each operation of the table has its picture, formula, error and speed on the page of the site,
and the orders of additions that pictures show are those that the kernels have.

usage: operations_test.py HOLOGRAM SITE
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

WEB = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(WEB))
from operation_pictures import INNER, SUMMED, running  # noqa: E402
from operation_runs import LANES, Runs  # noqa: E402
from operations import load_table  # noqa: E402
from sum_order import Tree, depth_of, leaves_of, order_of  # noqa: E402

ROWS = 50
PNG = b"\x89PNG\r\n\x1a\n"


def picture_errors(site: Path, name: str, row: str) -> list[str]:
    """`row`: of the page, as HTML."""
    found = re.search(rf'<img[^>]* src="(ops/{name}\.(?:png|svg))"', row)
    if found is None:
        return [f"{name} has no picture"]
    data = (site / found[1]).read_bytes()
    if found[1].endswith(".png"):
        return [] if data.startswith(PNG) else [f"{found[1]} is no picture"]
    root = ElementTree.fromstring(data.decode())
    shapes = [element for element in root if element.tag.endswith(("rect", "path", "circle"))]
    title = root.find("{http://www.w3.org/2000/svg}title")
    says = title is not None and (title.text or "").startswith(name)
    return [] if says and len(shapes) > INNER else [f"{found[1]} shows nothing"]


def text_errors(name: str, row: str) -> list[str]:
    cells = [re.sub("<[^>]+>", "", cell) for cell in re.findall(r"<td>(.*?)</td>", row, re.DOTALL)]
    _, formula, error, speed = cells
    wrong = {"formula": formula == "", "error": error == "", "speed": " ns an element" not in speed}
    return [f"{name} has no {what}: {cells}" for what, is_wrong in wrong.items() if is_wrong]


def page_errors(site: Path) -> list[str]:
    page = (site / "operations.html").read_text(encoding="utf-8")
    rows = re.findall(r"<tr>\s*<td><code>(\w+)</code></td>(.*?)</tr>", page, re.DOTALL)
    by_name = dict(rows)
    names = list(load_table().TABLE)
    errors = [] if list(by_name) == names else [f"the page has {list(by_name)}, not {names}"]
    for name in names:
        errors += picture_errors(site, name, by_name.get(name, ""))
        errors += text_errors(name, by_name[name]) if name in by_name else []
    return errors


def added(tree: Tree, rows: np.ndarray) -> np.ndarray:
    """The sums of the rows in f32, in the order of the tree."""
    if isinstance(tree, int):
        return rows[:, tree]
    return added(tree[0], rows) + added(tree[1], rows)


def known_orders() -> list[str]:
    """Of sums whose order is plain to see."""

    def chain(rows: np.ndarray) -> np.ndarray:
        return np.add.accumulate(rows, axis=1, dtype=np.float32)[:, -1]

    def halves(rows: np.ndarray) -> np.ndarray:
        while rows.shape[1] > 1:
            half = rows.shape[1] // 2
            rows = rows[:, :half] + rows[:, half:]
        return rows[:, 0]

    wanted: list[tuple[Callable[[np.ndarray], np.ndarray], Tree]] = [
        (chain, (((0, 1), 2), 3)),
        (halves, ((0, 2), (1, 3))),
        (lambda rows: chain(rows[:, ::-1]), (0, (1, (2, 3)))),
    ]
    return [
        f"the order of a sum: {found}, not {tree}"
        for function, tree in wanted
        if (found := order_of(function, 4)) != tree
    ]


def order_errors(runs: Runs) -> list[str]:
    """Sums of other numbers have the bits of the order that was found."""
    errors = []
    random = np.random.default_rng(29)
    for name, n in (("sum", SUMMED), ("dot", INNER), ("matvec", INNER), ("gemm", INNER)):
        tree = order_of(lambda rows, name=name: runs.sums(name, rows), n)
        rows = np.float32(random.normal(size=(ROWS, n)) * 10.0 ** random.integers(-3, 3, (ROWS, n)))
        found = runs.sums(name, rows)
        if (
            sorted(leaves_of(tree)) != list(range(n))
            or found.tobytes() != added(tree, rows).tobytes()
        ):
            errors.append(f"{name} adds in another order than {tree}")
        if name == "gemm" and depth_of(tree) != n - 1:
            errors.append("an element of gemm is no sum in order")
        if name == "sum" and leaves_of(tree)[:3] != [0, LANES, 2 * LANES]:
            errors.append("a lane of sum does not take its elements in order")
    return errors


def reduction_errors(runs: Runs) -> list[str]:
    """The results up to each element, which other numbers follow in the arrays of the kernels."""
    x = np.float32([2, -3, 0.5, 4, -1, 4, 0, 1])
    plain = {
        "mean": np.mean, "prod": np.prod, "min": np.min, "max": np.max, "argmin": np.argmin,
        "argmax": np.argmax, "any": np.any, "all": np.all, "norm": np.linalg.norm,
    }  # fmt: skip
    errors = []
    for name, function in plain.items():
        wanted = [float(function(x[: k + 1])) for k in range(x.size)]
        if not np.allclose(running(runs, name, x), wanted, rtol=1e-6):
            errors.append(f"{name} up to each element: not {wanted}")
    return errors


def main() -> int:
    runs, site = Runs(str(Path(sys.argv[1]).resolve())), Path(sys.argv[2])
    errors = [*page_errors(site), *known_orders(), *order_errors(runs), *reduction_errors(runs)]
    for error in errors:
        print("FAIL", error)
    print(f"operations: {len(load_table().TABLE)} on the page, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
