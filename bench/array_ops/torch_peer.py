"""The rows of PyTorch on the CPU: `out=` where its public functions have it."""

from __future__ import annotations

import torch
from torch.nn import functional

from .data import BINARY, FUNCTIONS, MOST_FOR_GEMM, REDUCTIONS, ROUNDING, ROW, Data, Peer


class _Tensors:
    """The arrays of `Data` as tensors, by their names."""

    def __init__(self, data: Data) -> None:
        self._data = data

    def __getattr__(self, name: str) -> torch.Tensor:
        return torch.from_numpy(getattr(self._data, name))


def rows(d: Data, threads: int) -> dict[str, Peer]:
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    t = _Tensors(d)
    x, y, s, out, mask, whole = t.x, t.y, t.signed, t.out, t.mask, t.whole
    lines, line_out, row, column, gamma, beta = t.rows, t.row_out, t.row, t.column, t.gamma, t.beta
    square, square_out, vector, vector_out = t.square, t.square_out, t.vector, t.vector_out
    found: dict[str, Peer] = {}

    def add(name: str, call: object, new: bool = False, expression: bool = False) -> None:
        found[name] = Peer(call, new, expression)  # type: ignore[arg-type]

    for name in BINARY:
        add(name, lambda f=getattr(torch, name): f(x, y, out=out))
    add("add, new array", lambda: torch.add(x, y), new=True)
    add("add, a row", lambda: torch.add(lines, row, out=line_out))
    add("add, a column", lambda: torch.add(lines, column, out=line_out))
    add("add, a number", lambda: torch.add(x, 2.0, out=out))
    add("mul, a number", lambda: torch.mul(x, 2.0, out=out))
    add("add, every other", lambda: torch.add(x[::2], y[::2], out=out[::2]))
    for name in (*ROUNDING, *FUNCTIONS):
        source = torch.from_numpy(d.of(name))
        if name != "silu":
            add(name, lambda f=getattr(torch, name), source=source: f(source, out=out))
    for name in ("relu", "silu", "softplus", "softsign", "elu", "leaky_relu"):
        add(name, lambda f=getattr(functional, name): f(s), new=True)
    add("gelu", lambda: functional.gelu(s, approximate="tanh"), new=True)
    add("gelu, erf", lambda: functional.gelu(s), new=True)
    add("clip", lambda: torch.clamp(s, -1.0, 1.0, out=out))
    for name in REDUCTIONS:
        add(name, lambda f=getattr(torch, name): f(x))
    for axis in (0, 1):
        add(f"sum, axis {axis}", lambda a=axis: torch.sum(lines, a))
        add(f"max, axis {axis}", lambda a=axis: torch.amax(lines, a))
    add("norm", lambda: torch.linalg.vector_norm(x))
    add("cumsum", lambda: torch.cumsum(x, 0, out=out))
    add("dot", lambda: torch.dot(x, y))
    add("mse", lambda: functional.mse_loss(x, y))
    add("cross_entropy", lambda: -torch.mean(y * torch.log(x)), expression=True)
    add("binary_cross_entropy", lambda: functional.binary_cross_entropy(x, y))
    add("softmax, rows", lambda: torch.softmax(lines, -1, out=line_out))
    add("log_softmax, rows", lambda: functional.log_softmax(lines, -1), new=True)
    add("layer_norm, rows", lambda: functional.layer_norm(lines, (ROW,), gamma, beta), new=True)
    add("rms_norm, rows", lambda: functional.rms_norm(lines, (ROW,), gamma, 1e-5), new=True)
    add("transpose", lambda: square_out.copy_(square.T))
    add("copy", lambda: out.copy_(x))
    add("fill", lambda: out.fill_(2.0))
    add("cast to i32", lambda: whole.copy_(x))
    add("where", lambda: torch.where(mask, x, y, out=out))
    add("matvec", lambda: torch.mv(square, vector, out=vector_out))
    if d.n <= MOST_FOR_GEMM:
        add("gemm", lambda: torch.mm(square, square, out=square_out))
    return found
