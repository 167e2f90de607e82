#!/usr/bin/env python3
"""The live programs of the site in headless Chromium, without a network: the picture moves, and its
first frames have the hash that native code gave.

usage: live_test.py SITE [--pictures FOLDER]
"""

from __future__ import annotations

import argparse
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


def draw(browser: Browser) -> str:
    """An example is recognised once enough is learned, and a drawing is taken for some digit."""
    browser.evaluate("document.getElementById('example').click()")
    known = "document.getElementById('label').dataset.label"
    browser.wait_for(f"document.getElementById('digit').textContent === {known}", SLOWEST)
    browser.evaluate("document.getElementById('clear').click()")
    browser.wait_for("document.getElementById('digit').textContent === ''", SLOWEST)
    script = """(() => {
      const canvas = document.getElementById('drawing');
      const box = canvas.getBoundingClientRect();
      for (let k = 1; k < 8; ++k) {
        canvas.dispatchEvent(new PointerEvent('pointermove', {
          buttons: 1, clientX: box.left + box.width / 2, clientY: box.top + box.height * k / 8}));
      }
    })()"""
    browser.evaluate(script)
    found = browser.wait_for("document.getElementById('digit').textContent", SLOWEST)
    return "" if found in set("0123456789") else f"the drawing is taken for {found!r}"


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
