from hologram.lang import DeviceArray, f32, get_global_id, u32


def layer(x: DeviceArray[f32], out: DeviceArray[f32], scale: f32, shift: f32, n: u32):
    i = get_global_id()
    if i < n:
        scaled = scale * x[i]
        moved = scaled + shift
        again = shift + x[i] * scale
        out[i] = max(moved, 0.0) + max(again, 0.0)
