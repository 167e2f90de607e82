from hologram.lang import DeviceArray, f32, get_global_id, u32


def k(a: DeviceArray[f32], c: DeviceArray[f32], n: u32):
    x = print(n)
    print(n, file=n)
    print(n, flush=True, sep=n)
    print(*a)
    print(**a)
    print(f"n = {n:{n}}")
    print(f"{n!a}", f"{n!r:5}")
    print("bell \a", end="\x1b[2J")
    print(b"bytes", None)
    c[0] = 1.0 if print(n) else 2.0
    print((n, n), [n])
