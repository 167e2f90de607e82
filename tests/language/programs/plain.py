"""Five programs as they are written without values of several numbers: those of bench/ports and
kernels/simulation. forms.py has the same with them."""

from hologram.lang import (
    DeviceArray,
    atomic_add,
    cos,
    f32,
    f64,
    get_global_id,
    i32,
    inline,
    kernel,
    local,
    sin,
    sqrt,
    u32,
)


# program: rays
@inline
def sphere_hit(ox: f32, oy: f32, oz: f32, dx: f32, dy: f32, dz: f32, k: i32) -> f32:
    cx = -2.0 if k == 0 else (-0.5 if k == 1 else 1.0)
    cz = -3.5 if k == 0 else (-3.0 if k == 1 else -2.2)
    rx = ox - cx
    ry = oy
    rz = oz - cz
    b = rx * dx + ry * dy + rz * dz
    c = rx * rx + ry * ry + rz * rz - 0.25
    d = b * b - c
    if d > 0.0:
        t = -b - sqrt(d)
        if t > 0.0:
            return t
    return 1.0e17


@kernel
def rays(width: i32, height: i32, image: DeviceArray[f32]):
    at = int(get_global_id())
    if at >= width * height:
        return
    px = 2.0 * f32(at % width) / f32(width) - 1.0
    py = 1.0 - 2.0 * f32(at // width) / f32(height)
    length = sqrt(px * px + py * py + 1.0)
    dx = px / length
    dy = py / length
    dz = -1.0 / length
    best = 1.0e17
    nx = 0.0
    ny = 0.0
    nz = 0.0
    for k in range(3):
        t = sphere_hit(0.0, 0.0, 0.0, dx, dy, dz, k)
        if t < best:
            best = t
            cx = -2.0 if k == 0 else (-0.5 if k == 1 else 1.0)
            cz = -3.5 if k == 0 else (-3.0 if k == 1 else -2.2)
            nx = (dx * t - cx) * 2.0
            ny = dy * t * 2.0
            nz = (dz * t - cz) * 2.0
    if dy < 0.0 and -0.5 / dy < best:
        best = -0.5 / dy
        nx = 0.0
        ny = 1.0
        nz = 0.0
    ox = dx * best + nx * 0.0001
    oy = dy * best + ny * 0.0001
    oz = dz * best + nz * 0.0001
    lx = 0.48
    ly = 0.8
    lz = 0.36
    light = max(nx * lx + ny * ly + nz * lz, 0.0)
    for k in range(3):
        if sphere_hit(ox, oy, oz, lx, ly, lz, k) < 1.0e16:
            light *= 0.25
    image[at] = light if best < 1.0e16 else 0.0


# program: particles
@kernel
def particles(
    x: DeviceArray[f32],
    v: DeviceArray[f32],
    c: DeviceArray[f32],
    jac: DeviceArray[f32],
    n_grid: i32,
    dt: f32,
    p_mass: f32,
    stiff: f32,
    grid_v: DeviceArray[f32, 3],
    grid_m: DeviceArray[f32, 2],
):
    w = local(f32, (3, 2))
    p = get_global_id()
    if p >= len(jac):
        return
    dx = 1.0 / f32(n_grid)
    xp = x[2 * p] / dx
    yp = x[2 * p + 1] / dx
    bx = int(xp - 0.5)
    by = int(yp - 0.5)
    fx = xp - f32(bx)
    fy = yp - f32(by)
    w[0, 0] = 0.5 * (1.5 - fx) * (1.5 - fx)
    w[0, 1] = 0.5 * (1.5 - fy) * (1.5 - fy)
    w[1, 0] = 0.75 - (fx - 1.0) * (fx - 1.0)
    w[1, 1] = 0.75 - (fy - 1.0) * (fy - 1.0)
    w[2, 0] = 0.5 * (fx - 0.5) * (fx - 0.5)
    w[2, 1] = 0.5 * (fy - 0.5) * (fy - 0.5)
    stress = -dt * 4.0 * stiff * (jac[p] - 1.0) / dx
    a00 = stress + p_mass * c[4 * p]
    a01 = 0.0 + p_mass * c[4 * p + 1]
    a10 = 0.0 + p_mass * c[4 * p + 2]
    a11 = stress + p_mass * c[4 * p + 3]
    for i in range(3):
        for j in range(3):
            dpx = (f32(i) - fx) * dx
            dpy = (f32(j) - fy) * dx
            weight = w[i, 0] * w[j, 1]
            mx = weight * (p_mass * v[2 * p] + (a00 * dpx + a01 * dpy))
            my = weight * (p_mass * v[2 * p + 1] + (a10 * dpx + a11 * dpy))
            atomic_add(grid_v, (bx + i, by + j, 0), mx)
            atomic_add(grid_v, (bx + i, by + j, 1), my)
            atomic_add(grid_m, (bx + i, by + j), weight * p_mass)


# program: fourier
@kernel
def fourier(x: DeviceArray[f64], y: DeviceArray[f64], n: i32, half: i32):
    t = int(get_global_id())
    if t >= n // 2:
        return
    k = t % half
    angle = -3.141592653589793 * f64(k) / f64(half)
    wr = cos(angle)
    wi = sin(angle)
    ar = x[2 * t]
    ai = x[2 * t + 1]
    br = x[2 * (t + n // 2)]
    bi = x[2 * (t + n // 2) + 1]
    cr = br * wr - bi * wi
    ci = br * wi + bi * wr
    at = 2 * (t // half) * half + k
    y[2 * at] = ar + cr
    y[2 * at + 1] = ai + ci
    y[2 * (at + half)] = ar - cr
    y[2 * (at + half) + 1] = ai - ci


# program: cloth
@kernel
def cloth(
    x: DeviceArray[f32],
    v: DeviceArray[f32],
    ends: DeviceArray[i32],
    rest: DeviceArray[f32],
    stiffness: f32,
    damping: f32,
    force: DeviceArray[f32],
):
    tid = get_global_id()
    if tid >= len(rest):
        return
    i = ends[tid * 2]
    j = ends[tid * 2 + 1]
    dx = x[i * 3] - x[j * 3]
    dy = x[i * 3 + 1] - x[j * 3 + 1]
    dz = x[i * 3 + 2] - x[j * 3 + 2]
    stretch = sqrt(dx * dx + dy * dy + dz * dz)
    dx /= stretch
    dy /= stretch
    dz /= stretch
    ux = v[i * 3] - v[j * 3]
    uy = v[i * 3 + 1] - v[j * 3 + 1]
    uz = v[i * 3 + 2] - v[j * 3 + 2]
    slide = dx * ux + dy * uy + dz * uz
    f = stiffness * (stretch - rest[tid]) + damping * slide
    fx = f * dx
    fy = f * dy
    fz = f * dz
    atomic_add(force, i * 3, -fx)
    atomic_add(force, i * 3 + 1, -fy)
    atomic_add(force, i * 3 + 2, -fz)
    atomic_add(force, j * 3, fx)
    atomic_add(force, j * 3 + 1, fy)
    atomic_add(force, j * 3 + 2, fz)


# program: bodies
@kernel
def bodies(
    x: DeviceArray[f32],
    mass: DeviceArray[f32],
    v: DeviceArray[f32],
    dt: f32,
    softening: f32,
    n: u32,
):
    i = get_global_id()
    if i < n:
        px = x[3 * i]
        py = x[3 * i + 1]
        pz = x[3 * i + 2]
        ax = 0.0
        ay = 0.0
        az = 0.0
        for j in range(n):
            dx = x[3 * j] - px
            dy = x[3 * j + 1] - py
            dz = x[3 * j + 2] - pz
            square = dx * dx + dy * dy + dz * dz + softening
            pull = mass[j] / (square * sqrt(square))
            ax += pull * dx
            ay += pull * dy
            az += pull * dz
        v[3 * i] += dt * ax
        v[3 * i + 1] += dt * ay
        v[3 * i + 2] += dt * az
