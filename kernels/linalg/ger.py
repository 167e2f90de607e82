"""A = alpha * x y^T + A, the update of rank 1.

Arrays: x f32[m], y f32[n]; a f32[m * lda], row-major, in place.
Launch: lanes over (n, m).
Accuracy: alpha * x[i] is rounded, then one fused operation.
"""

from hologram.lang import DeviceArray, f32, fma, get_global_id, u32


def ger(
    alpha: f32,
    x: DeviceArray[f32],
    y: DeviceArray[f32],
    a: DeviceArray[f32],
    m: u32,
    n: u32,
    lda: u32,
):
    j = get_global_id(0)
    i = get_global_id(1)
    if j < n and i < m:
        a[i * lda + j] = fma(alpha * x[i], y[j], a[i * lda + j])
