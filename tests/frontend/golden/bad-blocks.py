from hologram.lang import DeviceArray, atomic_add, block_reduce_and, f32, local, u32


def bad_local(a: DeviceArray[f32], n: u32):
    x = local(f32, n)
    y = local(f32, 5000)
    z = local(3, 4)
    a[0] = local(f32, 4)
    if n > 3:
        w = local(u32, 2)


def too_much(a: DeviceArray[f32]):
    x = local(f32, 4000)
    y = local(f32, 200)


def bad_use(a: DeviceArray[f32], n: u32):
    x = local(u32, 4)
    atomic_add(x, 0, n)
    a[0] = block_reduce_and(a[1])
    block_reduce_and(n)
    x = 3
