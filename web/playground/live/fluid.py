from hologram.lang import DeviceArray, f32, floor, fma, get_global_id, inline, u32


@inline
def sample(field: DeviceArray[f32, 2], x: f32, y: f32) -> f32:
    """Between four points, at the nearest one of the rim outside."""
    x = min(max(x, 0.0), f32(field.shape[1]) - 1.0)
    y = min(max(y, 0.0), f32(field.shape[0]) - 1.0)
    left = min(u32(floor(x)), field.shape[1] - 1)
    top = min(u32(floor(y)), field.shape[0] - 1)
    right = min(left + 1, field.shape[1] - 1)
    bottom = min(top + 1, field.shape[0] - 1)
    u = x - floor(x)
    v = y - floor(y)
    above = fma(u, field[top, right] - field[top, left], field[top, left])
    below = fma(u, field[bottom, right] - field[bottom, left], field[bottom, left])
    return fma(v, below - above, above)


def pour(
    u: DeviceArray[f32, 2],
    v: DeviceArray[f32, 2],
    ink: DeviceArray[f32, 2],
    x0: f32,
    y0: f32,
    push: f32,
):
    """Ink and a push to the right and up, near a point."""
    x = get_global_id(0)
    y = get_global_id(1)
    if y < ink.shape[0] and x < ink.shape[1]:
        dx = f32(x) - x0
        dy = f32(y) - y0
        near = max(1.0 - fma(dx, dx, dy * dy) / 100.0, 0.0)
        u[y, x] = fma(near, push, u[y, x])
        v[y, x] = fma(near, -1.5, v[y, x])
        ink[y, x] = min(fma(near, 0.4, ink[y, x]), 1.0)


def carry(
    u: DeviceArray[f32, 2],
    v: DeviceArray[f32, 2],
    old: DeviceArray[f32, 2],
    new: DeviceArray[f32, 2],
    keep: f32,
):
    """Each value comes from where the flow was."""
    x = get_global_id(0)
    y = get_global_id(1)
    if y < new.shape[0] and x < new.shape[1]:
        new[y, x] = keep * sample(old, f32(x) - u[y, x], f32(y) - v[y, x])


def divergence(u: DeviceArray[f32, 2], v: DeviceArray[f32, 2], out: DeviceArray[f32, 2]):
    x = get_global_id(0)
    y = get_global_id(1)
    if y > 0 and y + 1 < out.shape[0] and x > 0 and x + 1 < out.shape[1]:
        out[y, x] = 0.5 * (u[y, x + 1] - u[y, x - 1] + v[y + 1, x] - v[y - 1, x])


def relax(p: DeviceArray[f32, 2], div: DeviceArray[f32, 2], out: DeviceArray[f32, 2]):
    x = get_global_id(0)
    y = get_global_id(1)
    if y > 0 and y + 1 < out.shape[0] and x > 0 and x + 1 < out.shape[1]:
        out[y, x] = 0.25 * (p[y, x - 1] + p[y, x + 1] + p[y - 1, x] + p[y + 1, x] - div[y, x])


def project(p: DeviceArray[f32, 2], u: DeviceArray[f32, 2], v: DeviceArray[f32, 2]):
    """Takes the part of the flow away that has sources."""
    x = get_global_id(0)
    y = get_global_id(1)
    if y > 0 and y + 1 < p.shape[0] and x > 0 and x + 1 < p.shape[1]:
        u[y, x] = u[y, x] - 0.5 * (p[y, x + 1] - p[y, x - 1])
        v[y, x] = v[y, x] - 0.5 * (p[y + 1, x] - p[y - 1, x])


def paint(ink: DeviceArray[f32, 2], u: DeviceArray[f32, 2], pixels: DeviceArray[u32, 2]):
    x = get_global_id(0)
    y = get_global_id(1)
    if y < pixels.shape[0] and x < pixels.shape[1]:
        dark = ink[y, x]
        red = u32(255.0 * min(dark * 1.2, 1.0))
        green = u32(255.0 * min(dark * dark, 1.0))
        blue = u32(255.0 * min(max(0.15 + 0.1 * u[y, x], 0.0) + 0.3 * dark, 1.0))
        pixels[y, x] = red | green << 8 | blue << 16 | u32(0xFF000000)
