"""The kernels of the digits program, bit for bit where only IEEE operations are used."""

from __future__ import annotations

import numpy as np
from case import Case, Cases, Step, Within, covers
from inputs import F, cover, floats, random, softmax

COUNT, PIXELS, CLASSES = 77, 64, 10


@covers("nn/digits")
def digits() -> Cases:
    raw = random("raw").integers(0, 17, COUNT * PIXELS).astype(np.uint8)
    x = raw.astype(F) * F(0.0625)
    arrays = {"raw": raw, "x": np.zeros(raw.size, F)}
    yield Case(arrays, {"n": raw.size}, [Step("normalise")], {"x": x})
    shape = {"count": COUNT, "pixels": PIXELS, "classes": CLASSES}
    pictures = x.reshape(COUNT, PIXELS)
    turned = np.ascontiguousarray(pictures.T)
    arrays = {"x": x, "x_t": np.zeros(x.size, F)}
    yield Case(arrays, shape, [Step("transpose_pictures", *cover(COUNT, PIXELS))], {"x_t": turned})
    weights, bias = floats(CLASSES * PIXELS, key="weights"), floats(CLASSES, key="bias")
    yield from prediction(shape, turned, weights.reshape(CLASSES, PIXELS), bias)
    yield from training(shape, pictures, weights.reshape(CLASSES, PIXELS), bias)
    yield from drawing(weights)


def prediction(shape: dict, turned: np.ndarray, weights: np.ndarray, bias: np.ndarray) -> Cases:
    scores = np.repeat(bias[:, None], COUNT, 1)
    for d in range(PIXELS):
        scores = scores + weights[:, d : d + 1] * turned[d : d + 1]
    arrays = {"x_t": turned, "weights": weights, "bias": bias, "scores_t": np.zeros(scores.size, F)}
    yield Case(arrays, shape, [Step("logits", *cover(COUNT, CLASSES))], {"scores_t": scores})
    best = scores.argmax(0).astype(np.uint8)
    arrays = {"scores_t": scores, "predictions": np.zeros(COUNT, np.uint8)}
    one_each = cover(COUNT, block=(256,))
    yield Case(arrays, shape, [Step("classify", *one_each)], {"predictions": best})
    labels = random("labels").integers(0, CLASSES, COUNT).astype(np.uint8)
    matrix = np.zeros((CLASSES, CLASSES), np.uint32)
    np.add.at(matrix, (labels, best), 1)
    arrays = {"predictions": best, "labels": labels, "matrix": np.zeros(matrix.size, np.uint32)}
    yield Case(arrays, shape, [Step("confusion", *one_each)], {"matrix": matrix})
    wide = softmax(scores.astype(np.float64), axis=0)
    wide[labels, np.arange(COUNT)] -= 1
    arrays = {"scores_t": scores, "labels": labels, "error_t": np.zeros(scores.size, F)}
    near = {"error_t": Within(wide, 16 * 2.0**-24)}
    yield Case(arrays, shape, [Step("softmax_error", *one_each)], near)


def training(shape: dict, pictures: np.ndarray, weights: np.ndarray, bias: np.ndarray) -> Cases:
    error = floats(CLASSES * COUNT, -1, 1).reshape(CLASSES, COUNT)
    gradient, level = np.zeros((CLASSES, PIXELS), F), np.zeros(CLASSES, F)
    for n in range(COUNT):
        gradient = gradient + error[:, n : n + 1] * pictures[n : n + 1]
        level = level + error[:, n]
    moved = weights - F(0.5) * (gradient / F(COUNT) + F(0.25) * weights)
    scalars = dict(shape, rate=0.5, decay=0.25)
    arrays = {"error_t": error, "x": pictures, "weights": weights}
    steps = [Step("update_weights", *cover(PIXELS, CLASSES))]
    yield Case(arrays, scalars, steps, {"weights": moved})
    expected = {"bias": bias - F(0.5) * level / F(COUNT)}
    steps = [Step("update_bias", *cover(CLASSES))]
    yield Case({"error_t": error, "bias": bias}, scalars, steps, expected)


def drawing(weights: np.ndarray) -> Cases:
    zoom = 3
    width, height = CLASSES * 9 * zoom, 9 * zoom
    tiles = np.zeros((9, CLASSES * 9), F)
    for c in range(CLASSES):
        tiles[:8, c * 9 : c * 9 + 8] = F(128) + F(40) * weights[c * 64 : c * 64 + 64].reshape(8, 8)
    shades = np.clip(np.trunc(tiles), 0, 255).astype(np.uint8)
    picture = np.kron(shades, np.ones((zoom, zoom), np.uint8))
    arrays = {"weights": weights, "picture": np.zeros(picture.size, np.uint8)}
    scalars = {"scale": 40.0, "width": width, "height": height, "zoom": zoom}
    steps = [Step("weight_picture", *cover(width, height))]
    yield Case(arrays, scalars, steps, {"picture": picture})
    matrix = random("matrix").integers(0, 30, (CLASSES, CLASSES)).astype(np.uint32)
    largest = int(matrix.max())
    cells = np.trunc(F(255) * matrix.astype(F) / F(largest)).astype(np.uint8)
    picture = np.kron(cells, np.ones((zoom, zoom), np.uint8))
    side = CLASSES * zoom
    arrays = {"matrix": matrix, "picture": np.zeros(picture.size, np.uint8)}
    scalars = {
        "largest": largest, "width": side, "height": side, "zoom": zoom, "classes": CLASSES,
    }  # fmt: skip
    steps = [Step("confusion_picture", *cover(side, side))]
    yield Case(arrays, scalars, steps, {"picture": picture})
