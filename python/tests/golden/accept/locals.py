# `let` where a name is first assigned in the text, `assign` after that.
from hologram.lang import DeviceArray, f32, i64, u32


def locals(a: DeviceArray[f32], n: u32):
    x: i64 = 0
    y: int = 1
    z: float = 1.5
    w: usize = 2
    flag: bool = True
    if flag:
        q = 1.0
    else:
        q = 2.0
    n = n + 1
    for i in range(n):
        pass
    i = 5
    a[i] = q + z
