"""Functions of numbers applied to arrays, declared as Numba's: `@hg.vectorize`, `@hg.guvectorize`.

    @hg.vectorize(["float32(float32, float32)", "float64(float64, float64)"])
    def hypotenuse(a, b):
        return sqrt(a * a + b * b)

    @hg.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
    def running(x, out): ...

A kernel is written for each choice of types; what is declared with its types is an object of
numpy.ufunc, one loop for each of them. A function without types is compiled for those that it is
called with, when it is. What Numba has and this has not is refused by name.

    add = hg.ufunc(kernels.add_f32, kernels.add_f64)      the same of kernels that are there already
"""

from __future__ import annotations

import linecache
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from hologram import lang
from hologram._native import new_ufunc
from hologram.compiling import kernel
from hologram.configured import described
from hologram.errors import ArgumentError, CompileError
from hologram.frontend.foreign.types import Elements
from hologram.frontend.syntax_tree import ast, walked
from hologram.functions import namespace, text
from hologram.ufunc_types import Layout, Signature, check, layout_of, listed, parsed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hologram._native import Kernel
    from hologram.frontend.foreign.temporaries import Temporary

_DTYPES = {
    **{
        f"{c}{8 * n}": np.dtype(f"{c}{n}")
        for c in "iuf"
        for n in (1, 2, 4, 8)
        if c + str(n) != "f1"
    },
    "bool": np.dtype("?"),
}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}
_MAX_RANK = 4


def vectorize(*signatures: Any, **options: Any) -> Any:
    """`@vectorize`, `@vectorize("float32(float32)")` or with a list of such signatures: a
    numpy.ufunc. A function without one is compiled for the types that it is called with, and is
    none. `identity`: 0, 1 or None, of `reduce`."""
    function = None
    if len(signatures) == 1 and callable(signatures[0]) and not hasattr(signatures[0], "args"):
        function, signatures = signatures[0], ()
    check(options)
    known = [parsed(one, returns=True) for one in listed(signatures)]
    if function is not None:
        return Vectorized(function)
    if not known:
        return Vectorized
    return lambda decorated: _elementwise(decorated, known, options)


def guvectorize(signatures: Any, layout: str | None = None, **options: Any) -> Any:
    """`@guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")`: the function writes its last
    arguments. A generalized numpy.ufunc. With the layout alone it is compiled for the types that it
    is called with, results among them, and is none."""
    if layout is None:
        signatures, layout = [], signatures
    check(options)
    known = [parsed(one, returns=False) for one in listed((signatures,))]
    if not isinstance(layout, str):
        raise TypeError(f"a layout is a text, as '(n),()->(n)', found {layout!r}")

    def decorate(function: Any) -> Any:
        if "->" in layout:
            read = layout_of(layout)
        elif layout.count("(") == 1:
            one = layout_of(f"{layout}->()")
            read = Layout(one.text.removesuffix("->()"), one.inputs, ())  # read and written
        else:
            read = layout_of(_with_outputs(layout, function), given=True)
        return _generalized(function, known, read) if known else Generalized(function, read)

    layout_of(layout if "->" in layout else f"{layout}->()")  # errors come before the function
    return decorate


def _with_outputs(layout: str, function: Any) -> str:
    """The layout of a function that has none of its own for what it writes: its last parameters
    that it stores to, one at least."""
    node = text.read(function, text.of(function), {})[1]
    stored = {
        base.id
        for one in walked(node)
        if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store)
        for base in [one.value]
        if isinstance(base, ast.Name)
    }
    parts = re.findall(r"\([^)]*\)", layout)
    names = [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
    first = len(parts) - 1
    while first > 1 and names[first - 1] in stored:
        first -= 1
    return f"{','.join(parts[:first])}->{','.join(parts[first:])}"


def _made(title: str, source: str, function: Any) -> Any:
    """A kernel whose text exists nowhere but here."""
    path = f"<hologram {title} of {function.__name__}>"
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    names = {name: getattr(lang, name) for name in lang.__all__} | {"function": function}
    exec(compile(source, path, "exec"), names)
    return kernel(names["run"])


def _helper(
    function: Any,
    kinds: Sequence[tuple[str, int]],
    result: str | None,
    cores: Sequence[tuple[str, ...]] = (),
) -> Any:
    """A helper of the function for parameters of these types and dimensions; -1 for an array of one
    element."""
    helper: Any = lang.inline(function)
    types = [
        kind if rank == 0 else Elements(kind, abs(rank), cores=cores[k], is_single=rank < 0)
        for k, (kind, rank) in enumerate(kinds)
    ]
    helper._of_numba = types, result
    return helper


def _array(value: Any) -> Any:
    return value if isinstance(value, np.ndarray) else np.asarray(value)


def _kind(dtype: Any) -> str:
    if dtype.kind not in "biufc":
        raise TypeError(f"numbers and arrays of them are expected, found values of {dtype}")
    if dtype not in _NAMES:
        raise TypeError(f"arrays of {dtype} are not possible; convert them, as in x.astype('f8')")
    return _NAMES[dtype]


def _number_or_array(value: Any) -> Any:
    """A plain number has no type of its own, as in NumPy; all else is an array."""
    return value if isinstance(value, (int, float, np.ndarray, np.generic)) else np.asarray(value)


class Vectorized:
    """A function of numbers, called with arrays that broadcast, of the types that they have."""

    def __init__(self, function: Any) -> None:
        self.__wrapped__ = function
        self.__name__: str = function.__name__
        self.__doc__ = function.__doc__
        self._kernels: dict[tuple[tuple[str, ...], str, object], Any] = {}
        self._results: dict[str, str] = {}  # of integers

    def __repr__(self) -> str:
        found = [(f"{of[1]}({', '.join(of[0])})", made) for of, made in self._kernels.items()]
        return described("Vectorized", self.__name__, found)

    def __getattr__(self, name: str) -> Any:
        if name in ("reduce", "accumulate", "reduceat", "outer", "at"):
            raise AttributeError(
                f"`{self.__name__}.{name}` is not there; give vectorize the types, "
                "'float64(float64, float64)', or see hologram.ops"
            )
        raise AttributeError(name)

    def __call__(self, *arguments: Any, out: Any = None, **named: Any) -> Any:
        values = [_number_or_array(value) for value in self._bound(arguments, named)]
        result = _kind(np.result_type(*values))
        if result[0] in "iub":
            result = self._of_integers(result, tuple(np.ndim(value) == 0 for value in values))
        kinds = [result] * len(values)
        arrays = [np.asarray(value, _DTYPES[result]) for value in values]
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
        if out is None:
            target = np.empty(shape, _DTYPES[result])
        else:
            target = out[0] if isinstance(out, tuple) else out
            if not isinstance(target, np.ndarray):
                raise TypeError(f"out= is a NumPy array, found {type(target).__name__}")
            if target.shape != shape or target.dtype != _DTYPES[result]:
                raise ValueError(f"out= is an array of {_DTYPES[result]} of shape {shape}")
        flat = target if target.flags.c_contiguous else np.empty(shape, target.dtype)
        if target.size:
            plain = tuple(array.ndim == 0 for array in arrays)
            passed = [
                array[()]
                if one
                else np.ascontiguousarray(np.broadcast_to(array, shape)).reshape(-1)
                for array, one in zip(arrays, plain, strict=True)
            ]
            self._kernel(tuple(kinds), result, plain)(*passed, flat.reshape(-1))
        if flat is not target:
            target[...] = flat
        return target if target.ndim or out is not None else target[()]

    def _bound(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
        code = self.__wrapped__.__code__
        names = code.co_varnames[: code.co_argcount]
        for name in named:
            if name not in names[len(arguments) :]:
                raise TypeError(f"{self.__name__} has no argument `{name}` left to give by name")
        values = [*arguments, *(named[name] for name in names[len(arguments) :] if name in named)]
        if len(values) != len(names):
            raise TypeError(f"{self.__name__} takes {len(names)} arguments, not {len(values)}")
        return values

    def _of_integers(self, kind: str, plain: tuple[bool, ...]) -> str:
        """The type of the result for integers or bools: f64 where the function is for floats alone,
        as NumPy has it for np.sqrt(4)."""
        if kind not in self._results:
            made = self._kernel((kind,) * len(plain), kind, plain)
            try:
                _ = made.path
                self._results[kind] = kind
            except CompileError:
                try:
                    _ = self._kernel(("f64",) * len(plain), "f64", plain).path
                except CompileError:
                    self._results[kind] = kind  # whose error says what is wrong
                else:
                    self._results[kind] = "f64"
        return self._results[kind]

    def _kernel(self, kinds: tuple[str, ...], result: str, plain: tuple[bool, ...]) -> Any:
        key = (kinds, result, plain)
        if key not in self._kernels:
            rows, values = [], []
            for k, (kind, one) in enumerate(zip(kinds, plain, strict=True)):
                rows.append(f"x{k}: {kind}" if one else f"x{k}: DeviceArray[{kind}]")
                values.append(f"x{k}" if one else f"x{k}[i]")
            source = (
                f"def run({', '.join(rows)}, out: DeviceArray[{result}]):\n"
                f"    i = get_global_id()\n"
                f"    if i < len(out):\n"
                f"        out[i] = function({', '.join(values)})\n"
            )
            told = result if result[0] == "f" else f"int:{result}"
            helper = _helper(self.__wrapped__, [(kind, 0) for kind in kinds], told)
            self._kernels[key] = _made("vectorize", source, helper)
        return self._kernels[key]


def _elementwise(function: Any, signatures: list[Signature], options: dict[str, Any]) -> Any:
    """The ufunc of a function of numbers."""
    count = function.__code__.co_argcount
    kernels: list[tuple[Kernel, tuple[str, ...]]] = []
    for one in signatures:
        kinds = [kind for kind, _ in one.arguments]
        if len(kinds) != count:
            raise TypeError(
                f"{function.__name__} takes {count} arguments, a signature has {len(kinds)}"
            )
        rows = [f"x{k}: DeviceArray[{kind}]" for k, kind in enumerate(kinds)]
        values = [f"x{k}[i]" for k in range(count)]
        source = (
            f"def run({', '.join(rows)}, out: DeviceArray[{one.result}], n: u32):\n"
            f"    i = get_global_id()\n"
            f"    if i < n:\n"
            f"        out[i] = function({', '.join(values)})\n"
        )
        helper = _helper(function, one.arguments, one.result)
        made = _made(f"vectorize {one.result}({', '.join(kinds)})", source, helper)
        kernels.append((made, (*kinds, one.result)))
    name, doc = function.__name__, function.__doc__ or ""
    made = of_kernels(name, doc, count, 1, kernels, options.get("identity"))
    namespace.ufuncs[id(made)] = made, function, [0] * count  # for functions that call it
    return made


def _generalized(function: Any, signatures: list[Signature], layout: Layout) -> Any:
    """The generalized ufunc of a function that writes its last arguments."""
    cores = layout.cores
    kernels, scratch = [], []
    numbered = list(dict.fromkeys(name for core in cores for name in core))
    for one in signatures:
        if len(one.arguments) != len(cores):
            raise TypeError(
                f"{layout.text!r} has {len(cores)} arrays, a signature {len(one.arguments)}"
            )
        ranks = [
            len(core) or -int(rank > 0)  # of no dimensions: an array of one element
            for core, (_, rank) in zip(cores, one.arguments, strict=True)
        ]
        kinds = tuple(kind for kind, _ in one.arguments)
        helper = _helper(function, list(zip(kinds, ranks, strict=True)), "", cores)
        own = namespace.temporaries(helper, function)
        lengths = [-one.of if isinstance(one.of, int) else numbered.index(one.of) for one in own]
        scratch.append(tuple((length,) for length in lengths))  # an extent is negated
        kernels.append((_kernel_of_parts(helper, one, cores, own), kinds))
    numbers = tuple(tuple(numbered.index(name) for name in core) for core in cores)
    name, doc = function.__name__, function.__doc__ or ""
    counts = len(layout.inputs), len(layout.outputs)
    made = of_kernels(name, doc, *counts, kernels, None, layout.text, numbers, scratch)
    namespace.ufuncs[id(made)] = made, function, [len(core) for core in cores]
    return made


class Generalized:
    """A function that writes its last arguments, compiled for the types that it is called with."""

    def __init__(self, function: Any, layout: Layout) -> None:
        self.__wrapped__ = function
        self.__name__: str = function.__name__
        self.__doc__ = function.__doc__
        self.signature = layout.text
        self._layout = layout
        self._made: dict[tuple[str, ...], Any] = {}

    def __repr__(self) -> str:
        found = [(", ".join(kinds), made) for kinds, made in self._made.items()]
        return described("Generalized", self.__name__, found)

    def __call__(self, *arguments: Any, out: Any = None, **named: Any) -> Any:
        outputs = () if out is None else out if isinstance(out, tuple) else (out,)
        values = [_array(value) for value in (*arguments, *outputs)]
        if len(values) != len(self._layout.cores):
            raise TypeError(
                f"{self.__name__} takes {len(self._layout.cores)} arrays, those to write among "
                f"them, not {len(values)}; give guvectorize the types to have results made"
            )
        kinds = tuple(_kind(value.dtype) for value in values)
        if kinds not in self._made:
            count = len(self._layout.inputs)
            ranks = [
                len(core) if k < count else max(len(core), 1)
                for k, core in enumerate(self._layout.cores)
            ]
            one = Signature(tuple(zip(kinds, ranks, strict=True)), "")
            self._made[kinds] = _generalized(self.__wrapped__, [one], self._layout)
        return self._made[kinds](*values, **named)


def _kernel_of_parts(
    helper: Any,
    signature: Signature,
    cores: tuple[tuple[str, ...], ...],
    own: Sequence[Temporary],
) -> Kernel:
    rows, values = [], []
    for k, ((kind, rank), core) in enumerate(zip(signature.arguments, cores, strict=True)):
        if 1 + len(core) > _MAX_RANK:
            raise TypeError(f"an array has at most {_MAX_RANK - 1} dimensions of its own")
        inner = kind if not core else f"{kind}, {1 + len(core)}"
        rows.append(f"x{k}: DeviceArray[{inner}]")
        values.append(f"x{k}[i]" if core or rank == 0 else f"x{k}[i : i + 1]")
    for k, made in enumerate(own):
        rows.append(f"own{k}: DeviceArray[{made.kind}, 2]")
        values.append(f"own{k}[i]")
    source = (
        f"def run({', '.join(rows)}, n: u32):\n"
        f"    i = get_global_id()\n"
        f"    if i < n:\n"
        f"        function({', '.join(values)})\n"
    )
    kinds = ", ".join(kind for kind, _ in signature.arguments)
    return _made(f"guvectorize ({kinds})", source, helper)  # type: ignore[no-any-return]


def of_kernels(  # noqa: PLR0913
    name: str,
    doc: str,
    inputs: int,
    outputs: int,
    kernels: Sequence[tuple[Kernel, tuple[str, ...]]],
    identity: int | None,
    signature: str | None = None,
    cores: tuple[tuple[int, ...], ...] = (),
    scratch: Sequence[tuple[tuple[int, ...], ...]] = (),
) -> Any:
    """The ufunc of kernels and their types. `scratch`: of each kernel, the dimensions of arrays
    that a call has for itself: numbers of those of the ufunc, or extents, negated."""
    loops = tuple(
        (kernel, tuple(_DTYPES[kind].num for kind in kinds), scratch[k] if scratch else ())
        for k, (kernel, kinds) in enumerate(kernels)
    )
    number = -1 if identity is None else identity
    if number not in (-1, 0, 1):
        raise TypeError(f"`identity=` is 0, 1 or None, found {identity!r}")
    return new_ufunc(name, doc, inputs, outputs, number, signature, cores, loops)


def ufunc(
    *kernels: Kernel, name: str | None = None, identity: int | None = None, doc: str | None = None
) -> Any:
    """An object of numpy.ufunc, with a loop for each of these kernels: (arrays to read, arrays to
    write, their length as u32), all accesses at the lane's own index. With the bits of the kernels
    it has what ufuncs have: broadcasting, strides, casts, `out=`, `where=`, `outer`, `at`; `reduce`
    and `accumulate` go in NumPy's order, which is not that of hologram.ops. It is pickled by its
    name, so a module must have it as that. `identity`: 0, 1 or None. Raises ArgumentError."""
    if not kernels:
        raise ArgumentError("ufunc: expected a kernel")
    forms = [_form_of(kernel) for kernel in kernels]
    inputs, outputs, _ = forms[0]
    for one, (own_inputs, own_outputs, _) in zip(kernels, forms, strict=True):
        if (own_inputs, own_outputs) != (inputs, outputs):
            raise ArgumentError(
                f"ufunc: '{one.name}' reads {own_inputs} arrays and writes {own_outputs}, "
                f"'{kernels[0].name}' {inputs} and {outputs}"
            )
    rows = [(one, kinds) for one, (_, _, kinds) in zip(kernels, forms, strict=True)]
    return of_kernels(name or kernels[0].name, doc or "", inputs, outputs, rows, identity)


def _form_of(kernel: Kernel) -> tuple[int, int, tuple[str, ...]]:
    """How many arrays are read and written, and their types. Raises ArgumentError for kernels that
    are not element by element."""
    parameters = kernel.parameters
    arrays, last = parameters[:-1], parameters[-1] if parameters else ("", "", "", "")
    if last[1:3] != ("scalar", "u32") or any(row[1] != "array" for row in arrays):
        raise ArgumentError(
            f"ufunc: '{kernel.name}' takes {_parameters_text(parameters)}; expected arrays and "
            "their length as u32"
        )
    directions = [row[3] for row in arrays]
    inputs = directions.count("in")
    if directions != ["in"] * inputs + ["out"] * (len(arrays) - inputs) or inputs in (
        0,
        len(arrays),
    ):
        raise ArgumentError(
            f"ufunc: '{kernel.name}' takes {_parameters_text(parameters)}; expected arrays to read "
            "and then arrays to write"
        )
    for row in arrays:
        if row[2] not in _DTYPES:
            raise ArgumentError(f"ufunc: '{row[0]}' has elements of {row[2]}, which NumPy has not")
    _check_accesses(kernel)
    return inputs, len(arrays) - inputs, tuple(row[2] for row in arrays)


# A line of Kernel.explain() about an access, and what it says of one at the lane's own index.
_ACCESS = re.compile(r"^\S+: (?P<tier>proved|guarded) +(?P<access>[^ ].*?)  (?P<index>.*)$")
_OWN = re.compile(
    r"^index 0 \.\. min\((grid\.x\*block\.x, \w+|\w+, grid\.x\*block\.x)\) - 1 of \w+(;|$)"
)


def _check_accesses(kernel: Kernel) -> None:
    if kernel._pointwise_length == len(kernel.parameters) - 1:
        return
    for line in kernel.explain().splitlines():
        found = _ACCESS.match(line)
        if found is None:
            continue
        plain = re.fullmatch(r"\w+\[\w+\]", found["access"])
        if found["tier"] == "proved" and plain and _OWN.match(found["index"]):
            continue
        raise ArgumentError(
            f"ufunc: '{kernel.name}' has the access {found['access']}; a loop of a ufunc reads and "
            "writes element i alone, in lane i, below the length"
        )
    raise ArgumentError(
        f"ufunc: '{kernel.name}' does more with its id than index and compare it with the length, "
        "or more with the length; elements of a ufunc do not know where they are"
    )


def _parameters_text(parameters: Sequence[tuple[str, ...]]) -> str:
    return ", ".join(
        f"{name}: {direction} {kind}[]" if form == "array" else f"{name}: {kind}"
        for name, form, kind, direction in parameters
    )
