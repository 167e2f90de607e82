from hologram.lang import DeviceArray, get_global_id, u32


def life(now: DeviceArray[u32], then: DeviceArray[u32], width: u32, height: u32):
    x = get_global_id(0)
    y = get_global_id(1)
    if x < width and y < height:
        count: u32 = 0
        for dy in range(3):
            for dx in range(3):
                column = (x + width + dx - 1) % width
                row = (y + height + dy - 1) % height
                count += now[row * width + column]
        cell = now[y * width + x]
        neighbours = count - cell
        lives = neighbours == 3 or (neighbours == 2 and cell == 1)
        then[y * width + x] = 1 if lives else 0
