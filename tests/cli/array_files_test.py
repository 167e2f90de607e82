"""Array files of the command against NumPy: each is the other's reader.

usage: array_files_test.py HOLOGRAM

A copying kernel of each type reads what NumPy saved in every form and writes every form; NumPy must
see the same elements. Damaged archives end with exit code 1 and a message, and leave nothing.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile

import numpy as np

TYPES = {
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
    "u64": np.uint64,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
}
SHAPES = [(7,), (3, 4), (2, 3, 4), (2, 1, 3, 2)]
KERNEL = """from hologram.lang import *


def k(a: DeviceArray[{0}], c: DeviceArray[{0}], n: u32):
    i = get_global_id()
    if i < n:
        c[i] = a[i]
"""


class Command:
    def __init__(self, command: str, folder: str) -> None:
        self.command = command
        self.folder = folder
        self.failures = 0
        self.checks = 0

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def run(self, arguments: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.command, *arguments],
            cwd=self.folder,
            env={**os.environ, "HOLOGRAM_PYTHON": sys.executable},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def copy(self, type_name: str, source: str, target: str, shape: tuple[int, ...]) -> str:
        """Runs the copying kernel; returns its messages."""
        said = f"{type_name}:{'x'.join(map(str, shape))}"
        count = int(np.prod(shape))
        out = [f"--out=c={target}:{said}", f"--set=n={count}", "--backend=interpreter"]
        result = self.run(["run", f"{type_name}.holo", f"--in=a={source}", *out])
        return "" if result.returncode == 0 else f"exit {result.returncode}: {result.stderr}"

    def check(self, what: str, found: np.ndarray | str, wanted: np.ndarray) -> None:
        self.checks += 1
        if isinstance(found, str):
            self.failures += 1
            print(f"FAIL {what}: {found}")
        elif (
            found.dtype != wanted.dtype
            or found.shape != wanted.shape
            or found.tobytes() != np.ascontiguousarray(wanted).tobytes()
        ):
            self.failures += 1
            print(f"FAIL {what}: expected {wanted!r}, found {found!r}")


def samples(dtype: type, shape: tuple[int, ...], generator: np.random.Generator) -> np.ndarray:
    bits = generator.integers(0, 256, int(np.prod(shape)) * np.dtype(dtype).itemsize, np.uint8)
    values = bits.view(dtype).reshape(shape).copy()
    if values.dtype.kind == "f":
        values[np.isnan(values)] = np.inf
    return values


def check_type(command: Command, type_name: str, generator: np.random.Generator) -> None:
    dtype = TYPES[type_name]
    for shape in SHAPES:
        values = samples(dtype, shape, generator)
        fortran = np.asfortranarray(values)
        swapped = values.astype(values.dtype.newbyteorder(">"))
        np.save(command.path("a.npy"), values)
        np.save(command.path("fortran.npy"), fortran)
        np.save(command.path("big.npy"), swapped)
        np.savez(command.path("a.npz"), other=np.zeros(2), x=values)
        np.savez_compressed(command.path("packed.npz"), a=fortran, other=np.zeros(2))
        np.savez_compressed(command.path("one.npz"), swapped)
        rows = values.reshape(-1, shape[-1]) if len(shape) > 1 else values
        text = "%d" if values.dtype.kind in "iu" else "%.17g"
        np.savetxt(command.path("a.csv"), rows, fmt=text, delimiter=",", header="of NumPy")
        sources = ["a.npy", "fortran.npy", "big.npy", "a.npz:x", "packed.npz", "one.npz", "a.csv"]
        for source in sources:
            said = command.copy(type_name, source, "c.npy", shape)
            found = said or np.load(command.path("c.npy"))
            command.check(f"{type_name} {shape} from {source}", found, values)
        said = command.copy(type_name, "a.npy", "c.npz:out", shape)
        found = said or np.load(command.path("c.npz"))["out"]
        command.check(f"{type_name} {shape} to .npz", found, values)
        said = command.copy(type_name, "a.npy", "c.csv", shape)
        found = said or np.loadtxt(
            command.path("c.csv"), dtype=dtype, delimiter=",", comments="#", ndmin=1
        ).reshape(shape)
        command.check(f"{type_name} {shape} to .csv", found, values)
        said = command.copy(type_name, "c.csv", "again.npy", shape)
        found = said or np.load(command.path("again.npy"))
        command.check(f"{type_name} {shape} from and to .csv", found, values)


def check_bool_and_bf16(command: Command) -> None:
    flags = np.array([True, False, True])
    np.save(command.path("flags.npy"), flags)
    said = command.copy("u8", "flags.npy", "c.npy", (3,))
    command.check("bool", said or np.load(command.path("c.npy")), flags.astype(np.uint8))
    bits = np.array([0x3F80, 0x4049, 0xFF80], np.uint16)
    np.save(command.path("bits.npy"), bits)
    np.save(command.path("void.npy"), bits.view("V2"))
    np.savez(command.path("bits.npz"), b=bits)
    for source in ["bits.npy:bf16", "void.npy", "bits.npz:b:bf16", "bits.npz:bf16"]:
        said = command.copy("bf16", source, "c.npy", (3,))
        command.check(f"bf16 from {source}", said or np.load(command.path("c.npy")), bits)
    with open(command.path("b.csv"), "w", encoding="ascii") as file:
        file.write("1\n3.14\n-inf\n")
    said = command.copy("bf16", "b.csv", "c.npy", (3,))
    command.check("bf16 from .csv", said or np.load(command.path("c.npy")), bits)


def check_damage(command: Command, generator: random.Random) -> None:
    """Compressed archives with changed bytes: the elements are right, or there is a message."""
    values = np.arange(64, dtype=np.float32)
    np.savez_compressed(command.path("good.npz"), a=values)
    with open(command.path("good.npz"), "rb") as file:
        good = file.read()
    for _ in range(60):
        data = bytearray(good)
        for _ in range(generator.randint(1, 3)):
            data[generator.randrange(len(data))] = generator.randrange(256)
        with open(command.path("bad.npz"), "wb") as file:
            file.write(data[: generator.choice([len(data), generator.randrange(len(data))])])
        said = command.copy("f32", "bad.npz:a", "damaged.npy", (64,))
        command.checks += 1
        if said and not said.startswith("exit 1: hologram: error: bad.npz: "):
            command.failures += 1
            print(f"FAIL damaged archive {bytes(data)!r}: {said}")
        if os.path.exists(command.path("damaged.npy")):
            command.check("damaged archive", np.load(command.path("damaged.npy")), values)
            os.remove(command.path("damaged.npy"))
            if said:
                command.failures += 1
                print(f"FAIL damaged archive: an output and {said}")


def check_inputs_stay(command: Command) -> None:
    """A file that a run reads is not written over, whatever its names."""
    values = np.arange(6, dtype=np.float32)
    np.save(command.path("x.npy"), values)
    np.savez(command.path("x.npz"), a=values)
    with open(command.path("x.csv"), "w", encoding="ascii") as file:
        file.write("".join(f"{value}\n" for value in values))
    os.mkdir(command.path("sub"))
    os.symlink("sub", command.path("alias"))
    np.save(command.path("sub/y.npy"), values)
    for suffix in ("npy", "npz", "csv"):
        os.link(command.path(f"x.{suffix}"), command.path(f"hard.{suffix}"))
        os.symlink(f"x.{suffix}", command.path(f"soft.{suffix}"))
    pairs = [("sub/y.npy", "alias/y.npy"), ("alias/y.npy", "./sub/../sub/y.npy")]
    for suffix in ("npy", "npz", "csv"):
        source = f"x.{suffix}"
        for target in (source, f"./{source}", f"sub/../{source}", command.path(source)):
            pairs.append((source, target))
        for link in (f"hard.{suffix}", f"soft.{suffix}"):
            pairs += [(source, link), (link, source)]
    for source, target in pairs:
        with open(command.path(source), "rb") as file:
            before = file.read()
        said = command.copy("f32", source, target, (6,))
        with open(command.path(source), "rb") as file:
            after = file.read()
        command.checks += 1
        wanted = f"{target} is read for --in a and would be replaced; write to another file"
        if wanted not in said or not said.startswith("exit 1: ") or before != after:
            command.failures += 1
            print(f"FAIL {source} -> {target}: {said!r}, same bytes: {before == after}")
    # Another file is written, also through a link to it, which is replaced.
    for target in ("new.npy", "sub/new.npy", "alias/new.npy", "new.npy"):
        said = command.copy("f32", "x.npy", target, (6,))
        command.check(target, said or np.load(command.path(target)), values)


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        command = Command(os.path.abspath(sys.argv[1]), folder)
        for name in [*TYPES, "bf16"]:
            with open(command.path(f"{name}.py"), "w", encoding="ascii") as file:
                file.write(KERNEL.format(name))
            compiled = command.run(["compile", f"{name}.py", "--native", "none"])
            if compiled.returncode != 0:
                print(compiled.stderr)
                return 1
        numbers = np.random.default_rng(1)
        for name in TYPES:
            check_type(command, name, numbers)
        check_bool_and_bf16(command)
        check_damage(command, random.Random(1))
        check_inputs_stay(command)
        print(f"{command.checks} checks, {command.failures} failed")
        return 1 if command.failures else 0


if __name__ == "__main__":
    sys.exit(main())
