#!/usr/bin/env python3
"""The playground in headless Chromium, without a network: every program gives the native command's
bits or its error, and what a user does works.

usage: browser_test.py HOLOGRAM HOLOGRAM.WASM SITE [--pictures FOLDER] [--approve] [--only TEXT]
HOLOGRAM is the native command, SITE the built site. Screenshots are left in FOLDER; --approve makes
those of web/tests/approved anew. --only runs the steps whose names the regular expression TEXT
matches somewhere.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import hashlib
import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

WEB = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(WEB), str(Path(__file__).parent)]
import features  # noqa: E402
import links  # noqa: E402
import screenshots  # noqa: E402
import whole  # noqa: E402
from blocks import all_blocks  # noqa: E402
from browser import Browser, PageError, serve  # noqa: E402
from build_programs import load_programs, run_program  # noqa: E402
from examples import all_commands  # noqa: E402
from player import SETTLED, Player, check  # noqa: E402

# The bars of the site, in seconds, on a machine with nothing else to do; here they are printed.
FIRST_RESULT, FIRST_PYTHON = 0.3, 3
TYPED = """from hologram.lang import DeviceArray, f32, get_global_id


def f(x: DeviceArray[f32]):
    x[get_global_id()] = 2.0
"""
MOST_BYTES, MOST_WITH_PYTHON = 800_000, 8_000_000


def expected(hologram: str, wasm: str, program: dict) -> dict[str, str]:
    if program.get("program"):
        text = whole.printed(program)
        return {"hash": hashlib.sha256(text.encode()).hexdigest(), "fault": "", "problems": ""}
    run = run_program(hologram, wasm, program)
    # The command adds the line of the source, and its own options.
    text = run.error.replace("--grid ", "grid ").replace("--block ", "block ")
    errors = [line for line in text.splitlines() if ": error: " in line]
    return {"hash": run.hash, "fault": "\n".join(errors), "problems": ""}


def edited_lessons(programs: dict[str, list[dict]]) -> list[tuple[str, dict]]:
    """What the texts of the lessons ask the reader to try."""
    changes = {
        "first": ("- 0.5", "+ 0.25"),
        "bounds": ("src[i + 2]", "src[i + 1]"),
        "race": ("count[value[i] % 16] += 1", "atomic_add(count, value[i] % 16, 1)"),
        "shared": ("    barrier()\n", ""),
        "fusion": ("shift + x[i]", "shift - x[i]"),
    }
    edited = []
    for lesson in programs["lessons"]:
        before, after = changes[lesson["id"]]
        if before not in lesson["python"]:
            raise PageError(f"lesson {lesson['id']} has no {before!r}")
        text = lesson["python"].replace(before, after)
        if lesson["id"] == "race":
            text = text.replace("DeviceArray, ", "DeviceArray, atomic_add, ")
        edited.append((lesson["id"], {**lesson, "python": text}))
    return edited


def play_edited(player: Player, name: str, program: dict, wanted: features.Expected) -> None:
    player.open(name)
    player.type(program["python"])
    check(player.result(), wanted(program))


def wrong_source(player: Player) -> None:
    player.open("first")
    player.type("from hologram.lang import f32\n\n\ndef f(x: f32):\n    y = x +\n")
    if "kernel.py:5:" not in player.text("problems"):
        raise PageError(f"no error at line 5: {player.text('problems')}")
    check(player.browser.evaluate("document.querySelector('#gutter .bad').textContent"), "5")


def is_shown(tab: str) -> str:
    """Whether the view of a tab is there, which the engine makes when it is asked for."""
    return f"document.getElementById('view').dataset.tab === '{tab.removeprefix('tab-')}'"


def circuits(player: Player) -> None:
    """Both circuits of a kernel, side by side: each operation of its source, and what is left."""
    player.open("fusion")
    features.click(player, "tab-calls")
    player.browser.wait_for(is_shown("tab-calls"))
    script = """[...document.querySelectorAll('.circuits section')].map((side) =>
        [side.querySelector('h2').textContent, ...side.querySelector('pre').textContent.trim()
            .split('\\n').slice(1).map((call) => call.split('variant=')[1])])"""
    written = ["As written", "Mul", "Add", "Max", "Mul", "Add", "Max", "Add"]
    check(player.browser.evaluate(script), [written, ["Canonical", "Mul", "Add", "Max", "Add"]])


def views_by_keyboard(player: Player) -> None:
    player.open("fusion")
    key = "new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true})"
    for _ in range(5):
        player.browser.evaluate(
            f"document.querySelector('[aria-selected=true]').dispatchEvent({key})"
        )
        name = player.browser.evaluate("document.querySelector('[aria-selected=true]').id")
        if name not in ("tab-result", "tab-steps"):
            player.browser.wait_for(is_shown(name))
        if player.text("view") == "":
            raise PageError(f"the view {name} is empty")
    check(player.browser.evaluate("document.activeElement.getAttribute('aria-selected')"), "true")


def search(player: Player) -> None:
    """The documents are searched in the page."""
    player.browser.open(player.page.replace("playground/index.html", "index.html"))
    player.browser.wait_for("document.querySelector('.md-search__input') !== null")
    player.browser.evaluate("document.querySelector('.md-search__input').focus()")
    player.browser.call("Input.insertText", text="counterexample")
    player.browser.wait_for("document.querySelectorAll('.md-search-result__item').length > 0")


class Steps:
    """Runs steps, and counts them."""

    def __init__(self, only: str) -> None:
        self.only = only
        self.passed = self.failed = 0

    def run(self, name: str, action: Callable[..., None], *values: object) -> None:
        if re.search(self.only, name) is None:
            return
        try:
            action(*values)
            self.passed += 1
        except PageError as error:
            self.failed += 1
            print(f"FAIL {name}: {error}")


def play(player: Player, program: dict, wanted: features.Expected, folder: Path) -> None:
    player.open(program["id"])
    player.browser.screenshot(folder / f"{program['id']}.png")
    player.browser.evaluate("document.getElementById('tab-result').click()")
    check(player.result(), wanted(program))


def print_times(player: Player) -> None:
    start = time.monotonic()
    player.open("first")
    shown = time.monotonic() - start
    script = """performance.getEntriesByName('result').at(-1).startTime
        - performance.getEntriesByType('navigation')[0].loadEventEnd"""
    loaded = float(player.browser.evaluate(script)) / 1000
    # What is typed at once waits for Python.
    player.type(TYPED, wait=False)
    typed = float(player.browser.evaluate(script)) / 1000
    print(
        f"first result {loaded:.2f} s after the page is loaded (bar {FIRST_RESULT}), "
        f"{shown:.2f} s after it is asked for, of typed Python {typed:.2f} s (bar {FIRST_PYTHON})"
    )


def check_bytes(served: list[str], site: Path) -> None:
    """What the page has loaded, compressed as servers do."""
    sizes = {False: 0, True: 0}
    for path in set(served):
        sizes["/pyodide/" in path] += len(gzip.compress((site / path.lstrip("/")).read_bytes(), 9))
    without, with_python = sizes[False], sizes[False] + sizes[True]
    print(
        f"compressed: {without:,} bytes without Python (bar {MOST_BYTES:,}), "
        f"{with_python:,} with it (bar {MOST_WITH_PYTHON:,})"
    )
    if without > MOST_BYTES or with_python > MOST_WITH_PYTHON:
        raise PageError("the page is too large")
    # Whole programs load these, nothing else does.
    early = [path for path in served if re.search(r"numpy|package\.zip|hologram-library", path)]
    check(early, [])


def play_programs(steps: Steps, player: Player, options: argparse.Namespace) -> None:
    programs = load_programs(options.hologram)
    both = [*programs["lessons"], *programs["examples"]]
    wanted = functools.partial(expected, options.hologram, options.wasm)
    for program in both:
        steps.run(program["id"], play, player, program, wanted, options.pictures)
    edited = edited_lessons(programs)
    for name, program in edited:
        steps.run(f"{name}, edited", play_edited, player, name, program, wanted)
    steps.run("an error at its line", wrong_source, player)
    steps.run("a link", links.of_text, player, edited[0][1]["python"])
    steps.run("a link of several arrays", links.of_arrays, player)
    steps.run("a link of a dropped file", links.of_file, player)
    by_id = {program["id"]: program for program in both}
    numbers = np.linspace(-3, 2, 50, dtype=np.float32)
    text = "\n".join(str(value) for value in numbers).encode()
    for name, data in (("numbers.npy", features.npy(numbers)), ("numbers.csv", text)):
        steps.run(f"drop {name}", features.drop_numbers, player, options.hologram, by_id["first"],
                  name, data)  # fmt: skip
    steps.run("drop a picture", features.drop_picture, player, options.hologram, by_id["sobel"])
    steps.run("drop another type", features.drop_other_type, player)
    steps.run("choose a file", features.choose_file, player)
    steps.run("hostile files", features.refuse_files, player)
    steps.run("steps of a lane", features.step_through, player)
    for program in both:
        if program["id"] != "race":  # it is refused, and no lane runs
            steps.run(f"steps of {program['id']}", features.step_program, player, program)


def play_examples(steps: Steps, player: Player, options: argparse.Namespace) -> None:
    path = options.site / "playground/examples.json"
    programs = json.loads(path.read_text(encoding="utf-8"))
    given = (options.site, programs, all_blocks(), all_commands())
    steps.run("examples have buttons", features.buttons, *given)
    player.open("first")
    wanted = functools.partial(expected, options.hologram, options.wasm)
    for program in programs:
        steps.run(f"example {program['id']}", features.play_example, player, program, wanted)
    for program in (program for program in programs if program.get("before")):
        steps.run(f"a link of {program['id']}", links.of_program, player, program, wanted)


PHONE_PAGES = (
    "index.html", "language.html", "ops.html", "operations.html", "gallery.html", "figures.html",
    "same-bits.html", "from-cuda.html", "reference/python.html",
    "playground/index.html#mandelbrot", "playground/live.html#life",
)  # fmt: skip
# Name, page, what is opened on it, and size of the screen.
SCREENS = (
    ("first", "playground/index.html#first", "", 1400, 900),
    ("fault", "playground/index.html#bounds", "", 1400, 900),
    ("steps", "playground/index.html#shared", "tab-steps", 1400, 900),
    ("circuit", "playground/index.html#fusion", "tab-calls", 1400, 900),
    ("phone", "playground/index.html#mandelbrot", "", 390, 844),
    ("gallery", "gallery.html", "", 1400, 900),
)
FEWEST_PICTURES = 15


def gallery(site: Path) -> None:
    """A card for each program: a picture that is there, and a link."""
    page = (site / "gallery.html").read_text(encoding="utf-8")
    pictures = re.findall(r'<a class="card" href="playground/[^"]+"><img src="([^"]+)"', page)
    missing = [name for name in pictures if not (site / name).exists()]
    check(missing, [])
    print(f"gallery: {len(pictures)} programs")
    if len(pictures) < FEWEST_PICTURES:
        raise PageError("the gallery has lost programs")


def screen(
    player: Player, shot: tuple[str, str, str, int, int], options: argparse.Namespace
) -> None:
    name, page, opened, width, height = shot
    player.browser.resize(width, height)
    try:
        player.browser.open(player.page.replace("playground/index.html", page))
        if page.startswith("playground"):
            player.browser.wait_for(f"{SETTLED} > 0")
        if opened:
            features.click(player, opened)
        if opened == "tab-calls":
            player.browser.wait_for(is_shown(opened))
        if opened == "tab-steps":
            features.click_when_there(player, "step-next")
        taken = screenshots.take(player.browser, width, height)
        screenshots.compare(player.browser, name, taken, options.pictures, options.approve)
    finally:
        player.browser.resize(1400, 900)


def use_pages(steps: Steps, player: Player, options: argparse.Namespace) -> None:
    steps.run("views by the keyboard", views_by_keyboard, player)
    steps.run("both circuits", circuits, player)
    steps.run("keys", features.keys, player)
    steps.run("names for screen readers", features.tree_for_readers, player)
    steps.run("search", search, player)
    steps.run("gallery", gallery, options.site)
    for page in PHONE_PAGES:
        steps.run(f"on a phone: {page}", features.fits, player, page)
    for shot in SCREENS:
        steps.run(f"as approved: {shot[0]}", screen, player, shot, options)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("hologram")
    parser.add_argument("wasm")
    parser.add_argument("site", type=Path)
    parser.add_argument("--pictures", type=Path, default=Path("build/site-pictures"))
    parser.add_argument("--approve", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    options.pictures.mkdir(parents=True, exist_ok=True)
    options.hologram, options.wasm = (
        str(Path(path).resolve()) for path in (options.hologram, options.wasm)
    )
    requests: list[str] = []
    served: list[str] = []
    with serve(options.site, served) as address:
        browser = Browser(requests)
        browser.resize(1400, 900)
        player = Player(browser, address)
        print_times(player)
        steps = Steps(options.only)
        steps.run("bytes", check_bytes, list(served), options.site)
        play_programs(steps, player, options)
        play_examples(steps, player, options)
        use_pages(steps, player, options)
        here = (address, "data:", "about:", "blob:")
        elsewhere = [url for url in requests if not url.startswith(here)]
        steps.run("nothing from other hosts", check, elsewhere, [])
        steps.run("no error in the console", check, browser.problems, [])
        browser.close()
    print(f"playground: {steps.passed} passed, {steps.failed} failed")
    return 1 if steps.failed else 0


if __name__ == "__main__":
    sys.exit(main())
