"""Instructions on arrays of bit patterns, for numpy_reference.py: written from docs/isa.md, sharing
nothing with the C++. What IEEE arithmetic in NumPy does not give exactly in one operation (a fused sum in f64
or bf16, a narrow float from 64 bits) is asked of the exact reference, value by value.
"""

import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "reference"))
import isa_reference

TYPES = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64"]
NUMBER = {name: k for k, name in enumerate(TYPES)}
SIZE = {name: int(name.lstrip("iubf")) // 8 for name in TYPES}
UNSIGNED = {1: np.dtype("u1"), 2: np.dtype("<u2"), 4: np.dtype("<u4"), 8: np.dtype("<u8")}
# What a type is computed in; the small floats in f32, rounded after every operation.
COMPUTED = {name: np.dtype(f"<{name[0]}{SIZE[name]}") for name in TYPES if name != "bf16"}
COMPUTED |= {"f16": np.dtype("<f4"), "bf16": np.dtype("<f4")}
ACCUMULATE = {"add": np.add, "sub": np.subtract, "mul": np.multiply}
BITWISE = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
INTEGRAL = {"floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "round": np.rint}


def is_float(type_):
    return type_ in isa_reference.FLOATS


def word(type_):
    return UNSIGNED[SIZE[type_]]


def load(type_, bits):
    """Bits to numbers."""
    if type_ == "f16":
        return bits.view(np.dtype("<f2")).astype(np.float32)
    if type_ == "bf16":
        return (bits.astype(np.uint32) << 16).view(np.float32)
    return bits.view(COMPUTED[type_])


def store(type_, numbers):
    """Numbers to bits, rounded once; a NaN becomes the canonical one."""
    if not is_float(type_):
        return numbers.astype(COMPUTED[type_]).view(word(type_))
    if type_ == "bf16":
        wide = numbers.astype(np.float32).view(np.uint32)
        bits = ((wide + 0x7FFF + (wide >> 16 & 1)) >> 16).astype(np.uint16)
    else:
        narrow = np.dtype("<f2") if type_ == "f16" else COMPUTED[type_]
        bits = numbers.astype(narrow).view(word(type_)).copy()
    bits[np.isnan(numbers)] = isa_reference.nan(type_)
    return bits


def fused(type_, a, b, c):
    """a * b + c on bits, rounded once."""
    if type_ in ("f64", "bf16"):
        rows = zip(a.tolist(), b.tolist(), c.tolist(), strict=True)
        return np.array([isa_reference.fma_float(type_, *row) for row in rows], word(type_))
    product = load(type_, a).astype(np.float64) * load(type_, b)  # exact
    addend = load(type_, c).astype(np.float64)
    total = product + addend
    rest = total - product
    error = (product - (total - rest)) + (addend - rest)
    # Round to odd, so that rounding again is rounding once.
    bits = total.view(np.int64)
    nudge = (error != 0) & ((bits & 1) == 0) & np.isfinite(total) & np.isfinite(error)
    away = (error > 0) == (total > 0)
    bits[nudge] += np.where(away[nudge], 1, -1)
    return store(type_, total)


def smaller_or_larger(name, type_, a, b):
    if not is_float(type_):
        return np.minimum(a, b) if name == "min" else np.maximum(a, b)
    less = np.where(a == b, np.signbit(a) & ~np.signbit(b), a < b)
    first = less if name == "min" else ~less
    return np.where(np.isnan(a), b, np.where(np.isnan(b), a, np.where(first, a, b)))


def magnitude(x):
    return np.where(x < 0, -x.view(np.uint64), x.view(np.uint64))


def quotient(a, b):
    """Truncated, wrapping; b is not zero."""
    if a.dtype.kind == "u":
        return a // b
    wide_a, wide_b = a.astype(np.int64), b.astype(np.int64)
    positive = magnitude(wide_a) // magnitude(wide_b)
    return np.where((wide_a < 0) != (wide_b < 0), -positive, positive).astype(a.dtype)


def convert(to, from_, bits):
    if to == from_:
        return bits
    numbers = load(from_, bits)
    if is_float(to):
        if to in isa_reference.HALVES and SIZE[from_] > 2:
            exact = [isa_reference.convert(to, from_, value) for value in bits.tolist()]
            return np.array(exact, word(to))
        return store(to, numbers.astype(COMPUTED[to]))
    if not is_float(from_):
        return store(to, numbers)
    info = np.iinfo(COMPUTED[to])
    whole = np.trunc(numbers.astype(np.float64))
    top = float(int(info.max) + 1)
    inside = (whole < top) & (whole >= float(info.min))
    result = np.where(inside, whole, 0).astype(COMPUTED[to])
    result[whole >= top] = info.max
    result[whole < float(info.min)] = info.min
    return result.view(word(to))


def binary(name, type_, a, b):
    """Bits and bits to bits."""
    x, y = load(type_, a), load(type_, b)
    if name in ("min", "max"):
        return store(type_, smaller_or_larger(name, type_, x, y))
    if name == "div":
        return store(type_, x / y if is_float(type_) else quotient(x, y))
    if name == "rem":
        return store(type_, x - quotient(x, y) * y)
    return store(type_, (ACCUMULATE | BITWISE)[name](x, y))


def ternary(name, type_, a, b, c):
    if name == "fma":
        return fused(type_, a, b, c)
    return binary("add", type_, binary("mul", type_, a, b), c)


def unary(name, type_, a):
    if is_float(type_) and name in ("abs", "neg"):
        top = word(type_).type(1 << (8 * SIZE[type_] - 1))
        return a & ~top if name == "abs" else a ^ top
    if name == "popc":
        return np.array([value.bit_count() for value in a.tolist()], word(type_))
    functions = {"abs": np.abs, "neg": np.negative, "not": np.invert, "sqrt": np.sqrt} | INTEGRAL
    return store(type_, functions[name](load(type_, a)))


def shift(name, type_, a, amount):
    numbers = load(type_, a)
    by = (amount % (8 * SIZE[type_])).astype(numbers.dtype)
    shifted = np.left_shift(numbers, by) if name == "shl" else np.right_shift(numbers, by)
    return store(type_, shifted)


def identity(name, type_):
    """What a fold of nothing gives, as an integer of bits."""
    if name in ("add", "or", "xor"):
        return 0
    if name == "mul":
        return isa_reference.round_float(type_, isa_reference.Fraction(1)) if is_float(type_) else 1
    if name == "and":
        return (1 << 8 * SIZE[type_]) - 1
    if is_float(type_):
        return isa_reference.infinity(type_, name == "max")
    low, high = isa_reference.limits(type_)
    return isa_reference.from_int(type_, high if name == "min" else low)


def absent(name, type_):
    """What a lane that has returned counts as in a reduction of its block."""
    if is_float(type_) and name == "add":
        return isa_reference.zero(type_, True)
    if is_float(type_) and name in ("min", "max"):
        return isa_reference.nan(type_)
    return identity(name, type_)


def block_reduce(name, type_, slots):
    """The fixed tree: rows of 16 slots, neighbouring rows first, then slots 8, 4, 2 and 1 apart."""
    rows = -(-len(slots) // 16)
    padded = np.full((max(64, rows), 16), absent(name, type_), word(type_))
    padded.reshape(-1)[: len(slots)] = slots
    while len(padded) > 1:
        padded = binary(name, type_, padded[0::2].reshape(-1), padded[1::2].reshape(-1)).reshape(
            -1, 16
        )
    row = padded[0]
    while len(row) > 1:
        half = len(row) // 2
        row = binary(name, type_, row[:half].copy(), row[half:].copy())
    return row[0]
