from hologram.lang import DeviceArray, f16, f32, f64, inline, u32


@inline
def tenth(x):
    return x * 0.1


@inline
def doubled(x):
    x = x + x
    return f64(x)


def local(out: DeviceArray[f64], n: u32, x: f32, d: f64, h: f16):
    third = 1.0 / 3.0
    out[0] = third * 3.0
    count = 0.0
    for k in range(n):
        count += 1.0
    out[1] = count
    step = n * 0.1
    end = step * n
    out[2] = f64(end)
    out[3] = x * n
    out[4] = tenth(2.0)
    out[5] = doubled(0.1)
    if n > 2:
        either = 0.1
    else:
        either = x
    out[6] = either
    less = 0.2
    out[7] = d if d < less else 0.0
    out[8] = h * n
