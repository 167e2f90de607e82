"""PTX of the kernels of these tests: the text of src/device, run on the device that HOLOGRAM_CUDA names (the stand-in of
tests/fakecuda under ctest), and LLVM's."""

from __future__ import annotations

import os
from typing import Any

import hologram as hg

# Of what there is neither: float updates in the order of lanes, and prints.
WITHOUT = ("uses atgf", "uses atsf", "uses print")


def engines() -> tuple[str, ...]:
    return (
        ("interpreter", "cpu", "cuda")
        if os.environ.get("HOLOGRAM_CUDA")
        else ("interpreter", "cpu")
    )


def is_without(error: hg.UnsupportedError) -> bool:
    return any(words in str(error) for words in WITHOUT)


def missing(kernels: Any) -> str | None:
    """The first kernel of a file that has no PTX and should have."""
    for name in kernels:
        try:
            if ".visible .entry" not in kernels[name].ptx():
                return f"{name} has no PTX"
        except hg.UnsupportedError as error:
            if not is_without(error):
                return str(error)
    return None
