"""hg.fuse along rows: arrays that rows share and reductions at the end, with the bits of the
operations one by one."""

from __future__ import annotations

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

import hologram as hg  # noqa: E402, I001
import random_fusion  # noqa: E402
from hologram import ops  # noqa: E402
from test_fusion import KINDS, same_bits, sample  # noqa: E402

SHAPES = [(7,), (5000,), (1, 1), (3, 64), (4, 5, 77), (2, 9000), (3, 4096), (2, 4097)]


def drawn(kind: str, shape: tuple[int, ...], seed: int):
    return sample(kind, int(np.prod(shape)), seed).reshape(shape)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["f32", "f64"])
@pytest.mark.parametrize("name", ["sum", "mean", "min", "max"])
def test_reductions_at_the_end(name: str, kind: str, shape: tuple[int, ...]) -> None:
    op = getattr(ops, name)
    x, y = drawn(kind, shape, 1), drawn(kind, shape, 2)
    x.reshape(-1, shape[-1])[0] = np.nan  # a row of nothing else
    b = drawn(kind, shape[-1:], 3)
    product = ops.add(ops.mul(x, 1.5), y)
    for keepdims in (False, True):
        for axis in (None, -1):
            fused = hg.fuse(lambda x, y, a: op(x * a + y, axis, keepdims=keepdims))  # noqa: B023
            wanted = np.asarray(op(product, axis, keepdims=keepdims))
            found = fused(x, y, 1.5)
            assert found.shape == wanted.shape
            assert same_bits(found, wanted), (axis, keepdims)
            out = np.empty_like(wanted)
            assert fused(x, y, 1.5, out=out) is out
            assert same_bits(out, wanted)
    shared = hg.fuse(lambda x, b: op(ops.relu(x + b), -1))(x, b)
    assert same_bits(shared, np.asarray(op(ops.relu(ops.add(x, b)), -1)))


def test_several_reductions() -> None:
    x, y = drawn("f32", (5, 300), 1), drawn("f32", (5, 300), 2)
    both = hg.fuse(lambda x, y: (ops.sum(x * y, -1), ops.max(x - y, -1, keepdims=True)))
    total, largest = both(x, y)
    assert same_bits(total, ops.sum(ops.mul(x, y), -1))
    assert same_bits(largest, ops.max(ops.sub(x, y), -1, keepdims=True))
    assert largest.shape == (5, 1)
    assert "over n by 64 " in both.circuit(x, y)
    assert "cut 4096" in both.circuit(np.resize(x, (5, 5000)), np.resize(y, (5, 5000)))


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_that_rows_share(kind: str) -> None:
    for shape in ((3, 130), (2, 3, 64), (5, 1), (1, 7), (0, 4)):
        x, b = drawn(kind, shape, 1), drawn(kind, shape[-1:], 2)
        wanted = ops.add(ops.mul(x, b), x)
        fused = hg.fuse(lambda x, b: x * b + x)
        found = fused(x, b)
        assert found.shape == shape
        assert same_bits(found, wanted)
        if x.size:
            assert same_bits(fused(x.copy(), b, out=(place := x.copy())), wanted)
            assert same_bits(fused(place := x.copy(), b, out=place), wanted)
    fused = hg.fuse(lambda x, b: x * b)
    for _ in range(2):  # what Python does at first, the binding does then
        with pytest.raises(hg.ArgumentError, match="share memory|overlaps 'b'"):
            x = drawn(kind, (4, 60), 1)
            fused(x, x[1], out=x)
        fused(x, x[1])
    x, b = drawn(kind, (4, 60), 1), drawn(kind, (60,), 2)
    assert same_bits(fused(b, x), ops.mul(b, x))  # the shared one first
    y = drawn(kind, (4, 60), 3)
    assert same_bits(fused(x, y), ops.mul(x, y))  # another signature of the same function


@pytest.mark.parametrize("kind", KINDS)
def test_columns(kind: str) -> None:
    for shape in ((3, 130), (2, 3, 64), (5, 7), (1, 7), (7,), (0, 4), (4, 0)):
        x, y = drawn(kind, shape, 1), drawn(kind, shape, 4)
        c, b = drawn(kind, (*shape[:-1], 1), 2), drawn(kind, shape[-1:], 3)
        fused = hg.fuse(lambda x, c, y: ops.relu(c) * x + c - y)
        column, row = np.broadcast_to(c, shape).copy(), np.broadcast_to(b, shape).copy()
        wanted = ops.sub(ops.add(ops.mul(ops.relu(column), x), column), y)
        for _ in range(2):  # what is made at first is called then
            found = fused(x, c, y)
            assert found.shape == shape
            assert same_bits(found, wanted)
        assert same_bits(fused(place := x.copy(), c, y, out=place), wanted)
        assert x.size == 0 or "column" in fused.circuit(x, c, y)
        outer = hg.fuse(lambda c, b: c * b)  # no array of the whole shape
        assert same_bits(outer(c, b), ops.mul(column, row))
        assert same_bits(outer(b.reshape((1,) * (len(shape) - 1) + b.shape), c), outer(c, b))


@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_reductions_of_columns(kind: str) -> None:
    for shape in SHAPES:
        x, c, b = (
            drawn(kind, shape, 1),
            drawn(kind, (*shape[:-1], 1), 2),
            drawn(kind, shape[-1:], 3),
        )
        c = np.ascontiguousarray(c) if c.shape != shape else c[..., :1].copy()
        scaled = ops.mul(
            ops.sub(x, np.broadcast_to(c, shape).copy()), np.broadcast_to(b, shape).copy()
        )
        for op in (ops.sum, ops.mean, ops.min, ops.max):
            fused = hg.fuse(lambda x, c, b: op((x - c) * b, -1, keepdims=True))  # noqa: B023
            for _ in range(3):  # also by way of the binding
                assert same_bits(fused(x, c, b), op(scaled, -1, keepdims=True))


def test_conditions_of_columns() -> None:
    x, c = drawn("f32", (5, 130), 1), drawn("f32", (5, 1), 2)
    column = np.broadcast_to(c, x.shape).copy()
    for condition in (
        lambda c: (c >= 3.0) & (c == c),
        lambda c: (c >= 3.0) | ~(c < 1.0),
        lambda c: ~((c > 0.0) & (c < 2.0)),
    ):
        fused = hg.fuse(lambda x, c: ops.where(condition(c), -x, x))  # noqa: B023
        wanted = np.where(condition(column), ops.neg(x), x)
        for _ in range(2):  # what is made at first is called then
            assert same_bits(fused(x, c), wanted)
    total = hg.fuse(lambda x, c: ops.sum(ops.where((c >= 0.0) & (x > c), x, c), -1))
    chosen = np.where((column >= 0) & (x > column), x, column)
    assert same_bits(total(x, c), ops.sum(chosen, -1))


def test_columns_that_overlap_are_refused_by_the_binding_too() -> None:
    fused = hg.fuse(lambda x, c: x + c)
    x, c = drawn("f32", (1, 60), 1), drawn("f32", (1, 1), 2)
    for _ in range(3):
        fused(x, c)
    line = x.copy()
    with pytest.raises(hg.ArgumentError, match="'out' overlaps 'c'"):
        fused(line, line[:, 7:8], out=line)
    assert same_bits(line, x)
    with pytest.raises(hg.ArgumentError, match="have one shape"):
        fused(drawn("f32", (3, 4), 1), drawn("f32", (2, 1), 2))


def test_axes_by_their_numbers() -> None:
    total = hg.fuse(lambda x: ops.sum(x * 2.0, 1))
    x = drawn("f32", (4, 6), 1)
    for _ in range(3):  # also by way of the binding
        assert same_bits(total(x), ops.sum(ops.mul(x, 2.0), 1))
        with pytest.raises(
            hg.ArgumentError, match="sum: 'axis' is 1; a fused function reduces all"
        ):
            total(np.ones((2, 3, 4), np.float32))  # another axis of the same signature
        with pytest.raises(hg.ArgumentError, match="'axis' is 1 for an array of 1 dimensions"):
            total(np.ones(4, np.float32))
    for axis, same in (((1,), 1), ((0, 1), None), (np.int64(1), 1), ((-1, 0), None)):
        found = hg.fuse(lambda x: ops.max(x + x, axis))(x)  # noqa: B023
        assert same_bits(np.asarray(found), np.asarray(ops.max(ops.add(x, x), same)))
    line = hg.fuse(lambda x: ops.sum(x, 0))
    for _ in range(2):
        assert same_bits(np.asarray(line(x[0])), np.asarray(ops.sum(x[0], 0)))
        with pytest.raises(hg.ArgumentError, match="sum: 'axis' is 0; a fused function"):
            line(x)


def test_of_nothing() -> None:
    total = hg.fuse(lambda x: ops.sum(x * 2.0, -1))
    assert total(np.empty((3, 0), np.float32)).tolist() == [0, 0, 0]
    assert total(np.empty((0, 3), np.float32)).shape == (0,)
    with pytest.raises(hg.ArgumentError, match="of none there is no max"):
        hg.fuse(lambda x: ops.max(x))(np.empty(0, np.float32))


X = drawn("f32", (4, 6), 1)
ERRORS = {
    "step after": (
        lambda: hg.fuse(lambda x: ops.sum(x) * 2.0)(X),
        "lambda: 'sum(...)' ends a fused function; compute with it after",
    ),
    "operand": (
        lambda: hg.fuse(lambda x: x - ops.max(x))(X),
        "lambda: 'max(...)' ends a fused function; compute with it after",
    ),
    "condition": (
        lambda: hg.fuse(lambda x: x if ops.sum(x) else -x)(X),
        "lambda: 'sum(...)' ends a fused function; compute with it after",
    ),
    "sum of a sum": (
        lambda: hg.fuse(lambda x: ops.sum(ops.sum(x, -1)))(X),
        "sum: no step of a fused function; call it before or after",
    ),
    "beside arrays": (
        lambda: hg.fuse(lambda x: (x, ops.sum(x)))(X),
        "lambda: returns reductions beside arrays; make it two",
    ),
    "two kinds of axes": (
        lambda: hg.fuse(lambda x: (ops.sum(x, -1), ops.sum(x)))(X),
        "lambda: reduces all elements and the last axis; make it two functions",
    ),
    "all and shared": (
        lambda: hg.fuse(lambda x, b: ops.sum(x + b))(X, X[0].copy()),
        "lambda: reduces all elements and has an array that rows share; reduce the last axis, and "
        "then what that gives",
    ),
    "shared alone": (
        lambda: hg.fuse(lambda x, b: (x + b, ops.exp(b)))(X, X[0].copy()),
        "lambda: result 1 is of arrays alone that rows share; make it another function",
    ),
    "sum of shared alone": (
        lambda: hg.fuse(lambda x, b: ops.sum(b * b, -1))(X, X[0].copy()),
        "lambda: result 0 is of arrays alone that rows share; make it another function",
    ),
    "axis": (
        lambda: hg.fuse(lambda x: ops.sum(x, axis=0))(X),
        "sum: 'axis' is 0; a fused function reduces all elements or the last axis, along which its "
        "lanes go; reduce other axes after it",
    ),
    "axis that is none": (
        lambda: hg.fuse(lambda x: ops.sum(x, axis=2))(X),
        "sum: 'axis' is 2 for an array of 2 dimensions",
    ),
    "axis by argument": (
        lambda: hg.fuse(lambda x, k: ops.sum(x, k))(X, 1),
        "sum: 'axis' is an argument; write the axis in the function",
    ),
    "column of columns": (
        lambda: hg.fuse(lambda x, c: (x + c, ops.exp(c)))(X, X[:, :1].copy()),
        "lambda: result 1 is of columns alone; make it another function",
    ),
    "sum of columns": (
        lambda: hg.fuse(lambda x, c: ops.sum(c * 2.0, -1))(X, X[:, :1].copy()),
        "lambda: result 0 is of columns alone; make it another function",
    ),
    "column whatever the array": (
        lambda: hg.fuse(lambda x, c, s: ops.where(x > 0, c * s, c * s))(X, X[:, :1].copy(), 2.0),
        "lambda: result 0 is of columns alone, whatever the other arrays hold; make it another "
        "function",
    ),
    "column behind a literal": (
        lambda: hg.fuse(lambda x, c: 1.0 - ops.where(x < 0.0, c, c))(X, X[:, :1].copy()),
        "lambda: result 0 is of columns alone, whatever the other arrays hold; make it another "
        "function",
    ),
    "column behind a number": (
        lambda: hg.fuse(lambda x, c, s: (x, s / ops.where(x < 0.0, c, c)))(X, X[:, :1].copy(), 2.0),
        "lambda: result 1 is of columns alone, whatever the other arrays hold; make it another "
        "function",
    ),
    "all and column": (
        lambda: hg.fuse(lambda x, c: ops.sum(x + c))(X, X[:, :1].copy()),
        "lambda: reduces all elements and has a column; reduce the last axis, and then what that "
        "gives",
    ),
    "overlap of a column": (
        lambda: hg.fuse(lambda x, c: x + c)(x := X[:1].copy(), x[:, :1], out=x),
        "lambda: 'out' overlaps 'c', and is not the same array",
    ),
    "type": (
        lambda: hg.fuse(lambda x: ops.sum(x))(X.astype(np.int32)),
        "sum: 'x' is i32; a fused function reduces f32 and f64",
    ),
    "column with gaps": (
        lambda: hg.fuse(lambda x, c: x + c)(X, X[:, :1]),
        "lambda: 'c' has gaps or another order of its elements than the other arrays or "
        "the result; a fused function takes arrays of one layout, without gaps; "
        "hologram.ops.copy makes one",
    ),
    "column after the rules": (
        lambda: hg.fuse(lambda x, c: ops.exp(ops.sqrt(ops.abs(ops.where(x > c, c, c)))))(
            X, np.full((len(X), 1), 2, np.float32)
        ),
        "lambda: result 0 is of columns alone, whatever the other arrays hold; "
        "make it another function",
    ),
    "sum of a column after the rules": (
        lambda: hg.fuse(lambda x, c: ops.sum(ops.abs(ops.where(x > c, c, c)), axis=-1))(
            X, np.full((len(X), 1), 2, np.float32)
        ),
        "lambda: what is reduced is of columns alone, whatever the other arrays hold; "
        "reduce it by hologram.ops",
    ),
    "column of planes": (
        lambda: hg.fuse(lambda x, c: x + c)(
            np.ones((2, 3, 4), np.float32), np.ones((3, 1), np.float32)
        ),
        "lambda: the arrays of a fused function have one shape, or are a row of it or a column, "
        "found 'x' (2, 3, 4), 'c' (3, 1); numpy.broadcast_to(x, shape).copy() gives one",
    ),
    "out": (
        lambda: hg.fuse(lambda x: ops.mean(x, -1))(X, out=np.empty(6, np.float32)),
        "lambda: 'out' has the shape (6,), expected (4,)",
    ),
    "overlap": (
        lambda: hg.fuse(lambda x, b: x + b)(X, X[1], out=X),
        "lambda: 'out' overlaps 'b', and is not the same array",
    ),
    "gaps": (
        lambda: hg.fuse(lambda x: ops.sum(x, -1))(X[:, ::2]),
        "lambda: 'x' has gaps or another order of its elements than the other arrays or "
        "the result; a fused function takes arrays of one layout, without gaps; "
        "hologram.ops.copy makes one",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str) -> None:
    call, message = ERRORS[name]
    with pytest.raises(hg.ArgumentError) as caught:
        call()
    assert caught.value.message == message


# Functions that were wrong once: columns behind a number, conditions of columns.
FOUND = (1096, 275, 573, 917, 1116, 1284, 1355, 1432, 1481, 2097, 2371, 2840, 2876, 2891)


@pytest.mark.parametrize("first", range(1, 121, 12))
def test_random_functions_have_the_bits_of_the_operations(first: int) -> None:
    found = [random_fusion.check(seed) for seed in range(first, first + 12)]
    assert any(what.startswith("equal") for what in found)


@pytest.mark.parametrize("seed", FOUND)
def test_random_functions_that_were_wrong(seed: int) -> None:
    random_fusion.check(seed)


def test_reductions_of_one_number_for_all_elements() -> None:
    def always(x):
        return ~((x == x) ^ (x == x))  # a rule finds that it is true

    for shape in ((5, 130), (2, 5000)):
        x = drawn("f32", shape, 1)
        for op in (ops.sum, ops.mean, ops.min, ops.max):
            for axis in (None, -1):
                literal = hg.fuse(lambda x: op(ops.where(always(x), 0.1, x), axis))  # noqa: B023
                number = hg.fuse(lambda x, s: op(ops.where(always(x), s, x), axis))  # noqa: B023
                wanted = np.asarray(op(np.full(shape, 0.1, np.float32), axis))
                assert same_bits(literal(x), wanted)
                assert same_bits(number(x, 0.1), wanted)
