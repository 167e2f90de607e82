#!/usr/bin/env python3
"""The parts of the model and of the guard that nothing else checks: needs no hologram.

Arithmetic against NumPy and exact fractions, rounding of the small floats against struct, the fixed
tree by hand, and that a page beside an array really cannot be touched.
"""

from __future__ import annotations

import os
import pathlib
import random
import signal
import struct
import sys
from fractions import Fraction

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from strangers import machine, tree, values
from strangers.generator import generate
from strangers.guarded import PAGE, Arena


def check(condition: bool, what: str) -> None:
    if not condition:
        raise SystemExit(f"failed: {what}")


def test_floats(rng: random.Random) -> None:
    np.seterr(all="ignore")
    for type_, bits_type, float_type in (
        ("f32", np.uint32, np.float32),
        ("f64", np.uint64, np.float64),
    ):
        width = values.FLOATS[type_][0]
        for _ in range(3000):
            a, b = rng.getrandbits(width), rng.getrandbits(width)
            if rng.random() < 0.5:
                b = a ^ rng.getrandbits(4) ^ (rng.getrandbits(2) << (width - 4))
            x, y = (np.array([v], bits_type).view(float_type) for v in (a, b))
            for op, result in (("+", x + y), ("-", x - y), ("*", x * y), ("/", x / y)):
                wanted = int(result.view(bits_type)[0])
                if result[0] != result[0]:
                    wanted = values.CANONICAL[type_]
                got = values.float_binary(type_, op, a, b)
                check(got == wanted, f"{type_} {a:x} {op} {b:x} is {wanted:x}, not {got:x}")


def test_rounding(rng: random.Random) -> None:
    """Exact rounding, by which casts and fma go, against struct and the cast of NumPy."""
    for _ in range(5000):
        x = struct.unpack("<d", struct.pack("<Q", rng.getrandbits(64)))[0]
        if rng.random() < 0.7:
            x = rng.choice((-1, 1)) * rng.random() * 2.0 ** rng.randrange(-160, 130)
        if x != x or x in (float("inf"), float("-inf")):
            continue
        exact = values._round_exactly("f32", Fraction(x), str(x)[0] == "-")
        check(exact == values.from_float("f32", x), f"{x!r} as f32")
        half = int(np.array([x]).astype(np.float16).view(np.uint16)[0])
        check(values.from_float("f16", x) == half, f"{x!r} as f16")
        same = values._round_exactly("f64", Fraction(x), str(x)[0] == "-")
        check(same == values.from_float("f64", x), f"{x!r} as f64")


def test_integers() -> None:
    check(values.wrap("i8", 200) == -56 and values.wrap("u8", -1) == 255, "wrap")
    check(
        values.cast("u8", "i32", -5) == 0 and values.cast("i8", "u64", 1 << 40) == 127, "saturate"
    )
    check(values.cast("i32", "f32", values.from_float("f32", -3.9)) == -3, "truncate")
    check(values.cast("i32", "f32", values.CANONICAL["f32"]) == 0, "NaN")
    check(values.promote("u32", "i32") == "i64" and values.promote("u64", "i8") is None, "promote")


def test_blocks() -> None:
    check(machine.block_reduce("i32", "add", list(range(33))) == 528, "sum of a block")
    check(machine.block_scan("u8", "add", [100, 100, 100]) == [100, 200, 44], "scan of a block")
    ones = [values.from_float("f32", float(k)) for k in (1, 2, 3)]
    total = machine.block_reduce("f32", "add", [*ones, None])
    check(values.to_float("f32", total) == 6.0, "sum of floats")


def test_totals() -> None:
    now = machine.Now()
    totals = machine.Array(machine.Region("f32", [0]), 0, 1, now)
    totals.total(0, values.from_float("f32", 2.0), 7, in_loop=False)
    check(totals.region.totals == {(7, 0): {0: values.from_float("f32", 2.0)}}, "a sum of a launch")
    totals.total(0, values.from_float("f32", 3.0), 7, in_loop=True)
    check(totals.region.cells == [values.from_float("f32", 3.0)], "a float added in a loop")
    for in_loop in (False, True):
        try:
            totals.total(1, 0, 7, in_loop)
        except machine.Fault:
            continue
        raise SystemExit("failed: a float added outside of the array: no fault")


def test_order() -> None:
    """Float updates by two lanes race only where a returned old value is used."""
    for used, racy in ((False, False), (True, True)):
        now = machine.Now()
        spots = machine.Array(machine.Region("f32", [0]), 0, 1, now)
        for now.lane, op in ((0, "add"), (1, "max"), (2, "exchange")):
            spots.atomic(op, 0, values.from_float("f32", 2.0 - now.lane), 7, used)
        check(spots.region.conflict() == racy, f"updates of floats, used: {used}")
        check(spots.region.cells == [values.from_float("f32", 0.0)], "updates one after the other")


def _dies(arena: Arena, place: int) -> bool:
    child = os.fork()
    if child == 0:
        np.ndarray((1,), np.uint8, arena._memory, place)[0] = 1
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGSEGV


def test_guard() -> None:
    arena = Arena(100)
    for at, before, behind in (("start", True, False), ("end", False, True)):
        x = arena.place(10, np.float32, at)
        begin = x.ctypes.data - arena._base
        check(_dies(arena, begin - 1) == before, f"the byte before an array at the {at}")
        check(_dies(arena, begin + 40) == behind, f"the byte behind an array at the {at}")
        check(not arena.slack_changed(), "slack")
        arena.bytes[50] = 1
        check(arena.slack_changed(), "a changed slack is seen")
    empty = arena.place(0, np.float64, "end")
    check(empty.ctypes.data == arena.first + arena.size, "an empty array lies at the boundary")
    check(_dies(arena, PAGE + arena.size), "the boundary cannot be touched")
    arena.place(10, np.uint8, "end")
    arena.read_only()
    check(_dies(arena, PAGE + arena.size - 1), "a read-only array cannot be written")
    arena.close()


def test_generator() -> None:
    for seed in range(50):
        text = tree.source(generate(seed))
        check(text == tree.source(generate(seed)), f"program {seed} is always the same")
        machine.Machine(generate(seed))


def main() -> int:
    rng = random.Random(18)
    test_floats(rng)
    test_rounding(rng)
    test_integers()
    test_blocks()
    test_totals()
    test_order()
    test_guard()
    test_generator()
    print("the model and the guard: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
