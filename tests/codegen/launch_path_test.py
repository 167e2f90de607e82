"""How many instructions a launch runs before its lanes: the generated check of some kernels.

usage: launch_path_test.py HOLOGRAM KERNELS LIBRARY [--counted] [--print]

A default launch enters NAME.default_entry, which checks the arguments and calls or jumps to the lanes,
by way of NAME.row where there is one. Their instructions are counted in the disassembly, padding left
out. MOST has the counts before launches could be cancelled; a change may add two. --print prints the
counts instead.

A launch with a shape enters hologram_kernel_enter in LIBRARY. The functions behind it have neither
canaries nor marks for indirect calls (src/base/launch_path.h). Traces and captures of which none
runs cost one load and one branch there together, and counts need no call and no locked instruction.
With --counted, for a release build by COMPILER, their instructions are counted too, and may be two more
than LIBRARY_MOST has; and a span of the application, without a trace, is a load, a test and two branches.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ALLOWED = 2
MOST = {
    "elementwise/vector_add": 77,
    "elementwise/saxpy": 78,
    "movement/gather": 89,
    "elementwise/vector_exp": 54,
}
# With how many instructions of hardening each may begin or end: the first is called from outside.
LIBRARY_PATH = {
    "hologram_kernel_enter": 1,
    "hologram::runtime::Kernel::Enter": 0,
    "hologram::launch::TakesEntry": 0,
    "hologram::engines::StreamingThreshold": 0,
}
# As g++ says it in the section .comment.
COMPILER = "GCC: (Debian 12.2.0"
LIBRARY_MOST = {
    "hologram_kernel_enter": 93,
    "hologram::runtime::Kernel::Enter": 67,
    "hologram::launch::TakesEntry": 51,
    "hologram::engines::StreamingThreshold": 18,
}
HARDENING = re.compile(r"endbr64|%fs:0x28|__stack_chk_fail")
PADDING = re.compile(r"\b(nop|int3|cs|data16)\b|^xchg +%ax,%ax")


def function(text: str, name: str) -> list[str]:
    """The instructions of a function in a disassembly, without padding."""
    found = re.search(rf"^[0-9a-f]+ <{name}(?:\(.*)?>:\n((?:.+\n)+)", text, re.MULTILINE)
    lines = [line.split("\t")[-1] for line in found[1].splitlines()] if found else []
    return [line for line in lines if not PADDING.search(line)]


def check_counts(library: str, printing: bool) -> int:
    comment = subprocess.run(["readelf", "-p", ".comment", library], capture_output=True, text=True)
    if COMPILER not in comment.stdout:
        print(f"the functions of the library are not counted: it is not of {COMPILER}...)")
        return 0
    command = ["objdump", "-d", "-C", "--no-show-raw-insn", library]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    wrong = 0
    for name in LIBRARY_PATH:
        found = len(function(text, name))
        if printing:
            print(f'    "{name}": {found},')
        elif found == 0 or found > LIBRARY_MOST[name] + ALLOWED:
            print(f"FAIL {name}: {found} instructions, {LIBRARY_MOST[name]} before")
            wrong += 1
        else:
            print(f"{name}: {found} instructions, {LIBRARY_MOST[name]} before")
    return wrong


def count(hologram: str, file: Path, folder: str) -> int:
    output = f"{folder}/{file.stem}.o"
    command = [hologram, "compile", str(file), "--entry", file.stem, "-o", output]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    command = ["objdump", "-d", "--no-show-raw-insn", output]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    total = 0
    counts = False
    for line in text.splitlines():
        head = re.match(r"[0-9a-f]+ <(.+)>:$", line)
        if head:
            counts = head[1].endswith((".row", ".default_entry"))
            continue
        instruction = re.match(r" *[0-9a-f]+:\t(.+)", line)
        if counts and instruction and not PADDING.search(instruction[1]):
            total += 1
    return total


def check_library(library: str) -> int:
    command = ["objdump", "-d", "-C", "--no-show-raw-insn", library]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    wrong = 0
    for name, allowed in LIBRARY_PATH.items():
        found = re.search(rf"^[0-9a-f]+ <{name}(?:\(.*)?>:\n((?:.+\n)+)", text, re.MULTILINE)
        if not found:
            print(f"FAIL {name}: not in {library}")
            wrong += 1
            continue
        lines = found[1].splitlines()
        # Where an exception lands there is a mark too, which launches do not pass.
        usual = [line for k, line in enumerate(lines) if k == 0 or "endbr64" not in line]
        hardening = sum(bool(HARDENING.search(line)) for line in usual)
        print(f"{name}: {hardening} instructions of hardening")
        if hardening > allowed:
            print(f"FAIL {name}: {allowed} are allowed")
            wrong += 1
    return wrong


def check_observers(library: str) -> int:
    """What hologram_kernel_enter does for traces, captures and counts."""
    command = ["objdump", "-d", "-C", "--no-show-raw-insn", library]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = re.search(r"^[0-9a-f]+ <hologram_kernel_enter>:\n((?:.+\n)+)", text, re.MULTILINE)
    lines = [line.split("\t")[-1] for line in found[1].splitlines()] if found else []
    looks = [k for k, line in enumerate(lines) if "hologram::capi::watchers" in line]
    joins = [line for line in lines if "hologram_metrics_join" in line]
    locked = [line for line in lines if line.startswith("lock ")]
    print(f"hologram_kernel_enter: looks {len(looks)} times whether launches are watched")
    wrong = 0
    if len(looks) != 1 or not re.match(r"(cmpl|mov|lea) ", lines[looks[0]]):
        print(f"FAIL expected one load for traces and captures: {[lines[k] for k in looks]}")
        wrong += 1
    elif not any(re.match(r"j(ne|e) ", line) for line in lines[looks[0] + 1 : looks[0] + 16]):
        print(f"FAIL expected a branch behind {lines[looks[0]]}")
        wrong += 1
    # Called by the first launch of a thread alone.
    if len(joins) > 1 or locked:
        print(f"FAIL counts: {joins + locked}")
        wrong += 1
    return wrong


def check_spans(library: str) -> int:
    """What a span of the application costs without a trace: a load, a test, and a branch of each."""
    command = ["objdump", "-d", "-C", "--no-show-raw-insn", library]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    begin = [line for line in function(text, "hologram_span_begin") if not line.startswith("nop")]
    loads = [line for line in begin if "hologram::observe::is_tracing" in line]
    branches = [line for line in begin if re.match(r"j(ne|e) ", line)]
    wrong = 0
    if len(loads) != 1 or len(branches) != 1 or len(begin) > 8 or "ret" not in begin:
        print(f"FAIL hologram_span_begin: expected a load and a branch, found {begin}")
        wrong += 1
    end = [line for line in function(text, "hologram_span_end") if line != "endbr64"]
    starts = len(end) > 2 and end[0] == "test   %rdi,%rdi" and re.match(r"je ", end[1])
    if not starts:
        print(f"FAIL hologram_span_end: expected a test and a branch, found {end[:4]}")
        wrong += 1
    print(f"hologram_span_begin: {len(begin)} instructions, looks {len(loads)} times for a trace")
    return wrong


def main() -> int:
    hologram, kernels, library = sys.argv[1:4]
    wrong = 0
    if "--print" not in sys.argv:
        wrong = check_library(library) + check_observers(library)
    if "--counted" in sys.argv:
        wrong += check_counts(library, "--print" in sys.argv) + check_spans(library)
    with tempfile.TemporaryDirectory() as folder:
        for name, most in MOST.items():
            found = count(hologram, Path(kernels) / f"{name}.py", folder)
            if "--print" in sys.argv:
                print(f'    "{name}": {found},')
            elif found == 0 or found > most + ALLOWED:
                wrong += 1
                print(
                    f"FAIL {name}: {found} instructions, {most} before; {ALLOWED} more are allowed"
                )
            else:
                print(f"{name}: {found} instructions, {most} before")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
