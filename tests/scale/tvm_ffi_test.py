"""Libraries of `hologram compile --emit tvm-ffi` in tvm-ffi: bits, errors, processes without hologram,
many libraries in one process; the time of a call beside a callback's and a direct call's.

usage: tvm_ffi_test.py HOLOGRAM COMPILER
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import timeit
from pathlib import Path
from typing import Any

import numpy as np
import tvm_ffi
from numbers_of_tests import numbers, same

import hologram as hg

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "tests/tvmffi/kernels.py"
BAR_US = 0.5
FAR = 3  # beyond the bar: machines are shared
SEVERAL = 12
ALONE = """import sys
import numpy as np
import tvm_ffi
scale = tvm_ffi.load_module(sys.argv[1]).scale
x, y = np.ones(3_000_000, "f4"), np.zeros(3_000_000, "f4")
scale(2.0, x, y, x.size)
assert (y == 2).all() and "hologram" not in sys.modules
print("alone")
"""


class Exported:
    """An array that offers DLPack and nothing else."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def compiled(hologram: str, folder: Path, name: str, *options: str) -> str:
    path = folder / f"{name}.so"
    command = [hologram, "compile", KERNELS.name, "--emit", "tvm-ffi", "-o", path, *options]
    environment = os.environ | {"CC": "/nonexistent"}  # none is asked for
    subprocess.run(command, check=True, cwd=KERNELS.parent, env=environment)
    return str(path)


def refused(kind: type[Exception], text: str, call: Any, *arguments: Any) -> None:
    try:
        call(*arguments)
    except Exception as error:
        assert type(error) is kind, (type(error), error)
        assert str(error).startswith(text), error
    else:
        raise AssertionError(f"no error: {text}")


def values(module: Any, bundle: Any) -> None:
    x = numbers()
    expected = np.zeros_like(x)
    bundle.scale(0.3, x, expected, x.size)
    for wrap in (lambda array: array, tvm_ffi.from_dlpack, Exported):
        y = np.zeros_like(x)
        assert module.scale(0.3, wrap(x), wrap(y), x.size) is None
        assert same(y, expected)
    rows, wide = np.arange(12.0).reshape(3, 4), np.zeros((3, 6))
    module.rows(rows, wide[:, :4])
    assert same(wide[:, :4], rows + np.arange(3.0)[:, None]) and not wide[:, 4:].any()
    out = np.zeros(3, "u8")
    module.bits(2**64 - 30, 5, out, 3)
    assert out.tolist() == [2**64 - 25 + k for k in range(3)]
    a, b, q = (np.array(v, "i4") for v in ([7, -7], [2, 2], [0, 0]))
    module.quotient(a, b, q, 2)
    assert q.tolist() == [3, -4]
    # Every kernel of the library has a function.
    assert all(module.get_function(name) is not None for name in bundle)


def errors(module: Any) -> None:
    scale = module.scale
    x, y = np.ones(10, "f4"), np.zeros(10, "f4")
    place = "kernels.py:9:20: error: x[i] reads element 10 of 10 (i = 10)"
    refused(RuntimeError, place, scale, 2.0, x, y, 11)
    refused(ValueError, "kernel 'scale': 'n' expects u32, found -1", scale, 2.0, x, y, -1)
    refused(ValueError, "kernel 'scale': 'n' expects u32, found 1.5", scale, 2.0, x, y, 1.5)
    refused(ValueError, "kernel 'scale': 'a' expects f32, found 1", scale, 1e300, x, y, 1)
    refused(ValueError, "kernel 'scale': 'a' expects f32, found an int", scale, 2**99, x, y, 1)
    refused(ValueError, "kernel 'scale': 'x' is not C-contiguous", scale, 2.0, x[::2], y, 1)
    refused(TypeError, "kernel 'scale' expects 4 arguments (a, x, y, n)", scale, 2.0, x, y)
    refused(TypeError, "kernel 'scale': 'a' expects f32, found str", scale, "2", x, y, 1)
    refused(
        TypeError, "kernel 'scale': 'x' expects an array of f32, found None", scale, 2, None, y, 1
    )
    found = "kernel 'scale': 'x' expects an array of f32, found an array of f64"
    refused(TypeError, found, scale, 2.0, x.astype("f8"), y, 1)
    fixed = y.copy()
    fixed.flags.writeable = False
    refused(BufferError, "Cannot export readonly array", scale, 2.0, x, fixed, 1)
    zeros = np.zeros(2, "i4")
    refused(RuntimeError, "kernels.py:33:", module.quotient, zeros, zeros, zeros.copy(), 2)
    try:
        module.races(zeros, zeros.copy(), 2)
    except (ValueError, RuntimeError) as error:
        assert "kernels.py:39:" in str(error), error
    else:
        raise AssertionError("a race is no error")


def processes(path: str, folder: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment["HOLOGRAM_JIT"] = "/nonexistent"
    done = subprocess.run(
        [sys.executable, "-c", ALONE, path],
        check=True, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert done.stdout == "alone\n", done.stdout
    # Copies have names of their own: each is another library.
    x, y = np.ones(5, "f4"), np.zeros(5, "f4")
    for k in range(SEVERAL):
        copy = folder / f"copy{k}.so"
        copy.write_bytes(Path(path).read_bytes())
        tvm_ffi.load_module(str(copy)).scale(float(k), x, y, 5)
        assert y.tolist() == [k] * 5


def structures(compiler: str) -> None:
    folders = [f"-I{folder}" for folder in (ROOT / "src", *tvm_ffi.libinfo.include_paths())]
    source = ROOT / "tests/scale/tvm_ffi_abi.cc"
    command = [compiler, "-std=c++20", "-fsyntax-only", *folders, str(source)]
    subprocess.run(command, check=True)


def times(module: Any, bundle: Any) -> float:
    x, y = np.ones(1000, "f4"), np.zeros(1000, "f4")
    tensors = tvm_ffi.from_dlpack(x), tvm_ffi.from_dlpack(y)
    scale, kernel = module.scale, bundle.scale
    callback = tvm_ffi.convert(lambda a, x, y, n: kernel(a, x, y, n))
    calls = {
        "a function of the library on tensors": lambda: scale(2.0, *tensors, 1000),
        "the same on NumPy arrays": lambda: scale(2.0, x, y, 1000),
        "a callback around the kernel": lambda: callback(2.0, *tensors, 1000),
        "the kernel on NumPy arrays": lambda: kernel(2.0, x, y, 1000),
        "the kernel on tensors": lambda: kernel(2.0, *tensors, 1000),
    }
    found = []
    for name, call in calls.items():
        found.append(min(timeit.repeat(call, number=500, repeat=300)) / 500 * 1e6)
        print(f"n = 1,000: {found[-1]:.3f} us, {name}")
    print(f"bar {BAR_US} us{'' if found[0] <= BAR_US else ', MISSED'}")
    return found[0]


def main() -> int:
    hologram, compiler = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = compiled(hologram, folder, "kernels", "--native", "all")
        # The programs are those of a bundle, which the library is too.
        bundle = hg.load(path)
        module = tvm_ffi.load_module(path)
        values(module, bundle)
        errors(module)
        values(tvm_ffi.load_module(compiled(hologram, folder, "plain", "--native", "none")), bundle)
        processes(path, folder)
        structures(compiler)
        return 1 if times(module, bundle) > BAR_US * FAR else 0


if __name__ == "__main__":
    sys.exit(main())
