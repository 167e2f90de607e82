from typing import Literal

from hologram.lang import DeviceArray, f32


def k(a: DeviceArray[f32, Literal[0]], b: DeviceArray[f32, Literal[1, 2]], c: DeviceArray[f32, Literal["2"]], d: DeviceArray[Literal[2]], e: DeviceArray[f32, Final[2]]):
    a[0] = 1.0
