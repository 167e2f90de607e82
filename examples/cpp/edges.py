"""Edges of a photograph in three kernels, of which only the first and the last touch bytes."""

from hologram.lang import DeviceArray, f32, get_global_id, max, min, sqrt, u8


def blur(src: DeviceArray[u8, 2], dst: DeviceArray[f32, 2]):
    """A Gaussian of 3 x 3, weights 1 2 1; the rim is repeated outwards."""
    x = get_global_id(0)
    y = get_global_id(1)
    height = src.shape[0]
    width = src.shape[1]
    if x < width and y < height:
        left = max(x, 1) - 1
        right = min(x + 1, width - 1)
        total: f32 = 0.0
        for k in range(3):
            row = min(max(y + k, 1) - 1, height - 1)
            line = f32(src[row, left]) + 2.0 * f32(src[row, x]) + f32(src[row, right])
            total += 2.0 * line if k == 1 else line
        dst[y, x] = total * 0.0625


def slope(src: DeviceArray[f32, 2], dst: DeviceArray[f32, 2]):
    """The length of the gradient by the 3 x 3 Sobel operator; 0 on the rim."""
    x = get_global_id(0)
    y = get_global_id(1)
    if x < src.shape[1] and y < src.shape[0]:
        dst[y, x] = 0.0
        if x > 0 and x + 1 < src.shape[1] and y > 0 and y + 1 < src.shape[0]:
            gx: f32 = 0.0
            gy: f32 = 0.0
            for k in range(3):
                weight = 2.0 if k == 1 else 1.0
                gx += weight * (src[y + k - 1, x + 1] - src[y + k - 1, x - 1])
                gy += weight * (src[y + 1, x + k - 1] - src[y - 1, x + k - 1])
            dst[y, x] = sqrt(gx * gx + gy * gy)


def threshold(src: DeviceArray[f32, 2], dst: DeviceArray[u8, 2], limit: f32):
    """White where it is steep."""
    x = get_global_id(0)
    y = get_global_id(1)
    if x < src.shape[1] and y < src.shape[0]:
        dst[y, x] = 255 if src[y, x] > limit else 0
