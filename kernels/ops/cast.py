"""out = x as another type.

Arrays: x S[n], out T[n], of any two types.
Launch: one lane per element.
Accuracy: to a float rounded to nearest even; to an integer rounded towards zero.

What does not fit an integer becomes the nearest integer that does, and NaN becomes 0. A float that is
too large for the new type becomes an infinity. Of integers to integers too.
"""

from typing import TypeVar

from hologram.lang import (
    DeviceArray,
    bf16,
    f16,
    f32,
    f64,
    get_global_id,
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
)

S = TypeVar("S", f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64)
T = TypeVar("T", f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64)


def op_cast(x: DeviceArray[S], out: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = T(x[i])
