"""out[i] = the sum of the elements of i's block up to src[i], by the fixed scan of block_scan_add.

Arrays: src, out f32[n].
Launch: one lane per element, blocks of any size.
Accuracy: |error| <= log2(block) * 2^-24 * the sum of all |src| of the block up to i.
"""

from hologram.lang import DeviceArray, block_scan_add, f32, get_global_id, u32


def block_prefix(src: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    total = block_scan_add(src[i] if i < n else 0.0)
    if i < n:
        out[i] = total
