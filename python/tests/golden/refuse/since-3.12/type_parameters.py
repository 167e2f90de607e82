from hologram.lang import DeviceArray, f32, u32


def k[T, *Ts, **P](a: DeviceArray[f32], n: u32):
    type number = f32
    a[n] = 1.0
