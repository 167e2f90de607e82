from hologram.lang import DeviceArray, f32, f64, kernel, shared, u32


@kernel(block=2048)
def k(a: DeviceArray[f32], b: DeviceArray[f64]):
    x = shared(f32, 12000)
    y = shared(f32, 300)
    a[0] = x[0] + y[1] + b[0]


def k2(a: DeviceArray[f32]):
    x: f32 = 1
    x: u32 = 2
    y: u32 = -1
    z: bool = 1
    a[0] = x
