"""Arrays that another thread changes while a launch reads them: results are then any of many, and
nothing outside of an array is written."""

from __future__ import annotations

import contextlib
import threading
import time

import numpy as np
import pytest

import hologram as hg
from hologram.lang import DeviceArray, atomic_add, f32, get_global_id, i64, u16, u32

LANES = 1 << 19
BINS = 64
BESIDE = 1024  # elements on both sides of the bins
OUTSIDE = 70  # an index behind the bins


@hg.kernel
def count(keys: DeviceArray[u32], counts: DeviceArray[u32]):
    i = get_global_id()
    if i < len(keys):
        atomic_add(counts, keys[i], 1)


@hg.kernel
def count_inside(keys: DeviceArray[u32], counts: DeviceArray[u32]):
    i = get_global_id()
    if i < len(keys):
        key = keys[i]
        if key < len(counts):
            atomic_add(counts, key, 1)


@hg.kernel
def count_bits(keys: DeviceArray[u32], counts: DeviceArray[u32]):
    i = get_global_id()
    if i < len(keys):
        atomic_add(counts, keys[i] >> 1, 1)


@hg.kernel
def add_weights(keys: DeviceArray[u32], counts: DeviceArray[f32]):
    i = get_global_id()
    if i < len(keys):
        atomic_add(counts, keys[i], 0.5)


@hg.kernel
def store(keys: DeviceArray[u32], counts: DeviceArray[u32]):
    i = get_global_id()
    if i < len(keys):
        counts[keys[i]] = 1


@hg.kernel
def count_short(keys: DeviceArray[u16], counts: DeviceArray[u32]):
    i = get_global_id()
    if i < len(keys):
        atomic_add(counts, keys[i], 1)


@hg.kernel
def store_compared(keys: DeviceArray[u32], counts: DeviceArray[u32]):
    i = get_global_id()
    if i < len(keys):
        key = keys[i]
        if i64(key) < i64(len(counts)):
            counts[key] = 1


STORES = (store, store_compared)
KERNELS = (count, count_inside, count_bits, add_weights, count_short, *STORES)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_nothing_outside_of_an_array_is_written(kernel: hg.Kernel) -> None:
    keys = np.full(LANES, 3, np.uint16 if kernel is count_short else np.uint32)
    kind = np.float32 if kernel is add_weights else np.uint32
    memory = np.zeros(BINS + 2 * BESIDE, kind)
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            keys.fill(2 * OUTSIDE if kernel is count_bits else OUTSIDE)
            keys.fill(3)

    thread = threading.Thread(target=change)
    thread.start()
    launch = kernel.configure(grid=LANES // 256, block=256, deterministic=kernel not in STORES)
    try:
        end = time.monotonic() + 1.0
        while time.monotonic() < end:
            with contextlib.suppress(hg.FaultError):
                launch(keys, memory[BESIDE : BESIDE + BINS])
    finally:
        stop.set()
        thread.join()
    memory[BESIDE : BESIDE + BINS] = 0
    assert not memory.any()
