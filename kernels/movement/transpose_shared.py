"""dst = transpose of src, by tiles of 16 x 16 in shared memory.

Arrays: src f32[height * width], dst f32[width * height], row-major.
Launch: blocks of (16, 16), lanes over (width, height).
Accuracy: exact, bit for bit.

Both the reads and the writes of neighbouring lanes are of neighbouring elements; the turn happens in
the tile. From a few hundred rows on this is several times faster than `transpose`, on a CPU too.
"""

from hologram.lang import (
    DeviceArray,
    barrier,
    f32,
    get_block_id,
    get_global_id,
    get_local_id,
    shared,
    u32,
)

TILE = 16


def transpose_shared(src: DeviceArray[f32], dst: DeviceArray[f32], width: u32, height: u32):
    tile = shared(f32, TILE * TILE)
    lane = get_local_id(0)
    row = get_local_id(1)
    x = get_global_id(0)
    y = get_global_id(1)
    if x < width and y < height:
        tile[row * TILE + lane] = src[y * width + x]
    barrier()
    new_row = get_block_id(0) * TILE + row
    new_column = get_block_id(1) * TILE + lane
    if new_row < width and new_column < height:
        dst[new_row * height + new_column] = tile[lane * TILE + row]
