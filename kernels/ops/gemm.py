"""out = A B, four rows of the result in each lane's registers.

Arrays: a T[m, k] by any strides; b T[k, n]: of op_gemm with columns side by side, of op_gemm_strided by any strides; out T[m, n] with columns side by side.
Launch: lanes over (n, ceil(m / 4)).
Accuracy: |error| <= k * 2^-24 * |A| |B|, f64 2^-53; each element is a sum in order, fused; f16 and bf16 are computed in f32.

Where fewer than four rows are left, the last one is computed again in their place and not stored.
"""

from typing import TypeVar

from hologram.lang import DeviceArray, bf16, f16, f32, f64, fma, get_global_id, min, u32

T = TypeVar("T", f32, f64, f16, bf16)


def op_gemm(
    a: DeviceArray[T],
    b: DeviceArray[T],
    out: DeviceArray[T],
    m: u32,
    n: u32,
    k: u32,
    a_row: u32,
    a_column: u32,
    b_row: u32,
    out_row: u32,
):
    j = get_global_id(0)
    i = get_global_id(1) * 4
    if j < n and i < m:
        row1 = min(i + 1, m - 1) * a_row
        row2 = min(i + 2, m - 1) * a_row
        row3 = min(i + 3, m - 1) * a_row
        total0 = T(0) * f32(0.0)
        total1 = T(0) * f32(0.0)
        total2 = T(0) * f32(0.0)
        total3 = T(0) * f32(0.0)
        for p in range(k):
            right = b[p * b_row + j] * f32(1.0)
            total0 = fma(a[i * a_row + p * a_column] * f32(1.0), right, total0)
            total1 = fma(a[row1 + p * a_column] * f32(1.0), right, total1)
            total2 = fma(a[row2 + p * a_column] * f32(1.0), right, total2)
            total3 = fma(a[row3 + p * a_column] * f32(1.0), right, total3)
        out[i * out_row + j] = T(total0)
        if i + 1 < m:
            out[(i + 1) * out_row + j] = T(total1)
        if i + 2 < m:
            out[(i + 2) * out_row + j] = T(total2)
        if i + 3 < m:
            out[(i + 3) * out_row + j] = T(total3)


def op_gemm_strided(
    a: DeviceArray[T],
    b: DeviceArray[T],
    out: DeviceArray[T],
    m: u32,
    n: u32,
    k: u32,
    a_row: u32,
    a_column: u32,
    b_row: u32,
    b_column: u32,
    out_row: u32,
):
    j = get_global_id(0)
    i = get_global_id(1) * 4
    if j < n and i < m:
        row1 = min(i + 1, m - 1) * a_row
        row2 = min(i + 2, m - 1) * a_row
        row3 = min(i + 3, m - 1) * a_row
        total0 = T(0) * f32(0.0)
        total1 = T(0) * f32(0.0)
        total2 = T(0) * f32(0.0)
        total3 = T(0) * f32(0.0)
        for p in range(k):
            right = b[p * b_row + j * b_column] * f32(1.0)
            total0 = fma(a[i * a_row + p * a_column] * f32(1.0), right, total0)
            total1 = fma(a[row1 + p * a_column] * f32(1.0), right, total1)
            total2 = fma(a[row2 + p * a_column] * f32(1.0), right, total2)
            total3 = fma(a[row3 + p * a_column] * f32(1.0), right, total3)
        out[i * out_row + j] = T(total0)
        if i + 1 < m:
            out[(i + 1) * out_row + j] = T(total1)
        if i + 2 < m:
            out[(i + 2) * out_row + j] = T(total2)
        if i + 3 < m:
            out[(i + 3) * out_row + j] = T(total3)
