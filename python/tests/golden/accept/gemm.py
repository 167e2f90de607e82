from hologram.lang import DeviceArray, f32, get_global_id, u32


def gemm(
    a: DeviceArray[f32], b: DeviceArray[f32], c: DeviceArray[f32], m: u32, n: u32, k: u32
) -> None:
    t = get_global_id()
    if t < m * n:
        row = t // n
        col = t % n
        total = 0.0
        for step in range(k):
            total += a[row * k + step] * b[step * n + col]
        c[row * n + col] = total
