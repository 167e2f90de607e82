"""out[i] = the median of src[i - 2 .. i + 2], by insertion into an array of the lane's own.

Arrays: src, out f32[n].
Launch: one lane per element.
Accuracy: exact; the two elements at either end are left as they are in out.
"""

from hologram.lang import DeviceArray, f32, get_global_id, local, u32


def median5(src: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    window = local(f32, 5)
    i = get_global_id()
    if i >= 2 and i + 2 < n:
        for k in range(5):
            x = src[i + k - 2]
            j = k
            while j > 0 and window[j - 1] > x:
                window[j] = window[j - 1]
                j = j - 1
            window[j] = x
        out[i] = window[2]
