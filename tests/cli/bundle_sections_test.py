"""Bundles whose sections are damaged, or whose native code is for another native ABI.

Each section in turn is changed by one byte: `verify` and `inspect` name it and end with 1, as they
do for several; `run` says which native code it did not use, and never uses it.

usage: bundle_sections_test.py HOLOGRAM MAKE_BUNDLE
"""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
import tempfile

ELEMENTS = 4
ROW = struct.Struct("<IIQQII32s")  # of the section table


def array(path: str) -> None:
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({ELEMENTS},), }}"
    header += " " * (-(11 + len(header)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{ELEMENTS}f", *[1.0] * ELEMENTS))


class Test:
    def __init__(self, command: str, make_bundle: str) -> None:
        self.command = command
        self.make_bundle = make_bundle
        self.failures = 0
        self.checks = 0

    def make(self, kind: str) -> tuple[bytes, str]:
        made = subprocess.run(
            [self.make_bundle, "k.holo", kind], check=True, stdout=subprocess.PIPE
        )
        with open("k.holo", "rb") as file:
            return file.read(), made.stdout.decode().strip()

    def expect(self, arguments: list[str], code: int, *patterns: str) -> None:
        """The lines of standard error, one for each pattern, and the code of the end."""
        self.checks += 1
        run = subprocess.run([self.command, *arguments], capture_output=True, text=True)
        lines = run.stderr.splitlines()
        matches = len(lines) == len(patterns) and all(map(re.fullmatch, patterns, lines))
        if run.returncode == code and matches:
            return
        self.failures += 1
        print(f"hologram {' '.join(arguments)}: exit {run.returncode}, expected {code}")
        print("  found    ", *lines, sep="\n    ")
        print("  expected ", *patterns, sep="\n    ")


def no_bundles(test: Test) -> None:
    os.mkfifo("pipe.holo")  # nobody writes into it
    with open("large.holo", "wb") as file:
        file.truncate(3 << 30)
    for verb in ("verify", "inspect", "disasm", "draw", "run"):
        test.expect([verb, "pipe.holo"], 1, r"hologram: error: pipe\.holo: not a regular file")
        test.expect([verb, "large.holo"], 1, r"hologram: error: large\.holo: more than 1 GiB")


def main() -> int:
    command, make_bundle = map(os.path.abspath, sys.argv[1:])
    test = Test(command, make_bundle)
    launch = ["run", "k.holo", "--entry", "vector_add", "--in", "a=a.npy", "--in", "b=a.npy"]
    launch += ["--out", f"c=c.npy:f32:{ELEMENTS}", "--set", f"n={ELEMENTS}"]
    altered = "does not match its hash: the file is damaged or altered"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        array("a.npy")
        whole, trust = test.make("native")
        count = struct.unpack_from("<I", whole, 24)[0]
        rows = [ROW.unpack_from(whole, 64 + 64 * k) for k in range(count)]
        native = [k for k, row in enumerate(rows) if row[0] == 4]
        assert count >= 8 and len(native) == 1, rows
        test.expect(["verify", "k.holo"], 0)
        test.expect(["inspect", "k.holo"], 0)
        test.expect([*launch, "--expect", trust], 0)
        test.expect(launch, 0)
        for k, row in enumerate(rows):
            for place in (0, row[3] - 1):
                damaged = bytearray(whole)
                damaged[row[2] + place] ^= 0x20
                with open("k.holo", "wb") as file:
                    file.write(damaged)
                line = rf"hologram: error: k\.holo: section {k} \(.*\) {altered}"
                test.expect(["verify", "k.holo"], 1, line)
                test.expect(["inspect", "k.holo"], 1, line)
                if k not in native:
                    continue
                name = rf"section {k} \(native code of 'vector_add' for x86-64-v2\)"
                test.expect(
                    launch,
                    0,
                    rf"hologram: note: k\.holo: {name} does not match its hash and is not used",
                )
                test.expect([*launch, "--expect", trust], 1, f"hologram: error: {name} {altered}")
        # Several sections.
        damaged = bytearray(whole)
        chosen = [k for k, row in enumerate(rows) if row[0] != 1]
        for k in chosen:
            damaged[rows[k][2]] ^= 1
        with open("k.holo", "wb") as file:
            file.write(damaged)
        lines = [rf"hologram: error: k\.holo: section {k} \(.*\) {altered}" for k in chosen]
        test.expect(["verify", "k.holo"], 1, *lines)
        test.expect(["inspect", "k.holo"], 1, *lines)

        _, trust = test.make("old")
        name = rf"section {native[0]} \(native code of 'vector_add' for x86-64-v2\)"
        note = (
            rf"hologram: note: k\.holo: {name} was compiled for version 6 of the native ABI and is "
            r"not used by this library, which has version \d+"
        )
        test.expect(["verify", "k.holo"], 0)
        test.expect(launch, 0, note)
        test.expect([*launch, "--expect", trust], 0, note)
        said = subprocess.run([command, "inspect", "k.holo"], stdout=subprocess.PIPE, text=True)
        if "bytes, of version 6 of the native ABI: not used by this version\n" not in said.stdout:
            test.failures += 1
            print(f"inspect does not name the version:\n{said.stdout}")
        no_bundles(test)
    print(f"{test.checks} commands on bundles, {test.failures} failures")
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
