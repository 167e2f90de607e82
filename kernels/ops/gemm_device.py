"""C = A B for devices with many lanes: 256 x 64 elements to a block, 8 x 8 to each lane.

Arrays: a f32[m, k], b f32[k, n], c f32[m, n].
Launch: op_gemm_device: blocks of 8 x 32, one for each 64 columns (x) and 256 rows (y) of C.
Accuracy: each element is the sum of its products in order, each step rounded once, as of op_gemm.
"""

from hologram.lang import (
    DeviceArray,
    barrier,
    f32,
    fma,
    get_block_id,
    get_global_id,
    get_local_id,
    inline,
    shared,
    u32,
    vec4,
)

ROWS = 256
COLUMNS = 64
DEPTH = 8  # as wide as a block
LEFT = 260  # from one column of the left tile to the next: other banks


@inline
def put(c, row, column, low, high):
    if row < c.shape[0]:
        for q in range(u32(8)):
            t = low.x
            if q == 1:
                t = low.y
            elif q == 2:
                t = low.z
            elif q == 3:
                t = low.w
            elif q == 4:
                t = high.x
            elif q == 5:
                t = high.y
            elif q == 6:
                t = high.z
            elif q == 7:
                t = high.w
            if column + q < c.shape[1]:
                c[row, column + q] = t


def op_gemm_device(a: DeviceArray[f32, 2], b: DeviceArray[f32, 2], c: DeviceArray[f32, 2]):
    left = shared(f32, 2080)
    right = shared(f32, 512)
    x = get_local_id(0)
    y = get_local_id(1)
    i = get_block_id(1) * ROWS
    j = get_block_id(0) * COLUMNS
    a0 = a1 = a2 = a3 = a4 = a5 = a6 = a7 = vec4(0.0)
    b0 = b1 = b2 = b3 = b4 = b5 = b6 = b7 = vec4(0.0)
    for first in range(0, a.shape[1], DEPTH):
        for q in range(u32(8)):
            r = i + q * 32 + y
            p = first + x
            left[x * LEFT + q * 32 + y] = a[r, p] if r < a.shape[0] and p < a.shape[1] else 0.0
        for q in range(u32(2)):
            e = q * 256 + y * 8 + x
            r = first + e // COLUMNS
            p = j + e % COLUMNS
            right[e] = b[r, p] if r < b.shape[0] and p < b.shape[1] else 0.0
        barrier()
        for p in range(u32(DEPTH)):
            at = p * COLUMNS + x * 8
            low = vec4(right[at], right[at + 1], right[at + 2], right[at + 3])
            high = vec4(right[at + 4], right[at + 5], right[at + 6], right[at + 7])
            at = p * LEFT + y * 8
            a0 = fma(vec4(left[at]), low, a0)
            b0 = fma(vec4(left[at]), high, b0)
            a1 = fma(vec4(left[at + 1]), low, a1)
            b1 = fma(vec4(left[at + 1]), high, b1)
            a2 = fma(vec4(left[at + 2]), low, a2)
            b2 = fma(vec4(left[at + 2]), high, b2)
            a3 = fma(vec4(left[at + 3]), low, a3)
            b3 = fma(vec4(left[at + 3]), high, b3)
            a4 = fma(vec4(left[at + 4]), low, a4)
            b4 = fma(vec4(left[at + 4]), high, b4)
            a5 = fma(vec4(left[at + 5]), low, a5)
            b5 = fma(vec4(left[at + 5]), high, b5)
            a6 = fma(vec4(left[at + 6]), low, a6)
            b6 = fma(vec4(left[at + 6]), high, b6)
            a7 = fma(vec4(left[at + 7]), low, a7)
            b7 = fma(vec4(left[at + 7]), high, b7)
        barrier()
    row = get_global_id(1) * 8
    column = get_global_id(0) * 8
    put(c, row, column, a0, b0)
    put(c, row + 1, column, a1, b1)
    put(c, row + 2, column, a2, b2)
    put(c, row + 3, column, a3, b3)
    put(c, row + 4, column, a4, b4)
    put(c, row + 5, column, a5, b5)
    put(c, row + 6, column, a6, b6)
    put(c, row + 7, column, a7, b7)
