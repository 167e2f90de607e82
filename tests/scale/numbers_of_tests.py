"""What all tests here compute with."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

COUNT = 1_000_003


@functools.cache
def numbers() -> Any:
    return np.random.default_rng(7).standard_normal(COUNT).astype("f4")


def same(a: Any, b: Any) -> bool:
    a, b = np.asarray(a), np.asarray(b)
    return bool(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes())
