"""solved[v] = the value closest to variables[v] that satisfies all bounds of v.

Arrays: variables, solved f32[n]; bounds f32[n * m], row-major; satisfied u32[n]; conflicts u32[1], added
to.
Launch: one lane per variable.
Accuracy: exact.

A bound w > 0 wants x >= w, a bound w < 0 wants x <= -w, and 0 wants nothing. Where the bounds of a variable
contradict each other, it stays as it is, satisfied[v] is 0 and conflicts counts it.
"""

from hologram.lang import DeviceArray, atomic_add, f32, get_global_id, max, min, u32


def satisfy_bounds(
    variables: DeviceArray[f32],
    bounds: DeviceArray[f32],
    solved: DeviceArray[f32],
    satisfied: DeviceArray[u32],
    conflicts: DeviceArray[u32],
    n: u32,
    m: u32,
):
    v = get_global_id()
    if v < n:
        low: f32 = 0.0  # 0: no such bound, all others are above it
        high: f32 = 0.0
        for c in range(m):
            w = bounds[v * m + c]
            if w > 0.0:
                low = max(low, w)
            if w < 0.0:
                high = -w if high == 0.0 else min(high, -w)
        x = variables[v]
        if high > 0.0 and low > high:
            satisfied[v] = 0
            atomic_add(conflicts, 0, 1)
        else:
            satisfied[v] = 1
            if low > 0.0:
                x = max(x, low)
            if high > 0.0:
                x = min(x, high)
        solved[v] = x
