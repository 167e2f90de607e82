"""y = alpha * A x + beta * y.

Arrays: a f32[m * lda], row-major; x f32[n]; y f32[m].
Launch: one block of 64 for each row.
Accuracy: |error| <= (10 + n / 64) * 2^-24 * the same expression with absolute values.

Lanes walk along a row, so neighbours read neighbours; a block adds its lanes by the fixed tree of
block_reduce_add. With beta = 0 what y held does not matter.
"""

from hologram.lang import (
    DeviceArray,
    block_reduce_add,
    f32,
    fma,
    get_block_id,
    get_local_id,
    u32,
)

BLOCK = 64


def gemv(
    alpha: f32,
    a: DeviceArray[f32],
    x: DeviceArray[f32],
    beta: f32,
    y: DeviceArray[f32],
    n: u32,
    lda: u32,
):
    row = get_block_id()
    t = get_local_id()
    total: f32 = 0.0
    for first in range(0, n, BLOCK):
        j = first + t
        if j < n:
            total = fma(a[row * lda + j], x[j], total)
    total = block_reduce_add(total)
    if t == 0:
        y[row] = alpha * total + (beta * y[row] if beta != 0.0 else 0.0)
