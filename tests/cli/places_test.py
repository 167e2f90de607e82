"""What the command does where the file system refuses, and where several write to one place.

Output files, bundles and entries of the code cache go to a file system that is read-only, and to
small ones that fill up in the middle (root mounts them; else these parts are skipped with a line).
Then several commands at once share one cache folder, whose entries are cut and removed meanwhile. A
command ends with 0, 1 or 2 and a line that says why, and what it was to write is whole, as it was
before, or not there.

usage: places_test.py HOLOGRAM [--count N] [--seed S]
"""

from __future__ import annotations

import argparse
import os
import random
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

ELEMENTS = 12_000
KERNEL = """\
from hologram.lang import *


def scale(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = 2.0 * x[i]
"""
SKIPPED = "SKIPPED, only root mounts file systems"
PARTIAL = "partial-"  # how a file of the cache begins that is not whole yet


def array_bytes(value: float) -> bytes:
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({ELEMENTS},), }}"
    header += " " * (-(11 + len(header)) % 64) + "\n"
    return (
        b"\x93NUMPY\x01\x00"
        + struct.pack("<H", len(header))
        + header.encode()
        + struct.pack("<f", value) * ELEMENTS
    )


def read(path: str) -> bytes | None:
    if not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        return file.read()


class Test:
    def __init__(self, command: str) -> None:
        self.command = command
        self.failures = 0
        self.codes: Counter[int] = Counter()

    def fail(self, text: str) -> None:
        self.failures += 1
        print("FAIL", text)

    def start(self, arguments: list[str], cache: str = "") -> subprocess.Popen[bytes]:
        environment = {**os.environ, "HOLOGRAM_CACHE_DIR": cache}
        return subprocess.Popen(
            [self.command, *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
        )

    def finish(self, process: subprocess.Popen[bytes], what: str) -> tuple[int, str]:
        said = process.communicate(timeout=120)[1].decode(errors="replace")
        code = process.returncode
        self.codes[code] += 1
        if code not in (0, 1, 2):
            self.fail(f"{what}: ended with {code}: {said[-300:]}")
        elif code != 0 and "error" not in said:
            self.fail(f"{what}: code {code} without a reason: {said!r}")
        return code, said

    def run(self, arguments: list[str], what: str, cache: str = "") -> tuple[int, str]:
        return self.finish(self.start(arguments, cache), what)


def run_command(output: str, more: str = "") -> list[str]:
    return [
        *["run", "k.holo", "--in", "x=x.npy", "--out", f"y={output}:f32:{ELEMENTS}{more}"],
        *["--set", f"n={ELEMENTS}"],
    ]


def writers(folder: str) -> dict[str, list[str]]:
    """Commands by the file that each writes."""
    commands = {f"{folder}/y{kind}": run_command(f"{folder}/y{kind}") for kind in (".npy", ".csv")}
    commands[f"{folder}/out.holo"] = ["compile", "k.py", "-o", f"{folder}/out.holo"]
    commands[f"{folder}/k.o"] = ["compile", "k.py", "--entry", "scale", "-o", f"{folder}/k.o"]
    return commands


@contextmanager
def mounted(folder: str, options: str) -> Iterator[bool]:
    os.makedirs(folder, exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"mode=700,{options}", "tmpfs", folder]
    done = subprocess.run(command, stderr=subprocess.DEVNULL, check=False)
    try:
        yield done.returncode == 0
    finally:
        if done.returncode == 0:
            subprocess.run(["umount", "-l", folder], check=True)


def read_only(test: Test) -> bool:
    with mounted("fixed", "size=1m") as there:
        if not there:
            return False
        for name in ("y.npy", "cache-file"):
            with open(f"fixed/{name}", "wb") as file:
                file.write(b"before")
        subprocess.run(["mount", "-o", "remount,ro", "fixed"], check=True)
        for path, arguments in writers("fixed").items():
            before = read(path)
            code, said = test.run(arguments, f"read-only {path}")
            if code == 0 or os.path.basename(path) not in said:
                test.fail(f"{path} on a read-only file system: code {code}, {said!r}")
            if read(path) != before:
                test.fail(f"{path} changed on a read-only file system")
        # The cache is there to save time: without it the kernel is compiled.
        code, said = test.run(run_command("y.npy"), "read-only cache", "fixed")
        if code != 0 or read("y.npy") != array_bytes(2.0):
            test.fail(f"a read-only cache: code {code}, {said!r}")
        os.remove("y.npy")
    return True


def full(test: Test, count: int, chance: random.Random) -> None:
    whole: dict[str, int] = {}
    os.makedirs("room", exist_ok=True)
    for path, arguments in writers("room").items():
        test.run(arguments, "with room")
        whole[os.path.basename(path)] = os.path.getsize(path)
    cut = 0
    for k in range(count):
        # In pages: tmpfs has no others.
        path = list(writers("small"))[k % len(whole)]
        name = os.path.basename(path)
        pages = 1 + chance.randrange(max(whole[name] // 4096 + 2, 3))
        with mounted("small", f"size={pages * 4096}"):
            before = b"before" if pages > 1 and chance.random() < 0.5 else None
            if before is not None:
                with open(path, "wb") as file:
                    file.write(before)
            what = f"{path} with room for {pages} pages"
            code, said = test.run(writers("small")[path], what)
            found = read(path)
            if code == 0 and (found is None or len(found) != whole[name]):
                test.fail(f"{what}: success with {None if found is None else len(found)} bytes")
            if code != 0:
                cut += 1
                if found != before:
                    test.fail(f"{what}: neither whole nor as before: {said!r}")
                if name not in said and "k.h" not in said:
                    test.fail(f"{what}: the file is not named: {said!r}")
            if set(os.listdir("small")) - {name, "k.h"} or (
                code != 0 and os.path.exists("small/k.h")
            ):
                test.fail(f"{what}: left behind {os.listdir('small')}")
            for other in os.listdir("small"):
                os.remove(f"small/{other}")
            # An entry of the cache that does not fit.
            test.run(run_command("y.npy"), f"cache with room for {pages} pages", "small")
            if read("y.npy") != array_bytes(2.0):
                test.fail(f"a cache with room for {pages} pages: another result")
            left = [n for n in os.listdir("small") if n.startswith(PARTIAL)]
            if left:
                test.fail(f"a full cache: left behind {left}")
    print(f"{count} small file systems, {cut} of them too small")


def shared_cache(test: Test, count: int, chance: random.Random) -> None:
    os.makedirs("cache", mode=0o700, exist_ok=True)
    damaged = 0
    for _ in range(count):
        running = []
        for k in range(3):
            running.append(test.start(run_command(f"y{k}.npy"), "cache"))
        for entry in os.listdir("cache"):
            try:
                if chance.random() < 0.5:
                    os.remove(f"cache/{entry}")
                else:
                    os.truncate(f"cache/{entry}", chance.randrange(200))
                damaged += 1
            except FileNotFoundError:
                continue
        for k, process in enumerate(running):
            code, said = test.finish(process, "a shared cache")
            if code != 0 or read(f"y{k}.npy") != array_bytes(2.0):
                test.fail(f"a shared cache: code {code}, {said!r}")
    if not any(os.scandir("cache")):
        test.fail("nobody used the cache")
    print(f"{3 * count} commands on one cache folder, {damaged} entries damaged meanwhile")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command")
    parser.add_argument("--count", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    test = Test(os.path.abspath(options.command))
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("k.py", "w", encoding="utf-8") as file:
            file.write(KERNEL)
        with open("x.npy", "wb") as file:
            file.write(array_bytes(1.0))
        test.run(["compile", "k.py", "-o", "k.holo", "--native", "none"], "the bundle")
        if read_only(test):
            full(test, options.count, chance)
        else:
            print(f"read-only and full file systems: {SKIPPED}")
        shared_cache(test, options.count, chance)
        os.chdir("/")
    codes = ", ".join(f"{count} with {code}" for code, count in sorted(test.codes.items()))
    print(f"{test.codes.total()} commands ({codes}), {test.failures} failures")
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main())
