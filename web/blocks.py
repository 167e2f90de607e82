"""The Python blocks of the pages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(
    r"^(?P<indent> *)```python(?P<words>[^\n]*)\n(?P<text>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
COMMENT = re.compile(r"<!-- (\w+): ([^\n]*) -> ([^\n]*) -->\n\Z")


@dataclass(frozen=True)
class Block:
    """A ```python block of a page. `end` is where the page goes on behind it."""

    page: str
    number: int
    text: str
    end: int
    # Of the comment before it: the kernel, its arguments and its results.
    entry: str
    given: str
    expected: str
    file: str = ""  # its name on the page

    @property
    def id(self) -> str:
        return f"doc-{self.page}-{self.number}"


def blocks_of(page: str, text: str) -> list[Block]:
    blocks = []
    for number, match in enumerate(BLOCK.finditer(text), 1):
        comment = COMMENT.search(text[: match.start()])
        says = comment.groups() if comment else ("", "", "")
        lines = [line.removeprefix(match["indent"]) for line in match["text"].splitlines(True)]
        file = re.search(r"file=(\S+)", match["words"])
        name = file[1] if file is not None else ""
        blocks.append(Block(page, number, "".join(lines), match.end() + 1, *says, name))
    return blocks


def all_pages() -> list[tuple[str, str]]:
    """Names and texts."""
    files = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]
    names = ["index" if path.name == "README.md" else path.stem for path in files]
    return [(name, path.read_text("utf-8")) for name, path in zip(names, files, strict=True)]


def all_blocks() -> list[Block]:
    return [block for page, text in all_pages() for block in blocks_of(page, text)]
