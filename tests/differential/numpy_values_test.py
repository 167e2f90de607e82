"""Every function of numpy_values.py against exact fractions, on edges and random bits of every type."""

import random
import sys

import numpy as np
import numpy_values as values
from numpy_values import COLUMN, SIZE, TYPES, isa_reference, word

COUNT = 60
ARITHMETIC = ("add", "sub", "mul", "div", "min", "max")
BITWISE = ("rem", "and", "or", "xor")
UNARY = ("abs", "neg", "sqrt", "floor", "ceil", "trunc", "round")


class Failures:
    def __init__(self):
        self.compared = 0
        self.failed = 0

    def compare(self, what, column, expected, operands):
        if column.dtype == bool:
            found = column.tolist()
        else:
            found = column.view(f"<u{column.dtype.itemsize}").tolist()
        for k, (mine, theirs) in enumerate(zip(found, expected, strict=True)):
            self.compared += 1
            if mine != theirs:
                self.failed += 1
                of = ", ".join(f"{operand[k]:x}" for operand in operands)
                print(f"{what} of {of}: {mine:x}, expected {theirs:x}")


def edges(type_):
    bits = 8 * SIZE[type_]
    top = 1 << (bits - 1)
    if type_ not in values.FLOATS:
        return [0, 1, 2, top - 1, top, top + 1, 2 * top - 1]
    _, mantissa, _ = isa_reference.FLOATS[type_]
    infinity = isa_reference.infinity(type_, False)
    one = isa_reference.constant(type_, 1)
    nan = infinity | 1 << (mantissa - 1)
    positive = [0, 1, (1 << mantissa) - 1, 1 << mantissa, one - 1, one, one + 1, infinity - 1]
    return [sign | x for x in [*positive, infinity, nan, infinity | 1] for sign in (0, top)]


def near_ties(type_):
    """Integers and floats of 64 and 32 bits that lie at or near the middle of two narrow floats."""
    places = random.choice([8, 11, 24])
    value = random.getrandbits(places) << random.randrange(64 - places)
    value = max(value + random.choice([-1, 0, 0, 1]), 0)
    if type_ in values.FLOATS:
        return isa_reference.round_float(type_, isa_reference.Fraction(value) / (1 << 40))
    return value & ((1 << 8 * SIZE[type_]) - 1)


def numbers(type_, count=COUNT):
    size = 8 * SIZE[type_]
    makers = [
        lambda: random.choice(edges(type_)),
        lambda: random.getrandbits(size),
        lambda: near_ties(type_),
    ]
    if type_ in values.FLOATS:
        # Neighbouring exponents, so that sums and fused sums cancel and round.
        makers.append(lambda: isa_reference.constant(type_, random.uniform(-4, 4)))
    return [random.choice(makers)() for _ in range(count)]


def column(type_, bits):
    return np.array(bits, word(type_)).view(COLUMN[type_])


def check_operations(type_, failures):
    a, b, c = numbers(type_), numbers(type_), numbers(type_)
    floats = type_ in values.FLOATS
    if not floats:
        b = [x or 1 for x in b]
    columns = [column(type_, x) for x in (a, b, c)]
    for name in ARITHMETIC + (() if floats else BITWISE):
        expected = [isa_reference.evaluate(name, type_, x, y) for x, y in zip(a, b)]
        found = values.binary(name, type_)(*columns[:2])
        failures.compare(f"{name}.{type_}", found, expected, (a, b))
    for name in ("mad", "fma") if floats else ("mad",):
        expected = [isa_reference.evaluate(name, type_, *row) for row in zip(a, b, c)]
        failures.compare(
            f"{name}.{type_}", values.ternary(name, type_)(*columns), expected, (a, b, c)
        )
    signed = ("abs", "neg") if type_[0] == "i" else ()
    for name in UNARY if floats else (*signed, "not", "popc"):
        expected = [isa_reference.evaluate(name, type_, x) for x in a]
        failures.compare(f"{name}.{type_}", values.unary(name, type_)(columns[0]), expected, (a,))
    for name in values.COMPARISONS:
        expected = [isa_reference.compare(name, type_, x, y) for x, y in zip(a, b)]
        found = values.comparison(name, type_)(*columns[:2])
        failures.compare(f"{name}.{type_}", found, expected, (a, b))
    if not floats:
        by = numbers("u32")
        for name in ("shl", "shr"):
            expected = [isa_reference.shift(name, type_, x, y) for x, y in zip(a, by)]
            found = values.shift(name, type_)(columns[0], column("u32", by))
            failures.compare(f"{name}.{type_}", found, expected, (a, by))


def check_conversions(to, failures):
    for from_ in TYPES:
        bits = numbers(from_)
        expected = [isa_reference.convert(to, from_, x) for x in bits]
        found = values.conversion(to, from_)(column(from_, bits))
        failures.compare(f"cvt.{to}.{from_}", found, expected, (bits,))


def check_blocks(type_, failures):
    for name in ("add", "min", "max", "mul") + (
        () if type_ in values.FLOATS else ("and", "or", "xor")
    ):
        lanes = random.choice([1, 5, 16, 17, 33, 100])
        blocks = [numbers(type_, lanes) for _ in range(2)]
        expected = [isa_reference.block_reduce(name, type_, block) for block in blocks]
        slots = column(type_, [x for block in blocks for x in block]).reshape(2, lanes)
        found = np.ascontiguousarray(values.block_reduce(name, type_, slots))
        failures.compare(f"blk.red.{name}.{type_} of {lanes} lanes", found, expected, ())
        expected = [x for b in blocks for x in isa_reference.block_scan(name, type_, b)]
        found = np.ascontiguousarray(values.block_scan(name, type_, slots)).reshape(-1)
        failures.compare(f"blk.scan.{name}.{type_} of {lanes} lanes", found, expected, ())


def main():
    random.seed(7)
    failures = Failures()
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    with np.errstate(all="ignore"):
        for _ in range(rounds):
            for type_ in TYPES:
                check_operations(type_, failures)
                check_conversions(type_, failures)
                check_blocks(type_, failures)
    print(f"{failures.compared} results compared, {failures.failed} different")
    return 1 if failures.failed or not failures.compared else 0


if __name__ == "__main__":
    sys.exit(main())
