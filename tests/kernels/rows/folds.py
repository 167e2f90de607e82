"""Kernels whose lanes fold rows, each a circuit: types, operations and forms that kernels/ does not have."""

from hologram.lang import *

BLOCK = 64
CHUNK = 256


def whole_sum(x: DeviceArray[i32], out: DeviceArray[i32], n: u32):
    total: i32 = 0
    for j in range(get_local_id(), n, BLOCK):
        total -= x[j] * 3
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[0] = total


def unsigned_difference(x: DeviceArray[u8], out: DeviceArray[u32], n: u32):
    total: u32 = 0
    for j in range(get_local_id(), n, BLOCK):
        total -= u32(x[j])
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[0] = total


def whole_product(x: DeviceArray[i64], out: DeviceArray[i64], n: u32):
    total: i64 = 1
    for j in range(get_local_id(), n, BLOCK):
        total *= x[j] | 1
    total = block_reduce_mul(total)
    if get_local_id() == 0:
        out[0] = total


def product_rows(x: DeviceArray[f64], out: DeviceArray[f64], n: u32):
    row = get_block_id() * n
    total: f64 = 1.0
    for j in range(get_local_id(), n, BLOCK):
        total = x[row + j] * total
    total = block_reduce_mul(total)
    if get_local_id() == 0:
        out[get_block_id()] = total


def bits_cut(
    x: DeviceArray[u32],
    both: DeviceArray[u32],
    one: DeviceArray[u32],
    odd: DeviceArray[u32],
    n: u32,
):
    t = get_local_id()
    base = get_block_id() * CHUNK
    a: u32 = 4294967295
    b: u32 = 8
    c: u32 = 0
    for i in range(base + t, base + CHUNK, BLOCK):
        if i < n:
            a &= x[i]
            b |= x[i]
            c ^= x[i]
    a = block_reduce_and(a)
    b = block_reduce_or(b)
    c = block_reduce_xor(c)
    if t == 0:
        both[get_block_id()] = a
        one[get_block_id()] = b
        odd[get_block_id()] = c


def least_below(x: DeviceArray[i16], out: DeviceArray[i16], limit: i16, n: u32):
    least = limit
    for j in range(get_local_id(), n, BLOCK):
        least = min(least, x[j])
    least = block_reduce_min(least)
    if get_local_id() == 0:
        out[0] = least


def largest_above(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    largest: f32 = -1.5
    for j in range(get_local_id(), n, BLOCK):
        largest = max(x[j], largest)
    largest = block_reduce_max(largest)
    if get_local_id() == 0:
        out[0] = largest


def first_and_least_rows(x: DeviceArray[f64], out: DeviceArray[f64], n: u32):
    row = get_block_id() * n
    least = x[row]
    for k in range((n + 63) // 64):
        j = k * 64 + get_local_id()
        if j < n:
            least = min(least, x[row + j])
    least = block_reduce_min(least)
    if get_local_id() == 0:
        out[get_block_id()] = least * 2.0


def positive_sum(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 0.0
    for j in range(get_local_id(), n, BLOCK):
        if x[j] > 0.0:
            total += x[j]
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[0] = total


def signed_halves(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    total: f32 = 0.0
    for j in range(get_local_id(), n, BLOCK):
        if x[j] > 0.0:
            total += x[j]
        else:
            total -= x[j] * 0.5
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[0] = total


def masked_largest(x: DeviceArray[f32], mask: DeviceArray[u8], out: DeviceArray[f32], n: u32):
    largest: f32 = 0.0
    for j in range(get_local_id(), n, BLOCK):
        if mask[j] > 100:
            largest = max(largest, x[j])
    largest = block_reduce_max(largest)
    if get_local_id() == 0:
        out[0] = largest


def masked_product(x: DeviceArray[f32], mask: DeviceArray[u8], out: DeviceArray[f32], n: u32):
    product: f32 = 1.0
    for j in range(get_local_id(), n, BLOCK):
        if mask[j] < 250:
            pass_over = 0
        else:
            product *= x[j]
    product = block_reduce_mul(product)
    if get_local_id() == 0:
        out[0] = product


def count_of(x: DeviceArray[f32], out: DeviceArray[u32], n: u32):
    count: u32 = 0
    for j in range(get_local_id(), n, BLOCK):
        count += 1 if x[j] != 0.0 else 0
    count = block_reduce_add(count)
    if get_local_id() == 0:
        out[0] = count


def half_sum(x: DeviceArray[f16], out: DeviceArray[f16], n: u32):
    total: f16 = 0.0
    for j in range(get_local_id(), n, BLOCK):
        total += x[j]
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[0] = total


@kernel(contract=True)
def contracted(x: DeviceArray[f64], y: DeviceArray[f64], out: DeviceArray[f64], n: u32):
    total: f64 = 0.0
    for j in range(get_local_id(), n, BLOCK):
        total -= x[j] * y[j]
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[0] = total


def weighted_rows(x: DeviceArray[f32], w: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    row = get_block_id() * n
    total: f32 = 0.0
    for j in range(get_local_id(), n, BLOCK):
        total = fma(w[j], x[row + j], total)
    total = block_reduce_add(total)
    if get_local_id() == 0:
        out[get_block_id()] = total


def gain_rows(x: DeviceArray[f32], gain: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    row = get_block_id() * n
    for j in range(get_local_id(), n, BLOCK):
        out[row + j] = x[row + j] * gain[j]


def residual_norm_rows(
    x: DeviceArray[f32],
    more: DeviceArray[f32],
    out: DeviceArray[f32],
    mean: DeviceArray[f32],
    n: u32,
):
    row = get_block_id() * n
    t = get_local_id()
    total: f32 = 0.0
    for j in range(t, n, BLOCK):
        x[row + j] += more[row + j]
        total += x[row + j]
    middle = block_reduce_add(total) / f32(n)
    squares: f32 = 0.0
    for j in range(t, n, BLOCK):
        squares += (x[row + j] - middle) ** 2
    scale = rsqrt(block_reduce_add(squares) / f32(n) + 1e-5)
    for j in range(t, n, BLOCK):
        out[row + j] = (x[row + j] - middle) * scale
    if t == 0:
        mean[get_block_id()] = middle


def joined_guards(x: DeviceArray[f32], kinds: DeviceArray[u32], out: DeviceArray[f32], n: u32):
    t = get_local_id()
    total: f32 = 0.0
    count: u32 = 0
    for first in range(0, n, BLOCK):
        i = first + t
        if i < n and kinds[i] != 0 and x[i] > 0.0:
            total += x[i]
            count += 1
    total = block_reduce_add(total)
    count = block_reduce_add(count)
    if t == 0:
        out[0] = total / f32(count)


# e^(x - top) may be kept where it is computed, since nothing reads x behind it.
def softmax_in_place(x: DeviceArray[f32], n: u32):
    row = get_block_id() * n
    t = get_local_id()
    top = x[row]
    for j in range(t, n, BLOCK):
        top = max(top, x[row + j])
    top = block_reduce_max(top)
    total: f32 = 0.0
    for j in range(t, n, BLOCK):
        total += exp(x[row + j] - top)
    total = block_reduce_add(total)
    for j in range(t, n, BLOCK):
        x[row + j] = exp(x[row + j] - top) / total


# Here it may not: the last pass reads what both outputs held, or what they hold is of another type.
def softmax_onto(x: DeviceArray[f32], y: DeviceArray[f32], z: DeviceArray[f16], n: u32):
    row = get_block_id() * n
    t = get_local_id()
    total: f32 = 0.0
    for j in range(t, n, BLOCK):
        total += exp(x[row + j])
    total = block_reduce_add(total)
    for j in range(t, n, BLOCK):
        y[row + j] += exp(x[row + j]) / total
        x[row + j] = x[row + j] * 2.0
        z[row + j] = f16(exp(x[row + j] * 0.5) / total)


# Two passes compute it, and the one behind them reads it.
def softmax_twice(x: DeviceArray[f32], y: DeviceArray[f32], z: DeviceArray[f32], n: u32):
    row = get_block_id() * n
    t = get_local_id()
    total: f32 = 0.0
    for j in range(t, n, BLOCK):
        total += exp(x[row + j])
    total = block_reduce_add(total)
    squares: f32 = 0.0
    for j in range(t, n, BLOCK):
        squares += (exp(x[row + j]) / total) ** 2
    squares = block_reduce_add(squares)
    for j in range(t, n, BLOCK):
        y[row + j] = exp(x[row + j]) / total
        z[row + j] = exp(x[row + j]) * squares
