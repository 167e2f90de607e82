"""Instructions on columns (one value per lane), for numpy_machine.py: written from docs/isa.md, sharing
nothing with the C++. A column of an integer, f32 or f64 type holds numbers of that type, a column of f16 or
bf16 the bit patterns (NumPy has no bf16).

What IEEE arithmetic in NumPy does not give in one operation is made exact here: a fused sum by rounding an
exact one to odd, f64 by the C library's fma. numpy_values_test.py compares every function of this file with
exact fractions (tests/reference/isa_reference.py).
"""

import ctypes
import ctypes.util
import functools
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "reference"))
import isa_reference

TYPES = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64"]
NUMBER = {name: k for k, name in enumerate(TYPES)}
SIZE = {name: int(name.lstrip("iubf")) // 8 for name in TYPES}
UNSIGNED = {1: np.dtype("u1"), 2: np.dtype("<u2"), 4: np.dtype("<u4"), 8: np.dtype("<u8")}
COLUMN = {name: np.dtype(f"<{name[0]}{SIZE[name]}") for name in TYPES if name != "bf16"}
COLUMN |= {"f16": np.dtype("<u2"), "bf16": np.dtype("<u2")}
FLOATS = tuple(isa_reference.FLOATS)
F16, F32, F64 = np.dtype("<f2"), np.dtype("<f4"), np.dtype("<f8")
# The canonical NaN as a column has it.
NAN = {
    name: np.array([isa_reference.nan(name)], UNSIGNED[SIZE[name]]).view(COLUMN[name])[0]
    for name in FLOATS
}


def is_float(type_):
    return type_ in FLOATS


def word(type_):
    return UNSIGNED[SIZE[type_]]


# ---- Floats: columns <-> numbers that NumPy computes with (the small ones in f32)


def load(type_, column):
    if type_ == "f16":
        return column.view(F16).astype(F32)
    if type_ == "bf16":
        return (column.astype(np.uint32) << 16).view(F32)
    return column


def canonical(type_, numbers, column):
    """Of a column that nobody else has."""
    np.copyto(column, NAN[type_], where=np.isnan(numbers))
    return column


def store(type_, numbers):
    """Numbers of f32 (of the type, for f64) to a column, rounded once; a NaN becomes the canonical one."""
    if type_ == "bf16":
        wide = numbers.view(np.uint32)
        return canonical(
            type_, numbers, ((wide + (0x7FFF + (wide >> 16 & 1))) >> 16).astype(np.uint16)
        )
    if type_ == "f16":
        return canonical(type_, numbers, numbers.astype(F16).view(np.uint16))
    return canonical(type_, numbers, numbers)


def to_odd(wide):
    """f64 to f32, rounded to odd where it is not exact: rounding that to a narrower type is rounding once."""
    narrow = wide.astype(F32)
    error = wide - narrow
    return nudged(narrow, error, np.int32)


def nudged(numbers, error, word_type):
    """The neighbour in the direction of the error, where there is an error and the number is even."""
    bits = numbers.view(word_type)
    nudge = (error != 0) & ((bits & 1) == 0) & np.isfinite(numbers) & np.isfinite(error)
    if nudge.any():
        away = (error > 0) == (numbers > 0)
        # From zero the next number has the sign of the error.
        zero = nudge & (numbers == 0)
        bits = bits + np.where(nudge, np.where(away, 1, -1), 0).astype(word_type)
        bits[zero] = 1
        numbers = np.where(zero & (error < 0), -bits.view(numbers.dtype), bits.view(numbers.dtype))
    return numbers


def store_wide(type_, numbers):
    """Numbers of f64 to a column of f16, bf16 or f32, rounded once."""
    if type_ == "bf16":
        return store(type_, to_odd(numbers))
    if type_ == "f16":
        return canonical(type_, numbers, numbers.astype(F16).view(np.uint16))
    return canonical(type_, numbers, numbers.astype(F32))


# ---- Arithmetic


@functools.cache
def library_fma():
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    library.fma.restype = ctypes.c_double
    library.fma.argtypes = [ctypes.c_double] * 3
    return library.fma


def fused(type_, a, b, c):
    """a * b + c, rounded once."""
    if type_ == "f64":
        one = library_fma()
        rows = zip(a.tolist(), b.tolist(), c.tolist(), strict=True)
        return store(type_, np.array([one(*row) for row in rows], F64))
    product = load(type_, a).astype(F64) * load(type_, b)  # exact
    addend = load(type_, c).astype(F64)
    total = product + addend
    rest = total - product
    error = (product - (total - rest)) + (addend - rest)
    return store_wide(type_, nudged(total, error, np.int64))


def smaller_or_larger(name, type_, a, b):
    if not is_float(type_):
        return np.minimum(a, b) if name == "min" else np.maximum(a, b)
    a, b = load(type_, a), load(type_, b)
    less = np.where(a == b, np.signbit(a) & ~np.signbit(b), a < b)
    first = less if name == "min" else ~less
    return store(type_, np.where(np.isnan(a), b, np.where(np.isnan(b) | first, a, b)))


def magnitude(x):
    return np.where(x < 0, -x.view(np.uint64), x.view(np.uint64))


def quotient(a, b):
    """Truncated, wrapping; b is not zero (where it is, anything)."""
    if a.dtype.kind == "u":
        return a // b
    wide_a, wide_b = a.astype(np.int64), b.astype(np.int64)
    positive = magnitude(wide_a) // magnitude(wide_b)
    return np.where((wide_a < 0) != (wide_b < 0), -positive, positive).astype(a.dtype)


def float_arithmetic(name, type_):
    operation = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}[name]
    return lambda a, b: store(type_, operation(load(type_, a), load(type_, b)))


INTEGER = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": quotient,
    "rem": lambda a, b: a - quotient(a, b) * b,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


@functools.cache
def binary(name, type_):
    """A function of two columns."""
    if name in ("min", "max"):
        return lambda a, b: smaller_or_larger(name, type_, a, b)
    return float_arithmetic(name, type_) if is_float(type_) else INTEGER[name]


@functools.cache
def ternary(name, type_):
    if name == "fma":
        return lambda a, b, c: fused(type_, a, b, c)
    multiply, add = binary("mul", type_), binary("add", type_)
    return lambda a, b, c: add(multiply(a, b), c)


def popcount(a):
    bits = np.unpackbits(a.view(np.uint8)).reshape(a.size, -1)
    return bits.sum(axis=1).astype(a.dtype)


ROUNDINGS = {"floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "round": np.rint}


@functools.cache
def unary(name, type_):
    if name == "mov":
        return lambda a: a
    if not is_float(type_):
        return {"abs": np.abs, "neg": np.negative, "not": np.invert, "popc": popcount}[name]
    if name in ("abs", "neg"):
        bits, column = word(type_), COLUMN[type_]
        top = bits.type(1 << (8 * SIZE[type_] - 1))
        if name == "abs":
            return lambda a: (a.view(bits) & ~top).view(column)
        return lambda a: (a.view(bits) ^ top).view(column)
    operation = {"sqrt": np.sqrt, **ROUNDINGS}[name]
    return lambda a: store(type_, operation(load(type_, a)))


@functools.cache
def shift(name, type_):
    operation = np.left_shift if name == "shl" else np.right_shift
    last, column = np.uint32(8 * SIZE[type_] - 1), COLUMN[type_]
    return lambda a, amount: operation(a, (amount & last).astype(column))


COMPARISONS = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


@functools.cache
def comparison(condition, type_):
    compare = COMPARISONS[condition]
    if type_ in isa_reference.HALVES:
        return lambda a, b: compare(load(type_, a), load(type_, b))
    return compare


# ---- Conversions


def integer_to_float(to, a):
    if to in ("f32", "f64"):
        return a.astype(COLUMN[to])
    if a.dtype.itemsize == 8:
        # Exact in f64 with the low bits gathered into one; bf16 and f16 keep far fewer.
        low = a & 0x7FF if a.dtype.kind == "i" else a & np.uint64(0x7FF)
        large = (a >> a.dtype.type(52)) != 0
        if a.dtype.kind == "i":
            large &= (a >> a.dtype.type(52)) != -1
        eleven = a.dtype.type(11)
        a = np.where(large, (a >> eleven | (low != 0)) << eleven, a)
    return store_wide(to, a.astype(F64))


def float_to_integer(to, numbers):
    info = np.iinfo(COLUMN[to])
    whole = np.trunc(numbers.astype(F64))
    above, below = whole >= float(int(info.max) + 1), whole < float(info.min)
    inside = ~(above | below | np.isnan(whole))
    result = np.where(inside, whole, 0).astype(COLUMN[to])
    result[above] = info.max
    result[below] = info.min
    return result


@functools.cache
def conversion(to, from_):
    if to == from_:
        return lambda a: a
    if not is_float(from_):
        if is_float(to):
            return lambda a: integer_to_float(to, a)
        return lambda a: a.astype(COLUMN[to])
    if not is_float(to):
        return lambda a: float_to_integer(to, load(from_, a))
    if to == "f64":
        return lambda a: store("f64", load(from_, a).astype(F64))
    if from_ == "f64":
        return lambda a: store_wide(to, a)
    return lambda a: store(to, load(from_, a).copy() if to == "f32" else load(from_, a))


# ---- Reductions


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


def filled(type_, count, bits):
    column = np.empty(count, word(type_))
    column.fill(bits)
    return column.view(COLUMN[type_])


def block_reduce(name, type_, slots):
    """The fixed tree over each row of `slots` (a block): rows of 16, neighbouring rows first, then slots 8, 4,
    2 and 1 apart. Rows that are not there change nothing, so the tree is only as high as it must be."""
    blocks, lanes = slots.shape
    rows = 1 << (-(-lanes // 16) - 1).bit_length()
    tree = filled(type_, blocks * rows * 16, absent(name, type_)).reshape(blocks, rows * 16)
    tree[:, :lanes] = slots
    combine = binary(name, type_)
    while rows > 1:
        rows //= 2
        pairs = tree.reshape(blocks, rows, 2, 16)
        left, right = pairs[:, :, 0].reshape(-1), pairs[:, :, 1].reshape(-1)
        tree = combine(left, right).reshape(blocks, rows * 16)
    half = 8
    while half:
        tree = combine(tree[:, :half].reshape(-1), tree[:, half:].reshape(-1)).reshape(blocks, half)
        half //= 2
    return tree[:, 0]


def of_warps(name, type_, slots, scans):
    """What each lane of a row of `slots` (a block) gets of its warp: from the scan, or as the last one does."""
    blocks, lanes = slots.shape
    warps = -(-lanes // 32)
    padded = filled(type_, blocks * warps * 32, absent(name, type_)).reshape(blocks, warps * 32)
    padded[:, :lanes] = slots
    result = block_scan(name, type_, padded.reshape(-1, 32))
    if not scans:
        result = np.repeat(result[:, 31:], 32, axis=1)
    return result.reshape(blocks, warps * 32)[:, :lanes].copy()


def block_scan(name, type_, slots):
    """What each lane of a row of `slots` (a block) gets: in steps of 1, 2, 4, ... it takes in what the lane so
    far before it had. A NaN is canonical even where it is alone."""
    blocks, lanes = slots.shape
    combine, result, step = binary(name, type_), slots, 1
    while step < lanes:
        left, right = result[:, :-step].reshape(-1), result[:, step:].reshape(-1)
        later = combine(left, right).reshape(blocks, lanes - step)
        result = np.concatenate([result[:, :step], later], axis=1)
        step *= 2
    if is_float(type_):
        result = store(type_, load(type_, result.reshape(-1)).copy()).reshape(slots.shape)
    return result
