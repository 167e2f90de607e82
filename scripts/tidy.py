#!/usr/bin/env python3
"""Runs clang-tidy 19 on the C++ lines that differ from a commit, with the rules of .clang-tidy.

A header is looked at by way of a source that includes it: the one beside it of the same name, else
the smallest. Builds compile many sources as one, which is named in the compile commands; here each
is looked at by itself, with the options of that one and the headers that are compiled beforehand as
text. Public headers in C are not C++, and left alone. usage: tidy.py [--most N] BASE
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "release"
OWN = ROOT / "build" / "tidy"  # the compile commands of single sources
INCLUDE = re.compile(r'^#include "(.*)"$', re.MULTILINE)
PRECOMPILED = re.compile(r"-include (\S*)/cmake_pch\.hxx")
TOOL = os.environ.get("CLANG_TIDY", "clang-tidy-19")
# Options of GCC that clang does not know, and warnings, which are the compiler's to give.
EXTRA = ["--extra-arg=-Wno-unknown-warning-option", "--extra-arg=-w"]


def git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def changed_lines(base: str) -> dict[str, list[list[int]]]:
    """For each C++ file the ranges of lines that are not those of `base`, files that git does not
    have yet included."""
    patterns = ["*.cc", "*.h", "*.hpp", ":!include/hologram/*.h"]
    changed: dict[str, list[list[int]]] = {}
    name = ""
    for line in git(
        "diff", "-U0", "--no-color", "--no-ext-diff", base, "--", *patterns
    ).splitlines():
        if line.startswith("+++ "):
            name = line[6:] if line.startswith("+++ b/") else ""
        elif name and (match := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)):
            first, count = int(match[1]), int(match[2] or 1)
            if count:
                changed.setdefault(name, []).append([first, first + count - 1])
    others = git("ls-files", "--others", "--exclude-standard", "--", *patterns).splitlines()
    for other in others:
        changed[other] = [[1, 1_000_000]]
    return changed


def size_of(name: str) -> int:
    return (ROOT / name).stat().st_size


def sources_of(header: str, sources: list[str]) -> list[str]:
    """A source in which the header is compiled; none if only other headers include it."""
    beside = header.rsplit(".", 1)[0] + ".cc"
    if beside in sources:
        return [beside]
    included = header.removeprefix("src/").removeprefix("include/")
    wanted = re.compile(rf'#include ["<](\.\./)*({re.escape(included)}|{re.escape(header)})[">]')
    found = [name for name in sources if wanted.search((ROOT / name).read_text(errors="replace"))]
    # Examples last: they include what only a whole build makes.
    return sorted(found, key=lambda name: (name.startswith("examples/"), size_of(name)))[:1]


def includers(header: str, sources: list[str]) -> list[str]:
    """The same where another header brings it along."""
    seen = {header}
    wave = [header]
    headers = git("ls-files", "*.h", "*.hpp").splitlines()
    while wave:
        for one in wave:
            if found := sources_of(one, sources):
                return found
        last = {pathlib.Path(one).name for one in wave}
        wave = []
        for other in headers:
            text = (ROOT / other).read_text(errors="replace") if other not in seen else ""
            if any(
                re.search(rf'#include ["<][^">]*\b{re.escape(name)}[">]', text) for name in last
            ):
                seen.add(other)
                wave.append(other)
    return []


def headers_as_text(match: re.Match[str]) -> str:
    """The option without what GCC has made of the headers, which clang cannot read."""
    folder = OWN / pathlib.Path(match[1]).name
    folder.mkdir(parents=True, exist_ok=True)
    text = (pathlib.Path(match[1]) / "cmake_pch.hxx").read_text()
    (folder / "headers.h").write_text(text)
    return f"-include {folder}/headers.h"


def single_sources() -> list[dict[str, str]]:
    """The compile commands of the build, with each source by itself; written to OWN."""
    OWN.mkdir(parents=True, exist_ok=True)
    found = []
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        command = PRECOMPILED.sub(headers_as_text, entry["command"])
        path = pathlib.Path(entry["file"])
        is_several = path.parent.name == "Unity" and path.exists()
        for name in INCLUDE.findall(path.read_text()) if is_several else [entry["file"]]:
            own = command.replace(entry["file"], name)
            found.append({"directory": entry["directory"], "command": own, "file": name})
    (OWN / "compile_commands.json").write_text(json.dumps(found))
    return found


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("base")
    parser.add_argument("--most", type=int, default=1_000_000, help="sources; each takes 10 s")
    options = parser.parse_args()
    changed = changed_lines(options.base)
    known = {os.path.relpath(entry["file"], ROOT) for entry in single_sources()}
    sources = sorted(
        name for name in known if not name.startswith("..") and (ROOT / name).is_file()
    )
    units = set()
    skipped = []
    for name in changed:
        found = (
            [name] if name in known else [] if name.endswith(".cc") else includers(name, sources)
        )
        units.update(found)
        if not found:
            skipped.append(name)
    lines = json.dumps([{"name": name, "lines": ranges} for name, ranges in changed.items()])

    def run(unit: str) -> tuple[int, str]:
        command = [TOOL, "-p", str(OWN), "--quiet", f"--line-filter={lines}", *EXTRA, unit]
        done = subprocess.run(command, capture_output=True, check=False, text=True, cwd=ROOT)
        return done.returncode, done.stdout

    chosen = sorted(units, key=size_of)[: options.most]
    if left := len(units) - len(chosen):
        print(f"tidy: {left} larger sources were SKIPPED; scripts/tidy.sh looks at all")
    with ThreadPoolExecutor(max_workers=2) as pool:
        results = list(pool.map(run, chosen))
    failed = 0
    shown = set()
    for code, output in results:
        failed += code != 0
        if code != 0 and output not in shown:
            shown.add(output)
            print(output.replace(f"{ROOT}/", ""), end="")
    for name in skipped:
        print(f"tidy: {name} is in no build, and was not looked at")
    what = f"{len(changed)} changed files by way of {len(chosen)} sources"
    print(f"tidy: {failed} sources with findings, {what}" if failed else f"tidy: ok, {what}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
