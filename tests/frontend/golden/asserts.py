# Assertions: of comparisons, of conditions that are evaluated as far as needed, of a bool.
from hologram.lang import DeviceArray, f32, get_global_id, u32


def positive(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        assert x[i] > 0.0, "weights are positive"
        y[i] = 1.0 / x[i]


def several(x: DeviceArray[u32], n: u32):
    i = get_global_id()
    known = i < n
    assert known
    assert n > 2 and x[i] < n or i == 0
    assert False
