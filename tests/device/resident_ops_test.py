"""Reductions, rows, running sums and products on arrays of a device: the bits of the host.

usage: resident_ops_test.py ENGINE
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from there import is_there

import hologram as hg

SHAPES = ((7,), (4097,), (9, 1), (3, 600), (600, 3), (5, 1, 70), (2, 3, 4), ())
REDUCTIONS = "sum prod mean norm min max any all argmin argmax".split()
ROWS = ("softmax", "log_softmax", "layer_norm", "rms_norm")
PAIRS = ("dot", "mse", "cross_entropy", "binary_cross_entropy")
PRODUCTS = (
    (1, 1, 1),
    (5, 7, 9),
    (64, 64, 64),
    (13, 100, 128),
    (7, 3, 64),
    (100, 1, 5),
    (3, 0, 4),
    (257, 17, 65),
    (300, 9, 130),
)


def axes_of(shape: tuple[int, ...]) -> Iterator[Any]:
    yield None
    yield ()
    yield from range(len(shape))
    if len(shape) > 1:
        yield tuple(range(len(shape)))
        yield (0, len(shape) - 1)


class Test:
    def __init__(self, engine: str) -> None:
        self.engine = engine
        self.random = np.random.default_rng(5)
        self.count = 0

    def array(self, shape: tuple[int, ...], dtype: str) -> np.ndarray:
        made = np.asarray((self.random.standard_normal(shape) * 20).astype(dtype))
        if dtype == "float32" and made.size > 3:
            made.reshape(-1)[2] = np.nan
        return made

    def there(self, array: np.ndarray) -> Any:
        return hg.to_device(array, self.engine)

    def same(self, call: Callable[..., Any], *arrays: np.ndarray, **options: Any) -> None:
        """The call on arrays of the host and of the device: equal bits, or both are errors."""
        results = []
        for given in (arrays, [self.there(array) for array in arrays]):
            try:
                results.append(call(*given, **options))
            except hg.Error as error:
                results.append(error)
        host, device = results
        what = (call.__name__, [(a.shape, a.dtype) for a in arrays], options, host, device)
        assert isinstance(host, hg.Error) == isinstance(device, hg.Error), what
        self.count += 1
        if isinstance(host, hg.Error):
            return
        assert device.device.startswith(self.engine), what
        expected = np.asarray(host)
        found = device.to_host()
        expected = expected.view(np.uint8) if expected.dtype == bool else expected
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype), what
        assert found.tobytes() == expected.tobytes(), what

    def reductions(self) -> None:
        for dtype in ("float32", "float16", "int32", "uint8"):
            for shape in SHAPES:
                x = self.array(shape, dtype)
                for op in REDUCTIONS:
                    for axis in axes_of(shape):
                        if not (op.startswith("arg") and isinstance(axis, tuple)):
                            keepdims = self.count % 2 == 0
                            self.same(getattr(hg.ops, op), x, axis=axis, keepdims=keepdims)
                for axis in (None, *range(len(shape))):
                    self.same(hg.ops.cumsum, x, axis=axis)
                if dtype.startswith("f") and shape:
                    for op in ROWS:
                        self.same(getattr(hg.ops, op), x)
        for op in REDUCTIONS:
            for axis in (None, 0, 1):
                self.same(getattr(hg.ops, op), np.zeros((0, 3), np.float32), axis=axis)

    def products(self) -> None:
        for dtype in ("float32", "float64", "float16"):
            for m, k, n in PRODUCTS:
                a, b = self.array((m, k), dtype), self.array((k, n), dtype)
                self.same(hg.ops.gemm, a, b)
                self.same(hg.ops.matvec, a, np.ascontiguousarray(b[:, 0]))
            for size in (0, 1, 100, 4096, 9000):
                x, y = self.random.random((2, size)).astype(dtype)
                for op in PAIRS:
                    self.same(getattr(hg.ops, op), x, y)

    def moves(self) -> None:
        """Copies, transposes, casts, choices, numbers everywhere, shapes that are broadcast."""
        before = hg.metrics()
        kinds = ("float32", "float16", "int8", "uint64")
        for shape in (*SHAPES, (2, 3, 4, 5), (3, 0, 2), (70000, 2, 1), (1, 70000, 2)):
            x = self.array(shape, kinds[self.count % 4])
            self.same(hg.ops.copy, x)
            orders = list(itertools.permutations(range(len(shape))))
            for order in orders if x.size < 1000 else orders[-2:]:
                self.same(lambda a, axes=order: hg.ops.transpose(a, axes), x)
        x = self.array((5, 7), "float32")
        for kind in ("f64", "f16", "i32", "u8", "f32", np.int64, "bf16"):
            self.same(lambda a, to=kind: hg.ops.cast(a, to), x)
        self.same(lambda a: hg.ops.fill(a, -2.5), x.copy())
        chosen = (x > 0).astype(np.uint8)
        self.same(hg.ops.where, chosen, x, self.array((7,), "float32"))
        self.same(lambda c, a: hg.ops.where(c, a, -1.0), chosen, x)
        for shapes in (
            ((5, 1), (7,)), ((1,), (4, 4)), ((), (3,)), ((2, 1, 3, 1), (5, 1, 6)), ((0, 3), (3,)),
            ((2, 3), (4, 3)), ((70000, 1), (1, 3)), ((1, 1, 1), (2, 2, 2)),
        ):  # fmt: skip
            a, b = (self.array(shape, "float32") for shape in shapes)
            self.same(hg.ops.add, a, b)
            self.same(hg.ops.maximum, b, a)
            self.same(hg.ops.where, (a > 0).astype(np.uint8), b, b)
        launched = (hg.metrics() - before).launches
        assert launched["interpreter"] == 0, launched
        fused = hg.fuse(lambda a, b: a * b + 1.0)
        self.same(
            lambda a, b: fused(a, b), self.array((9, 1), "float32"), self.array((4,), "float32")
        )

    def results(self) -> None:
        """Into `out`, and what is refused."""
        x = self.there(self.array((30, 40), "float32"))
        out = hg.device_empty(40, "f32", self.engine)
        for op in ("sum", "mean", "norm", "max"):
            function = getattr(hg.ops, op)
            assert function(x, axis=0, out=out) is out
            assert out.to_host().tobytes() == function(x.to_host(), axis=0).tobytes()
        product = hg.device_empty((30, 30), "f32", self.engine)
        turned = self.there(np.ascontiguousarray(x.to_host().T))
        assert hg.ops.matmul(x, turned, out=product) is product
        weights = self.array((40,), "float32")
        self.same(lambda a, g: hg.ops.layer_norm(a, gamma=g), x.to_host(), weights)
        self.same(lambda a, g: hg.ops.rms_norm(a, g, 1e-3), x.to_host(), weights)
        host = np.ones((40, 3), np.float32)
        square = self.there(np.ones((5, 5), np.float32))
        for call, words in (
            (
                lambda: hg.ops.sum(x, axis=0, out=np.empty(40, np.float32)),
                "'out' expects an array on",
            ),
            (lambda: hg.ops.sum(x, axis=1, out=out), "'out' expects (30,) elements of f32"),
            (lambda: hg.ops.sum(x, axis=2), "'axis' is 2"),
            (lambda: hg.ops.matmul(x, host), "'b' expects an array on"),
            (lambda: hg.ops.matmul(host.T, turned), "'a' expects an array on"),
            (lambda: hg.ops.matmul(x, x), "'b' has 30 rows"),
            (lambda: hg.ops.dot(out, weights), "'y' expects an array on"),
            (lambda: hg.ops.layer_norm(x, gamma=weights), "'gamma' expects an array on"),
            (lambda: hg.ops.softmax(x, axis=0), "only the last"),
            (lambda: hg.ops.softmax(self.there(np.ones(3, np.int32))), "which has no such"),
            (lambda: hg.ops.transpose(x, (0, 0)), "'axes' expects each of 2 axes once"),
            (lambda: hg.ops.transpose(square, out=square), "are the same memory"),
            (lambda: hg.ops.cast(x, "f64", x), "'out' expects (30, 40) elements of f64"),
            (lambda: hg.ops.cast(x, "bool"), "bool"),
            (lambda: hg.ops.copy(x, host), "'out' expects an array on"),
            (lambda: hg.ops.fill(x, "1"), "'value' expects a number"),
            (lambda: hg.ops.where(x, x, x), "'condition' is f32, expected u8"),
            (lambda: hg.ops.where(host, x, x), "'condition' expects an array on"),
            (lambda: hg.ops.add(x, square), "shapes do not fit"),
            (lambda: hg.ops.add(x, host), "'b' is on the host"),
        ):
            try:
                call()
            except hg.ArgumentError as error:
                assert words in str(error), error
            else:
                raise AssertionError(f"not refused: {words}")


def main() -> int:
    engine = sys.argv[1]
    if not is_there(engine):
        return 0
    test = Test(engine)
    test.reductions()
    test.products()
    test.moves()
    test.results()
    print(f"{engine}: {test.count} results equal")
    return 0


if __name__ == "__main__":
    sys.exit(main())
