"""hologram.ops: reductions and operations that move elements, against NumPy."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

import hologram as hg  # noqa: E402, I001
from hologram import ops  # noqa: E402
from hologram.errors import ArgumentError  # noqa: E402
from hologram.ops.arrays import CODES, dtype_of  # noqa: E402
from hologram.ops.table import TABLE  # noqa: E402
from test_ops import F, check, no_guarded_launches, sample  # noqa: E402, F401

LONG = np.longdouble
KINDS = [kind for kind in CODES if kind != "bf16"]
EPS = {"f32": 2.0**-24, "f16": 2.0**-24, "f64": 2.0**-53}
LAST = {"f32": 2.0**-24, "f16": 2.0**-11, "f64": 2.0**-53}
NOTHING = {"min", "max", "argmin", "argmax"}
VIEWS = [
    ((1,), lambda x: x),
    ((5,), lambda x: x),
    ((70_001,), lambda x: x),
    ((4, 5, 6), lambda x: x),
    ((3, 700), lambda x: x),
    ((1300, 3), lambda x: x),
    ((4, 5, 6), lambda x: x.transpose(2, 0, 1)),
    ((6, 8, 10), lambda x: x[::2, 1:, 3:7]),
    ((6, 8, 10), lambda x: x[:, ::2, ::5]),
    ((5, 7), lambda x: np.broadcast_to(x, (3, 5, 7))),
    ((3, 2, 4, 5), lambda x: x[:, :, ::2].transpose(0, 3, 1, 2)),
    ((), lambda x: x),
]
BACKWARDS = [((6, 8, 10), lambda x: x[::-1, :, ::-2]), ((9,), lambda x: x[::-1])]


def axes(ndim: int, single: bool):
    yield None
    yield from range(ndim)
    if ndim:
        yield -1
    if not single:
        yield ()
        yield from ((a, b) for a in range(ndim) for b in range(a))
        if ndim == 4:
            yield (0, 2, 3)


def exact(name: str, x, axis, keepdims: bool):
    """The result in long double, and the scale of its error."""
    wide = x.astype(LONG)
    n = np.asarray(x).size // max(1, np.asarray(np.sum(wide, axis)).size)
    options = {"axis": axis, "keepdims": keepdims}
    if name == "sum":
        return np.sum(wide, **options), np.sum(np.abs(wide), **options), n
    if name == "mean":
        return np.mean(wide, **options), np.mean(np.abs(wide), **options), n
    if name == "prod":
        value = np.prod(wide, **options)
        return value, np.abs(value), n
    value = np.sqrt(np.sum(wide * wide, **options))
    return value, value, n


def finite(kind: str, shape, name: str):
    if kind[0] != "f":
        return sample(kind, shape)
    span = (0.9, 1.1) if name == "prod" else (-2, 2)
    return sample(kind, shape, span)


@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_bounds_of_subnormal_results(kind: str) -> None:
    """A scale counts as at least the smallest normal number, as docs/ops.md says."""
    ends = np.finfo(dtype_of(kind))
    random = np.random.default_rng(5)
    worst = 0.0
    for n in (2, 3, 7, 100, 4099):
        x = (random.integers(-9, 10, n) * ends.smallest_subnormal).astype(ends.dtype)
        wide = x.astype(LONG)
        names = {"n": n, "eps": EPS[kind], "min": min}
        for name, exact in (("sum", wide.sum()), ("mean", wide.mean())):
            scale = max(LONG(ends.smallest_normal), abs(wide).sum())
            off = abs(LONG(getattr(ops, name)(x)) - exact)
            assert off <= eval(TABLE[name].bound, {**names, "scale": scale}), (name, n)
            worst = max(worst, float(off / LONG(ends.smallest_subnormal)))
    assert worst > 0.3  # more than eps * mean: the smallest scale matters


def compare(name: str, kind: str, x, axis, keepdims: bool) -> None:
    op, spec = getattr(ops, name), TABLE[name]
    got = op(x, axis, keepdims=keepdims)
    if spec.bound and kind[0] == "f":
        if name == "prod" and kind == "f16" and x.size > 3000:
            return  # leaves the range
        value, scale, n = exact(name, x, axis, keepdims)
        assert got.dtype == x.dtype
        assert got.shape == np.shape(value)
        bound = eval(spec.bound, {"n": n, "eps": EPS[kind], "scale": scale, "min": min})
        bound = bound + LAST[kind] * (np.abs(value) + 2.0**-13) * 1.01
        assert (np.abs(got.astype(LONG) - value) <= bound).all(), (name, kind, axis)
    else:
        same = {"mean": np.mean, "min": np.min, "max": np.max}.get(name, getattr(np, name, None))
        want = np.asarray(same(x, axis=axis, keepdims=keepdims))
        assert got.dtype == want.dtype, (name, kind)
        assert got.shape == want.shape
        close = {"rtol": 1e-12} if name == "mean" else {"rtol": 0}
        np.testing.assert_allclose(got, want, err_msg=f"{name} {kind} {axis}", **close)
    out = np.zeros_like(got)
    if got.ndim:
        assert op(x, axis, out, keepdims=keepdims) is out
        assert out.tobytes() == got.tobytes()
        gaps = np.zeros((*got.shape, 2), got.dtype)[..., 0]
        op(x, axis, gaps, keepdims=keepdims)
        assert np.array_equal(gaps, got)


CASES = [
    (name, kind)
    for name, spec in TABLE.items()
    if spec.family == "reduction"
    for kind in KINDS
    if kind in spec.types
]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_axes_and_strides(name: str, kind: str) -> None:
    single = name.startswith("arg")
    full = kind in ("f32", "u8")
    views = VIEWS + ([] if single else BACKWARDS)
    for shape, view in views if full else views[1::2]:
        x = view(finite(kind, shape, name))
        for axis in axes(x.ndim, single):
            if axis is None and single and not x.flags.c_contiguous:
                continue
            compare(name, kind, x, axis, False)
            if full:
                compare(name, kind, x, axis, True)


def test_large_arrays_take_several_launches() -> None:
    x = sample("f32", (2_000_000,), (-2, 2))
    for name in ("sum", "mean", "norm", "min", "max", "argmin", "argmax"):
        compare(name, "f32", x, None, False)
    y = x.reshape(-1, 2)
    for name in ("sum", "max", "argmin"):
        compare(name, "f32", y, 0, False)
        compare(name, "f32", y[::-1] if name != "argmin" else y, 1, False)
    zeros = np.zeros(2_000_000, np.uint8)
    assert not ops.any(zeros)
    zeros[1_999_999] = 1
    assert ops.any(zeros)
    assert not ops.all(zeros)
    assert ops.sum(np.ones(20_000, np.float32)) == 20_000


def test_numbers_come_before_nan() -> None:
    x = F(np.nan, 3, 1, np.nan, 3, 1)
    assert ops.min(x) == 1
    assert ops.max(x) == 3
    assert ops.argmin(x) == 2
    assert ops.argmax(x) == 1
    assert np.array_equal(ops.argmin(x.reshape(3, 2), 0), [1, 2])
    assert np.array_equal(ops.argmax(x.reshape(3, 2), 1), [1, 0, 0])
    nan = np.full((70_000, 2), np.nan, np.float32)
    assert np.isnan(ops.max(nan))
    assert ops.argmax(nan) == 0
    assert np.array_equal(ops.argmin(nan, 0), [0, 0])
    late = np.full(9000, np.nan)
    late[8000] = 5
    assert ops.argmin(late) == 8000
    assert ops.any(x)
    assert ops.all(F(np.nan, 1))
    assert not ops.all(F(-0.0, 1))


def best_of(x: np.ndarray, name: str) -> tuple[float, int]:
    """The smallest or largest number, -0 less than +0, and the first place that equals it."""
    numbers = [v for v in x.astype(float).tolist() if v == v]
    if not numbers:
        return math.nan, 0
    best = (max if name == "max" else min)(numbers, key=lambda v: (v, math.copysign(1, v)))
    return best, next(k for k, v in enumerate(x.tolist()) if v == best)


@pytest.mark.parametrize("kind", ["f32", "f64", "f16", "bf16"])
@pytest.mark.parametrize("name", ["min", "max"])
@pytest.mark.parametrize("n", [1, 5, 64, 200, 4103, 9000])
def test_zeros_and_nans_in_every_place(kind: str, name: str, n: int) -> None:
    if kind == "bf16":
        pytest.importorskip("ml_dtypes")
    dtype = dtype_of(kind)
    sign = 1 if name == "max" else -1
    cases = 0
    for places in ([0], [n - 1], [n // 2], [0, n - 1], list(range(n))):
        for at in (0, n - 1, n // 3):
            for around, value in (
                (-0.0 * sign, 0.0 * sign),  # the better zero among others
                (0.0 * sign, -0.0 * sign),
                (-sign, -0.0 * sign),  # the worse zero is the best
                (math.nan, -0.0),
                (math.nan, -sign),
                (-math.inf * sign, math.nan),
                (-sign, math.nan),
            ):
                x = np.full(n, around, dtype)
                x[places] = value
                x[at] = (around, value)[cases % 2]
                cases += 1
                best, place = best_of(x, name)
                got = float(getattr(ops, name)(x))
                assert (got, math.copysign(1, got)) == (best, math.copysign(1, best)) or (
                    math.isnan(got) and math.isnan(best)
                )
                assert getattr(ops, f"arg{name}")(x) == place
    assert cases == 105


@pytest.mark.parametrize("kind", ["f32", "f64", "f16", "i32", "u8"])
def test_nothing(kind: str) -> None:
    nothing = np.zeros((0, 3), dtype_of(kind))
    assert ops.sum(nothing) == 0
    assert ops.prod(nothing) == 1
    assert not ops.any(nothing)
    assert ops.all(nothing)
    assert np.array_equal(ops.sum(nothing, 0), np.zeros(3))
    assert ops.sum(nothing, 1).shape == (0,)
    assert ops.max(nothing, 1).shape == (0,)
    assert np.isnan(ops.mean(nothing))
    for name in NOTHING:
        with pytest.raises(hg.ArgumentError, match=f"{name}: 'x' has no elements"):
            getattr(ops, name)(nothing, 0)
    if kind[0] == "f":
        assert ops.norm(nothing) == 0


def test_facts_of_reductions() -> None:
    five = F(5, 2, 8, 1, 9)
    assert [float(op(five)) for op in (ops.sum, ops.min, ops.max)] == [25, 1, 9]
    assert ops.sum(five[:3]) == 15
    assert ops.sum(np.arange(1, 101, dtype=np.float32)) == 5050
    ramp = np.arange(100_000, dtype=np.float32) * np.float32(0.001)
    assert abs(float(ops.sum(ramp)) - 4999950.2375) < 0.5
    assert ops.max(F(np.nan, 1, -0.0, np.inf)) == np.inf
    assert np.array_equal(ops.copy(np.arange(100)), np.arange(100))
    filled = np.empty(9, np.float32)
    assert (ops.fill(filled, 42) == 42).all()
    t = np.arange(1, 13, dtype=np.float32).reshape(3, 4)
    assert list(ops.transpose(t).ravel()) == [1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12]
    p = ops.transpose(np.arange(24).reshape(2, 3, 4), (2, 0, 1))
    q = ops.transpose(np.arange(24).reshape(2, 3, 4), (-1, 0, -2))
    assert q.shape == (4, 2, 3) and np.array_equal(
        q, np.arange(24).reshape(2, 3, 4).transpose(2, 0, 1)
    )
    assert list(p.ravel()[:8]) == [0, 4, 8, 12, 16, 20, 1, 5]


@pytest.mark.parametrize("kind", ["u8", "f16", "f32", "f64"])
@pytest.mark.parametrize("shape", [(2, 127), (130, 300), (257, 3), (3, 129, 257), (2, 300, 2, 3)])
def test_turning(kind: str, shape: tuple[int, ...]) -> None:
    x = (np.arange(math.prod(shape)) % 2000).astype(dtype_of(kind)).reshape(shape)
    assert ops.transpose(x).tobytes() == x.T.tobytes()
    gaps = x[..., ::2]
    assert ops.transpose(gaps).tobytes() == gaps.T.tobytes()
    out = np.zeros((*shape[::-1][:-1], shape[0] + 3), x.dtype)
    ops.transpose(x, out=out[..., 2:-1])
    assert np.array_equal(out[..., 2:-1], x.T)
    assert not out[..., :2].any()
    assert not out[..., -1:].any()


def test_turning_in_place_is_refused() -> None:
    x = np.arange(300 * 300, dtype=np.float32).reshape(300, 300)
    kept = x.copy()
    with pytest.raises(ArgumentError):
        ops.transpose(x, out=x)
    assert np.array_equal(x, kept)


@pytest.mark.parametrize("kind", [*KINDS, "bool"])
def test_moving(kind: str) -> None:
    dtype = np.dtype(bool) if kind == "bool" else dtype_of(kind)
    x = (sample("u8", (4, 5, 6)) > 4) if kind == "bool" else sample(kind, (4, 5, 6))
    for view in (lambda a: a, lambda a: a[::-1, ::2], lambda a: a.T, lambda a: a[:, :0]):
        y = view(x)
        got = ops.copy(y)
        assert got.dtype == dtype
        assert got.flags.c_contiguous
        assert got.tobytes() == y.tobytes()
        out = view(np.zeros_like(x))
        assert ops.copy(y, out=out) is out
        assert out.tobytes() == y.tobytes()
        ops.fill(out, 1)
        assert (out == 1).all()
        assert ops.transpose(y, (1, 2, 0)).tobytes() == y.transpose(1, 2, 0).tobytes()
        mask = view(sample("u8", (4, 5, 6)) % 3).astype(np.uint8)
        assert ops.where(mask, y, y[:1]).tobytes() == np.where(mask, y, y[:1]).tobytes()
        assert ops.where(mask > 0, y, 1).tobytes() == np.where(mask, y, dtype.type(1)).tobytes()
        assert ops.where(mask, y, y, out=out) is out


def saturated(x, dtype):
    if dtype.kind == "f":
        return x.astype(dtype)
    ends = np.iinfo(dtype)
    whole = np.trunc(np.where(np.isnan(x), 0, x)).astype(LONG) if x.dtype.kind == "f" else x
    low, high = LONG(int(ends.min)), LONG(int(ends.max))
    wide = np.asarray(whole).astype(LONG)
    kept = np.where((wide > low) & (wide < high), wide, 0).astype(dtype)
    return np.where(wide <= low, ends.min, np.where(wide >= high, ends.max, kept)).astype(dtype)


@pytest.mark.parametrize("kind", KINDS)
def test_casts(kind: str) -> None:
    x = sample(kind, (4099,))
    for other in KINDS:
        with np.errstate(all="ignore"):
            want = saturated(x, dtype_of(other))
        # NumPy's 'i8' is another type, so the name alone is refused.
        name = want.dtype if other in ("i8", "u8") else other
        check(f"cast from {kind}", other, ops.cast(x, name), want, 0.0)
        out = np.empty_like(want)
        assert ops.cast(x, want.dtype, out=out) is out
        check(f"cast from {kind}", other, out, want, 0.0)


M = np.arange(6, dtype=np.float32).reshape(2, 3)
WRONG = [
    (lambda: ops.sum(M, 2), "sum: 'axis' is 2 for an array of 2 dimensions"),
    (lambda: ops.sum(M, (0, 0)), "'axis' names 0 twice"),
    (lambda: ops.sum(M, "x"), "'axis' expects None, a number or a tuple"),
    (lambda: ops.argmax(M, (0, 1)), "argmax: 'axis' expects None or a number"),
    (lambda: ops.argmax(M[:, ::-1], 1), "argmax: 'x' runs backwards"),
    (lambda: ops.sum(M, 0, np.zeros(2, "f")), r"'out' has the shape \(2,\), expected \(3,\)"),
    (lambda: ops.sum(M, 0, np.zeros(3)), "'out' has elements of float64"),
    (lambda: ops.norm(np.ones(3, int)), "norm: 'x' is i64"),
    (lambda: ops.sum([1, 2]), "sum: 'x' expects an array"),
    (lambda: ops.copy(M, out=np.zeros((3, 2), "f")), "copy: 'out' has the shape"),
    (lambda: ops.transpose(M, (0, 0)), "transpose: 'axes' expects each of 2 axes once"),
    (lambda: ops.fill(np.zeros(3, np.int8), 300), "fill: 'value' expects i8, found 300"),
    (lambda: ops.fill(np.broadcast_to(M, (2, 2, 3)), 1), "fill: 'out' is written"),
    (lambda: ops.cast(M, "i8"), "cast: 'dtype' 'i8' has 8 bits here and 8 bytes in NumPy"),
    (lambda: ops.cast(M, "f128"), "cast: 'dtype' expects a type"),
    (lambda: ops.cast(M, complex), "cast: 'dtype' has elements of complex128"),
    (lambda: ops.cast(M[:, ::2], "f64"), "cast: an array with gaps is not cast"),
    (lambda: ops.where(M, M, M), "where: 'condition' expects bool or u8"),
    (lambda: ops.where(M > 1, M, M.astype(int)), "where: 'b' has elements of int64"),
    (lambda: ops.where(M > 1, 1, 2), "where: 'a' expects an array"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_wrong_arguments_are_named(call, message: str) -> None:
    with pytest.raises(hg.ArgumentError, match=message):
        call()


@pytest.mark.parametrize("name", ["sum", "mean", "prod", "min", "max", "norm"])
def test_an_array_without_dimensions(name: str) -> None:
    x, out = np.array(2.5), np.zeros(())
    assert getattr(ops, name)(x) == 2.5
    assert getattr(ops, name)(x, out=out) is out
    assert out == 2.5
