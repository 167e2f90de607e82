"""The same sources give the same bytes of stdlib.holo.

usage: same_bytes_test.py BUILDER STDLIB_HOLO [--jit PLUGIN] [--every N --parts FOLDER]

The sources are copied into a folder of another name and depth and the bundle is built there once more, with
another order of work, time zone, locale and seed of Python's hashes. It must be STDLIB_HOLO, byte by byte.
--every compiles each Nth source only and takes the other parts from FOLDER, where the build made them.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Build:
    """What tools/stdlib/CMakeLists.txt does, in `folder`."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.builder = options.builder
        self.native = "all" if options.jit else "none"
        self.checkout = folder / "a" / "checkout of another name"
        self.parts = folder / "parts"
        self.parts.mkdir()
        for name in ("kernels", "operations", "python/hologram"):
            shutil.copytree(
                ROOT / name, self.checkout / name, ignore=shutil.ignore_patterns("__pycache__")
            )
        files = self.checkout.glob("kernels/*/*.py")
        written = [str(file.relative_to(self.checkout)) for file in files]
        self.every = options.every
        self.built = options.parts
        self.environment = {
            **os.environ,
            "HOLOGRAM_JIT": options.jit or "",
            "HOLOGRAM_CACHE_DIR": "",
            "PYTHONHASHSEED": "12345",
            "TZ": "Pacific/Chatham",
            "LC_ALL": "C",
        }

        self.run(*self.generator(), "build", str(self.parts / "operations"))
        documents = (self.parts / "operations").glob("*.json")
        self.made = [f"kernels/ops/{file.stem}.py" for file in documents]
        self.sources = sorted(written + self.made)

    def generator(self) -> tuple[str, ...]:
        return (sys.executable, "-I", "-S", "operations/generator")

    def run(self, *command: str) -> None:
        done = subprocess.run(
            command, cwd=self.checkout, env=self.environment, capture_output=True, text=True
        )
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")

    def part(self, source: str, suffix: str = "holo") -> str:
        name = "_".join(Path(source).with_suffix("").parts[1:])
        return str(self.parts / f"{name}.{suffix}")

    def compile(self, source: str) -> None:
        if source in self.made:
            json = str(self.parts / "operations" / f"{Path(source).stem}.json")
        else:
            json = self.part(source, "json")
            front_end = "python/hologram/frontend/__main__.py"
            self.run(sys.executable, "-I", "-S", front_end, source, "-o", json)
        self.run(self.builder, "compile", self.native, json, self.part(source))

    def bundle(self) -> bytes:
        chosen = self.sources[:: self.every]
        for source in set(self.sources) - set(chosen):
            part = self.part(source)
            shutil.copy(f"{self.built}/{Path(part).name}", part)
        shuffled = random.Random(1).sample(chosen, len(chosen))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(self.compile, shuffled))
        made = [str(self.parts / f"stdlib.{kind}") for kind in ("bundle", "py", "hpp")]
        self.run(self.builder, "merge", *made, *map(self.part, self.sources))
        return Path(made[0]).read_bytes()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("builder")
    parser.add_argument("stdlib")
    parser.add_argument("--jit")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--parts")
    options = parser.parse_args()
    expected = Path(options.stdlib).read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        build = Build(options, Path(folder))
        found = build.bundle()
    named = folder.encode() in found
    if named:
        print("FAIL the bundle has the name of the folder it was built in")
    files = (
        f"{len(build.sources[:: build.every])} of {len(build.sources)} kernel files compiled again"
    )
    print(f"{files}, {len(found)} bytes, {len(expected)} expected")
    if found != expected:
        at = next(
            (i for i, (a, b) in enumerate(zip(found, expected)) if a != b),
            min(len(found), len(expected)),
        )
        print(f"FAIL the bundles differ from byte {at}")
    return 1 if named or found != expected else 0


if __name__ == "__main__":
    sys.exit(main())
