"""C = A B, four rows of C in each lane's registers.

Arrays: a f32[m * lda], b f32[k * ldb], c f32[m * ldc], row-major.
Launch: lanes over (n, ceil(m / 4)).
Accuracy: |error| <= k * 2^-24 * |A| |B|; each element is a sum in order, fused.

An element of B is loaded once for four rows. Where fewer rows are left, the last one is computed
again in their place and not stored.
"""

from hologram.lang import DeviceArray, f32, fma, get_global_id, min, u32


def gemm_rows(
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
    j = get_global_id(0)
    i = get_global_id(1) * 4
    if j < n and i < m:
        row1 = min(i + 1, m - 1) * lda
        row2 = min(i + 2, m - 1) * lda
        row3 = min(i + 3, m - 1) * lda
        total0: f32 = 0.0
        total1: f32 = 0.0
        total2: f32 = 0.0
        total3: f32 = 0.0
        for p in range(k):
            right = b[p * ldb + j]
            total0 = fma(a[i * lda + p], right, total0)
            total1 = fma(a[row1 + p], right, total1)
            total2 = fma(a[row2 + p], right, total2)
            total3 = fma(a[row3 + p], right, total3)
        c[i * ldc + j] = total0
        if i + 1 < m:
            c[(i + 1) * ldc + j] = total1
        if i + 2 < m:
            c[(i + 2) * ldc + j] = total2
        if i + 3 < m:
            c[(i + 3) * ldc + j] = total3
