import math
import numpy as np
from os import path

import hologram.lang as lang
from hologram.lang import DeviceArray, exp, f32, u32

NAME = "text"
TABLE = [1, 2]
HUGE = 9**9**9
ZERO = 1 // 0
TYPED: f32 = 0.5
TWICE = 1
TWICE = 2
if NAME:
    LATER = 1
for count in range(3):
    pass


class Config:
    size = 4


def square(x):
    return x * x


def other(a: DeviceArray[f32]):
    a[0] = 1.0


def k(a: DeviceArray[f32], n: u32):
    a[0] = np.exp(a[1])
    a[0] = math.e10
    a[0] = lang.exp_(a[1])
    a[0] = path
    a[0] = NAME
    a[0] = TABLE[1]
    a[0] = HUGE
    a[0] = ZERO
    a[0] = TYPED
    a[0] = TWICE
    a[0] = LATER
    a[0] = count
    a[0] = Config.size
    a[0] = square(a[1])
    other(a)
