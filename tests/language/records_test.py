"""Arrays of structs with fields of several types, given as NumPy's records, in place: the same in
the interpreter, in native code of every level and as plain Python, and what NumPy computes.

usage: records_test.py
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Any, NamedTuple

import guarded  # noqa: F401
import numpy as np
from levels import levels_here

import hologram as hg
from hologram.lang import (
    DeviceArray,
    complex64,
    f16,
    f32,
    f64,
    get_global_id,
    i8,
    i32,
    i64,
    inline,
    u8,
    u16,
    u32,
    u64,
    vec3,
)  # fmt: skip
from hologram.simulator import launch

LANES = 70


class Particle(NamedTuple):
    position: vec3
    id: i32
    mass: f64
    alive: bool
    kind: u8


@dataclass
class Pair:
    weight: f32
    index: u32


@dataclass
class Every:
    a: u8
    b: f16
    pair: Pair
    c: i8
    d: i64
    z: complex64
    e: u16
    f: u64


@inline
def moved(p: Particle, dt: f32) -> Particle:
    return Particle(p.position * dt, p.id + 1, p.mass * 0.5, not p.alive, u8(p.kind + 1))


def particles(p: DeviceArray[Particle], n: u32):
    i = get_global_id()
    if i < n:
        p[i].mass += 0.1
        p[i].position.y = 5.0
        p[i].id = p[i].id * 2
        p[i] = moved(p[i], 2.0)
        v = p[i]
        v.position.x = v.position.x + 1.0
        p[i] = v
        p[i].position += vec3(0.0, 0.0, 9.0)


def pairs(p: DeviceArray[Pair, 2], n: u32):
    y, x = get_global_id(1), get_global_id(0)
    if y < p.shape[0] and x < p.shape[1]:
        p[y, x].weight, p[y, x].index = f32(p[y, x].index) * 0.5, u32(p[y, x].weight)


def every(p: DeviceArray[Every], n: u32):
    i = get_global_id()
    if i < n:
        e = p[i]
        p[i].a = e.a + 1
        p[i].b = e.b * f16(2.0)
        p[i].pair.weight += 1.0
        p[i].pair.index -= 1
        p[i].c = -e.c
        p[i].d = e.d * 3
        p[i].z = e.z * 1j
        p[i].e, p[i].f = u16(e.f & 0xFFFF), u64(e.e) << 40


PARTICLE = np.dtype(
    [("position", "f4", 3), ("id", "i4"), ("mass", "f8"), ("alive", "?"), ("kind", "u1")],
    align=True,
)
PAIR = np.dtype([("weight", "f4"), ("index", "u4")])
EVERY = np.dtype(
    [("a", "u1"), ("b", "f2"), ("pair", PAIR), ("c", "i1"), ("d", "i8"), ("z", "c8"), ("e", "u2"),
     ("f", "u8")],
    align=True,
)  # fmt: skip


def numbers(dtype: np.dtype, *shape: int) -> np.ndarray:
    """Records with every byte set, those between the fields too."""
    rng = np.random.default_rng(11)
    count = int(np.prod(shape)) * dtype.itemsize
    memory = bytearray(rng.integers(0, 255, count, np.uint8).tobytes())
    found = np.frombuffer(memory, dtype)  # a copy would leave the bytes between fields as they are
    fill(found, rng)
    return found.reshape(shape)


def fill(found: np.ndarray, rng: Any) -> None:
    for name in found.dtype.names or ():
        column = found[name]
        if column.dtype.names:
            fill(column, rng)
        elif column.dtype.kind in "fc":
            column[...] = rng.uniform(1, 9, column.shape)
            if column.dtype.kind == "c":
                column += 1j * rng.uniform(1, 9, column.shape)
        else:
            column[...] = rng.integers(0, 2 if column.dtype.kind == "b" else 99, column.shape)


def expected(name: str, p: np.ndarray) -> None:
    if name == "particles":
        p["mass"] = (p["mass"] + 0.1) * 0.5
        p["position"][:, 1] = 5
        p["position"] *= 2
        p["position"] += np.array([1, 0, 9], np.float32)
        p["id"] = p["id"] * 2 + 1
        p["alive"] = ~p["alive"]
        p["kind"] += 1
    elif name == "pairs":
        weight = p["weight"].copy()
        p["weight"] = p["index"].astype("f4") * np.float32(0.5)
        p["index"] = weight.astype("u4")
    else:
        e = p.copy()
        p["a"] += 1
        p["b"] *= np.float16(2)
        p["pair"]["weight"] += 1
        p["pair"]["index"] -= 1
        p["c"] = -p["c"]
        p["d"] *= 3
        p["z"] = -e["z"].imag + 1j * e["z"].real
        p["e"], p["f"] = e["f"] & 0xFFFF, e["e"].astype("u8") << 40


KERNELS = {
    "particles": (particles, PARTICLE, (LANES,)),
    "pairs": (pairs, PAIR, (6, 7)),
    "every": (every, EVERY, (LANES,)),
}


def ways(function: Any, name: str, plain: bool) -> dict[str, Any]:
    shape = {} if name == "pairs" else {"grid": 1, "block": 128}
    compiled = hg.kernel(function)
    found = {b: compiled.configure(backend=b, **shape) for b in ("interpreter", "cpu")}
    if plain:
        found["plain Python"] = launch(function) if name == "pairs" else launch(function, 1, 128)
    return found


def check(name: str, plain: bool) -> int:
    function, dtype, shape = KERNELS[name]
    failures = 0
    wanted = numbers(dtype, *shape)
    expected(name, wanted)
    for way, run in ways(function, name, plain).items():
        given = numbers(dtype, *shape)
        run(given, len(given))
        if given.tobytes() != wanted.tobytes():
            print(f"FAIL {name}, {way}:\n  {given[:2]}\n  {wanted[:2]}")
            failures += 1
    return failures


def refused() -> int:
    packed = np.dtype(
        [("position", "f4", 3), ("id", "i4"), ("mass", "f8"), ("alive", "?"), ("kind", "u1")]
    )
    wrong = [
        (np.zeros(3, packed), "as C lays them out, np.zeros(n, np.dtype([(\"position\", \"f4\", 3)"),
        (np.zeros((3, 3), np.float32), "is an array of Particle; pass records"),
        (np.zeros(6, PARTICLE)[::2], "p is not contiguous; pass np.ascontiguousarray(p)"),
        (np.zeros((2, 2), PARTICLE), "p has 2 dimensions, and 1 in the kernel"),
    ]  # fmt: skip
    other = PARTICLE.newbyteorder(">")
    swapped = {"names": [*PARTICLE.names[:-2], "kind", "alive"], "itemsize": PARTICLE.itemsize}
    swapped["formats"] = [PARTICLE.fields[field][0] for field in PARTICLE.names]
    swapped["offsets"] = [PARTICLE.fields[field][1] for field in PARTICLE.names]
    wrong += [
        (np.zeros(3, other), "is an array of Particle; pass records"),
        (np.zeros(3, np.dtype(swapped)), "is an array of Particle; pass records"),
    ]
    failures = 0
    for given, words in wrong:
        for run in (hg.kernel(particles), launch(particles, 1, 8)):
            try:
                run(given, 2)
                text = "is accepted"
            except Exception as error:  # of which kind depends on the way
                text = str(error)
            if words not in text:
                print(f"FAIL {text}, expected {words}")
                failures += 1
    return failures


def scale(z: DeviceArray[complex64], n: u32):
    i = get_global_id()
    if i < n:
        z[i] = z[i] * 2.0


def rise(v: DeviceArray[vec3], n: u32):
    i = get_global_id()
    if i < n:
        v[i].z += 1.0


# Arrays whose numbers all have one type: in which each place, order of bytes and name counts too.
def one_type() -> int:
    bgr = np.dtype([("b", "f4"), ("g", "f4"), ("r", "f4")])
    cases = [
        (scale, np.ones(3, "c8"), ""),
        (scale, np.ma.masked_array(np.ones(3, "c8")), ""),
        (scale, np.ones(3, ">c8"), "not of >c8"),
        (scale, np.ones(3, "c16"), "not of complex128"),
        (rise, np.zeros(3, np.dtype([("x", "f4"), ("y", "f4"), ("z", "f4")])), ""),
        (rise, np.zeros(3, np.dtype([("r", "f4"), ("g", "f4"), ("b", "f4")])), ""),
        (rise, np.zeros(3, bgr), "v is an array of vec3; pass records"),
        (rise, np.zeros(3, bgr.newbyteorder(">")), "v is an array of vec3; pass records"),
    ]
    failures = 0
    for function, given, words in cases:
        for run in (hg.kernel(function), launch(function, 1, 8)):
            try:
                run(given, 3)
                text = ""
            except Exception as error:  # of which kind depends on the way
                text = str(error)
            if words not in text or (text and not words):
                print(f"FAIL {function.__name__} of {given.dtype}: {text!r}, expected {words!r}")
                failures += 1
    return failures


def main() -> int:
    plain = "HOLOGRAM_CPU_LEVEL" not in os.environ
    failures = sum(check(name, plain) for name in KERNELS)
    if not plain:
        return 1 if failures else 0
    failures += refused() + one_type()
    for level in levels_here():
        again = [sys.executable, *sys.argv]
        environment = {**os.environ, "HOLOGRAM_CPU_LEVEL": level}
        failures += subprocess.run(again, check=False, env=environment).returncode
    print(f"{len(KERNELS)} kernels, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
