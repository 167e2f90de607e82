"""Runs PTX on NumPy arrays, all threads of some blocks side by side.

Of the threads that can run, those at the earliest segment go first, so that they meet again behind branches; `last_first`
takes the latest instead: what a kernel computes must not depend on it. Results that are NaN get bits that the hardware gives,
not ours, so a missing canonicalisation shows. Accesses outside the buffers are errors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from arithmetic import DTYPES, Arithmetic, stored, viewed
from module import Function, Instruction, Module, UnknownPtxError

if TYPE_CHECKING:
    from collections.abc import Callable

SHARED_WINDOW, LOCAL_WINDOW = 1 << 40, 1 << 41  # where generic addresses find them
_FIRST, _GAP = 4096, 256
MOST_THREADS = 16384


class PtxFaultError(Exception):
    """A run that the hardware would punish, or never end."""


class TooLongError(Exception):
    """A run of more segments than were allowed."""


class Memory:
    """Global memory: buffers with room between them that nobody may touch."""

    def __init__(self) -> None:
        self._bytes = np.zeros(_FIRST, np.uint8)
        self._allowed = np.zeros(_FIRST, bool)

    def add(self, data: bytes) -> int:
        """The address of a copy; 0 for no bytes."""
        if not data:
            return 0
        at = len(self._bytes)
        room = -(-(len(data) + _GAP) // _GAP) * _GAP
        self._bytes = np.concatenate(
            [self._bytes, np.frombuffer(data.ljust(room, b"\xa5"), np.uint8)]
        )
        self._allowed = np.concatenate([self._allowed, np.arange(room) < len(data)])
        return at

    def read(self, address: int, count: int) -> bytes:
        return self._bytes[address : address + count].tobytes()

    def place(self, addresses: np.ndarray, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
        """(all memory as this type, which elements)."""
        size = dtype.itemsize
        inside = addresses < np.uint64(len(self._bytes) - size)
        at = np.where(inside, addresses, 0).astype(np.int64)
        if not (inside & self._allowed[at] & self._allowed[at + size - 1]).all():
            raise PtxFaultError(f"an access outside the buffers at {hex(int(addresses.max()))}")
        if (at % size).any():
            raise PtxFaultError("an access that is not aligned")
        return self._bytes.view(dtype), at // size


class Threads:
    """What belongs to a set of threads that run one function."""

    def __init__(self, function: Function, count: int) -> None:
        self.function, self.count = function, count
        self.registers: dict[str, np.ndarray] = {}
        self.parameters: dict[str, np.ndarray] = {}
        self.special: dict[str, np.ndarray] = {}
        self.block = np.zeros(count, np.int64)  # which of the blocks that run
        size = sum(end for _, end in function.local.values())
        self.local = np.zeros((count, -(-size // 8) * 8), np.uint8)

    def register(self, name: str) -> np.ndarray:
        if name not in self.registers:
            prefix = name.rstrip("0123456789")
            kind = self.function.registers.get(prefix, "b64" if name in ("%SP", "%SPL") else "")
            if not kind:
                raise UnknownPtxError(name)
            self.registers[name] = np.zeros(self.count, stored(kind))
        return self.registers[name]


class Machine(Arithmetic):
    def __init__(self, module: Module, memory: Memory, last_first: bool, segments: int) -> None:
        self.module, self.memory, self.last_first = module, memory, last_first
        self.tables = {name: memory.add(data) for name, data in module.tables.items()}
        self.shared = np.zeros((0, 0), np.uint8)
        self.segments = segments  # that may still be run

    def launch(
        self, arguments: list[int | float], grid: tuple[int, int, int], block: tuple[int, int, int]
    ) -> None:
        """`arguments` are numbers in the order of the kernel's parameters."""
        kernel = self.module.kernel()
        lanes = block[0] * block[1] * block[2]
        blocks = grid[0] * grid[1] * grid[2]
        together = max(1, MOST_THREADS // lanes)
        for first in range(0, blocks, together):
            count = min(together, blocks - first)
            threads = Threads(kernel, count * lanes)
            number = np.arange(count * lanes)
            threads.block = number // lanes
            self._set_ids(threads, number % lanes, first + number // lanes, grid, block)
            size = sum(end for _, end in kernel.shared.values()) + 64
            self.shared = np.full((count, -(-size // 8) * 8), 0xA5, np.uint8)
            for (name, kind), value in zip(kernel.parameters, arguments, strict=True):
                threads.parameters[name] = np.full(threads.count, value, stored(kind))
            self._run(threads)

    @staticmethod
    def _set_ids(
        threads: Threads,
        lane: np.ndarray,
        block: np.ndarray,
        grid: tuple[int, int, int],
        dim: tuple[int, int, int],
    ) -> None:
        for d, letter in enumerate("xyz"):
            for name, values in (
                ("tid", lane % dim[d]),
                ("ctaid", block % grid[d]),
                ("ntid", np.full(threads.count, dim[d])),
                ("nctaid", np.full(threads.count, grid[d])),
            ):
                threads.special[f"%{name}.{letter}"] = values.astype(np.uint32)
            lane, block = lane // dim[d], block // grid[d]

    def _run(self, threads: Threads) -> None:
        segments = threads.function.segments
        at = np.zeros(threads.count, np.int64)
        waiting = np.zeros(threads.count, bool)
        end = len(segments)
        while True:
            runs = (at < end) & ~waiting
            if not runs.any():
                if not waiting.any():
                    return
                waiting[:] = False  # all of each block that have not ended are here
                continue
            chosen = at[runs].max() if self.last_first else at[runs].min()
            here = np.flatnonzero(runs & (at == chosen))
            self.segments -= 1
            if self.segments < 0:
                raise TooLongError
            at[here] = chosen + 1
            for instruction in segments[chosen]:
                self._step(threads, instruction, here, at, waiting)

    def _step(
        self,
        threads: Threads,
        instruction: Instruction,
        here: np.ndarray,
        at: np.ndarray,
        waiting: np.ndarray,
    ) -> None:
        if instruction.guard:
            here = here[threads.register(instruction.guard)[here] == instruction.wanted]
            if len(here) == 0:
                return
        op = instruction.op
        if op in ("bra", "bra.uni"):
            at[here] = threads.function.labels[instruction.operands[0]]
        elif op in ("ret", "exit"):
            at[here] = len(threads.function.segments)
        elif op in ("bar.sync", "barrier.sync"):
            waiting[here] = True
        elif op.startswith("membar"):
            pass
        elif op.startswith("call"):
            self._call(threads, instruction, here)
        else:
            self._compute(threads, instruction, here)

    def _call(self, threads: Threads, instruction: Instruction, here: np.ndarray) -> None:
        results, name, given = instruction.operands
        callee = self.module.functions[name]
        inner = Threads(callee, len(here))
        inner.special = {k: v[here] for k, v in threads.special.items()}
        inner.block = threads.block[here]
        for (parameter, kind), argument in zip(
            callee.parameters, given.strip("() ").split(","), strict=True
        ):
            inner.parameters[parameter] = viewed(
                threads.parameters[argument.strip()][here], stored(kind)
            )
        self._run(inner)
        result = inner.parameters[callee.result]
        kept = threads.parameters.setdefault(
            results.strip("() "), np.zeros(threads.count, result.dtype)
        )
        kept[here] = result

    # ---- Operands

    def value(self, threads: Threads, text: str, dtype: np.dtype, here: np.ndarray) -> np.ndarray:
        """An operand as this type; a wider register is cut."""
        if text.startswith("%"):
            if text in threads.special:
                return viewed(threads.special[text][here], dtype)
            return viewed(threads.register(text)[here], dtype)
        if text.startswith("0f"):
            return viewed(np.full(len(here), int(text[2:], 16), np.uint32), dtype)
        if text.startswith("0d"):
            return viewed(np.full(len(here), int(text[2:], 16), np.uint64), dtype)
        if text.lstrip("-").isdigit():
            if dtype.kind == "b":
                return np.full(len(here), int(text) != 0)
            number = int(text) % 256**dtype.itemsize
            raw = np.full(len(here), number, f"u{dtype.itemsize}")
            return viewed(raw, dtype)
        return np.full(len(here), self._symbol(threads.function, text), np.uint64).astype(dtype)

    def _symbol(self, function: Function, name: str) -> int:
        if name in self.tables:
            return self.tables[name]
        for places in (function.shared, function.local):
            if name in places:
                return places[name][0]
        raise UnknownPtxError(name)

    def write(self, threads: Threads, name: str, values: np.ndarray, here: np.ndarray) -> None:
        register = threads.register(name)
        if values.dtype.itemsize != register.dtype.itemsize:
            kind = "i" if values.dtype.kind == "i" else "u"
            values = values.astype(f"{kind}{register.dtype.itemsize}")
        register[here] = values.view(register.dtype)

    # ---- Memory

    def address(self, threads: Threads, text: str, here: np.ndarray) -> np.ndarray:
        base, _, offset = text.strip("[]").partition("+")
        # Those in shared memory have 32 bits.
        kind = np.dtype(np.uint32 if base.startswith("%r") else np.uint64)
        found = self.value(threads, base, kind, here)
        return (found + kind.type(int(offset or 0) % 2 ** (8 * kind.itemsize))).astype(np.uint64)

    def place(
        self, threads: Threads, space: str, address: np.ndarray, dtype: np.dtype, here: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """(memory as elements of the type, the index of each access)."""
        if space in ("global", "const"):
            return self.memory.place(address, dtype)
        rows, row = (
            (self.shared, threads.block[here]) if space == "shared" else (threads.local, here)
        )
        width = rows.shape[1]
        inside = address <= np.uint64(max(0, width - dtype.itemsize))
        if not inside.all() or (address % np.uint64(dtype.itemsize)).any():
            raise PtxFaultError(f"an access outside {space} memory, or not aligned")
        return (
            rows.reshape(-1).view(dtype),
            (row * width + address.astype(np.int64)) // dtype.itemsize,
        )

    def load(self, threads: Threads, i: Instruction, here: np.ndarray) -> None:
        parts = i.op.split(".")
        space, kind = parts[1], parts[-1]
        if space == "param":
            name = i.operands[1].strip("[]").partition("+")[0]
            self.write(threads, i.operands[0], threads.parameters[name][here], here)
            return
        dtype = DTYPES[kind]
        names = i.operands[0].strip("{}").split(",")
        address = self.address(threads, i.operands[1], here)
        for k, name in enumerate(names):
            whole, index = self.place(
                threads, space, address + np.uint64(k * dtype.itemsize), dtype, here
            )
            self.write(threads, name.strip(), whole[index], here)

    def store(self, threads: Threads, i: Instruction, here: np.ndarray) -> None:
        parts = i.op.split(".")
        space, dtype = parts[1], DTYPES[parts[-1]]
        if space == "param":
            name = i.operands[0].strip("[]").partition("+")[0]
            value = self.value(threads, i.operands[1], dtype, here)
            kept = threads.parameters.setdefault(name, np.zeros(threads.count, dtype))
            kept[here] = value
            return
        address = self.address(threads, i.operands[0], here)
        for k, name in enumerate(i.operands[1].strip("{}").split(",")):
            whole, index = self.place(
                threads, space, address + np.uint64(k * dtype.itemsize), dtype, here
            )
            whole[index] = self.value(threads, name.strip(), dtype, here)

    def atomic(self, threads: Threads, i: Instruction, here: np.ndarray) -> None:
        """One thread after the other."""
        parts = i.op.split(".")
        space, operation, dtype = parts[1], parts[-2], DTYPES[parts[-1]]
        whole, index = self.place(
            threads, space, self.address(threads, i.operands[1], here), dtype, here
        )
        operands = [self.value(threads, o, dtype, here) for o in i.operands[2:]]
        old = np.empty(len(here), dtype)
        combine: dict[str, Callable[..., np.generic]] = {
            "add": lambda a, b: a + b,
            "min": lambda a, b: min(a, b),
            "max": lambda a, b: max(a, b),
            "and": lambda a, b: a & b,
            "or": lambda a, b: a | b,
            "xor": lambda a, b: a ^ b,
            "exch": lambda a, b: b,
            "cas": lambda a, b, c: c if a == b else a,
        }
        for k, at in enumerate(index):
            old[k] = whole[at]
            whole[at] = combine[operation](whole[at], *(operand[k] for operand in operands))
        if i.operands[0] != "_":
            self.write(threads, i.operands[0], old, here)
