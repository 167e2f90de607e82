"""Operations of hologram.ops that move elements of arrays of a device: copies, transposes, casts,
choices, numbers everywhere, and shapes that are broadcast. The kernels are those of the host.

Arrays are C-contiguous there, so each move is that of a few groups of neighbouring dimensions: a
launch has three, and what needs more takes several launches.
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hologram import library
from hologram.errors import ArgumentError
from hologram.ops.arrays import CODES, constant, dtype_of, is_scalar, kind_of, shown
from hologram.ops.resident import ResidentArray, empty_of, viewed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hologram._native import Kernel

_BITS = {1: "u8", 2: "u16", 4: "u32", 8: "u64"}
_MOST_BLOCKS = 65535  # along y and z on CUDA devices
_LANES = 256
_MOST_PLANES = 64  # of a block

Shape = tuple[int, ...]


def _resident(op: str, name: str, value: object, device: str) -> ResidentArray:
    if not isinstance(value, ResidentArray) or value.device != device:
        where = value.device if isinstance(value, ResidentArray) else "on the host"
        raise ArgumentError(f"{op}: '{name}' expects an array on {device}, and it is {where}")
    return value


def _target(op: str, out: object, shape: Shape, like: ResidentArray, kind: str) -> ResidentArray:
    if out is None:
        return empty_of(kind, shape, like.device)
    target = _resident(op, "out", out, like.device)
    if target.shape != shape or target.element_type != kind:
        raise ArgumentError(
            f"{op}: 'out' expects {shape} elements of {kind}, found {target.shape} of "
            f"{target.element_type}"
        )
    return target


def _bits(array: ResidentArray) -> ResidentArray:
    """The same memory as unsigned integers."""
    return viewed(array, dtype_of(_BITS[array.dtype.itemsize]))


def _kernel(name: str, *arrays: ResidentArray) -> Kernel:
    return library.kernel(f"op_{name}_{_BITS[arrays[-1].dtype.itemsize]}")


def _apart(op: str, x: ResidentArray, target: ResidentArray) -> None:
    if x.shares_memory(target):
        raise ArgumentError(f"{op}: 'out' and 'x' are the same memory")


def _move(x: ResidentArray, target: ResidentArray, extents: Shape, strides: Shape) -> None:
    """target[i, j, k] = x[i * strides[0] + j * strides[1] + k * strides[2]], of three extents."""
    if target.size == 0:
        return
    planes, rows, columns = extents
    block = [1, 1, 1]
    while -(-planes // block[2]) > _MOST_BLOCKS and block[2] < _MOST_PLANES:
        block[2] *= 2
    while -(-rows // block[1]) > _MOST_BLOCKS and block[1] * block[2] < _LANES:
        block[1] *= 2
    while block[0] < columns and math.prod(block) < _LANES:
        block[0] *= 2
    while block[1] < rows and math.prod(block) < _LANES:
        block[1] *= 2
    grid = tuple(-(-n // b) for n, b in zip((columns, rows, planes), block, strict=True))
    launch: Any = _kernel("copy_strided", x)[grid, tuple(block)]
    launch(_bits(x), _bits(target), *extents, 0, *strides, rows * columns, columns, 1)


def copy(x: ResidentArray, out: object) -> ResidentArray:
    """hologram.ops.copy."""
    target = _target("copy", out, x.shape, x, x.element_type)
    if target.size and not x.shares_memory(target):
        _kernel("copy", x)(_bits(x), _bits(target), x.size)
    return target


def cast(x: ResidentArray, dtype: object, out: object) -> ResidentArray:
    """hologram.ops.cast."""
    wanted = dtype_of(dtype) if isinstance(dtype, str) and dtype in CODES else dtype
    try:
        kind = kind_of("cast", "dtype", np.empty(0, wanted))
    except TypeError:
        raise ArgumentError(f"cast: 'dtype' expects a type, found {shown(dtype)}") from None
    target = _target("cast", out, x.shape, x, kind)
    if kind == x.element_type:
        return copy(x, target)
    _apart("cast", x, target)
    if target.size:
        library.kernel(f"op_cast_{x.element_type}_{kind}")(x, target, x.size)
    return target


def fill(target: ResidentArray, value: Any) -> ResidentArray:
    """hologram.ops.fill."""
    if not isinstance(value, (int, float, np.generic)):
        raise ArgumentError(f"fill: 'value' expects a number, found {shown(value)}")
    number = value.item() if isinstance(value, np.generic) else value
    one = constant("fill", "value", number, target.element_type)
    if target.size:
        bits = int(one.view(dtype_of(_BITS[one.itemsize])))
        _kernel("fill", target)(_bits(target), bits, target.size)
    return target


def where(condition: Any, a: Any, b: Any, out: object) -> ResidentArray:
    """hologram.ops.where; a condition is u8."""
    given = {"condition": condition, "a": a, "b": b}
    like = next(v for v in given.values() if isinstance(v, ResidentArray))
    known = next((v for v in (a, b) if isinstance(v, ResidentArray)), None)
    if known is None:
        raise ArgumentError("where: 'a' expects an array, found a number")
    kind = known.element_type
    arrays: list[ResidentArray] = []
    for name, value in given.items():
        operand = value
        if name != "condition" and is_scalar(value):
            constant("where", name, value, kind)
            operand = fill(empty_of(kind, (), like.device), value)
        array = _resident("where", name, operand, like.device)
        expected = "u8" if name == "condition" else kind
        if array.element_type != expected:
            raise ArgumentError(f"where: '{name}' is {array.element_type}, expected {expected}")
        arrays.append(array)
    shape = broadcast_shape("where", tuple(given), arrays)
    target = _target("where", out, shape, known, kind)
    chosen, *values = (spread(array, shape) for array in arrays)
    if target.size:
        memory = [_bits(array) for array in (*values, target)]
        _kernel("where", known)(chosen, *memory, target.size)
    return target


# ---- Shapes


def broadcast_shape(op: str, names: Sequence[str], arrays: Sequence[ResidentArray]) -> Shape:
    """That of the result, by NumPy's rules."""
    try:
        shape: Shape = np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        found = ", ".join(f"'{n}' {a.shape}" for n, a in zip(names, arrays, strict=True))
        raise ArgumentError(f"{op}: shapes do not fit: {found}") from None
    return shape


def spread(x: ResidentArray, shape: Shape) -> ResidentArray:
    """The array in a shape that its own is broadcast to: itself, or a new one."""
    extents = (1,) * (len(shape) - len(x.shape)) + x.shape
    if x.shape == shape:
        return x
    made = x.reshape(extents)
    # Neighbouring dimensions at once, the last ones first.
    end = len(shape)
    while end > 0:
        begin = end - 1
        if extents[begin] != shape[begin]:
            while begin > 0 and extents[begin - 1] == 1:
                begin -= 1
            outer, count = math.prod(extents[:begin]), math.prod(shape[begin:end])
            inner = math.prod(shape[end:])
            wider = empty_of(x.element_type, (*extents[:begin], *shape[begin:]), x.device)
            _move(made, wider, (outer, count, inner), (inner, 0, 1))
            made = wider
        end = begin
    return made


@functools.cache
def _steps(order: Shape) -> tuple[tuple[Shape, Shape], ...]:
    """A permutation of up to four dimensions as moves of three groups of neighbours: of each the
    cuts between the groups, and their new order."""
    rank = len(order)
    cuts = list(itertools.combinations(range(1, rank), max(min(rank, 3) - 1, 0)))
    start = tuple(range(rank))
    known: dict[Shape, tuple[tuple[Shape, Shape], ...]] = {start: ()}
    reached = [start]
    while order not in known:
        state = reached.pop(0)
        for cut in cuts:
            edges = (0, *cut, rank)
            groups = [state[a:b] for a, b in itertools.pairwise(edges)]
            for turn in itertools.permutations(range(len(groups))):
                made = tuple(itertools.chain(*(groups[g] for g in turn)))
                if made not in known:
                    known[made] = (*known[state], (edges, turn))
                    reached.append(made)
    return known[order]


def transpose(x: ResidentArray, axes: Any, out: object) -> ResidentArray:
    """hologram.ops.transpose."""
    rank = x.ndim
    order: Any = tuple(reversed(range(rank))) if axes is None else axes
    if isinstance(order, tuple) and all(type(axis) is int for axis in order):
        order = tuple(axis + rank if -rank <= axis < 0 else axis for axis in order)
    if not isinstance(order, tuple) or sorted(order) != list(range(rank)):
        raise ArgumentError(
            f"transpose: 'axes' expects each of {rank} axes once, found {shown(axes)}"
        )
    shape = tuple(x.shape[axis] for axis in order)
    target = _target("transpose", out, shape, x, x.element_type)
    steps = _steps(order)
    if not steps:
        return copy(x, target)
    _apart("transpose", x, target)
    now = x
    for number, (edges, turn) in enumerate(steps):
        sizes = [math.prod(now.shape[a:b]) for a, b in itertools.pairwise(edges)]
        strides = [math.prod(sizes[g + 1 :]) for g in range(len(sizes))]
        groups = [now.shape[a:b] for a, b in itertools.pairwise(edges)]
        made = target
        if number + 1 < len(steps):
            turned = tuple(itertools.chain(*(groups[g] for g in turn)))
            made = empty_of(x.element_type, turned, x.device)
        missing = 3 - len(sizes)
        extents = (1,) * missing + tuple(sizes[g] for g in turn)
        _move(now, made, extents, (0,) * missing + tuple(strides[g] for g in turn))
        now = made
    return target
