from hologram.lang import DeviceArray, f32, f64, inline, u32


def total(out: DeviceArray[f64], d: DeviceArray[f64], n: u32):
    s = 0.0
    for k in range(n):
        s += d[k]
    t: f32 = 0.0
    t += d[0]
    out[0] = s + t
