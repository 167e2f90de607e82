"""First tries: what people from C, CUDA, NumPy, Numba, Taichi, Warp and Triton write.

Each form was written down from the README alone, before its author read the front end or the language's
manual, with the values that the author expected, computed by NumPy; those of later.py came afterwards. A form
is what lane i < n of a kernel `k(x, y, n)` runs; `before` comes before the kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

N = 96


@dataclass(frozen=True)
class Form:
    name: str
    kind: str
    body: str
    want: Callable[[Any], Any]
    before: str = ""


# kind: (type of both arrays, the input)
KINDS: dict[str, tuple[str, Any]] = {
    "f": ("f32", (np.arange(N) * 0.25 - 11).astype(np.float32)),
    "d": ("f64", np.arange(N) * 0.25 - 11),
    "i": ("i32", np.arange(N, dtype=np.int32) - 40),
    "u": ("u32", np.arange(N, dtype=np.uint32) * 37 % 101),
    "l": ("i64", (np.arange(N, dtype=np.int64) - 40) * 3_000_000_007),
    "m": ("u64", np.arange(N, dtype=np.uint64) * np.uint64(11400714819323198485)),
}

FORMS: list[Form] = []


def form(name: str, kind: str, body: str, want: Callable[[Any], Any], before: str = "") -> None:
    FORMS.append(Form(name, kind, body.strip("\n"), want, before.strip("\n")))
