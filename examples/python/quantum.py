"""Well-known circuits and algorithms on the state vector, each checked against what it promises."""

from __future__ import annotations

import math
import sys

import numpy as np

from hologram import qsim


def states() -> bool:
    """Bell, GHZ and W states, by the verified kernels as well."""
    good = True
    for name, circuit, ones in (
        ("Bell", qsim.bell("phi+"), {0b00: 0.5, 0b11: 0.5}),
        ("GHZ", qsim.ghz(5), {0b00000: 0.5, 0b11111: 0.5}),
        ("W", qsim.w(3), {0b001: 1 / 3, 0b010: 1 / 3, 0b100: 1 / 3}),
    ):
        for engine in ("tiles", "kernels"):
            found = circuit.probabilities(engine=engine)
            good = good and all(abs(found[x] - share) < 1e-12 for x, share in ones.items())
        print(f"{name}: {circuit.measure_all().counts(1000)}")
    return good


def oracles() -> bool:
    """One query each."""
    balanced = qsim.deutsch_jozsa(lambda x: (x ^ x >> 1) & 1, 6)
    constant = qsim.deutsch_jozsa(lambda x: True, 6)
    print(f"Deutsch-Jozsa: constant {constant.constant}, balanced {not balanced.constant}")
    secret = qsim.bernstein_vazirani(lambda x: (x & 0b101101).bit_count() & 1, 6)
    print(f"Bernstein-Vazirani: {secret:06b}")
    return constant.constant and not balanced.constant and secret == 0b101101


def search() -> bool:
    """About pi / 4 sqrt(N) queries."""
    circuit = qsim.grover(8, lambda x: x * x == 29 * 29)
    share = circuit.probabilities()[29]
    print(f"Grover: {qsim.grover_rounds(8, 1)} queries for 1 of 256, probability {share:.4f}")
    return bool(share > 0.99)


def fourier() -> bool:
    """The transform of NumPy."""
    prepared = qsim.Circuit(6)
    for qubit in range(6):
        prepared.ry(0.3 + 0.2 * qubit, qubit)
    before = prepared.state()
    after = prepared.extend(qsim.fourier(6)).state()
    off = float(np.abs(after - np.fft.ifft(before, norm="ortho")).max())
    print(f"Fourier: off NumPy by {off:.0e}")
    return off < 1e-12


def phases() -> bool:
    """The phase of a gate, and the order of 7 modulo 15, by which 15 falls into 3 and 5."""
    counts = qsim.phase_estimation(6, 11 / 64).counts(100)
    times7 = qsim.Circuit(4).swap(2, 3).swap(1, 2).swap(0, 1)
    for qubit in range(4):
        times7.x(qubit)
    turns = qsim.phase_estimation(4, times7, qsim.Circuit(4).x(0)).counts(1000)
    # Multiples of 1/order: their least common denominator.
    order = math.lcm(*(16 // math.gcd(int(bits, 2), 16) for bits in turns))
    factors = sorted(math.gcd(7 ** (order // 2) + sign, 15) for sign in (-1, 1))
    print(f"Phase estimation: {counts}, order of 7 modulo 15 is {order}, 15 = {factors}")
    return counts == {"001011": 100} and order == 4 and factors == [3, 5]


def main() -> int:
    good = [part() for part in (states, oracles, search, fourier, phases)]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
