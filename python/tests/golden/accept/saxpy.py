from hologram.lang import DeviceArray, f32, get_global_id, u32


def saxpy(a: f32, x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    """y = a x + y"""
    i = get_global_id()
    if i < n:
        y[i] = a * x[i] + y[i]
