"""a and b = the parts of each row of src: the first columns_a elements, and the columns_b after them.

Arrays: src f32[rows * (columns_a + columns_b)], a f32[rows * columns_a], b f32[rows * columns_b].
Launch: lanes over (columns_a + columns_b, rows).
Accuracy: exact, bit for bit.

For an axis in the middle, `rows` is the product of the sizes before it, and `columns` the product of
those from it on.
"""

from hologram.lang import DeviceArray, f32, get_global_id, u32


def split(
    src: DeviceArray[f32],
    a: DeviceArray[f32],
    b: DeviceArray[f32],
    rows: u32,
    columns_a: u32,
    columns_b: u32,
):
    j = get_global_id(0)
    i = get_global_id(1)
    if i < rows and j < columns_a + columns_b:
        v = src[i * (columns_a + columns_b) + j]
        if j < columns_a:
            a[i * columns_a + j] = v
        else:
            b[i * columns_b + (j - columns_a)] = v
