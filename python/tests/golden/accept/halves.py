from hologram.lang import DeviceArray, bf16, f16, f32, get_global_id, get_local_id, kernel, shared, u32


@kernel
def halves(a: DeviceArray[f16], b: DeviceArray[bf16], out: DeviceArray[f32], scale: f16, n: u32):
    tile = shared(f16, 256)
    i = get_global_id()
    if i < n:
        x: f16 = a[i] * scale
        tile[get_local_id()] = x
        out[i] = x + bf16(1.5) * b[i]
