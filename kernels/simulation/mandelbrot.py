"""out = rounds until |z|^2 > 4 under z = z^2 + c, at most `limit`.

Arrays: out u32[height * width]; c = (x0 + x * dx, y0 + y * dy).
Launch: lanes over (width, height).
Accuracy: as written; the product in the new imaginary part is fused.
"""

from hologram.lang import DeviceArray, f32, fma, get_global_id, u32


def mandelbrot(
    out: DeviceArray[u32],
    width: u32,
    height: u32,
    x0: f32,
    y0: f32,
    dx: f32,
    dy: f32,
    limit: u32,
):
    x = get_global_id(0)
    y = get_global_id(1)
    if x < width and y < height:
        cx = x0 + f32(x) * dx
        cy = y0 + f32(y) * dy
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
        out[y * width + x] = count
