#!/usr/bin/env python3
"""The PTX of conformance files, run by a machine in Python: the expected elements and faults.

usage: conformance_test.py HOLOGRAM [--emit cuda] FILE...
HOLOGRAM is the command; the PTX is LLVM's, or with "--emit cuda" that of src/device; tests/conformance/case.h describes the files. Each case runs twice, in two orders
of the threads. After a fault only the fault is compared.
"""

from __future__ import annotations

import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from machine import Machine, Memory, PtxFaultError, TooLongError
from module import UnknownPtxError, coarse, named_arguments, read

STATE = struct.Struct("<QQqIIIIQ")  # hologram_launch_state
SEGMENTS = 100_000
ROUNDS = 1 << 40  # launch::most_rounds
REFUSED = "for which there is no device code"
SIZES = {"8": 1, "16": 2, "32": 4, "64": 8}
FAULTS = {1: "out_of_bounds", 2: "division_by_zero", 3: "budget", 4: "call_depth"}
FAULTS.update({5: "invalid_class", 6: "invalid_coordinates", 11: "assertion"})


def size_of(kind: str) -> int:
    return SIZES[kind.removeprefix("b").lstrip("iuf")]


def cases_of(path: Path) -> list[dict[str, list[str]]]:
    """The lines of each section, by its name, of each case."""
    cases: list[dict[str, list[str]]] = []
    section = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith("-- "):
            section = line[3:]
            if section == "asm":
                cases.append({})
            cases[-1][section] = []
        else:
            cases[-1][section].append(line)
    return cases


def words_of(lines: list[str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    name = ""
    for line in lines:
        text = line
        if not line.startswith(" "):
            name, text = (part.strip() for part in line.split("=", 1))
            found[name] = []
        words = iter(text.split())
        for word in words:
            found[name] += [0] * int(next(words)) if word == "zero" else [int(word, 16)]
    return found


def launch_of(line: str) -> tuple[dict[str, tuple[int, int, int]], dict[str, int]]:
    words = iter(line.split())
    shape, numbers = {}, {"budget": 1 << 24, "class_base": 0}
    for word in words:
        if word in ("grid", "block"):
            sizes = [int(size) for size in next(words).split(",")]
            shape[word] = (*sizes, 1, 1)[:3]
        elif word in numbers:
            numbers[word] = int(next(words))
    return shape, numbers


def fault_of(state: bytes) -> str:
    _, lane, index, pc, code, _, _, _ = STATE.unpack(state)
    if code == 0:
        return ""
    text = f"{FAULTS[code]} lane {lane} pc {pc}"
    return text + (f" index {index}" if code in (1, 5, 6) else "")


def run(case: dict[str, list[str]], ptx: str, last_first: bool) -> str:
    """Empty if the case passes, else what is wrong."""
    given = words_of(case.get("buffers", [])) | words_of(case.get("scalars", []))
    shape, numbers = launch_of(case["launch"][0])
    memory = Memory()
    arguments: list[tuple[int | float, ...]] = []
    places = {}
    for line in case["asm"]:
        if not line.startswith(".param "):
            continue
        name, kind = line.split()[1:3]
        values = given[name]
        if not kind.endswith("[]"):
            arguments.append((values[0],))
            continue
        size = size_of(kind[:-2])
        data = b"".join(value.to_bytes(size, "little") for value in values)
        places[name] = (memory.add(data), size, len(values))
        arguments.append((places[name][0], len(values)))
    machine = Machine(read(ptx), memory, last_first, SEGMENTS)
    expected_fault = case["fault"][0] if "fault" in case else ""
    if machine.module.arguments:
        blocks, grid = coarse(machine.module, shape["grid"])
        others = {**numbers, **blocks, "rounds": ROUNDS, "fault": memory.add(bytes(4))}
        machine.launch(named_arguments(machine.module, arguments, others), grid, shape["block"])
        fault = expected_fault.split(" ")[0] if any(memory.read(others["fault"], 4)) else ""
        if bool(fault) != bool(expected_fault):
            return f"expected {expected_fault or 'no fault'}, found {fault or 'none'}"
    else:
        state = memory.add(
            STATE.pack(numbers["budget"], 2**64 - 1, 0, 0, 0, numbers["class_base"], 0, 0)
        )
        flat = [number for one in arguments for number in one]
        machine.launch([*flat, state], shape["grid"], shape["block"])
        fault = fault_of(memory.read(state, STATE.size))
    # Threads that fault at once overwrite each other's state: which one is told is not promised.
    if fault.split(" ")[0] != expected_fault.split(" ")[0]:
        return f"expected {expected_fault or 'no fault'}, found {fault or 'no fault'}"
    if fault:
        return ""
    for name, expected in words_of(case.get("result", [])).items():
        place, size, count = places[name]
        data = memory.read(place, size * count)
        found = [int.from_bytes(data[i : i + size], "little") for i in range(0, len(data), size)]
        if found != expected:
            at = next(i for i, pair in enumerate(zip(found, expected)) if pair[0] != pair[1])
            return f"{name}[{at}] is {found[at]:x}, expected {expected[at]:x}"
    return ""


def main() -> int:
    hologram, paths = sys.argv[1], sys.argv[2:]
    emit = "ptx"
    if paths[0] == "--emit":
        emit, paths = paths[1], paths[2:]
    count = failed = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "case.hasm"
        for path in paths:
            for case in cases_of(Path(path)):
                source.write_text("\n".join(case["asm"]) + "\n", encoding="utf-8")
                command = [hologram, "compile", str(source), "--emit", emit]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if emit == "cuda" and REFUSED in done.stderr:
                    refused += 1
                    continue
                done.check_returncode()
                for last_first in (False, True):
                    try:
                        wrong = run(case, done.stdout, last_first)
                    except UnknownPtxError as error:
                        wrong = f"the machine does not know {error}"
                    except (PtxFaultError, TooLongError) as error:
                        wrong = str(error) or "it takes too long"
                    count += 1
                    if wrong:
                        failed += 1
                        print(f"FAILED {path}: {case['asm'][0]}: {wrong}")
    print(f"{count} runs, {refused} cases refused, {failed} failed")
    return 1 if failed or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
