"""A folder that `hologram debug` hands over: launch.json, and an array in a .npy file for each
parameter that is one. Written arrays are in the same files afterwards."""

from __future__ import annotations

import importlib.util
import json
import os
import struct
import sys
import types as python_types
from typing import Any

import numpy as np

from hologram import lang
from hologram.simulator.errors import LaunchError

_FLOATS = {"f16": "<e", "f32": "<f", "f64": "<d"}


class Request:
    """What to launch, and how."""

    def __init__(self, folder: str) -> None:
        with open(os.path.join(folder, "launch.json"), encoding="utf-8") as file:
            told: dict[str, Any] = json.load(file)
        self._folder = folder
        self.file: str = told["file"]
        self.name: str = told["kernel"]
        self.grid = _shape(told["grid"])
        self.block = _shape(told["block"])
        self.budget: int = told["budget"]
        self.deterministic: bool = told["deterministic"]
        self.port: int = told["port"]
        self.lane: int | None = told["lane"]
        self._constants: dict[str, str] = told["constants"]
        self.arguments: dict[str, Any] = {
            row["name"]: self._argument(row) for row in told["parameters"]
        }
        self.arguments.update({name: _number(text) for name, text in self._constants.items()})

    def _argument(self, row: dict[str, Any]) -> Any:
        if "file" in row:
            return np.load(os.path.join(self._folder, row["file"]))
        return _scalar(row["type"], int(row["bits"]))

    def save(self) -> None:
        """Writes the arrays back."""
        for number, value in enumerate(
            value for value in self.arguments.values() if isinstance(value, np.ndarray)
        ):
            np.save(os.path.join(self._folder, f"{number}.npy"), value)

    def function(self) -> python_types.FunctionType:
        """The kernel. Its file is run, as Python runs a module; a compiled kernel of it is a plain
        one here. Raises what that raises."""
        import hologram

        hologram.kernel = lang.kernel  # type: ignore[assignment]
        sys.path.insert(0, os.path.dirname(os.path.abspath(self.file)))
        name = os.path.splitext(os.path.basename(self.file))[0]
        spec = importlib.util.spec_from_file_location(name, os.path.abspath(self.file))
        assert spec is not None and spec.loader is not None
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        kernels: dict[str, python_types.FunctionType] = {}
        for value in vars(module).values():
            if isinstance(value, lang.Kernel):
                kernels[value.__name__] = value._atlas_kernel  # type: ignore[assignment]
            elif isinstance(value, python_types.FunctionType):  # a kernel without decorator
                kernels[value.__name__] = value
        # A generic kernel is named with its types and values, `blur_f32_R3`.
        fitting = [name for name in kernels if f"{self.name}_".startswith(f"{name}_")]
        if not fitting:
            raise LaunchError(f"{self.file} defines no function '{self.name}'")
        return kernels[max(fitting, key=len)]


def _shape(sizes: list[int]) -> tuple[int, ...] | None:
    return tuple(sizes) or None


def _scalar(kind: str, bits: int) -> Any:
    if kind in _FLOATS:
        code = _FLOATS[kind]
        return struct.unpack(code, bits.to_bytes(8, "little")[: struct.calcsize(code)])[0]
    if kind == "bf16":
        return struct.unpack("<f", bytes(2) + bits.to_bytes(8, "little")[:2])[0]
    size = int(kind[1:])
    value = bits & ((1 << size) - 1)
    return value - (1 << size) if kind[0] == "i" and value >> (size - 1) else value


def _number(text: str) -> Any:
    """A compile-time value as the command line has it."""
    for kind in (lambda value: int(value, 0), float):
        try:
            return kind(text)
        except ValueError:
            pass
    return {"true": True, "false": False}.get(text.lower(), text)
