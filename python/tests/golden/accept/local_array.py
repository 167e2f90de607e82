from hologram.lang import DeviceArray, block_reduce_add, f32, get_global_id, local, u32


def k(a: DeviceArray[f32], c: DeviceArray[f32], n: u32):
    x = local(f32, 4)
    x[n & 3] = block_reduce_add(a[get_global_id()])
    c[get_global_id()] = x[1]
