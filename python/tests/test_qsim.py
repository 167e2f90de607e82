"""hologram.qsim: circuits against matrices of NumPy, states and algorithms against what they promise."""

from __future__ import annotations

import math
import zlib

import numpy as np
import pytest

import hologram as hg
from hologram import qsim

ROOT = math.sqrt(0.5)


def test_a_state_and_counts():
    circuit = qsim.Circuit(2).h(0).cx(0, 1)
    state = circuit.state()
    assert state.dtype == np.complex128 and np.allclose(state, [ROOT, 0, 0, ROOT], atol=1e-15)
    counts = circuit.measure_all().counts(1000, seed=3)
    assert set(counts) == {"00", "11"} and sum(counts.values()) == 1000
    assert counts == circuit.counts(1000, seed=3) != circuit.counts(1000, seed=4)
    assert set(circuit.counts(100, dtype="complex64")) == {"00", "11"}


@pytest.mark.parametrize(
    ("which", "expected"),
    [
        ("phi+", [ROOT, 0, 0, ROOT]),
        ("phi-", [ROOT, 0, 0, -ROOT]),
        ("psi+", [0, ROOT, ROOT, 0]),
        ("psi-", [0, -ROOT, ROOT, 0]),
    ],
)
def test_bell(which, expected):
    assert np.allclose(qsim.bell(which).state(), expected, atol=1e-15)


def test_ghz_and_w():
    for n in range(2, 9):
        ghz, w = np.zeros(2**n), np.zeros(2**n)
        ghz[0] = ghz[-1] = ROOT
        w[[2**k for k in range(n)]] = 1 / math.sqrt(n)
        assert np.allclose(qsim.ghz(n).state(), ghz, atol=1e-14)
        assert np.allclose(qsim.w(n).state(), w, atol=1e-14)


def test_fourier_is_that_of_numpy():
    for n in (1, 2, 3, 6):
        for x in {0, 1, 2**n - 1}:
            circuit = qsim.Circuit(n)
            for qubit in range(n):
                if x >> qubit & 1:
                    circuit.x(qubit)
            basis = np.zeros(2**n)
            basis[x] = 1
            expected = np.fft.ifft(basis, norm="ortho")
            assert np.allclose(circuit.extend(qsim.fourier(n)).state(), expected, atol=1e-13)


def test_what_is_taken_back():
    rng = np.random.default_rng(1)
    circuit = qsim.Circuit(4)
    for _ in range(60):
        a, b, c = rng.permutation(4)[:3].tolist()
        angle = float(rng.uniform(-3, 3))
        circuit.rx(angle, a).cp(angle, a, b).u(angle, 1, 2, c).ccx(a, b, c).sx(a).cu3(
            1, angle, 2, a, b
        )
        circuit.t(b).crz(angle, a, c).mcp(angle, [a, b], c).swap(a, b).rzz(angle, a, b)
    state = circuit.extend(circuit.inverse()).state()
    assert abs(state[0] - 1) < 1e-12 and np.abs(state[1:]).max() < 1e-12


def test_deutsch_jozsa():
    for n in (1, 2, 4):
        assert qsim.deutsch_jozsa(lambda x: 0, n) == (True, pytest.approx(1))
        assert qsim.deutsch_jozsa(lambda x: 1, n) == (True, pytest.approx(1))
        assert qsim.deutsch_jozsa(lambda x: x & 1, n) == (False, pytest.approx(0))
        half = set(np.random.default_rng(n).permutation(2**n)[: 2 ** (n - 1)].tolist())
        assert not qsim.deutsch_jozsa(lambda x: x in half, n).constant
    with pytest.raises(hg.ArgumentError, match="neither constant nor balanced"):
        qsim.deutsch_jozsa(lambda x: x == 1, 3)


def test_bernstein_vazirani():
    for secret in range(16):
        assert qsim.bernstein_vazirani(lambda x: (x & secret).bit_count() & 1, 4) == secret
    with pytest.raises(hg.ArgumentError, match="not the parity"):
        qsim.bernstein_vazirani(lambda x: x > 4, 3)


@pytest.mark.parametrize("qubits", [2, 3, 5, 8])
def test_grover(qubits):
    for marked in ({1}, {0, 2 ** (qubits - 1)} if qubits > 2 else {3}):
        rounds = qsim.grover_rounds(qubits, len(marked))
        angle = math.asin(math.sqrt(len(marked) / 2**qubits))
        found = qsim.grover(qubits, lambda x: x in marked).probabilities()[sorted(marked)].sum()
        assert found == pytest.approx(math.sin((2 * rounds + 1) * angle) ** 2)
        assert found > 0.85
    assert qsim.grover_rounds(10, 1) == 25  # pi / 4 * sqrt(1024)


@pytest.mark.parametrize("turn", [0.0, 0.25, 0.3, 0.9999, 5 / 16])
def test_phase_estimation(turn):
    digits = 5
    counts = qsim.phase_estimation(digits, turn).counts(2000, seed=2)
    best = max(counts, key=counts.get)
    assert int(best, 2) == round(turn * 2**digits) % 2**digits
    assert counts[best] / 2000 > 4 / math.pi**2 - 0.05


def test_phase_estimation_of_circuits():
    # e^(-i t/2) of rx(t) on |+>, and another number of qubits.
    for turn in (0.25, 0.3, 5 / 16):
        rotation = qsim.Circuit(1).rx(-4 * math.pi * turn, 0)
        counts = qsim.phase_estimation(5, rotation, qsim.Circuit(1).h(0)).counts(2000, seed=3)
        best = max(counts, key=counts.get)
        assert int(best, 2) == round(turn * 32) and counts[best] / 2000 > 4 / math.pi**2 - 0.05
    # Order finding: x to 7 x modulo 15 has order 4, so that |1> shows multiples of a quarter.
    times7 = qsim.Circuit(4).swap(2, 3).swap(1, 2).swap(0, 1)
    for qubit in range(4):
        times7.x(qubit)
    counts = qsim.phase_estimation(4, times7, qsim.Circuit(4).x(0)).counts(4000, seed=1)
    assert set(counts) == {"0000", "0100", "1000", "1100"}
    assert all(abs(count - 1000) < 150 for count in counts.values())
    with pytest.raises(hg.ArgumentError, match="rzz cannot be controlled"):
        qsim.phase_estimation(3, qsim.Circuit(2).rzz(1, 0, 1))


def test_controlled_circuits():
    circuit = random_circuit(3, 40, 5)
    circuit._operations = [op for op in circuit._operations if op[0] not in ("rxx", "rzz")]
    state, zero = circuit.state(), np.eye(1, 8)[0]
    assert np.abs(circuit.controlled().state()[:8] - zero).max() < 1e-12
    on = qsim.Circuit(4).x(3).extend(circuit.controlled()).state()
    assert np.abs(on[8:] - state).max() < 1e-12 and np.abs(on[:8]).max() == 0


def test_single_precision_and_threads():
    circuit = qsim.Circuit(10)
    for qubit in range(10):
        circuit.ry(0.3 * qubit + 0.1, qubit)
    circuit.extend(qsim.fourier(10))
    state = circuit.state()
    single = circuit.state(dtype=np.complex64, threads=2)
    assert single.dtype == np.complex64 and np.abs(single - state).max() < 1e-6
    assert np.array_equal(state, circuit.state(threads=3))
    assert np.abs(state - circuit.state(fuse=False)).max() < 1e-15
    assert circuit.probabilities().sum() == pytest.approx(1)


def test_texts_of_both_versions():
    two = qsim.parse('OPENQASM 2.0; include "qelib1.inc"; qreg q[2]; creg c[1]; h q[0]; cx q[0],q[1];'
                     "measure q[1] -> c[0];")  # fmt: skip
    three = qsim.parse(
        'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit c; h q[0]; ctrl @ x q[0], q[1];'
        "c = measure q[1];"
    )
    assert two.counts(500, 9) == three.counts(500, 9)
    assert np.array_equal(two.state(), three.state())


def test_conditions_of_version_3():
    text = (
        'OPENQASM 3; include "stdgates.inc"; qubit[2] q; bit[2] c; x q[0]; c[0] = measure q[0];'
        "if (c == 1) { x q[1]; inv @ s q[1]; } c[1] = measure q[1];"
    )
    assert qsim.parse(text).counts(20) == {"11": 20}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("for uint i in [0:3] { h q[0]; }", "'for' is not supported"),
        ("ctrl(0) @ x q[0];", "ctrl takes 1 to 25 controls, not 0"),
        ("ctrl @ x q[0];", "acts on more than 1 qubit"),
        ("ctrl @ x q[0], q[0];", "needs different qubits"),
        ("c = h q[0];", "expected measure, found 'h'"),
        ("ctrl x q[0], q[1];", "expected '@', found 'x'"),
        ("inv @ rzz(1) q[0], q[1];", "rzz is made of other gates"),
        ("c = measure q[0];", "measure takes one qubit to one bit"),
    ],
)
def test_what_version_3_has_not(body, message):
    head = 'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c;'
    with pytest.raises(hg.CompileError, match=message.replace("(", "\\(")):
        qsim.parse(head + body).state()


def test_drawings():
    circuit = qsim.Circuit(2).h(0).cx(0, 1).measure_all()
    svg, bars = circuit.svg(), circuit.histogram(1000, 3)
    assert svg.startswith("<svg ") and ">H</text>" in svg and svg.count("<circle") == 2
    for text, count in circuit.counts(1000, 3).items():
        assert f">{text}</text>" in bars and f">{count}</text>" in bars


def pixels_of(png):
    """Width, height and rows of a gray PNG, read by the format's rules."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(png):
        size, name = int.from_bytes(png[at : at + 4], "big"), png[at + 4 : at + 8]
        chunks[name] = png[at + 8 : at + 8 + size]
        check = int.from_bytes(png[at + 8 + size : at + 12 + size], "big")
        assert check == zlib.crc32(name + chunks[name])
        at += 12 + size
    width, height = (int.from_bytes(chunks[b"IHDR"][k : k + 4], "big") for k in (0, 4))
    assert chunks[b"IHDR"][8:] == bytes([8, 0, 0, 0, 0]) and list(chunks)[-1] == b"IEND"
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, width + 1)
    assert not rows[:, 0].any()
    return rows[:, 1:]


def test_drawings_as_pixels():
    circuit = qsim.Circuit(2).h(0).cx(0, 1).measure_all()
    for picture, svg in (
        (circuit.png(), circuit.svg()),
        (circuit.histogram_png(1000, 3), circuit.histogram(1000, 3)),
    ):
        pixels = pixels_of(picture)
        height, width = pixels.shape
        assert f'width="{width}" height="{height}"' in svg
        assert 0.005 < (pixels < 128).mean() < 0.6 and (pixels == 255).mean() > 0.4
    assert circuit.png() != qsim.Circuit(2).h(0).png()


def test_circuits_that_were_read_are_not_changed():
    text = 'OPENQASM 2.0; include "qelib1.inc"; qreg q[3]; creg c[2]; h q; cx q[0],q[1];'
    circuit = qsim.parse(text)
    assert (circuit.qubits, circuit.bits, len(circuit)) == (3, 2, 4)
    assert circuit.svg() and circuit.png()
    for call in (
        lambda: circuit.h(0),
        lambda: qsim.Circuit(3).extend(circuit),
        circuit.inverse,
        circuit.measure_all,
    ):
        with pytest.raises(hg.ArgumentError, match="was read|do not fit"):
            call()
    with pytest.raises(hg.CompileError, match="bell.qasm:1:"):
        qsim.parse("OPENQASM 9;", "bell.qasm")


def test_circuits_that_are_refused():
    for call, message in (
        (lambda: qsim.Circuit(0), "1 to 26 qubits, not 0"),
        (lambda: qsim.Circuit(27), "1 to 26 qubits, not 27"),
        (lambda: qsim.Circuit(2).h(2), "qubit 2 does not exist"),
        (lambda: qsim.Circuit(2).h(-1), "qubit -1 does not exist"),
        (lambda: qsim.Circuit(2).cx(1, 1), "different qubits"),
        (lambda: qsim.Circuit(2).rx(0), "rx has 1 parameters and acts on 1 qubits, found 1"),
        (lambda: qsim.Circuit(2).rx(math.nan, 0), "angles must be finite"),
        (lambda: qsim.Circuit(2).gate("foo", 1), "there is no gate 'foo'"),
        (lambda: qsim.Circuit(2, 1).measure(0, 1), "bit 1 does not exist"),
        (lambda: qsim.Circuit(2, 1).measure_all(), "do not fit"),
        (lambda: qsim.Circuit(1).measure(0, 0).inverse(), "measure has no inverse"),
        (lambda: qsim.Circuit(1).state(dtype=float), "expected complex64 or complex128"),
        (lambda: qsim.Circuit(1).counts(), "nothing is measured"),
        (lambda: qsim.Circuit(1).measure(0, 0).counts(0), "expected 1 to 1000000 shots"),
        (lambda: qsim.Circuit(1).h(0).reset(0).state(), "no one final state"),
        (lambda: qsim.bell("x"), "expected phi"),
        (lambda: qsim.grover(2, lambda x: False), "0 of 4 are marked"),
    ):
        with pytest.raises(hg.Error, match=message):
            call()
    with pytest.raises(AttributeError, match="no gate 'foo'"):
        getattr(qsim.Circuit(1), "foo")  # noqa: B009


# The kernels


def random_circuit(qubits, count, seed):
    rng = np.random.default_rng(seed)
    gates = {
        **dict.fromkeys("x y z h s sdg t sx".split(), (0, 1)),
        **dict.fromkeys("p rx ry rz".split(), (1, 1)),
        "u": (3, 1),
        **dict.fromkeys("cx cy cz ch csx swap".split(), (0, 2)),
        **dict.fromkeys("cp crx cry crz rxx rzz".split(), (1, 2)),
        **dict.fromkeys("ccx cswap".split(), (0, 3)),
        "c3x": (0, 4),
    }
    names = [name for name, (_, operands) in gates.items() if operands <= qubits]
    circuit = qsim.Circuit(qubits)
    for name in rng.choice(names, count).tolist():
        parameters, operands = gates[name]
        places = rng.permutation(qubits)[:operands].tolist()
        circuit.gate(name, *rng.uniform(-6, 6, parameters).tolist(), *places)
    return circuit


@pytest.mark.parametrize("qubits", [1, 2, 3, 4, 5, 7, 10, 13, 15])
def test_gates_as_kernels(qubits):
    for seed in range(3):
        circuit = random_circuit(qubits, 120, seed)
        expected = circuit.state()
        for options in ({}, {"fuse": False}, {"threads": 1}):
            state = circuit.state(engine="kernels", **options)
            assert state.dtype == np.complex128 and np.abs(state - expected).max() < 1e-13
        single = circuit.state(engine="kernels", dtype="complex64")
        assert single.dtype == np.complex64 and np.abs(single - expected).max() < 2e-5


def test_kernels_are_native_verified_and_independent_of_threads():
    for name in ("gate_pass_f32", "gate_pass_f64", "gate_join_f32", "gate_join_f64"):
        kernel = hg.library.kernel(name)
        assert kernel.path.startswith("native")
        assert "launches are refused, unless" not in kernel.explain()  # no race is possible
    circuit = random_circuit(14, 100, 7)
    bits = [circuit.state(engine="kernels", threads=k) for k in (1, 2, 3)]
    assert np.array_equal(bits[0], bits[1]) and np.array_equal(bits[0], bits[2])


def test_algorithms_on_kernels():
    search = qsim.grover(6, lambda x: x == 11)
    assert search.measure_all().counts(engine="kernels")["001011"] > 1000
    assert qsim.bell().measure_all().counts(500, 3, engine="kernels", dtype="complex64") == (
        qsim.bell().measure_all().counts(500, 3)
    )
    search = qsim.grover(6, lambda x: x == 11)
    assert search.probabilities(engine="kernels")[11] > 0.99
    assert np.allclose(qsim.ghz(9).state(engine="kernels")[[0, -1]], ROOT, atol=1e-15)
    later = qsim.Circuit(1).h(0).measure(0, 0).h(0)
    with pytest.raises(
        hg.UnsupportedError, match="kernels are for circuits that are computed once"
    ):
        later.counts(engine="kernels")
    with pytest.raises(hg.ArgumentError, match="engine: expected tiles or kernels"):
        qsim.bell().state(engine="gpu")
    with pytest.raises(hg.ArgumentError, match="no one final state"):
        qsim.Circuit(1).h(0).reset(0).state(engine="kernels")
