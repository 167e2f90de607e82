"""Edge magnitude of a grey picture: min(255, |gx| + |gy|) with the 3 x 3 Sobel operator; 0 on the rim.

Arrays: src, dst u8[height * width].
Launch: lanes over (width, height).
Accuracy: exact.
"""

from hologram.lang import DeviceArray, abs, get_global_id, i32, min, u8, u32


def sobel(src: DeviceArray[u8], dst: DeviceArray[u8], width: u32, height: u32):
    x = get_global_id(0)
    y = get_global_id(1)
    if x < width and y < height:
        i = y * width + x
        if x > 0 and x + 1 < width and y > 0 and y + 1 < height:
            above = i - width
            below = i + width
            nw = i32(src[above - 1])
            n = i32(src[above])
            ne = i32(src[above + 1])
            w = i32(src[i - 1])
            e = i32(src[i + 1])
            sw = i32(src[below - 1])
            s = i32(src[below])
            se = i32(src[below + 1])
            gx = ne + 2 * e + se - nw - 2 * w - sw
            gy = sw + 2 * s + se - nw - 2 * n - ne
            dst[i] = u8(min(abs(gx) + abs(gy), 255))
        else:
            dst[i] = 0
