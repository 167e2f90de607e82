"""Every command of README.md is run by a test, and this file says by which one.

usage: readme_commands_test.py

Commands in console blocks are run by page_test.py. All others, which are lines of blocks without a
language and spans such as `make run`, are in RUN_BY with the script or test that runs them and a
pattern of the line that does. Fails for a command that is in neither, a row that README.md does not
have, and a file without such a line.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
PROGRAMS = ("cmake", "hologram", "make", "pip", "python3", "scripts/")
# fresh.sh runs `make DOOR` for each DOOR that it is asked for, run and test if for none.
DOOR = r"(?m)^    run \| test \| wheels \| package \| bench \| fuzz\) doors\+=\(\"\$1\"\)"
FRESH = r'(?m)^  enter "\$root" make -C /src/hologram "\$door" '
INSTALL = r"(?m)^install=\$\((sed .* README\.md)\)\nenter cxx .* sh -ec \"\$install\""
RUN_BY = {
    "make run": ("scripts/fresh.sh", FRESH, DOOR, r"\|\| doors=\(run test\)"),
    "make test": ("scripts/fresh.sh", FRESH, DOOR, r"\|\| doors=\(run test\)"),
    "make fuzz": ("scripts/fresh.sh", FRESH, DOOR),
    "make bench": ("scripts/fresh.sh", FRESH, DOOR),
    "make wheels": ("scripts/fresh_wheels.sh", r"(?m)^compgen .* \|\| make wheels$"),
    "python3 -m venv env && . env/bin/activate": ("scripts/fresh_wheels.sh", INSTALL),
    "pip install numpy && pip install --no-index --find-links dist hologram hologram-jit": (
        "scripts/fresh_wheels.sh",
        INSTALL,
    ),
    "python3 -m hologram --prefix": (
        "scripts/fresh_wheels.sh",
        r'(?m)^enter cxx env PREFIX="\$\(enter cxx python3 -m hologram --prefix\)" python3 .*\\$',
    ),
    "hologram run --time": ("tests/cli/time_test.py", r'\[command, "run", file, .* "--time", '),
    "hologram inspect": ("tests/cli/golden/run.txt", r"(?m)^run inspect "),
}


def commands_of(page: str) -> tuple[set[str], list[str]]:
    """(those that no console block has, those of console blocks)."""
    blocks = BLOCK.findall(page)
    console = [
        line[2:]
        for language, body in blocks
        if language.startswith("console")
        for line in body.splitlines()
        if line.startswith("$ ")
    ]
    lines = {line for language, body in blocks if not language for line in body.splitlines()}
    spans = {" ".join(span.split()) for span in re.findall(r"`([^`]+)`", BLOCK.sub("", page))}
    named = {span for span in spans if span.split()[0].startswith(PROGRAMS) and " " in span}
    shown = {name for name in named if any(line.startswith(name) for line in console)}
    return (named - shown) | lines, console


def wrong_rows(page: str) -> list[str]:
    others, console = commands_of(page)
    assert len(console) >= 8, "README.md has lost its console blocks"
    wrong = [f"README.md: `{name}` is run by no test" for name in sorted(others - RUN_BY.keys())]
    wrong += [f"README.md has no `{name}`" for name in sorted(RUN_BY.keys() - others)]
    for name, (file, *patterns) in RUN_BY.items():
        text = (ROOT / file).read_text(encoding="utf-8")
        for pattern in patterns:
            if re.search(pattern, text) is None:
                wrong.append(f"{file} does not run `{name}`: nothing matches {pattern}")
    return wrong


def main() -> int:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    wrong = wrong_rows(page)
    # What this finds, it finds: a command more, and one less.
    assert len(wrong_rows(page + "\n`make coffee`\n")) == len(wrong) + 1
    assert len(wrong_rows(page.replace("`make fuzz`", ""))) == len(wrong) + 1
    # The lines that fresh_wheels.sh takes from the page are those that this counts.
    script = (ROOT / "scripts/fresh_wheels.sh").read_text(encoding="utf-8")
    if found := re.search(INSTALL, script):
        taken = subprocess.run(
            found[1], shell=True, cwd=ROOT, capture_output=True, text=True, check=True
        )
        bodies = [body for language, body in BLOCK.findall(page) if not language]
        assert taken.stdout == "".join(bodies), taken.stdout
    print("\n".join(wrong) or f"{len(RUN_BY)} commands of README.md are run by scripts and tests")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
