from typing import Final

from hologram.lang import DeviceArray, f32

BLOCK = 256
HALF = BLOCK // 2
MASK = (1 << 8) - 1
SCALE = 2.0**-3
THIRD = 1 / 3
LIMIT = 2**64 - 1
NEGATIVE = -(5 % 3)
DEBUG = not False
TILE: Final[int] = 16 | 1
WIDTH: int = ~0 & 0xF ^ 3 >> 1
UNUSED = [1, 2, 3]


def constants(a: DeviceArray[f32]):
    a[0] = SCALE * BLOCK + HALF
