"""The gates of a circuit by kernels of the standard library (kernels/qsim)."""

from __future__ import annotations

from typing import Any

import numpy as np

from hologram import _native, library

# Amplitudes of a lane, 2^10: its local arrays.
_TILE = 10
_MATRIX, _REAL, _DIAGONAL, _OUTSIDE, _EXCHANGE = range(5)
# Kinds of the plan.
_PLANNED = (_MATRIX, _REAL, _DIAGONAL, _EXCHANGE)
_NOT = (0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0)


def final_state(text: str, single: bool, fuse: bool, threads: int) -> Any:
    """The amplitudes of a circuit of OpenQASM, computed by gate_pass and gate_join."""
    qubits, passes = _native.qsim_plan(text, "", fuse, _TILE)
    real = np.float32 if single else np.float64
    suffix = "_f32" if single else "_f64"
    apply = library.kernel("gate_pass" + suffix)
    size = 2**qubits
    state, spare = np.zeros(2 * size, real), np.empty(2 * size, real)
    state[0] = 1
    place = list(range(qubits))  # of each qubit, in the numbers of the amplitudes
    for mask, gates in passes:
        inside = [qubit for qubit in range(qubits) if mask >> qubit & 1]
        outside = [qubit for qubit in range(qubits) if not mask >> qubit & 1]
        outside.sort(key=place.__getitem__)
        words, matrices = _encoded(gates, outside)
        lanes = 2 ** len(outside)
        _launch(apply, lanes, threads)(
            state,
            spare,
            _sums([1 << place[qubit] for qubit in inside]),
            np.array([1 << place[qubit] for qubit in outside], np.uint32),
            words,
            matrices.astype(real),
            lanes,
        )
        state, spare = spare, state
        for at, qubit in enumerate(outside + inside):
            place[qubit] = at
    del spare
    out = np.empty(size, np.complex64 if single else np.complex128)
    low = qubits // 2
    moved = [1 << at for at in place]
    _launch(library.kernel("gate_join" + suffix), size, threads)(
        state, _sums(moved[low:]), _sums(moved[:low]), out.view(real), size
    )
    return out


def _launch(kernel: Any, lanes: int, threads: int) -> Any:
    block = min(lanes, 64)
    return kernel.configure(grid=lanes // block, block=block, threads=threads or None)


def _sums(steps: list[int]) -> Any:
    """The sum of the steps at the bits of k that are 1, for each k."""
    sums = np.zeros(1, np.uint32)
    for step in steps:
        sums = np.concatenate([sums, sums + np.uint32(step)])
    return sums


def _encoded(gates: list[Any], outside: list[int]) -> tuple[Any, Any]:
    """Gates of the plan as the kernel has them: words, and matrices."""
    words: list[tuple[int, int, int, int]] = []
    matrices: list[Any] = []
    bit_of = {qubit: bit for bit, qubit in enumerate(outside)}
    for kind, target, other, is_outside, controls, conditions, matrix in gates:
        lanes = sum(1 << bit for qubit, bit in bit_of.items() if conditions >> qubit & 1)
        if kind < len(_PLANNED):
            at = bit_of[target] if is_outside else target
            words.append((_OUTSIDE if is_outside else _PLANNED[kind], at, controls, lanes))
            matrices.append(matrix)
            continue
        for a, b in ((target, other), (other, target), (target, other)):  # a swap
            words.append((_EXCHANGE, a, controls | 1 << b, lanes))
            matrices.append(_NOT)
    return np.array(words, np.uint32).ravel(), np.array(matrices, np.float64).ravel()
