#!/usr/bin/env python3
"""The live programs of the site in headless Chromium, without a network: the picture moves, its
first frames have the hash that native code gave, and digits that are drawn are recognised.

usage: live_test.py SITE [--pictures FOLDER]
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from browser import Browser, PageError, serve

PICTURE = "document.getElementById('canvas').toDataURL()"
SLOWEST = 120  # seconds, with multiply-adds in software on a machine that does much else


def play(browser: Browser, page: str, program: dict, folder: Path) -> str:
    """Empty, or what is wrong."""
    browser.open(f"{page}#{program['id']}")
    browser.wait_for("document.body.dataset.ready === 'yes'", SLOWEST)
    title = browser.evaluate("document.getElementById('title').textContent")
    if title != program["title"]:
        return f"the page has {title!r}"
    first = browser.evaluate(PICTURE)
    browser.wait_for(f"{PICTURE} !== {json.dumps(first)}", SLOWEST)
    browser.evaluate("document.getElementById('check').click()")
    found = browser.wait_for("document.body.dataset.hash", SLOWEST)
    browser.screenshot(folder / f"live-{program['id']}.png")
    if found != program["hash"]:
        return f"found {found}, native code gave {program['hash']}"
    said = browser.evaluate("document.getElementById('same').textContent")
    return "" if "the same bits as native code" in said else f"the page has {said!r}"


# Lines of the pen for each digit, in pixels of the drawing: x from the left, y from the top.
STROKES = {
    "0": "4,.9 2.6,1.6 2,3.2 2,4.8 2.6,6.3 4,7.1 5.4,6.3 6,4.8 6,3.2 5.4,1.6 4,.9",
    "1": "2.6,2.2 4.2,.8 4.2,7.2",
    "2": "2.2,2 3,1 4.8,1 5.4,2.4 4.4,4.4 2.4,6.8 6,6.9",
    "3": "2.4,1.2 5,1 5.3,2.4 4,3.8 5.4,5 5,6.6 2.4,7",
    "4": "4.2,.8 2.2,4.4 6.2,4.4; 4.9,3 4.4,7.2",
    "5": "5.8,1 2.6,1 2.4,3.4 4.6,3.2 5.6,4.8 4.8,6.6 2.4,7",
    "6": "4.6,.8 3,2.6 2.4,5 3,6.8 4.8,7 5.6,5.4 4.4,4.2 2.8,4.8",
    "7": "2,1 6,1 5,3 4.2,5 3.6,7.2; 2.6,4.2 5.8,4.2",
    "8": "4,4 2.8,2.6 3.2,1.2 4.8,1.2 5.2,2.6 4,4 2.6,5.4 3,6.9 5,6.9 5.4,5.4 4,4",
    "9": "5.2,3.4 3.4,4 2.6,2.6 3.4,1.2 5,1.2 5.4,3 5,5.4 3.6,7.2",
}
SIDE = 8  # pixels of the drawing
MOVES = 4  # of the mouse on the way from one point to the next
DRAWING = "document.getElementById('drawing')"
DIGIT = "document.getElementById('digit').textContent"


def stroke(browser: Browser, points: list[tuple[float, float]]) -> None:
    """A line by the mouse, as a hand draws it."""
    box = browser.evaluate(
        f"(({{left, top, width, height}}) => [left, top, width, height])"
        f"({DRAWING}.getBoundingClientRect())"
    )

    def send(kind: str, x: float, y: float, buttons: int) -> None:
        place = {"x": box[0] + box[2] * x / SIDE, "y": box[1] + box[3] * y / SIDE}
        browser.call("Input.dispatchMouseEvent", type=kind, button="left", buttons=buttons,
                     clickCount=1, **place)  # fmt: skip

    send("mousePressed", *points[0], 1)
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        for k in range(1, MOVES + 1):
            send("mouseMoved", x0 + (x1 - x0) * k / MOVES, y0 + (y1 - y0) * k / MOVES, 1)
    send("mouseReleased", *points[-1], 0)


def draw(browser: Browser) -> str:
    """Once enough is learned an example is recognised, and each digit that the mouse draws."""
    browser.evaluate("document.getElementById('example').click()")
    known = "document.getElementById('label').dataset.label"
    browser.wait_for(f"{DIGIT} === {known}", SLOWEST)
    browser.evaluate(f"{DRAWING}.scrollIntoView()")
    for digit, lines in STROKES.items():
        browser.evaluate("document.getElementById('clear').click()")
        browser.wait_for(f"{DIGIT} === ''", SLOWEST)
        for line in lines.split(";"):
            points = [point.partition(",") for point in line.split()]
            stroke(browser, [(float(x), float(y)) for x, _, y in points])
        try:
            browser.wait_for(f"{DIGIT} === '{digit}'", SLOWEST)
        except PageError:
            return f"a drawn {digit} is taken for {browser.evaluate(DIGIT)!r}"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("site", type=Path)
    parser.add_argument("--pictures", type=Path, default=Path("build/site-pictures"))
    options = parser.parse_args()
    options.pictures.mkdir(parents=True, exist_ok=True)
    programs = json.loads((options.site / "playground/live-programs.json").read_text("utf-8"))
    requests: list[str] = []
    failed = 0
    with serve(options.site) as address:
        browser = Browser(requests)
        browser.resize(1400, 900)
        for program in programs:
            page = f"{address}/playground/live.html"
            try:
                wrong = play(browser, page, program, options.pictures)
                if not wrong and "drawn" in program["arrays"]:
                    wrong = draw(browser)
            except PageError as error:
                wrong = str(error)
            if wrong:
                failed += 1
                print(f"FAIL live {program['id']}: {wrong}")
        madd = browser.evaluate("document.getElementById('madd').textContent")
        problems = list(browser.problems)
        browser.close()
    elsewhere = [url for url in requests if not url.startswith((address, "data:", "about:"))]
    for text in (*elsewhere, *problems):
        failed += 1
        print(f"FAIL live: {text}")
    print(f"live: {len(programs)} programs, {madd}, {failed} failed")
    return 1 if failed or not programs else 0


if __name__ == "__main__":
    sys.exit(main())
