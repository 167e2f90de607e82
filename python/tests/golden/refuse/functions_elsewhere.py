# Names that other systems have for what the language has.
import math

import numpy as np

from hologram.lang import DeviceArray, f32, u32


def k(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    x[0] = iif(y[0] > 0.0, 1.0, 2.0)
    x[1] = np.where(y[0] > 0.0, 1.0, 2.0)
    x[2] = absolute(y[0])
    x[3] = math.fabs(y[0])
    x[4] = np.clip(y[0], 0.0, 1.0)
    x[5] = ln(y[0])
    x[6] = math.asin(y[0])
    x[7] = tgamma(y[0])
    x[8] = np.random.rand()
    x[9] = popcount(n)
    syncthreads()
