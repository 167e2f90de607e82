#!/usr/bin/env python3
"""Writes the generated conformance files: every pure instruction at every type, at its edges.

  tests/conformance/generate.py FOLDER   writes the files there; exits 1 and names the cases that
                                         generated.sums has otherwise, or not, or has alone
  tests/conformance/generate.py --bless  rewrites generated.sums

Committed are the hashes of the cases, one a line, so that a change shows which of them it adds and
which it alters: the files have 92,000 lines, which nobody reads, and say no more than this script.
Expected results come from tests/reference/isa_reference.py, never from an engine. The files beside
this script are written by hand.
"""

import hashlib
import itertools
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
SUMS = HERE / "generated.sums"
SHOWN = 20
sys.path[:0] = [str(HERE), str(HERE.parent / "reference")]
import atlas_cases  # noqa: E402
import control_cases  # noqa: E402
import counter_cases  # noqa: E402
import functions_reference  # noqa: E402
import guard_cases  # noqa: E402
import isa_reference as isa  # noqa: E402
import memory_cases  # noqa: E402
import order_cases  # noqa: E402
import print_cases  # noqa: E402
import stride_cases  # noqa: E402
import warp_cases  # noqa: E402


def integer_edges(type_):
    low, high = isa.limits(type_)
    values = [0, 1, 2, 3, 7, low, low + 1, high, high - 1, high // 3, -1, -2, -7]
    return list(dict.fromkeys(isa.from_int(type_, value) for value in values))


FLOAT_EDGES = {
    "f16": [
        0x0000,
        0x8000,
        0x3C00,
        0xBC00,
        0x3C01,
        0x4248,
        0xD640,
        0x0001,
        0x83FF,
        0x0400,
        0x7BFF,
        0xFBFF,
        0x7C00,
        0xFC00,
        0x7E00,
        0xFE12,
        0x7D23,
    ],
    "bf16": [
        0x0000,
        0x8000,
        0x3F80,
        0xBF80,
        0x3F81,
        0x4049,
        0xC2C8,
        0x0001,
        0x807F,
        0x0080,
        0x7F7F,
        0xFF7F,
        0x7F80,
        0xFF80,
        0x7FC0,
        0xFFD2,
        0x7F92,
    ],
    "f32": [
        0x00000000,
        0x80000000,
        0x3F800000,
        0xBF800000,
        0x3F800001,
        0x40490FDB,
        0xC2C80000,
        0x00000001,
        0x807FFFFF,
        0x00800000,
        0x7F7FFFFF,
        0xFF7FFFFF,
        0x7F800000,
        0xFF800000,
        0x7FC00000,
        0xFFC12345,
        0x7F812345,
    ],
    "f64": [
        0x0000000000000000,
        0x8000000000000000,
        0x3FF0000000000000,
        0xBFF0000000000000,
        0x3FF0000000000001,
        0x400921FB54442D18,
        0xC059000000000000,
        0x0000000000000001,
        0x800FFFFFFFFFFFFF,
        0x0010000000000000,
        0x7FEFFFFFFFFFFFFF,
        0xFFEFFFFFFFFFFFFF,
        0x7FF0000000000000,
        0xFFF0000000000000,
        0x7FF8000000000000,
        0xFFF8123456789ABC,
        0x7FF4123456789ABC,
    ],
}
# Halves and what surrounds them, limits of the integer types and what surrounds those.
NUMBERS = [
    0.5,
    -0.5,
    1.5,
    -1.5,
    2.5,
    -2.5,
    0.49999997,
    126.9,
    127,
    128,
    -128,
    -128.5,
    -129,
    255,
    255.5,
    256,
    32767,
    32768,
    -32769,
    65535,
    65536,
    2.0**23 + 1,
    2.0**24 - 1,
    2.0**31 - 128,
    2.0**31,
    -(2.0**31),
    -(2.0**31) - 256,
    2.0**32 - 256,
    2.0**32,
    2.0**53 - 1,
    2.0**63 - 2.0**39,
    2.0**63,
    -(2.0**63),
    -(2.0**63) - 2.0**40,
    2.0**64 - 2.0**40,
    2.0**64,
    1e30,
    -1e30,
    1e-40,
    2.0**31 - 0.5,
    2.0**32 - 0.5,
    -0.999999999,
]


# What f16 and bf16 round: their largest numbers, subnormals, ties, and what stands just beside ties (in
# f64 so close that f32 cannot tell).
TIES = [
    isa.Fraction(tie) + sign * isa.Fraction(2) ** -distance * isa.Fraction(tie)
    for tie in (
        65504,
        65520,
        1 + 2.0**-11,
        1 + 3 * 2.0**-11,
        1 + 2.0**-8,
        1 + 3 * 2.0**-8,
        2.0**-24,
        2.0**-25,
        3 * 2.0**-25,
        2.0**-14 - 2.0**-25,
        2.0**-133,
        2.0**-134,
        3 * 2.0**-134,
        2.0**128 - 2.0**119,
    )
    for sign, distance in ((0, 0), (1, 20), (-1, 20), (1, 45), (-1, 45))
]


def float_numbers(type_):
    numbers = [isa.Fraction(number) for number in NUMBERS]
    if type_ not in isa.HALVES:
        numbers += TIES + [-tie for tie in TIES[1::5]]
    return list(dict.fromkeys(isa.round_float(type_, number) for number in numbers))


def edges(type_):
    return integer_edges(type_) if type_ in isa.INTEGERS else FLOAT_EDGES[type_]


# Integers that do not fit the mantissas of the floats, ties included, and some beside ties that rounding
# to f32 first would make ties.
WIDE = [
    257,
    259,
    2049,
    2051,
    65504,
    65519,
    65520,
    -65520,
    2**30 + 2**22 - 1,
    2**30 + 2**22,
    2**30 + 2**22 + 1,
    -(2**30) - 2**22 - 1,
    2**62 + 2**54 - 1,
    2**62 + 2**54,
    2**62 + 2**54 + 1,
    -(2**62) - 2**54 - 1,
    2**53 + 2**45 + 1,
    2**53 - 2**44 - 1,
    2**24 + 1,
    2**24 + 3,
    2**25 + 3,
    2**31 + 129,
    2**32 - 1,
    2**53 + 1,
    2**53 + 3,
    2**54 + 6,
    2**62 + 2**38,
    2**62 + 2**38 + 1,
    2**63 - 1,
    2**63 + 2**39,
    2**63 + 2**39 + 1,
    2**64 - 2**39,
    2**64 - 1,
    -(2**24) - 1,
    -(2**53) - 1,
    -(2**62) - 2**38 - 1,
]


def unary_inputs(type_):
    if type_ in isa.FLOATS:
        return edges(type_) + float_numbers(type_)
    low, high = isa.limits(type_)
    return list(
        dict.fromkeys(edges(type_) + [isa.from_int(type_, v) for v in WIDE if low <= v <= high])
    )


def hex_digits(type_):
    return isa.bits_of(type_) // 4


class Case:
    """One launch: parameters are buffers with one element per lane, in the order of `buffers`."""

    def __init__(self, name):
        self.name = name
        self.parameters = []
        self.body = []
        self.result = None
        self.note = ""

    def buffer(self, name, type_, direction, values):
        self.parameters.append((name, type_, direction, values))
        return f"r{len(self.parameters)}"

    def text(self):
        lanes = len(self.parameters[0][3])
        out = ["-- asm", f".kernel {self.name}"]
        out += [
            f".param {name} {type_}[] {direction}" for name, type_, direction, _ in self.parameters
        ]
        out += ["  sreg.u32 r20, global.x", *(f"  {line}" for line in self.body), "  exit"]
        out += ["-- launch", f"grid 1 block {lanes}", "-- buffers"]
        for name, type_, direction, values in self.parameters:
            if direction == "out":
                out.append(f"{name} = zero {lanes}")
            else:
                out += memory_cases.words(name, type_, values)
        out.append("-- result")
        name, type_, values, note = self.result
        out += memory_cases.words(name + note, type_, values)
        return "\n".join(out)


def address(register, type_):
    return f"[{register} + r20*{isa.bits_of(type_) // 8}]"


def operation_case(mnemonic, kernel, types, columns, results, result_type, note=""):
    """Loads operand k (types[k], columns[k]) into r(30+k), runs the instruction into r40, stores."""
    case = Case(kernel)
    registers = []
    for k, (type_, column) in enumerate(zip(types, columns)):
        pointer = case.buffer("abcef"[k], type_, "in", column)
        case.body.append(f"ldg.{type_} r{30 + k}, {address(pointer, type_)}")
        registers.append(f"r{30 + k}")
    pointer = case.buffer("d", result_type, "out", results)
    case.body.append(f"{mnemonic} r40, {', '.join(registers)}")
    case.body.append(f"stg.{result_type} {address(pointer, result_type)}, r40")
    case.result = ("d", result_type, results, note)
    return case


def evaluated(name, type_, rows):
    """The rows without those that fault, and their results."""
    kept, results = [], []
    for row in rows:
        try:
            results.append(isa.evaluate(name, type_, *row))
            kept.append(row)
        except isa.DivisionByZero:
            pass
    return kept, results


def arithmetic_file(name, types, arity):
    cases = []
    for type_ in types:
        values = edges(type_)
        if arity == 1:
            rows = [(value,) for value in unary_inputs(type_)]
        elif arity == 2:
            rows = list(itertools.product(values, values))
        else:
            few = values if type_ in isa.INTEGERS else values[2:8] + values[10:12] + values[:1]
            rows = list(itertools.product(few[:7], few[2:8], few[1:9:2])) + CANCELLING.get(
                type_, []
            )
        if name in ("div", "rem", "min", "max") and type_ in isa.FLOATS:
            rows += [(b, a) for a, b in zip(float_numbers(type_), values)]
        kept, results = evaluated(name, type_, rows)
        columns = [list(column) for column in zip(*kept)]
        cases.append(
            operation_case(
                f"{name}.{type_}", f"{name}_{type_}", [type_] * arity, columns, results, type_
            )
        )
    return cases


# a * b + c where one and two roundings differ, and where only the low bits of the product survive.
CANCELLING = {
    "f16": [
        (0x3C01, 0x3C01, 0xBC02),
        (0x3BFF, 0x3C01, 0xBC00),
        (0x0401, 0x3800, 0x0001),
        (0x7BFF, 0x4000, 0xFBFF),
        (0x0001, 0x3800, 0x0000),
        (0x8000, 0x3C00, 0x8000),
        (0x7C00, 0x0000, 0x3C00),
        (0x3C00, 0x7C00, 0xFC00),
        (0x7E12, 0x3C00, 0x3C00),
        (0x3C00, 0x3C00, 0xFD23),
        # A tie but for the addend, which f32 would lose.
        (0x4200, 0x3C01, 0x0001),
        (0x4200, 0x3C01, 0x8001),
        (0x7BFF, 0x3C01, 0x8001),
        (0x4100, 0x1001, 0x7000),
    ],
    "bf16": [
        (0x3F81, 0x3F81, 0xBF82),
        (0x3F7F, 0x3F81, 0xBF80),
        (0x0081, 0x3F00, 0x0001),
        (0x7F7F, 0x4000, 0xFF7F),
        (0x0001, 0x3F00, 0x0000),
        (0x8000, 0x3F80, 0x8000),
        (0x7F80, 0x0000, 0x3F80),
        (0x3F80, 0x7F80, 0xFF80),
        (0x7FD2, 0x3F80, 0x3F80),
        (0x3F80, 0x3F80, 0xFF92),
        # Ties but for the addend, which f32 would lose, and then f64 too.
        (0x4040, 0x3F81, 0x3380),
        (0x4040, 0x3F81, 0xB380),
        (0x4040, 0x3F81, 0x0D80),
        (0x4040, 0x3F81, 0x8D80),
        (0x4040, 0x3F81, 0x0001),
        (0x4040, 0x3F81, 0x8001),
        (0x2000, 0x1F81, 0x3F81),
    ],
    "f32": [
        (0x3F800001, 0x3F800001, 0xBF800002),
        (0x3F7FFFFF, 0x3F800001, 0xBF800000),
        (0x4B800001, 0x3F800001, 0xCB800002),
        (0x00800001, 0x3F000000, 0x00000001),
        (0x7F7FFFFF, 0x40000000, 0xFF7FFFFF),
        (0x00000001, 0x3F000000, 0x00000000),
        (0x80000000, 0x3F800000, 0x80000000),
        (0x7F800000, 0x00000000, 0x3F800000),
        (0x3F800000, 0x7F800000, 0xFF800000),
        (0x7FC12345, 0x3F800000, 0x3F800000),
        (0x3F800000, 0x3F800000, 0xFF812345),
    ],
    "f64": [
        (0x3FF0000000000001, 0x3FF0000000000001, 0xBFF0000000000002),
        (0x3FEFFFFFFFFFFFFF, 0x3FF0000000000001, 0xBFF0000000000000),
        (0x0010000000000001, 0x3FE0000000000000, 0x0000000000000001),
        (0x7FEFFFFFFFFFFFFF, 0x4000000000000000, 0xFFEFFFFFFFFFFFFF),
        (0x8000000000000000, 0x3FF0000000000000, 0x8000000000000000),
        (0x7FF0000000000000, 0x0000000000000000, 0x3FF0000000000000),
        (0x3FF0000000000000, 0x3FF0000000000000, 0xFFF4123456789ABC),
    ],
}


def shift_file(name):
    cases = []
    for type_ in isa.INTEGERS:
        size = isa.bits_of(type_)
        amounts = [0, 1, size - 1, size, size + 1, 2 * size + 3, 0xFFFFFFFF]
        rows = list(itertools.product(integer_edges(type_), amounts))
        columns = [list(column) for column in zip(*rows)]
        results = [isa.shift(name, type_, a, amount) for a, amount in rows]
        cases.append(
            operation_case(
                f"{name}.{type_}", f"{name}_{type_}", [type_, "u32"], columns, results, type_
            )
        )
    return cases


def set_file(condition):
    """The predicate becomes 1 or 0 in a u8."""
    cases = []
    for type_ in isa.TYPES:
        rows = list(itertools.product(edges(type_), edges(type_)))
        results = [int(isa.compare(condition, type_, a, b)) for a, b in rows]
        case = operation_case(
            f"set{condition}.{type_}",
            f"set{condition}_{type_}",
            [type_, type_],
            [list(column) for column in zip(*rows)],
            results,
            "u8",
        )
        case.body[2:3] = [
            f"set{condition}.{type_} p3, r30, r31",
            "mov_imm.u8 r50, 1",
            "mov_imm.u8 r51, 0",
            "sel.u8 r40, p3, r50, r51",
        ]
        cases.append(case)
    return cases


def sel_file():
    cases = []
    for type_ in isa.TYPES:
        rows = [
            (p, a, b) for p in (0, 1, 255) for a, b in itertools.product(edges(type_), repeat=2)
        ]
        rows = rows[::5]
        case = operation_case(
            "",
            f"sel_{type_}",
            ["u8", type_, type_],
            [list(column) for column in zip(*rows)],
            [a if p else b for p, a, b in rows],
            type_,
        )
        case.body[3:4] = [
            "mov_imm.u8 r50, 0",
            "setne.u8 p1, r30, r50",
            f"sel.{type_} r40, p1, r31, r32",
        ]
        cases.append(case)
    return cases


def predicate_file(name):
    table = {
        "pand": lambda a, b: a & b,
        "por": lambda a, b: a | b,
        "pxor": lambda a, b: a ^ b,
        "pnot": lambda a, b: 1 - a,
    }[name]
    rows = list(itertools.product((0, 1), repeat=2)) * 9  # more than one vector of lanes
    case = operation_case(
        "",
        name,
        ["u8", "u8"],
        [list(column) for column in zip(*rows)],
        [table(a, b) for a, b in rows],
        "u8",
    )
    operands = "p4, p1" if name == "pnot" else "p4, p1, p2"
    case.body[2:3] = [
        "mov_imm.u8 r50, 0",
        "mov_imm.u8 r51, 1",
        "setne.u8 p1, r30, r50",
        "setne.u8 p2, r31, r50",
        f"{name} {operands}",
        "sel.u8 r40, p4, r51, r50",
    ]
    return [case]


def cvt_file(to):
    cases = []
    for from_ in isa.TYPES:
        values = unary_inputs(from_)
        cases.append(
            operation_case(
                f"cvt.{to}.{from_}",
                f"cvt_{to}_{from_}",
                [from_],
                [values],
                [isa.convert(to, from_, value) for value in values],
                to,
            )
        )
    return cases


def bitcast_file():
    pairs = [
        (to, from_)
        for to in isa.TYPES
        for from_ in isa.TYPES
        if isa.bits_of(to) == isa.bits_of(from_)
    ]
    return [
        operation_case(
            f"bitcast.{to}.{from_}",
            f"bitcast_{to}_{from_}",
            [from_],
            [unary_inputs(from_)],
            unary_inputs(from_),
            to,
        )
        for to, from_ in pairs
    ]


def mov_file():
    return [
        operation_case(
            f"mov.{type_}",
            f"mov_{type_}",
            [type_],
            [unary_inputs(type_)],
            unary_inputs(type_),
            type_,
        )
        for type_ in isa.TYPES
    ]


def mov_imm_file():
    """Lane k keeps immediate k: each is moved and kept where the lane number says so."""
    cases = []
    for type_ in isa.TYPES:
        values = edges(type_)
        case = Case(f"mov_imm_{type_}")
        pointer = case.buffer("d", type_, "out", values)
        case.body.append(f"mov_imm.{type_} r40, 0x{values[0]:0{hex_digits(type_)}x}")
        for k, value in enumerate(values[1:], 1):
            case.body += [
                f"mov_imm.{type_} r41, 0x{value:0{hex_digits(type_)}x}",
                f"mov_imm.u32 r42, {k}",
                "seteq.u32 p0, r20, r42",
                f"sel.{type_} r40, p0, r41, r40",
            ]
        case.body.append(f"stg.{type_} {address(pointer, type_)}, r40")
        case.result = ("d", type_, values, "")
        cases.append(case)
    return cases


SLOPE = [
    -120.0,
    -104.0,
    -103.5,
    -90.0,
    -88.0,
    -87.5,
    -87.0,
    -50.0,
    -17.0,
    -16.5,
    -4.5,
    -2.0,
    -1.0,
    -0.75,
    -0.3466,
    -0.3465,
    -1e-3,
    -1e-9,
    1e-9,
    1e-3,
    0.3465,
    0.3466,
    0.7,
    1.0,
    2.5,
    10.0,
    16.7,
    17.5,
    40.0,
    86.9,
    87.0,
    87.5,
    88.7,
    88.73,
    89.0,
    105.0,
    708.5,
    709.7,
    709.9,
    -708.2,
    -744.4,
    -745.2,
    -760.0,
]


# Exact powers, quadrant boundaries, and angles of all sizes.
POINTS = {
    "log": [2.0**k for k in range(-6, 7)] + [10.0**k for k in range(-8, 11)] + [0.7071, 1.4142],
    "angle": [
        *(k * 0.7853981633974483 for k in range(1, 18)),
        *(-k * 1.5707963267948966 for k in range(1, 9)),
        *(float(2**k) for k in range(4, 120, 7)),
        *(float(3**k) for k in range(5, 75, 5)),
        *(355.0, 103993.0, 32767.9, 32768.1, 131071.9, 131072.1, 268435455.0, 268435457.0),
        *(16367173 * 2.0**72, 6381956970095103 * 2.0**797),  # the closest to a multiple of pi/2
    ],
}
FAMILY = {
    "log": "log",
    "log2": "log",
    "log10": "log",
    "rsqrt": "log",
    "sin": "angle",
    "cos": "angle",
    "tan": "angle",
}


def math_inputs(name, type_):
    points = SLOPE + POINTS.get(FAMILY.get(name), [])
    largest = {"f16": 65000.0, "f64": 1e308}.get(type_, 3e38)
    points = [x for x in points if abs(x) < largest]
    return FLOAT_EDGES[type_] + [isa.round_float(type_, isa.Fraction(x)) for x in points]


def at_zero_or_infinity(name, type_, x):
    """What the function gives for an infinite argument or a zero."""
    plus, minus = isa.infinity(type_, False), isa.infinity(type_, True)
    one = isa.round_float(type_, isa.Fraction(1))
    nan = isa.nan(type_)
    zero = isa.round_float(type_, isa.Fraction(0), x.negative)
    if name == "exp":
        return one if not x.inf else 0 if x.negative else plus
    if name == "sigmoid":
        half = isa.round_float(type_, isa.Fraction(1, 2))
        return half if not x.inf else 0 if x.negative else one
    if name in ("log", "log2", "log10"):
        return minus if not x.inf else nan if x.negative else plus
    if name == "rsqrt":
        if not x.inf:
            return minus if x.negative else plus
        return nan if x.negative else 0
    if name == "tanh":
        return isa.negate_float(type_, one) if x.inf and x.negative else one if x.inf else zero
    return nan if x.inf else one if name == "cos" else zero


def nearest(name, type_, a):
    if type_ in isa.HALVES:
        wide = nearest(name, "f32", isa.convert("f32", type_, a))
        return isa.convert(type_, "f32", wide)
    x = isa.Float(type_, a)
    if x.nan or (FAMILY.get(name) == "log" and x.negative and x.value != 0):
        return isa.nan(type_)
    if x.inf or x.value == 0:
        return at_zero_or_infinity(name, type_, x)
    if name in ("exp", "sigmoid", "tanh") and abs(x.value) > 2000:
        infinite = isa.Float(type_, isa.infinity(type_, x.negative))
        return at_zero_or_infinity(name, type_, infinite)
    return isa.true_value(name, type_, a)


FAST = ("exp", "sigmoid", "log", "log2", "log10", "sin", "cos", "tanh")


def canonical_file(name):
    """EXP to the bit. The others by their distance from the nearest float; that all engines have equal
    bits is checked by the runner."""
    cases = []
    for type_ in isa.FLOATS:
        values = math_inputs(name, type_)
        exact = name == "exp"
        results = [isa.exp_precise(type_, v) if exact else nearest(name, type_, v) for v in values]
        cases.append(
            operation_case(
                f"{name}.{type_}",
                f"{name}_{type_}",
                [type_],
                [values],
                results,
                type_,
                "" if exact else " within 1",
            )
        )
        if name not in FAST:
            continue
        results = [nearest(name, type_, value) for value in values]
        cases.append(
            operation_case(
                f"{name}.fast.{type_}",
                f"{name}_fast_{type_}",
                [type_],
                [values],
                results,
                type_,
                " within 4",
            )
        )
    return cases


def reduced(name, type_, row):
    """From the first on; a NaN is canonical even where it is alone."""
    if not row:
        low, high = isa.limits(type_) if type_ in isa.INTEGERS else (None, None)
        if name == "add":
            return 0
        if name == "mul":
            return 1 if low is not None else isa.round_float(type_, isa.Fraction(1))
        if low is None:
            return isa.infinity(type_, name == "max")
        return isa.from_int(type_, high if name == "min" else low)
    if type_ in isa.FLOATS and isa.Float(type_, row[0]).nan and len(row) == 1:
        return isa.nan(type_)
    folded = row[0]
    for value in row[1:]:
        folded = isa.evaluate(name, type_, folded, value)
    return folded


def reduce_file(name):
    cases = []
    for type_, count in itertools.product(isa.TYPES, (0, 1, 2, 3, 5)):
        values = edges(type_)
        rows = [
            tuple(values[(i * (3 * k + 1) + k * k) % len(values)] for k in range(max(count, 1)))
            for i in range(3 * len(values))
        ]
        case = operation_case(
            "",
            f"reduce_{name}_{type_}_{count}",
            [type_] * max(count, 1),
            [list(column) for column in zip(*rows)],
            [reduced(name, type_, row[:count]) for row in rows],
            type_,
        )
        # The result replaces one of the operands.
        target = 30 + count // 2
        case.body[-2:] = [
            f"reduce.{name}.{type_} r{target}, r30, {count}",
            f"stg.{type_} {address(f'r{max(count, 1) + 1}', type_)}, r{target}",
        ]
        cases.append(case)
    return [*cases, long_reduction(name)]


def long_reduction(name):
    """r20 holds the lane: 231 registers up to the last that is not special."""
    count, lanes = 231, 40
    case = Case(f"reduce_{name}_long")
    values = [isa.round_float("f32", isa.Fraction(97 + k * k % 31, 101)) for k in range(count)]
    results = []
    for lane in range(lanes):
        row = list(values)
        row[0] = isa.convert("f32", "u32", lane)
        results.append(reduced(name, "f32", row))
    pointer = case.buffer("d", "f32", "out", results)
    case.body.append("cvt.f32.u32 r21, r20")
    case.body += [
        f"mov_imm.f32 r{21 + k}, 0x{value:08x}" for k, value in enumerate(values) if k > 0
    ]
    case.body.append(f"reduce.{name}.f32 r19, r21, {count}")
    case.body.append(f"stg.f32 {address(pointer, 'f32')}, r19")
    case.result = ("d", "f32", results, "")
    return case


# Where the algorithms change: reduction, branches, rare arms, overflow, underflow.
TURNS = [
    *(
        -0.9999999,
        -0.99,
        -0.6,
        -0.5,
        -0.3,
        -0.25,
        -0.1875,
        0.25,
        0.4142135,
        0.45,
        0.5,
        0.50001,
        0.75,
    ),
    *(0.9999999, 1.0000001, 1.03, 1.5, 3.0, 3.92, 4.0, 4.5, 5.9, 6.5, 16.8, 16.9, 17.0, 36.9, 37.1),
    *(-16.9, -17.5, -36.9, -37.1, -40.0, 125.0, 125.5, 126.5, 127.0, 127.99, 128.0, -125.5, -126.5),
    *(-130.25, -149.0, -149.5, -150.0, -150.5, 1021.5, 1023.9, 1024.0, -1022.5, -1074.0, -1075.5),
    *(2.0**62, 2.0**64, 2.0**65, 1e19, 3e38, 1e-20, -1e-20),
]
POWERS = [
    *((2, 0.5), (2, -0.5), (0.5, 3.7), (10, 2), (10, -2), (1.5, 200), (1.5, -240), (0.7, 250)),
    *((1.41421, 250.5), (0.70711, -251), (1.0000001, 1e9), (0.9999999, 1.4e9), (3, 80.7), (3, 81)),
    *((2, 127.5), (2, 128), (2, -126.5), (2, -149), (2, -150), (2, 1023.5), (2, -1074), (7, 0.1)),
    *((1e-40, 0.5), (1e-40, 3), (1e-45, -0.7), (1e38, 1.0001), (1.1, 7.4e3), (1.1, -7.8e3)),
    *((-2, 3), (-2, 4), (-2, -3), (-2.5, 2**24 - 1), (-0.5, 2**24 - 1), (-1.5, 2**24), (-3, 0.5)),
    *(
        (-2, 2**22 + 0.5),
        (-1, 2**23 + 1),
        (-0.0, 5),
        (-0.0, -5),
        (-0.0, 4),
        (0.3, 0.3),
        (123.4, 5.6),
    ),
]
PLANE = [
    *((1, 2), (2, 1), (-1, 2), (1, -2), (-2, 1), (2, -1), (-1, -2), (-2, -1), (3, 3), (-3, 3)),
    *((3, -3), (-3, -3), (0.41421, 1), (0.9999, 1), (1, 0.9999), (1e-10, 1), (1, 1e-10)),
    *((1e-10, -1), (1, -1e-10), (1e-38, 1e-38), (1e-45, 3e-45), (3e38, 1e38), (1e38, 3e38)),
    *((1e-38, 3.0), (3.0, 1e-38), (1e-30, 1e38), (1e-30, 1e12), (1e-40, 2e-3), (5e-324, 5e-324)),
    *((1e308, 1.5e308), (1e-300, 1e300), (1e-310, 1e-2), (0.5, 0.75), (7, 9), (1, 1e30)),
]


def function_rows(name, type_):
    def rounded(number):
        return isa.round_float(type_, isa.Fraction(number), str(number)[0] == "-")

    if name not in ("pow", "atan2"):
        return [(v,) for v in math_inputs(name, type_)] + [(rounded(number),) for number in TURNS]
    pairs = POWERS if name == "pow" else PLANE
    edges_of_both = list(itertools.product(FLOAT_EDGES[type_], FLOAT_EDGES[type_]))
    return edges_of_both + [(rounded(a), rounded(b)) for a, b in pairs]


def function_file(name):
    """By their distance from the nearest float, as canonical_file."""
    cases = []
    for type_ in isa.FLOATS:
        rows = function_rows(name, type_)
        results = [functions_reference.nearest(name, type_, row) for row in rows]
        columns = [list(column) for column in zip(*rows)]
        for form, note in (("", " within 1"), ("fast", " within 4")):
            cases.append(
                operation_case(
                    ".".join(part for part in (name, form, type_) if part),
                    "_".join(part for part in (name, form, type_) if part),
                    [type_] * len(columns),
                    columns,
                    results,
                    type_,
                    note,
                )
            )
    return cases


SIGNED = [t for t in isa.TYPES if t[0] != "u"]


def files():
    out = {}
    for name in ("add", "sub", "mul", "div", "min", "max"):
        out[f"arithmetic/{name}"] = arithmetic_file(name, isa.TYPES, 2)
    for name in ("add", "min", "max", "mul"):
        out[f"arithmetic/reduce-{name}"] = reduce_file(name)
    out["arithmetic/rem"] = arithmetic_file("rem", list(isa.INTEGERS), 2)
    out["arithmetic/mad"] = arithmetic_file("mad", isa.TYPES, 3)
    out["arithmetic/fma"] = arithmetic_file("fma", list(isa.FLOATS), 3)
    for name in ("abs", "neg"):
        out[f"arithmetic/{name}"] = arithmetic_file(name, SIGNED, 1)
    for name in ("and", "or", "xor"):
        out[f"logic/{name}"] = arithmetic_file(name, list(isa.INTEGERS), 2)
    out["logic/not"] = arithmetic_file("not", list(isa.INTEGERS), 1)
    out["logic/popc"] = arithmetic_file("popc", list(isa.INTEGERS), 1)
    for name in ("shl", "shr"):
        out[f"logic/{name}"] = shift_file(name)
    for condition in isa.COMPARISONS:
        out[f"logic/set{condition}"] = set_file(condition)
    out["logic/sel"] = sel_file()
    for name in ("pand", "por", "pxor", "pnot"):
        out[f"logic/{name}"] = predicate_file(name)
    for to in isa.TYPES:
        out[f"convert/cvt-{to}"] = cvt_file(to)
    out["convert/bitcast"] = bitcast_file()
    out["convert/mov"] = mov_file()
    out["convert/mov_imm"] = mov_imm_file()
    for name in ("sqrt", "floor", "ceil", "trunc", "round"):
        out[f"math/{name}"] = arithmetic_file(name, list(isa.FLOATS), 1)
    for name in (*FAST, "rsqrt", "tan"):
        out[f"math/{name}"] = canonical_file(name)
    for name in ("erf", "exp2", "expm1", "log1p", "pow", "atan2"):
        out[f"math/{name}"] = function_file(name)
    out.update(memory_cases.files())
    out.update(order_cases.files())
    out.update(control_cases.files())
    out.update(warp_cases.files())
    out.update(atlas_cases.files())
    out["memory/strides"] = stride_cases.cases()
    out["control/counters"] = counter_cases.cases()
    out["control/guards"] = guard_cases.cases()
    out.update(print_cases.files(edges))
    return out


def sums_of(name, texts):
    """A line for each case: its hash, its file and its kernel."""
    for text in texts:
        kernel = re.search(r"^\.kernel (\S+)", text, re.MULTILINE)[1]
        yield f"{hashlib.sha256(text.encode()).hexdigest()[:16]} {name} {kernel}"


def write(folder, name, text):
    """Writes a file if it is not there as it is: tests that run may be reading it."""
    path = folder / f"{name}.txt"
    if path.exists() and path.read_text() == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def main():
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    sums = []
    names = set()
    folder = pathlib.Path(sys.argv[1])
    for name, cases in files().items():
        texts = [case.text() for case in cases]
        sums += sums_of(name, texts)
        names.add(f"{name}.txt")
        if sys.argv[1] != "--bless":
            text = "# Written by tests/conformance/generate.py.\n" + "\n".join(texts) + "\n"
            write(folder, name, text)
    if sys.argv[1] == "--bless":
        SUMS.write_text("".join(f"{line}\n" for line in sums))
        return 0
    for path in folder.rglob("*.txt"):
        if path.relative_to(folder).as_posix() not in names:
            path.unlink()
    committed = SUMS.read_text().splitlines()
    different = [f"not in {SUMS.name}: {line}" for line in sorted(set(sums) - set(committed))]
    different += [f"not made: {line}" for line in sorted(set(committed) - set(sums))]
    if not different and committed != sums:
        different = [f"the order of the cases is not that of {SUMS.name}"]
    print("\n".join(different[:SHOWN]) or f"{len(sums)} cases in {len(names)} files")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
