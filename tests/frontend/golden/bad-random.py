from hologram.lang import DeviceArray, f32, get_global_id, i32, philox, random_uniform, u32


def k(a: DeviceArray[f32], n: u32, seed: i32):
    i = get_global_id()
    a[i] = random_uniform(seed, i, 0)
    a[i] = random_uniform(n, i)
    a[i] = random_uniform(-1, i, 0)
    a[i] = philox(n, i, 0)
    x, y = philox(n, i, 0)
    philox(n, i, 0)
    a[i] = random_uniform(a[i], i, 0)
    a[i] = random_uniforn(n, i, 0)
    i = random_uniform(n, i, 0)
