from hologram.lang import DeviceArray, bf16, f16, f32, f64, get_global_id, i32, kernel, shared, sqrt, u32


# Each operation is rounded to its own type; f16 with bf16 and either with f32 is f32.
@kernel
def halves(
    a: DeviceArray[f16],
    b: DeviceArray[bf16],
    c: DeviceArray[f16],
    d: DeviceArray[f32],
    e: DeviceArray[f64],
    s: f16,
    n: i32,
):
    i = get_global_id()
    x = a[i]
    c[i] = x * s + 0.1
    c[i] = sqrt(x) / n
    d[i] = x + b[i]
    d[i] = b[i] * 3 - f32(n)
    e[i] = b[i]
    if x > 65504 and b[i] != 0.5:
        c[i] = f16(d[i]) % x
        e[i] = f64(bf16(e[i]) // 2)
