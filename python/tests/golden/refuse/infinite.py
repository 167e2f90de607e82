import math

import numpy as np
from hologram.lang import DeviceArray, f32, inf

TOO_LARGE = 1e308 * 10.0
SUM = inf + 1.0


def k(a: DeviceArray[f32]):
    a[0] = TOO_LARGE
    a[0] = SUM
    a[0] = math.phi
    a[0] = float("infinite")
    a[0] = f32("inf")
    a[0] = inf(1.0)
    a[0] = 1e999
    np = 1.0
    a[0] = np.inf
    a[0] = math
