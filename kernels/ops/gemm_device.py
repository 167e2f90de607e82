"""C = A B for devices with many lanes: 128 x 64 elements to a block, 8 x 4 to each lane.

Arrays: a f32[m, k], b f32[k, n], c f32[m, n].
Launch: op_gemm_device: blocks of 16 x 16, one for each 64 columns (x) and 128 rows (y) of C.
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


@inline
def put(c, row, column, line):
    if row < c.shape[0]:
        for q in range(u32(4)):
            t = line.x
            if q == 1:
                t = line.y
            elif q == 2:
                t = line.z
            elif q == 3:
                t = line.w
            if column + q < c.shape[1]:
                c[row, column + q] = t


def op_gemm_device(a: DeviceArray[f32, 2], b: DeviceArray[f32, 2], c: DeviceArray[f32, 2]):
    left = shared(f32, 2048)
    right = shared(f32, 1024)
    x = get_local_id(0)
    y = get_local_id(1)
    lane = y * 16 + x
    i = get_block_id(1) * 128
    j = get_block_id(0) * 64
    t0 = t1 = t2 = t3 = t4 = t5 = t6 = t7 = vec4(0.0)
    for first in range(0, a.shape[1], 16):
        for q in range(u32(8)):
            e = q * 256 + lane
            r = i + e // 16
            p = first + e % 16
            left[e] = a[r, p] if r < a.shape[0] and p < a.shape[1] else 0.0
        for q in range(u32(4)):
            e = q * 256 + lane
            r = first + e // 64
            p = j + e % 64
            right[e] = b[r, p] if r < b.shape[0] and p < b.shape[1] else 0.0
        barrier()
        for p in range(u32(16)):
            at = p * 64 + x * 4
            line = vec4(right[at], right[at + 1], right[at + 2], right[at + 3])
            at = y * 128 + p
            t0 = fma(vec4(left[at]), line, t0)
            t1 = fma(vec4(left[at + 16]), line, t1)
            t2 = fma(vec4(left[at + 32]), line, t2)
            t3 = fma(vec4(left[at + 48]), line, t3)
            t4 = fma(vec4(left[at + 64]), line, t4)
            t5 = fma(vec4(left[at + 80]), line, t5)
            t6 = fma(vec4(left[at + 96]), line, t6)
            t7 = fma(vec4(left[at + 112]), line, t7)
        barrier()
    row = get_global_id(1) * 8
    column = get_global_id(0) * 4
    put(c, row, column, t0)
    put(c, row + 1, column, t1)
    put(c, row + 2, column, t2)
    put(c, row + 3, column, t3)
    put(c, row + 4, column, t4)
    put(c, row + 5, column, t5)
    put(c, row + 6, column, t6)
    put(c, row + 7, column, t7)
