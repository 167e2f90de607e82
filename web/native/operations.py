"""Operations and fused functions of hologram._native: every call goes through the package's own
functions, which know all arrays and all errors, and ends in the launches here."""

from __future__ import annotations

from typing import Any

import numpy as np

from hologram._native.arguments import bits_of, element_type, place_of
from hologram._native.bridge import CODES, text_of
from hologram._native.kernels import Kernel

OP_KINDS = {
    name: number
    for number, name in enumerate(
        "none mean root truth index matvec gemm sums along_rows cast".split()
    )
}
# Steps by their numbers: those of hologram/detail/reduction.hpp and product.hpp.
_REDUCTION = ("rows", "columns", "rest_rows", "rest_columns", "pick")
_PRODUCT = (
    *("gemm", "gemm_strided", "gemm_pack", "gemm_pack_strided", "gemm_pack_narrow"),
    *("gemm_pack_strided_narrow", "gemm_tile", "gemm_tile_narrow"),
    *("matvec_columns_blocks", "matvec_columns"),
)
_ATTRIBUTES = ("parts", "finish", "part", "column_part", "ufunc")
ROW_CHUNK, COLUMN_CHUNK = 4096, 512

_traced: list[
    Any
] = []  # the type of values that stand for arrays, and what operations do with them


def trace_ops(traced: type, handler: Any) -> None:
    _traced[:] = [traced, handler]


class Op:
    """An operation of hologram.ops."""

    def __init__(self, name: str, slow: Any, doc: str, find: Any, kind: int) -> None:
        self.__name__ = self.__qualname__ = name
        self.__module__ = "hologram.ops"
        self.__doc__ = doc
        self.__wrapped__ = slow
        self._find, self._kind = find, kind
        self._kernels: dict[tuple[str, int], Kernel | None] = {}

    def __repr__(self) -> str:
        return f"<hologram.ops.{self.__name__}>"

    def __reduce__(self) -> str:
        return self.__name__

    def __getattr__(self, name: str) -> Any:
        if name not in _ATTRIBUTES:
            raise AttributeError(name)
        from hologram.ops.parts import attribute

        return attribute(self.__name__, name)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if _traced and any(type(value) is _traced[0] for value in (*arguments, *named.values())):
            return _traced[1](self, *arguments, **named)
        return self.__wrapped__(*arguments, **named)

    def _link(self, *_: Any) -> None:
        """Other forms, for calls that the binding takes itself."""

    def kernel(self, step: str, code: int) -> Kernel | None:
        from hologram.errors import NotFoundError

        key = step, code
        if key not in self._kernels:
            try:
                self._kernels[key] = self._find(step, code)
            except NotFoundError:
                self._kernels[key] = None
        return self._kernels[key]

    def _run(self, code: int, arrays: tuple[Any, ...], scalars: tuple[Any, ...]) -> None:
        *inputs, out = arrays
        if out.size == 0:
            return
        kernel = self.kernel("", code)
        assert kernel is not None
        lines = [_line(np.broadcast_to(array, out.shape)) for array in inputs]
        whole = out if out.flags.c_contiguous else np.empty(out.shape, out.dtype)
        kernel(*lines, whole.reshape(-1), *scalars, out.size)
        if whole is not out:
            out[...] = whole

    def _steps(self, names: tuple[str, ...], codes: set[int]) -> list[list[int]]:
        return [
            [step, code, kernel._found.module]
            for step, name in enumerate(names)
            for code in sorted(codes)
            if (kernel := self.kernel(name, code)) is not None
        ]

    def _fold(self, code: int, x: Any, y: Any, axes: tuple[int, ...], scalars: Any) -> Any:
        rows = self.kernel("rows", code)
        assert rows is not None
        indices = self._kind == OP_KINDS["index"]
        arrays = [kind for _, form, kind, _ in rows.parameters if form == "array"]
        to = "i64" if indices else arrays[-1]
        kept = tuple(1 if d in axes else extent for d, extent in enumerate(x.shape))
        out = np.empty(kept, "u2" if to == "bf16" else _dtype(to))
        text_of(
            "reduce",
            steps=self._steps(_REDUCTION, {code, CODES[to]}),
            x=place_of(x), y=None if y is None else place_of(y), out=place_of(out), code=code,
            axes=sum(1 << axis % max(x.ndim, 1) for axis in axes), extents=list(x.shape),
            strides=list(x.strides), numbers=[str(bits_of(to, value)) for value in scalars],
            indices=indices,
        )  # fmt: skip
        return out


def _dtype(kind: str) -> Any:
    return np.dtype({"i": "int", "u": "uint", "f": "float"}[kind[0]] + kind[1:])


def _line(array: Any) -> Any:
    return np.ascontiguousarray(array).reshape(-1)


def new_op(  # noqa: PLR0913
    name: str, num_arrays: int, num_scalars: int, types: int, has_rows: bool, moves: int,
    result: int, find: Any, empty: Any, slow: Any, doc: str,
) -> Op:  # fmt: skip
    return Op(name, slow, doc, find, OP_KINDS["none"])


def new_op_of_kind(  # noqa: PLR0913
    name: str, num_arrays: int, finish: int, types: int, find: Any, empty: Any, slow: Any,
    doc: str, after: Any,
) -> Op:  # fmt: skip
    return Op(name, slow, doc, find, finish)


def multiply(gemm: Op, a: Any, b: Any, out: Any, *numbers: int) -> None:
    if 0 in numbers[:3]:
        return
    code = CODES[str(element_type(out))]
    text_of(
        "multiply", steps=gemm._steps(_PRODUCT, {code}), code=code, numbers=list(numbers),
        matrices=[place_of(array) for array in (a, b, out)],
    )  # fmt: skip


class Fused:
    """A function of arrays as one kernel."""

    def __init__(self, slow: Any) -> None:
        self._slow = slow
        self.__wrapped__ = slow.__wrapped__
        self.__name__, self.__qualname__ = slow.__name__, slow.__qualname__
        self.__module__, self.__doc__ = slow.__module__, slow.__doc__
        self.circuit, self.path = slow.circuit, slow.path

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._slow(*arguments, **named)

    def __repr__(self) -> str:
        return repr(self._slow)

    def _add_kernel(self, *_: Any) -> None:
        """For calls that the binding takes itself."""


def new_fused(slow: Any, empty: Any) -> Fused:
    return Fused(slow)
