"""out[r, c] = src[r, columns - 1 - c]: every row turned around.

Arrays: src, out f32[rows * columns].
Launch: one block of 64 lanes per row.
Accuracy: exact; NaN keeps its payload.

A lane starts at its id and goes on in steps of 64, which is proved to keep the lanes of a block apart.
"""

from hologram.lang import DeviceArray, f32, get_block_id, get_local_id, kernel, u32


@kernel(block=64)
def reverse_rows(src: DeviceArray[f32], out: DeviceArray[f32], columns: u32):
    row = get_block_id() * columns
    for j in range(get_local_id(), columns, 64):
        out[row + j] = src[row + columns - 1 - j]
