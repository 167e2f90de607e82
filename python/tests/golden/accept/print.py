"""`print`: every form is a list of texts and values."""

from hologram.lang import DeviceArray, f32, get_global_id, u32


def k(a: DeviceArray[f32], n: u32):
    i = get_global_id()
    print()
    print("")
    print(i)
    print("a =", a[i], i < n, sep=", ", end=";\n")
    print(i, n, sep="", end="")
    print(i, n, sep=None, end=None)
    print(f"a = {a[i]} of {i}{n}", f"{{}}", "\tgrün", f"")
    print(f"{a[i]:.3f}|{i:>8x}", f"{n=} {n!r} {n:}")
