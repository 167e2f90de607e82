"""A third evaluator of programs, in NumPy, and its comparison with the interpreter.

Independent of everything in C++: it decodes the bytes of a program as docs/format.md describes them
(numpy_program.py) and evaluates instructions as docs/isa.md describes them (numpy_values.py) on all lanes of a
launch at once (numpy_machine.py). It has `differential_test --dump` write cases (a program, a launch, what
the interpreter made of it), portion by portion on all processors, runs them, and compares faults and every
byte of every buffer:

    numpy_reference.py build/release/bin/differential_test structured --count 1000000

At the first difference it prints the case as a conformance file, with the result of this reference, and
stops. Transcendental instructions and those of the Atlas are not here; --exact leaves them out.
"""

import argparse
import multiprocessing
import os
import struct
import subprocess
import sys
import time

import numpy as np
from numpy_machine import NO_FAULT, Machine, decode
from numpy_program import Program

FAULTS = {1: "out_of_bounds", 2: "division_by_zero", 3: "budget", 4: "call_depth", 11: "assertion"}
PORTION = 500


class Stream:
    def __init__(self, file):
        self.file = file

    def bytes(self, count):
        data = self.file.read(count)
        if len(data) != count:
            raise EOFError
        return data

    def read(self, layout):
        fields = struct.unpack("<" + layout, self.bytes(struct.calcsize("<" + layout)))
        return fields[0] if len(fields) == 1 else fields


def run_case(stream):
    """None, or what is different and the machine that ran."""
    program = Program(stream.bytes(stream.read("I")), decode)
    shape = stream.read("6I")
    budget = stream.read("Q")
    counted = {stream.read("II") for _ in range(stream.read("I"))}
    scalars = [stream.read("Q") for _ in range(stream.read("I"))]
    buffers = [stream.bytes(stream.read("Q")) for _ in range(stream.read("I"))]
    fault = stream.read("IIQq")
    after = [stream.bytes(len(data)) for data in buffers]
    machine = Machine(program, shape, budget, counted, scalars, buffers)
    machine.run()
    found = machine.fault or (NO_FAULT, 0, 0, 0)
    if found != fault:
        return f"fault (code, pc, lane, index): reference {found}, interpreter {fault}", machine
    if machine.fault is None:
        for k, (mine, theirs) in enumerate(zip(machine.buffers, after, strict=True)):
            if mine.tobytes() != theirs:
                different = np.nonzero(mine.view(np.uint8) != np.frombuffer(theirs, np.uint8))[0]
                return f"buffer {k} differs first at byte {different[0]}", machine
    return None


def expectation(machine, names):
    """The end of a conformance file."""
    if machine.fault:
        code, pc, lane, index = machine.fault
        where = f" index {index}" if FAULTS[code] == "out_of_bounds" else ""
        return f"-- fault\n{FAULTS[code]} lane {lane} pc {pc}{where}\n"
    lines = ["-- result"]
    for name, memory in zip(names, machine.buffers, strict=True):
        size = memory.dtype.itemsize
        words = memory.view(f"<u{size}").tolist()
        lines.append(" ".join([name, "=", *(f"{word:0{2 * size}x}" for word in words)]))
    return "\n".join(lines) + "\n"


def vector(command, machine):
    """The case as differential_test writes it, with the result of this reference."""
    text = subprocess.run(
        [*command, "--vector"], stdout=subprocess.PIPE, check=True
    ).stdout.decode()
    before = text.partition("\n-- fault\n" if "\n-- fault\n" in text else "\n-- result\n")[0]
    _, _, buffers = before.partition("\n-- buffers\n")
    names = [line.split(" = ")[0] for line in buffers.splitlines() if " = " in line]
    return before + "\n" + expectation(machine, names)


def run_portion(work):
    """Of one process: how many cases agree and, if one does not, its report."""
    command, first, count = work
    cases = [*command, "--first", str(first), "--count", str(count)]
    process = subprocess.Popen([*cases, "--dump"], stdout=subprocess.PIPE)
    stream = Stream(process.stdout)
    for done in range(count):
        number = stream.read("Q")
        different = run_case(stream)
        if different:
            process.kill()
            message, machine = different
            one = [*command, "--first", str(number), "--count", "1"]
            return (
                done,
                f"program {number}: {message}\nas a conformance file:\n{vector(one, machine)}",
            )
    if process.wait() != 0:
        return count, f"differential_test failed: {' '.join(cases)}"
    return count, None


def main():
    parser = argparse.ArgumentParser(description="random programs: interpreter against NumPy")
    parser.add_argument("test", help="the program differential_test")
    parser.add_argument("family", choices=["cfg", "structured"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    command = [options.test, options.family, "--exact", "--seed", str(options.seed)]
    end = options.first + options.count
    portion = min(PORTION, -(-options.count // options.jobs))
    work = [
        (command, first, min(portion, end - first)) for first in range(options.first, end, portion)
    ]
    began, equal, report = time.monotonic(), 0, None
    shown = began
    with multiprocessing.Pool(options.jobs) as pool:
        for done, report in pool.imap_unordered(run_portion, work):
            equal += done
            if report:
                print(report)
                break
            if time.monotonic() - shown > 60:
                shown = time.monotonic()
                print(f"... {equal} programs equal after {shown - began:.0f} s", flush=True)
    seconds = time.monotonic() - began
    print(
        f"{options.family}: {equal} programs equal on the interpreter and in NumPy, "
        f"{1 if report else 0} different, {seconds:.0f} s, {equal / seconds:.0f} a second"
    )
    return 1 if report else 0


if __name__ == "__main__":
    sys.exit(main())
