"""Kernels that compute one element from the elements at its place."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
from case import LONG, Case, Cases, Raw, Step, Ulp, Within, covers
from inputs import F, floats, fma, normal, specials

SIZES = (1, 5, 1000, 4099)
warnings.filterwarnings("ignore", category=RuntimeWarning)


def number_first(a: np.ndarray, b: np.ndarray, larger: bool) -> np.ndarray:
    """MIN and MAX: a number before NaN, -0 below +0."""
    pick = np.fmax(a, b) if larger else np.fmin(a, b)
    zeros = (a == 0) & (b == 0)
    sign = (np.signbit(a) & np.signbit(b)) if larger else (np.signbit(a) | np.signbit(b))
    return np.where(zeros, np.where(sign, F(-0.0), F(0.0)), pick)


BINARY = {
    "elementwise/vector_add": lambda a, b: a + b,
    "elementwise/vector_sub": lambda a, b: a - b,
    "elementwise/vector_mul": lambda a, b: a * b,
    "elementwise/vector_div": lambda a, b: a / b,
    "elementwise/vector_min": lambda a, b: number_first(a, b, False),
    "elementwise/vector_max": lambda a, b: number_first(a, b, True),
}
SCALAR = {
    "elementwise/scalar_add": lambda x, s: x + s,
    "elementwise/scalar_sub": lambda x, s: x - s,
    "elementwise/scalar_mul": lambda x, s: x * s,
    "elementwise/scalar_div": lambda x, s: x / s,
}
EXACT = {
    "elementwise/vector_abs": lambda x: Raw(np.abs(x)),
    "elementwise/vector_neg": lambda x: Raw(np.negative(x)),
    "elementwise/vector_sqrt": np.sqrt,
    "activation/relu": lambda x: np.where(x <= 0, F(0), x),
}


def long_sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


# File: (exact function of long doubles, bound in ulp, lowest and highest input or None for all bits)
ROUNDED = {
    "elementwise/vector_exp": (np.exp, 1.0, None),
    "elementwise/vector_log": (np.log, 1.0, None),
    "elementwise/vector_rsqrt": (lambda x: 1 / np.sqrt(x), 1.0, None),
    "elementwise/vector_sin": (np.sin, 1.0, (-1000, 1000)),
    "elementwise/vector_cos": (np.cos, 1.0, (-1000, 1000)),
    "elementwise/vector_tanh": (np.tanh, 1.0, None),
    "activation/silu": (lambda x: x * long_sigmoid(x), 2.0, (-112, 100)),
    "activation/softplus": (
        lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))), 2.5, (-80, 100),
    ),
}  # fmt: skip
NAMED = {
    "activation/sigmoid": ("sigmoid_precise", 1.0, None),
    "activation/sigmoid_fast": ("sigmoid_fast", 4.0, None),
    # 1 / (1 + e^-x) as written overflows to 0 for x < -88.7: compare above that.
    "activation/sigmoid_formula": ("sigmoid_formula", 2.5, (-80, 80)),
}


def kernel_name(file: str) -> str:
    return file.rpartition("/")[2]


def register_exact() -> None:
    for file, function in BINARY.items():

        def binary(file: str = file, function=function) -> Cases:
            for n in SIZES:
                a, b = specials(n, "a"), specials(n, "b")[::-1].copy()
                arrays = {"a": a, "b": b, "c": np.zeros(n, F)}
                yield Case(arrays, {"n": n}, [Step(kernel_name(file))], {"c": function(a, b)})

        covers(file)(binary)
    for file, function in SCALAR.items():

        def scalar(file: str = file, function=function) -> Cases:
            for n, s in ((1, 0.0), (5, np.inf), (1000, 2.5), (4099, -1e-3)):
                x = specials(n)
                arrays = {"x": x, "y": np.zeros(n, F)}
                expected = {"y": function(x, F(s))}
                yield Case(arrays, {"n": n, "s": float(F(s))}, [Step(kernel_name(file))], expected)

        covers(file)(scalar)
    for file, function in EXACT.items():

        def unary(file: str = file, function=function) -> Cases:
            for n in SIZES:
                x = specials(n)
                arrays = {"x": x, "y": np.zeros(n, F)}
                yield Case(arrays, {"n": n}, [Step(kernel_name(file))], {"y": function(x)})

        covers(file)(unary)


def rounded_cases(kernel: str, function, bound: float, span: tuple[float, float] | None) -> Cases:
    for n in SIZES:
        x = floats(n, *(span or (-110, 110)), key=kernel)
        if span is None:
            x = np.concatenate([specials(n), x])
        arrays = {"x": x, "y": np.zeros(len(x), F)}
        exact = Ulp(function(x.astype(LONG)), bound)
        yield Case(arrays, {"n": len(x)}, [Step(kernel)], {"y": exact})


def register_rounded() -> None:
    for file, (function, bound, span) in ROUNDED.items():
        covers(file)(partial(rounded_cases, kernel_name(file), function, bound, span))
    for file, (kernel, bound, span) in NAMED.items():
        covers(file)(partial(rounded_cases, kernel, long_sigmoid, bound, span))


register_exact()
register_rounded()


@covers("elementwise/vector_pow")
def vector_pow() -> Cases:
    for n in SIZES:
        a = np.concatenate([floats(n, 0, 30, "base"), specials(n, "base")])
        b = np.concatenate([floats(n, -20, 20, "power"), specials(n, "power")[::-1]])
        arrays = {"a": a, "b": b, "c": np.zeros(2 * n, F)}
        exact = Ulp(np.power(a.astype(LONG), b.astype(LONG)), 1.5)
        yield Case(arrays, {"n": 2 * n}, [Step("vector_pow")], {"c": exact})


@covers("elementwise/saxpy")
def saxpy() -> Cases:
    for n in SIZES:
        x, y = specials(n, "x"), specials(n, "y")[::-1].copy()
        fused = fma(np.broadcast_to(F(2.5), n), x, y)
        arrays = {"x": x, "y": y, "out": np.zeros(n, F)}
        yield Case(arrays, {"a": 2.5, "n": n}, [Step("saxpy")], {"out": fused})


@covers("elementwise/axpy")
def axpy() -> Cases:
    for n in SIZES:
        x, y = specials(n, "x"), specials(n, "y")[::-1].copy()
        fused = fma(np.broadcast_to(F(-0.3), n), x, y)
        scalars = {"a": float(F(-0.3)), "n": n}
        yield Case({"x": x, "y": y}, scalars, [Step("axpy")], {"y": fused})


@covers("elementwise/axpy_strided")
def axpy_strided() -> Cases:
    for n in SIZES:
        x, y = specials(n, "x"), specials(n, "y")[::-1].copy()
        fused = fma(np.broadcast_to(F(-0.3), n), x, y)
        scalars = {"a": float(F(-0.3)), "n": n}
        for grid, block in ((1, 1), (3, 7), (2, 256)):
            steps = [Step("axpy_strided", (grid,), (block,))]
            yield Case({"x": x, "y": y}, scalars, steps, {"y": fused})


@covers("elementwise/clamp")
def clamp() -> Cases:
    for n, low, high in ((1, -1, 1), (10, -1, 1), (1000, 1, -1), (4099, -2.5, np.inf)):
        x = specials(n)
        if n == 10:
            x = np.array([-5, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 5], F)
        expected = number_first(number_first(x, F(low), True), F(high), False)
        arrays = {"x": x, "y": np.zeros(n, F)}
        scalars = {"n": n, "low": low, "high": high}
        yield Case(arrays, scalars, [Step("clamp")], {"y": expected})


@covers("elementwise/fill")
def fill() -> Cases:
    for n, value in ((1, -0.0), (7, 42.0), (4099, np.nan)):
        expected = {"y": np.full(n, value, F)}
        yield Case({"y": np.ones(n, F)}, {"n": n, "value": value}, [Step("fill")], expected)


@covers("elementwise/where")
def where() -> Cases:
    for n in SIZES:
        a, b = specials(n, "a"), specials(n, "b")
        mask = (specials(n, "mask").view(np.uint32) % 3).astype(np.uint8)
        arrays = {"mask": mask, "a": a, "b": b, "out": np.zeros(n, F)}
        expected = {"out": np.where(mask != 0, a, b)}
        yield Case(arrays, {"n": n}, [Step("where")], expected)


def to_integer(x: np.ndarray, dtype: type) -> np.ndarray:
    ends = np.iinfo(dtype)
    whole = np.clip(np.trunc(np.where(np.isnan(x), 0, x)).astype(np.float64), ends.min, ends.max)
    return whole.astype(dtype)


def to_bfloat16(x: np.ndarray) -> np.ndarray:
    """The upper halves, rounded to nearest even."""
    bits = x.view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(x), np.uint16(0x7FC0), rounded).astype(np.uint16).view("V2")


@covers("elementwise/cast")
def cast() -> Cases:
    for n in (1, 13, 1000, 4099):
        x = np.concatenate([specials(n), floats(n, -300, 300)])
        words = x.view(np.uint32)
        m = len(x)
        halves = np.arange(m).astype(np.uint16).view(np.float16)
        halves = np.where(np.isnan(halves), np.float16(np.nan), halves)
        pairs = {
            "cast_u8_f32": (words.astype(np.uint8), words.astype(np.uint8).astype(F)),
            "cast_f32_u8": (x, to_integer(x, np.uint8)),
            "cast_i32_f32": (words.view(np.int32), words.view(np.int32).astype(F)),
            "cast_f32_i32": (x, to_integer(x, np.int32)),
            "cast_f64_f32": (x.astype(np.float64) * 1.1, (x.astype(np.float64) * 1.1).astype(F)),
            "cast_f32_f64": (x, x.astype(np.float64)),
            "cast_f16_f32": (halves, halves.astype(F)),
            "cast_f32_f16": (x, x.astype(np.float16)),
            "cast_f32_bf16": (x, to_bfloat16(x)),
        }
        for kernel, (given, expected) in pairs.items():
            arrays = {"x": given.copy(), "y": np.zeros(m, expected.dtype)}
            yield Case(arrays, {"n": m}, [Step(kernel)], {"y": expected})
        narrow = to_bfloat16(x)
        wide = (narrow.view(np.uint16).astype(np.uint32) << 16).view(F)
        arrays = {"x": narrow, "y": np.zeros(m, F)}
        yield Case(arrays, {"n": m}, [Step("cast_bf16_f32")], {"y": wide})


@covers("activation/leaky_relu")
def leaky_relu() -> Cases:
    for n in SIZES:
        x = specials(n)
        arrays = {"x": x, "y": np.zeros(n, F)}
        expected = {"y": np.where(x < 0, F(0.01) * x, x)}
        scalars = {"n": n, "slope": float(F(0.01))}
        yield Case(arrays, scalars, [Step("leaky_relu")], expected)


@covers("activation/elu")
def elu() -> Cases:
    for n in SIZES:
        x = np.concatenate([specials(n), floats(n, -20, 20)])
        wide = x.astype(LONG)
        exact = np.where(wide > 0, wide, LONG(F(0.7)) * np.expm1(wide))
        arrays = {"x": x, "y": np.zeros(2 * n, F)}
        scalars = {"n": 2 * n, "alpha": float(F(0.7))}
        yield Case(arrays, scalars, [Step("elu")], {"y": Ulp(exact, 2.0)})


def gelu_case(kernel: str, x: np.ndarray, expected: object) -> Case:
    return Case({"x": x, "y": np.zeros(len(x), F)}, {"n": len(x)}, [Step(kernel)], {"y": expected})


@covers("activation/gelu_erf")
def gelu_erf() -> Cases:
    for n in SIZES:
        up, down = floats(n, 0, 10), floats(n, -10, 0)
        for x in (up, down):
            wide = x.astype(np.float64)
            exact = wide * normal(wide)
            if x is up:
                yield gelu_case("gelu_erf", x, Ulp(exact.astype(LONG), 2.0))
            else:
                yield gelu_case("gelu_erf", x, Within(exact, 1.2e-7 * np.abs(wide)))


@covers("activation/gelu_tanh")
def gelu_tanh() -> Cases:
    for n in SIZES:
        for low, high, bound in ((-1, 10, 4.0), (-9, -1, 160.0)):
            x = floats(n, low, high)
            wide = x.astype(LONG)
            u = np.sqrt(2 / LONG(np.pi)) * (wide + LONG("0.044715") * wide**3)
            yield gelu_case("gelu_tanh", x, Ulp(wide * long_sigmoid(2 * u), bound))
