"""Images of bytes: edges of colours, medians, blends, running means, cosines of 8 x 8 cells."""

import math

import numpy as np
from common import blocks, njit

import hologram as hg
from hologram.lang import DeviceArray, cos, f32, get_global_id, i32, inline, local, sqrt, u8

F = np.float32


@inline
def grey(image: DeviceArray[u8, 3], y: i32, x: i32) -> i32:
    return (77 * i32(image[y, x, 0]) + 150 * i32(image[y, x, 1]) + 29 * i32(image[y, x, 2])) >> 8


@hg.kernel
def sobel(image: DeviceArray[u8, 3], out: DeviceArray[u8, 2], width: i32, height: i32):
    x = int(get_global_id(0))
    y = int(get_global_id(1))
    if x >= width or y >= height:
        return
    if x == 0 or y == 0 or x == width - 1 or y == height - 1:
        out[y, x] = 0
        return
    gx = grey(image, y - 1, x + 1) + 2 * grey(image, y, x + 1) + grey(image, y + 1, x + 1)
    gx -= grey(image, y - 1, x - 1) + 2 * grey(image, y, x - 1) + grey(image, y + 1, x - 1)
    gy = grey(image, y + 1, x - 1) + 2 * grey(image, y + 1, x) + grey(image, y + 1, x + 1)
    gy -= grey(image, y - 1, x - 1) + 2 * grey(image, y - 1, x) + grey(image, y - 1, x + 1)
    size = int(sqrt(f32(gx * gx + gy * gy)))
    out[y, x] = u8(min(size, 255))


@njit
def grey_twin(image, y, x):
    return (77 * image[y, x, 0] + 150 * image[y, x, 1] + 29 * image[y, x, 2]) >> 8


@njit
def sobel_twin(image, out, width, height):
    for y in range(height):
        for x in range(width):
            if x == 0 or y == 0 or x == width - 1 or y == height - 1:
                out[y, x] = 0
                continue
            gx = grey_twin(image, y - 1, x + 1) + 2 * grey_twin(image, y, x + 1)
            gx += grey_twin(image, y + 1, x + 1) - grey_twin(image, y - 1, x - 1)
            gx -= 2 * grey_twin(image, y, x - 1) + grey_twin(image, y + 1, x - 1)
            gy = grey_twin(image, y + 1, x - 1) + 2 * grey_twin(image, y + 1, x)
            gy += grey_twin(image, y + 1, x + 1) - grey_twin(image, y - 1, x - 1)
            gy -= 2 * grey_twin(image, y - 1, x) + grey_twin(image, y - 1, x + 1)
            out[y, x] = min(int(math.sqrt(F(gx * gx + gy * gy))), 255)


def check_sobel(image, out, width, height):
    g = (image.astype(int) @ np.array([77, 150, 29])) >> 8
    gx = g[:-2, 2:] + 2 * g[1:-1, 2:] + g[2:, 2:] - g[:-2, :-2] - 2 * g[1:-1, :-2] - g[2:, :-2]
    gy = g[2:, :-2] + 2 * g[2:, 1:-1] + g[2:, 2:] - g[:-2, :-2] - 2 * g[:-2, 1:-1] - g[:-2, 2:]
    want = np.minimum(np.sqrt(gx * gx + gy * gy).astype(int), 255)
    np.testing.assert_array_equal(out[1:-1, 1:-1], want)
    assert not out[0].any() and not out[:, -1].any()


@hg.kernel
def median(image: DeviceArray[u8, 2], out: DeviceArray[u8, 2]):
    """The middle of nine by insertion into a local array."""
    window = local(u8, 9)
    x, y = int(get_global_id(0)), int(get_global_id(1))
    h, w = int(image.shape[0]), int(image.shape[1])
    if x >= w or y >= h:
        return
    count = 0
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            value = image[min(max(y + dy, 0), h - 1), min(max(x + dx, 0), w - 1)]
            k = count
            while k > 0 and window[k - 1] > value:
                window[k] = window[k - 1]
                k -= 1
            window[k] = value
            count += 1
    out[y, x] = window[4]


@njit
def median_twin(image, out):
    h, w = image.shape
    window = np.zeros(9, np.uint8)
    for y in range(h):
        for x in range(w):
            count = 0
            for dy in range(-1, 2):
                for dx in range(-1, 2):
                    value = image[min(max(y + dy, 0), h - 1), min(max(x + dx, 0), w - 1)]
                    k = count
                    while k > 0 and window[k - 1] > value:
                        window[k] = window[k - 1]
                        k -= 1
                    window[k] = value
                    count += 1
            out[y, x] = window[4]


def check_median(image, out):
    p, (h, w) = np.pad(image, 1, "edge"), image.shape
    near = [p[i : i + h, j : j + w] for i in range(3) for j in range(3)]
    np.testing.assert_array_equal(out, np.median(near, axis=0))


@hg.kernel
def blend(
    front: DeviceArray[u8],
    back: DeviceArray[u8],
    alpha: DeviceArray[u8],
    out: DeviceArray[u8],
    pixels: i32,
):
    """Three interleaved channels, one alpha for a pixel, rounded division by 255."""
    p = int(get_global_id())
    if p < pixels:
        a = i32(alpha[p])
        for c in range(3):
            mixed = i32(front[3 * p + c]) * a + i32(back[3 * p + c]) * (255 - a)
            out[3 * p + c] = u8((mixed + 127) // 255)


@njit
def blend_twin(front, back, alpha, out, pixels):
    for p in range(pixels):
        a = np.int32(alpha[p])
        for c in range(3):
            mixed = np.int32(front[3 * p + c]) * a + np.int32(back[3 * p + c]) * (255 - a)
            out[3 * p + c] = (mixed + 127) // 255


def check_blend(front, back, alpha, out, pixels):
    a = np.repeat(alpha, 3).astype(int)
    np.testing.assert_array_equal(out, (front * a + back * (255 - a) + 127) // 255)


@hg.kernel
def box_blur_rows(
    image: DeviceArray[f32], out: DeviceArray[f32], width: i32, height: i32, radius: i32
):
    """A lane per row, with a running sum along it."""
    y = int(get_global_id())
    if y >= height:
        return
    base = y * width
    total = 0.0
    for x in range(-radius, radius + 1):
        total += image[base + min(max(x, 0), width - 1)]
    for x in range(width):
        out[base + x] = total / f32(2 * radius + 1)
        leaves = max(x - radius, 0)
        enters = min(x + radius + 1, width - 1)
        total += image[base + enters] - image[base + leaves]


@njit
def box_blur_twin(image, out, width, height, radius):
    for y in range(height):
        base = y * width
        total = F(0)
        for x in range(-radius, radius + 1):
            total += image[base + min(max(x, 0), width - 1)]
        for x in range(width):
            out[base + x] = total / F(2 * radius + 1)
            leaves = max(x - radius, 0)
            enters = min(x + radius + 1, width - 1)
            total += image[base + enters] - image[base + leaves]


def check_box_blur(image, out, width, height, radius):
    p = np.pad(image.reshape(height, width).astype(float), ((0, 0), (radius, radius)), "edge")
    want = sum(p[:, k : k + width] for k in range(2 * radius + 1)) / (2 * radius + 1)
    np.testing.assert_allclose(out.reshape(height, width), want, rtol=1e-3)


@hg.kernel
def dct(image: DeviceArray[f32, 2], out: DeviceArray[f32, 2]):
    """JPEG's transform of each 8 x 8 cell; a lane per coefficient."""
    x, y = int(get_global_id(0)), int(get_global_id(1))
    if x >= int(image.shape[1]) or y >= int(image.shape[0]):
        return
    u, v = x % 8, y % 8
    x0, y0 = x - u, y - v
    total = 0.0
    for j in range(8):
        cy = cos(f32((2 * j + 1) * v) * 0.19634954)
        for i in range(8):
            cx = cos(f32((2 * i + 1) * u) * 0.19634954)
            total += image[y0 + j, x0 + i] * cx * cy
    cu = 0.70710678 if u == 0 else 1.0
    cv = 0.70710678 if v == 0 else 1.0
    out[y, x] = 0.25 * cu * cv * total


@njit
def dct_twin(image, out):
    for y in range(image.shape[0]):
        for x in range(image.shape[1]):
            u, v = x % 8, y % 8
            x0, y0 = x - u, y - v
            total = F(0)
            for j in range(8):
                cy = math.cos(F((2 * j + 1) * v) * F(0.19634954))
                for i in range(8):
                    cx = math.cos(F((2 * i + 1) * u) * F(0.19634954))
                    total += image[y0 + j, x0 + i] * cx * cy
            cu = F(0.70710678) if u == 0 else F(1)
            cv = F(0.70710678) if v == 0 else F(1)
            out[y, x] = F(0.25) * cu * cv * total


def check_dct(image, out):
    k = np.arange(8)
    c = np.cos((2 * k + 1) * k[:, None] * np.pi / 16) * np.where(k, 0.5, 0.5**1.5)[:, None]
    h, w = image.shape
    cells = image.astype(float).reshape(h // 8, 8, w // 8, 8)
    want = np.einsum("vj,ajbi,ui->avbu", c, cells, c).reshape(h, w)
    np.testing.assert_allclose(out, want, rtol=1e-3, atol=1e-4)


def programs(rng, small=False):
    h, w = (17, 22) if small else (300, 400)
    grid = (blocks(w, 32), blocks(h, 8)), (32, 8)
    colours = rng.integers(0, 256, (h, w, 3)).astype(np.uint8)
    data = (colours, np.zeros((h, w), np.uint8), w, h)
    yield "sobel_rgb", "ISPC", sobel[grid], sobel_twin, data, check_sobel

    greys = rng.integers(0, 256, (h, w)).astype(np.uint8)
    yield "median", "Numba", median[grid], median_twin, (greys, np.zeros_like(greys)), check_median

    n = 500 if small else 200_000
    front, back = rng.integers(0, 256, (2, 3 * n)).astype(np.uint8)
    data = (front, back, rng.integers(0, 256, n).astype(np.uint8), np.zeros(3 * n, np.uint8), n)
    kernel = blend[blocks(n, 256), 256]
    yield "alpha_blend", "ISPC", kernel, blend_twin, data, check_blend

    h, w = (20, 31) if small else (512, 600)
    data = (rng.random(h * w, F), np.zeros(h * w, F), w, h, 4)
    kernel = box_blur_rows[blocks(h, 64), 64]
    yield "box_blur", "Taichi", kernel, box_blur_twin, data, check_box_blur

    h, w = (16, 24) if small else (128, 160)
    grid = (blocks(w, 32), blocks(h, 8)), (32, 8)
    yield (
        "dct_8x8",
        "Numba",
        dct[grid],
        dct_twin,
        (rng.random((h, w), F), np.zeros((h, w), F)),
        check_dct,
    )
