"""The fixed orders in which values of lanes are combined (docs/isa.md)."""

from __future__ import annotations

from typing import Any

from hologram.simulator.conversions import Value
from hologram.simulator.scalars import OPS

BLOCK = 1024  # values of one tree of a sum over the launch
WARP = 32
_SLOTS = 16
_OPERATIONS = {"and": "bit_and", "or": "bit_or", "xor": "bit_xor"}


def combine(op: str, kind: str, values: dict[int, Value]) -> Value:
    """The fixed tree of BLK.RED over the lanes that are there, by their number in the block."""
    ops = OPS[kind]
    apply = getattr(ops, _OPERATIONS.get(op, op))
    count = 1
    while count * _SLOTS <= max(values):
        count *= 2
    neutral = ops.neutral[op]
    rows = [
        [values.get(row * _SLOTS + slot, neutral) for slot in range(_SLOTS)] for row in range(count)
    ]
    while len(rows) > 1:
        pairs = zip(rows[::2], rows[1::2], strict=True)
        rows = [[apply(a, b) for a, b in zip(*pair, strict=True)] for pair in pairs]
    slots = rows[0]
    while len(slots) > 1:
        half = len(slots) // 2
        slots = [apply(slots[i], slots[i + half]) for i in range(half)]
    return slots[0]


def scan(op: str, kind: str, values: dict[int, Value]) -> dict[int, Value]:
    """BLK.SCAN: in steps of 1, 2, 4, ... a lane takes in what the lane so far before it had."""
    ops = OPS[kind]
    apply = getattr(ops, _OPERATIONS.get(op, op))
    lanes = [values.get(number, ops.neutral[op]) for number in range(max(values) + 1)]
    step = 1
    while step < len(lanes):
        later = [apply(a, b) for a, b in zip(lanes, lanes[step:], strict=False)]
        lanes = [*lanes[:step], *later]
        step *= 2
    return {number: ops.min(lanes[number], lanes[number]) for number in values}


def of_warps(op: str, kind: str, values: dict[int, Value], scans: bool) -> dict[int, Value]:
    """A scan of the lanes of each warp by themselves, or what it gives the last of them."""
    neutral = OPS[kind].neutral[op]
    found: dict[int, Value] = {}
    for first in sorted({number // WARP * WARP for number in values}):
        warp = {i: values.get(first + i, neutral) for i in range(WARP)}
        scanned = scan(op, kind, warp)
        there = [number for number in values if first <= number < first + WARP]
        found.update({n: scanned[n - first if scans else WARP - 1] for n in there})
    return found


def tree_sum(kind: str, values: dict[int, Value]) -> Value:
    """Of values by lane: blocks of 1,024 by the tree of BLK.RED, then pairwise."""
    ops = OPS[kind]
    blocks: dict[int, dict[int, Value]] = {}
    for lane, value in values.items():
        blocks.setdefault(lane // BLOCK, {})[lane % BLOCK] = value
    nothing = {BLOCK - 1: ops.neutral["add"]}
    rows = [combine("add", kind, blocks.get(i, nothing)) for i in range(max(blocks) + 1)]
    return _pairwise(ops, rows)


def _pairwise(ops: Any, rows: list[Value]) -> Value:
    """The first part of two is as long as the largest power of two below the whole."""
    if len(rows) == 1:
        return rows[0]
    half = 1 << ((len(rows) - 1).bit_length() - 1)
    return ops.add(_pairwise(ops, rows[:half]), _pairwise(ops, rows[half:]))
