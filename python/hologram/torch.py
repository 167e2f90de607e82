"""Operations of hologram.ops for PyTorch: custom operators with gradients, for CPU tensors.

    import hologram.torch as ht

    y = ht.gelu(x)                  # also torch.ops.hologram.gelu(x)
    ht.matmul(a, b).sum().backward()
    torch.compile(lambda x: ht.softmax(x, -1) * 2)(x)

The operators are defined by torch.library: they have fake kernels, so torch.compile and
torch.export take them as they are, and gradients, made of operators of PyTorch, for floats: those
of PyTorch's own functions, of float16 computed in float32. There is no forward mode: torch.func.jvp
and dual tensors raise NotImplementedError; torch.func.grad is refused by PyTorch. Tensors
are read where they are, whatever their strides (softmax along another dimension than the last and
mse_loss copy those with gaps), and results are the bits of hologram.ops
(docs/ops.md): float32, float64, float16, and integers where the operation has them; other types
raise hologram.ArgumentError, other devices NotImplementedError. Both operands of an operation have
one type and one device; shapes are broadcast. Sums of integers have 64 bits. Thread-safe. Importing
this module imports PyTorch.
"""

from __future__ import annotations

import builtins
import functools
from typing import TYPE_CHECKING, Any

import torch

from hologram import ops
from hologram.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    # Of a gradient: (what was saved, the gradient of the result) -> that of each operand.
    Backward = Callable[[Any, Tensor], Tensor | tuple[Tensor, ...]]
    # (the gradient of the result, what was saved) -> that of the operand.
    Unary = Callable[[Tensor, Tensor], Tensor]
    # (the gradient of the result, both operands) -> that of each operand.
    Binary = Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]

__all__ = [
    "abs",
    "add",
    "cos",
    "div",
    "erf",
    "exp",
    "gelu",
    "gelu_erf",
    "log",
    "matmul",
    "maximum",
    "minimum",
    "mse_loss",
    "mul",
    "neg",
    "relu",
    "sigmoid",
    "silu",
    "sin",
    "softmax",
    "softplus",
    "sqrt",
    "sub",
    "sum",
    "tanh",
]


class _Library(torch.library.Library):  # type: ignore[misc]
    """Operators whose gradients refuse forward mode, which has no rule and would give tangents of
    0 without a word."""

    def impl(self, op_name: Any, fn: Any, dispatch_key: str = "", **options: Any) -> None:
        kernel = fn
        if dispatch_key == "Autograd":

            def kernel(*arguments: Any, **named: Any) -> Any:
                for value in arguments:
                    if isinstance(value, torch.Tensor) and (
                        torch.autograd.forward_ad.unpack_dual(value).tangent is not None
                    ):
                        raise NotImplementedError(
                            f"hologram.torch: {op_name} has no forward mode (torch.func.jvp, dual "
                            "tensors)"
                        )
                return fn(*arguments, **named)

        super().impl(op_name, kernel, dispatch_key, **options)


_library = _Library("hologram", "DEF")
_CONTIGUOUS = torch.contiguous_format


_TYPES = {
    *(torch.float16, torch.float32, torch.float64, torch.int8, torch.int16, torch.int32),
    *(torch.int64, torch.uint8, torch.uint16, torch.uint32, torch.uint64),
}


def _array(op: str, name: str, tensor: Tensor) -> Any:
    """An operand as an array on its memory."""
    if tensor.dtype not in _TYPES:
        raise ArgumentError(f"{op}: '{name}' is {tensor.dtype}, which has no such operation here")
    reach = 0
    if tensor.numel() != 0:
        last = builtins.sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True))
        reach = (tensor.storage_offset() + last + 1) * tensor.element_size()
    if reach > tensor.untyped_storage().nbytes():
        raise ArgumentError(f"{op}: the storage of '{name}' is smaller than the tensor")
    return tensor.numpy()


def _like(op: str, shape: Any, dtype: torch.dtype, *operands: Tensor) -> Tensor:
    """What a fake kernel gives. Operands on several devices are an error: one of them may be there
    for its shape alone, and there would be no result."""
    devices = {tensor.device.type for tensor in operands}
    if len(devices) > 1:
        raise NotImplementedError(f"{op}: the operands are on {' and '.join(sorted(devices))}")
    return torch.empty(shape, dtype=dtype, device=operands[0].device)


def _define(
    name: str,
    signature: str,
    kernel: Callable[..., Tensor],
    fake: Callable[..., Tensor],
    gradient: tuple[Callable[..., Any], Callable[..., Any]] | None,
) -> Any:
    """An operator; `gradient` is what is saved of (inputs, output), and the gradients of that."""
    _library.define(f"{name}{signature}", tags=(torch.Tag.pt2_compliant_tag,))
    _library.impl(name, kernel, "CPU")
    torch.library.register_fake(f"hologram::{name}", fake, lib=_library)
    if gradient is not None:
        setup, backward = gradient
        torch.library.register_autograd(
            f"hologram::{name}", backward, setup_context=setup, lib=_library
        )
    return getattr(torch.ops.hologram, name)


# ---- One operand

_ROOT = 1.1283791670955126  # 2 / sqrt(pi)
_ROOT_OF_HALF = 0.7071067811865476


_FLAT = 50.0  # from here on e^-(x^2 / 2) and what is like it are 0 in float64 too


def _wide(x: Tensor) -> Tensor:
    """In the type that gradients are computed in: squares of float16 overflow from 256 on."""
    return x.float() if x.dtype == torch.float16 else x


def _of_gelu(x: Tensor) -> Tensor:
    near = x.clamp(-_FLAT, _FLAT)  # no infinity that would meet a 0
    inner = 0.7978845608028654 * (near + 0.044715 * near**3)
    t = torch.tanh(inner)
    slope = 0.7978845608028654 * (1 + 3 * 0.044715 * near**2)
    return 0.5 * (1 + t) + 0.5 * near * (1 - t * t) * slope


def _of_gelu_erf(x: Tensor) -> Tensor:
    near = x.clamp(-_FLAT, _FLAT)
    inner = near * _ROOT_OF_HALF
    return 0.5 * (1 + torch.erf(inner)) + near * torch.exp(-inner * inner) * (
        0.25 * _ROOT / _ROOT_OF_HALF
    )


def _of_silu(x: Tensor) -> Tensor:
    s = torch.sigmoid(x)
    return s * (1 + x * (1 - s))


# The gradient: of that of the result, g, and the operand x or the result y. A division is one, no
# product with a reciprocal, which may overflow where the quotient does not.
_OF_X: dict[str, Unary] = {
    "abs": lambda g, x: g * torch.sign(x),
    "neg": lambda g, x: -g,
    "log": lambda g, x: g / x,
    "sin": lambda g, x: g * torch.cos(x),
    "cos": lambda g, x: -g * torch.sin(x),
    "erf": lambda g, x: g * (_ROOT * torch.exp(-x * x)),
    "softplus": lambda g, x: g * torch.sigmoid(x),
    "silu": lambda g, x: g * _of_silu(x),
    "gelu": lambda g, x: g * _of_gelu(x),
    "gelu_erf": lambda g, x: g * _of_gelu_erf(x),
}
_OF_Y: dict[str, Unary] = {
    "relu": lambda g, y: g.masked_fill(y <= 0, 0),  # NaN lets it through
    "exp": lambda g, y: g * y,
    "sqrt": lambda g, y: g / (2 * y),
    "tanh": lambda g, y: g * (1 - y * y),
    "sigmoid": lambda g, y: g * (1 - y) * y,
}


_OPERATIONS = {"gelu_erf": functools.partial(ops.gelu, approximate="none")}


def _unary(name: str) -> Any:
    operation = _OPERATIONS[name] if name in _OPERATIONS else getattr(ops, name)

    def kernel(x: Tensor) -> Tensor:
        out = torch.empty(x.shape, dtype=x.dtype)
        operation(_array(name, "x", x), out=out.numpy())
        return out

    def fake(x: Tensor) -> Tensor:
        return _like(name, x.shape, x.dtype, x)

    def setup(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
        ctx.save_for_backward(inputs[0] if name in _OF_X else output)

    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        (saved,) = ctx.saved_tensors
        slope = _OF_X[name] if name in _OF_X else _OF_Y[name]
        return slope(_wide(gradient), _wide(saved)).to(gradient.dtype)

    return _define(name, "(Tensor x) -> Tensor", kernel, fake, (setup, backward))


# ---- Two operands


def _sum_to(gradient: Tensor, shape: Any) -> Tensor:
    """Of an operand that was repeated: the sum over its copies."""
    return gradient.sum_to_size(shape)


def _to_larger(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """The gradient of x where it is the larger of both: all of it, half where they are equal, none
    where it is not. A number comes before NaN, as in the operation."""
    half = torch.where(x == y, g / 2, g)
    return half.masked_fill((x < y) | (torch.isnan(x) & ~torch.isnan(y)), 0)


_GRADIENTS: dict[str, Binary] = {
    "add": lambda g, a, b: (g, g),
    "sub": lambda g, a, b: (g, -g),
    "mul": lambda g, a, b: (g * b, g * a),
    # b * b may overflow or vanish where the quotients do not.
    "div": lambda g, a, b: (g / b, -g * ((a / b) / b)),
    "maximum": lambda g, a, b: (_to_larger(g, a, b), _to_larger(g, b, a)),
    "minimum": lambda g, a, b: (_to_larger(g, -a, -b), _to_larger(g, -b, -a)),
}


def _binary(name: str) -> Any:
    operation = getattr(ops, name)

    def kernel(a: Tensor, b: Tensor) -> Tensor:
        out = torch.empty(torch.broadcast_shapes(a.shape, b.shape), dtype=a.dtype)
        operation(_array(name, "a", a), _array(name, "b", b), out=out.numpy())
        return out

    def fake(a: Tensor, b: Tensor) -> Tensor:
        shape = torch.broadcast_shapes(a.shape, b.shape)
        return _like(name, shape, a.dtype, a, b)

    def setup(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
        ctx.save_for_backward(*inputs)

    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor]:
        a, b = ctx.saved_tensors
        of_a, of_b = _GRADIENTS[name](_wide(gradient), _wide(a), _wide(b))
        return _sum_to(of_a, a.shape).to(a.dtype), _sum_to(of_b, b.shape).to(b.dtype)

    return _define(name, "(Tensor a, Tensor b) -> Tensor", kernel, fake, (setup, backward))


# ---- Rows, products, losses


def _softmax() -> Any:
    def check(x: Tensor, dim: int) -> None:
        if not -x.dim() <= dim < x.dim():
            raise ArgumentError(f"softmax: 'dim' is {dim}, 'x' has {x.dim()} dimensions")
        if x.shape[dim] == 0:
            raise ArgumentError(f"softmax: 'x' has no elements along dimension {dim}")

    def kernel(x: Tensor, dim: int = -1) -> Tensor:
        check(x, dim)
        rows = x.movedim(dim, -1).contiguous()
        out = torch.empty(rows.shape, dtype=x.dtype)
        ops.softmax(_array("softmax", "x", rows), out=out.numpy())
        moved = out.movedim(-1, dim)
        # No view: gradients could not be taken through what is changed in place.
        return out if moved.stride() == out.stride() else moved.clone(memory_format=_CONTIGUOUS)

    def fake(x: Tensor, dim: int = -1) -> Tensor:
        check(x, dim)
        return _like("softmax", x.shape, x.dtype, x)

    def setup(ctx: Any, inputs: tuple[Tensor, int], output: Tensor) -> None:
        ctx.dim = inputs[1]
        ctx.save_for_backward(output)

    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (y,) = ctx.saved_tensors
        g, wide = _wide(gradient), _wide(y)
        return (wide * (g - (g * wide).sum(ctx.dim, keepdim=True))).to(y.dtype), None

    signature = "(Tensor x, int dim=-1) -> Tensor"
    return _define("softmax", signature, kernel, fake, (setup, backward))


def _matmul() -> Any:
    def check(a: Tensor, b: Tensor) -> None:
        if a.dim() != 2 or b.dim() != 2:
            raise ArgumentError(
                f"matmul: expected two matrices, found {a.dim()} and {b.dim()} dimensions"
            )

    def kernel(a: Tensor, b: Tensor) -> Tensor:
        check(a, b)
        out = torch.empty((a.shape[0], b.shape[1]), dtype=a.dtype)
        ops.gemm(_array("matmul", "a", a), _array("matmul", "b", b), out=out.numpy())
        return out

    def fake(a: Tensor, b: Tensor) -> Tensor:
        check(a, b)
        torch._check(a.shape[1] == b.shape[0], lambda: f"matmul: {a.shape} by {b.shape}")
        return _like("matmul", (a.shape[0], b.shape[1]), a.dtype, a, b)

    def setup(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
        ctx.save_for_backward(*inputs)

    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor]:
        a, b = ctx.saved_tensors
        return gradient @ b.T, a.T @ gradient

    signature = "(Tensor a, Tensor b) -> Tensor"
    return _define("matmul", signature, kernel, fake, (setup, backward))


def _sum() -> Any:
    def type_of(x: Tensor) -> torch.dtype:
        if x.dtype.is_floating_point:
            return x.dtype
        return torch.int64 if x.dtype.is_signed else torch.uint64

    def kernel(x: Tensor) -> Tensor:
        out = torch.empty((), dtype=type_of(x))
        ops.sum(_array("sum", "x", x), out=out.numpy())
        return out

    def fake(x: Tensor) -> Tensor:
        return _like("sum", (), type_of(x), x)

    def setup(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
        ctx.shape = inputs[0].shape

    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return gradient.expand(ctx.shape)

    return _define("sum", "(Tensor x) -> Tensor", kernel, fake, (setup, backward))


def _mse_loss() -> Any:
    def check(prediction: Tensor, target: Tensor) -> None:
        if prediction.shape != target.shape:
            shapes = f"{tuple(prediction.shape)} and {tuple(target.shape)}"
            raise ArgumentError(f"mse_loss: expected operands of one shape, found {shapes}")

    def kernel(prediction: Tensor, target: Tensor) -> Tensor:
        check(prediction, target)
        out = torch.empty((), dtype=prediction.dtype)
        given = _array("mse_loss", "prediction", prediction.contiguous())
        wanted = _array("mse_loss", "target", target.contiguous())
        ops.mse(given, wanted, out=out.numpy())
        return out

    def fake(prediction: Tensor, target: Tensor) -> Tensor:
        check(prediction, target)
        return _like("mse_loss", (), prediction.dtype, prediction, target)

    def setup(ctx: Any, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
        ctx.save_for_backward(*inputs)

    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor]:
        prediction, target = ctx.saved_tensors
        # No factor overflows before a small one comes.
        distance = _wide(prediction) - _wide(target)
        slope = (2 / max(1, prediction.numel())) * distance * _wide(gradient)
        slope = slope.to(prediction.dtype)
        return slope, -slope

    signature = "(Tensor prediction, Tensor target) -> Tensor"
    return _define("mse_loss", signature, kernel, fake, (setup, backward))


abs, neg, log, sin, cos, erf, softplus, silu, gelu, gelu_erf = map(_unary, _OF_X)
relu, exp, sqrt, tanh, sigmoid = map(_unary, _OF_Y)
add, sub, mul, div, maximum, minimum = map(_binary, _GRADIENTS)
softmax = _softmax()
matmul = _matmul()
mse_loss = _mse_loss()
sum = _sum()
