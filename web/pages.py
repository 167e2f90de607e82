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

from blocks import blocks_of
from commands import commands_of
from whole import has_numpy, reason_of

ROOT = Path(__file__).resolve().parents[1]
WEB = ROOT / "web"
LINK = re.compile(r"(!?\[(?:[^\]\n]|\n(?!\n))*\]\()([^)\s]+)(\))")
# Fences of the pages have words for tests behind the language: ```python file=blur.py
FENCE = re.compile(r"^(\s*```)(\w*) [^\n`]*$", re.MULTILINE)
MODULES = (
    "hologram",
    "hologram.ops",
    "hologram.lang",
    "hologram.errors",
    "hologram.nn",
    "hologram.torch",
    "hologram.search",
    "hologram.qsim",
    "hologram.cycle768",
    "hologram.streams",
)


SAME_BITS = """
## Programs of this site

When this site was built, native code and the interpreter in WebAssembly ran the programs of the
gallery and the examples of these pages, and their results were compared; a difference would have
ended the build. The links run them in this browser: the playground shows the hash of its result,
which begins with the digits of the last column.
"""


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


def with_buttons(page: str, text: str, runs: dict[str, dict], with_numpy: bool) -> str:
    """Links to the playground behind each Python block and each command that it opens, and behind
    the other blocks the reason."""
    links: dict[int, list[str]] = {}  # by where the page goes on
    for block in blocks_of(page, text):
        reason = "" if block.id in runs else reason_of(block, with_numpy)
        link = not_run(block.id, reason) if reason else run_link(runs[block.id], "Run this")
        links.setdefault(block.end, []).append(link)
    for command in commands_of(page, text):
        if command.id in runs:
            words = "Run this" if command.view == "result" else "Look at this"
            links.setdefault(command.end, []).append(run_link(runs[command.id], words))
    for end in sorted(links, reverse=True):
        text = f"{text[:end]}\n{''.join(links[end])}\n{text[end:]}"
    return text


def not_run(name: str, reason: str) -> str:
    return f'<p class="not-run" id="{name}">Not run in the browser: {html.escape(reason)}</p>'


def run_link(program: dict, words: str) -> str:
    link = f'<a href="playground/index.html#{program["id"]}">{words}</a>'
    loads = f" (loads {program['loads']}, once)" if "loads" in program else ""
    return f'<p class="run">{link}{loads}</p>'


def copy_pages(out: Path, runs: dict[str, dict]) -> None:
    with_numpy = has_numpy(out / "playground")

    def buttons_in(page: str, path: Path) -> str:
        return with_buttons(page, path.read_text(encoding="utf-8"), runs, with_numpy)

    pages = {path.name: path for path in sorted((ROOT / "docs").glob("*.md"))}
    pages |= {name: ROOT / name for name in ("CONTRIBUTING.md", "SECURITY.md")}
    for name, path in pages.items():
        (out / name).write_text(moved(buttons_in(path.stem, path)), encoding="utf-8")
    readme = moved(buttons_in("index", ROOT / "README.md"))
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


def write_same_bits(out: Path) -> None:
    """The page has the kernels of the tree already."""
    rows = json.loads((out / "playground/same-bits.json").read_text(encoding="utf-8"))
    lines = [
        f"| [{row['title']}](playground/index.html#{row['id']}) | equal | `{row['hash'][:16]}` |"
        for row in rows
    ]
    programs = json.loads((out / "playground/live-programs.json").read_text(encoding="utf-8"))
    frames = [
        f"| [{program['title']}](playground/live.html#{program['id']}) | {program['test']} | "
        f"`{program['hash'][:16]}` |"
        for program in programs
    ]
    parts = (
        SAME_BITS,
        "| program | native code and WebAssembly | SHA-256 of the result |\n|---|---|---|",
        *lines,
        "\nLive programs are compiled to WebAssembly. *Compare with native* on their page runs the "
        "first frames again.\n\n| program | frames | SHA-256 of the last picture |\n|---|---|---|",
        *frames,
    )
    with (out / "same-bits.md").open("a", encoding="utf-8") as page:
        page.write("\n".join(parts) + "\n")


def write_charts(out: Path) -> None:
    """Of the last `make bench` here, if there was one, before the figures."""
    newest = ROOT / "out/figures.svg"
    if newest.exists():
        shutil.copy(newest, out / "figures.svg")
    page = out / "figures.md"
    title, _, rest = page.read_text(encoding="utf-8").partition("\n")
    page.write_text(f"{title}\n\n![Times against peers](figures.svg)\n{rest}", encoding="utf-8")


def write_reference(out: Path) -> None:
    (out / "reference").mkdir(exist_ok=True)
    parts = [f"::: {module}\n" for module in MODULES]
    text = (
        "# Python, by name\n\nWritten from the sources. [Python](../python.md) is the manual.\n\n"
    )
    (out / "reference/python.md").write_text(text + "\n".join(parts), encoding="utf-8")


def main() -> int:
    out = Path(sys.argv[1])
    examples = json.loads((out / "playground/examples.json").read_text(encoding="utf-8"))
    copy_pages(out, {example["id"]: example for example in examples})
    shutil.copy(WEB / "theme/logo.svg", out)
    shutil.copy(WEB / "theme/site.css", out)
    programs, live = (
        json.loads((WEB / f"playground/{name}.json").read_text(encoding="utf-8"))
        for name in ("programs", "live")
    )
    write_gallery(out, programs, live)
    write_reference(out)
    write_same_bits(out)
    write_charts(out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
