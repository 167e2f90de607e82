"""hologram.compat: the names of the earlier package, against NumPy."""

from __future__ import annotations

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

import hologram.compat as hologram  # noqa: E402
from hologram.compat import ops  # noqa: E402


def buffer(executor, values):
    made = executor.allocate(len(values))
    made.from_numpy(np.array(values, np.float32))
    return made


@pytest.fixture
def executor():
    with hologram.Executor() as made:
        yield made


BINARY = {
    "vector_add": np.add,
    "vector_sub": np.subtract,
    "vector_mul": np.multiply,
    "vector_div": np.divide,
    "vector_min": np.minimum,
    "vector_max": np.maximum,
}
UNARY = {
    "vector_abs": np.abs,
    "vector_neg": np.negative,
    "vector_relu": lambda x: np.maximum(x, 0),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "tanh": np.tanh,
    "gelu": lambda x: x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))) / 2,
    "softmax": lambda x: np.exp(x - x.max()) / np.exp(x - x.max()).sum(),
}
A = np.array([1.5, -2, 3, 0.25, -1, 7], np.float32)
B = np.array([2, 4, -0.5, 1, 1], np.float32)


@pytest.mark.parametrize("name", BINARY)
def test_two_operands_of_different_sizes(executor, name: str) -> None:
    out = executor.allocate(9)
    out.fill(42)
    getattr(ops, name)(executor, buffer(executor, A), buffer(executor, B), out)
    assert np.allclose(out.to_numpy()[:5], BINARY[name](A[:5], B))
    assert (out.to_numpy()[5:] == 42).all()


@pytest.mark.parametrize("name", UNARY)
def test_one_operand(executor, name: str) -> None:
    out = executor.allocate(6)
    getattr(ops, name)(executor, buffer(executor, A), out)
    assert np.allclose(out.to_numpy(), UNARY[name](A.astype(np.float64)), atol=1e-6)


def test_scalars(executor) -> None:
    a, out = buffer(executor, A), executor.allocate(6)
    ops.scalar_add(executor, a, out, 2.5)
    assert np.array_equal(out.to_numpy(), A + np.float32(2.5))
    ops.scalar_mul(executor, a, out, 2.5)
    assert np.array_equal(out.to_numpy(), A * np.float32(2.5))
    ops.vector_clip(executor, a, out, -1, 2)
    assert np.array_equal(out.to_numpy(), np.clip(A, -1, 2))


def test_reductions_and_losses(executor) -> None:
    a, out = buffer(executor, A), executor.allocate(3)
    out.fill(7)
    assert ops.reduce_sum(executor, a, out) == A.sum()
    assert ops.reduce_min(executor, a, out) == -2
    assert ops.reduce_max(executor, a, out) == 7
    assert out.to_numpy().tolist() == [7, 7, 7]
    p, t = buffer(executor, [0.25, 0.5, 0.9]), buffer(executor, [0, 1, 1])
    x, y = p.to_numpy().astype(np.float64), t.to_numpy()
    assert ops.mse_loss(executor, p, t, out) == pytest.approx(((x - y) ** 2).mean())
    wanted = -(y * np.log(x)).mean()
    assert ops.cross_entropy_loss(executor, p, t, out) == pytest.approx(wanted)
    wanted = -(y * np.log(x) + (1 - y) * np.log(1 - x)).mean()
    assert ops.binary_cross_entropy_loss(executor, p, t, out) == pytest.approx(wanted)
    for name in ("reduce_sum", "reduce_min", "reduce_max"):
        with pytest.raises(ValueError, match="at least 3 elements"):
            getattr(ops, name)(executor, a, executor.allocate(2))
    with pytest.raises(ValueError, match="at least 3 elements"):
        ops.mse_loss(executor, p, t, executor.allocate(2))


def test_products_that_are_not_square(executor) -> None:
    random = np.random.default_rng(1)
    m, n, k = 16, 12, 8
    x, y = random.random((m, k), np.float32), random.random((k, n), np.float32)
    a, b, out = buffer(executor, x.ravel()), buffer(executor, y.ravel()), executor.allocate(m * n)
    ops.gemm(executor, a, b, out, m, n, k)
    assert np.allclose(out.to_numpy().reshape(m, n), x @ y)
    v = executor.allocate(m)
    ops.matvec(executor, a, buffer(executor, y[:, 0]), v, m, k)
    assert np.allclose(v.to_numpy(), x @ y[:, 0])
    with pytest.raises(ValueError, match="a has 128 elements, 16 x 12 needs 192"):
        ops.gemm(executor, a, b, out, m, n, 12)


def test_all_24_operations_are_there() -> None:
    names = [
        name
        for name, value in vars(ops).items()
        if callable(value) and not name.startswith("_") and value.__module__ == ops.__name__
    ]
    assert len(names) == 24


def test_buffers(executor) -> None:
    a = executor.allocate(4)
    assert (a.size, len(a), a.nbytes, a.dtype) == (4, 4, 16, np.float32)
    a.fill(2.5)
    b = executor.allocate(4, dtype=np.float32)
    b.copy_from(a)
    assert b.to_numpy().tolist() == [2.5] * 4
    b.from_bytes(np.arange(4, dtype=np.float32).tobytes())
    assert np.frombuffer(b.to_bytes(), np.float32).tolist() == [0, 1, 2, 3]
    assert executor.allocate_boundary(95, 48, 64).size == 48 * 16
    for call in (
        lambda: b.from_numpy(np.zeros(4)),
        lambda: b.from_numpy(np.zeros(3, np.float32)),
        lambda: b.from_bytes(b"123"),
        lambda: b.copy_from(executor.allocate(3)),
    ):
        with pytest.raises(ValueError, match="doesn't match"):
            call()
    for size in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match="expected a positive number"):
            executor.allocate(size)
    with pytest.raises(ValueError, match="float64"):
        executor.allocate(3, np.float64)
    with pytest.raises(ValueError, match="class 95 has a buffer already"):
        executor.allocate_boundary(95, 48, 64)
    with pytest.raises(ValueError, match="width: expected 1 to 48 pages, found 49"):
        executor.allocate_boundary(94, 49, 1)
    with pytest.raises(ValueError, match="0 to 95"):
        executor.allocate_boundary(96, 1, 1)
    a.free()
    a.free()
    with pytest.raises(RuntimeError, match="freed"):
        a.to_numpy()
    executor.cleanup()
    with pytest.raises(RuntimeError, match="freed"):
        len(b)
    assert executor.allocate_boundary(95, 1, 4).size == 1


def test_backends() -> None:
    assert hologram.Executor("cpu").backend == hologram.Executor("auto").backend == "cpu"
    assert hologram.backend.get_default_backend() == "cpu"
    assert hologram.backend.validate_backend(hologram.BackendType.CPU) == "cpu"
    assert not hologram.backend.is_cuda_available()
    assert not hologram.backend.is_metal_available()
    with pytest.raises(ValueError, match="Invalid backend 'tpu'"):
        hologram.Executor("tpu")
    for name in ("metal", "cuda"):
        with pytest.raises(RuntimeError, match="not available"):
            hologram.Executor(name)
