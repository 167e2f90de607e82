"""Arguments of operations as NumPy arrays on their own memory: nothing is ever copied."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, cast

import numpy as np

from hologram._native import DeviceArray
from hologram.errors import ArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[Any]"

# The numbers of hologram.h.
CODES = {
    name: number
    for number, name in enumerate("i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64".split())
}
_KINDS = {
    **{np.dtype(f"int{bits}"): f"i{bits}" for bits in (8, 16, 32, 64)},
    **{np.dtype(f"uint{bits}"): f"u{bits}" for bits in (8, 16, 32, 64)},
    **{np.dtype(f"float{bits}"): f"f{bits}" for bits in (16, 32, 64)},
    # Where they are the same size, NumPy has two types of each.
    np.dtype(np.longlong): "i64",
    np.dtype(np.ulonglong): "u64",
}
BOOL = np.dtype(np.bool_)
ALL_AND_BOOL = (*CODES, "bool")


def kind_of(op: str, name: str, array: Array, more: tuple[str, ...] = ()) -> str:
    """The element type as kernels name it; of an array of bool 'bool', where `more` has it."""
    kind = _KINDS.get(array.dtype)
    if kind is not None:
        return kind
    if array.dtype.name == "bfloat16":  # of ml_dtypes
        return "bf16"
    if array.dtype == BOOL and "bool" in more:
        return "bool"
    raise ArgumentError(f"{op}: '{name}' has elements of {array.dtype}, which it does not take")


def dtype_of(kind: str) -> Any:
    """NumPy's type for one of kernels."""
    if kind == "bf16":
        try:
            import ml_dtypes
        except ImportError:
            raise ArgumentError("bf16 arrays are made by the package ml_dtypes") from None
        return np.dtype(ml_dtypes.bfloat16)
    names = {"i": "int", "u": "uint", "f": "float"}
    return np.dtype(names[kind[0]] + kind[1:])


def bits_of(array: Array) -> Array:
    """The same memory as unsigned integers."""
    return cast("Array", array.view(f"u{array.itemsize}"))


def _unreadable(op: str, name: str, value: object, error: Exception) -> str:
    text = f"{op}: '{name}' cannot be read: {error}"
    kind = str(getattr(value, "dtype", getattr(value, "element_type", "")))
    if "bfloat16" in kind or kind == "bf16":
        text += f" {kind} comes by way of NumPy, as ml_dtypes.bfloat16; kernels take it as it is"
    elif kind:
        text += f" It has elements of {kind}"
    return text


def read(op: str, name: str, value: object) -> Array:
    """An argument as an array on its memory: NumPy, the buffer protocol or DLPack."""
    if isinstance(value, (np.ndarray, np.generic)):
        if isinstance(value, np.ma.MaskedArray):
            raise ArgumentError(
                f"{op}: '{name}' has a mask, which would be lost; use .filled() or .data"
            )
        return cast("Array", np.asarray(value))
    if not isinstance(value, (str, bytes)):
        try:
            return cast("Array", np.asarray(memoryview(value)))  # type: ignore[arg-type]
        except (BufferError, TypeError, ValueError):
            pass  # JAX has no such view of bf16
        if hasattr(value, "__dlpack__"):
            if getattr(value, "is_neg", bool)():  # of PyTorch, whose capsules do not say it
                raise ArgumentError(
                    f"{op}: '{name}' has elements that are to be negated; use .resolve_neg()"
                )
            try:
                array = np.from_dlpack(value)
            except (BufferError, RuntimeError, TypeError, ValueError) as error:
                raise ArgumentError(_unreadable(op, name, value, error)) from error
            if array.flags.owndata and array.size != 0:  # NumPy's own, of any value
                raise ArgumentError(f"{op}: '{name}' cannot be read: it has no memory")
            return cast("Array", array)
    if isinstance(value, DeviceArray):
        raise ArgumentError(
            f"{op}: '{name}' is on {value.device}, and expected on the host; "
            "hologram.to_host() copies it"
        )
    if hasattr(value, "__hologram_traced__"):
        raise ArgumentError(f"{op}: no step of a fused function; call it before or after")
    hint = "; write np.array(..., np.float32)" if isinstance(value, list) else ""
    raise ArgumentError(
        f"{op}: '{name}' expects an array (NumPy, buffer protocol or DLPack), found "
        f"{shown(value)}{hint}"
    )


def shown(value: object) -> str:
    """A value in a message: not all digits of a large number, which Python may refuse to write."""
    try:
        text = repr(value)
    except ValueError:  # more digits than sys.get_int_max_str_digits()
        return "a number of too many digits"
    return text if len(text) < 60 else f"{text[:56]}..."


def is_scalar(value: object) -> bool:
    """Whether it is a plain number, which takes the type of the arrays beside it."""
    return isinstance(value, (int, float)) and not isinstance(value, np.generic)


def constant(op: str, name: str, value: Any, kind: str) -> Array:
    """A plain number as an array without dimensions."""
    value = value.item() if isinstance(value, np.generic) else value
    expected = f"{op}: '{name}' expects {kind}, found {shown(value)}"
    if not isinstance(value, (int, float)):
        raise ArgumentError(expected)
    dtype = dtype_of(kind)
    if dtype.kind in "iu":
        ends = np.iinfo(dtype)
        if not isinstance(value, int) or not ends.min <= value <= ends.max:
            raise ArgumentError(expected)
    try:
        with np.errstate(over="ignore"):
            made = np.array(value, dtype)
        fits = dtype.kind != "f" or not np.isinf(made) or bool(np.isinf(float(value)))
    except OverflowError:  # an int that is no float
        fits = False
    if not fits:
        raise ArgumentError(f"{expected}, which does not fit")
    return cast("Array", made)


def new_array(shape: tuple[int, ...], dtype: Any, order: Literal["C", "F"] = "C") -> Array:
    """Memory for a result, or on the way to one: a capture keeps it from being used again."""
    array = cast("Array", np.empty(shape, dtype, order))
    if RECORDINGS and (recording := RECORDINGS.get(threading.get_ident())):
        recording.made(array)
    return array


def output(op: str, out: object, shape: tuple[int, ...], dtype: Any, name: str = "out") -> Array:
    """`out` if it fits, or a new array."""
    if out is None:
        return new_array(shape, dtype)
    if isinstance(out, np.generic):
        raise ArgumentError(f"{op}: '{name}' expects an array, found a number")
    array = read(op, name, out)
    if array.dtype != dtype:
        raise ArgumentError(f"{op}: '{name}' has elements of {array.dtype}, expected {dtype}")
    if array.shape != shape:
        raise ArgumentError(f"{op}: '{name}' has the shape {array.shape}, expected {shape}")
    if not array.flags.writeable:
        raise ArgumentError(f"{op}: '{name}' is written, found a read-only array")
    return array


class Recording(Protocol):
    """A capture of hologram.pipelines: what it makes of results while it records."""

    def made(self, array: Array) -> None: ...

    def result(self, out: object, array: Array) -> Array: ...


RECORDINGS: dict[int, Recording] = {}  # by the numbers of their threads; empty as a rule


def result(out: object, array: Array) -> Array:
    """What an operation returns: `out` itself if it was given."""
    if RECORDINGS and (recording := RECORDINGS.get(threading.get_ident())):
        return recording.result(out, array)
    return array if out is None else cast("Array", out)
