"""`%` and `//` by scalars of the launch and by constants."""

import numba
import numpy as np
from pairs import Pair, main

import hologram as hg
from hologram.lang import DeviceArray, get_global_id, i32, i64, u8, u32, u64


@hg.kernel
def life_i32(a: DeviceArray[u8], b: DeviceArray[u8], width: i32, height: i32):
    t = int(get_global_id())
    if t < width * height:
        x = t % width
        y = t // width
        left = (x + width - 1) % width
        right = (x + 1) % width
        above = (y + height - 1) % height * width
        here = y * width
        below = (y + 1) % height * width
        count = (
            a[above + left]
            + a[above + x]
            + a[above + right]
            + a[here + left]
            + a[here + right]
            + a[below + left]
            + a[below + x]
            + a[below + right]
        )
        b[t] = u8(1) if count == 3 or (count == 2 and a[t] == 1) else u8(0)


@hg.kernel
def life_u32(a: DeviceArray[u8], b: DeviceArray[u8], width: u32, height: u32):
    t = get_global_id()
    if t < width * height:
        x = t % width
        y = t // width
        left = (x + width - 1) % width
        right = (x + 1) % width
        above = (y + height - 1) % height * width
        here = y * width
        below = (y + 1) % height * width
        count = (
            a[above + left]
            + a[above + x]
            + a[above + right]
            + a[here + left]
            + a[here + right]
            + a[below + left]
            + a[below + x]
            + a[below + right]
        )
        b[t] = u8(1) if count == 3 or (count == 2 and a[t] == 1) else u8(0)


@hg.kernel
def life_i64(a: DeviceArray[u8], b: DeviceArray[u8], width: i64, height: i64):
    t = i64(get_global_id())
    if t < width * height:
        x = t % width
        y = t // width
        left = (x - 1) % width
        right = (x + 1) % width
        above = (y - 1) % height * width
        here = y * width
        below = (y + 1) % height * width
        count = (
            a[above + left]
            + a[above + x]
            + a[above + right]
            + a[here + left]
            + a[here + right]
            + a[below + left]
            + a[below + x]
            + a[below + right]
        )
        b[t] = u8(1) if count == 3 or (count == 2 and a[t] == 1) else u8(0)


@hg.kernel
def life_2d(a: DeviceArray[u8, 2], b: DeviceArray[u8, 2], width: i64, height: i64):
    x = i64(get_global_id(0))
    y = i64(get_global_id(1))
    if x < width and y < height:
        left = (x - 1) % width
        right = (x + 1) % width
        above = (y - 1) % height
        below = (y + 1) % height
        count = (
            a[above, left]
            + a[above, x]
            + a[above, right]
            + a[y, left]
            + a[y, right]
            + a[below, left]
            + a[below, x]
            + a[below, right]
        )
        b[y, x] = u8(1) if count == 3 or (count == 2 and a[y, x] == 1) else u8(0)


@numba.njit
def life_twin(a, b, width, height):
    for y in range(height):
        for x in range(width):
            left = (x - 1) % width
            right = (x + 1) % width
            above = (y - 1) % height
            below = (y + 1) % height
            count = (
                a[above, left]
                + a[above, x]
                + a[above, right]
                + a[y, left]
                + a[y, right]
                + a[below, left]
                + a[below, x]
                + a[below, right]
            )
            b[y, x] = 1 if count == 3 or (count == 2 and a[y, x] == 1) else 0


@hg.kernel
def parts_i32(x: DeviceArray[i32], q: DeviceArray[i32], r: DeviceArray[i32], d: i32):
    i = get_global_id()
    if i < len(x):
        q[i] = x[i] // d
        r[i] = x[i] % d


@hg.kernel
def parts_u32(x: DeviceArray[u32], q: DeviceArray[u32], r: DeviceArray[u32], d: u32):
    i = get_global_id()
    if i < len(x):
        q[i] = x[i] // d
        r[i] = x[i] % d


@hg.kernel
def parts_i64(x: DeviceArray[i64], q: DeviceArray[i64], r: DeviceArray[i64], d: i64):
    i = get_global_id()
    if i < len(x):
        q[i] = x[i] // d
        r[i] = x[i] % d


@hg.kernel
def parts_u64(x: DeviceArray[u64], q: DeviceArray[u64], r: DeviceArray[u64], d: u64):
    i = get_global_id()
    if i < len(x):
        q[i] = x[i] // d
        r[i] = x[i] % d


@numba.njit
def parts_twin(x, q, r, d):
    for i in range(len(x)):
        q[i] = x[i] // d
        r[i] = x[i] % d


@hg.kernel
def by_seven_i32(x: DeviceArray[i32], q: DeviceArray[i32], r: DeviceArray[i32]):
    i = get_global_id()
    if i < len(x):
        q[i] = x[i] // 7
        r[i] = x[i] % 7


@hg.kernel
def by_seven_u32(x: DeviceArray[u32], q: DeviceArray[u32], r: DeviceArray[u32]):
    i = get_global_id()
    if i < len(x):
        q[i] = x[i] // 7
        r[i] = x[i] % 7


@hg.kernel
def by_seven_i64(x: DeviceArray[i64], q: DeviceArray[i64], r: DeviceArray[i64]):
    i = get_global_id()
    if i < len(x):
        q[i] = x[i] // 7
        r[i] = x[i] % 7


@hg.kernel
def by_seven_u64(x: DeviceArray[u64], q: DeviceArray[u64], r: DeviceArray[u64]):
    i = get_global_id()
    if i < len(x):
        q[i] = x[i] // 7
        r[i] = x[i] % 7


@numba.njit
def by_seven_twin(x, q, r):
    seven = x.dtype.type(7)
    for i in range(len(x)):
        q[i] = x[i] // seven
        r[i] = x[i] % seven


def board(kernel, flat: bool, two_d_grid: bool = False) -> Pair:
    width, height = 513, 511
    start = (np.random.default_rng(1).random((height, width)) < 0.4).astype(np.uint8)
    ours, theirs = np.zeros_like(start), np.zeros_like(start)
    call = kernel[(-(-width // 256), height), (256, 1)] if two_d_grid else kernel
    a, b = (start.ravel(), ours.reshape(-1)) if flat else (start, ours)
    return Pair(
        bar=1.5,
        kernel=lambda: call(a, b, width, height),
        twin=lambda: life_twin(start, theirs, width, height),
        results=[(ours, theirs)],
        launched=kernel,
    )


def game_of_life_i32() -> Pair:
    return board(life_i32, flat=True)


def game_of_life_u32() -> Pair:
    return board(life_u32, flat=True)


def game_of_life_i64() -> Pair:
    return board(life_i64, flat=True)


def game_of_life_2d() -> Pair:
    return board(life_2d, flat=False, two_d_grid=True)


def parts(kernel, dtype, divisor: int | None) -> Pair:
    n = 100_000
    info = np.iinfo(dtype)
    x = np.random.default_rng(1).integers(info.min, info.max, n, dtype=dtype)
    x[:3] = (info.min, info.max, 0)
    q, r, tq, tr = (np.zeros_like(x) for _ in range(4))
    ours = (x, q, r) if divisor is None else (x, q, r, divisor)
    theirs = (x, tq, tr) if divisor is None else (x, tq, tr, dtype(divisor))
    twin = by_seven_twin if divisor is None else parts_twin
    return Pair(
        bar=1.5 if divisor is not None else 1.0,
        kernel=lambda: kernel(*ours),
        twin=lambda: twin(*theirs),
        results=[(q, tq), (r, tr)],
        launched=kernel,
    )


def scalar_i32() -> Pair:
    return parts(parts_i32, np.int32, 1_237)


def scalar_u32() -> Pair:
    return parts(parts_u32, np.uint32, 1_237)


def scalar_i64() -> Pair:
    return parts(parts_i64, np.int64, 1_237)


def scalar_u64() -> Pair:
    return parts(parts_u64, np.uint64, 1_237)


def constant_i32() -> Pair:
    return parts(by_seven_i32, np.int32, None)


def constant_u32() -> Pair:
    return parts(by_seven_u32, np.uint32, None)


def constant_i64() -> Pair:
    return parts(by_seven_i64, np.int64, None)


def constant_u64() -> Pair:
    return parts(by_seven_u64, np.uint64, None)


ROWS = [
    game_of_life_i32,
    game_of_life_u32,
    game_of_life_i64,
    game_of_life_2d,
    scalar_i32,
    scalar_u32,
    scalar_i64,
    scalar_u64,
    constant_i32,
    constant_u32,
    constant_i64,
    constant_u64,
]

if __name__ == "__main__":
    main(ROWS)
