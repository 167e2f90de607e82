"""`hologram.arrow.call(..., nulls="pass")`: kernels that see which rows are null.

The kernel takes, for any column `x`, a parameter `x_valid`: DeviceArray[u8] or DeviceArray[bool]
with one element for each row, 0 under a null. A parameter of the name of the output with `_valid`,
which it writes, says which rows of the result are null; without one none is. Bytes and not bits,
because lanes beside each other would write one byte. For arrays of pyarrow, not imported here.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from hologram._native import Kernel
from hologram.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

_KINDS = {"i": "int", "u": "uint", "f": "float"}
_BYTES = ("u8", "bool")


class Form:
    """The parameters of a kernel that is passed nulls."""

    def __init__(self, kernel: Any) -> None:
        if not isinstance(kernel, Kernel):
            raise ArgumentError(f"arrow: nulls='pass' is for kernels, found {kernel!r}")
        *arrays, last = kernel.parameters
        valid = [row for row in arrays if row[0].endswith("_valid") and row[2] in _BYTES]
        values = [row for row in arrays if row not in valid]
        self.inputs = [(row[0], row[2]) for row in values if row[3] == "in"]
        outputs = [(row[0], row[2]) for row in values if row[3] == "out"]
        masks = {row[0]: (row[2], row[3]) for row in valid}
        wanted = {f"{name}_valid": "in" for name, _ in self.inputs}
        wanted |= {f"{name}_valid": "out" for name, _ in outputs}
        fits = all(wanted.get(name) == way for name, (_, way) in masks.items())
        is_plain = last[1:3] == ("scalar", "u32") and all(row[1] == "array" for row in arrays)
        if not is_plain or not fits or len(outputs) != 1 or not masks:
            raise ArgumentError(
                f"arrow: '{kernel.name}' is not of columns to read and one to write, each with a "
                "'NAME_valid' of u8 or bool where it looks at nulls, and their length as u32"
            )
        self.output = outputs[0]
        self.masks = {name: kind for name, (kind, _) in masks.items()}
        self.order = [row[0] for row in arrays]


_forms: dict[Any, Form] = {}


def call(kernel: Any, columns: Sequence[Any]) -> Any:
    """The column that the kernel makes. Raises ArgumentError and what launches raise."""
    form = _forms.get(kernel)
    if form is None:
        form = _forms[kernel] = Form(kernel)
    if len(columns) != len(form.inputs):
        names = ", ".join(name for name, _ in form.inputs)
        raise ArgumentError(
            f"arrow: '{kernel.name}' takes the columns {names}, found {len(columns)}"
        )
    pyarrow: Any = sys.modules.get("pyarrow")
    if pyarrow is None or not all(isinstance(column, pyarrow.Array) for column in columns):
        raise ArgumentError("arrow: nulls='pass' takes arrays of pyarrow")
    rows = len(columns[0])
    given: dict[str, Any] = {}
    for (name, kind), column in zip(form.inputs, columns, strict=True):
        if len(column) != rows:
            raise ArgumentError("arrow: the columns have different lengths")
        if str(column.type) != _arrow_name(kind):
            raise ArgumentError(f"arrow: '{name}' is a column of {kind}, found {column.type}")
        validity, data = column.buffers()
        size = column.type.bit_width // 8
        given[name] = np.frombuffer(data, f"{kind[0]}{size}", rows, column.offset * size)
        mask = f"{name}_valid"
        if mask in form.masks:
            given[mask] = _mask(validity, column.offset, rows, form.masks[mask])
    name, kind = form.output
    made = given[name] = np.zeros(rows, f"{kind[0]}{int(kind[1:]) // 8}")
    mask = f"{name}_valid"
    if mask in form.masks:
        given[mask] = np.zeros(rows, "u1").view("?" if form.masks[mask] == "bool" else "u1")
    if rows:
        kernel(*(given[one] for one in form.order), rows)
    bits = None
    if mask in form.masks:
        bits = pyarrow.py_buffer(np.packbits(given[mask] != 0, bitorder="little"))
    of = pyarrow.from_numpy_dtype(made.dtype)
    return pyarrow.Array.from_buffers(of, rows, [bits, pyarrow.py_buffer(made)])


def _arrow_name(kind: str) -> str:
    """As pyarrow writes it."""
    return {"f16": "halffloat", "f32": "float", "f64": "double"}.get(
        kind, f"{_KINDS[kind[0]]}{kind[1:]}"
    )


def _mask(validity: Any, offset: int, rows: int, kind: str) -> Any:
    if validity is None:
        found: Any = np.ones(rows, "u1")
    else:
        bits = np.frombuffer(validity, "u1")
        found = np.unpackbits(bits, count=offset + rows, bitorder="little")[offset:]
    return np.ascontiguousarray(found).view("?" if kind == "bool" else "u1")
