"""C = A B by tiles of 16 x 16 in shared memory.

Arrays: a f32[m * lda], b f32[k * ldb], c f32[m * ldc], row-major.
Launch: blocks of (16, 16), lanes over (n, m).
Accuracy: |error| <= k * 2^-24 * |A| |B|; each element is a sum in order, fused.

A block brings one tile of A and one of B, each element once, and uses it sixteen times. The last
tiles are cut at k, so nothing is added that is not in the matrices.
"""

from hologram.lang import (
    DeviceArray,
    barrier,
    f32,
    fma,
    get_global_id,
    get_local_id,
    min,
    shared,
    u32,
)

TILE = 16


def gemm_shared(
    a: DeviceArray[f32],
    b: DeviceArray[f32],
    c: DeviceArray[f32],
    m: u32,
    n: u32,
    k: u32,
    lda: u32,
    ldb: u32,
    ldc: u32,
):
    a_tile = shared(f32, TILE * TILE)
    b_tile = shared(f32, TILE * TILE)
    x = get_local_id(0)
    y = get_local_id(1)
    j = get_global_id(0)
    i = get_global_id(1)
    total: f32 = 0.0
    for first in range(0, k, TILE):
        a_tile[y * TILE + x] = a[i * lda + first + x] if i < m and first + x < k else 0.0
        b_tile[y * TILE + x] = b[(first + y) * ldb + j] if j < n and first + y < k else 0.0
        barrier()
        for p in range(min(TILE, k - first)):
            total = fma(a_tile[y * TILE + p], b_tile[p * TILE + x], total)
        barrier()
    if i < m and j < n:
        c[i * ldc + j] = total
