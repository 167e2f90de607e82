from hologram.lang import DeviceArray, f32, get_global_id, u32


def blur(src: DeviceArray[f32], dst: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i > 0 and i + 1 < n:
        dst[i] = 0.25 * src[i - 1] + 0.5 * src[i] + 0.25 * src[i + 2]
