from hologram.lang import DeviceArray, f32, get_global_id, inline, local, u32


@inline
def nothing(i: u32):
    pass


def k(a: DeviceArray[f32], n: u32):
    i = get_global_id()
    t = local(f32, 4)
    print(a)
    print("t =", t)
    print(f"{a}")
    print(missing)
    print(nothing(i))
    print(5000000000)
    print(a[i] + unknown)
