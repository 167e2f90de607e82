from hologram.lang import DeviceArray, f32, get_global_id, u32


def transpose(src: DeviceArray[f32], dst: DeviceArray[f32], rows: u32, cols: u32):
    c = get_global_id(0)
    r = get_global_id(1)
    if r < rows and c < cols:
        dst[c * rows + r] = src[r * cols + c]
