from hologram.lang import DeviceArray, cos, f32, floor, fma, get_global_id, inline, sin, sqrt, u32


@inline
def hit(px: f32, py: f32, pz: f32, dx: f32, dy: f32, dz: f32, cx: f32, cy: f32, cz: f32) -> f32:
    """How far a sphere of radius 1 is along a ray; 1000 where the ray misses it."""
    ox = px - cx
    oy = py - cy
    oz = pz - cz
    b = fma(ox, dx, fma(oy, dy, oz * dz))
    c = fma(ox, ox, fma(oy, oy, oz * oz)) - 1.0
    under = fma(b, b, -c)
    near = -b - sqrt(max(under, 0.0))
    return near if under > 0.0 and near > 0.001 else f32(1000.0)


def rays(pixels: DeviceArray[u32, 2], time: f32):
    x = get_global_id(0)
    y = get_global_id(1)
    if y < pixels.shape[0] and x < pixels.shape[1]:
        dx = (f32(x) - 256.0) / 384.0
        dy = (160.0 - f32(y)) / 384.0
        dz: f32 = 1.0
        length = sqrt(fma(dx, dx, fma(dy, dy, dz)))
        dx = dx / length
        dy = dy / length
        dz = dz / length
        px: f32 = 0.0
        py: f32 = 0.6
        pz: f32 = -4.0
        light: f32 = 0.0
        part: f32 = 1.0
        tint: f32 = 0.0
        for _bounce in range(4):
            if part > 0.0:
                # The sphere that is nearest, then the floor.
                nearest: f32 = 1000.0
                nx: f32 = 0.0
                nz: f32 = 0.0
                ny: f32 = 0.0
                for k in range(5):
                    turn = time + f32(k) * 1.2566371
                    cx = 2.2 * cos(turn)
                    cy = 0.5 * sin(time * 2.0 + f32(k))
                    cz = 2.2 * sin(turn) + 1.0
                    far = hit(px, py, pz, dx, dy, dz, cx, cy, cz)
                    if far < nearest:
                        nearest = far
                        nx = fma(far, dx, px) - cx
                        ny = fma(far, dy, py) - cy
                        nz = fma(far, dz, pz) - cz
                ground = (-1.5 - py) / dy if dy < 0.0 else f32(1000.0)
                if ground < nearest and ground > 0.001:
                    gx = fma(ground, dx, px)
                    gz = fma(ground, dz, pz)
                    odd = floor((floor(gx) + floor(gz)) * 0.5) * 2.0 != floor(gx) + floor(gz)
                    shade: f32 = 0.75 if odd else 0.25
                    light += part * shade / (1.0 + 0.004 * ground * ground)
                    part = 0.0
                elif nearest < 1000.0:
                    toward = max(0.48 * nx + 0.8 * ny - 0.36 * nz, 0.0)
                    light += part * 0.3 * toward
                    tint += part * 0.5
                    part = part * 0.6
                    px = fma(nearest, dx, px)
                    py = fma(nearest, dy, py)
                    pz = fma(nearest, dz, pz)
                    along = 2.0 * fma(dx, nx, fma(dy, ny, dz * nz))
                    dx = fma(-along, nx, dx)
                    dy = fma(-along, ny, dy)
                    dz = fma(-along, nz, dz)
                else:
                    light += part * (0.5 + 0.5 * max(dy, 0.0))
                    tint += part * 0.3
                    part = 0.0
        red = u32(255.0 * min(light, 1.0))
        green = u32(255.0 * min(light * 0.95, 1.0))
        blue = u32(255.0 * min(fma(0.35, tint, light), 1.0))
        pixels[y, x] = red | green << 8 | blue << 16 | u32(0xFF000000)
