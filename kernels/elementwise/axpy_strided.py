"""y = a * x + y in place, fused, by a launch of any size.

Arrays: x, y f32[n]; a f32.
Launch: any grid and block: lanes go on by the number of lanes until all elements are done.
Accuracy: each element rounded once.
"""

from hologram.lang import DeviceArray, f32, fma, get_block_dim, get_global_id, get_grid_dim, u32


def axpy_strided(a: f32, x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    for i in range(get_global_id(), n, get_grid_dim() * get_block_dim()):
        y[i] = fma(a, x[i], y[i])
