"""Circuits, made gate by gate."""

from __future__ import annotations

import math
import struct
import zlib
from typing import TYPE_CHECKING, Any

from hologram import _native
from hologram.bars import Line
from hologram.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

_HEAD = 'OPENQASM 3.0;\ninclude "stdgates.inc";\n'
_MOST_QUBITS = 26
# Name, parameters, qubits: the gates of qelib1.inc, as docs/qsim.md lists them.
_GATES = {
    **dict.fromkeys("id x y z h s sdg t tdg sx sxdg".split(), (0, 1)),
    **dict.fromkeys("p u1 rx ry rz".split(), (1, 1)),
    "u2": (2, 1),
    **dict.fromkeys("u u3".split(), (3, 1)),
    **dict.fromkeys("cx cy cz ch csx swap".split(), (0, 2)),
    **dict.fromkeys("crx cry crz cu1 cp rxx rzz".split(), (1, 2)),
    "cu3": (3, 2),
    "cu": (4, 2),
    **dict.fromkeys("ccx cswap rccx".split(), (0, 3)),
    **dict.fromkeys("c3x c3sqrtx rc3x".split(), (0, 4)),
    "c4x": (0, 5),
}


class Circuit:
    """Gates on `qubits` qubits, 1 to 26, and measurements into `bits` bits, as many if not given.

    Every gate of docs/qsim.md is a method: parameters first, then qubits, the controls before the
    target: `c.rx(0.5, 2)`, `c.cx(0, 1)`. They return the circuit, so that calls can be chained, and
    raise ArgumentError for qubits that are not there.
    """

    def __init__(self, qubits: int, bits: int | None = None) -> None:
        if not 1 <= qubits <= _MOST_QUBITS:
            raise ArgumentError(f"a circuit has 1 to {_MOST_QUBITS} qubits, not {qubits}")
        self.qubits = qubits
        self.bits = qubits if bits is None else bits
        # Name, angles, qubits, and the bit of a measurement or the number of added controls.
        self._operations: list[tuple[str, tuple[float, ...], tuple[int, ...], int]] = []

    def __len__(self) -> int:
        """The number of gates, measurements and resets."""
        return len(self._operations)

    def __repr__(self) -> str:
        return f"<hologram.qsim.Circuit of {self.qubits} qubits, {len(self)} operations>"

    def gate(self, name: str, *operands: float) -> Circuit:
        """A gate by its name: its parameters, then its qubits."""
        if name not in _GATES:
            raise ArgumentError(f"there is no gate '{name}'; docs/qsim.md lists them")
        parameters, qubits = _GATES[name]
        if len(operands) != parameters + qubits:
            raise ArgumentError(
                f"{name} has {parameters} parameters and acts on {qubits} qubits, "
                f"found {len(operands)} operands"
            )
        angles = [float(angle) for angle in operands[:parameters]]
        if not all(math.isfinite(angle) for angle in angles):
            raise ArgumentError(f"{name}: angles must be finite")
        self._operations.append((name, tuple(angles), self._checked(operands[parameters:]), 0))
        return self

    def __getattr__(self, name: str) -> Any:
        if name not in _GATES:
            raise AttributeError(f"a circuit has no gate '{name}'", name=name, obj=self)
        return lambda *operands: self.gate(name, *operands)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_GATES})

    def mcx(self, controls: Sequence[int], target: int) -> Circuit:
        """Exchanges 0 and 1 of the target where all controls are 1; any number of controls."""
        return self._controlled("x", (), controls, target)

    def mcz(self, controls: Sequence[int], target: int) -> Circuit:
        """Turns the sign where controls and target are 1; any number of controls."""
        return self._controlled("z", (), controls, target)

    def mcp(self, angle: float, controls: Sequence[int], target: int) -> Circuit:
        """The phase e^(i angle) where controls and target are 1; any number of controls."""
        return self._controlled("p", (float(angle),), controls, target)

    def _controlled(
        self, name: str, angles: tuple[float, ...], controls: Sequence[int], target: int
    ) -> Circuit:
        self._operations.append((name, angles, self._checked([*controls, target]), len(controls)))
        return self

    def barrier(self) -> Circuit:
        """No gate; a line in the drawing."""
        self._operations.append(("barrier", (), (), 0))
        return self

    def measure(self, qubit: int, bit: int) -> Circuit:
        """Measures a qubit into a bit."""
        if not 0 <= bit < self.bits:
            raise ArgumentError(f"bit {bit} does not exist: there are {self.bits}, from 0")
        self._operations.append(("measure", (), self._checked([qubit]), bit))
        return self

    def measure_all(self) -> Circuit:
        """Measures each qubit into the bit of its number."""
        if self.bits < self.qubits:
            raise ArgumentError(f"{self.qubits} qubits do not fit into {self.bits} bits")
        for qubit in range(self.qubits):
            self.measure(qubit, qubit)
        return self

    def reset(self, qubit: int) -> Circuit:
        """Makes a qubit 0."""
        self._operations.append(("reset", (), self._checked([qubit]), 0))
        return self

    def extend(self, other: Circuit, qubits: Sequence[int] | None = None) -> Circuit:
        """Appends the operations of another circuit, its qubit k as `qubits[k]`, or as k."""
        places = list(range(other.qubits)) if qubits is None else list(qubits)
        if len(places) != other.qubits:
            raise ArgumentError(f"expected {other.qubits} qubits, found {len(places)}")
        self._checked(places)
        for name, angles, operands, number in other._operations:
            moved = tuple(places[qubit] for qubit in operands)
            self._operations.append((name, angles, moved, number))
        return self

    def inverse(self) -> Circuit:
        """The circuit that takes this one back. Raises ArgumentError for one that measures, resets,
        or has a gate whose inverse is none of the gates."""
        turned = Circuit(self.qubits, self.bits)
        for name, angles, operands, number in reversed(self._operations):
            turned._operations.append((*_inverted(name, angles), operands, number))
        return turned

    def controlled(self) -> Circuit:
        """The circuit with one more qubit, the last, which controls all of its gates. Raises
        ArgumentError for one that measures, resets, or has a gate that is made of others."""
        made = Circuit(self.qubits + 1)
        for name, angles, operands, number in self._operations:
            if name in _UNCONTROLLED:
                raise ArgumentError(f"{name} cannot be controlled")
            if name == "barrier":
                made.barrier()
                continue
            made._operations.append((name, angles, (self.qubits, *operands), number + 1))
        return made

    def qasm(self) -> str:
        """The circuit in OpenQASM 3, which all of hologram reads."""
        bits = f"bit[{self.bits}] c;\n" if self.bits else ""
        lines = [_line(*operation) for operation in self._operations]
        return f"{_HEAD}qubit[{self.qubits}] q;\n{bits}" + "\n".join(lines) + "\n"

    def state(
        self,
        *,
        dtype: str = "complex128",
        fuse: bool = True,
        threads: int = 0,
        engine: str = "tiles",
    ) -> Any:
        """The 2**qubits amplitudes, measurements left out, as an array of NumPy. `dtype` complex64
        takes half the memory and time; `threads` 0 means all cores. `engine` "tiles" is code in
        C++, "kernels" the verified kernels gate_pass and gate_join, which take two to four times as
        long and twice the memory; the results differ by rounding. Raises ArgumentError where
        the circuit resets a qubit that was used, ResourceLimitError without memory."""
        single = _is_single(dtype)
        with Line("simulating a circuit"):
            if _is_kernels(engine):
                return self._by_kernels(single, fuse, threads)
            return _native.qsim_state(self.qasm(), "", single, fuse, threads)

    def _by_kernels(self, single: bool, fuse: bool, threads: int) -> Any:
        from hologram.qsim.kernels import final_state

        return final_state(self.qasm(), single, fuse, threads)

    def probabilities(
        self, *, dtype: str = "complex128", threads: int = 0, engine: str = "tiles"
    ) -> Any:
        """The squares of the absolute values of state()."""
        amplitudes = self.state(dtype=dtype, threads=threads, engine=engine)
        return amplitudes.real**2 + amplitudes.imag**2

    def counts(
        self,
        shots: int = 1024,
        seed: int = 1,
        *,
        dtype: str = "complex128",
        threads: int = 0,
        engine: str = "tiles",
    ) -> dict[str, int]:
        """What is measured in that many shots: texts of bits, the highest first, and how often. One
        seed gives the same counts on every machine. Raises ArgumentError where nothing is measured;
        UnsupportedError or ArgumentError for complex64, and for `engine` "kernels" (as of state()),
        where each shot runs by itself."""
        single = _is_single(dtype)
        with Line("simulating a circuit"):
            if _is_kernels(engine):
                sample = _native.qsim_sample_single if single else _native.qsim_sample
                state = self._by_kernels(single, True, threads)
                return dict(sample(self.qasm(), state, shots, seed))
            return dict(_native.qsim_counts(self.qasm(), "", shots, seed, single, threads))

    def svg(self) -> str:
        """A drawing of the circuit, the text of a file `.svg`."""
        return _native.qsim_svg(self.qasm(), "", 0, 0)

    def png(self) -> bytes:
        """The same drawing, the bytes of a file `.png`."""
        return _png(*_native.qsim_pixels(self.qasm(), "", 0, 0))

    def histogram(self, shots: int = 1024, seed: int = 1) -> str:
        """The counts of counts(shots, seed) as bars, in SVG."""
        return _native.qsim_svg(self.qasm(), "", shots, seed)

    def histogram_png(self, shots: int = 1024, seed: int = 1) -> bytes:
        """The same bars as PNG."""
        return _png(*_native.qsim_pixels(self.qasm(), "", shots, seed))

    def _checked(self, qubits: Sequence[float]) -> tuple[int, ...]:
        numbers = tuple(int(qubit) for qubit in qubits)
        for number, given in zip(numbers, qubits, strict=True):
            if number != given or not 0 <= number < self.qubits:
                raise ArgumentError(
                    f"qubit {given} does not exist: there are {self.qubits}, from 0"
                )
        if len(set(numbers)) != len(numbers):
            raise ArgumentError("a gate needs different qubits")
        return numbers


class _Parsed(Circuit):
    """A circuit that was read, and runs as it is."""

    def __init__(self, text: str, file: str) -> None:
        self._text = text
        self._file = file
        self.qubits, self.bits, self._count = _native.qsim_sizes(text, file)

    def __len__(self) -> int:
        return self._count

    @property
    def _operations(self) -> Any:  # type: ignore[override]
        raise ArgumentError("a circuit that was read cannot be changed, nor be part of another")

    def qasm(self) -> str:
        return self._text


def parse(text: str, file: str = "") -> Circuit:
    """A circuit in OpenQASM 2 or 3, which can be run and drawn, but not changed. Raises
    CompileError with `file`, line and column."""
    return _Parsed(text, file)


def _png(width: int, height: int, pixels: bytes) -> bytes:
    """A picture of gray bytes."""

    def chunk(name: bytes, data: bytes) -> bytes:
        check = zlib.crc32(name + data)
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", check)

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = b"".join(b"\0" + pixels[y * width : (y + 1) * width] for y in range(height))
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in parts)


def _is_kernels(engine: str) -> bool:
    if engine not in ("tiles", "kernels"):
        raise ArgumentError(f"engine: expected tiles or kernels, found {engine!r}")
    return engine == "kernels"


def _is_single(dtype: Any) -> bool:
    name = getattr(dtype, "__name__", None) or str(dtype)
    if name not in ("complex64", "complex128"):
        raise ArgumentError(f"dtype: expected complex64 or complex128, found {name}")
    return name == "complex64"


_SELF_INVERSE = frozenset("id x y z h cx cy cz ch swap ccx cswap c3x c4x barrier".split())
_UNCONTROLLED = frozenset("measure reset rxx rzz rccx rc3x".split())
_PAIRS = {"s": "sdg", "t": "tdg", "sx": "sxdg"}
_NEGATED = frozenset("p u1 rx ry rz crx cry crz cu1 cp rxx rzz".split())


def _line(name: str, angles: tuple[float, ...], qubits: tuple[int, ...], number: int) -> str:
    operands = ",".join(f"q[{qubit}]" for qubit in qubits)
    if name == "barrier":
        return "barrier q;"
    if name == "measure":
        return f"c[{number}] = measure {operands};"
    shown = f"({','.join(map(repr, angles))})" if angles else ""
    controls = f"ctrl({number}) @ " if number else ""
    return f"{controls}{name}{shown} {operands};"


def _inverted(name: str, angles: tuple[float, ...]) -> tuple[str, tuple[float, ...]]:
    pairs = {**_PAIRS, **{b: a for a, b in _PAIRS.items()}}
    if name in _SELF_INVERSE:
        return name, angles
    if name in pairs:
        return pairs[name], angles
    if name in _NEGATED:
        return name, (-angles[0],)
    if name in ("u", "u3", "cu3"):
        theta, phi, lam = angles
        return name, (-theta, -lam, -phi)
    raise ArgumentError(f"{name} has no inverse among the gates")
