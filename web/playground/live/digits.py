from hologram.lang import DeviceArray, exp, f32, fma, get_global_id, u8, u32

CLASSES = 10
FEATURES = 64


def miss(
    x: DeviceArray[u8, 2],
    labels: DeviceArray[u8, 2],
    w: DeviceArray[f32, 2],
    out: DeviceArray[f32, 2],
):
    """For each picture, by how much the chance of each digit is too high."""
    row = get_global_id(0)
    if row < out.shape[0] and row < x.shape[0] and row < labels.shape[0]:
        total: f32 = 0.0
        for c in range(CLASSES):
            score = w[FEATURES, c]
            for k in range(FEATURES):
                score = fma(f32(x[row, k]) / 16.0, w[k, c], score)
            chance = exp(min(score, 80.0))
            total += chance
            out[row, c] = chance
        for c in range(CLASSES):
            right = u32(labels[row, 0]) == c
            out[row, c] = out[row, c] / total - (f32(1.0) if right else f32(0.0))


def learn(x: DeviceArray[u8, 2], out: DeviceArray[f32, 2], rate: f32, w: DeviceArray[f32, 2]):
    """Each weight goes down the slope of the error over all pictures."""
    c = get_global_id(0)
    k = get_global_id(1)
    if c < w.shape[1] and k < w.shape[0] and c < out.shape[1]:
        slope: f32 = 0.0
        for row in range(out.shape[0]):
            feature: f32 = 1.0
            if k < x.shape[1]:
                feature = f32(x[row, k]) / 16.0
            slope = fma(out[row, c], feature, slope)
        w[k, c] = fma(-rate, slope / f32(out.shape[0]), w[k, c])


def recognise(drawn: DeviceArray[f32, 2], w: DeviceArray[f32, 2], scores: DeviceArray[f32, 2]):
    c = get_global_id(0)
    if c < scores.shape[1] and c < w.shape[1]:
        score = w[FEATURES, c]
        for y in range(8):
            for x in range(8):
                score = fma(drawn[y, x] / 16.0, w[y * 8 + x, c], score)
        scores[0, c] = score


def paint(w: DeviceArray[f32, 2], pixels: DeviceArray[u32, 2]):
    """The weights as ten pictures in two rows: red where ink speaks against the digit."""
    x = get_global_id(0)
    y = get_global_id(1)
    if y < pixels.shape[0] and x < pixels.shape[1]:
        c = y // 96 * 5 + x // 96
        k = y % 96 // 12 * 8 + x % 96 // 12
        if c < w.shape[1] and k < w.shape[0]:
            value = w[k, c]
            red = u32(255.0 * min(max(-value, 0.0), 1.0))
            blue = u32(255.0 * min(max(value, 0.0), 1.0))
            pixels[y, x] = red | (red + blue) // 3 << 8 | blue << 16 | u32(0xFF000000)
