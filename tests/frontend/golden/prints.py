from hologram.lang import DeviceArray, bf16, f64, get_global_id, inline, u8, u32


@inline
def show(value: f64):
    print("value", value)


def types(x: DeviceArray[f64], h: DeviceArray[bf16], b: DeviceArray[u8], n: u32):
    i = get_global_id()
    if i < n:
        known = x[i] > 0.5
        print("a longer text than fits", x[i], h[i], b[i], sep=", ")
        print(known, not known and i > 2, 3, 2.5, end="")
        show(x[i] * 2.0)
