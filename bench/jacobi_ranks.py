"""make bench GROUP=scale, where there is mpirun: Jacobi steps on 2048 x 2048 f32, one rank and two.

With two, the rows of the inside run while the halo travels, then the two rows at the edges, by
windows of one launch; against NumPy's slices on the same ranks. Bits are those of one rank.
usage: mpirun -np N python jacobi_ranks.py
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from mpi4py import MPI

import hologram as hg
from hologram.lang import DeviceArray, f32, get_global_id, u32

SIZE, STEPS, BLOCK = 2048, 200, 64
comm = MPI.COMM_WORLD


@hg.kernel
def smoothed(src: DeviceArray[f32, 2], dst: DeviceArray[f32, 2], rows: u32, columns: u32):
    j = get_global_id(0)
    i = get_global_id(1)
    if i > 0 and i + 1 < rows and j > 0 and j + 1 < columns:
        dst[i, j] = (src[i - 1, j] + src[i + 1, j] + src[i, j - 1] + src[i, j + 1]) * 0.25


def halo(src: Any) -> list[Any]:
    """Sends the own edges, receives those of the neighbours."""
    up = comm.rank - 1 if comm.rank else MPI.PROC_NULL
    down = comm.rank + 1 if comm.rank + 1 < comm.size else MPI.PROC_NULL
    return [
        comm.Irecv(src[0], up),
        comm.Irecv(src[-1], down),
        comm.Isend(src[1], up),
        comm.Isend(src[-2], down),
    ]


def by_numpy(src: Any, dst: Any) -> None:
    dst[1:-1, 1:-1] = (
        src[:-2, 1:-1] + src[2:, 1:-1] + src[1:-1, :-2] + src[1:-1, 2:]
    ) * np.float32(0.25)


class Steps:
    """Steps on the rows of a rank."""

    def __init__(self, whole: Any) -> None:
        low, high = (1 + (SIZE - 2) * k // comm.size for k in (comm.rank, comm.rank + 1))
        self.src = whole[low - 1 : high + 1].copy()
        self.dst = self.src.copy()
        rows, columns = self.src.shape
        grid = (-(-columns // BLOCK), rows)
        self.plain = smoothed.configure(grid=grid, block=(BLOCK, 1), threads=1)
        shape = (rows, columns)
        self.parts = hg.windows(self.plain, src=shape, dst=shape, rows=rows, columns=columns)
        self.outside = 0.0  # seconds

    def overlapped(self) -> None:
        rows = self.src.shape[0]
        of_row = self.parts.units // rows  # units of a row of the array
        src, dst = self.src, self.dst
        began = time.perf_counter()
        waiting = halo(src)
        self.outside += time.perf_counter() - began
        whole = {"src": (src, 0), "dst": (dst, 0)}
        self.parts.launch(2 * of_row, (rows - 2) * of_row, **whole)
        began = time.perf_counter()
        MPI.Request.Waitall(waiting)
        self.outside += time.perf_counter() - began
        self.parts.launch(0, 2 * of_row, **whole)
        self.parts.launch((rows - 2) * of_row, rows * of_row, **whole)

    def waiting(self) -> None:
        began = time.perf_counter()
        MPI.Request.Waitall(halo(self.src))
        self.outside += time.perf_counter() - began
        self.plain(self.src, self.dst, *self.src.shape)

    def of_numpy(self) -> None:
        MPI.Request.Waitall(halo(self.src))
        by_numpy(self.src, self.dst)

    def run(self, step: Any, steps: int) -> float:
        self.outside = 0.0
        comm.Barrier()
        began = time.perf_counter()
        for _ in range(steps):
            step()
            self.src, self.dst = self.dst, self.src
        comm.Barrier()
        return time.perf_counter() - began


def main() -> None:
    whole = np.random.default_rng(3).standard_normal((SIZE, SIZE)).astype("f4")
    for name in ("overlapped", "waiting", "of_numpy"):
        steps = Steps(whole)
        steps.run(getattr(steps, name), 5)
        seconds = []
        for _ in range(3):
            seconds.append((steps.run(getattr(steps, name), STEPS), steps.outside))
        best, outside = min(seconds)
        rows = comm.gather(steps.src[1:-1])
        if comm.rank == 0:
            cells = SIZE * SIZE * STEPS / best / 1e9
            checked = np.concatenate(rows)
            bits = int(checked.view("u4").sum(dtype="u8")) & 0xFFFFFFFF
            print(
                f"jacobi {SIZE} x {SIZE}, {comm.size} ranks, {name:<10}: {cells:5.2f} Gcells/s, "
                f"{outside / best:5.1%} outside kernels, sum of bits {bits:#010x}",
                flush=True,
            )


if __name__ == "__main__":
    main()
