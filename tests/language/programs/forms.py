"""The programs of plain.py with vectors, matrices and complex numbers."""

from hologram.lang import (
    DeviceArray,
    atomic_add,
    complex128,
    cos,
    dot,
    f32,
    f64,
    get_global_id,
    i32,
    inline,
    ivec2,
    kernel,
    length,
    local,
    mat2,
    normalize,
    sin,
    sqrt,
    u32,
    vec2,
    vec3,
)

# program: rays
SPHERES = ((-2.0, 0.0, -3.5), (-0.5, 0.0, -3.0), (1.0, 0.0, -2.2))


@inline
def sphere_hit(o: vec3, d: vec3, k: i32) -> f32:
    r = o - vec3(SPHERES[k])
    b = dot(r, d)
    disc = b * b - (dot(r, r) - 0.25)
    if disc > 0.0 and (t := -b - sqrt(disc)) > 0.0:
        return t
    return 1.0e17


@kernel
def rays(width: i32, height: i32, image: DeviceArray[f32]):
    at = int(get_global_id())
    if at >= width * height:
        return
    p = 2.0 * vec2(f32(at % width), f32(at // width)) / vec2(f32(width), f32(height))
    d = normalize(vec3(p.x - 1.0, 1.0 - p.y, -1.0))
    best, normal, sun = 1.0e17, vec3(0.0), vec3(0.48, 0.8, 0.36)
    for k in range(3):
        if (t := sphere_hit(vec3(0.0), d, k)) < best:
            best, normal = t, (d * t - vec3(SPHERES[k])) * 2.0
    if d.y < 0.0 and -0.5 / d.y < best:
        best, normal = -0.5 / d.y, vec3(0.0, 1.0, 0.0)
    light = max(dot(normal, sun), 0.0)
    for k in range(3):
        if sphere_hit(d * best + normal * 0.0001, sun, k) < 1.0e16:
            light *= 0.25
    image[at] = light if best < 1.0e16 else 0.0


# program: particles
@kernel
def particles(
    x: DeviceArray[vec2],
    v: DeviceArray[vec2],
    c: DeviceArray[mat2],
    jac: DeviceArray[f32],
    n_grid: i32,
    dt: f32,
    p_mass: f32,
    stiff: f32,
    grid_v: DeviceArray[vec2, 2],
    grid_m: DeviceArray[f32, 2],
):
    w = local(vec2, 3)
    p = get_global_id()
    if p >= len(jac):
        return
    dx = 1.0 / f32(n_grid)
    place = x[p] / dx
    base = ivec2(place - 0.5)
    f = place - vec2(base)
    a, b, e = 1.5 - f, f - 1.0, f - 0.5
    w[0], w[1], w[2] = 0.5 * a * a, 0.75 - b * b, 0.5 * e * e
    stress = -dt * 4.0 * stiff * (jac[p] - 1.0) / dx
    affine = mat2(stress, 0.0, 0.0, stress) + p_mass * c[p]
    for i in range(3):
        for j in range(3):
            weight = w[i].x * w[j].y
            momentum = p_mass * v[p] + affine @ ((vec2(f32(i), f32(j)) - f) * dx)
            atomic_add(grid_v, (base.x + i, base.y + j), weight * momentum)
            atomic_add(grid_m, (base.x + i, base.y + j), weight * p_mass)


# program: fourier
@kernel
def fourier(x: DeviceArray[complex128], y: DeviceArray[complex128], n: i32, half: i32):
    t = int(get_global_id())
    if t >= n // 2:
        return
    k = t % half
    angle = -3.141592653589793 * f64(k) / f64(half)
    c = complex128(cos(angle), sin(angle)) * x[t + n // 2]
    at = 2 * (t // half) * half + k
    y[at], y[at + half] = x[t] + c, x[t] - c


# program: cloth
@kernel
def cloth(
    x: DeviceArray[vec3],
    v: DeviceArray[vec3],
    ends: DeviceArray[i32],
    rest: DeviceArray[f32],
    stiffness: f32,
    damping: f32,
    force: DeviceArray[vec3],
):
    tid = get_global_id()
    if tid >= len(rest):
        return
    i, j = ends[tid * 2], ends[tid * 2 + 1]
    d = x[i] - x[j]
    stretch = length(d)
    d /= stretch
    slide = dot(d, v[i] - v[j])
    f = (stiffness * (stretch - rest[tid]) + damping * slide) * d
    atomic_add(force, i, -f)
    atomic_add(force, j, f)


# program: bodies
@kernel
def bodies(
    x: DeviceArray[vec3],
    mass: DeviceArray[f32],
    v: DeviceArray[vec3],
    dt: f32,
    softening: f32,
    n: u32,
):
    i = get_global_id()
    if i < n:
        p, a = x[i], vec3(0.0)
        for j in range(n):
            d = x[j] - p
            square = dot(d, d) + softening
            a += mass[j] / (square * sqrt(square)) * d
        v[i] += dt * a
