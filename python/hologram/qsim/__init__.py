"""Quantum circuits on a state vector (docs/qsim.md).

    from hologram import qsim

    circuit = qsim.Circuit(2)
    circuit.h(0)
    circuit.cx(0, 1)
    circuit.state()                       the amplitudes, 2**2 complex128 of NumPy
    circuit.measure_all()
    circuit.counts(shots=1000, seed=7)    {"00": 490, "11": 510}
    circuit.svg()                         a drawing

    qsim.bell(), qsim.ghz(5), qsim.w(3)   circuits that make well-known states
    qsim.grover(5, lambda x: x == 11), qsim.deutsch_jozsa(...), qsim.bernstein_vazirani(...)
    qsim.fourier(4), qsim.phase_estimation(4, 0.3)

Bit q of an index is qubit q; texts have the highest bit first. Functions may be called by several
threads at once, on circuits that no other thread changes.
"""

from hologram.qsim.algorithms import (
    Promise,
    bell,
    bernstein_vazirani,
    deutsch_jozsa,
    fourier,
    ghz,
    grover,
    grover_rounds,
    oracle,
    phase_estimation,
    w,
)
from hologram.qsim.circuit import Circuit, parse

__all__ = [
    "Circuit",
    "Promise",
    "bell",
    "bernstein_vazirani",
    "deutsch_jozsa",
    "fourier",
    "ghz",
    "grover",
    "grover_rounds",
    "oracle",
    "parse",
    "phase_estimation",
    "w",
]
