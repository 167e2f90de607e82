"""Circuits of well-known states and algorithms, with oracles of the caller's functions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from hologram.errors import ArgumentError
from hologram.qsim.circuit import Circuit

if TYPE_CHECKING:
    from collections.abc import Callable


def bell(which: str = "phi+") -> Circuit:
    """(|00> +- |11>) / sqrt 2 for "phi+" and "phi-", (|10> +- |01>) / sqrt 2 for "psi+", "psi-";
    the first digit is qubit 1."""
    if which not in ("phi+", "phi-", "psi+", "psi-"):
        raise ArgumentError(f"bell: expected phi+, phi-, psi+ or psi-, found {which!r}")
    circuit = Circuit(2)
    if which[3] == "-":
        circuit.x(0)
    if which[:3] == "psi":
        circuit.x(1)
    return circuit.h(0).cx(0, 1)  # type: ignore[no-any-return]


def ghz(qubits: int) -> Circuit:
    """(|0...0> + |1...1>) / sqrt 2."""
    circuit = Circuit(qubits).h(0)
    for qubit in range(1, qubits):
        circuit.cx(qubit - 1, qubit)
    return circuit  # type: ignore[no-any-return]


def w(qubits: int) -> Circuit:
    """The sum of the states with one 1, over sqrt(qubits)."""
    circuit = Circuit(qubits).x(0)
    for qubit in range(1, qubits):
        # Leaves 1 / (qubits - qubit + 1) of what the last one has, and passes on the rest.
        angle = 2 * math.acos(math.sqrt(1 / (qubits - qubit + 1)))
        circuit.cry(angle, qubit - 1, qubit).cx(qubit, qubit - 1)
    return circuit  # type: ignore[no-any-return]


def oracle(circuit: Circuit, function: Callable[[int], object], inputs: int, target: int) -> int:
    """Adds |x>|y> to |x>|y xor f(x)>: x is in qubits 0 to inputs - 1, y the target. One gate with
    all inputs as controls for each x with f(x), of which there may be 2**inputs; gives how many."""
    marked = 0
    for x in range(2**inputs):
        if not function(x):
            continue
        marked += 1
        zeros = [qubit for qubit in range(inputs) if not x >> qubit & 1]
        for qubit in zeros:
            circuit.x(qubit)
        circuit.mcx(range(inputs), target)
        for qubit in zeros:
            circuit.x(qubit)
    return marked


class Promise(NamedTuple):
    """constant: what the circuit answers; probability: that it measures all inputs as 0, 1 for a
    constant function and 0 for a balanced one."""

    constant: bool
    probability: float


def deutsch_jozsa(function: Callable[[int], object], inputs: int) -> Promise:
    """Whether a function of numbers below 2**inputs is constant or true for half of them, with one
    query of its oracle. Raises ArgumentError for a function that is neither: it breaks the
    promise."""
    probability = float(_queried(function, inputs).probabilities().reshape(2, -1).sum(axis=0)[0])
    if min(probability, 1 - probability) > 1e-9:
        raise ArgumentError(
            f"the function is neither constant nor balanced: all 0 has probability {probability:g}"
        )
    return Promise(probability > 0.5, probability)


def bernstein_vazirani(function: Callable[[int], object], inputs: int) -> int:
    """The s of a function f(x) = parity of (x & s), with one query of its oracle. Raises
    ArgumentError for a function that is no such parity."""
    probabilities = _queried(function, inputs).probabilities().reshape(2, -1).sum(axis=0)
    found = int(probabilities.argmax())
    if probabilities[found] < 1 - 1e-9 or function(0):
        raise ArgumentError("the function is not the parity of some of its bits")
    return found


def _queried(function: Callable[[int], object], inputs: int) -> Circuit:
    circuit = Circuit(inputs + 1).x(inputs)
    for qubit in range(inputs + 1):
        circuit.h(qubit)
    oracle(circuit, function, inputs, inputs)
    for qubit in range(inputs):
        circuit.h(qubit)
    return circuit  # type: ignore[no-any-return]


def grover_rounds(qubits: int, marked: int) -> int:
    """The number of rounds, queries of the oracle, that makes a marked state most likely: about
    pi / 4 * sqrt(2**qubits / marked)."""
    angle = math.asin(math.sqrt(marked / 2**qubits))
    return max(0, round((math.pi / (2 * angle) - 1) / 2))


def grover(qubits: int, function: Callable[[int], object], rounds: int | None = None) -> Circuit:
    """Grover's search for an x below 2**qubits with function(x): about sqrt(2**qubits) queries of
    the oracle, each of which is a gate for each such x here. A simulator takes 2**qubits times as
    long as the queries are many; it is no faster way to search. Raises ArgumentError where no x or
    more than half of them are marked."""
    marked = [x for x in range(2**qubits) if function(x)]
    if not 0 < len(marked) <= 2 ** (qubits - 1):
        raise ArgumentError(f"grover: {len(marked)} of {2**qubits} are marked")
    circuit = Circuit(qubits)
    for qubit in range(qubits):
        circuit.h(qubit)
    for _ in range(grover_rounds(qubits, len(marked)) if rounds is None else rounds):
        for x in marked:
            _turn_sign(circuit, x)
        for qubit in range(qubits):
            circuit.h(qubit)
        _turn_sign(circuit, 0)
        for qubit in range(qubits):
            circuit.h(qubit)
    return circuit


def _turn_sign(circuit: Circuit, x: int) -> None:
    """|x> to -|x>."""
    last = circuit.qubits - 1
    zeros = [qubit for qubit in range(circuit.qubits) if not x >> qubit & 1]
    for qubit in zeros:
        circuit.x(qubit)
    circuit.mcz(range(last), last)
    for qubit in zeros:
        circuit.x(qubit)


def fourier(qubits: int) -> Circuit:
    """|x> to the sum of e^(2 pi i x y / 2**qubits) |y> over sqrt(2**qubits): numpy.fft.ifft with
    norm="ortho"."""
    circuit = Circuit(qubits)
    for qubit in reversed(range(qubits)):
        circuit.h(qubit)
        for k in range(qubit):
            circuit.cp(math.pi / 2 ** (qubit - k), k, qubit)
    for qubit in range(qubits // 2):
        circuit.swap(qubit, qubits - 1 - qubit)
    return circuit


def phase_estimation(
    digits: int, unitary: float | Circuit, state: Circuit | None = None
) -> Circuit:
    """The binary digits of a phase: of e^(2 pi i turn), which multiplies a state under a gate.

    `unitary` is that turn, or a circuit of which `state` prepares an eigenstate from zeros; nothing
    is prepared if it is not given. Qubits 0 to digits - 1 are measured into bits, as round(turn *
    2**digits) with a probability of at least 4 / pi**2, those behind are the circuit's. Of another
    state each eigenvalue is found with its share. 2**digits - 1 controlled uses of a circuit, one
    gate for each digit of a turn. Raises ArgumentError for a circuit that cannot be controlled.
    """
    if isinstance(unitary, Circuit):
        size, step = unitary.qubits, unitary.controlled()
    else:
        size, step = 1, None
        state = Circuit(1).x(0)
    circuit = Circuit(digits + size, digits)
    places = range(digits, digits + size)
    if state is not None:
        circuit.extend(state, places)
    for qubit in range(digits):
        circuit.h(qubit)
        if step is None:
            angle = 2 * math.pi * math.fmod(unitary * 2**qubit, 1.0)
            circuit.cp(angle, qubit, digits)
            continue
        for _ in range(2**qubit):
            circuit.extend(step, [*places, qubit])
    circuit.extend(fourier(digits).inverse(), range(digits))
    for qubit in range(digits):
        circuit.measure(qubit, qubit)
    return circuit
