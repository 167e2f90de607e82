"""hologram.qsim against Qiskit Aer: amplitudes to 1e-12 (scripts/mission.sh, part of make test-more)."""

from __future__ import annotations

import numpy as np
import pytest

qiskit = pytest.importorskip("qiskit")
aer = pytest.importorskip("qiskit_aer")

from hologram import qsim  # noqa: E402

# Those that both have, by one name.
GATES = {
    **dict.fromkeys("id x y z h s sdg t tdg sx sxdg".split(), (0, 1)),
    **dict.fromkeys("p rx ry rz".split(), (1, 1)),
    "u": (3, 1),
    **dict.fromkeys("cx cy cz ch csx swap".split(), (0, 2)),
    **dict.fromkeys("cp crx cry crz rxx rzz".split(), (1, 2)),
    "cu": (4, 2),
    **dict.fromkeys("ccx cswap rccx".split(), (0, 3)),
}


def pair(qubits, count, seed):
    rng = np.random.default_rng(seed)
    ours, theirs = qsim.Circuit(qubits), qiskit.QuantumCircuit(qubits)
    names = [name for name, (_, operands) in GATES.items() if operands <= qubits]
    for name in rng.choice(names, count).tolist():
        parameters, operands = GATES[name]
        angles = rng.uniform(-6, 6, parameters).tolist()
        places = rng.permutation(qubits)[:operands].tolist()
        ours.gate(name, *angles, *places)
        getattr(theirs, name)(*angles, *places)
    return ours, theirs


def state_of(circuit):
    circuit = circuit.copy()
    circuit.save_statevector()
    basis = aer.AerSimulator(method="statevector", max_parallel_threads=2)
    done = basis.run(qiskit.transpile(circuit, basis, optimization_level=0)).result()
    return np.asarray(done.get_statevector())


@pytest.mark.parametrize("qubits", [1, 2, 3, 5, 8, 13, 16, 18])
def test_random_circuits(qubits):
    for seed in range(4 if qubits < 16 else 1):
        ours, theirs = pair(qubits, 150, seed)
        expected = state_of(theirs)
        assert np.abs(ours.state() - expected).max() < 1e-12
        assert np.abs(ours.state(fuse=False, threads=1) - expected).max() < 1e-12
        assert np.abs(ours.state(dtype="complex64") - expected).max() < 1e-5
        assert np.abs(ours.state(engine="kernels") - expected).max() < 1e-12
        assert np.abs(ours.state(engine="kernels", dtype="complex64") - expected).max() < 1e-5


def test_the_text_of_qiskit():
    from qiskit import qasm2, qasm3

    _, theirs = pair(4, 60, 9)
    expected = state_of(theirs)
    assert np.abs(qsim.parse(qasm2.dumps(theirs)).state() - expected).max() < 1e-12
    simple = qiskit.QuantumCircuit(3, 2)
    simple.h(0)
    simple.cx(0, 1)
    simple.rx(0.3, 2)
    simple.append(qiskit.circuit.library.XGate().control(2), [0, 1, 2])
    expected = state_of(simple)
    simple.measure([0, 1], [0, 1])
    assert np.abs(qsim.parse(qasm3.dumps(simple)).state() - expected).max() < 1e-12
