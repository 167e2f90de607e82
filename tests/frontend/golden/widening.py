from hologram.lang import DeviceArray, f32, f64, fma, i32, inline, max, select, sqrt, u8, u32, u64


@inline
def times(x, factor):
    return x * factor


# Literals, and integers beside them, are computed in f64 where they meet it.
def literals(out: DeviceArray[f64], a: i32, b: u8, n: u32, wide: u64, d: f64):
    out[0] = n / 4
    out[1] = a * 0.1
    out[2] = wide * 0.5
    out[3] = sqrt(2.0)
    out[4] = (n * 0.1 + 1.0) * d
    out[5] = f64(n * 0.1)
    out[6] = select(n > 2, b / 3, 0.1)
    out[7] = -max(a * 0.1, fma(0.1, 0.2, 0.3))
    out[8] = 0.1 if n > 2 else n * 0.25
    out[9] = (n * 0.1) ** 2
    out[10] = times(d, 0.1)
    out[11] = n // 0.1 + abs(a * 0.1)


# What the kernel says is f32, or computes of data in f32, is widened.
def of_data(out: DeviceArray[f64], x: DeviceArray[f32], b: u8, n: u32):
    total = 0.0
    for k in range(n):
        total += x[k]
    out[0] = total
    out[1] = x[0] * 0.1
    out[2] = x[0] * b
    third = f32(0.1)
    out[3] = third * 3.0
    half: f32 = 0.5 * n
    out[4] = half
    one = 1.0
    out[5] = one
