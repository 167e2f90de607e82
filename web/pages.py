#!/usr/bin/env python3
"""Lays out the pages of the site: docs/ and README.md as they are, with links that fit, and the
pages that are made of other files: the gallery and the reference of Python.

usage: pages.py OUT
"""

from __future__ import annotations

import html
import json
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WEB = ROOT / "web"
LINK = re.compile(r"(!?\[[^\]\n]*\]\()([^)\s]+)(\))")
# Fences of the pages have words for tests behind the language: ```python file=blur.py
FENCE = re.compile(r"^(\s*```)(\w*) [^\n`]*$", re.MULTILINE)
MODULES = (
    "hologram",
    "hologram.ops",
    "hologram.lang",
    "hologram.errors",
    "hologram.nn",
    "hologram.torch",
)


def linked(code: str) -> str:
    """A page that is named in the text, `docs/math.md`, is a link here."""
    match = re.fullmatch(r"`docs/([\w-]+\.md)`", code)
    return f"[`{match[1]}`]({match[1]})" if match and (ROOT / "docs" / match[1]).exists() else code


def moved(text: str) -> str:
    """Pages of docs/ and of the root lie side by side here."""

    def target(match: re.Match[str]) -> str:
        path = match[2]
        if not path.startswith(("http:", "https:", "#")):
            path = re.sub(r"^(\.\./)?(docs/)?", "", path)
        return match[1] + path + match[3]

    text = "".join(
        linked(part) if k % 2 else part.replace("][", "]\\[")  # two indices are no link
        for k, part in enumerate(re.split(r"(```.*?```|`[^`\n]*`)", text, flags=re.DOTALL))
    )
    languages = {"console": "console", "": "text"}
    text = LINK.sub(target, text)
    return FENCE.sub(lambda match: match[1] + languages.get(match[2], match[2]), text)


def copy_pages(out: Path) -> None:
    pages = {path.name: path for path in sorted((ROOT / "docs").glob("*.md"))}
    pages |= {name: ROOT / name for name in ("CONTRIBUTING.md", "SECURITY.md")}
    for name, path in pages.items():
        (out / name).write_text(moved(path.read_text(encoding="utf-8")), encoding="utf-8")
    readme = moved((ROOT / "README.md").read_text(encoding="utf-8"))
    buttons = (
        "\n[Try it in the browser](playground/index.html){ .md-button .md-button--primary } "
        "[Tutorial](tutorial.md){ .md-button } [Gallery](gallery.md){ .md-button }\n"
    )
    title, _, rest = readme.partition("\n")
    (out / "index.md").write_text(f"{title}\n{buttons}{rest}", encoding="utf-8")
    for path in (ROOT / "docs").glob("*.svg"):
        shutil.copy(path, out)
    shutil.copy(ROOT / "docs/kernel.schema.json", out)


def write_gallery(out: Path, programs: dict, live: list[dict]) -> None:
    cards = [
        f'<a class="card" href="playground/live.html#{program["id"]}">'
        f'<img src="gallery/live-{program["id"]}.png" alt="{html.escape(program["title"])}">'
        f"<strong>{html.escape(program['title'])}, live</strong><span>{program['text']}</span></a>"
        for program in live
        if (out / f"gallery/live-{program['id']}.png").exists()
    ]
    for program in [*programs["examples"], *programs["lessons"]]:
        picture = f"gallery/{program['id']}.png"
        if not (out / picture).exists():
            continue
        cards.append(
            f'<a class="card" href="playground/index.html#{program["id"]}">'
            f'<img src="{picture}" alt="Result of {html.escape(program["title"])}" loading="lazy">'
            f"<strong>{html.escape(program['title'])}</strong><span>{program['text'][0]}</span></a>"
        )
    page = (
        "# Gallery\n\nEach picture is what the kernel writes, made by the native command when "
        "this site was built. A click opens the program in the playground, which gives the same "
        "bits; live programs run there as compiled kernels ([WebAssembly](webassembly.md)).\n\n"
        f'<div class="gallery">\n{"".join(card + chr(10) for card in cards)}</div>\n'
    )
    (out / "gallery.md").write_text(page, encoding="utf-8")


def write_reference(out: Path) -> None:
    (out / "reference").mkdir(exist_ok=True)
    parts = [f"::: {module}\n" for module in MODULES]
    text = (
        "# Python, by name\n\nWritten from the sources. [Python](../python.md) is the manual.\n\n"
    )
    (out / "reference/python.md").write_text(text + "\n".join(parts), encoding="utf-8")


def main() -> int:
    out = Path(sys.argv[1])
    copy_pages(out)
    shutil.copy(WEB / "theme/logo.svg", out)
    shutil.copy(WEB / "theme/site.css", out)
    programs, live = (
        json.loads((WEB / f"playground/{name}.json").read_text(encoding="utf-8"))
        for name in ("programs", "live")
    )
    write_gallery(out, programs, live)
    write_reference(out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
