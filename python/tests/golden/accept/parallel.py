from hologram.lang import DeviceArray, f32, parallel_map_binary, parallel_map_unary, u32
from hologram.lang import parallel_reduce as reduce


def k(a: DeviceArray[f32], b: DeviceArray[f32], c: DeviceArray[f32], n: u32):
    parallel_map_unary(a, b, "exp", n)
    parallel_map_binary(a, b, c, "add", n - 1)
    reduce(a, c, "sum", n)
