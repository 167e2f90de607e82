"""What cmake/Hardening.cmake asks for, read from the finished files with binutils.

usage: hardening_test.py --compiler CXX [--no-cet REASON] FILE...

Libraries, modules and programs: relocations done before main and read-only afterwards, a stack that is
not executable, no segment writable and executable, position independent, canaries, checked calls of
libc. Archives (.a): each of our objects is marked for CET, since a linked file is only where all it is
linked from is, and the C library's start files or LLVM's libraries may not be; then a line says so.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

CET = "x86 feature: IBT, SHSTK"
ENDBR = "f3 0f 1e fa"


def output(*command: str) -> str:
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.decode()


def segments(file: str) -> dict[str, list[str]]:
    """The flags of each program header, by type: {"LOAD": ["R", "RE"], ...}."""
    found: dict[str, list[str]] = {}
    for line in output("readelf", "-lW", file).splitlines():
        match = re.match(r"\s+([A-Z_]+)\s+(?:0x[0-9a-f]+\s+){5}([RWE ]{3})", line)
        if match:
            found.setdefault(match[1], []).append(match[2].replace(" ", ""))
    return found


def check_linked(file: str) -> list[str]:
    """What is missing in a linked file."""
    missing = []
    kinds = segments(file)
    dynamic = output("readelf", "-dW", file)
    if "LOAD" not in kinds:
        return ["segments that readelf can read"]
    if "GNU_RELRO" not in kinds:
        missing.append("RELRO (segment GNU_RELRO)")
    if not re.search(r"\(FLAGS\).*\bBIND_NOW\b|\(FLAGS_1\).*\bNOW\b|\(BIND_NOW\)", dynamic):
        missing.append("BIND_NOW")
    stack = kinds.get("GNU_STACK")
    if stack is None or any("E" in flags for flags in stack):
        missing.append("a stack that is not executable (segment GNU_STACK)")
    if any("W" in flags and "E" in flags for flags in kinds["LOAD"]):
        missing.append("segments that are not writable and executable at once")
    if not re.search(r"Type:\s+DYN ", output("readelf", "-hW", file)):
        missing.append("position independence (type DYN)")
    if re.search(r"\(TEXTREL\)|\bTEXTREL\b", dynamic):
        missing.append("code without relocations (TEXTREL)")
    return missing


def check_symbols(file: str) -> list[str]:
    """What the undefined symbols of a linked file or an archive should have and do not."""
    undefined = output("nm", "-u", *(["-D"] if not file.endswith(".a") else []), file)
    missing = []
    if "__stack_chk_fail" not in undefined:
        missing.append("canaries on the stack (__stack_chk_fail)")
    return missing


def uses_checked_calls(file: str) -> bool:
    return re.search(r"\b__\w+_chk\b(?<!__stack_chk)", output("nm", "-u", "-D", file)) is not None


def unmarked_objects(archive: str) -> list[str]:
    """The members of an archive that are not marked for CET."""
    members = re.split(r"^File: .*\((.*)\)$", output("readelf", "-nW", archive), flags=re.M)[1:]
    notes = dict(zip(members[::2], members[1::2]))
    names = output("ar", "t", archive).split()
    return [name for name in names if CET not in notes.get(name, "")]


def check_exported_functions(file: str) -> list[str]:
    """Functions of the C interface that do not begin with endbr64."""
    names = [
        line.split()[-1]
        for line in output("nm", "-D", "--defined-only", file).splitlines()
        if re.search(r" T hologram_\w+$", line)
    ]
    code = output("objdump", "-d", "-j", ".text", file)
    first = dict(
        re.findall(r"^[0-9a-f]+ <(hologram_\w+)>:\n\s+[0-9a-f]+:\t((?:\w\w )+)", code, re.M)
    )
    if not names:
        return ["exported functions"]
    return [f"endbr64 in {name}" for name in names if not first.get(name, "").startswith(ENDBR)]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--no-cet", metavar="REASON")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    archives = [file for file in options.files if file.endswith(".a")]
    linked = [file for file in options.files if not file.endswith(".a")]
    missing = {file: check_symbols(file) for file in options.files}
    for file in linked:
        missing[file] += check_linked(file)
    if not uses_checked_calls(linked[0]):
        missing[linked[0]].append("checked calls of libc (_FORTIFY_SOURCE)")

    if options.no_cet:
        print(f"CET: not there, {options.no_cet}")
    else:
        for archive in archives:
            missing[archive] += [f"CET note in {name}" for name in unmarked_objects(archive)]
        missing[linked[0]] += check_exported_functions(linked[0])
        start = output(options.compiler, "-print-file-name=crti.o").strip()
        libc_marked = CET in output("readelf", "-nW", start)
        for file in linked:
            if CET in output("readelf", "-nW", file):
                continue
            if not libc_marked:
                print(
                    f"CET: {Path(file).name} is not marked, because the C library's {start} is not"
                )
            elif "_jit" in file:
                print(f"CET: {Path(file).name} is not marked, because LLVM's libraries are not")
            else:
                missing[file].append("CET note")

    for file, what in missing.items():
        for line in what:
            print(f"FAIL {file}: {line} is missing")
    print(
        f"{len(linked)} linked files and {len(archives)} archives, {sum(map(len, missing.values()))} missing"
    )
    return 1 if any(missing.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
