"""hologram.ops: operations on elements against NumPy, within the errors that their table states."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import warnings

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

import ops_references as references  # noqa: E402, I001
import hologram as hg  # noqa: E402
from hologram import ops  # noqa: E402
from hologram import library  # noqa: E402
from hologram.ops.arrays import CODES, dtype_of  # noqa: E402
from hologram.ops.table import OPTIONAL, TABLE  # noqa: E402

LONG = np.longdouble
# (bits of the fraction, exponent of the smallest normal number)
FORMATS = {"f16": (10, -14), "f32": (23, -126), "f64": (52, -1022)}
# bf16 needs a package for its arrays: tests/kernels runs these kernels, test_bfloat16 the calls.
KINDS = [kind for kind in CODES if kind != "bf16"]
EDGES = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    np.inf,
    -np.inf,
    np.nan,
    6e-8,
    88.8,
    -103.9,
]
warnings.filterwarnings("ignore", category=RuntimeWarning)


@pytest.fixture(autouse=True)
def no_warnings():
    with np.errstate(all="ignore"):
        yield


@pytest.fixture(autouse=True, scope="module")
def no_guarded_launches():
    """No launch had to check every access, on copies, because a proof did not hold."""
    yield
    slow = [name for name, kernel in library._kernels.items() if kernel.counts["guarded"]]
    assert slow == []


def sample(kind: str, shape, span=None, seed: int = 1):
    """Elements of all kinds, or of a span."""
    random = np.random.default_rng([seed, CODES[kind], int(np.prod(shape))])
    dtype = dtype_of(kind)
    if dtype.kind in "iu":
        ends = np.iinfo(dtype)
        x = random.integers(ends.min, ends.max, shape, dtype, endpoint=True)
        few = random.integers(0, 9, shape).astype(dtype)
        return np.asarray(np.where(random.random(shape) < 0.5, x, few))
    if span is not None:
        return np.asarray(random.uniform(*span, shape), dtype)
    x = random.standard_normal(shape) * 10.0 ** random.uniform(-4, 4, shape)
    x = np.asarray(x, dtype)
    flat = x.reshape(-1)
    places = np.arange(0, flat.size, 7)
    flat[places] = np.resize(np.array(EDGES), len(places)).astype(dtype)
    return x


def check(name: str, kind: str, actual, exact, bound: float) -> None:
    """`actual` is within `bound` ulp of `exact`; 0 means the same bits, but for NaN."""
    assert actual.dtype == dtype_of(kind), name
    assert actual.shape == exact.shape, name
    if actual.dtype.kind != "f" or bound == 0.0:
        want = exact.astype(actual.dtype)
        same = (actual == want) | ((actual != actual) & (want != want))
        if actual.dtype.kind == "f":
            same &= np.signbit(actual) == np.signbit(want)
            same |= np.isnan(want) & np.isnan(actual)
        assert same.all(), (name, kind, actual[~same][:3], want[~same][:3])
        return
    bits, low = FORMATS[kind]
    nan = np.isnan(exact)
    assert np.array_equal(np.isnan(actual), nan), (name, kind)
    largest = LONG(np.finfo(actual.dtype).max)
    live = ~nan & (np.abs(exact) <= largest)
    beyond = ~nan & ~live
    assert (np.isinf(actual[beyond]) | (np.abs(actual[beyond]) == largest)).all(), (name, kind)
    size = np.maximum(np.abs(exact[live]), LONG(2.0) ** low)
    unit = LONG(2.0) ** (np.floor(np.log2(size)) - bits)
    off = np.abs(actual[live].astype(LONG) - exact[live]) / unit
    # For f64 the long double of the reference is itself a little off.
    slack = 0.01 if kind == "f64" else 1e-6
    worst = int(np.argmax(off)) if off.size else 0
    assert (
        not off.size or off[worst] <= bound + slack
    ), f"{name} {kind}: {off[worst]} ulp at {exact[live][worst]}, allowed {bound}"


def pointwise_inputs(name: str, kind: str, shape):
    function, span = references.POINTWISE[name]
    spec = TABLE[name]
    inputs = [sample(kind, shape, span, seed) for seed in range(1, len(spec.arrays) + 1)]
    if name == "div" and kind[0] != "f":
        inputs[1][inputs[1] == 0] = 3
    if name == "pow":
        inputs[1] = (inputs[1] - 5).astype(inputs[1].dtype)
    return function, inputs


POINTWISE_CASES = [
    (name, kind) for name in references.POINTWISE for kind in TABLE[name].types if kind != "bf16"
]


def test_every_operation_has_a_reference() -> None:
    pointwise = {name for name, spec in TABLE.items() if spec.family == "pointwise"}
    assert pointwise == {*references.POINTWISE, *references.SCALAR}
    assert set(TABLE) == set(ops.__all__) - {"path", "matmul"}


@pytest.mark.parametrize(("name", "kind"), POINTWISE_CASES)
def test_shapes_and_strides(name: str, kind: str) -> None:
    op, spec = getattr(ops, name), TABLE[name]
    bound = spec.ulp_of(kind)
    for shape in ((0,), (1,), (5,), (4099,), (3, 4, 5), ()):
        function, inputs = pointwise_inputs(name, kind, shape)
        exact = np.asarray(function(*inputs))
        check(name, kind, op(*inputs), exact, bound)
        out = np.empty(shape, dtype_of(kind))
        assert op(*inputs, out=out) is out
        check(name, kind, out, exact, bound)
        assert op(*inputs, out) is out
        inputs[0] = np.array(inputs[0])
        assert op(*inputs, out=inputs[0]) is inputs[0]  # in place
        assert inputs[0].tobytes() == out.tobytes()
    function, inputs = pointwise_inputs(name, kind, (6, 7, 8))
    views = [
        lambda x: x.transpose(2, 0, 1),
        lambda x: x[::2, 1:, ::-1],
        lambda x: x[:, :, 1:3],
        lambda x: x[::-1, ::-3, 2:3],
        lambda x: x[1, :, 2],
    ]
    for view in views:
        parts = [view(x) for x in inputs]
        check(name, kind, op(*parts), function(*parts), bound)
        out = view(np.zeros((6, 7, 8), dtype_of(kind)))
        assert op(*parts, out=out) is out
        check(name, kind, out, function(*parts), bound)


@pytest.mark.parametrize(
    ("name", "kind"), [case for case in POINTWISE_CASES if len(TABLE[case[0]].arrays) == 2]
)
def test_broadcasting(name: str, kind: str) -> None:
    op, bound = getattr(ops, name), TABLE[name].ulp_of(kind)
    function, (a, b) = pointwise_inputs(name, kind, (4, 5, 6))
    pairs = [
        (a, b[0]),
        (a, b[:, :1]),
        (a[:, :, :1], b),
        (a[:1], b[:, :, :1]),
        (a, b[1, 2, 3]),
        (a[0], b),
        (a[:, ::2, ::-1], b[:, :1, ::-1]),
        (np.broadcast_to(a[0], a.shape), b),
    ]
    function, (many, few) = pointwise_inputs(name, kind, (3, 2, 3, 4, 5))  # not one loop of three
    pairs.append((many[:, :, ::2, ::-1, ::2], few[:1, :, ::2, :1, ::2]))
    pairs.append((many[::2, :, :, 1:, ::-1], few[:2, :1, :, 1:, :1]))
    pairs = [(np.asarray(x), np.asarray(y)) for x, y in pairs]
    for x, y in pairs:
        wide = np.broadcast_arrays(x, y)
        check(name, kind, op(x, y), np.asarray(function(*wide)), bound)
    for x, y in pairs:  # in place, where the first is the output
        wide = np.broadcast_arrays(x, y)
        if wide[0].shape == x.shape and x.flags.writeable:
            into = np.zeros((*x.shape, 2), x.dtype)[..., 0]
            into[...] = x
            assert op(into, y, out=into) is into
            check(name, kind, into, np.asarray(function(*wide)), bound)
    number = 3 if kind[0] != "f" else 2.5
    number = 2 if name == "pow" else number
    row = np.full(a.shape, number, a.dtype)
    check(name, kind, op(a, number), function(a, row), bound)
    if name != "div" or kind[0] == "f":
        check(name, kind, op(number, b), function(row, b), bound)
    for x, y in (([7, 6], [8, 1, 6, 1]), ([3, 4], [5])):
        x, y = np.ones(x, a.dtype), np.ones(y, a.dtype)
        try:
            shape = np.broadcast_shapes(x.shape, y.shape)
        except ValueError:
            with pytest.raises(hg.ArgumentError, match=f"{name}: these shapes do not go together"):
                op(x, y)
        else:
            assert op(x, y).shape == shape


@pytest.mark.parametrize("name", references.SCALAR)
def test_operations_with_scalars(name: str) -> None:
    op, spec = getattr(ops, name), TABLE[name]
    function, scalars, span = references.SCALAR[name]
    for kind in spec.types:
        if kind == "bf16":
            continue
        for shape in ((0,), (1,), (4099,), (3, 4)):
            x = sample(kind, shape, span)
            exact = function(x, *(np.array(s, x.dtype) for s in scalars))
            check(name, kind, op(x, *scalars), exact, spec.ulp_of(kind))
            out = np.empty_like(x)
            assert op(x, *scalars, out=out) is out
            assert out.tobytes() == op(x, **dict(zip(spec.scalars, scalars, strict=True))).tobytes()
        x = sample(kind, (6, 8), span)[::-1, ::2]
        exact = function(x, *(np.array(s, x.dtype) for s in scalars))
        check(name, kind, op(x, *scalars), exact, spec.ulp_of(kind))


@pytest.mark.parametrize("name", [name for name, spec in TABLE.items() if spec.fast])
def test_fast_forms(name: str) -> None:
    op, spec = getattr(ops, name), TABLE[name]
    function, inputs = pointwise_inputs(name, "f32", (4099,))
    check(name, "f32", op(*inputs, accuracy="fast"), function(*inputs), spec.fast)
    strided = [x[::-2] for x in inputs]
    check(name, "f32", op(*strided, accuracy="fast"), function(*strided), spec.fast)
    assert op(*inputs, accuracy="fast").tobytes() != op(*inputs).tobytes()
    wide = [x.astype(np.float64) for x in inputs]
    assert op(*wide, accuracy="fast").tobytes() == op(*wide).tobytes()


def test_gelu_has_two_forms() -> None:
    x = sample("f32", (1000,), (0, 8))
    exact = references.wide(x) * references.half_erfc(x)
    check("gelu", "f32", ops.gelu(x, approximate="none"), exact, 2.0)
    with pytest.raises(hg.ArgumentError, match="gelu: 'approximate' expects 'tanh' or 'none'"):
        ops.gelu(x, approximate="erf")


def F(*values):
    return np.array(values, np.float32)


def I(*values):  # noqa: E743
    return np.array(values, np.int32)


LOW = -(2**31)


@pytest.mark.parametrize(
    ("dtype", "low", "high", "most"), [(np.float32, -112, -87, 2), (np.float64, -760, -690, 2.5)]
)
def test_silu_down_to_zero(dtype, low: int, high: int, most: float) -> None:
    """Through subnormal results to -0, against a wider type; the bounds of docs/ops.md."""
    x = np.linspace(low, high, 20001).astype(dtype)
    wide = x.astype(np.longdouble)
    expected = wide / (1 + np.exp(-wide))
    ulp = np.spacing(np.abs(expected).astype(dtype)).astype(np.longdouble)
    got = ops.silu(x)
    assert (np.abs(got.astype(np.longdouble) - expected) <= most * ulp).all()
    assert np.signbit(got).all()
    assert got[0] == 0
    assert got[-1] != 0


@pytest.mark.parametrize(
    ("number", "actual", "expected"),
    [
        (3, lambda: ops.add(F(1, 2, 3), F(4, 5, 6)), F(5, 7, 9)),
        (9, lambda: ops.minimum(np.arange(8.0), np.arange(8.0) + 10), np.arange(8.0)),
        (11, lambda: ops.abs(F(3, -4, 0)), F(3, 4, 0)),
        (12, lambda: ops.neg(F(3, -4, 0)), F(-3, 4, -0.0)),
        (13, lambda: ops.relu(F(-2, -1, 0, 1, 2)), F(0, 0, 0, 1, 2)),
        (14, lambda: ops.relu(F(np.nan, 1, -0.0, np.inf)), F(np.nan, 1, 0, np.inf)),
        (15, lambda: ops.maximum(F(np.nan, 1), F(1, np.nan)), F(1, 1)),
        (17, lambda: ops.clip(F(-5, -1.5, -1, -0.5, 0, 2), -1, 1), F(-1, -1, -1, -0.5, 0, 1)),
        (18, lambda: ops.clip(F(3, -4, 0), 1, -1), F(-1, -1, -1)),
        (18, lambda: ops.clip(F(np.nan, 3), 5, 1), F(1, 1)),
        (19, lambda: ops.scalar_add(F(1, 2, 8), 2.5), F(3.5, 4.5, 10.5)),
        (20, lambda: ops.scalar_mul(F(1, 2, 8), 2), F(2, 4, 16)),
        (21, lambda: ops.div(I(7, -7, LOW), I(2, 2, -1)), I(3, -3, LOW)),
        (23, lambda: ops.add(I(7, -7, LOW), I(2**31 - 1, 1, -1)), I(-2147483642, -6, 2147483647)),
        (24, lambda: ops.add(*[np.array([65535, 1, 2], np.uint16)] * 2), np.array([65534, 2, 4], np.uint16)),
        (25, lambda: ops.relu(I(7, -7, LOW)), I(7, 0, 0)),
        (27, lambda: ops.div(F(1), F(0)), F(np.inf)),
        (35, lambda: ops.sigmoid(F(-100, -5, 0, 100)), F(0, 0.006692851, 0.5, 1)),
        (37, lambda: ops.tanh(F(-5, -1, 0, 1, 5)), F(-0.9999092, -0.7615942, 0, 0.7615942, 0.9999092)),
        (38, lambda: ops.gelu(F(-3, -1, 0, 1, 3)), F(-0.003637433, -0.158808, 0, 0.841192, 2.9963627)),
        (76, lambda: np.array(ops.add(np.ones((3, 1, 5), "f"), np.ones((1, 4, 5), "f")).shape), np.array([3, 4, 5])),
    ],
)  # fmt: skip
def test_facts(number: int, actual, expected) -> None:
    got = actual()
    assert got.dtype == expected.dtype
    exact = np.array_equal(got, expected, equal_nan=True) and np.array_equal(
        np.signbit(got), np.signbit(expected)
    )
    assert exact or np.allclose(got, expected, rtol=1e-6, atol=1e-7), number


N = np.arange(6, dtype=np.float32)
WRONG = [
    (lambda: ops.div(I(1), I(0)), hg.FaultError, "division by zero"),
    (lambda: ops.abs(np.ones(2, np.uint32)), hg.ArgumentError, "abs: 'x' is u32, which has no such"),
    (lambda: ops.sigmoid(np.ones(2, np.uint32)), hg.ArgumentError, "sigmoid: 'x' is u32"),
    (lambda: ops.add(N, N[:3]), hg.ArgumentError, r"'a' \(6,\), 'b' \(3,\)"),
    (lambda: ops.add(N, N.astype(np.float64)), hg.ArgumentError, "'b' is f64 and 'a' is f32"),
    (lambda: ops.add(N, [1.0]), hg.ArgumentError, "'b' expects an array"),
    (lambda: ops.add(1.0, 2.0), hg.ArgumentError, "'a' expects an array, found a number"),
    (lambda: ops.add(N, "text"), hg.ArgumentError, "'b' expects an array"),
    (lambda: ops.exp(np.ma.array([1.0], mask=[1])), hg.ArgumentError, "'x' has a mask, which would"),
    (lambda: ops.add(N > 1, N > 2), hg.ArgumentError, "'a' has elements of bool"),
    (lambda: ops.add(N.astype(complex), N), hg.ArgumentError, "elements of complex128"),
    (lambda: ops.add(N.astype(">f4"), N), hg.ArgumentError, "elements of >f4"),
    (lambda: ops.add(N, N, out=np.zeros(3, "f")), hg.ArgumentError, r"'out' has the shape \(3,\)"),
    (lambda: ops.add(N, N, out=np.zeros(6)), hg.ArgumentError, "'out' has elements of float64"),
    (lambda: ops.add(N, N, out=np.broadcast_to(F(0), 6)), hg.ArgumentError, "read-only"),
    (lambda: ops.add(N[:5], N[:5], out=N[1:]), hg.ArgumentError, "'a' and 'out' overlap"),
    (lambda: ops.add(np.ones(3, np.int8), 200), hg.ArgumentError, "'b' expects i8, found 200"),
    (lambda: ops.add(np.ones(3, np.int8), 2.5), hg.ArgumentError, "'b' expects i8, found 2.5"),
    (lambda: ops.mul(N, 1e300), hg.ArgumentError, "'b' expects f32, found 1e\\+300"),
    (lambda: ops.exp(N, accuracy="best"), hg.ArgumentError, "'accuracy' expects"),
    (lambda: ops.clip(N, "low", 1), hg.ArgumentError, "'low' expects f32"),
    (lambda: ops.clip(N[::2], "low", 1), hg.ArgumentError, "'low' expects f32"),
    (lambda: ops.scalar_add(np.ones(4, np.int8)[::2], 300), hg.ArgumentError, "'s' expects i8"),
    (lambda: ops.add(N, 10**400), hg.ArgumentError, r"add: 'b' expects f32, found 1000.*\.\.\., which"),
    (lambda: ops.sub(-(10**400), N.astype("f8")), hg.ArgumentError, "sub: 'a' expects f64, found -1"),
    (lambda: ops.clip(N, 0, 10**400), hg.ArgumentError, "clip: 'high' expects f32, found 1000"),
    (lambda: ops.fill(N, 10**400), hg.ArgumentError, "fill: 'value' expects f32, found 1000"),
    (lambda: ops.where(N > 1, N, 10**400), hg.ArgumentError, "where: 'b' expects f32, found 1000"),
    (lambda: ops.add(N, 10**5000), hg.ArgumentError, "'b' expects f32, found a number of too many"),
    (lambda: ops.sum(N, 10**5000), hg.ArgumentError, "'axis' is a number of too many digits for"),
    (lambda: ops.layer_norm(N, epsilon=10**400), hg.ArgumentError, "layer_norm: 'epsilon' expects"),
    (lambda: ops.cross_entropy(N, N, eps=10**400), hg.ArgumentError, "cross_entropy: 'eps' expects"),
    (lambda: hg.fuse(lambda x, a: x * a)(N, 10**400), hg.ArgumentError, "lambda: 'a' expects f32"),
    (lambda: hg.fuse(lambda x: x * 10**400)(N), hg.ArgumentError, "mul: 'b' expects f32, found 1000"),
    (lambda: ops.add(N), TypeError, "missing 1 required positional argument: 'b'"),
    (lambda: ops.add(N, N, N, N), TypeError, "positional arguments"),
    (lambda: ops.add(N, N, into=N), TypeError, "into"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "message"), WRONG)
def test_wrong_arguments_are_named(call, error, message: str) -> None:
    before = N.copy()
    with pytest.raises(error, match=message):
        call()
    assert np.array_equal(N, before)


def test_other_memory() -> None:
    import array

    x = array.array("f", [1, 2, 3])
    assert np.array_equal(ops.add(x, memoryview(x)), F(2, 4, 6))
    out = array.array("f", [0, 0, 0])
    ops.add(x, x, out=out)
    assert list(out) == [2, 4, 6]
    with pytest.raises(hg.ArgumentError, match="read-only"):
        ops.add(x, x, out=memoryview(bytes(12)).cast("f"))

    class Exporter:
        def __init__(self, x) -> None:
            self.x = x

        def __dlpack__(self, **keywords):
            return self.x.__dlpack__()

        def __dlpack_device__(self):
            return self.x.__dlpack_device__()

    assert np.array_equal(ops.exp(Exporter(F(0, 0))), F(1, 1))


def test_operations_are_functions() -> None:
    assert pickle.loads(pickle.dumps(ops.exp)) is ops.exp
    assert "4 ulp with accuracy='fast'" in ops.exp.__doc__
    assert ops.exp.__name__ == "exp"
    assert repr(ops.exp) == "<hologram.ops.exp>"
    import inspect

    assert list(inspect.signature(ops.clip).parameters) == ["x", "low", "high", "out"]


def test_bfloat16() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.array([1, -2.5, 3e38, 0.1], ml_dtypes.bfloat16)
    assert np.array_equal(ops.add(x, x).view("u2"), (x + x).view("u2"))
    want = np.exp(x.astype(np.float32)).astype(ml_dtypes.bfloat16)
    assert np.array_equal(ops.exp(x).view("u2"), want.view("u2"))
    assert ops.add(x[::2], x[::2]).dtype == x.dtype


def test_native_code_runs_where_it_was_built() -> None:
    expected = os.environ.get("HOLOGRAM_TEST_OPS_PATH")
    assert ops.path().startswith(expected or ("native (bundle", "interpreter", "native (jit"))


def test_import_is_light() -> None:
    code = (
        "import os, sys, hologram as hg; hg.kernel; assert 'numpy' not in sys.modules;"
        "hg.ops; assert len(os.listdir('/proc/self/task')) == 1;"
        "from hologram import library; assert library._bundle is None"
    )
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def test_names_come_from_the_module_that_has_them() -> None:
    assert set(ops._MODULE_OF) < set(ops.__all__) <= set(dir(ops))
    for name in ops.__all__:
        assert callable(getattr(ops, name)), name
    with pytest.raises(AttributeError, match="no attribute 'no_such'"):
        ops.no_such  # type: ignore[attr-defined] # noqa: B018


def test_first_operation_loads_one_family() -> None:
    code = (
        "import sys, numpy; before = set(sys.modules)\n"
        "import hologram as hg; hg.ops.add(numpy.ones(3), 1.0)\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = set(done.stdout.split())
    assert "hologram._elementwise" in loaded
    heavy = {"hologram.ops.layers", "hologram.ops.linalg", "hologram.ops.movement"}
    assert not {*heavy, "dataclasses", "inspect", "json"} & loaded


def test_kernels_and_operations_are_the_same() -> None:
    """What the bundle holds is what the operations ask for, and the other way round."""
    needed = set()
    for name, spec in TABLE.items():
        if spec.family != "pointwise":
            continue
        for kind in spec.types:
            base = spec.kernel_of(kind)
            needed |= {f"{base}_{kind}", f"{base}_strided_{kind}"}
            needed |= {f"{base}_{form}_{kind}" for form in spec.forms}
        if spec.fast:
            needed |= {f"op_{name}_fast", f"op_{name}_fast_strided"}
            needed |= {f"op_{name}_fast_{form}" for form in spec.forms}
    assert set(OPTIONAL) == {"gelu_erf"}
    erf = {f"op_gelu_erf{form}_{kind}" for form in ("", "_strided") for kind in TABLE["gelu"].types}
    needed |= erf | {"op_gelu_erf_fast", "op_gelu_erf_fast_strided"}
    kernels = set(library.names())
    assert not needed - kernels
    families = [name for name, spec in TABLE.items() if spec.family != "pointwise"]
    rest = [
        kernel
        for kernel in kernels - needed
        if kernel.startswith("op_")  # the others are standard kernels
        and not any(kernel.startswith(f"op_{name}_") for name in families)
    ]
    assert rest == []


FIRST_CALLS = """
import threading
import hologram as hg
import numpy as np

x = np.ones(100_000, np.float32)
ready = threading.Barrier(6)
wrong = []


def work():
    y = np.empty_like(x)
    ready.wait()
    for _ in range(10):
        hg.ops.add(x, x, out=y)
        hg.ops.tanh(y, out=y)
        if not (y == np.float32(0.9640276)).all():
            wrong.append(y)


threads = [threading.Thread(target=work) for _ in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
raise SystemExit(len(wrong))
"""


def test_threads_may_call_an_operation_for_the_first_time_together() -> None:
    for _ in range(4):
        command = [sys.executable, "-c", FIRST_CALLS]
        found = subprocess.run(command, capture_output=True, text=True, check=False)
        assert found.returncode == 0, found.stderr


def test_all_threads_get_one_kernel_of_a_name() -> None:
    names = library.names()
    ready = threading.Barrier(4)
    found: list[list[object]] = []

    def work() -> None:
        ready.wait()
        found.append([library.kernel(name) for name in names])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for kernels in found:
        assert all(a is b for a, b in zip(kernels, found[0], strict=True))


def test_cast_to_bool_is_refused_by_name() -> None:
    for kind in ("bool", bool, np.bool_):
        with pytest.raises(hg.ArgumentError, match="'dtype' has elements of bool"):
            hg.ops.cast(np.ones(3, np.float32), kind)
