"""hologram.ops: layers, running sums, losses and products, against NumPy in long double."""

from __future__ import annotations

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

import hologram as hg  # noqa: E402, I001
from hologram import ops  # noqa: E402
from hologram.ops.arrays import dtype_of  # noqa: E402
from hologram.ops.table import TABLE  # noqa: E402
from test_ops import F, no_guarded_launches, sample  # noqa: E402, F401

LONG = np.longdouble
EPS = {"f32": 2.0**-24, "f16": 2.0**-24, "f64": 2.0**-53}
LAST = {"f32": 0.0, "f16": 2.0**-11, "f64": 0.0}
KINDS = ["f32", "f64", "f16"]
INTEGERS = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]


def allowed(name: str, kind: str, n: int, scale, exact):
    """The error that the table states, and the last rounding of f16."""
    names = {"n": n, "eps": EPS[kind], "scale": scale, "min": min, "log": np.log}
    with np.errstate(divide="ignore", invalid="ignore"):
        bound = eval(TABLE[name].bound, names)
    return bound + LAST[kind] * np.abs(exact) + np.finfo(dtype_of(kind)).smallest_subnormal


def near(name: str, kind: str, actual, exact, n: int, scale) -> None:
    assert actual.dtype == dtype_of(kind), name
    assert actual.shape == np.shape(exact), name
    off = np.abs(actual.astype(LONG) - exact)
    bound = allowed(name, kind, n, scale, exact)
    assert (off <= bound).all(), (name, kind, np.max(off - bound))


def parts(x):
    wide = x.astype(LONG)
    top = wide.max(-1, keepdims=True)
    return wide, top, np.exp(wide - top)


def softmax(x):
    _, _, powers = parts(x)
    return powers / powers.sum(-1, keepdims=True)


ROW_VIEWS = [
    ((1,), lambda x: x),
    ((7,), lambda x: x),
    ((3, 1000), lambda x: x),
    ((2, 3, 65), lambda x: x),
    ((6, 80), lambda x: x[::2, 3:70]),
    ((4, 5, 64), lambda x: x[1]),
    ((0, 5), lambda x: x),
]


@pytest.mark.parametrize("kind", KINDS)
def test_layers(kind: str) -> None:
    for shape, view in ROW_VIEWS:
        x = view(sample(kind, shape, (-5, 5)))
        n = x.shape[-1]
        wide = x.astype(LONG)
        gamma, beta = sample(kind, (n,), (0.5, 2), 2), sample(kind, (n,), (-1, 1), 3)
        if x.size:
            probability = softmax(x)
            near("softmax", kind, ops.softmax(x), probability, n, probability)
            top = wide.max(-1, keepdims=True)
            exact = np.log(probability)
            scale = np.abs(wide) + np.abs(top)
            near("log_softmax", kind, ops.log_softmax(x, axis=x.ndim - 1), exact, n, scale)
            mean = wide.mean(-1, keepdims=True)
            epsilon = LONG(np.float32(1e-5))
            deviation = np.sqrt(((wide - mean) ** 2).mean(-1, keepdims=True) + epsilon)
            exact = gamma * (wide - mean) / deviation + beta
            most = np.abs(wide).max(-1, keepdims=True)
            scale = np.abs(gamma) * (np.abs(wide) + most) / deviation + np.abs(beta)
            near("layer_norm", kind, ops.layer_norm(x, gamma, beta), exact, n, scale)
            root = np.sqrt((wide * wide).mean(-1, keepdims=True) + epsilon)
            exact = gamma * wide / root
            near("rms_norm", kind, ops.rms_norm(x, gamma), exact, n, np.abs(exact))
        calls = (
            lambda out: ops.softmax(x, out=out),
            lambda out: ops.log_softmax(x, out=out),
            lambda out: ops.layer_norm(x, gamma, beta, out=out),
            lambda out: ops.rms_norm(x, gamma, out=out),
        )
        for call in calls:
            out = view(np.zeros(shape, x.dtype))
            assert call(out) is out
            assert out.tobytes() == call(None).tobytes()
        ones, zeros = np.ones(n, x.dtype), np.zeros(n, x.dtype)
        assert ops.layer_norm(x).tobytes() == ops.layer_norm(x, ones, zeros).tobytes()
        assert ops.rms_norm(x).tobytes() == ops.rms_norm(x, ones).tobytes()


@pytest.mark.parametrize("kind", KINDS + INTEGERS)
def test_running_sums(kind: str) -> None:
    for shape in ((1,), (5,), (5000,), (3, 700), (40, 5, 3), (0, 3), ()):
        x = sample(kind, shape, (-2, 2))
        for axis in (None, *range(x.ndim)):
            got = ops.cumsum(x, axis)
            want = np.cumsum(x if kind[0] != "f" else x.astype(LONG), axis)
            want = want.reshape(got.shape)
            if kind[0] != "f":
                assert got.dtype == want.dtype
                assert np.array_equal(got, want)
                continue
            scale = np.cumsum(np.abs(x.astype(LONG)), axis).reshape(got.shape)
            n = x.size if axis is None else shape[axis]
            near("cumsum", kind, got, want, n, scale)
            out = np.zeros_like(got)
            assert ops.cumsum(x, axis, out) is out
            assert out.tobytes() == got.tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_losses(kind: str) -> None:
    for shape in ((1,), (5,), (20_001,), (30, 7)):
        p, t = sample(kind, shape, (0.05, 0.95), 1), sample(kind, shape, (0, 1), 2)
        wide, true = p.astype(LONG), t.astype(LONG)
        losses = {
            "mse": ((wide - true) ** 2).mean(),
            "cross_entropy": -(true * np.log(wide)).mean(),
            "binary_cross_entropy": -(true * np.log(wide) + (1 - true) * np.log(1 - wide)).mean(),
        }
        for name, exact in losses.items():
            op = getattr(ops, name)
            near(name, kind, op(p, t), exact, p.size, np.abs(exact))
            out = np.zeros((), p.dtype)
            assert op(p, t, out=out) is out
            assert out == op(p, t)
            assert op(p.T, t.T) == op(p, t)
    samples = ops.cross_entropy(p, t, axis=-1)
    exact = -(true * np.log(wide)).sum(-1).mean()
    near("cross_entropy", kind, samples, exact, p.size, np.abs(exact))


def test_facts_of_losses() -> None:
    p, t = F(0.7, 0.2, 0.1), F(1, 0, 0)
    assert ops.mse(F(1, 2, 3, 4), F(1, 1, 1, 1)) == 3.5
    assert abs(ops.mse(F(0.9, 0.1, 0.8), F(1, 0, 1)) - 0.02) < 1e-8
    assert abs(ops.cross_entropy(p, t) - 0.11889166) < 1e-7
    assert abs(ops.cross_entropy(np.full(100, 0.7, "f"), np.ones(100, "f")) - 0.35667494) < 1e-6
    assert abs(ops.binary_cross_entropy(p, t) - 0.22839302) < 1e-7
    assert abs(ops.binary_cross_entropy(F(0.9, 0.1, 0.8), F(1, 0, 1)) - 0.14462154) < 1e-7
    assert abs(ops.binary_cross_entropy(F(*[0.5] * 4), F(1, 0, 1, 0)) - 0.6931472) < 1e-6
    # Predictions of 0 and 1 count as eps away from them; without eps the formula is plain.
    for name in ("cross_entropy", "binary_cross_entropy"):
        op = getattr(ops, name)
        assert 0 <= op(F(0, 1), F(0, 1)) < 1e-6
        assert np.isnan(op(F(0, 1), F(0, 1), eps=0))
        assert np.isnan(op(F(np.nan, 1), F(1, 1)))
        wrong = op(F(0), F(1))
        assert abs(wrong + np.log(1e-7)) < 1e-4
        wrong = op(np.zeros(1), np.ones(1))
        assert abs(wrong + np.log(1e-12)) < 1e-10
    with np.errstate(all="ignore"):
        assert np.allclose(ops.softmax(F(1, 2, 3)), F(0.09003057, 0.24472848, 0.66524094))
        rising = ops.softmax(np.arange(1000, 1007, dtype=np.float32))
    assert abs(rising.sum() - 1) < 1e-6
    assert np.allclose(rising[-2:], F(0.23275642, 0.6326975), rtol=1e-6)
    second = ops.softmax(F(10, 20, 30))
    assert np.allclose(second, F(2.06e-9, 4.54e-5, 0.9999546), rtol=2e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_products(kind: str) -> None:
    for n in (0, 1, 5, 9000):
        x, y = sample(kind, (n,), (-1, 1), 1), sample(kind, (n,), (-1, 1), 2)
        wide = x.astype(LONG) * y.astype(LONG)
        near("dot", kind, ops.dot(x, y), wide.sum(), n, np.abs(wide).sum())
    for m, k, n in ((1, 1, 1), (16, 12, 8), (5, 300, 7), (67, 33, 130), (4, 0, 3), (0, 3, 2)):
        for turn in (False, True):
            shapes = ((k, m), (n, k)) if turn else ((m, k), (k, n))
            a, b = (sample(kind, shape, (-1, 1), s) for s, shape in enumerate(shapes))
            a, b = (a.T, b.T) if turn else (a, b)
            exact = a.astype(LONG) @ b.astype(LONG)
            scale = np.abs(a.astype(LONG)) @ np.abs(b.astype(LONG))
            near("gemm", kind, ops.gemm(a, b), exact, k, scale)
            wide = np.zeros((m, n + 3), a.dtype)[:, 1 : n + 1]
            assert ops.matmul(a, b, out=wide) is wide
            assert wide.tobytes() == ops.gemm(a, b).tobytes()
            x = sample(kind, (k,), (-1, 1), 3)
            exact = a.astype(LONG) @ x.astype(LONG)
            scale = np.abs(a.astype(LONG)) @ np.abs(x.astype(LONG))
            near("matvec", kind, ops.matvec(a, x), exact, k, scale)
            out = np.ones(m, a.dtype)
            assert ops.matvec(a, x, out=out) is out
            assert out.tobytes() == ops.matvec(a, x).tobytes()
    a = sample(kind, (2, 4, 4), (-1, 1))
    assert np.array_equal(
        ops.gemm(a[1], np.eye(4, dtype=a.dtype)), a[1]
    )  # the second, not the first
    gaps = a.reshape(4, 8)[:, :3]
    assert ops.gemm(gaps, gaps[:3]).tobytes() == ops.gemm(gaps.copy(), gaps[:3].copy()).tobytes()
    assert ops.matvec(gaps, gaps[0].copy()).tobytes() == ops.matvec(gaps.copy(), gaps[0]).tobytes()


def test_facts_of_products() -> None:
    a, b = F(1, 2, 3, 4, 5, 6).reshape(2, 3), F(7, 8, 9, 10, 11, 12).reshape(3, 2)
    assert list(ops.gemm(a, b).ravel()) == [58, 64, 139, 154]
    assert list(ops.matvec(a, F(7, 8, 9))) == [50, 122]


M = np.ones((2, 3), np.float32)
V = np.ones(3, np.float32)
WRONG = [
    (lambda: ops.softmax(M, axis=0), "softmax: 'axis' is 0; only the last"),
    (lambda: ops.softmax(M.astype(int)), "softmax: 'x' is i64"),
    (lambda: ops.softmax(M[:, :0]), "softmax: 'x' has no elements along its last axis"),
    (lambda: ops.softmax(M[:, ::2]), "softmax: 'x' has gaps or turns in its last axis"),
    (lambda: ops.softmax(M[::-1]), "softmax: 'x' has rows that run backwards"),
    (lambda: ops.layer_norm(M, V[:2]), r"layer_norm: 'gamma' is float32 \(2,\), expected"),
    (lambda: ops.layer_norm(M, V, V.astype("d")), "layer_norm: 'beta' is float64"),
    (lambda: ops.layer_norm(M, epsilon="x"), "'epsilon' expects f32"),
    (lambda: ops.rms_norm(M, out=M[0]), "rms_norm: 'out' has the shape"),
    (lambda: ops.cumsum(M, 2), "cumsum: 'axis' is 2"),
    (lambda: ops.cumsum(M.T), "cumsum: 'x' has gaps"),
    (lambda: ops.mse(V, V[:2]), r"mse: 'target' has the shape \(2,\), expected \(3,\)"),
    (lambda: ops.mse(V, V.astype("d")), "mse: 'target' is f64 and 'prediction' is f32"),
    (lambda: ops.cross_entropy(V, V, eps=-1), "cross_entropy: 'eps' expects a number from 0 on"),
    (lambda: ops.dot(M, M), "dot: 'x' has 2 dimensions, expected 1"),
    (lambda: ops.dot(V, V[:2]), "dot: 'y' has the shape"),
    (lambda: ops.gemm(M, M), "gemm: 'b' has 2 rows, 'a' has 3 columns"),
    (lambda: ops.gemm(V, M), "gemm: 'a' has 1 dimensions, expected 2"),
    (lambda: ops.gemm(M, M.T, out=np.zeros((2, 3), "f")), "gemm: 'out' has the shape"),
    (lambda: ops.matvec(M, V[:2]), "matvec: 'x' has the shape"),
]


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_wrong_arguments_are_named(call, message: str) -> None:
    with pytest.raises(hg.ArgumentError, match=message):
        call()


# ---- Calls that go from the binding to the kernels, against those by way of a Python function


def direct_calls():
    rows, gamma, beta = (sample("f32", s, (-4, 4)) for s in ((10, 60), (60,), (2, 30)))
    x, beta = rows.reshape(-1), beta.reshape(-1) * np.float32(0.5)
    p = np.abs(np.sin(x)).astype(np.float32)
    half, wide = rows.astype(np.float16), rows.astype(np.float64)
    yield "softmax", ops.softmax, (rows,), {}
    yield "softmax, axis", ops.softmax, (rows, 1), {}
    yield "softmax, f16", ops.softmax, (half,), {"axis": -1}
    yield "log_softmax", ops.log_softmax, (wide,), {"axis": 1}
    yield "layer_norm", ops.layer_norm, (rows, gamma, beta), {}
    yield "layer_norm, named", ops.layer_norm, (rows,), {"beta": beta, "gamma": gamma}
    yield "layer_norm, epsilon", ops.layer_norm, (rows, gamma, beta, 0.1), {}
    yield "rms_norm", ops.rms_norm, (rows, gamma), {"epsilon": 0.25}
    yield "cross_entropy", ops.cross_entropy, (p, p), {}
    yield "cross_entropy, f64", ops.cross_entropy, (p.astype(np.float64),) * 2, {}
    yield "binary_cross_entropy", ops.binary_cross_entropy, (p, p), {}
    yield "elu", ops.elu, (rows,), {}
    yield "leaky_relu", ops.leaky_relu, (half,), {}
    yield "gelu", ops.gelu, (rows,), {"approximate": "none"}
    yield "gelu, fast", ops.gelu, (rows,), {"accuracy": "fast", "approximate": "none"}
    yield "gelu, tanh", ops.gelu, (wide,), {"approximate": "tanh"}


@pytest.mark.parametrize("call", direct_calls(), ids=lambda call: call[0])
def test_direct_calls_give_the_same(call) -> None:
    _, op, arguments, named = call
    wanted = op.__wrapped__(*arguments, **named)
    found = op(*arguments, **named)
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    assert found.tobytes() == wanted.tobytes()
    out = np.zeros_like(wanted)
    assert op(*arguments, **named, out=out) is out
    assert out.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("kind", [*KINDS, *INTEGERS])
def test_fill_goes_directly_and_by_way_of_python(kind: str) -> None:
    number = 3 if kind in INTEGERS else -2.5
    for view in (lambda a: a, lambda a: a[::2, 1:], lambda a: a.T, lambda a: a[:0]):
        made, wanted = np.zeros((6, 5), dtype_of(kind)), np.zeros((6, 5), dtype_of(kind))
        place = view(made)
        assert ops.fill(place, number) is place
        view(wanted)[...] = number
        assert made.tobytes() == wanted.tobytes()
        ops.fill.__wrapped__(place, np.float32(number) if kind == "f32" else number)
        assert made.tobytes() == wanted.tobytes()
    with pytest.raises(hg.ArgumentError):
        ops.fill(np.zeros(3, dtype_of(kind)), 1.5 if kind in INTEGERS else "1")
    read_only = np.zeros(3, dtype_of(kind))
    read_only.flags.writeable = False
    with pytest.raises(hg.ArgumentError, match="read-only"):
        ops.fill(read_only, number)
