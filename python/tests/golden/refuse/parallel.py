from hologram.lang import DeviceArray, f32, parallel_map_unary, parallel_reduce, u32


def k(a: DeviceArray[f32], b: DeviceArray[f32], n: u32):
    op = 1
    parallel_map_unary(a, b, op, n)
    parallel_map_unary(a, b, "exp")
    parallel_map_unary(a, b, "exp", count=n)
    x = parallel_reduce(a, b, "sum", n)
    parallel_scan(a, b, "sum", n)
