"""Kernels of neural networks, against binary64 within the documented bounds, and of the digits
program, bit for bit."""

from __future__ import annotations

import numpy as np
from case import LONG, Case, Cases, Expected, Raw, Step, Ulp, Within, covers
from inputs import F, cover, floats, random, softmax

EPSILON = 2.0**-24
ROWS = ((1, 1), (3, 7), (2, 256), (5, 300), (2, 5000))


def by_rows(kernel: str, rows: int) -> list[Step]:
    return [Step(kernel, (rows,), (64,))]


def row_case(kernel: str, x: np.ndarray, expected: Expected, **more: object) -> Case:
    arrays = {"x": x, "y": np.zeros(x.size, F)}
    arrays |= {k: v for k, v in more.items() if isinstance(v, np.ndarray)}
    scalars = {k: v for k, v in more.items() if not isinstance(v, np.ndarray)}
    return Case(
        arrays, {"columns": x.shape[1], **scalars}, by_rows(kernel, len(x)), {"y": expected}
    )


@covers("nn/softmax")
def softmax_rows() -> Cases:
    for rows, columns in ROWS:
        x = floats(rows * columns, -20, 20).reshape(rows, columns)
        exact = softmax(x.astype(LONG), axis=1)
        spread = x.max(axis=1, keepdims=True) - x
        yield row_case("softmax", x, Ulp(exact, 7 + spread + columns / 64))
    for row in ([1, 2, 3], [10, 20, 30], [1, 2, 3, 4], [1000, 1001, 1006], [-np.inf, 0, 1]):
        x = np.array([row], F)
        yield row_case("softmax", x, Ulp(softmax(x.astype(LONG), axis=1), 6.0))
    x = np.array([[1, np.nan, 2], [1, 2, 3], [np.inf, 2, 3]], F)
    wide = softmax(x.astype(LONG), axis=1)
    wide[[0, 2]] = np.nan
    wide[2, 1:] = np.nan
    yield row_case("softmax", x, Ulp(wide, 8.0))


@covers("nn/log_softmax")
def log_softmax() -> Cases:
    for rows, columns in ROWS:
        x = floats(rows * columns, -20, 20).reshape(rows, columns)
        wide = x.astype(np.float64)
        top = np.abs(wide.max(axis=1, keepdims=True))
        bound = 2.0**-23 * (np.abs(wide) + top + 8 + columns / 64)
        off = wide - wide.max(axis=1, keepdims=True)
        exact = off - np.log(np.exp(off).sum(axis=1, keepdims=True))
        yield row_case("log_softmax", x, Within(exact, bound))


def normalised(wide: np.ndarray, epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    mean = wide.mean(axis=1, keepdims=True)
    deviation = np.sqrt(wide.var(axis=1, keepdims=True) + epsilon)
    return (wide - mean) / deviation, np.abs(wide).max(axis=1, keepdims=True) / deviation


@covers("nn/layer_norm")
def layer_norm() -> Cases:
    for rows, columns in ROWS:
        for shift in (0, 100):
            x = (floats(rows * columns) + F(shift)).reshape(rows, columns)
            gamma, beta = floats(columns, key="gamma"), floats(columns, key="beta")
            epsilon = float(F(1e-5))
            centred, reach = normalised(x.astype(np.float64), epsilon)
            bound = (24 + columns / 32) * EPSILON * (np.abs(gamma) * reach + np.abs(beta))
            exact = Within(centred * gamma + beta, bound)
            yield row_case("layer_norm", x, exact, gamma=gamma, beta=beta, epsilon=epsilon)


@covers("nn/rms_norm")
def rms_norm() -> Cases:
    for rows, columns in ROWS:
        x = floats(rows * columns).reshape(rows, columns)
        gamma, epsilon = floats(columns, key="gamma"), float(F(1e-6))
        wide = x.astype(LONG)
        exact = wide / np.sqrt((wide**2).mean(axis=1, keepdims=True) + epsilon) * gamma
        bound = 8 + columns / 64
        yield row_case("rms_norm", x, Ulp(exact, bound), gamma=gamma, epsilon=epsilon)


@covers("nn/batch_norm")
def batch_norm() -> Cases:
    for batch, channels, pixels in ((1, 1, 1), (3, 5, 7), (2, 3, 600)):
        x = (floats(batch * channels * pixels) + F(2)).reshape(batch, channels, pixels)
        wide, epsilon = x.astype(np.float64), float(F(1e-5))
        gamma, beta = floats(channels, key="gamma"), floats(channels, key="beta")
        mean = wide.mean(axis=(0, 2))
        variance = wide.var(axis=(0, 2))
        deviation = np.sqrt(variance + epsilon)[None, :, None]
        exact = gamma[None, :, None] * (wide - mean[None, :, None]) / deviation
        exact += beta[None, :, None]
        reach = (np.abs(wide) + np.abs(mean)[None, :, None]) / deviation
        size = np.abs(gamma)[None, :, None] * reach + np.abs(beta)[None, :, None]
        sums = (12 + batch * (pixels / 256 + 1)) * EPSILON
        arrays = {
            "x": x, "gamma": gamma, "beta": beta, "mean": np.zeros(channels, F),
            "variance": np.zeros(channels, F), "y": np.zeros(x.size, F),
        }  # fmt: skip
        scalars = {"batch": batch, "channels": channels, "pixels": pixels, "epsilon": epsilon}
        steps = [
            Step("batch_norm_statistics", (channels,), (256,)),
            Step("batch_norm", *cover(pixels, channels, batch)),
        ]
        expected = {
            "mean": Within(mean, sums * np.abs(wide).mean(axis=(0, 2))),
            "variance": Within(variance, sums * (wide**2).mean(axis=(0, 2))),
            "y": Within(exact, 8 * EPSILON * size + sums * size * 2),
        }
        yield Case(arrays, scalars, steps, expected)


@covers("nn/embedding")
def embedding() -> Cases:
    for entries, width, n in ((1, 1, 1), (10, 70, 33), (300, 5, 1000)):
        table = floats(entries * width).reshape(entries, width)
        ids = random(entries, n).integers(0, entries, n).astype(np.uint32)
        arrays = {"table": table, "ids": ids, "out": np.zeros(n * width, F)}
        steps = [Step("embedding", *cover(width, n))]
        yield Case(arrays, {"width": width, "n": n}, steps, {"out": Raw(table[ids])})
    ids = ids.copy()
    ids[[3, 500]] = entries
    arrays = arrays | {"ids": ids}
    fault = f"reads element {entries * width} of {entries * width}"
    yield Case(arrays, {"width": width, "n": n}, steps, {}, fault)


@covers("nn/one_hot")
def one_hot() -> Cases:
    for n, classes in ((1, 1), (33, 70), (1000, 3)):
        ids = random(n, classes).integers(0, classes + 1, n).astype(np.uint32)
        expected = np.eye(classes + 1, dtype=F)[ids][:, :classes]
        arrays = {"ids": ids, "out": np.ones(n * classes, F)}
        steps = [Step("one_hot", *cover(classes, n))]
        scalars = {"n": n, "classes": classes}
        yield Case(arrays, scalars, steps, {"out": np.ascontiguousarray(expected)})


# (batch, channels, height, width, filters, size, stride, padding, dilation)
CONVOLUTIONS = (
    (1, 1, 1, 1, 1, 1, 1, 0, 1),
    (2, 3, 9, 70, 4, 3, 1, 1, 1),
    (1, 2, 11, 13, 3, 5, 2, 2, 1),
    (2, 2, 12, 9, 2, 3, 1, 2, 2),
    (1, 1, 8, 8, 1, 2, 3, 0, 3),
)


@covers("nn/conv2d")
def conv2d() -> Cases:
    for batch, channels, height, width, filters, size, stride, padding, dilation in CONVOLUTIONS:
        src = floats(batch * channels * height * width, key="src")
        src = src.reshape(batch, channels, height, width)
        weights = floats(filters * channels * size * size, key="weights")
        weights = weights.reshape(filters, channels, size, size)
        bias = floats(filters, key="bias")
        reach = dilation * (size - 1) + 1
        out_height = (height + 2 * padding - reach) // stride + 1
        out_width = (width + 2 * padding - reach) // stride + 1
        edge = ((0, 0), (0, 0), (padding, padding), (padding, padding))
        padded = np.pad(src.astype(np.float64), edge)
        exact = np.zeros((batch, filters, out_height, out_width)) + bias[None, :, None, None]
        bound = np.abs(exact)
        for v in range(size):
            for u in range(size):
                rows = slice(v * dilation, v * dilation + (out_height - 1) * stride + 1, stride)
                columns = slice(u * dilation, u * dilation + (out_width - 1) * stride + 1, stride)
                window = padded[:, :, rows, columns]
                exact = exact + np.einsum("bchw,oc->bohw", window, weights[:, :, v, u])
                absolute = np.abs(weights[:, :, v, u])
                bound = bound + np.einsum("bchw,oc->bohw", np.abs(window), absolute)
        arrays = {"src": src, "weights": weights, "bias": bias, "out": np.zeros(exact.size, F)}
        scalars = {
            "batch": batch, "channels": channels, "height": height, "width": width,
            "filters": filters, "size": size, "stride": stride, "padding": padding,
            "dilation": dilation, "out_height": out_height, "out_width": out_width,
        }  # fmt: skip
        steps = [Step("conv2d", *cover(out_width, out_height, batch * filters))]
        near = Within(exact, (channels * size * size + 1) * EPSILON * bound)
        yield Case(arrays, scalars, steps, {"out": near})


def pools(kernel: str, reduce) -> Cases:
    for planes, height, width, size, stride, padding in (
        (1, 1, 1, 1, 1, 0), (3, 9, 70, 3, 2, 1), (2, 8, 8, 2, 2, 0), (1, 7, 5, 4, 3, 3),
    ):  # fmt: skip
        src = floats(planes * height * width).reshape(planes, height, width)
        out_height = (height + 2 * padding - size) // stride + 1
        out_width = (width + 2 * padding - size) // stride + 1
        out = np.zeros((planes, out_height, out_width), np.float64)
        for y in range(out_height):
            for x in range(out_width):
                rows = slice(max(y * stride - padding, 0), y * stride - padding + size)
                columns = slice(max(x * stride - padding, 0), x * stride - padding + size)
                out[:, y, x] = reduce(src[:, rows, columns].astype(np.float64))
        arrays = {"src": src, "out": np.zeros(out.size, F)}
        scalars = {
            "planes": planes, "height": height, "width": width, "size": size, "stride": stride,
            "padding": padding, "out_height": out_height, "out_width": out_width,
        }  # fmt: skip
        steps = [Step(kernel, *cover(out_width, out_height, planes))]
        if kernel == "max_pool2d":
            yield Case(arrays, scalars, steps, {"out": out.astype(F)})
        else:
            near = Within(out, (size * size + 1) * EPSILON * 3)
            yield Case(arrays, scalars, steps, {"out": near})


@covers("nn/max_pool2d")
def max_pool2d() -> Cases:
    yield from pools("max_pool2d", lambda window: window.max(axis=(1, 2)))


@covers("nn/average_pool2d")
def average_pool2d() -> Cases:
    yield from pools("average_pool2d", lambda window: window.mean(axis=(1, 2)))


def losses(name: str, target: str, exact, bound, **more: float) -> Cases:
    for n in (1, 255, 5000, 100_001):
        prediction = floats(n, 0, 1, "prediction")
        goal = floats(n, 0, 1, "target") if target == "any" else np.round(floats(n, 0, 1, "target"))
        if more:
            prediction[:3] = np.array([0, 1, 0.5], F)[: min(n, 3)]
        blocks = -(-n // 4096)
        arrays = {
            "prediction": prediction, "target": goal, "partial": np.zeros(blocks, F),
            "loss": np.zeros(1, F),
        }  # fmt: skip
        steps = [Step(f"{name}_partial", (blocks,), (256,)), Step(name, (1,), (256,))]
        value = exact(prediction.astype(np.float64), goal.astype(np.float64))
        scalars = {"n": n, "blocks": blocks, "count": n, **more}
        near = Within(np.array([value]), bound(value, blocks))
        yield Case(arrays, scalars, steps, {"loss": near})


@covers("loss/mse")
def mse() -> Cases:
    yield from losses(
        "mse", "any", lambda p, t: ((p - t) ** 2).mean(),
        lambda value, blocks: (36 + blocks / 256) * EPSILON * value,
    )  # fmt: skip


@covers("loss/cross_entropy")
def cross_entropy() -> Cases:
    epsilon = float(F(1e-7))
    yield from losses(
        "cross_entropy", "any", lambda p, t: -(t * np.log(np.maximum(p, epsilon))).mean(),
        lambda value, blocks: (36 + blocks / 256) * EPSILON * value, epsilon=epsilon,
    )  # fmt: skip


@covers("loss/binary_cross_entropy")
def binary_cross_entropy() -> Cases:
    epsilon = float(F(1e-7))
    top = float(F(1) - F(1e-7))

    def exact(p: np.ndarray, t: np.ndarray) -> float:
        p = np.clip(p, epsilon, top)
        return -(t * np.log(p) + (1 - t) * np.log1p(-p)).mean()

    yield from losses(
        "binary_cross_entropy", "hard", exact,
        lambda value, blocks: (40 + blocks / 256) * EPSILON * (value + 1), epsilon=epsilon,
    )  # fmt: skip
