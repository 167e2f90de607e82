#!/usr/bin/env python3
"""Whether the code generator still writes the same bytes: one hash per program and target.

usage: same_output.py --save FILE | --compare FILE [--all] [--build build/release]

For changes of src/codegen that must not change what it generates. Compiled are the kernels of
kernels/ and the programs of tests/codegen/kernels.hasm, for every target, and the programs of
tests/conformance, which have each instruction in each type. Where many programs are alike, in
hg.ops (of kernels/ops and operations) and tests/conformance, a part of them is taken, for one target
each, so that a run takes about a minute; with --all every program is compiled for every target.
Each program that is taken also gives its remarks. The programs are made once, in the build folder,
and stay the same until they are removed there; they go through the C interface of the compiler
plugin, so no process is started for them. --compare fails and names the first that differ.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import os
import re
import struct
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGETS = (
    "v2",
    "v3",
    "v4",
    "aarch64",
    "sm_80",
    "sm_90",
    "wasm32",
    "wasm32-relaxed",
)  # HOLOGRAM_JIT_X86_V2 and so on
OBJECT, REMARKS = 0, 3
NO_DEBUG_LINES = 1
CODE, DEBUG = 2, 3  # sections of a bundle, docs/format.md
EVERY = {"ops": 7, "conformance": 2}  # one program of so many
SHOWN = 20
CALL_NUMBER = re.compile(rb"(?<=callseq )\d+")

Program = tuple[str, bytes, bytes]  # name, code, debug information


def programs_of(bundle: Path) -> list[Program]:
    data = bundle.read_bytes()
    (sections,) = struct.unpack_from("<I", data, 24)
    parts: dict[int, dict[int, bytes]] = {}
    for k in range(sections):
        kind, _, offset, size, number = struct.unpack_from("<IIQQI", data, 64 + 64 * k)
        parts.setdefault(number, {})[kind] = data[offset : offset + size]
    return [
        (f"{bundle.stem}.{number}", part[CODE], part.get(DEBUG, b""))
        for number, part in sorted(parts.items())
        if CODE in part
    ]


def bundle(tool: Path, source: Path, to: Path) -> None:
    command = [tool, "compile", source, "--emit", "holo", "--native", "none", "-o", to]
    environment = os.environ | {"HOLOGRAM_PYTHON": sys.executable}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode != 0:
        raise SystemExit(f"same_output: {source}: {done.stderr.strip()}")


def cases_of(path: Path) -> list[str]:
    """The programs in a conformance file."""
    texts: list[str] = []
    inside = False
    for line in path.read_text().splitlines():
        if line.startswith("-- "):
            inside = line == "-- asm"
            if inside:
                texts.append("")
        elif inside:
            texts[-1] += line + "\n"
    return texts


def vectors_in(folder: Path) -> list[Path]:
    """The conformance files: those that are written by hand, and those made here."""
    here = ROOT / "tests/conformance"
    subprocess.run([sys.executable, here / "generate.py", folder], check=True)
    return [*here.glob("*/*.txt"), *folder.glob("*/*.txt")]


def make_programs(tool: Path, folder: Path) -> None:
    """Bundles without native code, of everything that is compiled here."""
    sources: list[tuple[Path, Path]] = []
    made = folder.with_name(folder.name + ".new")
    for group in ("kernels", "hasm", "conformance"):
        (made / group).mkdir(parents=True, exist_ok=True)
    for path in sorted((ROOT / "kernels").rglob("*.py")):
        name = "-".join(path.relative_to(ROOT / "kernels").with_suffix("").parts)
        sources.append((path, made / "kernels" / f"{name}.holo"))
    generator = [sys.executable, "-I", "-S", ROOT / "operations/generator", "kernels"]
    subprocess.run([*generator, made / "operations"], check=True)
    for path in sorted((made / "operations").glob("*.py")):
        sources.append((path, made / "kernels" / f"ops-{path.stem}.holo"))
    sources.append((ROOT / "tests/codegen/kernels.hasm", made / "hasm" / "kernels.holo"))
    for path in sorted(vectors_in(made / "vectors"), key=lambda path: path.parts[-2:]):
        for k, text in enumerate(cases_of(path)):
            name = f"{path.parent.name}-{path.stem}-{k}"
            source = made / "conformance" / f"{name}.hasm"
            source.write_text(text)
            sources.append((source, source.with_suffix(".holo")))
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda pair: bundle(tool, *pair), sources))
    made.rename(folder)


class Plugin:
    """The C interface of src/plugin/code.h."""

    def __init__(self, path: Path) -> None:
        self.sink = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
        self.function = ctypes.CDLL(str(path)).hologram_jit_compile
        size, number = ctypes.c_size_t, ctypes.c_uint32
        text = ctypes.c_char_p
        self.function.argtypes = [
            *(text, size, text, size, ctypes.POINTER(number), size, number, number),
            *(self.sink, self.sink, ctypes.c_void_p),
        ]

    def compile(self, program: Program, target: int, flags: int, output: int) -> bytes:
        """The output, or the message that says why there is none."""
        _, code, debug = program
        got: list[bytes] = []
        sink = self.sink(lambda _, at, size: got.append(ctypes.string_at(at, size)))
        levels = (ctypes.c_uint32 * 1)(target)
        arguments = (code, len(code), debug, len(debug), levels, 1, flags, output, sink, sink, None)
        failed = self.function(*arguments)
        # LLVM numbers the calls of PTX through all compilations of a process.
        return (b"error: " if failed else b"") + CALL_NUMBER.sub(b"", b"".join(got))


def hash_all(plugin: Plugin, folder: Path, every: bool) -> list[str]:
    jobs: list[tuple[str, Program, int, int, int]] = []
    for group in ("kernels", "hasm", "conformance"):
        turns: dict[str, int] = {}
        for path in sorted((folder / group).glob("*.holo")):
            kind = "ops" if path.name.startswith("ops-") else group
            for program in programs_of(path):
                turn = turns[kind] = turns.get(kind, -1) + 1
                sampled = kind in EVERY and not every
                if sampled and turn % EVERY[kind] != 0:
                    continue
                turn //= EVERY.get(kind, 1)
                targets = [turn % len(TARGETS)] if sampled else range(len(TARGETS))
                name = f"{group}/{program[0]}"
                jobs += [(f"{name} {TARGETS[t]}", program, t, 0, OBJECT) for t in targets]
                jobs.append((f"{name} remarks", program, turn % len(TARGETS), 0, REMARKS))
                if turn % 8 == 0:
                    jobs.append((f"{name} no lines", program, 2, NO_DEBUG_LINES, OBJECT))

    def run(job: tuple[str, Program, int, int, int]) -> str:
        label, program, target, flags, output = job
        made = plugin.compile(program, target, flags, output)
        return f"{hashlib.sha256(made).hexdigest()[:32]} {label}"

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(run, jobs))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--save", type=Path, help="write the hashes to a file")
    action.add_argument("--compare", type=Path, help="compare with the hashes in a file")
    parser.add_argument("--all", action="store_true", help="every program for every target")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    options = parser.parse_args()
    folder = options.build / "same_output"
    if not folder.exists():
        make_programs(options.build / "bin/hologram", folder)
    start = time.monotonic()
    plugin = Plugin(options.build / "lib/libhologram_jit.so")
    lines = hash_all(plugin, folder, options.all)
    seconds = f"{len(lines)} outputs in {time.monotonic() - start:.0f} s"
    if options.save:
        options.save.write_text("".join(line + "\n" for line in lines))
        print(f"same_output: saved {seconds}")
        return 0
    before = {line[33:]: line[:32] for line in options.compare.read_text().splitlines()}
    now = {line[33:]: line[:32] for line in lines}
    differing = [name for name in now if before.get(name) != now[name]]
    missing = [name for name in before if name not in now]
    for name in [*differing, *missing][:SHOWN]:
        print(f"same_output: differs: {name}")
    if differing or missing:
        print(f"same_output: {len(differing)} differ and {len(missing)} are gone, of {seconds}")
        return 1
    print(f"same_output: all the same, {seconds}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
