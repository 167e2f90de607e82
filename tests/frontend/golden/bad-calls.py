from hologram.lang import (
    DeviceArray, atomic_add, atomic_add_f32, barrier, exp, expf, f32, f64, fma, get_global_id, i32,
    max, pow, shared, sqrt, tan, u8, u32, select,
)


def k(c: DeviceArray[f32], b: DeviceArray[u8], u: DeviceArray[u32], x: f64, n: i32):
    c[0] = tan(c[1], fast=True)
    c[0] = pow(n, 2.0)
    c[0] = n ** 2
    c[0] = sqrt(n)
    c[0] = expf(x)
    c[0] = sqrt(c[1])
    c[0] = exp(c[1], fast=n)
    c[0] = max(c[1])
    c[0] = fma(n, 1.0, 2.0)
    u[0] = get_global_id(3)
    atomic_add(c, 0, 1)
    atomic_add(b, 0, 1)
    atomic_add(n, 0, 1)
    atomic_add(u, 0, c[0])
    atomic_add(u, 0)
    atomic_add_f32(c, 1.0)
    sqrt(c[0])
    c[0] = barrier()
    c[0] = select(c[0], 1.0, 2.0)
