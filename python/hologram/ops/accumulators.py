"""hologram.Accumulator: a reduction of elements that come one after another.

    total = hg.Accumulator("sum", "f32")
    for chunk in chunks:                  of any lengths
        total.add(chunk)
    total.result()                        the bits of hg.ops.sum of all of them

It holds less than 4,096 elements and less than 4,096 parts for each level of the tree, whatever
comes.
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

from hologram.errors import ArgumentError
from hologram.ops import arrays as memory
from hologram.ops.arrays import CODES, Array, dtype_of, shown
from hologram.ops.parts import PART, Operation
from hologram.ops.reduction_calls import FINDERS, LOSSES
from hologram.ops.table import TABLE

_FORMAT = 1


class Accumulator:
    """Accumulator(op, dtype, *, eps=None): `op` is the name of a reduction of hologram.ops or the
    operation, `dtype` the type of the elements ("f32", or a NumPy type), `eps` that of the losses.
    Not for several threads at once."""

    def __init__(self, op: Any, dtype: Any, *, eps: float | None = None) -> None:
        name = op if isinstance(op, str) else getattr(op, "__name__", None)
        if name not in FINDERS:
            raise ArgumentError(f"Accumulator: expected a reduction of hologram.ops, found {op!r}")
        self._kind = _kind_of(dtype)
        if self._kind not in TABLE[name].types:
            raise ArgumentError(f"Accumulator: '{name}' is not of elements of {self._kind}")
        if eps is not None and name not in LOSSES:
            raise ArgumentError(f"Accumulator: 'eps' is of losses, not of '{name}'")
        self._op = Operation(name)
        self._eps = eps
        self._dtype = np.dtype(bool) if self._kind == "bool" else dtype_of(self._kind)
        self._count = 0
        # Elements that are no whole part yet.
        self._rest = [np.empty(PART, self._dtype) for _ in self._op.arrays]
        self._levels: list[_Level] = []

    @property
    def count(self) -> int:
        """The elements so far."""
        return self._count

    def add(self, *values: Any) -> Accumulator:
        """Adds the elements of an array, of two for operations on pairs, in C order; gives the
        accumulator. Raises ArgumentError, and has then added nothing."""
        lines = self._lines(values)
        held = self._count % PART
        done = 0
        if held:
            done = min(PART - held, lines[0].size)
            for rest, line in zip(self._rest, lines, strict=True):
                rest[held : held + done] = line[:done]
            if held + done == PART:
                self._put(self._parts(self._rest))
        whole = (lines[0].size - done) // PART * PART
        if whole:
            self._put(self._parts([line[done : done + whole] for line in lines]))
        left = lines[0].size - done - whole
        if left:
            for rest, line in zip(self._rest, lines, strict=True):
                rest[:left] = line[done + whole :]
        self._count += lines[0].size
        return self

    def result(self) -> Any:
        """What the operation gives for all elements so far: a number. More may be added after it.
        Raises ArgumentError for an operation that has no result for no elements."""
        op, held = self._op, self._count % PART
        rest = self._parts([one[:held] for one in self._rest]) if held else None
        carried = np.empty(0, op.dtype(self._kind)) if rest is None else rest
        if self._count == 0:
            return op.finish(carried, 0, self._kind)
        for number, level in enumerate(self._levels):
            parts = np.concatenate([level.parts(), carried])
            carried = op.join(parts, 0, PART ** (number + 1)) if parts.size > 1 else parts
        return op.ended(carried.reshape(()), self._count, self._kind)

    # ---- As bytes

    def state(self) -> bytes:
        """All of it, to go on elsewhere: `Accumulator.from_state`."""
        held = self._count % PART
        head = {
            "format": _FORMAT,
            "op": self._op.name,
            "kind": self._kind,
            "eps": self._eps,
            "count": self._count,
            "levels": [level.size for level in self._levels],
        }
        text = json.dumps(head).encode()
        blocks = [rest[:held].tobytes() for rest in self._rest]
        blocks += [level.parts().tobytes() for level in self._levels]
        return struct.pack("<I", len(text)) + text + b"".join(blocks)

    @classmethod
    def from_state(cls, state: bytes) -> Accumulator:
        """Raises ArgumentError for bytes that are no state."""
        try:
            (size,) = struct.unpack_from("<I", state)
            head = json.loads(state[4 : 4 + size])
            if head["format"] != _FORMAT:
                raise ArgumentError(f"Accumulator: a state of format {head['format']} is not known")
            made = cls(head["op"], head["kind"], eps=head["eps"])
            made._count = int(head["count"])
            made._fill(memoryview(state)[4 + size :], head["levels"])
        except (KeyError, TypeError, ValueError, struct.error) as error:
            raise ArgumentError(f"Accumulator: expected bytes of state() ({error})") from None
        return made

    def __reduce__(self) -> Any:
        return Accumulator.from_state, (self.state(),)

    def __repr__(self) -> str:
        return f"<hologram.Accumulator {self._op.name} of {self._count} {self._kind}>"

    def _fill(self, data: memoryview, levels: list[int]) -> None:
        held = self._count % PART
        at = 0
        for rest in self._rest:
            rest[:held] = np.frombuffer(data, rest.dtype, held, at)
            at += held * rest.itemsize
        dtype = self._op.dtype(self._kind)
        for size in levels:
            level = _Level(dtype)
            level.put(np.frombuffer(data, dtype, int(size), at))
            at += int(size) * dtype.itemsize
            self._levels.append(level)
        if at != len(data):
            raise ValueError(f"{len(data)} bytes, expected {at}")

    # ---- The tree

    def _lines(self, values: tuple[Any, ...]) -> list[Array]:
        names = self._op.arrays
        if len(values) != len(names):
            raise ArgumentError(
                f"Accumulator: '{self._op.name}' expects {len(names)} arrays, found {len(values)}"
            )
        lines = []
        for name, value in zip(names, values, strict=True):
            array = memory.read("Accumulator", name, value)
            if array.dtype != self._dtype:
                raise ArgumentError(
                    f"Accumulator: '{name}' has elements of {array.dtype}, expected {self._dtype}"
                )
            lines.append(np.ascontiguousarray(array).reshape(-1))
        if len({line.size for line in lines}) > 1:
            sizes = " and ".join(str(line.size) for line in lines)
            raise ArgumentError(f"Accumulator: the arrays have {sizes} elements")
        return lines

    def _parts(self, lines: list[Array]) -> Array:
        options = {} if self._eps is None else {"eps": self._eps}
        return self._op.parts(*lines, **options)

    def _put(self, parts: Array, number: int = 0) -> None:
        """Adds parts to a level; 4,096 of them are one of the next."""
        if number == len(self._levels):
            self._levels.append(_Level(self._op.dtype(self._kind)))
        level = self._levels[number]
        while parts.size:
            taken = level.put(parts)
            parts = parts[taken:]
            if level.size < PART:
                return
            joined = self._op.join(level.parts(), 0, PART ** (number + 1))
            level.size = 0
            self._put(joined, number + 1)


class _Level:
    """Parts of one level, less than 4,096 of them, behind those that are joined already. The index
    in a part counts from its first element."""

    def __init__(self, dtype: Any) -> None:
        self.size = 0
        self._parts = np.empty(PART, dtype)

    def put(self, parts: Array) -> int:
        taken: int = min(PART - self.size, parts.size)
        self._parts[self.size : self.size + taken] = parts[:taken]
        self.size += taken
        return taken

    def parts(self) -> Array:
        return self._parts[: self.size]


def _kind_of(dtype: Any) -> str:
    name = getattr(dtype, "__name__", dtype)
    if isinstance(name, str) and (name in CODES or name == "bool"):
        return name
    try:
        return memory.kind_of("Accumulator", "dtype", np.empty(0, np.dtype(dtype)), ("bool",))
    except TypeError:
        raise ArgumentError(f"Accumulator: {shown(dtype)} is not a type of elements") from None


__all__ = ["Accumulator"]
