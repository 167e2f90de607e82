"""Arrays of PyTorch and CuPy on a CUDA device, in place, and ours for them: no copies, and the order of work holds.

usage: foreign_test.py
Each library that is not installed, or has no device, is skipped with a line.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

import numpy as np

import hologram as hg
from hologram.lang import DeviceArray, f32, get_global_id, u32

N = 1 << 22


@hg.kernel
def halve(x: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        x[i] = 0.5 * x[i]


def library(name: str) -> Any:
    try:
        found = importlib.import_module(name)
        if name == "torch":
            found.zeros(1, device="cuda")
        else:
            found.zeros(1)
    except Exception as error:
        print(f"{name}: SKIPPED, {type(error).__name__}: {str(error)[:200]}")
        return None
    return found


def test_torch(torch: Any) -> None:
    theirs = torch.zeros(N, device="cuda")
    ours = hg.to_device(theirs)
    for k in range(20):  # theirs is asked for and not waited for; ours comes after it, and is done
        theirs.fill_(float(2 * k))
        for _ in range(5):
            theirs.add_(1.0)
        halve(ours, N)
        assert halve.last_launch.engine == "cuda"
        assert float(theirs[N - 1]) == 0.5 * (2 * k + 5), k
        assert torch.equal(theirs, torch.full_like(theirs, 0.5 * (2 * k + 5)))
    mine = hg.to_device(np.arange(12, dtype=np.float32).reshape(3, 4), "cuda")
    seen = torch.as_tensor(mine, device="cuda")
    assert seen.shape == (3, 4) and seen[1, 2].item() == 6
    seen.mul_(2.0)
    torch.cuda.synchronize()
    assert np.array_equal(mine.to_host(), 2 * np.arange(12, dtype=np.float32).reshape(3, 4))
    halve(mine.reshape(-1), 12)
    assert seen[2, 3].item() == 11
    again = torch.from_dlpack(mine)
    again.mul_(2.0)
    torch.cuda.synchronize()
    assert seen[1, 2].item() == again[1, 2].item() == mine.to_host()[1, 2]

    class Capsules:  # without __cuda_array_interface__
        def __dlpack_device__(self) -> Any:
            return theirs.__dlpack_device__()

        def __dlpack__(self, **options: Any) -> Any:
            return theirs.__dlpack__(**options)

    halve(hg.to_device(Capsules()), N)
    assert halve.last_launch.engine == "cuda"
    half = torch.zeros((4, 4), device="cuda")[:, :2]
    try:
        hg.to_device(half)
    except hg.ArgumentError as error:
        assert "gaps" in str(error), error
    else:
        raise AssertionError("gaps are not refused")


def test_cupy(cupy: Any) -> None:
    theirs = cupy.arange(N, dtype=cupy.float32)
    ours = hg.to_device(theirs)
    halve(ours, N)
    assert bool((theirs == cupy.arange(N, dtype=cupy.float32) / 2).all())
    mine = hg.to_device(np.arange(10, dtype=np.float32), "cuda")
    assert float(cupy.asarray(mine).sum()) == 45


def main() -> int:
    ran = 0
    for name, test in (("torch", test_torch), ("cupy", test_cupy)):
        found = library(name)
        if found is not None:
            test(found)
            print(f"{name} {found.__version__}: works in place")
            ran += 1
    if not ran:
        print("SKIPPED: no library with arrays on a CUDA device")
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
