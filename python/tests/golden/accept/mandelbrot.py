from atlas_kernel import DeviceArray, f32, get_global_id, i32, u32


def mandelbrot(
    steps: DeviceArray[i32], width: u32, height: u32, left: f32, top: f32, scale: f32, limit: i32
):
    px = get_global_id(0)
    py = get_global_id(1)
    if px >= width or py >= height:
        return
    cx = left + f32(px) * scale
    cy = top + f32(py) * scale
    x = 0.0
    y = 0.0
    taken = 0
    for k in range(limit):
        xx = x * x
        yy = y * y
        if xx + yy > 4.0:
            break
        y = 2.0 * x * y + cy
        x = xx - yy + cx
        taken += 1
    steps[py * width + px] = taken
