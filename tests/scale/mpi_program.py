"""What each rank of mpi_test.py runs: reductions in parts, and Jacobi steps with a halo.

usage: mpirun -np N python mpi_program.py
"""

from __future__ import annotations

from typing import Any

import numpy as np
from mpi4py import MPI
from numbers_of_tests import COUNT, numbers, same

import hologram as hg
from hologram.lang import DeviceArray, f32, get_global_id, u32

ROWS, COLUMNS, STEPS = 257, 300, 40
BLOCK = 64


@hg.kernel
def smoothed(src: DeviceArray[f32, 2], dst: DeviceArray[f32, 2], rows: u32, columns: u32):
    j = get_global_id(0)
    i = get_global_id(1)
    if i > 0 and i + 1 < rows and j > 0 and j + 1 < columns:
        dst[i, j] = (src[i - 1, j] + src[i + 1, j] + src[i, j - 1] + src[i, j + 1]) * 0.25


def step(kernel: Any, src: Any, dst: Any) -> None:
    rows, columns = src.shape
    kernel.configure(grid=(-(-columns // BLOCK), rows), block=(BLOCK, 1))(src, dst, rows, columns)


def reductions(comm: Any) -> None:
    x = numbers()
    part = hg.ops.sum.part
    blocks = -(-COUNT // part)
    first, last = (blocks * k // comm.size * part for k in (comm.rank, comm.rank + 1))
    mine = x[first : min(last, COUNT)]
    for name in ("sum", "mean", "norm", "max", "argmin"):
        op = getattr(hg.ops, name)
        parts = comm.gather(op.parts(mine))
        if comm.rank == 0:
            assert same(op.finish(np.concatenate(parts), COUNT), op(x)), name
    parts = comm.gather(hg.ops.dot.parts(mine, mine))
    if comm.rank == 0:
        assert same(hg.ops.dot.finish(np.concatenate(parts), COUNT), hg.ops.dot(x, x))
        print(f"sum of {comm.size} ranks: {hg.ops.sum(x).view('u4'):#010x}")


def jacobi(comm: Any) -> None:
    kernel = comm.bcast(smoothed if comm.rank == 0 else None)
    whole = np.random.default_rng(3).standard_normal((ROWS, COLUMNS)).astype("f4")
    low, high = (1 + (ROWS - 2) * k // comm.size for k in (comm.rank, comm.rank + 1))
    src = whole[low - 1 : high + 1].copy()  # a row of each neighbour, or of the edge, around
    dst = src.copy()
    up = comm.rank - 1 if comm.rank else MPI.PROC_NULL
    down = comm.rank + 1 if comm.rank + 1 < comm.size else MPI.PROC_NULL
    for _ in range(STEPS):
        step(kernel, src, dst)
        src, dst = dst, src
        comm.Sendrecv(src[1], up, recvbuf=src[-1], source=down)
        comm.Sendrecv(src[-2], down, recvbuf=src[0], source=up)
    rows = comm.gather(src[1:-1])
    if comm.rank != 0:
        return
    a, b = whole.copy(), whole.copy()
    for _ in range(STEPS):
        step(smoothed, a, b)
        a, b = b, a
    assert same(np.concatenate(rows), a[1:-1])
    print(f"jacobi on {comm.size} ranks: the bits of one")


def main() -> None:
    comm = MPI.COMM_WORLD
    reductions(comm)
    jacobi(comm)


if __name__ == "__main__":
    main()
