from hologram.lang import DeviceArray, bf16, f16, f32, get_global_id, kernel, u32


@kernel
def bad_halves(a: DeviceArray[f16], b: DeviceArray[bf16], c: DeviceArray[f32]):
    i = get_global_id()
    a[i] = 65520.0
    a[i] = 2049
    a[i] = c[i]
    a[i] = b[i]
    b[i] = a[i] * 2
    a[i] = a[i] & 1
    x: bf16 = 257
