# Bytes, not characters; text on one line; comments inside an index are dropped.
from hologram.lang import DeviceArray, f32, u32


def positions(größe: DeviceArray[f32], n: u32):
    größe[n] = größe[n + 1]
    größe[0] = größe[
        n  # of the last
        + 2
    ]
