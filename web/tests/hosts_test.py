#!/usr/bin/env python3
"""The built site asks nothing of other hosts, and its links lead to what is there.

usage: hosts_test.py SITE
Links that a reader follows may lead elsewhere; what a browser loads by itself may not.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Attributes by which a browser loads something.
LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
QUIET_LINKS = {"canonical", "next", "prev", "alternate"}
REMOTE = re.compile(r"^(?:https?:)?//")
STYLE = re.compile(r"""(?:url\(\s*|@import\s+)["']?((?:https?:)?//[^"')\s]+)""")
SCRIPT = re.compile(
    r"""(?:import\s*\(?|fetch\(|importScripts\(|new Worker\()\s*["'`]((?:https?:)?//[^"'`]+)"""
)


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        self.places |= {values[name] for name in ("id", "name") if name in values}
        if LOADS.get(tag) in values and values.get("rel") not in QUIET_LINKS:
            self.loads.append(values[LOADS[tag]])
        if tag == "a" and "href" in values:
            self.links.append(values["href"])


def broken(page: Path, link: str, site: Path, pages: dict[Path, Page]) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return False
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if parts.path.startswith("/"):
        target = (site / parts.path.lstrip("/")).resolve()
    if target.is_dir():
        target /= "index.html"
    if not target.exists():
        return True
    # The playground reads what is behind its #.
    if not parts.fragment or target not in pages or target.parent.name == "playground":
        return False
    return unquote(parts.fragment) not in pages[target].places


def main() -> int:
    site = Path(sys.argv[1]).resolve()
    errors = []
    pages = {path: Page(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        name = path.relative_to(site)
        errors += [f"{name} loads {url}" for url in page.loads if REMOTE.match(url)]
        # What Doxygen writes has links by scripts.
        if name.parts[:2] != ("reference", "cpp"):
            errors += [
                f"{name}: {link} leads nowhere"
                for link in page.links
                if broken(path, link, site, pages)
            ]
    for kinds, pattern in ((("*.css",), STYLE), (("*.js", "*.mjs"), SCRIPT)):
        for path in sorted(path for kind in kinds for path in site.rglob(kind)):
            name = path.relative_to(site)
            text = path.read_text("utf-8", errors="replace")
            errors += [f"{name} loads {url}" for url in pattern.findall(text)]
    for error in errors[:40]:
        print("FAIL", error)
    print(f"site: {len(pages)} pages, {len(errors)} errors")
    return 1 if errors or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
