"""One lane's state in memory, read and written in a loop, against the same in locals."""

import numba
import numpy as np
from pairs import Pair, main

import hologram as hg
from hologram.lang import DeviceArray, f32, f64, get_global_id, i32, u32, u64


@hg.kernel
def walk_in_memory(states: DeviceArray[u64, 2], out: DeviceArray[f64], steps: i32):
    i = get_global_id()
    if i < len(out):
        position = f64(0.0)
        for _ in range(steps):
            a = states[i, 0]
            b = states[i, 1]
            word = a + b
            b ^= a
            states[i, 0] = ((a << 55) | (a >> 9)) ^ b ^ (b << 14)
            states[i, 1] = (b << 36) | (b >> 28)
            position += f64(word >> 11) * 1.1102230246251565e-16 - 0.5
        out[i] = position


@hg.kernel
def walk_in_locals(states: DeviceArray[u64, 2], out: DeviceArray[f64], steps: i32):
    i = get_global_id()
    if i < len(out):
        position = f64(0.0)
        a = states[i, 0]
        b = states[i, 1]
        for _ in range(steps):
            word = a + b
            b ^= a
            a = ((a << 55) | (a >> 9)) ^ b ^ (b << 14)
            b = (b << 36) | (b >> 28)
            position += f64(word >> 11) * 1.1102230246251565e-16 - 0.5
        states[i, 0] = a
        states[i, 1] = b
        out[i] = position


@numba.njit
def walk_twin(states, out, steps):
    for i in range(len(out)):
        position = 0.0
        for _ in range(steps):
            a = states[i, 0]
            b = states[i, 1]
            word = a + b
            b ^= a
            states[i, 0] = ((a << np.uint64(55)) | (a >> np.uint64(9))) ^ b ^ (b << np.uint64(14))
            states[i, 1] = (b << np.uint64(36)) | (b >> np.uint64(28))
            position += np.float64(word >> np.uint64(11)) * 1.1102230246251565e-16 - 0.5
        out[i] = position


@hg.kernel
def sum_in_memory(x: DeviceArray[f32, 2], total: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < len(total):
        total[i] = 0.0
        for k in range(n):
            total[i] += x[k, i]


@hg.kernel
def sum_in_locals(x: DeviceArray[f32, 2], total: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < len(total):
        s = f32(0.0)
        for k in range(n):
            s += x[k, i]
        total[i] = s


def states_of(lanes: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    return rng.integers(1, 2**63, (lanes, 2)).astype(np.uint64)


def random_walk() -> Pair:
    """A walk beside the same with the state in locals: both are ours."""
    lanes, steps = 1_024, 200
    ours, theirs = states_of(lanes), states_of(lanes)
    out, other = np.zeros(lanes), np.zeros(lanes)
    return Pair(
        bar=1 / 1.1,
        kernel=lambda: walk_in_memory(ours, out, steps),
        twin=lambda: walk_in_locals(theirs, other, steps),
        results=[(out, other), (ours, theirs)],
        launched=walk_in_memory,
    )


def random_walk_numba() -> Pair:
    lanes, steps = 1_024, 200
    ours, theirs = states_of(lanes), states_of(lanes)
    out, other = np.zeros(lanes), np.zeros(lanes)
    return Pair(
        bar=1.0,
        kernel=lambda: walk_in_memory(ours, out, steps),
        twin=lambda: walk_twin(theirs, other, steps),
        results=[(out, other), (ours, theirs)],
        launched=walk_in_memory,
    )


def sum_of_columns() -> Pair:
    """A sum kept in its element, beside one in a local: both are ours."""
    rows, columns = 200, 1_024
    x = np.random.default_rng(1).random((rows, columns), np.float32)
    ours, theirs = np.zeros(columns, np.float32), np.zeros(columns, np.float32)
    return Pair(
        bar=1 / 1.1,
        kernel=lambda: sum_in_memory(x, ours, rows),
        twin=lambda: sum_in_locals(x, theirs, rows),
        results=[(ours, theirs)],
        launched=sum_in_memory,
    )


ROWS = [random_walk, random_walk_numba, sum_of_columns]

if __name__ == "__main__":
    main(ROWS)
