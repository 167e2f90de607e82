"""The rows of JAX on the CPU: compiled functions, each of which makes a new array."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from .data import BINARY, FUNCTIONS, MOST_FOR_GEMM, REDUCTIONS, ROUNDING, Data, Peer

NAMES = {"sub": "subtract", "mul": "multiply", "div": "divide", "neg": "negative"}
PLACES = {"rsqrt": jax.lax.rsqrt, "erf": jax.lax.erf, "sigmoid": jax.nn.sigmoid}
PLACES.update({name: getattr(jax.nn, name) for name in ("relu", "silu", "softplus", "elu")})
PLACES |= {"leaky_relu": jax.nn.leaky_relu, "softsign": jax.nn.soft_sign}


def _binary_cross_entropy(x: Any, y: Any) -> Any:
    return -jnp.mean(y * jnp.log(x) + (1 - y) * jnp.log(1 - x))


def _layer_norm(x: Any, gamma: Any, beta: Any) -> Any:
    off = x - x.mean(-1, keepdims=True)
    return off * jax.lax.rsqrt((off * off).mean(-1, keepdims=True) + 1e-5) * gamma + beta


def _rms_norm(x: Any, gamma: Any) -> Any:
    return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * gamma


def rows(d: Data) -> dict[str, Peer]:
    # A call is waited for: handing it to another thread would only cost.
    jax.config.update("jax_cpu_enable_async_dispatch", False)
    put = jax.device_put
    x, y, s, mask, lines, row, column = (
        put(a) for a in (d.x, d.y, d.signed, d.mask, d.rows, d.row, d.column)
    )
    gamma, beta, square, vector = (put(a) for a in (d.gamma, d.beta, d.square, d.vector))
    found: dict[str, Peer] = {}

    # All of it is compiled: there is no "one function" to ask for, and no expression that costs.
    def add(name: str, f: Any, *arrays: Any) -> None:
        compiled = jax.jit(f)
        found[name] = Peer(lambda: compiled(*arrays).block_until_ready(), new=True)

    for name in BINARY:
        add(name, getattr(jnp, NAMES.get(name, name)), x, y)
    add("add, new array", jnp.add, x, y)
    add("add, a row", jnp.add, lines, row)
    add("add, a column", jnp.add, lines, column)
    add("add, a number", lambda x: x + 2.0, x)
    add("mul, a number", lambda x: x * 2.0, x)
    for name in (*ROUNDING, *FUNCTIONS, "relu", "softplus", "softsign", "elu", "leaky_relu"):
        add(name, PLACES.get(name) or getattr(jnp, NAMES.get(name, name)), put(d.of(name)))
    add("gelu", jax.nn.gelu, s)
    add("gelu, erf", partial(jax.nn.gelu, approximate=False), s)
    add("clip", lambda x: jnp.clip(x, -1.0, 1.0), s)
    for name in REDUCTIONS:
        add(name, getattr(jnp, name), x)
    for name in ("sum", "max"):
        for axis in (0, 1):
            add(f"{name}, axis {axis}", partial(getattr(jnp, name), axis=axis), lines)
    add("norm", jnp.linalg.norm, x)
    add("cumsum", jnp.cumsum, x)
    add("dot", jnp.dot, x, y)
    add("mse", lambda x, y: jnp.mean(jnp.square(x - y)), x, y)
    add("cross_entropy", lambda x, y: -jnp.mean(y * jnp.log(x)), x, y)
    add("binary_cross_entropy", _binary_cross_entropy, x, y)
    add("softmax, rows", jax.nn.softmax, lines)
    add("log_softmax, rows", jax.nn.log_softmax, lines)
    add("layer_norm, rows", _layer_norm, lines, gamma, beta)
    add("rms_norm, rows", _rms_norm, lines, gamma)
    add("transpose", jnp.transpose, square)
    add("copy", jnp.copy, x)
    add("cast to i32", lambda x: x.astype(jnp.int32), x)
    add("where", jnp.where, mask, x, y)
    add("matvec", jnp.matmul, square, vector)
    if d.n <= MOST_FOR_GEMM:
        add("gemm", jnp.matmul, square, square)
    return found
