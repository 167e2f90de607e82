from hologram.lang import DeviceArray, f32, fma, get_global_id, u32


def mandelbrot(pixels: DeviceArray[u32, 2], x0: f32, y0: f32, step: f32, limit: u32):
    x = get_global_id(0)
    y = get_global_id(1)
    if y < pixels.shape[0] and x < pixels.shape[1]:
        cx = fma(f32(x) - 256.0, step, x0)
        cy = fma(f32(y) - 192.0, step, y0)
        zx: f32 = 0.0
        zy: f32 = 0.0
        count: u32 = 0
        for _round in range(limit):
            xx = zx * zx
            yy = zy * zy
            if xx + yy > 4.0:
                break
            zy = fma(zx + zx, zy, cy)
            zx = xx - yy + cx
            count += 1
        shade = count * 9
        red = min(shade, u32(255))
        green = min(shade // 3, u32(255))
        blue = min(64 + shade // 2, u32(255))
        colour = red | green << 8 | blue << 16 | u32(0xFF000000)
        pixels[y, x] = colour if count < limit else u32(0xFF000000)
