"""Runs a kernel in both forms, as Python and compiled for the interpreter, on the same arguments."""

from __future__ import annotations

import functools
import importlib.util
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
sys.dont_write_bytecode = True

import guard_pages  # noqa: E402

from hologram.simulator import launch  # noqa: E402

guard_pages.install()

TYPES = {
    "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
    "float16": "f16", "float32": "f32", "float64": "f64",
}  # fmt: skip


@dataclass
class Run:
    """A kernel of a file with its arguments by name; arrays are in and out."""

    path: str
    kernel: str
    values: dict[str, object]
    grid: tuple[int, ...] | None = None
    block: tuple[int, ...] | None = None
    bf16: tuple[str, ...] = ()  # arrays whose elements are the bits of bf16
    written: tuple[str, ...] = ()  # the arrays that the kernel writes, where they are known
    fixed: tuple[str, ...] = ()  # known at compile time, with their default values
    instance: str = ""  # its name when compiled, where it stands for several
    deterministic: bool = True
    built: str = ""  # what is run in place of the file, which was compiled to it

    @property
    def entry(self) -> str:
        return self.instance or self.kernel


def load(path: str):
    """The module of a kernel file, read once."""
    status = os.stat(path)
    return _load(path, status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=64)
def _load(path: str, _time: int, _size: int):
    name = "kernels_" + os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, os.path.dirname(path))  # for helpers of the files beside it
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(os.path.dirname(path))
    return module


def as_python(run: Run) -> dict[str, np.ndarray]:
    """The arrays after the launch; the exceptions of the simulator pass."""
    kernel = getattr(load(run.path), run.kernel)
    values = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in run.values.items()}
    launch(kernel, run.grid, run.block, deterministic=run.deterministic)(*values.values())
    return {k: v for k, v in values.items() if isinstance(v, np.ndarray)}


class CompiledError(Exception):
    """What the command wrote to standard error."""


def compiled(hologram: str, run: Run, backend: str = "interpreter") -> dict[str, np.ndarray]:
    """The same by `hologram run --backend interpreter`: arrays that the kernel writes."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            hologram,
            "run",
            run.built or run.path,
            "--entry",
            run.entry,
            "--backend",
            backend,
        ]
        outputs = []
        for name, value in run.values.items():
            if name in run.fixed:
                continue
            if not isinstance(value, np.ndarray):
                command += ["--set", f"{name}={value!r}"]
                continue
            kind = "bf16" if name in run.bf16 else TYPES[value.dtype.name]
            np.save(f"{folder}/{name}.npy", value)
            suffix = ":bf16" if name in run.bf16 else ""
            command += ["--in", f"{name}={folder}/{name}.npy{suffix}"]
            outputs.append((name, kind, "x".join(str(n) for n in value.shape)))
        if run.grid is not None:
            command += ["--grid", _triple(run.grid), "--block", _triple(run.block or (256,))]
        if not run.deterministic:
            command.append("--nondeterministic")
        written = set(run.written) or written_arrays(hologram, run)
        for name, kind, size in outputs:
            if name in written:
                command += ["--out", f"{name}={folder}/out_{name}.npy:{kind}:{size}"]
        result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
        if result.returncode != 0:
            raise CompiledError(result.stderr.strip())
        return {
            name: np.load(f"{folder}/out_{name}.npy").ravel()
            for name, _, _ in outputs
            if name in written
        }


def _triple(shape: tuple[int, ...]) -> str:
    return ",".join(str(n) for n in (*shape, 1, 1)[:3])


_WRITTEN: dict[tuple[str, str], set[str]] = {}


def written_arrays(hologram: str, run: Run) -> set[str]:
    """The parameters that the compiled kernel writes, as its assembly says."""
    key = (run.path, run.entry)
    if key not in _WRITTEN:
        result = subprocess.run(
            [hologram, "compile", run.path, "--entry", run.entry, "--emit", "asm"],
            capture_output=True,
            text=True,
            cwd=ROOT,
        )
        if result.returncode != 0:
            raise CompiledError(result.stderr.strip())
        rows = [line.split() for line in result.stdout.splitlines() if line.startswith(".param")]
        _WRITTEN[key] = {row[1] for row in rows if row[-1] in ("out", "inout")}
    return _WRITTEN[key]


def difference(hologram: str, run: Run) -> str | None:
    """Where the two forms differ, bit for bit, or None."""
    mine = as_python(run)
    for name, theirs in compiled(hologram, run).items():
        kind = np.dtype(f"u{theirs.dtype.itemsize}")
        got, want = mine[name].ravel().view(kind), theirs.view(kind)
        wrong = np.flatnonzero(got != want)
        if len(wrong):
            at = int(wrong[0])
            return (
                f"{run.entry}: {name}[{at}] is {mine[name].ravel()[at]!r} as Python, "
                f"{theirs[at]!r} compiled; {len(wrong)} differ"
            )
    return None
