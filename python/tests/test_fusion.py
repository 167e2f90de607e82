"""hologram.fuse: the bits of the operations one by one, and what a trace refuses."""

from __future__ import annotations

import os
import pickle
import threading
import warnings
from decimal import Decimal

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

import hologram as hg  # noqa: E402
from hologram import _elementwise, ops  # noqa: E402
from hologram.fusion import fused as implementation  # noqa: E402
from hologram.ops.arrays import CODES, dtype_of  # noqa: E402
from hologram.ops.table import FLOATS, INTEGERS, TABLE  # noqa: E402
from hologram.ops.traced import FORMS  # noqa: E402

warnings.filterwarnings("ignore", category=RuntimeWarning)
try:
    dtype_of("bf16")
    KINDS = list(CODES)
except hg.Error:
    print("bf16 left out: the package ml_dtypes is not there")
    KINDS = [kind for kind in CODES if kind != "bf16"]
EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, np.inf, -np.inf, np.nan, 6e-8, 88.8, -103.9]


def sample(kind: str, size: int, seed: int = 1):
    random = np.random.default_rng([seed, CODES[kind], size])
    dtype = dtype_of(kind)
    if kind in INTEGERS:
        ends = np.iinfo(dtype)
        return random.integers(ends.min, ends.max, size, dtype, endpoint=True)
    x = random.standard_normal(size) * 10.0 ** random.uniform(-3, 2, size)
    x[::7] = np.resize(np.array(EDGES), len(x[::7]))
    return x.astype(dtype)


def same_bits(a, b) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


# ---- The bits of each operation

POINTWISE = [
    (name, kind)
    for name, spec in TABLE.items()
    if spec.family == "pointwise"
    for kind in spec.types
    if kind in KINDS
]


@pytest.mark.parametrize(("name", "kind"), POINTWISE)
def test_each_operation_has_the_bits_of_its_kernel(name: str, kind: str) -> None:
    op, spec = getattr(ops, name), TABLE[name]
    inputs = [sample(kind, 1037, seed) for seed in range(1, len(spec.arrays) + 1)]
    if name == "div" and kind in INTEGERS:
        inputs[1][inputs[1] == 0] = 3
    numbers = (3, 5)[: len(spec.scalars)]
    fused = hg.fuse(_with_parameters(op, len(inputs), len(numbers)))
    assert same_bits(fused(*inputs, *numbers), op(*inputs, *numbers))
    if spec.fast and kind == "f32":
        quick = hg.fuse(_with_parameters(op, len(inputs), 0, accuracy="fast"))
        assert same_bits(quick(*inputs), op(*inputs, accuracy="fast"))


@pytest.mark.parametrize("kind", ["f32", "f64", "f16"])
def test_small_results_have_the_bits_of_the_kernel(kind: str) -> None:
    x = np.linspace(-760 if kind == "f64" else -112, 3, 4001).astype(dtype_of(kind))
    for op in (ops.silu, ops.gelu, ops.softplus, ops.elu, ops.sigmoid):
        assert same_bits(hg.fuse(lambda x: op(x))(x), op(x)), op  # noqa: B023
    fast = hg.fuse(lambda x: ops.silu(x, accuracy="fast"))
    assert same_bits(fast(x), ops.silu(x, accuracy="fast"))


def _with_parameters(op, arrays: int, numbers: int, **named):
    """A function of so many parameters; fused ones have no *args."""
    if arrays + numbers == 1:
        return lambda a: op(a, **named)
    if arrays + numbers == 2:
        return lambda a, b: op(a, b, **named)
    return lambda a, b, c: op(a, b, c, **named)


def test_every_operation_on_elements_is_tried() -> None:
    assert len(POINTWISE) > 150
    assert {name for name, _ in POINTWISE} == set(_elementwise.__all__)


@pytest.mark.parametrize("kind", [kind for kind in FLOATS if kind in KINDS])
def test_gelu_by_erf(kind: str) -> None:
    x = sample(kind, 1037)
    assert same_bits(
        hg.fuse(lambda a: ops.gelu(a, approximate="none"))(x), ops.gelu(x, approximate="none")
    )
    if kind == "f32":
        quick = hg.fuse(lambda a: ops.gelu(a, approximate="none", accuracy="fast"))
        assert same_bits(quick(x), ops.gelu(x, approximate="none", accuracy="fast"))


@pytest.mark.parametrize("kind", KINDS)
def test_casts(kind: str) -> None:
    x = sample(kind, 300)
    for to in KINDS:
        assert same_bits(
            hg.fuse(lambda x, to: ops.cast(x, to))(x, dtype_of(to)), ops.cast(x, dtype_of(to))
        )


def test_casts_that_were_called_before() -> None:
    x = sample("f32", 300)
    wanted = ops.cast(x, np.int32)
    assert same_bits(ops.cast(x, np.int32), wanted)
    fused = hg.fuse(lambda x: ops.cast(x, np.int32))
    for _ in range(2):
        assert same_bits(fused(x), wanted)
        assert same_bits(ops.cast(x, np.int32), wanted)


def test_operations_that_are_no_steps() -> None:
    two = ("gemm", "matmul", "matvec", "dot", "mse", "cross_entropy", "binary_cross_entropy")
    names = set(ops.__all__) - set(FORMS) - {"path"}
    assert names > {*two, "prod", "argmax", "softmax", "transpose", "fill"}
    for name in names:
        op = getattr(ops, name)
        count = 2 if name in two or name == "fill" else 3 if name == "layer_norm" else 1
        function = _with_parameters(op, count, 0)
        with pytest.raises(hg.ArgumentError) as caught:
            hg.fuse(function)(*[X] * count)
        assert caught.value.message.endswith(
            ": no step of a fused function; call it before or after"
        ), caught.value.message
    with pytest.raises(hg.ArgumentError) as caught:
        hg.fuse(lambda x: ops.prod(x, axis=0))(X)
    assert caught.value.message == "prod: no step of a fused function; call it before or after"


# ---- Chains

UNARY = {
    "float": (
        *("abs", "neg", "relu", "floor", "ceil", "round", "sqrt", "exp", "tanh", "sigmoid"),
        *("sin", "log", "erf", "silu", "gelu", "softplus", "elu", "leaky_relu", "rsqrt"),
    ),
    "integer": ("relu",),
}
BINARY = ("add", "sub", "mul", "minimum", "maximum")


def random_chain(kind: str, seed: int, inputs: int):
    """A function of `inputs` arrays and a number, of operations of hologram.ops alone, so that it
    can be run on arrays as it stands."""
    random = np.random.default_rng([seed, CODES[kind]])
    family = "float" if kind in FLOATS else "integer"
    other = {"f32": "f64", "f64": "f32", "f16": "f32", "bf16": "f32"}.get(kind, "i64")
    steps: list[tuple[str, int, int, float]] = []
    for _ in range(int(random.integers(3, 12))):
        choice = random.random()
        a, b = (int(v) for v in random.integers(0, inputs + len(steps), 2))
        if choice < 0.35:
            steps.append((str(random.choice(UNARY[family])), a, b, 0.0))
        elif choice < 0.75:
            steps.append(
                (str(random.choice(BINARY + (("div",) if family == "float" else ()))), a, b, 0)
            )
        elif choice < 0.85:
            steps.append(
                (str(random.choice(("number", "literal"))), a, b, float(random.integers(1, 9)))
            )
        elif choice < 0.95:
            steps.append(("clip", a, b, 0.0))
        else:
            steps.append(("cast", a, b, 0.0))

    def chain(values, number):
        values = list(values)
        for name, a, b, constant in steps:
            if name in BINARY or name == "div":
                made = getattr(ops, name)(values[a], values[b])
            elif name == "number":
                made = ops.mul(number, values[a])
            elif name == "literal":
                made = ops.sub(int(constant) if family == "integer" else constant, values[a])
            elif name == "clip":
                made = ops.clip(values[a], 2, number)
            elif name == "cast":
                made = ops.cast(ops.cast(values[a], dtype_of(other)), dtype_of(kind))
            else:
                made = getattr(ops, name)(values[a])
            values.append(made)
        return values[-1], values[-2]

    return chain


@pytest.mark.parametrize("kind", KINDS)
def test_random_chains_have_the_bits_of_the_operations(kind: str) -> None:
    for seed in range(12):
        chain = random_chain(kind, seed, 2)
        fused = hg.fuse(lambda x, y, a, chain=chain: chain((x, y), a))
        for size in (1, 77, 1037):
            x, y = sample(kind, size, 1), sample(kind, size, 2)
            found = fused(x, y, 7)
            wanted = chain((x, y), 7)
            assert isinstance(found, tuple)
            for got, want in zip(found, wanted, strict=True):
                assert same_bits(got, want), (kind, seed, size, fused.circuit(x, y, 7))


@hg.fuse
def saxpy_relu(x, y, a):
    """relu(a x + y)"""
    return ops.relu(a * x + y)


def test_operators_are_operations() -> None:
    x, y = sample("f32", 500, 1), sample("f32", 500, 2)
    assert same_bits(saxpy_relu(x, y, 2.5), ops.relu(ops.add(ops.mul(x, 2.5), y)))
    fused = hg.fuse(lambda x, y: (2 - x) / y + abs(-x) ** 2.0 - 1 * x)
    wanted = ops.div(ops.sub(2, x), y)
    wanted = ops.add(wanted, ops.pow(ops.abs(ops.neg(x)), 2.0))
    assert same_bits(fused(x, y), ops.sub(wanted, ops.mul(x, 1)))
    assert same_bits(hg.fuse(lambda a: np.float32(3) * a)(x), ops.mul(x, 3))


def test_comparisons_and_conditions() -> None:
    for kind in ("f32", "i32", "u8", "f16"):
        x, y = sample(kind, 700, 1), sample(kind, 700, 2)
        y[::3] = x[::3]
        fused = hg.fuse(lambda x, y: (x < y, x <= y, x > y, x >= y, x == y, x != y))
        wanted = (x < y, x <= y, x > y, x >= y, x == y, x != y)
        for got, want in zip(fused(x, y), wanted, strict=True):
            assert same_bits(got, want)
        mixed = hg.fuse(lambda x, y, m: ops.where(~(x < y) & m | (x == y), x, y))
        m = x > 1
        assert same_bits(mixed(x, y, m), ops.where(~(x < y) & m | (x == y), x, y))
        assert same_bits(hg.fuse(lambda x: ops.where(x > 1, 1, x))(x), ops.where(m, 1, x))
    z = sample("u32", 99)
    assert same_bits(hg.fuse(lambda z: ~z ^ (z & 255))(z), ~z ^ (z & 255))


# ---- Arguments

X = np.linspace(-2, 2, 24, dtype=np.float32)


def test_column_major_arrays_give_column_major_results() -> None:
    a, b = np.asfortranarray(X.reshape(4, 6)), np.asfortranarray(X.reshape(4, 6) + 1)
    both = hg.fuse(lambda a, b: (a * b, a > b))
    product, larger = both(a, b)
    assert np.array_equal(product, a * b)
    assert np.array_equal(larger, a > b)
    assert product.flags.f_contiguous
    assert larger.flags.f_contiguous
    assert not product.flags.c_contiguous
    cube = X.reshape(2, 3, 4).T
    assert same_bits(hg.fuse(lambda x: x + 1)(cube), np.asarray(ops.add(cube, 1)))
    # One that is both, and one alone.
    assert hg.fuse(lambda x: x + 1)(X.reshape(24, 1)).flags.c_contiguous
    out = np.empty((4, 6), np.float32, order="F")
    assert hg.fuse(lambda a: a + 1)(a, out=out) is out
    for call in (
        lambda: both(a, np.ascontiguousarray(b)),
        lambda: hg.fuse(lambda a: ops.sum(a))(a),
        lambda: hg.fuse(lambda a, r: a + r)(a, X[:6]),
        lambda: hg.fuse(lambda a: a + 1)(a, out=np.empty((4, 6), np.float32)),
    ):
        with pytest.raises(hg.ArgumentError, match="'(a|b|out)' has gaps or another order"):
            call()


def test_out_may_be_an_input_that_is_not_read() -> None:
    for function in (
        lambda x, y: y + 1,
        lambda x, y: y,
        lambda x, y: ops.where(x == x, y, y),
    ):
        x = X.copy()
        fused = hg.fuse(function)
        assert fused(x, X, out=x) is x
        assert same_bits(x, fused(np.zeros_like(X), X))
    with pytest.raises(hg.ArgumentError, match="'out' overlaps 'x'"):
        hg.fuse(lambda x, y: y + 1)(x[:12], X[:12], out=x[6:18])


def test_out_and_shapes() -> None:
    for shape in ((24,), (4, 6), (2, 3, 4), ()):
        x = X[0] if shape == () else X.reshape(shape)
        x = np.array(x)
        fused = hg.fuse(lambda x: x * 3)
        out = np.zeros(shape, np.float32)
        assert fused(x, out=out) is out
        assert same_bits(fused(x), out)
        assert same_bits(out, np.asarray(ops.mul(x, 3)))
    turned = X.reshape(4, 6).T
    assert np.array_equal(hg.fuse(lambda x: x + 1)(turned, out=np.empty_like(turned)), turned + 1)
    x = X.copy()
    assert saxpy_relu(x, x, 1.0, out=x) is x
    assert np.array_equal(x, np.maximum(X + X, 0))
    assert hg.fuse(lambda x: x + 1)(np.empty((0, 3), np.float32)).shape == (0, 3)
    first, second = np.empty_like(X), np.empty(24, np.float64)
    both = hg.fuse(lambda x: (x + 1, ops.cast(x, "f64")))
    given = both(X, out=(first, second))
    assert given[0] is first
    assert given[1] is second
    assert np.array_equal(first, X + 1)
    assert np.array_equal(second, X.astype(np.float64))


def test_numbers_named_arguments_and_constants() -> None:
    def shift(x, by=1.0, accuracy="precise", twice=False):
        y = ops.exp(x, accuracy=accuracy) + by
        return y + by if twice else y

    fused = hg.fuse(shift)
    for arguments, named in (
        ((X,), {}),
        ((X, 2), {}),
        ((X,), {"by": 2.5}),
        ((X, np.float32(0.5)), {}),
        ((X, np.array(0.5, np.float32)), {"twice": True}),
        ((X,), {"accuracy": "fast"}),
    ):
        by = named.get("by", arguments[1] if len(arguments) > 1 else 1.0)
        wanted = ops.add(ops.exp(X, accuracy=named.get("accuracy", "precise")), by)
        wanted = ops.add(wanted, by) if named.get("twice") else wanted
        assert same_bits(fused(*arguments, **named), wanted)
    # One number as two types.
    two = hg.fuse(lambda x, y, a: ops.cast(x * a, "f64") + y * a)
    y = X.astype(np.float64)
    assert same_bits(two(X, y, 0.1), ops.add(ops.cast(ops.mul(X, 0.1), "f64"), ops.mul(y, 0.1)))


class Bound(tuple):
    """A tuple that is not the tuple of its elements."""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((0.0,), (-0.0,)),
        ((-0.0,), (0.0,)),
        (((1, (0.0,)),), ((1, (-0.0,)),)),
        ((2,), (2.0,)),
        ((1,), (True,)),
        ((0,), (False,)),
        ((1.0,), (np.float32(1),)),
        ((np.float64(0.0),), (np.float64(-0.0),)),
        ((0j,), (complex(0, -0.0),)),
        ((frozenset({0.0}),), (frozenset({-0.0}),)),
        ((2,), Bound((2,))),
        ((Decimal("1.0"),), (Decimal("1.00"),)),
        ((range(0),), (range(1, 1),)),
    ],
)
def test_constants_that_are_equal_are_not_the_same(first, second) -> None:
    assert first == second
    seen = []
    fused = hg.fuse(lambda x, c: seen.append(c) or x + x)
    for constant in (first, second, first, second):
        fused(X, constant)
    assert [repr(c) for c in seen] == [repr(first), repr(second)]
    assert [type(c) for c in seen] == [type(first), type(second)]


def test_constants_that_are_the_same_are_traced_once() -> None:
    class Scale:
        def by(self, x):
            return x * 2.0

    seen = []
    fused = hg.fuse(lambda x, c: seen.append(c) or x + x)
    scale = Scale()
    for _ in range(3):
        fused(X, (1, -0.0, float("nan"), ("a", None, np.float32(2)), frozenset({1.5})))
        fused(X, scale.by)
        fused(X, np.float32)
    assert len(seen) == 3
    # A number that a trace divides by.
    divided = hg.fuse(lambda x, c: x / c[0])
    with np.errstate(all="ignore"):
        assert same_bits(divided(X, (0.0,)), ops.div(X, 0.0))
        assert same_bits(divided(X, (-0.0,)), ops.div(X, -0.0))
    whole = hg.fuse(lambda x, c: x + c[0])
    whole(X.astype(np.int32), (2,))
    with pytest.raises(hg.ArgumentError, match="add: 'b' expects i32, found 2.0"):
        whole(X.astype(np.int32), (2.0,))


def test_bool_is_no_u8() -> None:
    fused = hg.fuse(lambda x: ~x)
    bits, truth = np.array([0, 1, 255], np.uint8), np.array([False, True])
    for _ in range(2):
        assert same_bits(fused(bits), ~bits)
        assert same_bits(fused(truth), ~truth)
    with pytest.raises(hg.ArgumentError) as caught:
        fused(bits, out=np.empty(3, np.bool_))
    assert caught.value.message == "lambda: 'out' has elements of bool, expected uint8"


def test_results_are_what_the_function_returns() -> None:
    for function in (lambda x: (x + 1,), lambda x: [x + 1]):
        fused = hg.fuse(function)
        for _ in range(2):
            (found,) = fused(X)
            assert same_bits(found, ops.add(X, 1))
        out = np.empty_like(X)
        assert fused(X, out=(out,))[0] is out


def test_named_arguments_of_steps() -> None:
    x, y, m = sample("f32", 99, 1), sample("f32", 99, 2), np.arange(99) % 3 == 0
    fused = hg.fuse(lambda x, y, m: ops.where(m, b=ops.copy(x=x), a=ops.add(a=x, b=y)))
    assert same_bits(fused(x, y, m), ops.where(m, ops.add(x, y), x))


def test_equal_circuits_share_a_kernel() -> None:
    def other(x, y, a):
        product = x * a
        unused = product * product  # noqa: F841
        return ops.where(product + y <= 0, 0.0, y + product)

    fused = hg.fuse(other)
    assert same_bits(fused(X, X, 2.0), saxpy_relu(X, X, 2.0))
    assert fused.circuit(X, X, 2.0) == saxpy_relu.circuit(X, X, 2.0)
    before = len(implementation._kernels)
    assert hg.fuse(lambda p, q, r: ops.relu(q + r * p))(X, X, 2.0).shape == X.shape
    assert len(implementation._kernels) == before


def test_the_cache_of_kernels_is_bounded() -> None:
    def plus(k: float):
        return hg.fuse(lambda x: x + k)

    implementation._kernels.clear()
    most = implementation._MOST_KERNELS
    implementation._MOST_KERNELS = 3
    try:
        for k in range(6):
            assert plus(k)(X)[0] == X[0] + k
        assert len(implementation._kernels) == 3
    finally:
        implementation._MOST_KERNELS = most


def test_traces_once_for_a_signature() -> None:
    runs = []

    def counted(x, a):
        runs.append(1)
        return x * a

    fused = hg.fuse(counted)
    for a in (1.0, 2, 3.5):
        fused(X, a)
        fused(X.astype(np.float64), a)
    fused(X.reshape(2, 12), 4.0)
    assert len(runs) == 2


def test_what_it_tells_about_itself() -> None:
    assert saxpy_relu.__name__ == "saxpy_relu"
    assert saxpy_relu.__doc__ == "relu(a x + y)"
    assert repr(saxpy_relu).startswith("<hologram.Fused saxpy_relu: ")
    assert pickle.loads(pickle.dumps(saxpy_relu)) is saxpy_relu
    assert saxpy_relu.circuit(X, X, 2.0) == (
        "(f32 c00, f32 c01, f32 $a) -> (f32 c02) over n merge:mul@c00[$a,c03] . "
        "merge@c01[c03,c03] . merge:le@c03[#0.0,c04] . merge:select@c04[#0.0,c03,c02]"
    )
    path = saxpy_relu.path()
    assert path == saxpy_relu.path(X, X, 1.0)
    wanted = os.environ.get("HOLOGRAM_TEST_FUSION_PATH", "")
    assert path.startswith(wanted or ("native", "interpreter"))


def test_threads() -> None:
    fused = hg.fuse(lambda x, y: ops.tanh(x * y) + x)
    x, y = sample("f32", 60_000, 1), sample("f32", 60_000, 2)
    wanted = ops.add(ops.tanh(ops.mul(x, y)), x)
    wrong = []

    def work() -> None:
        for _ in range(20):
            if not same_bits(fused(x, y), wanted):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# ---- Errors

I32 = np.arange(24, dtype=np.int32)


ERRORS = {
    "condition": (
        lambda: hg.fuse(lambda x: x if x > 0 else -x)(X),
        "lambda: 'gt(...)' is traced: no condition on values; write hg.ops.where(condition, a, b), "
        "and & | ~ for and, or, not",
    ),
    "numpy": (
        lambda: hg.fuse(lambda x: np.exp(x))(X),
        "lambda: 'x' is traced: no numpy.exp; write the operation of hologram.ops",
    ),
    "index": (
        lambda: hg.fuse(lambda x: x[1:])(X),
        "lambda: 'x' is traced: no index; slice the arrays before the call",
    ),
    "reduction": (
        lambda: hg.fuse(lambda x: ops.softmax(x))(X),
        "softmax: no step of a fused function; call it before or after",
    ),
    "types": (
        lambda: saxpy_relu(X, X.astype(np.float64), 1.0),
        "add: 'b' is f64 and 'a' is f32; hologram.ops.cast gives them one type",
    ),
    "type": (
        lambda: hg.fuse(lambda x: ops.exp(x))(I32),
        "exp: 'x' is i32, which has no such operation; expected f32, f64, f16, bf16",
    ),
    "number": (
        lambda: hg.fuse(lambda x: x + 2.5)(I32),
        "add: 'b' expects i32, found 2.5",
    ),
    "given number": (
        lambda: hg.fuse(lambda x, a: x + a)(I32, 2.5),
        "lambda: 'a' expects i32, found 2.5",
    ),
    "division": (
        lambda: hg.fuse(lambda x: x / 2)(I32),
        "lambda: 'x' is i32, which / does not divide; hg.ops.div divides integers, rounding "
        "towards zero",
    ),
    "two numbers": (
        lambda: hg.fuse(lambda x, a, b: x * (a * b))(X, 1.0, 2.0),
        "mul: 'a' is a number, and so is what it meets; compute with numbers before the call, or "
        "with an array first, as in (x * a) * b",
    ),
    "shapes": (
        lambda: saxpy_relu(X, X[:3], 1.0),
        "saxpy_relu: the arrays of a fused function have one shape, or are a row of it or a "
        "column, found 'x' (24,), 'y' (3,); numpy.broadcast_to(x, shape).copy() gives one",
    ),
    "gaps": (
        lambda: saxpy_relu(X[::2], X[:12], 1.0),
        "saxpy_relu: 'x' has gaps or another order of its elements than the other arrays or "
        "the result; a fused function takes arrays of one layout, without gaps; "
        "hologram.ops.copy makes one",
    ),
    "overlap": (
        lambda: saxpy_relu(X[:8], X[:8], 1.0, out=X[4:12]),
        "saxpy_relu: 'out' overlaps 'x', and is not the same array",
    ),
    "two results at one place": (
        lambda: hg.fuse(lambda x: (x + 1.0, x - 1.0))(X, out=(X2 := np.empty_like(X), X2)),
        "lambda: two results in 'out' share memory",
    ),
    "ambiguous type": (
        lambda: hg.fuse(lambda x: ops.cast(x, "u8"))(X),
        "cast: 'dtype' 'u8' has 8 bits here and 8 bytes in NumPy; say np.uint8 or np.uint64",
    ),
    "no array": (
        lambda: saxpy_relu(1.0, 2.0, 3.0),
        "saxpy_relu: expected an array among the arguments",
    ),
    "returns": (
        lambda: hg.fuse(lambda x: 3)(X),
        "lambda: returns 3, which it has not computed",
    ),
    "out in the trace": (
        lambda: hg.fuse(lambda x: ops.exp(x, out=x))(X),
        "exp: no out= in a fused function, which takes one itself",
    ),
    "captured array": (
        lambda: hg.fuse(lambda x: x + X)(X),
        "add: 'b' is neither an argument of lambda nor a number; arrays are passed as arguments, "
        "and numbers of another type are cast",
    ),
    "out type": (
        lambda: saxpy_relu(X, X, 1.0, out=np.empty(24)),
        "saxpy_relu: 'out' has elements of float64, expected float32",
    ),
    "missing": (
        lambda: saxpy_relu(X, X),
        "saxpy_relu: missing a required argument: 'a'",
    ),
    "division by zero": (
        lambda: hg.fuse(lambda x, y: ops.div(x, y))(I32, I32),
        None,
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str) -> None:
    run, message = ERRORS[name]
    with pytest.raises(hg.Error) as caught:
        run()
    if message is None:
        assert isinstance(caught.value, hg.FaultError)
    else:
        assert isinstance(caught.value, hg.ArgumentError)
        assert caught.value.message == message
