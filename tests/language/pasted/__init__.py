"""Whole kernels as they stand in tutorials of C, CUDA, Numba, NumPy, Taichi and Triton, translated by hand.

Each was written down with the values expected of NumPy before its author tried it. A program is the text of a kernel
file and its arguments; `want` gives what the last array holds after the launch, or several arrays in a tuple, the last
ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Program:
    name: str
    text: str
    arguments: Callable[[], list[Any]]
    want: Callable[..., Any]
    shape: tuple[int, int] | None = None  # of blocks and of lanes; without it the launch finds them
    near: float = 0.0  # where the order of sums or a function of NumPy has other last bits
    without_ptx: bool = False  # float atomics


PROGRAMS: list[Program] = []


def program(
    name: str,
    arguments: Callable[[], list[Any]],
    want: Callable[..., Any],
    text: str,
    shape: tuple[int, int] | None = None,
    near: float = 0.0,
    without_ptx: bool = False,
) -> None:
    PROGRAMS.append(Program(name, text.strip("\n"), arguments, want, shape, near, without_ptx))


def floats(*shape: int, low: float = -1, high: float = 1, seed: int = 1) -> Any:
    return np.random.default_rng(seed).uniform(low, high, shape).astype(np.float32)


def doubles(*shape: int, low: float = -1, high: float = 1, seed: int = 1) -> Any:
    return np.random.default_rng(seed).uniform(low, high, shape)


def integers(
    *shape: int, low: int = 0, high: int = 100, seed: int = 1, dtype: Any = np.int32
) -> Any:
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


def zeros(*shape: int, dtype: Any = np.float32) -> Any:
    return np.zeros(shape, dtype)
