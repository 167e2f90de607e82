"""Softmax regression on small pictures: everything numeric of the digits program.

Arrays: `count` pictures of `pixels` values, u8 0 .. 16 at first, and `classes` classes; see each kernel.
Launch: as each kernel says.
Accuracy: sums run in a fixed order, each step rounded; exp is within 1 ulp.

Matrices that lanes walk along the pictures are stored transposed ("_t"): feature-major, so that
neighbouring lanes read neighbouring elements. Every run gives the same bits.
"""

from hologram.lang import DeviceArray, atomic_add, exp, f32, get_global_id, max, u8, u32


def normalise(raw: DeviceArray[u8], x: DeviceArray[f32], n: u32):
    """x = raw / 16, f32[n]."""
    i = get_global_id()
    if i < n:
        x[i] = f32(raw[i]) * 0.0625


def transpose_pictures(x: DeviceArray[f32], x_t: DeviceArray[f32], pixels: u32, count: u32):
    """x_t[pixels][count] = x[count][pixels]; launch over (count, pixels)."""
    n = get_global_id(0)
    d = get_global_id(1)
    if n < count and d < pixels:
        x_t[d * count + n] = x[n * pixels + d]


def logits(
    x_t: DeviceArray[f32],
    weights: DeviceArray[f32],
    bias: DeviceArray[f32],
    scores_t: DeviceArray[f32],
    count: u32,
    pixels: u32,
    classes: u32,
):
    """scores_t[classes][count] = weights[classes][pixels] . x_t + bias; launch over (count, classes)."""
    n = get_global_id(0)
    c = get_global_id(1)
    if n < count and c < classes:
        total = bias[c]
        for d in range(pixels):
            total += weights[c * pixels + d] * x_t[d * count + n]
        scores_t[c * count + n] = total


def softmax_error(
    scores_t: DeviceArray[f32],
    labels: DeviceArray[u8],
    error_t: DeviceArray[f32],
    count: u32,
    classes: u32,
):
    """error_t = softmax(scores over classes) - one_hot(label); one lane per picture."""
    n = get_global_id()
    if n < count:
        top = scores_t[n]
        for c in range(1, classes):
            top = max(top, scores_t[c * count + n])
        total: f32 = 0.0
        for c in range(classes):
            total += exp(scores_t[c * count + n] - top)
        scale = 1.0 / total
        label = u32(labels[n])
        for c in range(classes):
            hit: f32 = 1.0 if label == c else 0.0
            error_t[c * count + n] = exp(scores_t[c * count + n] - top) * scale - hit


def update_weights(
    error_t: DeviceArray[f32],
    x: DeviceArray[f32],
    weights: DeviceArray[f32],
    rate: f32,
    decay: f32,
    count: u32,
    pixels: u32,
    classes: u32,
):
    """weights -= rate * (mean over pictures of error * x + decay * weights); launch over (pixels, classes)."""
    d = get_global_id(0)
    c = get_global_id(1)
    if d < pixels and c < classes:
        gradient: f32 = 0.0
        for n in range(count):
            gradient += error_t[c * count + n] * x[n * pixels + d]
        w = weights[c * pixels + d]
        weights[c * pixels + d] = w - rate * (gradient / f32(count) + decay * w)


def update_bias(
    error_t: DeviceArray[f32], bias: DeviceArray[f32], rate: f32, count: u32, classes: u32
):
    """bias -= rate * mean over pictures of error; one lane per class."""
    c = get_global_id()
    if c < classes:
        gradient: f32 = 0.0
        for n in range(count):
            gradient += error_t[c * count + n]
        bias[c] = bias[c] - rate * gradient / f32(count)


def classify(scores_t: DeviceArray[f32], predictions: DeviceArray[u8], count: u32, classes: u32):
    """predictions[n] = the class with the largest score, the first of equals; one lane per picture."""
    n = get_global_id()
    if n < count:
        best: u32 = 0
        top = scores_t[n]
        for c in range(1, classes):
            score = scores_t[c * count + n]
            if score > top:
                top = score
                best = c
        predictions[n] = u8(best)


def confusion(
    predictions: DeviceArray[u8],
    labels: DeviceArray[u8],
    matrix: DeviceArray[u32],
    count: u32,
    classes: u32,
):
    """matrix[label][prediction] counts pictures; one lane per picture."""
    n = get_global_id()
    if n < count:
        atomic_add(matrix, u32(labels[n]) * classes + u32(predictions[n]), 1)


def weight_picture(
    weights: DeviceArray[f32],
    picture: DeviceArray[u8],
    scale: f32,
    width: u32,
    height: u32,
    zoom: u32,
):
    """Grey picture of ten 8 x 8 weight tiles in a row, each pixel `zoom` wide: 128 + scale * weight.

    Launch over (width, height) with width = 10 * 9 * zoom and height = 9 * zoom; the rim of a tile is
    black.
    """
    x = get_global_id(0)
    y = get_global_id(1)
    if x < width and y < height:
        column = x // zoom
        row = y // zoom
        tile = column // 9
        across = column % 9
        shade: f32 = 0.0
        if across < 8 and row < 8:
            shade = 128.0 + scale * weights[tile * 64 + row * 8 + across]
        picture[y * width + x] = u8(shade)


def confusion_picture(
    matrix: DeviceArray[u32],
    picture: DeviceArray[u8],
    largest: u32,
    width: u32,
    height: u32,
    zoom: u32,
    classes: u32,
):
    """Grey picture of the confusion matrix, rows are labels: 255 * count / largest, each cell `zoom` wide."""
    x = get_global_id(0)
    y = get_global_id(1)
    if x < width and y < height:
        cell = matrix[(y // zoom) * classes + x // zoom]
        picture[y * width + x] = u8(255.0 * f32(cell) / f32(largest))
