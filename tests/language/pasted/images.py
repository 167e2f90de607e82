"""Images and pixels."""

from __future__ import annotations

from typing import Any

import numpy as np

from pasted import floats, integers, program, zeros

program(
    "grey from RGB",
    lambda: [integers(9, 13, 3, high=256, dtype=np.uint8), zeros(9, 13, dtype=np.uint8)],
    lambda rgb, grey: (
        np.float32(0.299) * rgb[..., 0].astype(np.float32)
        + np.float32(0.587) * rgb[..., 1].astype(np.float32)
        + np.float32(0.114) * rgb[..., 2].astype(np.float32)
    ).astype(np.uint8),
    """
@kernel
def rgb_to_grey(rgb: DeviceArray[u8, 3], grey: DeviceArray[u8, 2]):
    x = get_global_id(0)
    y = get_global_id(1)
    height, width = grey.shape
    if x >= width or y >= height:
        return
    r, g, b = rgb[y, x, 0], rgb[y, x, 1], rgb[y, x, 2]
    grey[y, x] = u8(0.299 * r + 0.587 * g + 0.114 * b)
""",
)

program(
    "box blur with clamped edges",
    lambda: [floats(11, 17), zeros(11, 17)],
    lambda a, b: sum(
        np.pad(a, 1, "edge")[i : i + 11, j : j + 17] for i in range(3) for j in range(3)
    )
    / np.float32(9),
    """
@kernel(block=(16, 16))
def blur(src: DeviceArray[f32, 2], dst: DeviceArray[f32, 2]):
    x, y = int(get_global_id(0)), int(get_global_id(1))
    h = int(src.shape[0])
    w = int(src.shape[1])
    if x < w and y < h:
        acc = 0.0
        for dy in range(-1, 2):
            for dx in range(-1, 2):
                yy = min(max(y + dy, 0), h - 1)
                xx = min(max(x + dx, 0), w - 1)
                acc += src[yy, xx]
        dst[y, x] = acc / 9.0
""",
)

SOBEL = ((-1, 0, 1), (-2, 0, 2), (-1, 0, 1))


def sobel(a: Any, b: Any) -> Any:
    gx, gy = np.zeros_like(a), np.zeros_like(a)
    for i in range(3):
        for j in range(3):
            part = a[i : a.shape[0] - 2 + i, j : a.shape[1] - 2 + j]
            gx[1:-1, 1:-1] += np.float32(SOBEL[i][j]) * part
            gy[1:-1, 1:-1] += np.float32(SOBEL[j][i]) * part
    return np.sqrt(gx * gx + gy * gy)


program(
    "Sobel with two tables",
    lambda: [floats(10, 12), zeros(10, 12)],
    sobel,
    """
KX = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]
KY = np.array([[-1, -2, -1], [0, 0, 0], [1, 2, 1]])


@kernel
def sobel(img: DeviceArray[f32, 2], out: DeviceArray[f32, 2]):
    i, j = get_global_id(1), get_global_id(0)
    if 1 <= i < img.shape[0] - 1 and 1 <= j < img.shape[1] - 1:
        gx = gy = 0.0
        for di in range(3):
            for dj in range(3):
                v = img[i + di - 1, j + dj - 1]
                gx += KX[di][dj] * v
                gy += KY[di, dj] * v
        out[i, j] = math.sqrt(gx * gx + gy * gy)
""",
    shape=None,
)


def bilinear(a: Any, b: Any) -> Any:
    f = np.float32
    rows, columns = b.shape
    y = np.arange(rows, dtype=f) * f(f(a.shape[0] - 1) / f(rows - 1))
    x = np.arange(columns, dtype=f) * f(f(a.shape[1] - 1) / f(columns - 1))
    y0, x0 = np.floor(y).astype(int), np.floor(x).astype(int)
    y1, x1 = np.minimum(y0 + 1, a.shape[0] - 1), np.minimum(x0 + 1, a.shape[1] - 1)
    fy, fx = (y - y0.astype(f))[:, None], (x - x0.astype(f))[None, :]
    top = a[y0][:, x0] * (1 - fx) + a[y0][:, x1] * fx
    low = a[y1][:, x0] * (1 - fx) + a[y1][:, x1] * fx
    return top * (1 - fy) + low * fy


program(
    "bilinear resize",
    lambda: [floats(6, 7), zeros(11, 20)],
    bilinear,
    """
@kernel
def resize(src: DeviceArray[f32, 2], dst: DeviceArray[f32, 2]):
    x, y = get_global_id(0), get_global_id(1)
    if y < dst.shape[0] and x < dst.shape[1]:
        scale_y = float(src.shape[0] - 1) / float(dst.shape[0] - 1)
        scale_x = float(src.shape[1] - 1) / float(dst.shape[1] - 1)
        fy = y * scale_y
        fx = x * scale_x
        y0 = int(floor(fy))
        x0 = int(floor(fx))
        y1 = min(y0 + 1, int(src.shape[0]) - 1)
        x1 = min(x0 + 1, int(src.shape[1]) - 1)
        fy -= y0
        fx -= x0
        top = src[y0, x0] * (1 - fx) + src[y0, x1] * fx
        bottom = src[y1, x0] * (1 - fx) + src[y1, x1] * fx
        dst[y, x] = top * (1 - fy) + bottom * fy
""",
)

program(
    "threshold to a mask of bool",
    lambda: [floats(50), zeros(50, dtype=np.bool_)],
    lambda x, m: (x > 0.25) & (x < 0.75),
    """
@kernel
def threshold(x: DeviceArray[f32], mask: DeviceArray[bool]):
    i = get_global_id(0)
    if i < x.size:
        mask[i] = (x[i] > 0.25) & (x[i] < 0.75)
""",
)

program(
    "pack RGBA into one word",
    lambda: [floats(40, 4, low=-0.2, high=1.2), zeros(40, dtype=np.uint32)],
    lambda c, o: sum(
        (np.clip(c[:, k], 0, 1) * np.float32(255) + np.float32(0.5)).astype(np.uint32)
        << np.uint32(8 * k)
        for k in range(4)
    ),
    """
@inline
def to_byte(v: f32) -> u32:
    return u32(clamp(v, 0.0, 1.0) * 255.0 + 0.5)


@kernel
def pack(color: DeviceArray[vec4], out: DeviceArray[u32]):
    i = get_global_id()
    if i < len(out):
        c = color[i]
        out[i] = (to_byte(c.a) << 24) | (to_byte(c.b) << 16) | (to_byte(c.g) << 8) | to_byte(c.r)
""",
)


def hsv(h: Any, o: Any) -> Any:
    import colorsys

    return np.array([colorsys.hsv_to_rgb(float(v), 0.5, 0.75) for v in h], np.float32)


program(
    "HSV to RGB with a chain of elif",
    lambda: [floats(64, low=0, high=0.999), zeros(64, 3)],
    hsv,
    """
@inline
def hsv_to_rgb(h, s: f32, v: f32):
    i = int(h * 6.0)
    f = h * 6.0 - i
    p = v * (1.0 - s)
    q = v * (1.0 - s * f)
    t = v * (1.0 - s * (1.0 - f))
    i = i % 6
    if i == 0:
        return v, t, p
    elif i == 1:
        return q, v, p
    elif i == 2:
        return p, v, t
    elif i == 3:
        return p, q, v
    elif i == 4:
        return t, p, v
    else:
        return v, p, q


@kernel
def convert(h: DeviceArray[f32], rgb: DeviceArray[f32, 2]):
    i = get_global_id()
    if i < len(h):
        rgb[i, 0], rgb[i, 1], rgb[i, 2] = hsv_to_rgb(h[i], 0.5, 0.75)
""",
    near=2e-6,
)


def mandel(o: Any, most: int) -> Any:
    found = np.zeros_like(o)
    h, w = o.shape
    for y in range(h):
        for x in range(w):
            c, z = complex(-2 + 3 * x / w, -1 + 2 * y / h), 0j
            for k in range(most):
                z = z * z + c
                if z.real * z.real + z.imag * z.imag > 4:
                    break
            else:
                k = most
            found[y, x] = k
    return found


program(
    "Mandelbrot of Numba's page with complex numbers",
    lambda: [zeros(12, 16, dtype=np.int32), 50],
    mandel,
    """
@inline
def mandel(x: f64, y: f64, max_iters: i32) -> i32:
    c = complex128(x, y)
    z = complex128(0.0, 0.0)
    for i in range(max_iters):
        z = z * z + c
        if (z.real * z.real + z.imag * z.imag) > 4.0:
            return i
    return max_iters


@kernel
def create_fractal(image: DeviceArray[i32, 2], iters: i32):
    x, y = get_global_id(0), get_global_id(1)
    height = image.shape[0]
    width = image.shape[1]
    if x < width and y < height:
        real = -2.0 + 3.0 * x / f64(width)
        imag = -1.0 + 2.0 * y / f64(height)
        image[y, x] = mandel(real, imag, iters)
""",
)

program(
    "Julia set with a ternary and abs",
    lambda: [zeros(300, dtype=np.uint8)],
    lambda o: julia(len(o)),
    """
C = complex(-0.8, 0.156)


@kernel
def julia(out: DeviceArray[u8]):
    i = get_global_id()
    if i >= len(out):
        return
    x, y = i % 20, i // 20
    z = complex64(f32(x) / 10.0 - 1.0, f32(y) / 10.0 - 1.0)
    n = 0
    while abs(z) < 2.0 and n < 60:
        z = z ** 2 + C
        n += 1
    out[i] = u8(n)
""",
)


def julia(count: int) -> Any:
    found = []
    for i in range(count):
        f = np.float32
        z = np.complex64(complex(f(f(i % 20) / f(10)) - f(1), f(f(i // 20) / f(10)) - f(1)))
        c, n = np.complex64(complex(-0.8, 0.156)), 0
        while abs(z) < 2 and n < 60:
            z = z * z + c
            n += 1
        found.append(n)
    return np.array(found, np.uint8)


def bilateral(img: Any, out: Any) -> Any:
    h, w = img.shape
    for y in range(h):
        for x in range(w):
            total = weight = 0.0
            for dy in range(-2, 3):
                for dx in range(-2, 3):
                    v = float(img[min(max(y + dy, 0), h - 1), min(max(x + dx, 0), w - 1)])
                    e = np.exp(-(dx * dx + dy * dy) / 4.5) * np.exp(-((v - img[y, x]) ** 2) / 0.02)
                    total += e * v
                    weight += e
            out[y, x] = total / weight
    return out


program(
    "bilateral filter",
    lambda: [floats(9, 11, low=0), zeros(9, 11)],
    bilateral,
    """
RADIUS = 2
SIGMA_D = 1.5
SIGMA_R = 0.1


@inline
def gaussian(x, sigma):
    return exp(-(x * x) / (2 * sigma * sigma))


@kernel
def bilateral(img: DeviceArray[f32, 2], out: DeviceArray[f32, 2]):
    x, y = get_global_id(0), get_global_id(1)
    height, width = img.shape
    if x >= width or y >= height:
        return
    center = img[y, x]
    total = 0.0
    weight = 0.0
    for dy in range(-RADIUS, RADIUS + 1):
        for dx in range(-RADIUS, RADIUS + 1):
            yy = clamp(i32(y) + dy, 0, i32(height) - 1)
            xx = clamp(i32(x) + dx, 0, i32(width) - 1)
            v = img[yy, xx]
            w = exp(-(dx * dx + dy * dy) / (2 * SIGMA_D**2)) * gaussian(v - center, SIGMA_R)
            total += w * v
            weight += w
    out[y, x] = total / weight
""",
    near=1e-4,
)


program(
    "barycentric coordinates of pixels",
    lambda: [np.array([[1, 1], [10, 2], [4, 9]], np.float32), zeros(12, 12, dtype=np.bool_)],
    lambda t, m: [[inside(t, x + 0.5, y + 0.5) for x in range(12)] for y in range(12)],
    """
@inline
def edge(a: vec2, b: vec2, c: vec2) -> float:
    return (c.x - a.x) * (b.y - a.y) - (c.y - a.y) * (b.x - a.x)


@kernel
def raster(tri: DeviceArray[vec2], mask: DeviceArray[bool, 2]):
    x, y = get_global_id(0), get_global_id(1)
    if x < mask.shape[1] and y < mask.shape[0]:
        p = vec2(x + 0.5, y + 0.5)
        w0 = edge(tri[1], tri[2], p)
        w1 = edge(tri[2], tri[0], p)
        w2 = edge(tri[0], tri[1], p)
        mask[y, x] = (w0 >= 0 and w1 >= 0 and w2 >= 0) or (w0 <= 0 and w1 <= 0 and w2 <= 0)
""",
)


def inside(t: Any, x: float, y: float) -> bool:
    e = [
        (x - a[0]) * (b[1] - a[1]) - (y - a[1]) * (b[0] - a[0])
        for a, b in ((t[1], t[2]), (t[2], t[0]), (t[0], t[1]))
    ]
    return all(v >= 0 for v in e) or all(v <= 0 for v in e)
