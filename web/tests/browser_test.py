#!/usr/bin/env python3
"""The playground in headless Chromium, without a network: every program gives the native command's
bits or its error, and what a user does works.

usage: browser_test.py HOLOGRAM HOLOGRAM.WASM SITE [--pictures FOLDER]
HOLOGRAM is the native command, SITE the built site. Screenshots are left in FOLDER.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

WEB = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(WEB), str(Path(__file__).parent)]
from browser import Browser, PageError, serve  # noqa: E402
from build_programs import load_programs, run_program  # noqa: E402

SETTLED = "Number(document.getElementById('view').dataset.settled ?? 0)"
READY = "document.getElementById('python').textContent === 'Python is ready'"
# The bars of the site, in seconds, on a machine with nothing else to do; here they are printed.
FIRST_RESULT, FIRST_PYTHON = 0.3, 3


class Player:
    def __init__(self, browser: Browser, address: str) -> None:
        self.browser = browser
        self.page = f"{address}/playground/index.html"

    def open(self, fragment: str) -> None:
        self.browser.open(f"{self.page}#{fragment}")
        self.browser.wait_for(f"{SETTLED} > 0")

    def text(self, name: str) -> str:
        return str(self.browser.evaluate(f"document.getElementById('{name}').textContent"))

    def result(self) -> dict[str, str]:
        script = """({
          hash: document.getElementById('view').dataset.hash,
          fault: document.querySelector('#view .fault')?.textContent ?? '',
          problems: document.getElementById('problems').textContent,
        })"""
        return dict(self.browser.evaluate(script))

    def type(self, text: str) -> None:
        """In place of the source, and waits for what comes of it."""
        self.browser.wait_for(READY, 120)
        script = f"""(() => {{
          document.getElementById('problems').textContent = '';
          const source = document.getElementById('source');
          source.value = {json.dumps(text)};
          source.dispatchEvent(new Event('input'));
          return {SETTLED};
        }})()"""
        before = self.browser.evaluate(script)
        problems = "document.getElementById('problems').textContent !== ''"
        self.browser.wait_for(f"{SETTLED} > {before} || {problems}")


def expected(hologram: str, wasm: str, program: dict) -> dict[str, str]:
    result = run_program(hologram, wasm, program)
    if isinstance(result, str):
        # The command adds the line of the source.
        errors = [line for line in result.splitlines() if ": error: " in line]
        return {"hash": "", "fault": "\n".join(errors), "problems": ""}
    data = b"".join(array.tobytes() for array in result.values())
    return {"hash": hashlib.sha256(data).hexdigest(), "fault": "", "problems": ""}


def check(found: object, wanted: object) -> None:
    if found != wanted:
        raise PageError(f"found {found}, expected {wanted}")


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


def play_edited(player: Player, name: str, program: dict, wanted: dict[str, str]) -> None:
    player.open(name)
    player.type(program["python"])
    check(player.result(), wanted)


def wrong_source(player: Player) -> None:
    player.open("first")
    player.type("from hologram.lang import f32\n\n\ndef f(x: f32):\n    y = x +\n")
    if "kernel.py:5:" not in player.text("problems"):
        raise PageError(f"no error at line 5: {player.text('problems')}")
    check(player.browser.evaluate("document.querySelector('#gutter .bad').textContent"), "5")


def share_link(player: Player, text: str) -> None:
    player.open("first")
    player.type(text)
    first = player.result()
    player.browser.evaluate("document.getElementById('share').click()")
    link = player.browser.wait_for("location.hash.startsWith('#k=') && location.href")
    player.browser.open(link)
    player.browser.wait_for(f"{SETTLED} > 0", 120)
    check(player.browser.evaluate("document.getElementById('source').value"), text)
    check(player.result(), first)


def views_by_keyboard(player: Player) -> None:
    player.open("fusion")
    key = "new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true})"
    for _ in range(5):
        player.browser.evaluate(
            f"document.querySelector('[aria-selected=true]').dispatchEvent({key})"
        )
        if player.text("view") == "":
            raise PageError(f"the view {player.text('tabs')} is empty")
    check(player.browser.evaluate("document.activeElement.getAttribute('aria-selected')"), "true")


def search(player: Player) -> None:
    """The documents are searched in the page."""
    player.browser.open(player.page.replace("playground/index.html", "index.html"))
    player.browser.wait_for("document.querySelector('.md-search__input') !== null")
    player.browser.evaluate("document.querySelector('.md-search__input').focus()")
    player.browser.call("Input.insertText", text="counterexample")
    player.browser.wait_for("document.querySelectorAll('.md-search-result__item').length > 0")


def fits_a_phone(player: Player, folder: Path) -> None:
    player.browser.resize(390, 844)
    player.open("mandelbrot")
    wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    player.browser.screenshot(folder / "phone.png")
    check(player.browser.evaluate(wide), False)
    player.browser.resize(1400, 900)


def names_for_readers(player: Player) -> None:
    """Every control has a name for screen readers."""
    player.open("sobel")
    script = """[...document.querySelectorAll('button, input, select, textarea')]
      .filter((it) => !(it.textContent.trim() || it.ariaLabel || it.labels?.length))
      .map((it) => it.id)"""
    check(player.browser.evaluate(script), [])


class Steps:
    """Runs steps, and counts them."""

    def __init__(self) -> None:
        self.passed = self.failed = 0

    def run(self, name: str, action: Callable[..., None], *values: object) -> None:
        try:
            action(*values)
            self.passed += 1
        except PageError as error:
            self.failed += 1
            print(f"FAIL {name}: {error}")


def play(player: Player, program: dict, wanted: dict[str, str], folder: Path) -> None:
    player.open(program["id"])
    player.browser.screenshot(folder / f"{program['id']}.png")
    player.browser.evaluate("document.getElementById('tab-result').click()")
    check(player.result(), wanted)


def print_times(player: Player) -> None:
    start = time.monotonic()
    player.open("first")
    shown = time.monotonic() - start
    script = """performance.getEntriesByName('result')[0].startTime
        - performance.getEntriesByType('navigation')[0].loadEventEnd"""
    loaded = float(player.browser.evaluate(script)) / 1000
    player.browser.wait_for(READY, 120)
    ready = time.monotonic() - start
    print(
        f"first result {loaded:.2f} s after the page is loaded (bar {FIRST_RESULT}), "
        f"{shown:.2f} s after it is asked for, "
        f"Python after {ready:.2f} s (bar {FIRST_PYTHON})"
    )


def play_all(player: Player, hologram: str, wasm: str, folder: Path) -> Steps:
    programs = load_programs(hologram)
    steps = Steps()
    for program in [*programs["lessons"], *programs["examples"]]:
        steps.run(program["id"], play, player, program, expected(hologram, wasm, program), folder)
    edited = edited_lessons(programs)
    for name, program in edited:
        wanted = expected(hologram, wasm, program)
        steps.run(f"{name}, edited", play_edited, player, name, program, wanted)
    steps.run("an error at its line", wrong_source, player)
    steps.run("a link", share_link, player, edited[0][1]["python"])
    steps.run("views by the keyboard", views_by_keyboard, player)
    steps.run("names for screen readers", names_for_readers, player)
    steps.run("search", search, player)
    steps.run("a phone", fits_a_phone, player, folder)
    return steps


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("hologram")
    parser.add_argument("wasm")
    parser.add_argument("site", type=Path)
    parser.add_argument("--pictures", type=Path, default=Path("build/site-pictures"))
    options = parser.parse_args()
    options.pictures.mkdir(parents=True, exist_ok=True)
    hologram, wasm = (str(Path(path).resolve()) for path in (options.hologram, options.wasm))
    requests: list[str] = []
    with serve(options.site) as address:
        browser = Browser(requests)
        browser.resize(1400, 900)
        player = Player(browser, address)
        print_times(player)
        steps = play_all(player, hologram, wasm, options.pictures)
        here = (address, "data:", "about:", "blob:")
        elsewhere = [url for url in requests if not url.startswith(here)]
        steps.run("nothing from other hosts", check, elsewhere, [])
        steps.run("no error in the console", check, browser.problems, [])
        browser.close()
    print(f"playground: {steps.passed} passed, {steps.failed} failed")
    return 1 if steps.failed else 0


if __name__ == "__main__":
    sys.exit(main())
