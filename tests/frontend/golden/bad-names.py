from hologram.lang import DeviceArray, f32, get_global_id, u32


def k(values: DeviceArray[f32], c: DeviceArray[f32], n: u32):
    i = get_global_id()
    c[i] = b[i]
    c[i] = valeus[i] + missing
    c[i] = triple(c[i]) + sqrtt(c[i])
    c[i] = values + n[i]
    c[i] = c[j]
    j = 0
    n = 3
    c = 1.0
    c[i] = later
    later = 2.0
    if n > 3:
        maybe = 1
    c[i] = f32(sqrt)
