from hologram.lang import DeviceArray, barrier, f32, get_global_id, get_local_id, kernel, shared


@kernel(block=64)
def reverse_blocks(src: DeviceArray[f32], dst: DeviceArray[f32]):
    tile = shared(f32, 64)
    lane = get_local_id()
    i = get_global_id()
    tile[lane] = src[i]
    barrier()
    dst[i] = tile[63 - lane]
