"""Random fused functions against the operations one by one, with arrays that rows share, columns,
numbers, edge values and expressions whose value does not depend on what they are made of: the rules
of circuits make arrays vanish, and the shapes of results must be right all the same.

    python3 random_fusion.py --count 20000 --seed 1
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from typing import Any

import numpy as np

import hologram as hg
from hologram import ops
from hologram.ops.arrays import dtype_of

FLOATS = ("f32", "f64", "f16")
INTEGERS = ("i32", "u8", "i64", "u16")
UNARY = ("neg", "abs", "relu", "exp", "sqrt", "sigmoid", "silu", "gelu", "softplus", "floor", "sin")
BINARY = ("add", "sub", "mul", "minimum", "maximum")
COMPARISONS = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")
EDGES = {
    "f32": (0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-40, 3e38, -3e38, 1.0, -91.25),
    "f64": (0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -1e-310, 1e308, -1e308, 1.0, -714.5),
    "f16": (0.0, -0.0, np.inf, -np.inf, np.nan, 6e-8, -1e-5, 65504.0, -65504.0, 1.0, -17.0),
}
# Refusals that are right whatever the values: what a result is of.
REFUSED = (
    "is of columns alone",
    "of arrays alone that rows share",
    "what is reduced is of columns alone",
    "reduces all elements and has",
)


class Maker:
    """Draws one function: a tree of lists, and the arguments of its call."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.kind = self.random.choice((*FLOATS, *FLOATS, *INTEGERS))
        self.is_float = self.kind in FLOATS
        rows, columns = self.random.choice(((3, 4), (1, 5), (4, 1), (2, 67), (5, 130), (1, 1)))
        self.shape = (rows, columns)
        forms = [("x", self.shape)]
        for name, shape in (
            ("y", self.shape),
            ("c", (rows, 1)),
            ("d", (rows, 1)),
            ("b", (columns,)),
        ):
            if self.random.random() < 0.55:
                forms.append((name, shape))
        self.arrays = {
            name: self._array(shape, 100 * seed + k) for k, (name, shape) in enumerate(forms)
        }
        self.scalars = {"s": self._literal()} if self.random.random() < 0.4 else {}

    def _array(self, shape: tuple[int, ...], seed: int) -> Any:
        drawn = np.random.default_rng(seed)
        dtype = dtype_of(self.kind)
        if not self.is_float:
            ends = np.iinfo(dtype)
            few = drawn.integers(0, 4, shape)
            wide = drawn.integers(ends.min, ends.max, shape, dtype, endpoint=True)
            return np.where(drawn.random(shape) < 0.5, few, wide).astype(dtype)
        x = (drawn.standard_normal(shape) * 10.0 ** drawn.integers(-2, 3)).astype(dtype)
        edges = np.array(EDGES[self.kind]).astype(dtype)
        return np.where(drawn.random(shape) < 0.3, drawn.choice(edges, shape), x).astype(dtype)

    def _literal(self) -> Any:
        if not self.is_float:
            return self.random.choice((0, 1, 2, 3, 7))
        return self.random.choice((0.0, -0.0, 1.0, -1.0, 0.5, 2.5, 3.0, np.inf, -np.inf, np.nan))

    def value(self, depth: int) -> list[Any]:
        """An expression of the type of the arrays."""
        draw = self.random.random()
        if depth == 0 or draw < 0.1:
            return ["array", self.random.choice(list(self.arrays))]
        if draw < 0.24:  # what vanishes
            a = self.value(depth - 1)
            columns = [name for name in ("c", "d", "b") if name in self.arrays]
            if columns and self.random.random() < 0.5:
                a = ["array", self.random.choice(columns)]
            made: list[list[Any]] = [
                ["where", self.condition(depth - 1), a, a],
                ["sub", a, a],
                ["minimum", a, a],
                ["mul", a, ["number", 0.0 if self.is_float else 0]],
                ["where", ["equal", a, a], self.value(depth - 1), a],
                ["where", ["less", a, a], a, self.value(depth - 1)],
            ]
            if not self.is_float:
                made += [["bits", "xor", a, a], ["bits", "and", a, a]]
            return self.random.choice(made)
        if draw < 0.4:
            return ["where", self.condition(depth - 1), *self._pair(depth - 1)]
        if draw < 0.55 and self.is_float:
            return ["unary", self.random.choice(UNARY), self.value(depth - 1)]
        if draw < 0.6:
            other = self.random.choice(FLOATS + INTEGERS if not self.is_float else FLOATS)
            return ["cast", self.kind, ["cast", other, self.value(depth - 1)]]
        if draw < 0.65:
            return ["clip", self.value(depth - 1), self._literal(), self._literal()]
        if self.is_float and draw < 0.72:
            return ["div", *self._pair(depth - 1)]
        return [self.random.choice(BINARY), *self._pair(depth - 1)]

    def _pair(self, depth: int) -> list[list[Any]]:
        """Two operands, of which one may be a number."""
        pair = [self.value(depth), self.value(depth)]
        if self.random.random() < 0.3:
            number = ["number", self._literal()]
            if self.scalars and self.random.random() < 0.5:
                number = ["scalar", "s"]
            pair[self.random.randrange(2)] = number
        return pair

    def condition(self, depth: int) -> list[Any]:
        draw = self.random.random()
        if depth > 0 and draw < 0.3:
            name = self.random.choice(("and", "or", "xor"))
            return ["logic", name, self.condition(depth - 1), self.condition(depth - 1)]
        if depth > 0 and draw < 0.4:
            return ["not", self.condition(depth - 1)]
        a = self.value(max(0, depth - 1))
        if draw < 0.5:
            return [self.random.choice(COMPARISONS), a, a]
        b = ["number", self._literal()] if draw < 0.7 else self.value(max(0, depth - 1))
        return [self.random.choice(COMPARISONS), a, b]


def evaluate(tree: list[Any], values: dict[str, Any]) -> Any:
    """The tree on traced values, or on arrays of the whole shape."""
    name, *operands = tree
    if name in ("array", "scalar"):
        return values[operands[0]]
    if name == "number":
        return operands[0]
    if name == "unary":
        return getattr(ops, operands[0])(evaluate(operands[1], values))
    if name == "cast":
        return ops.cast(evaluate(operands[1], values), dtype_of(operands[0]))
    if name == "clip":
        return ops.clip(evaluate(operands[0], values), *operands[1:])
    if name == "not":
        return ~evaluate(operands[0], values)
    if name in ("logic", "bits"):
        a, b = (evaluate(operand, values) for operand in operands[1:])
        return a & b if operands[0] == "and" else a | b if operands[0] == "or" else a ^ b
    found = [evaluate(operand, values) for operand in operands]
    if name in COMPARISONS:
        with np.errstate(all="ignore"):
            return getattr(np, name)(*found)
    return getattr(ops, name)(*found)


def function_of(maker: Maker, results: list[Any]) -> Any:
    names = [*maker.arrays, *maker.scalars]

    def body(*given: Any) -> Any:
        values = dict(zip(names, given, strict=True))
        found = tuple(result(values) for result in results)
        return found if len(found) > 1 else found[0]

    made: dict[str, Any] = {"body": body}
    exec(f"def function({', '.join(names)}): return body({', '.join(names)})", made)
    return made["function"]


def check(seed: int) -> str:
    """Compares one function; what became of it: "equal", "refused". Raises AssertionError."""
    maker = Maker(seed)
    trees = [
        maker.value(maker.random.randrange(1, 6)) for _ in range(maker.random.choice((1, 1, 2)))
    ]
    end = maker.random.choice((None, None, "sum", "mean", "min", "max"))
    if maker.kind not in ("f32", "f64"):
        end = None
    axis = maker.random.choice((-1, -1, None))
    keepdims = maker.random.random() < 0.5

    def result_of(tree: list[Any]) -> Any:
        def result(values: dict[str, Any]) -> Any:
            found = evaluate(tree, values)
            return found if end is None else getattr(ops, end)(found, axis, keepdims=keepdims)

        return result

    function = function_of(maker, [result_of(tree) for tree in trees])
    whole = {
        name: np.broadcast_to(array, maker.shape).copy() for name, array in maker.arrays.items()
    }
    wanted = function(*whole.values(), *maker.scalars.values())
    wanted = [np.asarray(w) for w in (wanted if isinstance(wanted, tuple) else (wanted,))]
    fused = hg.fuse(function)
    arguments = (*maker.arrays.values(), *maker.scalars.values())
    outs = [np.full_like(w, 77) for w in wanted]
    try:
        fused(*arguments, out=tuple(outs) if len(outs) > 1 else outs[0])
    except hg.ArgumentError as error:
        assert any(text in str(error) for text in REFUSED), (seed, trees, error)
        return "refused"
    for _ in range(2):  # what is made at first is called then
        for found, exact in zip(outs, wanted, strict=True):
            same = found.shape == exact.shape and found.dtype == exact.dtype
            assert same and found.tobytes() == exact.tobytes(), (seed, trees, end, found, exact)
        again = fused(*arguments)
        outs = [np.asarray(w) for w in (again if isinstance(again, tuple) else (again,))]
    return "equal" if end is None else "equal, reduced"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    failures = []
    for seed in range(options.seed, options.seed + options.count):
        try:
            counts[check(seed)] += 1
        except Exception as error:  # also what should not be raised
            failures.append(seed)
            print(f"{type(error).__name__}: {str(error)[:600]}", flush=True)
    print(dict(counts), f"{len(failures)} failures {failures[:20]}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
