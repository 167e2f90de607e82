from hologram.lang import DeviceArray, f32, get_global_id, u32


def gather(src: DeviceArray[f32], where: DeviceArray[u32], dst: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        dst[i] = src[where[i]]
