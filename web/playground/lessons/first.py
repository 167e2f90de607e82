from hologram.lang import DeviceArray, f32, get_global_id, u32


def wave(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = x[i] * x[i] - 0.5
