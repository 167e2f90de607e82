"""The 24 operations on buffers. Each works on as many elements as all of its buffers have, those of
the output behind them stay. Reductions and losses write element 0 of an output of at least 3
elements, and return it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hologram import ops

if TYPE_CHECKING:
    from collections.abc import Callable

    from hologram.compat import Buffer, Executor

    Elementwise = Callable[..., object]


def _elements(operation: Elementwise, buffers: tuple[Buffer, ...], *scalars: float) -> None:
    n = min(buffer.size for buffer in buffers)
    *inputs, out = (buffer.elements[:n] for buffer in buffers)
    operation(*inputs, *scalars, out=out)


def vector_add(executor: Executor, a: Buffer, b: Buffer, out: Buffer) -> None:
    """out = a + b"""
    _elements(ops.add, (a, b, out))


def vector_sub(executor: Executor, a: Buffer, b: Buffer, out: Buffer) -> None:
    """out = a - b"""
    _elements(ops.sub, (a, b, out))


def vector_mul(executor: Executor, a: Buffer, b: Buffer, out: Buffer) -> None:
    """out = a * b"""
    _elements(ops.mul, (a, b, out))


def vector_div(executor: Executor, a: Buffer, b: Buffer, out: Buffer) -> None:
    """out = a / b"""
    _elements(ops.div, (a, b, out))


def vector_min(executor: Executor, a: Buffer, b: Buffer, out: Buffer) -> None:
    """out = the smaller of a and b; a number comes before NaN"""
    _elements(ops.minimum, (a, b, out))


def vector_max(executor: Executor, a: Buffer, b: Buffer, out: Buffer) -> None:
    """out = the larger of a and b; a number comes before NaN"""
    _elements(ops.maximum, (a, b, out))


def vector_abs(executor: Executor, a: Buffer, out: Buffer) -> None:
    """out = |a|"""
    _elements(ops.abs, (a, out))


def vector_neg(executor: Executor, a: Buffer, out: Buffer) -> None:
    """out = -a"""
    _elements(ops.neg, (a, out))


def vector_relu(executor: Executor, a: Buffer, out: Buffer) -> None:
    """out = a where a > 0, else 0; NaN gives NaN"""
    _elements(ops.relu, (a, out))


def vector_clip(executor: Executor, a: Buffer, out: Buffer, low: float, high: float) -> None:
    """out = min(max(a, low), high)"""
    _elements(ops.clip, (a, out), low, high)


def scalar_add(executor: Executor, a: Buffer, out: Buffer, scalar: float) -> None:
    """out = a + scalar"""
    _elements(ops.scalar_add, (a, out), scalar)


def scalar_mul(executor: Executor, a: Buffer, out: Buffer, scalar: float) -> None:
    """out = a * scalar"""
    _elements(ops.scalar_mul, (a, out), scalar)


def sigmoid(executor: Executor, a: Buffer, out: Buffer) -> None:
    """out = 1 / (1 + e^-a)"""
    _elements(ops.sigmoid, (a, out))


def tanh(executor: Executor, a: Buffer, out: Buffer) -> None:
    """out = tanh(a)"""
    _elements(ops.tanh, (a, out))


def gelu(executor: Executor, a: Buffer, out: Buffer) -> None:
    """out = a * (1 + tanh(sqrt(2 / pi) * (a + 0.044715 a^3))) / 2"""
    _elements(ops.gelu, (a, out))


def softmax(executor: Executor, a: Buffer, out: Buffer) -> None:
    """out = softmax of all elements"""
    n = min(a.size, out.size)
    out.elements[:n] = ops.softmax(a.elements[:n])


def _one(out: Buffer, value: Any) -> float:
    if out.size < 3:
        raise ValueError(f"the output has {out.size} elements, it needs at least 3 elements")
    out.elements[0] = value
    return float(out.elements[0])


def reduce_sum(executor: Executor, a: Buffer, out: Buffer) -> float:
    """out[0] = the sum of all elements, which is returned. Raises ValueError."""
    return _one(out, ops.sum(a.elements))


def reduce_min(executor: Executor, a: Buffer, out: Buffer) -> float:
    """out[0] = the smallest element, which is returned. Raises ValueError."""
    return _one(out, ops.min(a.elements))


def reduce_max(executor: Executor, a: Buffer, out: Buffer) -> float:
    """out[0] = the largest element, which is returned. Raises ValueError."""
    return _one(out, ops.max(a.elements))


def _loss(
    operation: Callable[[Any, Any], Any], prediction: Buffer, target: Buffer, out: Buffer
) -> float:
    n = min(prediction.size, target.size)
    return _one(out, operation(prediction.elements[:n], target.elements[:n]))


def mse_loss(executor: Executor, prediction: Buffer, target: Buffer, out: Buffer) -> float:
    """out[0] = the mean of (prediction - target)^2, which is returned. Raises ValueError."""
    return _loss(ops.mse, prediction, target, out)


def cross_entropy_loss(
    executor: Executor, prediction: Buffer, target: Buffer, out: Buffer
) -> float:
    """out[0] = the mean of -target * log(max(prediction, 1e-7)), which is returned. Raises
    ValueError."""
    return _loss(ops.cross_entropy, prediction, target, out)


def binary_cross_entropy_loss(
    executor: Executor, prediction: Buffer, target: Buffer, out: Buffer
) -> float:
    """out[0] = the mean of -(target log(prediction) + (1 - target) log(1 - prediction)), both
    logarithms of 1e-7 at least, which is returned. Raises ValueError."""
    return _loss(ops.binary_cross_entropy, prediction, target, out)


def _matrix(name: str, buffer: Buffer, rows: int, columns: int) -> Any:
    if rows <= 0 or columns <= 0:
        raise ValueError(f"{name}: expected positive sizes, found {rows} x {columns}")
    if buffer.size < rows * columns:
        raise ValueError(
            f"{name} has {buffer.size} elements, {rows} x {columns} needs {rows * columns}"
        )
    return buffer.elements[: rows * columns].reshape(rows, columns)


def gemm(  # noqa: PLR0913
    executor: Executor, a: Buffer, b: Buffer, out: Buffer, m: int, n: int, k: int
) -> None:
    """out[m, n] = a[m, k] b[k, n]. Raises ValueError."""
    ops.gemm(_matrix("a", a, m, k), _matrix("b", b, k, n), out=_matrix("out", out, m, n))


def matvec(  # noqa: PLR0913
    executor: Executor, a: Buffer, x: Buffer, out: Buffer, m: int, n: int
) -> None:
    """out[m] = a[m, n] x[n]. Raises ValueError."""
    matrix = _matrix("a", a, m, n)
    vector = _matrix("x", x, 1, n)[0]
    ops.matvec(matrix, vector, out=_matrix("out", out, 1, m)[0])
