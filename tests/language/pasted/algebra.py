"""Matrices and vectors."""

from __future__ import annotations

import numpy as np

from pasted import doubles, floats, integers, program, zeros

program(
    "matrix product of the CUDA guide",
    lambda: [floats(7, 9), floats(9, 5, seed=2), zeros(7, 5)],
    lambda a, b, c: a @ b,
    """
@kernel(block=(16, 16))
def matmul(A: DeviceArray[f32, 2], B: DeviceArray[f32, 2], C: DeviceArray[f32, 2]):
    row = get_block_id(1) * get_block_dim(1) + get_local_id(1)
    col = get_block_id(0) * get_block_dim(0) + get_local_id(0)
    if row < C.shape[0] and col < C.shape[1]:
        tmp = 0.0
        for k in range(A.shape[1]):
            tmp += A[row, k] * B[k, col]
        C[row, col] = tmp
""",
    near=1e-5,
)

program(
    "tiled product of Numba's page",
    lambda: [floats(24, 20), floats(20, 18, seed=2), zeros(24, 18)],
    lambda a, b, c: a @ b,
    """
TPB = 8


@kernel(block=(TPB, TPB))
def fast_matmul(A: DeviceArray[f32, 2], B: DeviceArray[f32, 2], C: DeviceArray[f32, 2]):
    sA = shared(f32, (TPB, TPB))
    sB = shared(f32, (TPB, TPB))

    x, y = get_global_id(0), get_global_id(1)

    tx = get_local_id(0)
    ty = get_local_id(1)
    bpg = (A.shape[1] + TPB - 1) // TPB

    tmp = f32(0.)
    for i in range(bpg):
        # Preload data into shared memory
        sA[ty, tx] = 0
        sB[ty, tx] = 0
        if y < A.shape[0] and (tx + i * TPB) < A.shape[1]:
            sA[ty, tx] = A[y, tx + i * TPB]
        if x < B.shape[1] and (ty + i * TPB) < B.shape[0]:
            sB[ty, tx] = B[ty + i * TPB, x]

        # Wait until all threads finish preloading
        barrier()

        for j in range(TPB):
            tmp += sA[ty, j] * sB[j, tx]

        # Wait until all threads finish computing
        barrier()
    if y < C.shape[0] and x < C.shape[1]:
        C[y, x] = tmp
""",
    near=1e-5,
)

program(
    "transpose through shared memory with a padded tile",
    lambda: [floats(21, 35), zeros(35, 21)],
    lambda a, b: a.T,
    """
TILE_DIM = 16


@kernel(block=(TILE_DIM, TILE_DIM))
def transpose(idata: DeviceArray[f32, 2], odata: DeviceArray[f32, 2]):
    tile = shared(f32, (TILE_DIM, TILE_DIM + 1))
    x = get_block_id(0) * TILE_DIM + get_local_id(0)
    y = get_block_id(1) * TILE_DIM + get_local_id(1)
    if x < idata.shape[1] and y < idata.shape[0]:
        tile[get_local_id(1), get_local_id(0)] = idata[y, x]
    barrier()
    x = get_block_id(1) * TILE_DIM + get_local_id(0)
    y = get_block_id(0) * TILE_DIM + get_local_id(1)
    if x < odata.shape[1] and y < odata.shape[0]:
        odata[y, x] = tile[get_local_id(0), get_local_id(1)]
""",
    shape=None,
)

program(
    "sparse matrix times vector, CSR",
    lambda: [
        np.array([0, 2, 2, 5, 6], np.int32),
        np.array([0, 3, 1, 2, 4, 0], np.int32),
        floats(6),
        floats(5, seed=3),
        zeros(4),
    ],
    lambda p, c, v, x, y: np.array(
        [sum((v[k] * x[c[k]] for k in range(p[r], p[r + 1])), np.float32(0)) for r in range(4)],
        np.float32,
    ),
    """
@kernel
def spmv(indptr: DeviceArray[i32], indices: DeviceArray[i32], data: DeviceArray[f32], x: DeviceArray[f32], y: DeviceArray[f32]):
    row = get_global_id()
    if row < len(y):
        dot = 0.0
        row_start = indptr[row]
        row_end = indptr[row + 1]
        for jj in range(row_start, row_end):
            dot += data[jj] * x[indices[jj]]
        y[row] = dot
""",
)

program(
    "axpy in f64 with a grid stride",
    lambda: [2.5, doubles(100), doubles(100, seed=2)],
    lambda a, x, y: a * x + y,
    """
@kernel
def daxpy(a: f64, x: DeviceArray[f64], y: DeviceArray[f64]):
    start = get_global_id(0)
    stride = get_grid_dim(0) * get_block_dim(0)
    for i in range(start, x.shape[0], stride):
        y[i] = a * x[i] + y[i]
""",
    shape=(2, 16),
)

program(
    "rotation by a quaternion",
    lambda: [doubles(30, 4).astype(np.float32), floats(30, 3, seed=2), zeros(30, 3)],
    lambda q, v, o: (v + 2 * np.cross(q[:, :3], np.cross(q[:, :3], v) + q[:, 3:] * v)),
    """
@inline
def rotate(q: vec4, v: vec3) -> vec3:
    u = q.xyz
    return v + 2.0 * cross(u, cross(u, v) + q.w * v)


@kernel
def apply(q: DeviceArray[vec4], v: DeviceArray[vec3], out: DeviceArray[vec3]):
    tid = get_global_id()
    if tid < len(v):
        out[tid] = rotate(q[tid], v[tid])
""",
    near=2e-6,
)

program(
    "a matrix of 4 x 4 on points",
    lambda: [floats(20, 3), zeros(20, 3)],
    lambda p, o: (
        (h := np.c_[p, np.ones(20, np.float32)] @ np.array(PROJECT, np.float32).T)[:, :3] / h[:, 3:]
    ),
    """
M = ((1.0, 0.0, 0.0, 0.5), (0.0, 1.0, 0.25, 0.0), (0.0, 0.0, 1.0, -2.0), (0.0, 0.0, 0.5, 3.0))


@kernel
def project(p: DeviceArray[vec3], out: DeviceArray[vec3]):
    i = get_global_id()
    if i < len(p):
        m = mat4(M)
        h = m @ vec4(p[i], 1.0)
        out[i] = h.xyz / h.w
""",
    near=2e-6,
)
PROJECT = ((1, 0, 0, 0.5), (0, 1, 0.25, 0), (0, 0, 1, -2), (0, 0, 0.5, 3))

program(
    "one step of Floyd and Warshall",
    lambda: [integers(8, 8, low=1, high=60), 3],
    lambda d, k: np.minimum(d, d[:, k : k + 1] + d[k : k + 1, :]),
    """
@kernel
def floyd(dist: DeviceArray[i32, 2], k: i32):
    j, i = get_global_id(0), get_global_id(1)
    n = dist.shape[0]
    if i < n and j < dist.shape[1]:
        if i != k and j != k:
            dist[i, j] = min(dist[i, j], dist[i, k] + dist[k, j])
""",
)
