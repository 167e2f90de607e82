"""The simulator of circuits of hologram._native, on one thread."""

from __future__ import annotations

import json
from typing import Any

from hologram._native.bridge import bytes_of, text_of


def _text(  # noqa: PLR0913
    name: str, text: str, file: str, shots: int, seed: int, single: bool = False
) -> str:
    request = {"name": name, "text": text, "file": file, "shots": shots, "seed": str(seed)}
    return text_of("qsim", **request, single=single, fuse=True)


def qsim_state(text: str, file: str, single: bool, fuse: bool, threads: int) -> Any:
    import numpy as np

    data = bytes_of(
        "qsim", name="state", text=text, file=file, shots=0, seed="0", single=single, fuse=fuse
    )
    return np.frombuffer(bytearray(data), np.complex64 if single else np.complex128)


def qsim_counts(  # noqa: PLR0913
    text: str, file: str, shots: int, seed: int, single: bool, threads: int
) -> list[tuple[str, int]]:
    return [tuple(row) for row in json.loads(_text("counts", text, file, shots, seed, single))]


def qsim_svg(text: str, file: str, shots: int, seed: int) -> str:
    return _text("svg", text, file, shots, seed)


def qsim_sizes(text: str, file: str) -> tuple[int, int, int]:
    return tuple(json.loads(_text("sizes", text, file, 0, 0)))
