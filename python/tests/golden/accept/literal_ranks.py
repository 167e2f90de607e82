import typing
from typing import Literal

from hologram.lang import DeviceArray, f32, get_global_id, inline

RANK = 2
Field = DeviceArray[f32, Literal[2]]


@inline
def corner(a: DeviceArray[f32, typing.Literal[2]]):
    return a[0, 0]


def k(a: DeviceArray[f32, Literal[2]], b: "DeviceArray[f32, Literal[RANK + 1]]", c: Field, d: DeviceArray[f32, Literal[1]]):
    i = get_global_id()
    if i < 4:
        d[i] = corner(a) + b[0, 0, 0] + c[0, 1]
