"""Rodinia's programs with tiles in shared memory: LU decomposition, particles in boxes."""

import math

import numpy as np
from common import Launches, njit, tried

import hologram as hg
from hologram.lang import (
    DeviceArray,
    barrier,
    exp,
    f32,
    get_block_id,
    get_local_id,
    i32,
    shared,
)

F = np.float32
LU = 16


PER_BOX = 100

THREADS = 128


@hg.kernel(block=LU)
def lud_diagonal(m: DeviceArray[f32], dim: i32, offset: i32):
    tile = shared(f32, (LU, LU))
    tx = int(get_local_id())
    for i in range(LU):
        tile[i, tx] = m[(offset + i) * dim + offset + tx]
    barrier()
    for i in range(LU - 1):
        if tx > i:
            for j in range(i):
                tile[tx, i] -= tile[tx, j] * tile[j, i]
            tile[tx, i] /= tile[i, i]
        barrier()
        if tx > i:
            for j in range(i + 1):
                tile[i + 1, tx] -= tile[i + 1, j] * tile[j, tx]
        barrier()
    for i in range(1, LU):
        m[(offset + i) * dim + offset + tx] = tile[i, tx]


@hg.kernel(block=2 * LU)
def lud_perimeter(m: DeviceArray[f32], dim: i32, offset: i32):
    """The first half of the lanes does a tile right of the diagonal, the second one below."""
    diagonal = shared(f32, (LU, LU))
    row = shared(f32, (LU, LU))
    column = shared(f32, (LU, LU))
    tx = int(get_local_id())
    first = offset + (int(get_block_id()) + 1) * LU
    if tx < LU:
        for i in range(LU):
            diagonal[i, tx] = m[(offset + i) * dim + offset + tx]
            row[i, tx] = m[(offset + i) * dim + first + tx]
    else:
        idx = tx - LU
        for i in range(LU):
            column[i, idx] = m[(first + i) * dim + offset + idx]
    barrier()
    if tx < LU:
        for i in range(1, LU):
            for j in range(i):
                row[i, tx] -= diagonal[i, j] * row[j, tx]
    else:
        idx = tx - LU
        for i in range(LU):
            for j in range(i):
                column[idx, i] -= column[idx, j] * diagonal[j, i]
            column[idx, i] /= diagonal[i, i]
    barrier()
    if tx < LU:
        for i in range(1, LU):
            m[(offset + i) * dim + first + tx] = row[i, tx]
    else:
        idx = tx - LU
        for i in range(LU):
            m[(first + i) * dim + offset + idx] = column[i, idx]


@hg.kernel
def lud_internal(m: DeviceArray[f32], dim: i32, offset: i32):
    row = shared(f32, (LU, LU))
    column = shared(f32, (LU, LU))
    tx, ty = int(get_local_id(0)), int(get_local_id(1))
    global_row = offset + (int(get_block_id(1)) + 1) * LU
    global_col = offset + (int(get_block_id(0)) + 1) * LU
    row[ty, tx] = m[(offset + ty) * dim + global_col + tx]
    column[ty, tx] = m[(global_row + ty) * dim + offset + tx]
    barrier()
    total = 0.0
    for i in range(LU):
        total += column[ty, i] * row[i, tx]
    m[(global_row + ty) * dim + global_col + tx] -= total


diagonal_part, perimeter_part, internal_part = map(
    tried, (lud_diagonal, lud_perimeter, lud_internal)
)


def lud(source, m, dim):
    m[:] = source
    for offset in range(0, dim, LU):
        diagonal_part[1, LU](m, dim, offset)
        rest = (dim - offset) // LU - 1
        if rest > 0:
            perimeter_part[rest, 2 * LU](m, dim, offset)
            internal_part[(rest, rest), (LU, LU)](m, dim, offset)


@njit
def lud_twin(source, m, dim):
    m[:] = source
    a = m.reshape(dim, dim)
    for k in range(dim):
        for i in range(k + 1, dim):
            a[i, k] /= a[k, k]
            factor = a[i, k]
            for j in range(k + 1, dim):
                a[i, j] -= factor * a[k, j]


def check_lud(source, m, dim):
    lu = m.reshape(dim, dim).astype(float)
    product = (np.tril(lu, -1) + np.eye(dim)) @ np.triu(lu)
    np.testing.assert_allclose(product, source.reshape(dim, dim), rtol=1e-3, atol=1e-3)


@hg.kernel(block=THREADS)
def lava_forces(
    alpha: f32,
    neighbours: DeviceArray[i32, 2],
    count: DeviceArray[i32],
    rv: DeviceArray[f32, 2],
    qv: DeviceArray[f32],
    fv: DeviceArray[f32, 2],
):
    """A block per box of 100 particles: forces from its own and the boxes around."""
    home = shared(f32, (PER_BOX, 4))
    other = shared(f32, (PER_BOX, 4))
    charge = shared(f32, PER_BOX)
    box = int(get_block_id())
    tx = int(get_local_id())
    a2 = 2.0 * alpha * alpha
    wtx = tx
    while wtx < PER_BOX:
        for k in range(4):
            home[wtx, k] = rv[box * PER_BOX + wtx, k]
        wtx += THREADS
    barrier()
    for k in range(1 + count[box]):
        pointer = box if k == 0 else neighbours[box, k - 1]
        wtx = tx
        while wtx < PER_BOX:
            for c in range(4):
                other[wtx, c] = rv[pointer * PER_BOX + wtx, c]
            charge[wtx] = qv[pointer * PER_BOX + wtx]
            wtx += THREADS
        barrier()
        wtx = tx
        while wtx < PER_BOX:
            for j in range(PER_BOX):
                r2 = (
                    home[wtx, 0]
                    + other[j, 0]
                    - (
                        home[wtx, 1] * other[j, 1]
                        + home[wtx, 2] * other[j, 2]
                        + home[wtx, 3] * other[j, 3]
                    )
                )
                u2 = a2 * r2
                vij = exp(-u2)
                fs = 2.0 * vij
                dx = home[wtx, 1] - other[j, 1]
                dy = home[wtx, 2] - other[j, 2]
                dz = home[wtx, 3] - other[j, 3]
                fv[box * PER_BOX + wtx, 0] += charge[j] * vij
                fv[box * PER_BOX + wtx, 1] += charge[j] * (fs * dx)
                fv[box * PER_BOX + wtx, 2] += charge[j] * (fs * dy)
                fv[box * PER_BOX + wtx, 3] += charge[j] * (fs * dz)
            wtx += THREADS
        barrier()


lava_block = tried(lava_forces)


def lava(alpha, neighbours, count, rv, qv, fv):
    fv[:] = 0
    lava_block[len(count), THREADS](alpha, neighbours, count, rv, qv, fv)


@njit
def lava_twin(alpha, neighbours, count, rv, qv, fv):
    fv[:] = F(0)
    a2 = F(2) * alpha * alpha
    for box in range(len(count)):
        for k in range(1 + count[box]):
            pointer = box if k == 0 else neighbours[box, k - 1]
            for i in range(box * PER_BOX, (box + 1) * PER_BOX):
                for j in range(pointer * PER_BOX, (pointer + 1) * PER_BOX):
                    dot = rv[i, 1] * rv[j, 1] + rv[i, 2] * rv[j, 2] + rv[i, 3] * rv[j, 3]
                    r2 = rv[i, 0] + rv[j, 0] - dot
                    vij = math.exp(-(a2 * r2))
                    fs = F(2) * vij
                    fv[i, 0] += qv[j] * vij
                    fv[i, 1] += qv[j] * (fs * (rv[i, 1] - rv[j, 1]))
                    fv[i, 2] += qv[j] * (fs * (rv[i, 2] - rv[j, 2]))
                    fv[i, 3] += qv[j] * (fs * (rv[i, 3] - rv[j, 3]))


def check_lava(alpha, neighbours, count, rv, qv, fv):
    r, q = rv.reshape(-1, PER_BOX, 4).astype(float), qv.reshape(-1, PER_BOX).astype(float)
    for box in range(min(len(count), 8)):
        want = np.zeros((PER_BOX, 4))
        for other in (box, *neighbours[box, : count[box]]):
            a, b = r[box][:, None], r[other][None]
            r2 = a[..., 0] + b[..., 0] - (a[..., 1:] * b[..., 1:]).sum(-1)
            v = np.exp(-2 * alpha * alpha * r2) * q[other]
            want[:, 0] += v.sum(1)
            want[:, 1:] += (2 * v[..., None] * (a - b)[..., 1:]).sum(1)
        got = fv[box * PER_BOX : (box + 1) * PER_BOX]
        np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-3 * abs(want).max())


def boxes(rng, side):
    cells = np.array(list(np.ndindex(side, side, side)))
    neighbours, count = np.zeros((len(cells), 26), np.int32), np.zeros(len(cells), np.int32)
    for box, cell in enumerate(cells):
        near = np.flatnonzero(abs(cells - cell).max(1) == 1)
        neighbours[box, : len(near)] = near
        count[box] = len(near)
    n = len(cells) * PER_BOX
    rv = rng.uniform(0.1, 1.0, (n, 4)).astype(F)
    return F(0.5), neighbours, count, rv, rng.uniform(0.1, 1.0, n).astype(F), np.zeros((n, 4), F)


def programs(rng, small=False):
    n = 48 if small else 256
    source = (rng.random((n, n)) + n * np.eye(n)).astype(F).ravel()
    program = Launches(lud, diagonal_part, perimeter_part, internal_part)
    yield "lud", "Rodinia", program, lud_twin, (source, np.zeros(n * n, F), n), check_lud

    data = boxes(rng, 2 if small else 3)
    yield "lavamd", "Rodinia", Launches(lava, lava_block), lava_twin, data, check_lava
