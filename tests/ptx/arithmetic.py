"""The instructions of PTX that compute, on arrays with an element for each thread."""

from __future__ import annotations

import ctypes
import ctypes.util
from typing import TYPE_CHECKING, Any

import numpy as np
from module import UnknownPtxError

if TYPE_CHECKING:
    from module import Instruction

DTYPES = {
    f"{kind}{bits}": np.dtype(f"{code}{bits // 8}")
    for kind, code in (("u", "u"), ("s", "i"), ("b", "u"), ("f", "f"))
    for bits in (8, 16, 32, 64)
    if (kind, bits) != ("f", 8)
} | {"pred": np.dtype(bool)}
# What the hardware gives for NaN, which is not what the instruction set of hologram defines.
_NANS = {2: 0x7FFF, 4: 0x7FFFFFFF, 8: 0x7FFFFFFFFFFFFFFF}

_libm = ctypes.CDLL(ctypes.util.find_library("m"))
_libm.fma.restype = ctypes.c_double
_libm.fma.argtypes = [ctypes.c_double] * 3
_fma64 = np.frompyfunc(_libm.fma, 3, 1)


def stored(kind: str) -> np.dtype:
    """How a register of this type is kept."""
    return DTYPES[kind]


def viewed(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The same bits as another type; of a wider value the low ones."""
    if values.dtype == dtype:
        return values
    if "b" in (values.dtype.kind, dtype.kind):
        return values.astype(dtype)
    if values.dtype.itemsize != dtype.itemsize:
        values = values.view(f"u{values.dtype.itemsize}").astype(f"u{dtype.itemsize}")
    return values.view(dtype)


def hardware_nan(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind != "f":
        return values
    nan = np.isnan(values)
    if nan.any():
        values = values.copy()
        values.view(f"u{values.dtype.itemsize}")[nan] = _NANS[values.dtype.itemsize]
    return values


def fused(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a * b + c, rounded once."""
    if a.dtype == np.float64:
        return _fma64(a, b, c).astype(np.float64)
    # The product of two f32 is exact in f64; the sum is rounded to odd there, so that rounding it
    # again is rounding once.
    p, wide = a.astype(np.float64) * b.astype(np.float64), c.astype(np.float64)
    total = p + wide
    part = total - p
    error = (p - (total - part)) + (wide - part)
    bits = total.view(np.int64).copy()
    inexact = np.isfinite(total) & (error != 0) & (bits & 1 == 0)
    bits[inexact] += np.where((error > 0) == (total > 0), 1, -1)[inexact]
    return bits.view(np.float64).astype(np.float32)


def high_part(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    wide = a.astype(object) * b.astype(object)
    bits = a.dtype.itemsize * 8
    whole = (wide >> bits) & ((1 << bits) - 1)
    return whole.astype(f"u{a.dtype.itemsize}").view(a.dtype)


def divided(a: np.ndarray, b: np.ndarray, remainder: bool) -> np.ndarray:
    """Towards zero. A divisor of zero gives what the hardware likes: here all ones."""
    zero = b == 0
    safe = np.where(zero, 1, b).astype(a.dtype)
    if a.dtype.kind == "u":
        quotient = a // safe
    else:
        quotient = np.abs(a) // np.abs(safe) * (np.sign(a) * np.sign(safe))
    result = a - quotient * safe if remainder else quotient
    return np.where(zero, -1 if a.dtype.kind == "i" else np.iinfo(a.dtype).max, result).astype(
        a.dtype
    )


def shifted(op: str, a: np.ndarray, amount: np.ndarray) -> np.ndarray:
    bits = a.dtype.itemsize * 8
    low = np.minimum(amount, bits - 1).astype(a.dtype)
    if op == "shl":
        return np.where(amount >= bits, 0, a << low).astype(a.dtype)
    shifted_out = -(a < 0).astype(a.dtype) if a.dtype.kind == "i" else 0
    return np.where(amount >= bits, shifted_out, a >> low).astype(a.dtype)


def compared(how: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if how in ("nan", "num"):
        either = np.isnan(a) | np.isnan(b)
        return either if how == "nan" else ~either
    unordered = a.dtype.kind == "f" and how.endswith("u") and how != "u"
    base = how[:-1] if unordered else how
    base = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}.get(base, base)
    nan = (np.isnan(a) | np.isnan(b)) if a.dtype.kind == "f" else np.zeros(len(a), bool)
    result = {
        "eq": a == b,
        "ne": (a != b) & ~nan,
        "lt": a < b,
        "le": a <= b,
        "gt": a > b,
        "ge": a >= b,
    }[base]
    return result | nan if unordered else result


def to_integer(values: np.ndarray, dtype: np.dtype, rounding: str) -> np.ndarray:
    """Saturates; NaN gives 0."""
    rounded = {"rzi": np.trunc, "rni": np.rint, "rmi": np.floor, "rpi": np.ceil}[rounding](values)
    wide = rounded.astype(np.float64)
    limits = np.iinfo(dtype)
    low, high = wide <= float(limits.min), wide >= float(limits.max)
    nan = np.isnan(wide)
    exact = np.where(low | high | nan, 0, wide).astype(dtype)
    return np.where(nan, 0, np.where(low, limits.min, np.where(high, limits.max, exact))).astype(
        dtype
    )


def converted(op: str, values: np.ndarray, target: np.dtype) -> np.ndarray:
    modifiers = op.split(".")[1:-2]
    rounding = next((m for m in modifiers if m in ("rzi", "rni", "rmi", "rpi")), "")
    unknown = set(modifiers) - {"rn", "rzi", "rni", "rmi", "rpi"}
    if unknown:
        raise UnknownPtxError(op)
    if values.dtype.kind == "f" and target.kind != "f":
        return to_integer(values, target, rounding)
    if values.dtype.kind == "f" and rounding:
        kind = {"rzi": np.trunc, "rni": np.rint, "rmi": np.floor, "rpi": np.ceil}[rounding]
        return hardware_nan(kind(values).astype(target))
    return hardware_nan(values.astype(target))


class Arithmetic:
    """What Machine does with instructions that neither jump nor wait."""

    value: Any
    write: Any
    load: Any
    store: Any
    atomic: Any

    def _compute(self, threads: Any, i: Instruction, here: np.ndarray) -> None:
        parts = i.op.split(".")
        name = parts[0]
        if name in ("ld", "st", "atom"):
            {"ld": self.load, "st": self.store, "atom": self.atomic}[name](threads, i, here)
            return
        if name == "red":
            self.atomic(threads, i, here)
            return
        dtype = DTYPES[parts[-1]]

        def operand(k: int, kind: np.dtype = dtype) -> np.ndarray:
            return self.value(threads, i.operands[k], kind, here)

        with np.errstate(all="ignore"):
            if name == "mov" and i.operands[1].startswith("{"):
                low, high = (s.strip() for s in i.operands[1].strip("{}").split(","))
                half = np.dtype(f"u{dtype.itemsize // 2}")
                wide = self.value(threads, high, half, here).astype(dtype)
                result = (wide << np.uint64(dtype.itemsize * 4)).astype(dtype) | self.value(
                    threads, low, half, here
                ).astype(dtype)
            elif name == "mov" and i.operands[0].startswith("{"):
                half = np.dtype(f"u{dtype.itemsize // 2}")
                whole = operand(1)
                shift = np.uint64(dtype.itemsize * 4)
                for target, part in zip(
                    i.operands[0].strip("{}").split(","), (whole, (whole >> shift.astype(dtype)))
                ):
                    if target.strip() != "_":
                        self.write(threads, target.strip(), part.astype(half), here)
                return
            elif name == "cvt":
                source = DTYPES[parts[-1]]
                dtype = DTYPES[parts[-2]]
                result = converted(i.op, operand(1, source), dtype)
            elif name == "setp":
                result = compared(parts[1], operand(1), operand(2))
            elif name == "selp":
                chosen = self.value(threads, i.operands[3], np.dtype(bool), here)
                result = np.where(chosen, operand(1), operand(2))
            else:
                result = self._number(name, parts, operand, dtype)
        self.write(threads, i.operands[0], np.ascontiguousarray(result), here)

    def _number(self, name: str, parts: list[str], operand: Any, dtype: np.dtype) -> np.ndarray:
        small = np.dtype(np.uint32)
        wide = (
            np.dtype(f"{dtype.kind}{min(8, dtype.itemsize * 2)}") if dtype.kind in "ui" else dtype
        )
        if name in ("mul", "mad") and "wide" in parts:
            product = operand(1).astype(wide) * operand(2).astype(wide)
            return product if name == "mul" else product + operand(3, wide)
        if name == "mul" and "hi" in parts:
            return high_part(operand(1), operand(2))
        if name == "mad":
            return operand(1) * operand(2) + operand(3)
        if name in ("shl", "shr"):
            return shifted(name, operand(1), operand(2, small))
        if name in ("div", "rem") and dtype.kind != "f":
            return divided(operand(1), operand(2), name == "rem")
        if name == "bfe":
            start, length = operand(2, small), operand(3, small)
            if dtype.kind != "u":
                raise UnknownPtxError(".".join(parts))
            ones = shifted("shl", np.ones(len(start), dtype), length) - dtype.type(1)
            return shifted("shr", operand(1), start) & ones
        if name in ("clz", "popc"):
            digits = [format(int(v), f"0{dtype.itemsize * 8}b") for v in operand(1)]
            count = [len(d) - len(d.lstrip("0")) if name == "clz" else d.count("1") for d in digits]
            return np.array(count, np.uint32)
        # A generic address of local memory, and back: accesses without a space are not known here.
        if name == "cvta" and "local" in parts:
            return operand(1)
        if name in ("mov", "not"):
            return operand(1) if name == "mov" else ~operand(1)
        if name in ("neg", "abs"):
            return -operand(1) if name == "neg" else np.abs(operand(1))
        if name in ("sqrt", "rcp"):
            x = operand(1)
            return hardware_nan(np.sqrt(x) if name == "sqrt" else dtype.type(1) / x)
        if name == "fma":
            return hardware_nan(fused(operand(1), operand(2), operand(3)))
        return self._binary(name, parts, operand, dtype)

    @staticmethod
    def _binary(name: str, parts: list[str], operand: Any, dtype: np.dtype) -> np.ndarray:
        two = {
            "add": lambda a, b: a + b,
            "sub": lambda a, b: a - b,
            "mul": lambda a, b: a * b,
            "div": lambda a, b: a / b,
            "min": np.fmin if dtype.kind == "f" else np.minimum,
            "max": np.fmax if dtype.kind == "f" else np.maximum,
            "and": lambda a, b: a & b,
            "or": lambda a, b: a | b,
            "xor": lambda a, b: a ^ b,
        }
        if name not in two or "approx" in parts or "ftz" in parts or "sat" in parts:
            raise UnknownPtxError(".".join(parts))
        return hardware_nan(two[name](operand(1), operand(2)))
