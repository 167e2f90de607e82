"""The tiles of gemm_tiles.py for f64: ROWS x COLUMNS is 6 x 32, of _narrow 6 x 16.

Arrays: as there, with f64 instead of T and f32.
Launch: as there.
Accuracy: as op_gemm, bit for bit.
"""

from hologram.lang import DeviceArray, barrier, f64, fma, get_global_id, get_local_id, min, u32


def op_gemm_pack_f64(
    b: DeviceArray[f64],
    packed: DeviceArray[f64],
    n: u32,
    k: u32,
    b_row: u32,
):
    x = get_global_id(0)
    p = get_global_id(1)
    z = get_global_id(2)
    if x < 32 and p < k:
        j = z * 32 + x
        packed[z * (k * 32) + p * 32 + x] = b[p * b_row + j] if j < n else f64(0.0)


def op_gemm_pack_strided_f64(
    b: DeviceArray[f64],
    packed: DeviceArray[f64],
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
        packed[z * (k * 32) + p * 32 + x] = b[p * b_row + j * b_column] if j < n else f64(0.0)


def op_gemm_tile_f64(
    a: DeviceArray[f64],
    b: DeviceArray[f64],
    out: DeviceArray[f64],
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
    total0: f64 = f64(0.0)
    total1: f64 = f64(0.0)
    total2: f64 = f64(0.0)
    total3: f64 = f64(0.0)
    total4: f64 = f64(0.0)
    total5: f64 = f64(0.0)
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
        out[i * out_row + j] = total0
        if i + 1 < m:
            out[(i + 1) * out_row + j] = total1
        if i + 2 < m:
            out[(i + 2) * out_row + j] = total2
        if i + 3 < m:
            out[(i + 3) * out_row + j] = total3
        if i + 4 < m:
            out[(i + 4) * out_row + j] = total4
        if i + 5 < m:
            out[(i + 5) * out_row + j] = total5


def op_gemm_pack_narrow_f64(
    b: DeviceArray[f64],
    packed: DeviceArray[f64],
    n: u32,
    k: u32,
    b_row: u32,
):
    x = get_global_id(0)
    p = get_global_id(1)
    z = get_global_id(2)
    if x < 16 and p < k:
        j = z * 16 + x
        packed[z * (k * 16) + p * 16 + x] = b[p * b_row + j] if j < n else f64(0.0)


def op_gemm_pack_strided_narrow_f64(
    b: DeviceArray[f64],
    packed: DeviceArray[f64],
    n: u32,
    k: u32,
    b_row: u32,
    b_column: u32,
):
    x = get_global_id(0)
    p = get_global_id(1)
    z = get_global_id(2)
    if x < 16 and p < k:
        j = z * 16 + x
        packed[z * (k * 16) + p * 16 + x] = b[p * b_row + j * b_column] if j < n else f64(0.0)


def op_gemm_tile_narrow_f64(
    a: DeviceArray[f64],
    b: DeviceArray[f64],
    out: DeviceArray[f64],
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
    j = z * 16 + x
    total0: f64 = f64(0.0)
    total1: f64 = f64(0.0)
    total2: f64 = f64(0.0)
    total3: f64 = f64(0.0)
    total4: f64 = f64(0.0)
    total5: f64 = f64(0.0)
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
        out[i * out_row + j] = total0
        if i + 1 < m:
            out[(i + 1) * out_row + j] = total1
        if i + 2 < m:
            out[(i + 2) * out_row + j] = total2
        if i + 3 < m:
            out[(i + 3) * out_row + j] = total3
        if i + 4 < m:
            out[(i + 4) * out_row + j] = total4
        if i + 5 < m:
            out[(i + 5) * out_row + j] = total5
