"""The gates of a circuit by kernels of the standard library (kernels/qsim)."""

from __future__ import annotations

from typing import Any

import numpy as np

from hologram import _native, library


def final_state(text: str, single: bool, fuse: bool, threads: int) -> Any:
    """The amplitudes of a circuit of OpenQASM, computed by gate_pass and gate_join."""
    qubits, launches, high, low = _native.qsim_lanes(text, "", fuse)
    real = np.float32 if single else np.float64
    suffix = "_f32" if single else "_f64"
    size = 2**qubits
    state, spare = np.zeros(2 * size, real), np.empty(2 * size, real)
    state[0] = 1
    for offsets, spread, gates, matrices, lanes in launches:
        words = (np.array(numbers, np.uint32) for numbers in (offsets, spread, gates))
        apply = _configured("gate_pass" + suffix, lanes, threads)
        apply(state, spare, *words, np.array(matrices, real), lanes)
        state, spare = spare, state
    places = (np.array(numbers, np.uint32) for numbers in (high, low))
    _configured("gate_join" + suffix, size, threads)(state, *places, spare, size)
    return spare.view(np.complex64 if single else np.complex128)


def _configured(name: str, lanes: int, threads: int) -> Any:
    block = min(lanes, 64)
    kernel = library.kernel(name)
    # Loops are as long as the arrays.
    return kernel.configure(grid=lanes // block, block=block, threads=threads or None, budget=2**62)
