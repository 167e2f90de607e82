# Atomics of integers and floats, compare-and-swap, scans of a block.
from hologram.lang import (
    DeviceArray, atomic_add, atomic_add_f32, atomic_cas, atomic_exchange, atomic_max, barrier,
    block_scan_add, block_scan_max, f32, f64, get_global_id, get_local_id, i64, shared, u32,
)


def loss(x: DeviceArray[f32], total: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        atomic_add_f32(total, x[i])


def floats(x: DeviceArray[f64], n: u32):
    i = get_global_id()
    cells = shared(f32, 8)
    atomic_max(x, i, 2)
    x[i] = atomic_exchange(x, i + n, 0.5)
    atomic_add(cells, i & 7, 1.5)


def swaps(owner: DeviceArray[u32], big: DeviceArray[i64], n: u32):
    i = get_global_id()
    mine = atomic_cas(owner, i // 2, 0, i + 1)
    mine = atomic_cas(owner, mine, mine, n)
    slots = shared(u32, 4)
    atomic_cas(slots, i & 3, 0, mine)
    big[0] = atomic_cas(big, 1, big[2], -1)


def scans(x: DeviceArray[f32], y: DeviceArray[u32]):
    i = get_local_id()
    x[i] = block_scan_add(x[i]) + block_scan_max(f32(i))
    y[i] = block_scan_add(y[i])
