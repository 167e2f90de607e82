"""What the command does when the system refuses: memory, room on the disk, or its life.

Each command runs with less and less address space, with files that may not grow, and is killed at
some moment. It ends with 0, 1 or 2 and a line that says why, never by a signal of its own, and a
file that it was to write is whole, as it was before, or not there.

usage: outside_test.py HOLOGRAM
"""

from __future__ import annotations

import os
import random
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

MIB = 1 << 20
ELEMENTS = 300_000
KERNEL = """\
from hologram.lang import *


def scale(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = 2.0 * x[i]
"""


def write_array(path: str, value: float) -> bytes:
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({ELEMENTS},), }}"
    header += " " * (-(11 + len(header)) % 64) + "\n"
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
    data += struct.pack("<f", value) * ELEMENTS
    with open(path, "wb") as file:
        file.write(data)
    return data


class Test:
    def __init__(self, command: str) -> None:
        self.command = command
        self.failures = 0
        self.runs = 0
        self.codes: dict[int, int] = {}

    def fail(self, text: str) -> None:
        self.failures += 1
        print("FAIL", text)

    def run(self, arguments: list[str], limit: Callable[[], None]) -> int:
        self.runs += 1
        run = subprocess.run(
            [self.command, *arguments],
            capture_output=True,
            preexec_fn=limit,
            timeout=120,
            check=False,
        )
        code = run.returncode
        self.codes[code] = self.codes.get(code, 0) + 1
        said = run.stderr.decode(errors="replace")
        if code not in (0, 1, 2):
            self.fail(f"hologram {' '.join(arguments)}: ended with {code}: {said[-300:]}")
        elif code != 0 and not re.search(r"error", said):
            self.fail(f"hologram {' '.join(arguments)}: code {code} without a reason: {said!r}")
        return code

    def expect_file(self, path: str, allowed: list[bytes | None], what: str) -> None:
        found = None
        if os.path.exists(path):
            with open(path, "rb") as file:
                found = file.read()
        if found not in allowed:
            size = "no file" if found is None else f"{len(found)} bytes"
            self.fail(f"{what}: {path} is neither whole nor as before: {size}")
        others = sorted(set(os.listdir(".")) - KNOWN)
        if others:
            self.fail(f"{what}: left behind {others}")
            for other in others:
                os.remove(other)


KNOWN = {"k.py", "k.holo", "x.npy", "y.npy", "out.holo"}
RUN = ["run", "k.holo", "--in", "x=x.npy", "--out", f"y=y.npy:f32:{ELEMENTS}"]
RUN += ["--set", f"n={ELEMENTS}"]
OUTPUTS = {"y.npy": RUN, "out.holo": ["compile", "k.py", "-o", "out.holo"]}


def remove(path: str) -> None:
    if os.path.exists(path):
        os.remove(path)


def nothing() -> None:
    pass


def less_and_less_memory(test: Test, array: bytes) -> None:
    # With less, the loader ends the program before its first line. In small steps, since what fails
    # (the arrays, the compiler's file, its objects, its work) depends on a few megabytes.
    for size in [*range(16, 120, 2), *range(120, 400, 20)]:

        def limit(size: int = size) -> None:
            resource.setrlimit(resource.RLIMIT_AS, (size * MIB, size * MIB))

        for path, arguments in OUTPUTS.items():
            code = test.run(arguments, limit)
            if path == "y.npy" or code != 0:
                test.expect_file(path, [array] if code == 0 else [None], f"{size} MiB")
            elif test.run(["verify", path], nothing) != 0:  # perhaps without native code
                test.fail(f"{size} MiB: out.holo is not whole")
            remove(path)
        test.run(["verify", "k.holo"], limit)
        test.run(["inspect", "k.holo"], limit)


def files_that_cannot_grow(test: Test) -> None:
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))

    for before in (None, b"what was there before"):
        for path, arguments in OUTPUTS.items():
            if before is not None:
                with open(path, "wb") as file:
                    file.write(before)
            if test.run(arguments, limit) != 1:
                test.fail(f"{path} was written where no file may have more than 512 bytes")
            test.expect_file(path, [before], "full disk")
            remove(path)


def killed(test: Test, array: bytes) -> None:
    chance = random.Random(1)
    for k in range(60):
        path, arguments = list(OUTPUTS.items())[k % 2]
        with open(path, "wb") as file:
            file.write(b"before")
        process = subprocess.Popen([test.command, *arguments], stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0, 0.08))
        process.kill()
        process.wait()
        test.runs += 1
        with open(path, "rb") as file:
            found = file.read()
        is_new = found == array if path == "y.npy" else test.run(["verify", path], nothing) == 0
        if found != b"before" and not is_new:
            test.fail(f"killed: {path} is half written, {len(found)} bytes")
        for name in set(os.listdir(".")) - {"k.py", "k.holo", "x.npy"}:
            os.remove(name)


def main() -> int:
    test = Test(os.path.abspath(sys.argv[1]))
    os.environ["HOLOGRAM_CACHE_DIR"] = ""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("k.py", "w", encoding="utf-8") as file:
            file.write(KERNEL)
        write_array("x.npy", 1.0)
        array = write_array("y.npy", 2.0)
        os.remove("y.npy")
        subprocess.run([test.command, "compile", "k.py", "-o", "k.holo"], check=True)
        less_and_less_memory(test, array)
        files_that_cannot_grow(test)
        killed(test, array)
    codes = ", ".join(f"{count} with {code}" for code, count in sorted(test.codes.items()))
    print(f"{test.runs} commands ({codes}), {test.failures} failures")
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
