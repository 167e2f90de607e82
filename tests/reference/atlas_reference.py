"""The Atlas, from its table (tests/isa/atlas_table.txt), and exact fractions."""

import math
import pathlib
import struct
from fractions import Fraction

CLASSES, PAGES, PAGE_BYTES, PHASES = 96, 48, 256, 768


def _read_table():
    path = pathlib.Path(__file__).resolve().parent.parent / "isa" / "atlas_table.txt"
    mirrors, neighbours = {}, {}
    for line in path.read_text().splitlines():
        if line.startswith("#"):
            continue
        label, rest = line.split(":")
        mirror, others = rest.split("|")
        mirrors[int(label)] = int(mirror)
        neighbours[int(label)] = [int(word) for word in others.split()]
    return mirrors, neighbours


MIRROR, NEIGHBOURS = _read_table()


def neighbour(label, index):
    return NEIGHBOURS[label][index] if index < len(NEIGHBOURS[label]) else 0xFF


def fraction_of(type_, bits):
    """The exact value; None if it is no fraction of 64-bit numbers."""
    if type_ in ("i32", "i64"):
        width = int(type_[1:])
        return Fraction(bits - (1 << width) if bits >> (width - 1) else bits)
    code, size = {"f32": ("<f", 4), "f64": ("<d", 8)}[type_]
    value = struct.unpack(code, bits.to_bytes(size, "little"))[0]
    if not math.isfinite(value):
        return None
    exact = Fraction(value)
    return exact if fits(exact) else None


def fits(fraction):
    return -(1 << 63) <= fraction.numerator < 1 << 63 and fraction.denominator < 1 << 63


def bits_of(type_, value):
    if type_ in ("i32", "i64"):
        return value & ((1 << int(type_[1:])) - 1)
    code = {"f32": "<f", "f64": "<d"}[type_]
    return int.from_bytes(struct.pack(code, value), "little")
