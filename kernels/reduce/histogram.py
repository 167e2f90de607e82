"""counts[v] = how many of data are v.

Arrays: data u8[n]; counts u32[256], added to.
Launch: one lane per element of data.
Accuracy: exact; integer atomics commute, so the order of lanes does not matter.
"""

from hologram.lang import DeviceArray, atomic_add, get_global_id, u8, u32


def histogram(data: DeviceArray[u8], counts: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n:
        atomic_add(counts, data[i], 1)
