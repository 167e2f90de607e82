"""C = alpha * A B with a symmetric A, of which the lower triangle is given.

Arrays: a f32[m * lda], of which the part above the diagonal is not read; b f32[m * ldb]; c f32[m * ldc];
all row-major.
Launch: lanes over (n, m).
Accuracy: |error| <= (m + 1) * 2^-24 * |alpha| * |A| |B|.

Each element is a sum in the order of the columns of A, fused.
"""

from hologram.lang import DeviceArray, f32, fma, get_global_id, u32


def symm(
    alpha: f32,
    a: DeviceArray[f32],
    b: DeviceArray[f32],
    c: DeviceArray[f32],
    m: u32,
    n: u32,
    lda: u32,
    ldb: u32,
    ldc: u32,
):
    j = get_global_id(0)
    i = get_global_id(1)
    if j < n and i < m:
        total: f32 = 0.0
        for p in range(i):
            total = fma(a[i * lda + p], b[p * ldb + j], total)
        for p in range(i, m):
            total = fma(a[p * lda + i], b[p * ldb + j], total)
        c[i * ldc + j] = alpha * total
