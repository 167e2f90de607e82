from hologram.lang import DeviceArray, get_global_id, u8, u32


def seed(cells: DeviceArray[u8, 2], start: u32):
    x = get_global_id(0)
    y = get_global_id(1)
    if y < cells.shape[0] and x < cells.shape[1]:
        h = (y * u32(40503) + x) * u32(2654435761) + start
        h = (h ^ h >> 15) * u32(2246822519)
        h = (h ^ h >> 13) * u32(3266489917)
        cells[y, x] = u8(1) if h >> 24 < 90 else u8(0)


def step(now: DeviceArray[u8, 2], then: DeviceArray[u8, 2], pixels: DeviceArray[u32, 2]):
    x = get_global_id(0)
    y = get_global_id(1)
    height = now.shape[0]
    width = now.shape[1]
    if y < height and x < width:
        up = y - 1 if y > 0 else height - 1
        down = y + 1 if y + 1 < height else u32(0)
        left = x - 1 if x > 0 else width - 1
        right = x + 1 if x + 1 < width else u32(0)
        around = u32(now[up, left]) + u32(now[up, x]) + u32(now[up, right])
        around += u32(now[y, left]) + u32(now[y, right])
        around += u32(now[down, left]) + u32(now[down, x]) + u32(now[down, right])
        alive = around == 3 or (around == 2 and now[y, x] == 1)
        then[y, x] = u8(1) if alive else u8(0)
        pixels[y, x] = u32(0xFF9BF0C8) if alive else u32(0xFF3A1E16)
