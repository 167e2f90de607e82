from hologram.lang import (
    DeviceArray, atomic_add, atomic_add_f32, atomic_and, atomic_cas, block_scan_or, f32, u16, u32,
)


def k(c: DeviceArray[f32], h: DeviceArray[u16], u: DeviceArray[u32], n: u32):
    atomic_and(c, 0, 1)
    atomic_add(h, 0, 1)
    atomic_cas(h, 0, 1, 2)
    atomic_cas(u, 0, 1)
    atomic_cas(u, 0, c[0], 1)
    atomic_cas(u, 0, 1, 0.5)
    atomic_add_f32(u, 1)
    c[0] = block_scan_or(c[0])
    block_scan_or(u[0])
    assert n
