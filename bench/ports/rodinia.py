"""Rodinia: hotspot, srad, k-means, distances of records."""

import math

import numpy as np
from common import Launches, blocks, njit

import hologram as hg
from hologram.lang import (
    DeviceArray,
    f32,
    get_global_id,
    i32,
    sqrt,
)

F = np.float32


PER_BOX = 100


@hg.kernel
def hotspot_step(
    temp: DeviceArray[f32],
    power: DeviceArray[f32],
    result: DeviceArray[f32],
    rows: i32,
    cols: i32,
    cap: f32,
    rx: f32,
    ry: f32,
    rz: f32,
):
    c = int(get_global_id(0))
    r = int(get_global_id(1))
    if r < rows and c < cols:
        north = r if r == 0 else r - 1
        south = r if r == rows - 1 else r + 1
        west = c if c == 0 else c - 1
        east = c if c == cols - 1 else c + 1
        at = r * cols + c
        here = temp[at]
        result[at] = here + cap * (
            power[at]
            + (temp[south * cols + c] + temp[north * cols + c] - 2.0 * here) / ry
            + (temp[r * cols + east] + temp[r * cols + west] - 2.0 * here) / rx
            + (80.0 - here) / rz
        )


@njit
def hotspot_twin(temp, power, result, rows, cols, cap, rx, ry, rz):
    t, out = temp.reshape(rows, cols), result.reshape(rows, cols)
    p = power.reshape(rows, cols)
    for r in range(rows):
        north = max(r - 1, 0)
        south = min(r + 1, rows - 1)
        for c in range(cols):
            west = max(c - 1, 0)
            east = min(c + 1, cols - 1)
            here = t[r, c]
            out[r, c] = here + cap * (
                p[r, c]
                + (t[south, c] + t[north, c] - F(2) * here) / ry
                + (t[r, east] + t[r, west] - F(2) * here) / rx
                + (F(80) - here) / rz
            )


def check_hotspot(temp, power, result, rows, cols, cap, rx, ry, rz):
    t = np.pad(temp.reshape(rows, cols).astype(float), 1, "edge")
    here = t[1:-1, 1:-1]
    want = here + cap * (
        power.reshape(rows, cols)
        + (t[2:, 1:-1] + t[:-2, 1:-1] - 2 * here) / ry
        + (t[1:-1, 2:] + t[1:-1, :-2] - 2 * here) / rx
        + (80.0 - here) / rz
    )
    np.testing.assert_allclose(result.reshape(rows, cols), want, rtol=1e-5)


@hg.kernel
def srad_coefficients(
    image: DeviceArray[f32],
    north: DeviceArray[i32],
    south: DeviceArray[i32],
    west: DeviceArray[i32],
    east: DeviceArray[i32],
    dn: DeviceArray[f32],
    ds: DeviceArray[f32],
    dw: DeviceArray[f32],
    de: DeviceArray[f32],
    c: DeviceArray[f32],
    q0sqr: f32,
    rows: i32,
    cols: i32,
):
    k = int(get_global_id())
    if k >= rows * cols:
        return
    i = k // cols
    j = k % cols
    jc = image[k]
    dn[k] = image[north[i] * cols + j] - jc
    ds[k] = image[south[i] * cols + j] - jc
    dw[k] = image[i * cols + west[j]] - jc
    de[k] = image[i * cols + east[j]] - jc
    g2 = (dn[k] * dn[k] + ds[k] * ds[k] + dw[k] * dw[k] + de[k] * de[k]) / (jc * jc)
    lap = (dn[k] + ds[k] + dw[k] + de[k]) / jc
    num = 0.5 * g2 - (1.0 / 16.0) * (lap * lap)
    den = 1.0 + 0.25 * lap
    qsqr = num / (den * den)
    den = (qsqr - q0sqr) / (q0sqr * (1.0 + q0sqr))
    value = 1.0 / (1.0 + den)
    if value < 0.0:
        value = 0.0
    elif value > 1.0:
        value = 1.0
    c[k] = value


@hg.kernel
def srad_update(
    image: DeviceArray[f32],
    south: DeviceArray[i32],
    east: DeviceArray[i32],
    dn: DeviceArray[f32],
    ds: DeviceArray[f32],
    dw: DeviceArray[f32],
    de: DeviceArray[f32],
    c: DeviceArray[f32],
    rate: f32,
    rows: i32,
    cols: i32,
    out: DeviceArray[f32],
):
    k = int(get_global_id())
    if k >= rows * cols:
        return
    i = k // cols
    j = k % cols
    cn = c[k]
    cs = c[south[i] * cols + j]
    cw = c[k]
    ce = c[i * cols + east[j]]
    d = cn * dn[k] + cs * ds[k] + cw * dw[k] + ce * de[k]
    out[k] = image[k] + 0.25 * rate * d


def srad(image, north, south, west, east, work, q0sqr, rate, rows, cols, out):
    dn, ds, dw, de, c = work
    grid = blocks(rows * cols, 256), 256
    srad_coefficients[grid](image, north, south, west, east, dn, ds, dw, de, c, q0sqr, rows, cols)
    srad_update[grid](image, south, east, dn, ds, dw, de, c, rate, rows, cols, out)


@njit
def srad_twin(image, north, south, west, east, work, q0sqr, rate, rows, cols, out):
    maps = work.reshape(5, rows, cols)
    dn, ds, dw, de, c = maps[0], maps[1], maps[2], maps[3], maps[4]
    t, target = image.reshape(rows, cols), out.reshape(rows, cols)
    one = F(1)
    for i in range(rows):
        for j in range(cols):
            jc = t[i, j]
            n = t[north[i], j] - jc
            s = t[south[i], j] - jc
            w = t[i, west[j]] - jc
            e = t[i, east[j]] - jc
            g2 = (n * n + s * s + w * w + e * e) / (jc * jc)
            lap = (n + s + w + e) / jc
            dn[i, j], ds[i, j], dw[i, j], de[i, j] = n, s, w, e
            num = F(0.5) * g2 - F(1 / 16) * (lap * lap)
            den = one + F(0.25) * lap
            qsqr = num / (den * den)
            den = (qsqr - q0sqr) / (q0sqr * (one + q0sqr))
            c[i, j] = min(max(one / (one + den), F(0)), one)
    for i in range(rows):
        for j in range(cols):
            here, cs, ce = c[i, j], c[south[i], j], c[i, east[j]]
            d = here * dn[i, j] + cs * ds[i, j] + here * dw[i, j] + ce * de[i, j]
            target[i, j] = t[i, j] + F(0.25) * rate * d


def check_srad(image, north, south, west, east, work, q0sqr, rate, rows, cols, out):
    t = np.pad(image.reshape(rows, cols).astype(float), 1, "edge")
    jc = t[1:-1, 1:-1]
    d = [t[:-2, 1:-1] - jc, t[2:, 1:-1] - jc, t[1:-1, :-2] - jc, t[1:-1, 2:] - jc]
    g2, lap = sum(x * x for x in d) / jc**2, sum(d) / jc
    qsqr = (0.5 * g2 - lap**2 / 16) / (1 + 0.25 * lap) ** 2
    c = np.clip(1 / (1 + (qsqr - q0sqr) / (q0sqr * (1 + q0sqr))), 0, 1)
    p = np.pad(c, ((0, 1), (0, 1)), "edge")
    want = jc + 0.25 * rate * (c * d[0] + p[1:, :-1] * d[1] + c * d[2] + p[:-1, 1:] * d[3])
    np.testing.assert_allclose(out.reshape(rows, cols), want, rtol=1e-3, atol=1e-4)


@hg.kernel
def kmeans_assign(
    feature: DeviceArray[f32, 2],
    clusters: DeviceArray[f32, 2],
    membership: DeviceArray[i32],
    npoints: i32,
    nclusters: i32,
    nfeatures: i32,
):
    point = int(get_global_id())
    if point < npoints:
        index = -1
        min_dist = 3.4e38
        for i in range(nclusters):
            ans = 0.0
            for k in range(nfeatures):
                diff = feature[point, k] - clusters[i, k]
                ans += diff * diff
            if ans < min_dist:
                min_dist = ans
                index = i
        membership[point] = index


@njit
def kmeans_twin(feature, clusters, membership, npoints, nclusters, nfeatures):
    for point in range(npoints):
        index = -1
        min_dist = F(3.4e38)
        for i in range(nclusters):
            ans = F(0)
            for k in range(nfeatures):
                diff = feature[point, k] - clusters[i, k]
                ans += diff * diff
            if ans < min_dist:
                min_dist = ans
                index = i
        membership[point] = index


def check_kmeans(feature, clusters, membership, npoints, nclusters, nfeatures):
    d = ((feature[:, None].astype(float) - clusters[None]) ** 2).sum(-1)
    chosen = d[np.arange(npoints), membership]
    np.testing.assert_allclose(chosen, d.min(1), rtol=1e-5)


@hg.kernel
def nn_distances(
    locations: DeviceArray[f32, 2], distances: DeviceArray[f32], records: i32, lat: f32, lng: f32
):
    i = int(get_global_id())
    if i < records:
        distances[i] = sqrt(
            (lat - locations[i, 0]) * (lat - locations[i, 0])
            + (lng - locations[i, 1]) * (lng - locations[i, 1])
        )


@njit
def nn_twin(locations, distances, records, lat, lng):
    for i in range(records):
        distances[i] = math.sqrt(
            (lat - locations[i, 0]) * (lat - locations[i, 0])
            + (lng - locations[i, 1]) * (lng - locations[i, 1])
        )


def check_nn(locations, distances, records, lat, lng):
    want = np.hypot(lat - locations[:, 0].astype(float), lng - locations[:, 1].astype(float))
    np.testing.assert_allclose(distances, want, rtol=1e-5)


def programs(rng, small=False):
    rows, cols = (20, 27) if small else (512, 512)
    n = rows * cols
    data = (rng.uniform(70, 90, n).astype(F), rng.random(n, F), np.zeros(n, F), rows, cols)
    data += (F(0.5), F(2), F(3), F(5))
    kernel = hotspot_step[(blocks(cols, 16), blocks(rows, 16)), (16, 16)]
    yield "hotspot", "Rodinia", kernel, hotspot_twin, data, check_hotspot

    rows, cols = (20, 27) if small else (300, 400)
    n = rows * cols
    up, left = np.arange(rows), np.arange(cols)
    sides = (np.maximum(up - 1, 0), np.minimum(up + 1, rows - 1))
    sides += (np.maximum(left - 1, 0), np.minimum(left + 1, cols - 1))
    data = (rng.uniform(0.5, 1, n).astype(F), *(s.astype(np.int32) for s in sides))
    data += (np.zeros((5, n), F), F(0.05), F(0.5), rows, cols, np.zeros(n, F))
    program = Launches(srad, srad_coefficients, srad_update)
    yield "srad", "Rodinia", program, srad_twin, data, check_srad

    n, k, features = (200, 5, 7) if small else (10_000, 16, 34)
    data = (rng.random((n, features), F), rng.random((k, features), F), np.zeros(n, np.int32))
    data += (n, k, features)
    yield "kmeans", "Rodinia", kmeans_assign, kmeans_twin, data, check_kmeans

    n = 500 if small else 200_000
    data = (rng.uniform(0, 90, (n, 2)).astype(F), np.zeros(n, F), n, F(30), F(60))
    yield "nn", "Rodinia", nn_distances, nn_twin, data, check_nn
