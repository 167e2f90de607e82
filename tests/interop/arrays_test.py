"""Arrays of NumPy 2, PyTorch and JAX: in and out without a copy, types, arrays that are read-only.
Run by scripts/interop.sh."""

from __future__ import annotations

import ctypes
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
import torch

import hologram as hg
from hologram import ops
from hologram.lang import DeviceArray, bf16, f32, get_global_id, u32
from hologram.ops.arrays import read

LIBRARIES = ("numpy", "torch", "jax")
N = 1000


@hg.kernel
def double(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = x[i] + x[i]


@hg.kernel
def double_brains(x: DeviceArray[bf16], y: DeviceArray[bf16], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = x[i] + x[i]


@hg.fuse
def fused(x, y):
    return ops.relu(x - y)


def made(library: str, values: np.ndarray) -> Any:
    if library == "torch":
        return torch.from_numpy(values.copy())
    return jnp.asarray(values) if library == "jax" else values.copy()


def address(array: Any) -> int:
    if isinstance(array, torch.Tensor):
        return array.data_ptr()
    if isinstance(array, jax.Array):
        return array.unsafe_buffer_pointer()
    return array.ctypes.data


def aligned(n: int) -> np.ndarray:
    """float32 at a multiple of 64 bytes, which JAX asks of what it takes without a copy."""
    memory = np.zeros(n + 16, np.float32)
    first = -memory.ctypes.data % 64 // 4
    return memory[first : first + n]


VALUES = np.linspace(-3, 3, N, dtype=np.float32)


def test_it_is_numpy_2() -> None:
    assert np.lib.NumpyVersion(np.__version__) >= "2.0.0"


@pytest.mark.parametrize("library", LIBRARIES)
def test_in_without_a_copy(library: str) -> None:
    x = made(library, VALUES)
    assert read("test", "x", x).ctypes.data == address(x)
    # Kernels read them another way: that the output lies in the input's memory, four bytes further,
    # can be seen at the addresses alone.
    memory = (ctypes.c_float * N).from_address(address(x))
    inside = np.ctypeslib.as_array(memory)[1:]
    with pytest.raises(hg.ArgumentError, match="overlap|share"):
        double(x, inside, N - 1)
    for result in (ops.exp(x), fused(x, x), ops.sum(x)):
        assert isinstance(result, (np.ndarray, np.generic))
    assert np.array_equal(ops.add(x, x), VALUES + VALUES)


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_into_memory_of_others(library: str) -> None:
    x, out = made(library, VALUES), made(library, np.zeros_like(VALUES))
    before = address(out)
    double(x, out, N)
    assert np.array_equal(np.asarray(out), VALUES + VALUES)
    assert ops.exp(x, out=out) is out
    assert np.array_equal(np.asarray(out), ops.exp(VALUES))
    assert fused(x, out, out=out) is out
    assert np.array_equal(np.asarray(out), ops.relu(VALUES - ops.exp(VALUES)))
    assert ops.sum(made(library, VALUES.reshape(10, -1)), 1, out=out[:10]).shape == (10,)
    assert np.array_equal(np.asarray(out[:10]), ops.sum(VALUES.reshape(10, -1), 1))
    assert address(out) == before


def test_out_without_a_copy() -> None:
    made_here = ops.exp(VALUES)
    assert np.from_dlpack(made_here).ctypes.data == address(made_here)
    assert torch.from_dlpack(made_here).data_ptr() == address(made_here)
    assert torch.from_numpy(made_here).data_ptr() == address(made_here)
    place = aligned(N)
    assert ops.exp(VALUES, out=place) is place
    theirs = jnp.from_dlpack(place)
    assert address(theirs) == address(place)
    assert np.array_equal(np.asarray(theirs), made_here)


def test_read_only_arrays_of_jax_are_no_outputs() -> None:
    x, out = made("jax", VALUES), made("jax", np.ones_like(VALUES))
    for call in (
        lambda: ops.exp(x, out=out),
        lambda: fused(x, x, out=out),
        lambda: ops.sum(x.reshape(10, -1), 1, out=out[:10]),
        lambda: double(x, out, N),
    ):
        with pytest.raises(hg.ArgumentError, match="read-only|written"):
            call()
    assert np.array_equal(np.asarray(out), np.ones_like(VALUES))


TAKEN = {
    "torch": ["float32", "float64", "float16", "int8", "int16", "int32", "int64", "uint8"],
    "jax": ["float32", "float16", "int8", "int16", "int32", "uint8", "uint16", "uint32"],
}
TAKEN["numpy"] = [*TAKEN["torch"], "uint16", "uint32", "uint64"]


@pytest.mark.parametrize(("library", "name"), [(k, n) for k in TAKEN for n in TAKEN[k]])
def test_types_that_are_taken(library: str, name: str) -> None:
    values = np.arange(60, dtype=name)
    x = made(library, values)
    result = ops.add(x, x)
    assert result.dtype == values.dtype
    assert np.array_equal(result, values + values)
    assert np.array_equal(hg.fuse(lambda x: x + x)(x), result)


@pytest.mark.parametrize("library", ["torch", "jax"])
@pytest.mark.parametrize("name", ["bool", "complex64", "bfloat16", "float8_e5m2"])
def test_types_that_are_refused(library: str, name: str) -> None:
    x = torch.ones(8).to(getattr(torch, name)) if library == "torch" else jnp.ones(8, name)
    with pytest.raises(hg.ArgumentError, match="add: 'a' (has elements of|cannot be read)"):
        ops.add(x, x)


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_bf16(library: str) -> None:
    """Kernels take it as it is, operations as ml_dtypes has it."""
    values = np.linspace(-3, 3, 60).astype(ml_dtypes.bfloat16)
    if library == "torch":
        x = torch.from_numpy(values.view(np.int16)).view(torch.bfloat16)
        view = x.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    else:
        x = jnp.asarray(values)
        view = np.asarray(x)
    out = torch.zeros(60, dtype=torch.bfloat16)
    double_brains(x, out, 60)
    wanted = (values + values).view(np.int16)
    assert np.array_equal(out.view(torch.int16).numpy(), wanted)
    assert address(view) == address(x)
    assert np.array_equal(ops.add(view, view).view(np.int16), wanted)


def test_tensors_with_a_gradient_are_refused() -> None:
    with pytest.raises(hg.ArgumentError, match=r"exp: 'x' cannot be read: .*detach"):
        ops.exp(torch.ones(3, requires_grad=True))


def test_tensors_are_read_by_their_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not by a capsule for each: a call costs less than the operation of PyTorch."""

    def capsule(*_: object, **__: object) -> object:
        raise AssertionError("__dlpack__ was called")

    x, out = made("torch", VALUES), made("torch", np.zeros_like(VALUES))
    fused(VALUES, VALUES), fused(VALUES.reshape(20, 50), VALUES[:50])  # the traces, once
    monkeypatch.setattr(torch.Tensor, "__dlpack__", capsule)
    double(x, out, N)
    assert np.array_equal(out.numpy(), VALUES + VALUES)
    assert ops.mul(x, 3.0, out=out) is out
    assert np.array_equal(out.numpy(), ops.mul(VALUES, 3.0))
    a, b = x.reshape(20, 50), VALUES.reshape(20, 50)
    assert np.array_equal(ops.add(a.T, x[:20]), ops.add(b.T, VALUES[:20]))
    assert fused(x, x, out=out) is out
    assert np.array_equal(out.numpy(), fused(VALUES, VALUES))
    square, rows = torch.empty(20, 20), torch.empty(20, 50)
    assert ops.gemm(a[:, :20].contiguous(), a[:20, :20].contiguous(), out=square) is square
    wanted = ops.gemm(b[:, :20].copy(), b[:20, :20].copy())
    assert np.array_equal(square.numpy(), wanted)
    assert ops.softmax(a, out=rows) is rows
    assert np.array_equal(rows.numpy(), ops.softmax(b))
    for call in (
        lambda x: ops.sum(x),
        lambda x: ops.sum(x, 0),
        lambda x: ops.max(x.T, 1),
        lambda x: ops.mean(x[::2, 3:], -1, keepdims=True),
        lambda x: ops.dot(x[0], x[1]),
        lambda x: ops.softmax(x),
        lambda x: ops.argmax(x, 1),
        lambda x: ops.clip(x, -1.0, 1.0),
        lambda x: fused(x, x[0]),
    ):
        ours, theirs = call(a), call(b)
        assert isinstance(ours, (np.ndarray, np.generic))
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs)


def test_buffers_of_ours_in_other_libraries() -> None:
    executor = hg.Executor()
    c = executor.allocate_boundary(7)
    x, y = torch.from_dlpack(c), jnp.from_dlpack(c)
    assert address(x) == address(y) == address(np.asarray(c))
    x[:] = 2
    assert c.to_vec() == [2.0] * 3072
    assert ops.add(c, x, out=c) is c
    assert x[3071] == 4
    b = executor.allocate(3, "bf16")
    torch.from_dlpack(b)[:] = 1.5
    assert b.to_vec() == [1.5] * 3
    del c
    assert executor.num_free_classes == 95
    del x, y
    assert executor.num_free_classes == 96


class Other(torch.Tensor):
    """A tensor with an export of its own, which the table of its base does not know."""

    def __dlpack__(self, **_: object) -> object:  # type: ignore[override]
        raise BufferError("not this one")


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (torch.ones(N, requires_grad=True), "detach"),
        (torch.nn.Parameter(torch.ones(N)), "detach"),
        (torch.ones(N, device="meta"), "meta"),
        (torch.ones(N).to_sparse(), "layout"),
        (torch._efficientzerotensor((N,)), "no memory"),
        (torch.ones(N).as_subclass(Other), "not this one"),
        (torch._neg_view(torch.ones(N)), "resolve_neg"),
        (torch._neg_view(torch.ones(N, dtype=torch.int32)), "resolve_neg"),
        (torch.ones(N, dtype=torch.complex64).conj(), "conjugate|elements|complex"),
    ],
)
def test_tensors_that_are_refused(x: torch.Tensor, message: str) -> None:
    out = torch.zeros(N)
    with pytest.raises(hg.ArgumentError, match=message):
        double(x, out, N)
    assert not out.any()
    with pytest.raises(hg.ArgumentError, match=message):
        ops.exp(x, out=out)


def test_negated_results_and_bf16_of_operations_are_refused() -> None:
    ones = torch.ones(N)
    for out in (torch._neg_view(torch.zeros(N)), torch.zeros(N, dtype=torch.complex64).conj().imag):
        with pytest.raises(hg.ArgumentError, match="resolve_neg"):
            ops.exp(ones, out=out)
        assert not out.any()
    with pytest.raises(hg.ArgumentError, match="bfloat16 comes by way of NumPy, as ml_dtypes"):
        ops.exp(ones.to(torch.bfloat16))


def test_views_of_pytorch() -> None:
    x = torch.from_numpy(VALUES.copy().reshape(20, 50))
    for view in (x.T, x[::2, 3:], x[:, 7], x[0, 0]):
        assert np.array_equal(ops.exp(view), ops.exp(view.numpy()))
