"""y = alpha * A^T x + beta * y.

Arrays: a f32[m * lda], row-major; x f32[m]; y f32[n].
Launch: one lane for each of the n columns.
Accuracy: |error| <= (m + 3) * 2^-24 * the same expression with absolute values.

Each lane walks down its column, so neighbours read neighbours; the sum over rows is in order and
fused. With beta = 0 what y held does not matter.
"""

from hologram.lang import DeviceArray, f32, fma, get_global_id, u32


def gemv_t(
    alpha: f32,
    a: DeviceArray[f32],
    x: DeviceArray[f32],
    beta: f32,
    y: DeviceArray[f32],
    m: u32,
    n: u32,
    lda: u32,
):
    j = get_global_id()
    if j < n:
        total: f32 = 0.0
        for i in range(m):
            total = fma(a[i * lda + j], x[i], total)
        y[j] = alpha * total + (beta * y[j] if beta != 0.0 else 0.0)
