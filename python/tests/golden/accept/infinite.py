import math
from math import inf as unbounded

import hologram as hg
import numpy as np
from hologram.lang import DeviceArray, constexpr, f32, nan

LEAST = -unbounded
nowhere = float("NaN")


def k(a: DeviceArray[f32], limit: constexpr = math.inf):
    a[0] = inf
    a[1] = -nan
    a[2] = LEAST
    a[3] = float("-Infinity")
    a[4] = math.inf + np.nan
    a[5] = limit
    a[6] = hg.inf


def shadowed(a: DeviceArray[f32], inf: f32):
    nan = 1.0
    a[0] = inf + nan
