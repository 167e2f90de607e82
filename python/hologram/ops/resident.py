"""Arrays that stay on a device: `hg.to_device`, `hg.device_empty`, `hg.to_host`.

    x = hg.to_device(numpy_array, "cuda")   # or "cuda:1", "opencl"; None: the first device there is
    y = hg.device_empty(x.shape, x.dtype, x.device)
    scale(2.0, x, y, x.size)                # runs where its arrays are; nothing is copied
    z = hg.ops.add(x, y)                    # so do operations, and fused functions on elements
    hg.to_host(z)                           # a NumPy array

All arrays of a launch are on one device. A device does not know NumPy: whatever reads elements on
the host asks for to_host() first. `docs/devices.md` has the devices and the rules of launches.
"""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from hologram import _native, library
from hologram.errors import ArgumentError
from hologram.ops.arrays import (
    BOOL,
    CODES,
    constant,
    dtype_of,
    is_scalar,
    kind_of,
    read,
    shown,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hologram.ops.arrays import Array
    from hologram.ops.table import Spec

__all__ = ["ResidentArray", "device_empty", "to_device", "to_host"]


class ResidentArray(_native.DeviceArray):
    """An array on a device, C-contiguous, of up to four dimensions; `to_device` and
    `device_empty` make them. Kernels take it where they take an array, launches run on its
    device, and after an error it holds what it held before. A launch on a CUDA device may
    return before it is done; wait() waits, and copies to the host do so themselves. Its memory
    is given back with the last array that shares it. Threads may use it together as they may
    memory of the host."""

    _dtype: np.dtype[Any]
    _root: object  # the same for arrays that share their memory

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of its elements, as NumPy has it."""
        return self._dtype

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return len(self.shape)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<hologram.ResidentArray of {self.shape} {self.element_type} on {self.device}>"

    def reshape(self, *shape: int | Sequence[int]) -> ResidentArray:
        """The same memory as another shape of as many elements; -1 for one extent that follows from
        the others. Raises ArgumentError."""
        given = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        extents = _extents(given)
        if extents.count(-1) == 1:
            rest = -math.prod(extents)
            fits = rest > 0 and self.size % rest == 0
            extents = tuple(self.size // rest if n == -1 else n for n in extents) if fits else ()
        if math.prod(extents) != self.size or -1 in extents:
            raise ArgumentError(f"{self.size} elements have no shape {shown(given)}")
        return _made(self.element_type, extents, self, self._dtype)

    def shares_memory(self, other: ResidentArray) -> bool:
        """Whether it is the same memory as another array; of memory of others nothing is known."""
        return self._root is other._root

    def copy_from(self, array: object) -> None:
        """Writes an array of the host, of the same shape and type. Raises ArgumentError."""
        source = read("copy_from", "array", array)
        if source.shape != self.shape or source.dtype != self._dtype:
            raise ArgumentError(
                f"copy_from: expected {self.shape} elements of {self._dtype}, found "
                f"{source.shape} of {source.dtype}"
            )
        self._write(_bytes_of(_without_gaps(source)))

    def to_host(self, out: Array | None = None) -> Array:
        """Its elements as a NumPy array: a new one, or `out`, which has the same shape and type
        and no gaps. Raises ArgumentError."""
        if out is None:
            out = np.empty(self.shape, self._dtype)
        elif (
            not isinstance(out, np.ndarray)
            or (out.shape, out.dtype) != (self.shape, self._dtype)
            or not (out.flags.c_contiguous and out.flags.writeable)
        ):
            raise ArgumentError(
                f"to_host: 'out' expects a NumPy array of {self.shape} elements of {self._dtype} "
                "without gaps"
            )
        self._read(_bytes_of(out))
        return out

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """For PyTorch, CuPy, Numba and JAX: the same memory, of an array on a CUDA device. From now
        on launches on it wait for what was asked of the device before, and are done when they
        return, so there is no stream to wait for."""
        if not self.device.startswith("cuda"):
            raise AttributeError(f"the array is on {self.device}")
        return {
            "shape": self.shape,
            "typestr": self._dtype.str,
            "data": (self._pointer, False),
            "version": 3,
            "strides": None,
            "stream": None,
        }

    def __array__(self, *_: object, **__: object) -> NoReturn:
        raise ArgumentError(f"the array is on {self.device}; hologram.to_host() copies it")


def to_device(array: object, device: str | None = None) -> ResidentArray:
    """A copy of an array of the host (NumPy, the buffer protocol, DLPack; any strides) on a device:
    "cuda:1", "cuda" or "opencl" for the one that the engine uses, None for the first there is. Of
    an array of bool its bytes, as u8. An array that is on a CUDA device already (of PyTorch, CuPy,
    Numba or JAX: `__cuda_array_interface__`, or DLPack), without gaps, is not copied: it is the
    same memory, and launches wait for what was asked of the device before. Raises ArgumentError for
    elements that kernels do not have and for no name of a device, UnsupportedError where the device
    is not there or not used, ResourceLimitError where it has no room."""
    if isinstance(array, ResidentArray):
        if device in (None, array.device, array.device.partition(":")[0]):
            return array
        return to_device(array.to_host(), device)
    if not isinstance(array, np.ndarray):
        interface = getattr(array, "__cuda_array_interface__", None)
        if interface is not None:
            return _borrowed(array, interface, device)
        if _is_cuda(array):
            return _of_capsule(array, device)
    source = _without_gaps(read("to_device", "array", array))
    if source.dtype == BOOL:
        source = source.view(np.uint8)
    made = _made(kind_of("to_device", "array", source), source.shape, device, source.dtype)
    made._write(_bytes_of(source))
    return made


def _borrowed(array: Any, interface: dict[str, Any], device: str | None) -> ResidentArray:
    """An array of others on a CUDA device, in place."""
    shape, dtype, pointer, read_only = _fields(interface)
    if dtype == BOOL:
        dtype = np.dtype(np.uint8)
    kind = kind_of("to_device", "array", np.empty(0, dtype))
    strides = interface.get("strides")
    if strides is not None and math.prod(shape) != 0 and tuple(strides) != _strides(shape, dtype):
        raise ArgumentError("to_device: 'array' has gaps on its device; make it contiguous there")
    if read_only:
        raise ArgumentError("to_device: 'array' is read-only on its device")
    ordinal = getattr(getattr(array, "device", None), "index", None) or 0
    source = (_place_of(ordinal, device), pointer, array)
    return _made(kind, shape, source, dtype)


_CUDA = (2, 13)  # kinds of memory of DLPack: of a CUDA device, and one that moves


def _is_cuda(array: object) -> bool:
    """Whether it offers memory of a CUDA device by DLPack."""
    ask = getattr(array, "__dlpack_device__", None)
    place = None if ask is None else ask()
    return isinstance(place, tuple) and place[:1] != () and place[0] in _CUDA


def _of_capsule(array: Any, device: str | None) -> ResidentArray:
    """An array of others on a CUDA device, in place, by DLPack. Launches on it wait for all that
    was asked of the device, so its owner need not."""
    try:
        try:
            capsule = array.__dlpack__(stream=-1, max_version=(1, 0))
        except TypeError:  # before DLPack 1.0
            capsule = array.__dlpack__(stream=-1)
        ordinal, kind, shape, pointer, read_only = _native.read_cuda_capsule(capsule)
    except (BufferError, TypeError, ValueError) as error:
        raise ArgumentError(f"to_device: 'array' {error}") from error
    if read_only:
        raise ArgumentError("to_device: 'array' is read-only on its device")
    place = _place_of(ordinal, device)
    return _made(kind, shape, (place, pointer, capsule), dtype_of(kind))


def _place_of(ordinal: int, device: str | None) -> str:
    place = f"cuda:{ordinal}"
    if device not in (None, "cuda", place):
        raise ArgumentError(f"to_device: 'array' is on {place}, and expected on {device}")
    return place


def _fields(interface: Any) -> tuple[tuple[int, ...], np.dtype[Any], int, bool]:
    """Shape, element type, address and whether it is read-only; others write this, so all is
    checked. Elements under a mask are not values."""
    try:
        shape = tuple(operator.index(extent) for extent in interface["shape"])
        typestr = interface["typestr"]
        dtype = np.dtype(typestr) if isinstance(typestr, str) else None
        address, read_only = interface["data"]
        pointer = operator.index(address or 0)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise ArgumentError(
            f"to_device: 'array' has a wrong __cuda_array_interface__: {error}"
        ) from error
    if dtype is None:
        raise ArgumentError(
            f"to_device: 'array' has elements of {typestr!r}, which it does not take"
        )
    if interface.get("mask") is not None:
        raise ArgumentError("to_device: 'array' has a mask, which it does not take")
    size = math.prod(shape) * dtype.itemsize
    if min(shape, default=0) < 0 or size >= 2**63 or not 0 <= pointer <= 2**64 - 1 - size:
        raise ArgumentError(f"to_device: no array has the shape {shape} at {pointer:#x}")
    return shape, dtype, pointer, bool(read_only)


def _strides(shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[int, ...]:
    """Bytes from one element to the next along each dimension, without gaps."""
    return tuple(dtype.itemsize * math.prod(shape[d + 1 :]) for d in range(len(shape)))


def device_empty(
    shape: int | Sequence[int], dtype: object = "f32", device: str | None = None
) -> ResidentArray:
    """An array of arbitrary content on a device. `dtype` is `f32` of hologram.lang or its name
    (but "i8" and "u8", which NumPy has for 8 bytes), or a NumPy type; `device` and errors are those
    of to_device."""
    kind = dtype if isinstance(dtype, str) else repr(dtype)
    if kind not in CODES or (dtype == kind and kind in ("i8", "u8")):
        try:
            kind = kind_of("device_empty", "dtype", np.empty(0, cast("Any", dtype)))
        except TypeError:
            raise ArgumentError(
                f"device_empty: 'dtype' expects an element type, found {shown(dtype)}"
            ) from None
    extents = _extents((shape,) if isinstance(shape, int) else shape)
    if any(extent < 0 for extent in extents):
        raise ArgumentError(f"device_empty: no array has the shape {shown(shape)}")
    return _made(kind, extents, device, dtype_of(kind))


def to_host(array: object, out: Array | None = None) -> Array:
    """The elements of an array on a device as a NumPy array, a new one or `out`; an array of the
    host as it is. Raises ArgumentError."""
    if isinstance(array, ResidentArray):
        return array.to_host(out)
    source = read("to_host", "array", array)
    if out is None:
        return source
    out[...] = source
    return out


def _extents(shape: object) -> tuple[int, ...]:
    try:
        return tuple(operator.index(extent) for extent in shape)  # type: ignore[attr-defined]
    except TypeError:
        raise ArgumentError(f"expected a shape, found {shown(shape)}") from None


def _made(
    kind: str,
    shape: tuple[int, ...],
    source: str | None | ResidentArray | tuple[str, int, object],
    dtype: np.dtype[Any],
) -> ResidentArray:
    try:
        made = ResidentArray(kind, shape, source)
    except ValueError as error:
        raise ArgumentError(str(error)) from None
    made._dtype = dtype
    made._root = source._root if isinstance(source, ResidentArray) else object()
    return made


def empty_of(kind: str, shape: tuple[int, ...], device: str) -> ResidentArray:
    """An array of arbitrary content, of an element type by its own name."""
    return _made(kind, shape, device, dtype_of(kind))


def viewed(array: ResidentArray, dtype: np.dtype[Any]) -> ResidentArray:
    """The same memory as elements of another type, as large ones."""
    if array.dtype == dtype:
        return array
    kind = kind_of("view", "dtype", np.empty(0, dtype))
    return _made(kind, array.shape, array, dtype)


def _without_gaps(array: Array) -> Array:
    """Itself, or a copy; numpy.ascontiguousarray makes a dimension where there is none."""
    return array if array.flags.c_contiguous else array.copy()


def _bytes_of(array: Array) -> Array:
    """The same memory, in one dimension."""
    return array.reshape(-1).view(np.uint8)


# ---- Operations


class OneShape:
    """The arrays of an operation in one shape, to which they are broadcast, on one device; `named`
    are its arguments with their names. Raises ArgumentError naming what differs."""

    def __init__(self, op: str, named: Iterable[tuple[str, object]]) -> None:
        from hologram.ops.resident_moves import broadcast_shape, spread

        self.op = op
        given = list(named)
        self._like = next(v for _, v in given if isinstance(v, ResidentArray))
        arrays = {n: v for n, v in given if isinstance(v, ResidentArray)}
        for name, value in given:
            if isinstance(value, ResidentArray):
                self._check_place(name, value)
            elif not isinstance(value, (int, float)) and hasattr(value, "shape"):
                raise ArgumentError(
                    f"{op}: '{name}' is on the host, and others are on {self._like.device}"
                )
        self.shape = broadcast_shape(op, list(arrays), list(arrays.values()))
        self.size = math.prod(self.shape)
        self.values = [
            spread(value, self.shape) if isinstance(value, ResidentArray) else value
            for _, value in given
        ]
        self.named = [(n, v) for (n, _), v in zip(given, self.values, strict=True)]

    def _check_place(self, name: str, value: ResidentArray) -> None:
        if value.device != self._like.device:
            raise ArgumentError(
                f"{self.op}: '{name}' is on {value.device}, and others are on {self._like.device}"
            )

    def check(self, name: str, value: object, kind: str = "") -> None:
        """Whether it is an array like the others, of a type, if that is given."""
        if not isinstance(value, ResidentArray):
            raise ArgumentError(f"{self.op}: '{name}' expects an array on {self._like.device}")
        if kind and value.element_type != kind:
            raise ArgumentError(f"{self.op}: '{name}' is {value.element_type}, and others {kind}")
        if value.shape != self.shape:
            raise ArgumentError(
                f"{self.op}: '{name}' has the shape {value.shape}, and others {self.shape}"
            )
        self._check_place(name, value)

    def outputs(self, kinds: Sequence[str], out: Any, is_tuple: bool) -> list[ResidentArray]:
        """The arrays of the results: new ones, or those that were given."""
        given = out if is_tuple else (out,)
        if out is None:
            if "bool" in kinds:
                raise ArgumentError(f"{self.op}: on devices there are no arrays of bool")
            return [empty_of(kind, self.shape, self._like.device) for kind in kinds]
        if not isinstance(given, (tuple, list)) or len(given) != len(kinds):
            raise ArgumentError(f"{self.op}: 'out' expects a tuple of {len(kinds)} arrays")
        for value, kind in zip(given, kinds, strict=True):
            self.check("out", value, kind)
        return list(given)


_KERNELS: dict[tuple[str, np.dtype[Any], bool], _native.Kernel] = {}  # by what chose them


def _same_arrays(
    spec: Spec, values: Sequence[object], out: object, fast: bool
) -> ResidentArray | None:
    """The operation on arrays of one type and shape, which is most calls; None: something else was
    given, or nothing is known of this type yet."""
    first = values[0]
    if type(first) is not ResidentArray or first.size == 0:
        return None
    dtype, shape = first._dtype, first.shape
    kernel = _KERNELS.get((spec.name, dtype, fast))
    if kernel is None:
        return None
    for value in values if out is None else (*values, out):
        if (
            type(value) is not ResidentArray
            or (value._dtype is not dtype and value._dtype != dtype)
            or value.shape != shape
        ):
            return None
    target = out
    if target is None:
        target = _made(first.element_type, shape, first.device, dtype)
    kernel(*values, target, first.size)
    return cast("ResidentArray", target)


def elementwise(
    spec: Spec, values: Sequence[object], scalars: Sequence[object], out: object, fast: bool
) -> ResidentArray:
    """An operation of hologram.ops on elements; a plain number stands for an array of it."""
    if not scalars:
        direct = _same_arrays(spec, values, out, fast)
        if direct is not None:
            return direct
    op = spec.name
    shape = OneShape(op, zip(spec.arrays, values, strict=True))
    arrays = [value for value in values if isinstance(value, ResidentArray)]
    kind = arrays[0].element_type
    if kind not in spec.types:
        raise ArgumentError(
            f"{op}: '{spec.arrays[0]}' is {kind}, which has no such operation; "
            f"expected {', '.join(spec.types)}"
        )
    operands: list[ResidentArray] = []
    for name, value in shape.named:
        operand = value
        if is_scalar(value):
            whole = np.full(shape.shape, constant(op, name, value, kind))
            operand = to_device(whole, arrays[0].device)
        shape.check(name, operand, kind)
        operands.append(cast("ResidentArray", operand))
    [target] = shape.outputs([kind], out, False)
    for parameter, scalar in zip(spec.scalars, scalars, strict=True):
        constant(op, parameter, scalar, kind)
    name = f"{spec.kernel_of(kind)}_{kind}"
    if fast and spec.fast and kind == "f32":
        name = f"op_{op}_fast"
    kernel = library.kernel(name)
    if shape.size != 0:
        kernel(*operands, target, *scalars, shape.size)
    _KERNELS[spec.name, arrays[0].dtype, fast] = kernel
    return target
