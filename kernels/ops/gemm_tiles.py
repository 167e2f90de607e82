"""out = A B in tiles of rows and columns that stay in registers, B by panels of columns.

Arrays: a T[m, k] by any strides; b f32[k, n] in place (its columns side by side, panel = COLUMNS, row = its
distance of rows), or packed by op_gemm_pack (panel = k * COLUMNS, row = COLUMNS; zeros behind the last
column); out T[m, n] with columns side by side. ROWS x COLUMNS is 6 x 64, of _narrow 6 x 32.
Launch: blocks of (COLUMNS, 1, 1), grid (1, ceil(m / ROWS), ceil(n / COLUMNS)), packing (1, k, panels). The
panel is the slowest dimension, so that one panel of b stays in the cache while all of a passes.
Accuracy: as op_gemm, bit for bit: each element is a sum in order, fused; f16 and bf16 are computed in f32.

The barrier selects the code generator's block mode, where addresses are computed once for a block. Where
fewer than ROWS rows are left, the last one is computed again in their place and not stored.
"""

from typing import TypeVar

from hologram.lang import (
    DeviceArray,
    barrier,
    bf16,
    f16,
    f32,
    fma,
    get_global_id,
    get_local_id,
    min,
    u32,
)

T = TypeVar("T", f32, f16, bf16)


def op_gemm_pack(
    b: DeviceArray[T],
    packed: DeviceArray[f32],
    n: u32,
    k: u32,
    b_row: u32,
):
    x = get_global_id(0)
    p = get_global_id(1)
    z = get_global_id(2)
    if x < 64 and p < k:
        j = z * 64 + x
        packed[z * (k * 64) + p * 64 + x] = f32(b[p * b_row + j]) if j < n else f32(0.0)


def op_gemm_pack_strided(
    b: DeviceArray[T],
    packed: DeviceArray[f32],
    n: u32,
    k: u32,
    b_row: u32,
    b_column: u32,
):
    x = get_global_id(0)
    p = get_global_id(1)
    z = get_global_id(2)
    if x < 64 and p < k:
        j = z * 64 + x
        packed[z * (k * 64) + p * 64 + x] = f32(b[p * b_row + j * b_column]) if j < n else f32(0.0)


def op_gemm_tile(
    a: DeviceArray[T],
    b: DeviceArray[f32],
    out: DeviceArray[T],
    m: u32,
    n: u32,
    k: u32,
    a_row: u32,
    a_column: u32,
    panel: u32,
    row: u32,
    out_row: u32,
):
    barrier()
    x = get_local_id(0)
    i = get_global_id(1) * 6
    z = get_global_id(2)
    left0 = i * a_row
    left1 = min(i + 1, m - 1) * a_row
    left2 = min(i + 2, m - 1) * a_row
    left3 = min(i + 3, m - 1) * a_row
    left4 = min(i + 4, m - 1) * a_row
    left5 = min(i + 5, m - 1) * a_row
    right = z * panel + x
    j = z * 64 + x
    total0: f32 = 0.0
    total1: f32 = 0.0
    total2: f32 = 0.0
    total3: f32 = 0.0
    total4: f32 = 0.0
    total5: f32 = 0.0
    for p in range(k):
        value = b[right + p * row]
        at = p * a_column
        total0 = fma(a[left0 + at], value, total0)
        total1 = fma(a[left1 + at], value, total1)
        total2 = fma(a[left2 + at], value, total2)
        total3 = fma(a[left3 + at], value, total3)
        total4 = fma(a[left4 + at], value, total4)
        total5 = fma(a[left5 + at], value, total5)
    if j < n:
        out[i * out_row + j] = T(total0)
        if i + 1 < m:
            out[(i + 1) * out_row + j] = T(total1)
        if i + 2 < m:
            out[(i + 2) * out_row + j] = T(total2)
        if i + 3 < m:
            out[(i + 3) * out_row + j] = T(total3)
        if i + 4 < m:
            out[(i + 4) * out_row + j] = T(total4)
        if i + 5 < m:
            out[(i + 5) * out_row + j] = T(total5)


def op_gemm_pack_narrow(
    b: DeviceArray[T],
    packed: DeviceArray[f32],
    n: u32,
    k: u32,
    b_row: u32,
):
    x = get_global_id(0)
    p = get_global_id(1)
    z = get_global_id(2)
    if x < 32 and p < k:
        j = z * 32 + x
        packed[z * (k * 32) + p * 32 + x] = f32(b[p * b_row + j]) if j < n else f32(0.0)


def op_gemm_pack_strided_narrow(
    b: DeviceArray[T],
    packed: DeviceArray[f32],
    n: u32,
    k: u32,
    b_row: u32,
    b_column: u32,
):
    x = get_global_id(0)
    p = get_global_id(1)
    z = get_global_id(2)
    if x < 32 and p < k:
        j = z * 32 + x
        packed[z * (k * 32) + p * 32 + x] = f32(b[p * b_row + j * b_column]) if j < n else f32(0.0)


def op_gemm_tile_narrow(
    a: DeviceArray[T],
    b: DeviceArray[f32],
    out: DeviceArray[T],
    m: u32,
    n: u32,
    k: u32,
    a_row: u32,
    a_column: u32,
    panel: u32,
    row: u32,
    out_row: u32,
):
    barrier()
    x = get_local_id(0)
    i = get_global_id(1) * 6
    z = get_global_id(2)
    left0 = i * a_row
    left1 = min(i + 1, m - 1) * a_row
    left2 = min(i + 2, m - 1) * a_row
    left3 = min(i + 3, m - 1) * a_row
    left4 = min(i + 4, m - 1) * a_row
    left5 = min(i + 5, m - 1) * a_row
    right = z * panel + x
    j = z * 32 + x
    total0: f32 = 0.0
    total1: f32 = 0.0
    total2: f32 = 0.0
    total3: f32 = 0.0
    total4: f32 = 0.0
    total5: f32 = 0.0
    for p in range(k):
        value = b[right + p * row]
        at = p * a_column
        total0 = fma(a[left0 + at], value, total0)
        total1 = fma(a[left1 + at], value, total1)
        total2 = fma(a[left2 + at], value, total2)
        total3 = fma(a[left3 + at], value, total3)
        total4 = fma(a[left4 + at], value, total4)
        total5 = fma(a[left5 + at], value, total5)
    if j < n:
        out[i * out_row + j] = T(total0)
        if i + 1 < m:
            out[(i + 1) * out_row + j] = T(total1)
        if i + 2 < m:
            out[(i + 2) * out_row + j] = T(total2)
        if i + 3 < m:
            out[(i + 3) * out_row + j] = T(total3)
        if i + 4 < m:
            out[(i + 4) * out_row + j] = T(total4)
        if i + 5 < m:
            out[(i + 5) * out_row + j] = T(total5)
