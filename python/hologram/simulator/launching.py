"""A launch: arguments checked, lanes run on copies, results written when all went well."""

from __future__ import annotations

import itertools
import math
import types as python_types
from collections.abc import Callable, Generator, Sequence
from typing import Any

import numpy as np

from hologram.errors import warn
from hologram.frontend.forms.definitions import variant_name
from hologram.functions.arguments import flat
from hologram.simulator import conversions, types
from hologram.simulator.arrays import DTYPES, Array, Memory, Trial, dense
from hologram.simulator.blocks import Block, Meeting, positions
from hologram.simulator.conversions import Value
from hologram.simulator.errors import AssertionFaultError, KernelFaultError, LaunchError
from hologram.simulator.translate import Instance, Kernel, instance, read_kernel

Shape = tuple[int, int, int]
MAX_LANES = 1024
DEFAULT_BLOCK = 256
MOST_SILENT_LANES = 10_000
DEFAULT_BUDGET = 1 << 24
_WIDEST_BORDER = 64  # of an array, in which no lane has work
_MOST_BOXES = 8
_MOST_TRIES = 32  # in one dimension


_warned: set[str] = set()  # kernels that were large


def _warn_if_large(name: str, lanes: int) -> None:
    """Small launches are for debugging, which is what running as Python is for."""
    if lanes <= MOST_SILENT_LANES or name in _warned:
        return
    _warned.add(name)
    warn(
        f"kernel '{name}' runs its {lanes} lanes one by one as plain Python; "
        "to compile it write `@hg.kernel` (import hologram as hg)",
        interpreted=False,
    )


class Launcher:
    """A kernel with a launch: `Launcher(function, grid, block)(a, b, n)`."""

    def __init__(
        self,
        function: object,
        shape: tuple[object, object] = (None, None),
        deterministic: bool = True,
        budget: int = DEFAULT_BUDGET,
        warns: bool = False,
    ) -> None:
        if not isinstance(function, python_types.FunctionType):
            raise LaunchError(f"a kernel is a function of a kernel file, not {function!r}")
        if not isinstance(deterministic, (bool, np.bool_)):
            raise LaunchError(f"deterministic: expected True or False, found {deterministic!r}")
        self._function = function
        self._grid, self._block = shape
        self._deterministic = deterministic
        self._budget = budget
        self._warns = warns

    def __getitem__(self, shape: object) -> Launcher:
        """`launch(k)[grid, block](...)` or `launch(k)[grid](...)`, as of a kernel."""
        both = shape if isinstance(shape, tuple) and len(shape) == 2 else (shape, self._block)
        return Launcher(self._function, both, self._deterministic, self._budget, self._warns)

    def __call__(self, *arguments: Any, **named: Any) -> None:
        kernel = _kernel(self._function)
        bound = self._bound(kernel, arguments, named)
        kernel = bound.kernel
        self._prepare(kernel, bound)
        grid, block = self._resolve(kernel, bound)
        for name in bound.instance.program.unique:
            _check_unique(name, bound.elements(name))
        lane = bound.instance.program.lane
        if self._warns:
            _warn_if_large(kernel.definition.name, math.prod(grid) * math.prod(block))
        lane.grid_dim, lane.block_dim = grid, block
        lane.budget, lane.trial = self._budget, None
        lane.tracks = self._deterministic
        lane.printer.start(bound.instance.meets)
        lane.sums.start()
        try:
            with np.errstate(all="ignore"):
                if self._grid is None:
                    self._refuse_missing_lanes(kernel, bound)
                values = bound.values(self._deterministic)
                body = self._body(bound.instance)
                runner = Block(lane, lambda: body(*values), bound.instance.meets)
                for number, block_id in enumerate(positions(grid)):
                    runner.run(number, block_id)
                lane.sums.commit(bound.instance.program.updates)
        except KernelFaultError as fault:
            lane.printer.end_block(fault.lane)
            lane.printer.finish(True)
            raise fault.with_traceback(_shortened(fault, kernel.source.path)) from None
        lane.printer.finish(False)
        bound.write_back()

    def _bound(
        self, kernel: Kernel, arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> _Arguments:
        """With what forms are in the parameters taken apart."""
        title = kernel.definition.name
        given = _in_order([p.name for p in kernel.written], title, arguments, named)
        try:
            plain, absent = flat(kernel.written, given, title, as_numbers=True)
        except ValueError as error:
            raise LaunchError(str(error)) from None
        kernel = kernel.variants[variant_name(title, absent)]
        return _Arguments(kernel, [plain[str(row["name"])] for row in kernel.parameters])

    def _body(self, instance: Instance) -> Callable[..., Any]:
        """What a lane runs; asked for when all else is ready."""
        return instance.run

    def _prepare(self, kernel: Kernel, bound: _Arguments) -> None:
        wrong = bound.instance.program.order_matters
        if wrong and self._deterministic:
            raise LaunchError(wrong)

    def _resolve(self, kernel: Kernel, bound: _Arguments) -> tuple[Shape, Shape]:
        block = _shape("block", self._block or kernel.block or DEFAULT_BLOCK)
        if math.prod(block) > MAX_LANES:
            raise LaunchError(f"a block has at most {MAX_LANES} lanes, not {math.prod(block)}")
        if self._grid is not None:
            grid = _shape("grid", self._grid)
        else:
            name = kernel.definition.name
            if bound.instance.program.highest_dimension > 0:
                several = self._several(kernel, bound)
                if several is None:
                    raise LaunchError(
                        f"{name} uses ids of more than one dimension, and the lanes that it "
                        f"needs are not known; pass a grid: {self._advice(name)}"
                    )
                return several
            sizes = [len(bound.arrays[written]) for written in bound.instance.program.written]
            if not sizes:
                raise LaunchError(f"{name} writes no array; pass a grid: {self._advice(name)}")
            grid = (-(-max(sizes) // block[0]), 1, 1)
        if math.prod(grid) * math.prod(block) >= 1 << 32:
            raise LaunchError("a launch has less than 2^32 lanes")
        return grid, block

    def _advice(self, name: str) -> str:
        """The call with a grid, as the caller wrote it."""
        called = f"launch({name}, grid=..., block=...)(...)"
        return f"{name}[grid, block](...)" if self._warns else called

    def _several(self, kernel: Kernel, bound: _Arguments) -> tuple[Shape, Shape] | None:
        """The launch that the conditions of the kernel give, in which no lane knows its block, or
        the kernel says it."""
        program = bound.instance.program
        usual = (16, 16) if program.highest_dimension == 1 else (8, 8, 4)
        block = _shape("block", self._block or kernel.block or usual)
        said = _shape("block", kernel.block or 1)
        as_said = said[1:] != (1, 1) and block == said
        knows = program.knows_block or program.uses_block or bound.instance.meets
        if program.uses_grid or (knows and not as_said):
            return None
        lane = program.lane
        lane.grid_dim, lane.block_dim, lane.tracks = (1, 1, 1), block, False
        counts = self._lanes(bound, range(program.highest_dimension + 1))
        if counts is None:
            return None
        grid = [-(-count // size) for count, size in zip(counts, block, strict=True)]
        return (grid[0], grid[1], grid[2]), block

    def _lanes(self, bound: _Arguments, dimensions: range) -> Shape | None:
        """The smallest box from 0 on, as far as it is tried, with all lanes that have work."""
        place = self._first(bound, dimensions)
        counts = [1, 1, 1]
        for _ in range(_MOST_BOXES):
            if place is None:
                return counts[0], counts[1], counts[2]
            for dimension in dimensions:
                count = self._lanes_of(bound, place, dimension)
                if count is None:
                    return None
                counts[dimension] = max(counts[dimension], count)
            place = self._beyond(bound, counts, dimensions)
        return None

    def _first(self, bound: _Arguments, dimensions: range) -> Shape | None:
        """A lane that has work: at 0, or where borders are left out, with equal ids. None: there
        is none, as in arrays that have borders alone."""
        for number in (*range(_WIDEST_BORDER), *(1 << bit for bit in range(6, 31))):
            place = [number if d in dimensions else 0 for d in range(3)]
            if self._works(bound, (place[0], place[1], place[2])):
                return place[0], place[1], place[2]
        return None

    def _beyond(self, bound: _Arguments, counts: list[int], dimensions: range) -> Shape | None:
        """A lane with work just outside of a box."""
        for dimension in dimensions:
            others = [d for d in dimensions if d != dimension]
            lines = [_spread(counts[d]) for d in others]
            for numbers in itertools.product(*lines):
                place = [0, 0, 0]
                place[dimension] = counts[dimension]
                for d, number in zip(others, numbers, strict=True):
                    place[d] = number
                if self._works(bound, (place[0], place[1], place[2])):
                    return place[0], place[1], place[2]
        return None

    def _lanes_of(self, bound: _Arguments, place: Shape, dimension: int) -> int | None:
        """How many lanes have work in one dimension, from one that has; None for no end."""

        def works(number: int) -> bool:
            moved = [*place]
            moved[dimension] = number
            return self._works(bound, (moved[0], moved[1], moved[2]))

        low, high = place[dimension], (1 << 31) - 1  # the first that has none is in (low, high]
        if works(high):
            return None
        while high - low > 1:
            middle = (low + high) // 2
            if works(middle):
                low = middle
            else:
                high = middle
        return high

    def _works(self, bound: _Arguments, place: Shape) -> bool:
        touched, left = self._try_at(bound, place)
        return touched and not left

    def _refuse_missing_lanes(self, kernel: Kernel, bound: _Arguments) -> None:
        """A default launch that leaves work undone: tried with the lanes of one block more."""
        lane = bound.instance.program.lane
        block = lane.block_dim[0]
        lanes = lane.grid_dim[0] * block
        program = bound.instance.program
        if program.uses_grid or program.uses_block or lanes == 0:
            return  # lanes that stride over the data do the work of those that are not there
        far = self._try(bound, (1 << 31) // block)
        near = [self._try(bound, lanes // block, local) for local in range(block)]
        for touched, left in near:
            if touched and not left and (far[1] or not far[0]):
                name = kernel.definition.name
                raise LaunchError(
                    f"{name} has work for more lanes than the {lanes} that its largest output "
                    f"asks for; pass a grid: {self._advice(name)}"
                )

    def _try(self, bound: _Arguments, block: int, local: int = 0) -> tuple[bool, bool]:
        """Whether such a lane would touch an array, and whether it would leave one."""
        size = bound.instance.program.lane.block_dim[0]
        return self._try_at(bound, (block * size + local, 0, 0))

    def _try_at(self, bound: _Arguments, place: Shape) -> tuple[bool, bool]:
        """The same of the lane with these global ids."""
        lane = bound.instance.program.lane
        lane.trial = Trial()
        lane.shared.clear()
        lane.turns.clear()
        sizes = lane.block_dim
        lane.block_id = (place[0] // sizes[0], place[1] // sizes[1], place[2] // sizes[2])
        lane.local_id = (place[0] % sizes[0], place[1] % sizes[1], place[2] % sizes[2])
        lane.global_id = place
        budget, lane.budget = lane.budget, 1 << 12
        left = False
        try:
            result = bound.instance.trial(*bound.values(False))
            if bound.instance.meets:
                _run_alone(result, bound.instance.program.highest_dimension > 0)
        except AssertionFaultError:
            pass  # the lane is done
        except KernelFaultError:
            left = True
        touched = lane.trial.touched
        lane.trial, lane.budget = None, budget
        return touched, left


def _spread(count: int) -> list[int]:
    """Numbers below a count, from the last to the first."""
    tries = min(count, _MOST_TRIES)
    return [k * (count - 1) // max(1, tries - 1) for k in reversed(range(tries))]


def bound_by_parameter(kernel: Kernel, named: dict[str, Any]) -> _Arguments:
    """Arguments by the names of the compiled kernel, in which forms are taken apart; the variant
    without optional arrays that fits. Type variables, which are named too, follow from arrays."""
    for variant in kernel.variants.values():
        types_of = {str(row["name"]): row["type"] for row in variant.parameters}
        given = {
            name: kind["default"]
            for name, kind in types_of.items()
            if isinstance(kind, dict) and kind.get("default") is not None
        }
        given.update((name, value) for name, value in named.items() if name in types_of)
        if given.keys() == types_of.keys() and named.keys() <= {
            *types_of,
            *kernel.scope.type_variables,
        }:
            return _Arguments(variant, [given[name] for name in types_of])
    raise LaunchError(f"{kernel.definition.name} has other parameters than {', '.join(named)}")


def _run_alone(lane: Generator[Meeting, Any, None], through: bool) -> None:
    """Up to a barrier: what comes behind it needs the other lanes. Or through it, as if there were
    none, where only the conditions are asked for."""
    answer = None
    try:
        while True:
            answer = lane.send(answer).value
            if not through:
                return
    except StopIteration:
        return


def _in_order(
    names: Sequence[str], title: str, arguments: Sequence[Any], named: dict[str, Any]
) -> dict[str, Any]:
    """Arguments by parameter, as Python binds them; flat() has the defaults."""
    if len(arguments) > len(names):
        raise LaunchError(f"{title} takes {len(names)} arguments, not {len(arguments)}")
    bound: dict[str, Any] = dict(zip(names, arguments, strict=False))
    for name, value in named.items():
        if name not in names:
            raise LaunchError(f"{title} has no parameter {name}")
        if name in bound:
            raise LaunchError(f"{title} is given {name} twice")
        bound[name] = value
    return bound


class _Arguments:
    """The arguments of one launch."""

    def __init__(self, kernel: Kernel, given: Sequence[Any]) -> None:
        self._kernel = self.kernel = kernel
        self.arrays: dict[str, Any] = {}  # as given, flat, with the gaps between rows
        self._given: dict[str, Any] = {}
        self._shapes: dict[str, tuple[int, ...]] = {}
        self._steps: dict[str, tuple[int, ...]] = {}
        self._scalars: dict[str, Any] = {}
        self._kinds: dict[str, str] = {}
        self._variables: dict[str, str] = {}
        constants: dict[str, int | float] = {}
        rows = list(zip(kernel.parameters, given, strict=True))
        for row, argument in rows:
            name, kind = str(row["name"]), row["type"]
            assert isinstance(kind, dict)
            if kind["kind"] == "device_array":
                self._bind_array(name, kind, argument)
            elif kind["kind"] == "constexpr":
                constants[name] = self._scalars[name] = _plain(name, argument)
        for row, argument in rows:
            name, kind = str(row["name"]), row["type"]
            assert isinstance(kind, dict)
            if kind["kind"] == "scalar":
                written = kind["type"]
                self._kinds[name] = self._variables.get(written, written)
                self._scalars[name] = _scalar(name, self._kinds[name], argument)
        self.instance: Instance = instance(kernel, self._variables, constants)
        self._memories: list[tuple[Any, Memory]] = []
        self._check_memory()

    def _bind_array(self, name: str, described: dict[str, Any], argument: Any) -> None:
        written, rank = described["element_type"]["type"], described.get("rank", 1)
        if not isinstance(argument, np.ndarray):
            raise LaunchError(f"{name} is an array; pass a NumPy array, not {argument!r}")
        says_bf16 = argument.dtype == "V2" or argument.dtype.name == "bfloat16"
        if says_bf16:  # of ml_dtypes, or as NumPy loads such a file
            argument = argument.view(np.uint16)
        variable = self._kernel.scope.type_variables.get(written)
        kind = written
        if variable is not None:
            found = [t for t in variable.types if DTYPES[t] == argument.dtype]
            if says_bf16 or len(found) > 1:  # uint16 is bf16 where it can be nothing else
                found = [t for t in found if (t == "bf16") == says_bf16]
            kind = self._variables.setdefault(written, found[0] if found else variable.types[0])
        bytes_of_bool = kind == "bool" and argument.dtype == np.uint8  # true where not 0
        if (argument.dtype != DTYPES[kind] and not bytes_of_bool) or (says_bf16 and kind != "bf16"):
            hint = ", the bits of bf16" if kind == "bf16" else ""
            raise LaunchError(
                f"{name} is an array of {kind}; pass dtype {DTYPES[kind]}{hint}, not "
                f"{'bfloat16' if says_bf16 else argument.dtype}"
            )
        if rank > 1 and argument.ndim != rank:
            raise LaunchError(f"{name} has {rank} dimensions; the array has {argument.ndim}")
        steps = _steps(argument) if rank > 1 else ()
        if not argument.flags.c_contiguous and not steps:
            raise LaunchError(f"{name} is not contiguous; pass np.ascontiguousarray({name})")
        self._kinds[name] = kind
        self._given[name] = argument
        self._shapes[name] = argument.shape if rank > 1 else (argument.size,)
        self._steps[name] = steps
        self.arrays[name] = _with_gaps(argument, steps) if steps else argument.reshape(-1)

    def elements(self, name: str) -> Any:
        """Those of an array, without gaps."""
        return self._given[name].reshape(-1)

    def _check_memory(self) -> None:
        written = self.instance.program.written
        for name in sorted(written):
            if not self._given[name].flags.writeable:
                raise LaunchError(f"{name} is written by the kernel, but the array is read-only")
            for other, array in self.arrays.items():
                mine = self.arrays[name]
                if other == name or not np.may_share_memory(mine, array):
                    continue
                if not _is_same(mine, array):
                    raise LaunchError(
                        f"{name} is written and shares memory with {other}; a written array may "
                        "be the same as another one, not overlap it"
                    )

    def values(self, tracked: bool) -> list[Any]:
        """The arguments of the translated function; written arrays are copies."""
        program = self.instance.program
        self._memories = []
        result: list[Any] = []
        for row in self._kernel.parameters:
            name = str(row["name"])
            if name in self._scalars:
                result.append(self._scalars[name])
            else:
                memory = self._memory(self.arrays[name], name in program.written, tracked)
                array = Array(name, self._kinds[name], memory, program.lane)
                result.append(array.shaped(self._shapes[name], self._steps[name]))
        return result

    def _memory(self, array: Any, written: bool, tracked: bool) -> Memory:
        for known, memory in self._memories:
            if _is_same(known, array):
                return memory
        shared = written or any(
            _is_same(self.arrays[name], array) for name in self.instance.program.written
        )
        memory = Memory(array.copy() if shared else array, tracked and shared)
        self._memories.append((array, memory))
        return memory

    def write_back(self) -> None:
        for array, memory in self._memories:
            if memory.data is not array:
                array[...] = memory.data


def _steps(array: Any) -> tuple[int, ...]:
    """Elements from one index to the next where there are gaps between rows, and only there; else
    nothing."""
    if array.flags.c_contiguous or array.size == 0:
        return ()
    found = list(dense(array.shape))
    for d, (extent, stride) in enumerate(zip(array.shape, array.strides, strict=True)):
        if extent > 1:  # else the stride says nothing
            if stride <= 0 or stride % array.itemsize:
                return ()
            found[d] = stride // array.itemsize
    return tuple(found) if found[-1] == 1 else ()


def _with_gaps(array: Any, steps: tuple[int, ...]) -> Any:
    """The memory from the first element to the last one."""
    span = 1 + sum((extent - 1) * step for extent, step in zip(array.shape, steps, strict=True))
    return np.lib.stride_tricks.as_strided(
        array, (span,), (array.itemsize,), writeable=array.flags.writeable
    )


def _is_same(a: Any, b: Any) -> bool:
    place = "data"
    mine, other = a.__array_interface__[place], b.__array_interface__[place]
    return bool(mine == other and a.size == b.size and a.dtype == b.dtype and a.size > 0)


def _check_unique(name: str, array: Any) -> None:
    """The earliest element that is equal to one before it, as the runtime finds it."""
    order = np.argsort(array, kind="stable")
    ordered = array[order]
    equal = np.flatnonzero(ordered[1:] == ordered[:-1])
    if not len(equal):
        return
    second = int(order[equal + 1].min())
    first = int(np.flatnonzero(array == array[second])[0])
    raise LaunchError(
        f"array {name} is declared unique, but its elements {first} and {second} are both "
        f"{array[second]}"
    )


def _plain(name: str, value: Any) -> bool | int | float:
    if not isinstance(value, (int, float)):
        raise LaunchError(f"{name} is known at compile time; pass a Python number, not {value!r}")
    number: int | float = value
    return number


def _scalar(name: str, kind: str, value: Any) -> Value:
    number = value.item() if isinstance(value, np.generic) else value
    if kind == types.BOOL:
        if not isinstance(number, int) or not 0 <= number <= 255:
            raise LaunchError(f"{name} is bool; pass True or False, not {value!r}")
        return bool(number)
    if kind in types.INTEGERS:
        low, high = types.limits(kind)
        if isinstance(number, float) and number.is_integer():
            number = int(number)
        if isinstance(number, bool) or not isinstance(number, int):
            raise LaunchError(f"{name} is {kind}; pass an integer, not {value!r}")
        if not low <= number <= high:
            raise LaunchError(f"{name} is {kind}, which does not hold {number}")
        return number
    if isinstance(number, conversions.BFloat16):
        number = float(number)
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise LaunchError(f"{name} is {kind}; pass a number, not {value!r}")
    rounded = conversions.rounded(float(number), kind)
    if math.isinf(rounded) and not math.isinf(number):
        raise LaunchError(f"{name} is {kind}, which does not hold {number}")
    return conversions.make_float(rounded, kind)


def _shape(what: str, given: object) -> Shape:
    items = given if isinstance(given, tuple) else (given,)
    numbers = [item for item in items if isinstance(item, int) and item > 0]
    if len(numbers) != len(items) or not 1 <= len(items) <= 3:
        raise LaunchError(f"{what} is one to three positive integers, not {given!r}")
    filled = (*numbers, 1, 1)
    return filled[0], filled[1], filled[2]


def _shortened(error: BaseException, path: str) -> python_types.TracebackType | None:
    """The traceback up to the kernel's own line, where `pdb.pm()` then stands."""
    entries = []
    entry = error.__traceback__
    while entry is not None:
        entries.append(entry)
        entry = entry.tb_next
    while entries and entries[-1].tb_frame.f_code.co_filename != path:
        entries.pop()
    result: python_types.TracebackType | None = None
    for kept in reversed(entries):
        result = python_types.TracebackType(result, kept.tb_frame, kept.tb_lasti, kept.tb_lineno)
    return result


_KERNELS: dict[python_types.FunctionType, Kernel] = {}


def _kernel(function: python_types.FunctionType) -> Kernel:
    if function not in _KERNELS:
        _KERNELS[function] = read_kernel(function)
    return _KERNELS[function]
