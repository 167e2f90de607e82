"""hologram.fuse: a function of arrays, made of operations of hologram.ops, as one kernel.

    @hg.fuse
    def f(x, y, a):
        return hg.ops.relu(a * x + y)

    f(x, y, 2.0)                    # one loop over the arrays, a new array
    f(x, y, 2.0, out=z)
    hg.fuse(lambda x: x * x + 1)(x)
    f.circuit(x, y, 2.0)            # the canonical circuit, docs/sigmatics.md
    f.path(x, y, 2.0)               # what runs it: "native (jit, v4)", "interpreter"

At the first call with a signature (which arguments are arrays, of which types, which are numbers)
the function is run once with values that stand for the arrays. What it does with them becomes a
circuit, and that a kernel; equal canonical circuits share one kernel in the whole process. Results
have the bits of the operations called one by one. Thread-safe, as operations are.
"""

from __future__ import annotations

import inspect
import math
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from hologram._native import (
    Bundle,
    DeviceArray,
    canonical_circuit,
    compile_circuit,
    new_fused,
)
from hologram.errors import NOT_COMPILED, ArgumentError, CompileError
from hologram.fusion.circuit_text import arrays_of, write
from hologram.fusion.constants import same_key
from hologram.fusion.forms import stored_as
from hologram.fusion.rows import PARTS, WHOLE, Direct, End, Rows
from hologram.ops.arrays import (
    CODES,
    constant,
    dtype_of,
    is_scalar,
    kind_of,
    new_array,
    output,
    read,
    result,
    shown,
)
from hologram.ops.traced import FLOATS, Graph, Reduced, Traced

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hologram._native import Fused, Kernel
    from hologram.ops.arrays import Array

_Order: TypeAlias = Literal["C", "F"]

_CONSTANTS = (str, bool, type, np.dtype, tuple)  # arguments that a trace knows
_NAME = "hologram_fused"  # of kernels
_MOST_KERNELS = 256  # of the process
_MOST_SIGNATURES = 64  # of a function
_MOST_ELEMENTS = 2**31  # of one launch

_kernels: OrderedDict[str, Kernel] = OrderedDict()  # by canonical text, the last used last
_lock = threading.Lock()


def kernel_of(circuit: str) -> Kernel:
    """The kernel of a canonical circuit, compiled once in the process while it is in use."""
    with _lock:
        found = _kernels.get(circuit)
        if found is not None:
            _kernels.move_to_end(circuit)
            return found
    made = Bundle(compile_circuit(circuit, _NAME), tiered=True).kernel(_NAME)
    with _lock:
        found = _kernels.setdefault(circuit, made)
        while len(_kernels) > _MOST_KERNELS:
            _kernels.popitem(last=False)
    return found


class _Made(NamedTuple):
    """The canonical form of a circuit, its kernel, and the results that are one number for each
    row."""

    circuit: str
    kernel: Kernel
    numbers: list[int]


def _made(text: str) -> _Made:
    canonical, numbers = canonical_circuit(text)
    return _Made(canonical, kernel_of(canonical), numbers)


class Scalar(NamedTuple):
    """A parameter of the kernel: an argument that is a number, as one type."""

    argument: int
    kind: str


class Compiled(NamedTuple):
    """What a function is for one signature."""

    elements: tuple[str, Kernel] | None  # the circuit, element by element, and its kernel
    rows: Rows | None  # or what it is along rows
    arrays: tuple[int, ...]  # the arguments that are arrays
    scalars: tuple[Scalar, ...]
    outputs: tuple[str, ...]  # their types
    is_tuple: bool
    ndim: int | None  # of arrays, where the trace is right for this number alone

    def of(self, shape: tuple[int, ...]) -> tuple[str, Kernel]:
        """The circuit for arrays of this shape, and its kernel."""
        if self.elements is not None:
            return self.elements
        assert self.rows is not None
        return self.rows.of(shape)


class Arguments(NamedTuple):
    """The arguments of a call, in the order of the parameters."""

    signature: tuple[object, ...]  # of each: the type of an array, a number, or a value
    values: tuple[Any, ...]  # arrays on the caller's memory, numbers, values
    shape: tuple[int, ...]


class _Number:
    """In signatures: a number; with a type, one of NumPy or an array without dimensions."""

    def __init__(self, kind: str | None) -> None:
        self.kind = kind


class _Row:
    """In signatures: an array of a type that is not of the shape of the results. "shared": as long
    as the last axis, all rows have it; "column": one number for each row."""

    def __init__(self, kind: str, form: str) -> None:
        self.kind = kind
        self.form = form


_CODES = {"shared": 64, "column": 32}  # of the binding
_ROWS = {(k, form): _Row(k, form) for k in (*CODES, "bool") for form in ("shared", "column")}
_NUMBER = _Number(None)
_NUMBERS = {kind: _Number(kind) for kind in (*CODES, "bool")}


class Function:
    """The calls that are not the common ones, and what a function tells about itself."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.__wrapped__ = function
        self.__name__ = getattr(function, "__name__", "function")
        self.__qualname__ = getattr(function, "__qualname__", self.__name__)
        self.__module__ = getattr(function, "__module__", "hologram")
        self.__doc__ = function.__doc__
        self._name = "lambda" if self.__name__ == "<lambda>" else self.__name__
        self._parameters = inspect.signature(function)
        kinds = {parameter.kind for parameter in self._parameters.parameters.values()}
        if kinds & {inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL}:
            raise ArgumentError(f"{self._name}: a fused function has no *args and **kwargs")
        if inspect.Parameter.KEYWORD_ONLY in kinds:
            raise ArgumentError(f"{self._name}: a fused function has no keyword-only parameters")
        if "out" in self._parameters.parameters:
            raise ArgumentError(f"{self._name}: 'out' is given by the call, not a parameter")
        self._names = tuple(self._parameters.parameters)
        self._compiled: OrderedDict[tuple[object, ...], Compiled] = OrderedDict()
        self._direct: set[tuple[object, ...]] = set()  # along rows, that the binding may have
        self._by_ndim: set[tuple[object, ...]] = set()  # signatures whose trace asked for it
        self._fused: Fused | None = None

    def __call__(self, *arguments: Any, out: Any = None, **named: Any) -> Any:
        if any(isinstance(value, DeviceArray) for value in (*arguments, *named.values())):
            return self._on_device(self._bound(arguments, named), out)
        given = self._read(arguments, named)
        compiled = self._find(given)
        return self._run(compiled, given, out)

    def __repr__(self) -> str:
        """With the engine of the kernel that was compiled last, which a call may be waiting for."""
        state = NOT_COMPILED
        if self._compiled:
            state = f": {next(reversed(self._compiled.values())).of((1,))[1].path}"
        return f"<hologram.Fused {self.__qualname__}{state}>"

    def circuit(self, *arguments: Any, **named: Any) -> str:
        """The canonical circuit for arguments of these types. Raises hologram.Error."""
        given = self._read(arguments, named)
        return self._find(given).of(given.shape)[0]

    def path(self, *arguments: Any, **named: Any) -> str:
        """What runs the function for arguments of these types: 'native (jit, v4)' through the
        compiler plugin, 'native (cache, v4)' from the code cache, or 'interpreter' without either.
        Without arguments: of the signature that was compiled last. Waits until the kernel, which
        runs in the interpreter until then, is compiled."""
        if not arguments and not named:
            if not self._compiled:
                raise ArgumentError(f"{self._name}: nothing is compiled before the first call")
            last = next(reversed(self._compiled.values()))
            kernel = last.of((1,))[1]
        else:
            given = self._read(arguments, named)
            kernel = self._find(given).of(given.shape)[1]
        kernel.wait()
        return kernel.path

    # ---- Arguments

    def _bound(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        if not named and len(arguments) == len(self._names):
            return arguments
        try:
            bound = self._parameters.bind(*arguments, **named)
        except TypeError as error:
            raise ArgumentError(f"{self._name}: {error}") from None
        bound.apply_defaults()
        return bound.args

    def _read(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> Arguments:
        values: list[Any] = []
        for name, value in zip(self._names, self._bound(arguments, named), strict=True):
            if is_scalar(value) and not isinstance(value, bool):
                values.append(value)
            elif isinstance(value, _CONSTANTS) or value is None or callable(value):
                values.append(_Value(value, self._name, name))
            else:
                values.append(read(self._name, name, value))
        dense = [value for value in values if isinstance(value, np.ndarray) and value.ndim]
        if not dense:  # all without dimensions: arrays of one element
            dense = [value for value in values if isinstance(value, np.ndarray)]
        if not dense:
            raise ArgumentError(f"{self._name}: expected an array among the arguments")
        try:
            shape = np.broadcast_shapes(*(array.shape for array in dense))
        except ValueError:
            raise self._wrong_shapes(values) from None
        signature: list[object] = []
        for k, (name, value) in enumerate(zip(self._names, values, strict=True)):
            if isinstance(value, np.ndarray):
                kind = kind_of(self._name, name, value, ("bool",))
                if value.ndim == 0 and shape != ():
                    signature.append(_NUMBERS[kind])
                    values[k] = value.item()
                    continue
                form = _form(value.shape, shape)
                if form is None:
                    raise self._wrong_shapes(values)
                signature.append(_ROWS[kind, form] if form else kind)
            elif isinstance(value, _Value):
                signature.append(value)
            else:
                signature.append(_NUMBER)
        return Arguments(tuple(signature), tuple(values), shape)

    def _wrong_shapes(self, values: Sequence[Any]) -> ArgumentError:
        shapes = ", ".join(
            f"'{name}' {value.shape}"
            for name, value in zip(self._names, values, strict=True)
            if isinstance(value, np.ndarray)
        )
        return ArgumentError(
            f"{self._name}: the arrays of a fused function have one shape, or are a row of it or a "
            f"column, found {shapes}; numpy.broadcast_to(x, shape).copy() gives one"
        )

    # ---- Compiling

    def _find(self, given: Arguments) -> Compiled:
        found = self._compiled.get(self._key(given))
        if found is not None:
            return found
        compiled = self._compile(given)
        self._keep(given, compiled)
        return compiled

    def _keep(self, given: Arguments, compiled: Compiled) -> None:
        if compiled.ndim is not None:
            if len(self._by_ndim) >= _MOST_SIGNATURES:
                self._by_ndim.clear()
            self._by_ndim.add(given.signature)
        self._compiled[self._key(given)] = compiled
        while len(self._compiled) > _MOST_SIGNATURES:
            self._compiled.popitem(last=False)
        if compiled.elements is not None:
            self._add(compiled, given, Direct(compiled.elements[1]))

    def _key(self, given: Arguments) -> tuple[object, ...]:
        by_ndim = given.signature in self._by_ndim
        return (*given.signature, len(given.shape)) if by_ndim else given.signature

    def _add(
        self,
        compiled: Compiled,
        given: Arguments,
        direct: Direct,
    ) -> None:
        """Leaves the calls with this signature to the binding, if it can have them."""
        codes: list[int] = []
        for kind in given.signature:
            name = kind.kind if isinstance(kind, _Row) else kind
            if kind is _NUMBER:
                codes.append(-1)
            elif isinstance(name, str) and name not in ("bool", "bf16"):
                codes.append(CODES[name] + (_CODES[kind.form] if isinstance(kind, _Row) else 0))
            else:
                return
        if self._fused is None or any(kind in ("bool", "bf16") for kind in compiled.outputs):
            return
        self._fused._add_kernel(
            direct.kernel,
            tuple(codes),
            tuple((scalar.argument, CODES[scalar.kind]) for scalar in compiled.scalars),
            tuple(CODES[kind] for kind in compiled.outputs),
            compiled.is_tuple,
            direct.over,
            direct.keepdims,
            compiled.ndim or 0,
            direct.cut,
            direct.joins,
        )

    def _compile(self, given: Arguments) -> Compiled:
        graph = Graph(self._name, len(given.shape))
        arrays: list[int] = []
        values: list[Any] = []
        for k, (name, kind) in enumerate(zip(self._names, given.signature, strict=True)):
            if isinstance(kind, str):
                values.append(Traced(graph, kind, len(arrays), name))
                arrays.append(k)
            elif isinstance(kind, _Row):
                values.append(Traced(graph, kind.kind, len(arrays), name))
                arrays.append(k)
            elif isinstance(kind, _Value):
                values.append(kind.value)
            elif isinstance(kind, _Number) and kind.kind is not None:
                values.append(Traced(graph, kind.kind, graph.scalar(k, kind.kind), name))
            else:
                values.append(Traced(graph, None, k, name))
        returned = self.__wrapped__(*values)
        outputs = returned if isinstance(returned, (tuple, list)) else (returned,)
        kinds = tuple(self._output_kind(graph, value) for value in outputs)
        if not outputs:
            raise ArgumentError(f"{self._name}: returns no array")
        stored = [stored_as(_kind_of_array(given.signature[k])) for k in arrays]
        sources = [value.source for value in outputs]
        results = [stored_as(kind) for kind in kinds]
        kinds_of_arrays = [given.signature[k] for k in arrays]
        forms = [kind.form if isinstance(kind, _Row) else "" for kind in kinds_of_arrays]
        if any(forms):
            self._check_shapes(sources, forms)
        ends = self._ends(outputs)
        elements: tuple[str, Kernel] | None = None
        rows: Rows | None = None
        if ends or any(forms):

            def find(cut: bool) -> tuple[str, Kernel]:
                # The parts of one row, which are its own arrays; a column has its number for each.
                own = ["column" if form == "column" else "" for form in forms]
                text = write(
                    *(graph, stored, sources, results, own if cut else forms),
                    PARTS if cut else WHOLE,
                )
                made = self._made_of_rows(text)
                if not ends:
                    self._check_numbers(made.numbers)
                return made.circuit, made.kernel

            last = any(isinstance(value, Reduced) and value.axis == -1 for value in outputs)
            rows = Rows(self._name, find, forms, ends, last)
        else:
            whole = _made(write(graph, stored, sources, results))
            elements = whole.circuit, whole.kernel
        return Compiled(
            elements,
            rows,
            tuple(arrays),
            tuple(Scalar(*key) for key in graph.scalars),
            kinds,
            isinstance(returned, (tuple, list)),
            graph.ndim if graph.uses_ndim else None,
        )

    def _check_shapes(self, sources: Sequence[object], forms: Sequence[str]) -> None:
        """A result of nothing but shared arrays, or columns, would have their shape."""
        for k, source in enumerate(sources):
            read = {forms[array] for array in arrays_of(source)}
            if read in ({"shared"}, {"column"}):
                what = "arrays alone that rows share" if read == {"shared"} else "columns alone"
                raise ArgumentError(
                    f"{self._name}: result {k} is of {what}; make it another function"
                )

    def _made_of_rows(self, text: str) -> _Made:
        try:
            return _made(text)
        except CompileError as error:
            # Only the rules of circuits find that what is reduced does not depend on the element.
            if "takes a vector" not in str(error):
                raise
            raise ArgumentError(
                f"{self._name}: what is reduced is of columns alone, whatever the other arrays "
                "hold; reduce it by hologram.ops"
            ) from None

    def _check_numbers(self, numbers: Sequence[int]) -> None:
        """What is the same for all elements of a row, by the rules of circuits too, would be one
        number for each row."""
        for k in numbers:
            raise ArgumentError(
                f"{self._name}: result {k} is of columns alone, whatever the other arrays hold; "
                "make it another function"
            )

    def _ends(self, outputs: Sequence[Any]) -> list[End]:
        """The reductions that end the function, all of one kind of axes, or none."""
        found = [value for value in outputs if isinstance(value, Reduced)]
        if found and len(found) != len(outputs):
            raise ArgumentError(f"{self._name}: returns reductions beside arrays; make it two")
        if len({value.axis for value in found}) > 1:
            raise ArgumentError(
                f"{self._name}: reduces all elements and the last axis; make it two functions"
            )
        return [End(value.op, value.kind, value.keepdims) for value in found]

    def _output_kind(self, graph: Graph, value: Any) -> str:
        if not isinstance(value, (Traced, Reduced)) or value.graph is not graph:
            raise ArgumentError(f"{self._name}: returns {value!r}, which it has not computed")
        if value.kind is None:
            raise ArgumentError(f"{self._name}: returns the number '{value.label}', not an array")
        return value.kind

    # ---- Running

    def _on_device(self, values: tuple[Any, ...], out: Any) -> Any:
        """Arrays on one device, element by element."""
        from hologram.ops.resident import OneShape

        shape = OneShape(self._name, zip(self._names, values, strict=True))
        values = tuple(shape.values)
        given = Arguments(
            tuple(_signed(self._name, *pair) for pair in shape.named), values, shape.shape
        )
        compiled = self._find(given)
        if compiled.elements is None:
            raise ArgumentError(f"{self._name}: on devices a function is element by element")
        scalars = [self._number(values[k], k, kind) for k, kind in compiled.scalars]
        outs = shape.outputs(compiled.outputs, out, compiled.is_tuple)
        if shape.size != 0:
            arrays = [values[k] for k in compiled.arrays]
            compiled.elements[1](*arrays, *scalars, *outs, shape.size)
        return tuple(outs) if compiled.is_tuple else outs[0]

    def _run(self, compiled: Compiled, given: Arguments, out: Any) -> Any:
        inputs = [_spread_out(given.values[k]) for k in compiled.arrays]
        outs = self._outputs(compiled, given.shape, out, _order(inputs))
        rows = compiled.rows
        scalars = [self._number(given.values[k], k, kind) for k, kind in compiled.scalars]
        flat = self._flat(inputs, outs, compiled)
        for k, array in enumerate(outs):
            self._check_overlap(array, inputs, compiled)
            if any(np.may_share_memory(array, other) for other in outs[:k]):
                raise ArgumentError(f"{self._name}: two results in 'out' share memory")
        if rows is not None:
            if math.prod(given.shape) != 0:
                rows.run(flat[: len(inputs)], scalars, flat[len(inputs) :], given.shape)
                direct = rows.direct(given.shape)
                key = (self._key(given), direct is not None and direct.cut is not None)
                if direct is not None and key not in self._direct:
                    if len(self._direct) >= _MOST_SIGNATURES:
                        self._direct.clear()
                    self._direct.add(key)
                    self._add(compiled, given, direct)
            else:
                rows.empty(outs, given.shape)
        else:
            assert compiled.elements is not None
            for first in range(0, outs[0].size, _MOST_ELEMENTS):
                parts = [line[first : first + _MOST_ELEMENTS] for line in flat]
                inner = parts[: len(inputs)], parts[len(inputs) :]
                compiled.elements[1](*inner[0], *scalars, *inner[1], parts[0].size)
        if not compiled.is_tuple:
            return result(out, outs[0])
        return tuple(result(None if out is None else out[k], array) for k, array in enumerate(outs))

    def _outputs(
        self, compiled: Compiled, shape: tuple[int, ...], out: Any, order: _Order
    ) -> list[Array]:
        kinds = compiled.outputs
        given = (out,) if out is None or not compiled.is_tuple else out
        if out is not None and compiled.is_tuple:
            if not isinstance(out, (tuple, list)) or len(out) != len(kinds):
                raise ArgumentError(f"{self._name}: 'out' expects a tuple of {len(kinds)} arrays")
        else:
            given = given * len(kinds)
        if compiled.rows is not None and compiled.rows.ends:
            return compiled.rows.outputs(shape, given)
        if compiled.rows is not None:
            order = "C"
        dtypes = [np.dtype(np.bool_) if kind == "bool" else dtype_of(kind) for kind in kinds]
        return [
            new_array(shape, dtype, order) if one is None else output(self._name, one, shape, dtype)
            for dtype, one in zip(dtypes, given, strict=True)
        ]

    def _number(self, value: Any, argument: int, kind: str) -> Any:
        if kind == "bool":
            return int(bool(value))
        made = constant(self._name, self._names[argument], value, kind).item()
        return float(made) if kind in FLOATS else int(made)

    def _flat(
        self,
        inputs: Sequence[Array],
        outs: Sequence[Array],
        compiled: Compiled,
    ) -> list[Array]:
        """All arrays as lines in the order of their memory, bool as u8."""
        arrays = [*inputs, *outs]
        if not all(array.flags.c_contiguous for array in arrays):
            turned = all(array.flags.f_contiguous for array in arrays)
            if not turned or compiled.rows is not None:
                names = [*(self._names[k] for k in compiled.arrays), *("out" for _ in outs)]
                name = next(
                    n for n, a in zip(names, arrays, strict=True) if not a.flags.c_contiguous
                )
                raise ArgumentError(
                    f"{self._name}: '{name}' has gaps or another order of its elements than the "
                    "other arrays or the result; a fused function takes arrays of one layout, "
                    "without gaps; hologram.ops.copy makes one"
                )
            arrays = [array.T for array in arrays]
        lines = [array.reshape(-1) for array in arrays]
        return [
            cast("Array", line.view(np.uint8)) if line.dtype == np.bool_ else line for line in lines
        ]

    def _check_overlap(self, out: Array, inputs: Sequence[Array], compiled: Compiled) -> None:
        for k, array in zip(compiled.arrays, inputs, strict=True):
            same = array.ctypes.data == out.ctypes.data and array.strides == out.strides
            same = same and array.shape == out.shape
            if not (same and array.dtype == out.dtype) and np.may_share_memory(array, out):
                raise ArgumentError(
                    f"{self._name}: 'out' overlaps '{self._names[k]}', and is not the same array"
                )


def _signed(function: str, name: str, value: Any) -> object:
    """An argument of a call on a device in its signature."""
    if isinstance(value, DeviceArray):
        return value.element_type
    if is_scalar(value) and not isinstance(value, bool):
        return _NUMBER
    return _Value(value, function, name)


def _spread_out(array: Array) -> Array:
    """The array, or a copy of one that was broadcast, in which many places are one."""
    for extent, stride in zip(array.shape, array.strides, strict=True):
        if stride == 0 and extent > 1:
            return np.ascontiguousarray(array)
    return array


def _order(arrays: Sequence[Array]) -> _Order:
    """That of new results: column-major if all arrays are."""
    turned = all(array.flags.f_contiguous for array in arrays)
    return "F" if turned and not all(array.flags.c_contiguous for array in arrays) else "C"


def _form(own: tuple[int, ...], shape: tuple[int, ...]) -> str | None:
    """What an array is beside results of a shape: "" of this shape, "shared", "column", or None."""
    if own == shape:
        return ""
    if len(shape) > 1 and own[-1] == shape[-1] and math.prod(own[:-1]) == 1:
        return "shared"
    return "column" if own == (*shape[:-1], 1) else None


def _kind_of_array(kind: object) -> str:
    return kind.kind if isinstance(kind, _Row) else cast("str", kind)


class _Value:
    """An argument that is part of the signature: no array and no number."""

    def __init__(self, value: Any, function: str, name: str) -> None:
        try:
            hash(value)
            self._key = same_key(value)
        except (RecursionError, TypeError):
            raise ArgumentError(
                f"{function}: '{name}' expects an array, a number or a constant, found "
                f"{shown(value)}"
            ) from None
        self.value = value  # kept, so that no other object gets its id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Value) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


def fuse(function: Callable[..., Any], /) -> Fused:
    """Makes a function of arrays one kernel: `@hg.fuse` or `hg.fuse(lambda x, y: ...)`.

    The function takes arrays and numbers, computes with operators (those of hologram.ops: `+` is
    ops.add, `**` ops.pow, comparisons give bool) and operations of hologram.ops on elements, and
    returns one value or a tuple. Other arguments (texts, bool, None, types, tuples, functions) are
    constants of the trace. Called with `out=` (a tuple for several results) it writes there.

    It may end with sum, mean, min or max of hologram.ops, of all elements or the last axis, of f32
    and f64: then it returns these alone.

    Arrays have one shape (..., m), or are a row of it (m,), which all rows then share, or a column
    (..., 1) of one number for each row, and lie alike without gaps: new results of column-major
    arrays, which are possible on elements alone, are column-major too; a number or an array without
    dimensions stands for an array of the type beside it. One that was broadcast is copied. Raises
    ArgumentError with the argument's name, and for what a trace cannot have: a condition on values,
    an index, a function of NumPy.
    """
    if not callable(function):
        raise ArgumentError(f"fuse: expected a function, found {function!r}")
    return fused_with(function)[0]


def fused_with(function: Callable[..., Any]) -> tuple[Fused, Function]:
    """The function, and what its uncommon calls go to."""
    slow = Function(function)
    made = new_fused(slow, np.empty)
    slow._fused = made
    return made, slow
