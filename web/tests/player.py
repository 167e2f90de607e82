"""The playground in a browser, as a user has it."""

from __future__ import annotations

import json

from browser import Browser, PageError

SETTLED = "Number(document.getElementById('view').dataset.settled ?? 0)"
LOADED = 300  # seconds until Python is there, on a machine that does much else
READY = "document.getElementById('python').textContent === 'Python is ready'"


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

    def type(self, text: str, wait: bool = True) -> None:
        """In place of the source, once Python is there if `wait`; waits for what comes of it."""
        if wait:
            self.browser.wait_for(READY, LOADED)
        script = f"""(() => {{
          document.getElementById('problems').textContent = '';
          const source = document.getElementById('source');
          source.value = {json.dumps(text)};
          source.dispatchEvent(new Event('input'));
          return {SETTLED};
        }})()"""
        before = self.browser.evaluate(script)
        problems = "document.getElementById('problems').textContent !== ''"
        self.browser.wait_for(f"{SETTLED} > {before} || {problems}", LOADED)


def check(found: object, wanted: object) -> None:
    if found != wanted:
        raise PageError(f"found {found}, expected {wanted}")
