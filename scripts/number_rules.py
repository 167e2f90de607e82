#!/usr/bin/env python3
"""Writes what derives from src/frontend/number_rules.txt, the types of `a op b`.

usage: number_rules.py [--check]

These are src/frontend/number_rules.inc for the compiler, python/hologram/simulator/number_rules.py for
kernels that run as plain Python, and the table in docs/language.md. --check writes nothing and fails
if a file is not what would be written.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "frontend" / "number_rules.txt"
COMPILER = ROOT / "src" / "frontend" / "number_rules.inc"
PLAIN = ROOT / "python" / "hologram" / "simulator" / "number_rules.py"
PAGE = ROOT / "docs" / "language.md"
BEGIN = "<!--number_rules-->"
END = "<!--/number_rules-->"
HEAD = "Written by scripts/number_rules.py from src/frontend/number_rules.txt; do not edit."
OPERATORS, QUOTIENT = "operators", "quotient of integers"

Table = dict[str, dict[str, str]]  # by the left type, then by the right one


def read() -> dict[str, Table]:
    tables: dict[str, Table] = {}
    columns: list[str] = []
    table: Table = {}
    for line in SOURCE.read_text().splitlines():
        words = line.split()
        if line.startswith("#") or not words:
            continue
        if line in (OPERATORS, QUOTIENT):
            table = tables[line] = {}
            columns = []
        elif not columns:
            columns = words
        else:
            assert len(words) == len(columns) + 1, line
            table[words[0]] = dict(zip(columns, words[1:], strict=True))
    for name, rows in tables.items():
        for a in rows:
            for b in rows:
                assert rows[a][b] == rows[b][a], f"{name}: {a} and {b}"
    return tables


def compiler(tables: dict[str, Table]) -> str:
    """Rows in the order of isa::Type, then the literals; {number of the type or -1, rounds}."""
    order = list(tables[OPERATORS])
    text = f"// {HEAD}\n"
    for title, name in ((OPERATORS, "kOperatorRules"), (QUOTIENT, "kQuotientRules")):
        table = tables[title]
        text += f"constexpr Rule {name}[{len(order)}][{len(order)}] = {{\n"
        for a in order:
            cells = []
            for b in order:
                cell = table.get(a, {}).get(b, "-")
                number = -1 if cell == "-" else order.index(cell.rstrip("!"))
                cells.append(f"{{{number}, {int(cell.endswith('!'))}}}")
            half = len(cells) // 2
            text += f"    {{  // {a}\n"
            for part in (cells[:half], cells[half:]):
                text += "        " + ", ".join(part) + ",\n"
            text += "    },\n"
        text += "};\n"
    return text


def plain(tables: dict[str, Table]) -> str:
    text = f'"""The types of `a op b`, by the types of a and b; see types.py.\n\n{HEAD}\n"""\n\n'
    text += "from __future__ import annotations\n\n\n"
    text += "def _table(text: str) -> dict[str, dict[str, str]]:\n"
    text += "    head, *rows = (line.split() for line in text.splitlines())\n"
    text += "    return {row[0]: dict(zip(head, row[1:], strict=True)) for row in rows}\n\n\n"
    for title, name in ((OPERATORS, "OPERATORS"), (QUOTIENT, "QUOTIENT")):
        table = tables[title]
        text += f'{name} = _table(\n    """\\\n'
        text += " " * 6 + "".join(b.ljust(6) for b in table).rstrip() + "\n"
        for a, row in table.items():
            text += (a.ljust(6) + "".join(cell.ljust(6) for cell in row.values())).rstrip() + "\n"
        text += '"""\n)\n'
    return text


def page(tables: dict[str, Table]) -> str:
    lines = []
    table = tables[OPERATORS]
    lines.append("| |" + "|".join(table) + "|")
    lines.append("|---|" + "---|" * len(table))
    for a, row in table.items():
        lines.append(f"|{a}|" + "|".join(row.values()) + "|")
    return "\n".join(lines)


def with_table(text: str, table: str) -> str:
    pattern = re.escape(BEGIN) + ".*?" + re.escape(END)
    assert re.search(pattern, text, re.DOTALL), f"{PAGE} has no place for the table"
    return re.sub(pattern, f"{BEGIN}\n\n{table}\n\n{END}", text, count=1, flags=re.DOTALL)


def main() -> int:
    tables = read()
    wanted = {
        COMPILER: compiler(tables),
        PLAIN: plain(tables),
        PAGE: with_table(PAGE.read_text(), page(tables)),
    }
    check = "--check" in sys.argv[1:]
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text() != text]
    if not check:
        for path in stale:
            path.write_text(wanted[path])
        return 0
    for path in stale:
        print(f"{path} is stale; run scripts/number_rules.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
