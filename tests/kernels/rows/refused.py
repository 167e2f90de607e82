"""Kernels that look as if their lanes had rows, and are no circuits: the comment above each is in its error."""

from hologram.lang import *

BLOCK = 64


# block_reduce_add() of something else
def two_steps(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 0.0
    for j in range(get_local_id(), n, BLOCK):
        total = total + x[j] + 1.0
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[0] = total


# block_reduce_add() of something else
def starts_at_one(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 1.0
    for j in range(get_local_id(), n, BLOCK):
        total += x[j]
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[0] = total


# block_reduce_add() of something else
def starts_at_minus_zero(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = -0.0
    for j in range(get_local_id(), n, BLOCK):
        total += x[j]
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[0] = total


# block_reduce_max() of something else
def starts_at_anything(x: DeviceArray[f32], out: DeviceArray[f32], least: f32, n: u32):
    total = least
    for j in range(get_local_id(), n, BLOCK):
        total = max(total, x[j])
    total = block_reduce_max(total)
    if get_local_id() == 0:
        out[0] = total


# block_reduce_max() of something else
def starts_elsewhere(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total = x[0]
    for j in range(get_local_id(), n, BLOCK):
        total = max(total, x[j] * 2.0)
    total = block_reduce_max(total)
    if get_local_id() == 0:
        out[0] = total


# a partial result before its loop has ended
def running_sum(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 0.0
    for j in range(get_local_id(), n, BLOCK):
        total += x[j]
        out[j] = total


# a partial result before its loop has ended
def sum_of_itself(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 0.0
    for j in range(get_local_id(), n, BLOCK):
        total += x[j] * total
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[0] = total


# block_reduce_add() of something else
def behind_the_guard(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 0.0
    v: f32 = 0.0
    for first in range(0, n, BLOCK):
        j = first + get_local_id()
        if j < n:
            v = x[j]
        total += v
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[0] = total


# block_reduce_add() of something else
def twice_folded(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 0.0
    for j in range(get_local_id(), n, BLOCK):
        total += x[j]
    for j in range(get_local_id(), n, BLOCK):
        total += x[j]
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[0] = total


# block_reduce_mul() of what lanes folded by another operation
def other_operation(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 0.0
    for j in range(get_local_id(), n, BLOCK):
        total += x[j]
    total = block_reduce_mul(total)
    if get_local_id() == 0:
        out[0] = total


# block_scan_add()
def scanned(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 0.0
    for j in range(get_local_id(), n, BLOCK):
        total += x[j]
    total = block_scan_add(total)
    if get_local_id() == 0:
        out[0] = total


# a lane's part of a reduction
def not_combined(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 0.0
    for j in range(get_local_id(), n, BLOCK):
        total += x[j]
    if get_local_id() == 0:
        out[0] = total


# another element than the lane's own, x[j + 1]
def next_element(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 0.0
    for j in range(get_local_id(), n, BLOCK):
        total += x[j + 1]
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[0] = total


# another element than the lane's own, x[first]
def same_element(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 0.0
    for first in range(0, n, BLOCK):
        if first + get_local_id() < n:
            total += x[first]
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[0] = total


# an element that is read before the guard
def no_guard(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 0.0
    for first in range(0, n, BLOCK):
        total += x[first + get_local_id()]
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[0] = total


# the same number for all elements of 'out'
def mean_everywhere(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 0.0
    for j in range(get_local_id(), n, BLOCK):
        total += x[j]
    total = block_reduce_add(total)
    for j in range(get_local_id(), n, BLOCK):
        out[j] = total


# a store by all lanes, out[0]
def all_lanes(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 0.0
    for j in range(get_local_id(), n, BLOCK):
        total += x[j]
    out[0] = block_reduce_add(total)


# a number in 'out' that is no reduction
def no_reduction(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 0.0
    for j in range(get_local_id(), n, BLOCK):
        total += x[j]
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[0] = 1.0


# one element of 'out' for all rows
def rows_into_one(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 0.0
    for j in range(get_local_id(), n, BLOCK):
        total += x[get_block_id() * n + j]
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[0] = total


# an element of 'out' for each block, of which all have one row
def one_row(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 0.0
    for j in range(get_local_id(), n, BLOCK):
        total += x[j]
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[get_block_id()] = total


# a loop whose count is not known
def other_lanes(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 0.0
    for j in range(get_local_id(), n, BLOCK):
        total += x[j]
    for j in range(get_local_id(), n, 128):
        out[j] = x[j]


# a loop whose count is not known
def every_second(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 0.0
    for j in range(2 * get_local_id(), n, BLOCK):
        total += x[j]
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[0] = total


# a loop over a row in a loop or under a condition
def under_a_condition(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 0.0
    if n > 5:
        for j in range(get_local_id(), n, BLOCK):
            total += x[j]
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[0] = total


# the number of a lane, a block or an element, 'j', as a value
def index_as_value(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 0.0
    for j in range(get_local_id(), n, BLOCK):
        total += f32(j)
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[0] = total


# block_reduce_add() of the same number for each element
def counting(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 0.0
    for j in range(get_local_id(), n, BLOCK):
        total += 1.0
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[0] = total


# which all rows share
def shared_output(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 0.0
    for j in range(get_local_id(), n, BLOCK):
        out[j] = x[get_block_id() * n + j]


# an element that is not the first of its row
def first_of_another(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    base = get_block_id() * 256
    total = x[get_block_id() * 128]
    for i in range(base + get_local_id(), base + 256, BLOCK):
        if i < n:
            total = max(total, x[i])
    total = block_reduce_max(total)
    if get_local_id() == 0:
        out[get_block_id()] = total


# a division of integers
def divides(x: DeviceArray[i32], out: DeviceArray[i32], n: u32):
    total: i32 = 0
    for j in range(get_local_id(), n, BLOCK):
        total += 7 // x[j]
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[0] = total


# no loop in which the lanes of a block go over a row
def no_loop(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    if get_local_id() == 0:
        out[0] = 1.0


# another element than the lane's own, x[u32(first) + j]
def narrow_number(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    half: u8 = 128
    first = half * 2
    total: f32 = 0.0
    for j in range(get_local_id(), n, BLOCK):
        total += x[u32(first) + j]
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[0] = total


# a loop whose count is not known
def counted_before(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    k: u32 = 64
    for k in range(0, 2):
        total: f32 = 0.0
        for j in range(get_local_id(), n, k):
            total += x[j]
        total = block_reduce_add(total)
        if get_local_id() == 0:
            out[0] = total


# block_reduce_add() of something else
def of_an_element(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    total = block_reduce_add(x[i] if i < n else 0.0)
    if get_local_id() == 0:
        out[get_block_id()] = total


# statements for lanes without an element
def joined_guard_with_else(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    t = get_local_id()
    total: f32 = 0.0
    for first in range(0, n, BLOCK):
        i = first + t
        if i < n and x[i] > 0.0:
            total += x[i]
        else:
            total += 1.0
    total = block_reduce_add(total)
    if t == 0:
        out[0] = total
