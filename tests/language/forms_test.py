"""Every form of cases.py: the same bits in the interpreter, in native code and as plain Python, from
a file and from a function, on a CUDA device if HOLOGRAM_CUDA names one, what NumPy says, and PTX; or
refused, with what to write.

usage: forms_test.py [--only WORDS]
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

import guarded  # noqa: F401
import numpy as np
from cases import Case, cases
from device import engines, is_without, missing

import hologram as hg
from hologram.simulator import launch

sys.dont_write_bytecode = True
LANES = (1, 8)


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def arguments() -> tuple[Any, Any]:
    return np.arange(1, 9, dtype=np.float32), np.zeros(8, np.float32)


def function_of(module: ModuleType) -> Any:
    return getattr(module.k, "_atlas_kernel", module.k)


def runs(path: Path) -> dict[str, Any]:
    """The output of each way to run the kernel."""
    module = load(path)
    found: dict[str, Any] = {}
    x, o = arguments()
    launch(function_of(module), *LANES)(x, o, 8)
    found["plain Python"] = o
    compiled = hg.kernel(function_of(module))
    # A flat array of real numbers is refused.
    kind = np.complex64 if "x: DeviceArray[complex64]" in path.read_text() else np.float32
    for engine in engines():
        x, o = arguments()
        x = x.view(kind)
        try:
            compiled.configure(grid=1, block=8, backend=engine)(x, o, 8)
        except hg.UnsupportedError as error:
            if engine != "cuda" or not is_without(error):
                raise
            continue
        found[engine] = o
    kernels = hg.compile(path)
    name = next(iter(kernels)) if "k" not in list(kernels) else "k"
    rest = [name for name in kernels if "_without_" in name]
    kernel = kernels[rest[0] if rest else name]
    x, o = arguments()
    x = x.view(kind)
    scalars = [p for p in kernel.parameters if "[]" not in str(p)]
    extra = (2.0,) if " s: f32 = 2.0" in path.read_text() and scalars else ()
    kernel.configure(grid=1, block=8)(x, o, 8, *extra)
    found["file"] = o
    return found


def check(case: Case, folder: Path) -> str | None:
    path = folder / f"case_{abs(hash((case.group, case.name)))}.py"
    path.write_text(case.source)
    try:
        found = runs(path)
    except Exception as error:  # every kind of it is a failure of the case
        text = f"{type(error).__name__}: {error}"
        if case.refused and case.refused in text and text.count("error:") == 1:
            return None
        return text
    if case.refused:
        return "is accepted"
    x, i = np.arange(1, 9, dtype=np.float32), np.arange(8)
    wanted = np.asarray(eval(case.expected, {"np": np, "x": x, "i": i})).astype(np.float32)
    first = found["interpreter"]
    for way, result in found.items():
        if result.tobytes() != first.tobytes():
            return f"{way} gives {result}, the interpreter {first}"
    if not np.array_equal(first, np.broadcast_to(wanted, 8)):
        return f"gives {first}, expected {wanted}"
    return missing(hg.compile(path))


PLANE = """from hologram.lang import *


def k(A: DeviceArray[f32, 2], B: DeviceArray[f32, 2], s: f32 = 2.0):
    x, y = get_global_id(0), get_global_id(1)
    if y < A.shape[0] and x < A.shape[1]:
        B[y, x] = s * A[y, x]
"""


# The block that the kernel says; blocks of 8 x 4 that share memory; 3 dimensions.
SAID = PLANE.replace("\n\ndef k", "\n\n@kernel(block=(32, 2))\ndef k")
TILED = """from hologram.lang import *


@kernel(block=(8, 4))
def k(A: DeviceArray[f32, 2], B: DeviceArray[f32, 2], s: f32 = 2.0):
    tile = shared(f32, (4, 8))
    x = get_block_id(0) * 8 + get_local_id(0)
    y = get_block_id(1) * 4 + get_local_id(1)
    if y < A.shape[0] and x < A.shape[1]:
        tile[get_local_id(1), get_local_id(0)] = A[y, x]
    barrier()
    if y < A.shape[0] and x < A.shape[1]:
        B[y, x] = s * tile[get_local_id(1), get_local_id(0)]
"""


def check_plane(folder: Path, text: str, number: int) -> str | None:
    """A call without a grid covers what the conditions admit, in two dimensions."""
    path = folder / f"plane_{number}.py"
    path.write_text(text)
    function = function_of(load(path))
    for run in (launch(function), hg.kernel(function)):
        for rows, columns in ((35, 20), (1, 100), (16, 16)):
            a = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
            b = np.zeros_like(a)
            run(a, b)
            if not np.array_equal(b, 2 * a):
                return f"FAIL {type(run).__name__} {number} leaves some of {rows} x {columns}"
    return None


def main() -> int:
    words = " ".join(sys.argv[2:]) if sys.argv[1:2] == ["--only"] else ""
    chosen = [case for case in cases() if words in f"{case.group}: {case.name}"]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in chosen:
            problem = check(case, Path(folder))
            if problem is not None:
                failures += 1
                print(f"FAIL {case.group}: {case.name}: {problem}")
        for number, text in enumerate((PLANE, SAID, TILED)):
            problem = check_plane(Path(folder), text, number)
            if problem is not None:
                failures += 1
                print(problem)
    refused = sum(1 for case in chosen if case.refused)
    print(f"{len(chosen) - refused} forms accepted, {refused} refused, {failures} failures")
    return 1 if failures or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
