"""Layers and functions with the names of torch.nn, over the operators of hologram.torch.

    import hologram.nn as hn

    net = torch.nn.Sequential(hn.Linear(4, 8), hn.ReLU(), hn.Linear(8, 1))
    hn.mse_loss(net(x), y).backward()

The layers are those of torch.nn with another `forward`: parameters, state_dict and arguments are
theirs. Tensors lie on the CPU; types, gradients and bits are those of hologram.torch. Thread-safe
as the layers of torch.nn are. Importing this module imports PyTorch.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

import torch

from hologram import torch as operators
from hologram.errors import ArgumentError

if TYPE_CHECKING:
    from torch import Tensor

__all__ = [
    "GELU",
    "Linear",
    "MSELoss",
    "ReLU",
    "Sigmoid",
    "Softmax",
    "Tanh",
    "add",
    "gelu",
    "linear",
    "mse_loss",
    "mul",
    "relu",
    "sigmoid",
    "softmax",
    "sub",
    "tanh",
]

add, sub, mul = operators.add, operators.sub, operators.mul
sigmoid, tanh = operators.sigmoid, operators.tanh


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """The larger of x and 0, of any shape; with `inplace` in `input`, which is returned."""
    result = cast("Tensor", operators.relu(input))
    return input.copy_(result) if inplace else result


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """x times the normal distribution function of x: with erf, or "tanh" for the form with tanh.
    Raises ArgumentError for another word."""
    if approximate not in ("none", "tanh"):
        raise ArgumentError(f"gelu: 'approximate' expects 'none' or 'tanh', found {approximate!r}")
    operator = operators.gelu_erf if approximate == "none" else operators.gelu
    return cast("Tensor", operator(input))


def softmax(input: Tensor, dim: int = -1) -> Tensor:
    """e^x by the sum of all e^x along a dimension."""
    return cast("Tensor", operators.softmax(input, dim))


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input (..., n) times the transpose of weight (m, n), plus bias (m): (..., m). Raises
    ArgumentError for other shapes."""
    if weight.dim() != 2 or input.dim() == 0 or input.shape[-1] != weight.shape[1]:
        raise ArgumentError(
            f"linear: 'input' {tuple(input.shape)} and 'weight' {tuple(weight.shape)} do not go "
            "together, expected (..., n) and (m, n)"
        )
    if bias is not None and bias.shape != weight.shape[:1]:
        raise ArgumentError(f"linear: 'bias' is {tuple(bias.shape)}, expected ({weight.shape[0]},)")
    rows = input.reshape(math.prod(input.shape[:-1]), weight.shape[1])
    product = operators.matmul(rows, weight.T)
    if bias is not None:
        product = operators.add(product, bias)
    return cast("Tensor", product.reshape(*input.shape[:-1], weight.shape[0]))


def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """(input - target)^2: its mean, its sum, or with "none" itself. Both have one shape. Raises
    ArgumentError."""
    if input.shape != target.shape:
        raise ArgumentError(
            f"mse_loss: 'target' is {tuple(target.shape)}, expected {tuple(input.shape)} of 'input'"
        )
    if reduction == "mean":
        return cast("Tensor", operators.mse_loss(input, target))
    if reduction not in ("none", "sum"):
        raise ArgumentError(
            f"mse_loss: 'reduction' expects 'none', 'mean' or 'sum', found {reduction!r}"
        )
    distance = operators.sub(input, target)
    square = operators.mul(distance, distance)
    return cast("Tensor", square if reduction == "none" else operators.sum(square))


class ReLU(torch.nn.ReLU):  # type: ignore[misc]
    def forward(self, input: Tensor) -> Tensor:
        return relu(input, self.inplace)


class Sigmoid(torch.nn.Sigmoid):  # type: ignore[misc]
    def forward(self, input: Tensor) -> Tensor:
        return cast("Tensor", sigmoid(input))


class Tanh(torch.nn.Tanh):  # type: ignore[misc]
    def forward(self, input: Tensor) -> Tensor:
        return cast("Tensor", tanh(input))


class GELU(torch.nn.GELU):  # type: ignore[misc]
    def forward(self, input: Tensor) -> Tensor:
        return gelu(input, self.approximate)


class Softmax(torch.nn.Softmax):  # type: ignore[misc]
    """Along `dim`, the last dimension if it is not given."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__(dim)

    def forward(self, input: Tensor) -> Tensor:
        return softmax(input, -1 if self.dim is None else self.dim)


class Linear(torch.nn.Linear):  # type: ignore[misc]
    def forward(self, input: Tensor) -> Tensor:
        return linear(input, self.weight, self.bias)


class MSELoss(torch.nn.MSELoss):  # type: ignore[misc]
    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return mse_loss(input, target, self.reduction)
