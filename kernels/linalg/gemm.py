"""C = A B, one lane per element of C.

Arrays: a f32[m * lda], b f32[k * ldb], c f32[m * ldc].
Launch: m * n lanes.
Accuracy: |error| <= 2 k * 2^-24 * |A| |B|; each element is a sum in order, every step rounded.
"""

from hologram.lang import DeviceArray, f32, get_global_id, u32


def gemm(
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
    t = get_global_id()
    if t < m * n:
        i = t // n
        j = t % n
        total: f32 = 0.0
        for p in range(k):
            total += a[i * lda + p] * b[p * ldb + j]
        c[i * ldc + j] = total
