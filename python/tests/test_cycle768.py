"""hologram.cycle768: the vectors, every true law over all positions, and what is not true."""

from __future__ import annotations

import itertools
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from hologram import cycle768, qsim
from hologram.cycle768 import HALF, POSITIONS, State

VECTORS = json.loads(
    (Path(__file__).parents[2] / "tests/cycle768/vectors.json").read_text(encoding="utf-8")
)
ALL = range(POSITIONS)
GATES = "IHXYZST"


def after(gates, position):
    state = State([position])
    for gate in gates:
        state.gate(gate, 0)
    return state[0]


# The vectors


def test_gates_of_the_vectors():
    assert {g: cycle768.advance_of(g) for g in GATES} == VECTORS["gate_advancement"]
    for row in VECTORS["single_qubit"]:
        p = after(row["gates"], row["start"])
        assert p == row["position"]
        assert (cycle768.byte(p), cycle768.modality(p)) == (row["byte"], row["modality"])
        assert cycle768.class_of(p) == row["class_by_byte_table"]
        assert cycle768.sector(p) == row["class_by_div8"]


class OldPair:
    """The pair of two_qubit_as_implemented, made of public calls: its CNOT and CZ drop and install a
    constraint whatever the positions mean, which the model itself does not do."""

    def __init__(self, p0, p1):
        self.state = State([p0, p1])

    def install(self):
        total = sum(self.state.positions) % POSITIONS
        self.state.constrain([0, 1], [1, 1], total)

    def apply(self, op):
        if op.startswith("CNOT"):
            control, target = int(op[4]), int(op[5])
            self.state.free(0, 1)
            if self.state[control] != 0:
                if self.state[control] >= HALF:
                    self.state.gate("X", target)
                self.install()
        elif op == "SWAP":
            self.state.swap(0, 1)
        elif op.startswith("CZ"):
            control, target = int(op[2]), int(op[3])
            if self.state[control] >= HALF:
                self.state.gate("Z", target)
                if not self.state.constraints:
                    self.install()
        else:
            self.state.gate(op[0], int(op[1]))


def test_pairs_of_the_vectors():
    for row in VECTORS["two_qubit_as_implemented"]:
        pair = OldPair(row["p0"], row["p1"])
        for op in row["ops"]:
            pair.apply(op)
        assert pair.state.positions == (row["q0"], row["q1"]), row
        sums = [c.sum for c in pair.state.constraints]
        assert sums == ([row["sum_modulo"]] if row["entangled"] else []), row


def test_configurations_of_the_vectors():
    names = {"PhiPlus": "phi+", "PhiMinus": "phi-", "PsiPlus": "psi+", "PsiMinus": "psi-"}
    for row in VECTORS["bell"]:
        state = cycle768.bell(names[row["state"]])
        assert state.positions == (row["q0"], row["q1"])
        assert state.constraints == (((0, 1), (1, 1), row["sum_modulo"]),)
        same = cycle768.value(row["q0"]) == cycle768.value(row["q1"])
        assert same == row["same_basis_value"]
    for n in range(2, 9):
        state = cycle768.ghz(n)
        assert state.positions == (192, *[0] * (n - 1))
        assert state.constraints == ((tuple(range(n)), (1,) * n, 192),)
    assert cycle768.w().positions == (384, 0, 0)
    assert cycle768.w().constraints == (((0, 1, 2), (1, 5, 7), 384),)


def test_constraints_of_the_vectors():
    for row in VECTORS["constraints"]:
        coefficients, positions, free = row["coefficients"], row["positions"], row["free"]
        total = sum(c * p for c, p in zip(coefficients, positions)) % POSITIONS
        assert (total == row["sum_modulo"]) == row["satisfied"]
        rest = total - coefficients[free] * positions[free]
        roots = cycle768.solve_one(coefficients[free], row["sum_modulo"] - rest)
        if math.gcd(coefficients[free], POSITIONS) == 1:
            assert roots == [row["compliant"]]
        else:
            assert row["compliant"] is None  # the old code gave up; there may be solutions
            assert all(
                (coefficients[free] * r + rest - row["sum_modulo"]) % POSITIONS == 0 for r in roots
            )


def test_measurements_of_the_vectors():
    for row in VECTORS["partial_measurement_full"]:
        state, n = State(row["positions"]), len(row["positions"])
        assert sum(row["positions"]) % POSITIONS == row["sum_modulo"]
        state.constrain(range(n), [1] * n, row["sum_modulo"])
        (found,) = state.measure(row["measure"])
        assert cycle768.sector(found) == row["class_by_div8"]
        assert list(state.positions) == row["remaining"]
        (left,) = state.constraints
        assert left == (tuple(range(n - 1)), (1,) * (n - 1), row["remaining_sum_modulo"])


def test_triples_of_the_vectors():
    for row in VECTORS["three_qubit_product"]:
        toffoli, fredkin = State(row["positions"]), State(row["positions"])
        toffoli.toffoli(0, 1, 2)
        fredkin.fredkin(0, 1, 2)
        assert list(toffoli.positions) == row["toffoli_012"]
        assert list(fredkin.positions) == row["fredkin_012"]


def test_thresholds_of_the_vectors():
    for row in VECTORS["born_thresholds_f32"]:
        threshold = cycle768.reading_threshold(row["alpha"], row["beta"])
        assert threshold == row["first_position_reading_one"]
        assert threshold / POSITIONS == row["exact_p0_over_uniform_positions"]
        assert abs(threshold / POSITIONS - row["alpha"] ** 2) < 1 / POSITIONS


# Errors: typed, with values, and the state as it was

# Each row of invalid_inputs: the state, the call and the error that answers it.
INVALID = {
    "qubit(3) on a 3-qubit state": ([1, 2, 3], lambda s: s[3], "IndexOutOfRange"),
    "correlation constraint with sum_modulo 768": (
        [100, 200], lambda s: s.constrain([0, 1], [1, 1], 768), "SumOutOfRange",
    ),
    "entangle positions 100,200 with sum_modulo 192": (
        [100, 200], lambda s: s.constrain([0, 1], [1, 1], 192), "ConstraintViolated",
    ),
    "entangled pair 100,100 with sum_modulo 192": (
        [100, 100], lambda s: s.constrain([0, 1], [1, 1], 192), "ConstraintViolated",
    ),
    "state at position 768": ([0], lambda s: State([768]), "PositionOutOfRange"),
    "superposition alpha 0.5 beta 0.5": (
        [0], lambda s: cycle768.reading_threshold(0.5, 0.5), "NotNormalised",
    ),
    "CNOT with control = target": ([1, 2], lambda s: s.cnot(1, 1), "RepeatedIndex"),
    "gate on qubit 2 of a pair": ([1, 2], lambda s: s.gate("X", 2), "IndexOutOfRange"),
    "GHZ with n = 1": ([0], lambda s: cycle768.ghz(1), "TooFew"),
    "constraint with 3 coefficients on 2 qubits": (
        [1, 2], lambda s: s.constrain([0, 1], [1, 1, 1], 4), "CoefficientCount",
    ),
}  # fmt: skip


@pytest.mark.parametrize("row", VECTORS["invalid_inputs"], ids=lambda row: row["call"])
def test_invalid_inputs_of_the_vectors(row):
    positions, call, kind = INVALID[row["call"]]
    state, before = State(positions), State(positions)
    with pytest.raises(getattr(cycle768, kind)) as caught:
        call(state)
    assert state == before
    # The words are this module's, the numbers those of the row.
    said = set(re.findall(r"\d+(?:\.\d+)?", str(caught.value)))
    assert set(re.findall(r"\d+(?:\.\d+)?", row["expect"])) - {"2"} <= said | {"0.5"}


def test_invalid_inputs():
    def unchanged(state, kind, call, **values):
        before = state.copy()
        with pytest.raises(kind) as caught:
            call()
        assert state == before
        for name, value in values.items():
            assert getattr(caught.value, name) == value
        return str(caught.value)

    three, pair = State([1, 2, 3]), State([100, 200])
    cases = [
        (three, cycle768.IndexOutOfRange, lambda: three[3], {"actual": 3, "expected": 3}),
        (pair, cycle768.SumOutOfRange, lambda: pair.constrain([0, 1], [1, 1], 768), {"actual": 768}),
        (pair, cycle768.SumOutOfRange, lambda: pair.constrain([0, 1], [1, 1], -1), {"actual": -1}),
        (
            pair, cycle768.ConstraintViolated, lambda: pair.constrain([0, 1], [1, 1], 192),
            {"actual": 300, "expected": 192},
        ),
        (pair, cycle768.RepeatedIndex, lambda: pair.cnot(1, 1), {"actual": 1}),
        (pair, cycle768.RepeatedIndex, lambda: pair.constrain([0, 0], [1, 1], 0), {"actual": 0}),
        (pair, cycle768.IndexOutOfRange, lambda: pair.gate("X", 2), {"actual": 2, "expected": 2}),
        (pair, cycle768.IndexOutOfRange, lambda: pair.cnot(0, 2), {"actual": 2}),
        (pair, cycle768.IndexOutOfRange, lambda: pair.swap(2, 0), {"actual": 2}),
        (pair, cycle768.IndexOutOfRange, lambda: pair.measure(0, 2), {"actual": 2}),
        (pair, cycle768.RepeatedIndex, lambda: pair.measure(1, 1), {"actual": 1}),
        (pair, cycle768.TooFew, pair.measure, {"actual": 0, "expected": 1}),
        (pair, cycle768.TooFew, lambda: pair.constrain([], [], 0), {"actual": 0}),
        (
            pair, cycle768.CoefficientCount, lambda: pair.constrain([0, 1], [1, 1, 1], 0),
            {"actual": 3, "expected": 2},
        ),
        (pair, cycle768.PositionOutOfRange, lambda: pair.set(0, 768), {"actual": 768}),
        (pair, cycle768.UnknownGate, lambda: pair.gate("Q", 0), {"actual": ord("Q")}),
        (pair, cycle768.TooFew, lambda: cycle768.ghz(1), {"actual": 1, "expected": 2}),
        (pair, cycle768.PositionOutOfRange, lambda: State([768]), {"actual": 768}),
        (pair, cycle768.NotNormalised, lambda: cycle768.reading_threshold(0.5, 0.5), {}),
        (pair, cycle768.NotNormalised, lambda: cycle768.reading_threshold(math.nan, 0), {}),
        (pair, cycle768.NoSolution, lambda: pair.impose([0], [2], 1), {}),
    ]  # fmt: skip
    messages = [unchanged(state, kind, call, **values) for state, kind, call, values in cases]
    assert "index 3 is out of range, there are 3 elements" in messages
    assert "the positions sum to 300 mod 768, the constraint requires 192" in messages
    assert "position 768 must be in 0..767" in messages
    assert "the squares of the amplitudes sum to 0.5, not to 1" in messages
    # A move that the constraints do not admit.
    state = State([5, 9])
    state.constrain([0], [3], 15)
    unchanged(state, cycle768.NoSolution, lambda: state.advance(0, 1))
    state.advance(0, 256)
    assert state.positions == (261, 9)


# True laws, over all positions

IDENTITIES = [
    # gates, the same as, on the cycle, of matrices: exact, up to a phase, or not
    ("HH", "I", False, "exact"),
    ("XX", "I", True, "exact"),
    ("YY", "I", True, "exact"),
    ("ZZ", "I", True, "exact"),
    ("SS", "Z", True, "exact"),
    ("TT", "S", True, "exact"),
    ("TTTT", "Z", True, "exact"),
    ("TTTTTTTT", "I", True, "exact"),
    ("HXH", "Z", False, "exact"),
    ("HZH", "X", False, "exact"),
    ("HYH", "Y", False, "phase"),
    ("XZ", "ZX", True, "phase"),
    ("XY", "Z", False, "phase"),
    ("ZX", "Y", False, "phase"),
    ("SXSSS", "Y", True, "exact"),
    ("HSHSHS", "I", False, "phase"),
    ("HHHH", "I", True, "exact"),
    ("H", "S", True, "no"),
    ("X", "Z", True, "no"),
    ("X", "Y", True, "no"),
    ("HH", "X", True, "no"),
]


def matrix(gates):
    columns = []
    for x in range(2):
        circuit = qsim.Circuit(1)
        if x:
            circuit.x(0)
        for gate in reversed(gates):  # the right one acts first
            circuit.gate({"I": "id"}.get(gate, gate.lower()), 0)
        columns.append(circuit.state())
    return np.array(columns).T


@pytest.mark.parametrize(("left", "right", "cycle", "quantum"), IDENTITIES)
def test_identities(left, right, cycle, quantum):
    holds = [after(left, p) == after(right, p) for p in ALL]
    assert all(holds) if cycle else not any(holds)
    a, b = matrix(left), matrix(right)
    at = np.unravel_index(np.abs(b).argmax(), (2, 2))
    factor = a[at] / b[at]
    kind = "no"
    if abs(abs(factor) - 1) < 1e-9 and np.abs(a - factor * b).max() < 1e-12:
        kind = "exact" if abs(factor - 1) < 1e-12 else "phase"
    assert kind == quantum


def test_gates_commute_and_t_generates_the_phases():
    for p in ALL:
        for a, b in itertools.combinations(GATES, 2):
            assert after(a + b, p) == after(b + a, p)
    angles = {round(math.degrees(2 * math.pi * cycle768.advance_of(g) / POSITIONS)) for g in "ITSZ"}
    assert angles == {0, 45, 90, 180}


def test_readings_over_all_positions():
    classes = [cycle768.class_of(p) for p in ALL]
    sectors = [cycle768.sector(p) for p in ALL]
    assert set(np.bincount(classes).tolist()) == {6, 12} and len(set(classes)) == 96
    assert set(np.bincount(sectors).tolist()) == {8}
    assert sum(cycle768.value(p) for p in ALL) == 384
    assert (classes[192], sectors[192]) == (72, 24)  # two rules, two names
    for p in ALL:
        assert cycle768.byte(p) + 256 * cycle768.modality(p) == p
        assert cycle768.distance(p, 0) == min(p, POSITIONS - p)
        assert cycle768.distance(p, (p + 384) % POSITIONS) == 384


def test_reversible_gates():
    edges = (0, 383, 384, 767, 100, 500)
    for positions in itertools.product(edges, repeat=3):
        for name, operands in (
            ("cnot", (0, 1)),
            ("cz", (2, 0)),
            ("toffoli", (0, 1, 2)),
            ("ccz", (2, 1, 0)),
            ("swap", (1, 2)),
            ("fredkin", (2, 0, 1)),
        ):
            state = State(positions)
            total = (positions[0] + 5 * positions[1] + 2 * positions[2]) % POSITIONS
            state.constrain([0, 1, 2], [1, 5, 2], total)
            before = state.copy()
            getattr(state, name)(*operands)
            check_constraints(state)
            getattr(state, name)(*operands)
            assert state == before
    # On 0 and 384 they are the classical gates. CZ is CNOT, since Z is X here.
    for bits in itertools.product((0, 1), repeat=3):
        state = State([HALF * bit for bit in bits])
        state.toffoli(0, 1, 2)
        assert state.positions == (
            *(HALF * b for b in bits[:2]),
            HALF * (bits[2] ^ bits[0] & bits[1]),
        )


def test_cz_is_not_symmetric():
    for pair, expected in (((384, 0), (384, 384)), ((0, 384), (0, 384)), ((384, 384), (384, 0))):
        state, other = State(pair), State(pair)
        state.cz(0, 1)
        other.cnot(0, 1)
        assert state == other and state.positions == expected


def check_constraints(state):
    for indices, coefficients, total in state.constraints:
        assert sum(c * state[i] for i, c in zip(indices, coefficients)) % POSITIONS == total


def test_a_pair_follows():
    for p in ALL:
        state = cycle768.bell("phi+")
        state.set(0, p)
        assert state.positions == (p, (192 - p) % POSITIONS)
        state = cycle768.bell("psi+")
        state.set(1, p)
        assert state.positions == ((576 - p) % POSITIONS, p)


def test_setting_one_of_three_leaves_no_violation():
    state = cycle768.ghz(3)
    state.set(0, 100)  # the old model left (100, 0, 0)
    assert state.positions == (100, 92, 0)
    check_constraints(state)


def test_chains_and_cnot_keeps_what_it_does_not_touch():
    state = State([10, 20, 30, 40])
    state.constrain([1, 2], [1, 1], 50)
    state.constrain([2, 3], [1, -1], 758)
    state.cnot(0, 3)
    assert len(state.constraints) == 2
    state.set(1, 60)
    check_constraints(state)
    assert state[1] == 60 and state.positions[0] == 10
    state.measure(1)
    assert [c.indices for c in state.constraints] == [(1,), (1, 2)]  # not by equal position


def test_random_states_keep_their_constraints():
    rng = np.random.default_rng(1)
    for _ in range(60):
        n = int(rng.integers(2, 6))
        state = State(rng.integers(0, POSITIONS, n).tolist())
        for _ in range(int(rng.integers(1, 4))):
            size = int(rng.integers(1, n + 1))
            try:
                state.impose(rng.permutation(n)[:size].tolist(), rng.integers(-9, 10, size).tolist(),
                             int(rng.integers(0, POSITIONS)))  # fmt: skip
            except cycle768.NoSolution:
                pass
            check_constraints(state)
        for _ in range(10):
            before = state.copy()
            index, by = int(rng.integers(0, n)), int(rng.integers(-(10**12), 10**12))
            try:
                state.advance(index, by)
                assert state[index] == (before[index] + by) % POSITIONS
            except cycle768.NoSolution:
                assert state == before
                rows, right = rows_of(before)
                unit = [int(k == index) for k in range(n)]
                assert cycle768.solve([*rows, unit], [*right, before[index] + by]).count() == 0
            check_constraints(state)


def rows_of(state):
    rows = []
    for indices, coefficients, _ in state.constraints:
        row = [0] * len(state)
        for i, c in zip(indices, coefficients):
            row[i] = c
        rows.append(row)
    return rows, [c.sum for c in state.constraints]


# The solver


def test_one_equation_has_gcd_many_solutions():
    for c in (*range(40), 255, 256, 257, 384, 512, 767):
        g = math.gcd(c, POSITIONS)
        for v in range(0, POSITIONS, 7):
            roots = cycle768.solve_one(c, v)
            assert len(roots) == (g if v % g == 0 else 0)
            solved = cycle768.solve([[c]], [v])
            assert sorted(solved) == [(r,) for r in roots] and solved.count() == len(roots)


def test_counts_of_one_equation_in_many_unknowns():
    rng = np.random.default_rng(2)
    for _ in range(300):
        n = int(rng.integers(1, 5))
        row = rng.integers(0, POSITIONS, n).tolist()
        v = int(rng.integers(0, POSITIONS))
        g = math.gcd(*row, POSITIONS)
        expected = POSITIONS ** (n - 1) * g if v % g == 0 else 0
        assert cycle768.solve([row], [v]).count() == expected


def test_systems_against_all_pairs():
    rng = np.random.default_rng(3)
    x, y = np.meshgrid(np.arange(POSITIONS), np.arange(POSITIONS), indexing="ij")
    outcomes = set()
    for round_ in range(25):
        m = int(rng.integers(1, 4))
        scale = int(rng.choice([1, 2, 3, 16, 48, 256]))
        rows = rng.integers(0, POSITIONS, (m, 2)) * scale % POSITIONS
        right = rows @ rng.integers(0, POSITIONS, 2) + (round_ % 3 == 0) * rng.integers(0, 2, m)
        good = np.ones(x.shape, bool)
        for (a, b), v in zip(rows.tolist(), right.tolist()):
            good &= (a * x + b * y - v) % POSITIONS == 0
        solved = cycle768.solve(rows.tolist(), right.tolist())
        outcomes.add(bool(good.any()))
        assert solved.count() == good.sum()
        orders = [generator.order for generator in solved.generators]
        assert all(b % a == 0 for a, b in itertools.pairwise(orders))  # the form of Smith
        if solved.count() <= 20_000:
            assert sorted(solved) == sorted(zip(*(part.tolist() for part in np.nonzero(good))))
        check_proof(rows, right, solved)
    assert outcomes == {True, False}


def check_proof(rows, right, solved):
    """A proof of none can be checked without the solver: multiples of the rows that vanish."""
    if solved.particular is not None:
        assert solved.contradiction is None
        return
    multiples, remainder = solved.contradiction
    rows, multiples = np.array(rows).reshape(len(right), -1), np.array(multiples)
    assert not np.any(multiples @ rows % POSITIONS)
    assert int(multiples @ np.array(right)) % POSITIONS == remainder != 0


def test_large_systems():
    rng = np.random.default_rng(4)
    for m, n in ((5, 8), (8, 5), (20, 20), (1, 30), (30, 30)):
        rows = rng.integers(-9, 10, (m, n))
        point = rng.integers(0, POSITIONS, n)
        right = rows @ point
        solved = cycle768.solve(rows.tolist(), right.tolist())
        assert solved.particular is not None
        for k, x in enumerate(solved):
            assert not np.any((rows @ np.array(x) - right) % POSITIONS)
            if k == 20:
                break
        rows[-1] = 2 * rows[0] if m > 1 else 2
        right = rows @ point
        right[-1] += 1
        solved = cycle768.solve(rows.tolist(), right.tolist())
        assert solved.particular is None and list(solved) == []
        check_proof(rows, right, solved)


def test_orders_do_not_depend_on_how_the_system_is_written():
    rng = np.random.default_rng(5)
    seen = set()
    for _ in range(60):
        m, n = (int(k) for k in rng.integers(1, 6, 2))
        rows = rng.integers(0, POSITIONS, (m, n)) * rng.choice([1, 2, 3, 6, 16, 48], (m, n))
        right = rows @ rng.integers(0, POSITIONS, n)
        expected = [g.order for g in cycle768.solve(rows.tolist(), right.tolist()).generators]
        seen.add(tuple(expected))
        for _ in range(5):
            # Other equations of the same solutions: rows are added to each other and exchanged.
            mixed, side = rows.copy(), right.copy()
            for _ in range(6 if m > 1 else 0):
                a, b = rng.permutation(m)[:2]
                k = int(rng.integers(0, POSITIONS))
                mixed[a] = (mixed[a] + k * mixed[b]) % POSITIONS
                side[a] = (side[a] + k * side[b]) % POSITIONS
            places, lines = rng.permutation(n), rng.permutation(m)
            solved = cycle768.solve(mixed[lines][:, places].tolist(), side[lines].tolist())
            assert [g.order for g in solved.generators] == expected
    assert len(seen) > 10


def test_empty_systems():
    assert cycle768.solve([], []).count() == 1
    assert cycle768.solve([[]], [0]).count() == 1
    assert cycle768.solve([[]], [1]).particular is None
    with pytest.raises(ValueError, match="different lengths"):
        cycle768.solve([[1], [1, 2]], [0, 0])
    with pytest.raises(ValueError, match="right side"):
        cycle768.solve([[1]], [])


# What is not true


def test_constraints_do_not_encode_the_correlation_of_their_names():
    for which, agree in (("phi+", 386), ("psi+", 382)):
        total = cycle768.bell(which).constraints[0].sum
        pairs = [(p, (total - p) % POSITIONS) for p in ALL]
        assert sum(cycle768.value(a) == cycle768.value(b) for a, b in pairs) == agree
    assert cycle768.bell("phi+").admitted().count() == POSITIONS


def test_h_is_s_and_all_of_xyz_are_one_map():
    for p in ALL:
        assert after("H", p) == after("S", p)
        assert after("X", p) == after("Y", p) == after("Z", p)
