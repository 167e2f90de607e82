"""hologram._native in a page: what the package takes of its own binding (python/binding), over
hologram-library.wasm. What is not here raises UnsupportedError, which names it."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

_PLACES = {
    "arguments": ("element_type",),
    "buffers": (
        *("BYTES_PER_CLASS", "BYTES_PER_PAGE", "NUM_CLASSES", "PAGES_PER_CLASS", "Buffer"),
        *("allocate", "default_launch_config", "offset_to_phi", "phi_to_offset", "size_of"),
    ),
    "circuits": ("qsim_counts", "qsim_sizes", "qsim_state", "qsim_svg"),
    "cycles": (
        *("CycleState", "cycle_advance_of", "cycle_class_of", "cycle_solve", "cycle_solve_one"),
    ),
    "kernels": (
        *("Bundle", "Kernel", "Registry", "assemble", "canonical_circuit", "compile_circuit"),
        *("compile_json", "launch", "lazy_kernel"),
    ),
    "operations": (
        *("COLUMN_CHUNK", "OP_KINDS", "ROW_CHUNK", "Fused", "Op", "multiply", "new_fused"),
        *("new_op", "new_op_of_kind", "trace_ops"),
    ),
    "streams": ("stream_apply", "stream_run"),
    "ufuncs": ("new_ufunc",),
    "windows": ("window_launch", "window_reach", "window_units"),
}


class Dispatch:
    """Without a memory of earlier calls: each is bound by Python."""

    def _remember(self, kernel: object, places: tuple[object, ...]) -> None:
        pass

    def __call__(self, *arguments: Any, **named: Any) -> None:
        self._launch(*arguments, **named)  # type: ignore[attr-defined]


class DeviceArray:
    """No array of a page is on a device."""


def version() -> str:
    import hologram

    return hologram.__version__


def get_threads() -> int:
    return 1


def __getattr__(name: str) -> Any:
    for module, names in _PLACES.items():
        if name in names:
            return getattr(importlib.import_module(f"hologram._native.{module}"), name)
    if name.startswith("__") or importlib.util.find_spec(f"hologram._native.{name}"):
        raise AttributeError(name)
    from hologram.errors import UnsupportedError

    raise UnsupportedError(f"hologram._native.{name} is not there in a page")
