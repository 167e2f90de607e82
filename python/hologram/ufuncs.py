"""Functions of numbers applied to arrays, declared as Numba's: `@hg.vectorize`, `@hg.guvectorize`.

    @hg.vectorize(["float32(float32, float32)", "float64(float64, float64)"])
    def hypotenuse(a, b):
        return sqrt(a * a + b * b)

    @hg.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
    def running(x, out): ...

Thin: a kernel is written for each choice of types, compiled when it is first needed, and launched
over the broadcast arrays. What Numba has and this has not is refused by name.
"""

from __future__ import annotations

import linecache
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hologram import lang
from hologram.compiling import kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_TYPES = {
    **{f"{long}{bits}": f"{short}{bits}"
       for long, short in (("int", "i"), ("uint", "u"), ("float", "f"))
       for bits in (8, 16, 32, 64) if (short, bits) != ("f", 8)},
    **{f"{short}{size}": f"{short}{8 * size}" for short in "iuf" for size in (1, 2, 4, 8)
       if (short, size) != ("f", 1)},
    **{name: name for name in ("i16", "i32", "i64", "u16", "u32", "u64", "f16", "f32", "f64")},
    "double": "f64", "bool_": "bool", "boolean": "bool", "b1": "bool",
}  # fmt: skip
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
_ACCEPTED = {
    "target": ("cpu", "parallel"),  # a launch takes the threads that it is worth
    "nopython": (True,),
    "cache": (True, False),  # compiled code is kept in any case
    "forceobj": (False,),
    "fastmath": (False,),
}
_WHY = {
    "target": "write a kernel and compile it for the device",
    "nopython": "a function is always compiled",
    "forceobj": "a function is always compiled",
    "fastmath": "bits are the same everywhere",
}


class Signature(NamedTuple):
    """Types of the arguments, each with its dimensions, and of what is returned ("" for void)."""

    arguments: tuple[tuple[str, int], ...]
    result: str


def vectorize(*signatures: Any, **options: Any) -> Any:
    """`@vectorize`, `@vectorize("float32(float32)")` or with a list of such signatures. A function
    without one is compiled for the types that it is called with."""
    function = None
    if len(signatures) == 1 and callable(signatures[0]):
        function, signatures = signatures[0], ()
    _check(options)
    known = [_parsed(one, True) for one in _listed(signatures)]
    if function is not None:
        return Vectorized(function, known)
    return lambda decorated: Vectorized(decorated, known)


def guvectorize(signatures: Any, layout: str, **options: Any) -> Callable[[Any], GuVectorized]:
    """`@guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")`: the function writes its last
    arguments."""
    _check(options)
    known = [_parsed(one, False) for one in _listed((signatures,))]
    return lambda decorated: GuVectorized(decorated, known, layout)


def _check(options: dict[str, Any]) -> None:
    for name, value in options.items():
        if name not in _ACCEPTED:
            raise TypeError(f"`{name}=` is an argument of Numba's that hologram does not have")
        if value not in _ACCEPTED[name]:
            raise TypeError(f"`{name}={value!r}` is not possible: {_WHY.get(name, '')}")


def _listed(signatures: Sequence[Any]) -> list[Any]:
    found: list[Any] = []
    for one in signatures:
        found += one if isinstance(one, (list, tuple)) else [one]
    return found


def _parsed(written: Any, returns: bool) -> Signature:
    """`float32(float32, float32)`, or `(float32, float32) -> float32`, as Numba's own print."""
    text = str(written).replace(" ", "")
    match = re.fullmatch(r"([a-z_0-9]*)\((.*)\)", text)
    arrow = re.fullmatch(r"\((.*?),?\)->([a-z_0-9]+)", text)
    if match is None and arrow is None:
        raise TypeError(f"{written!r} is not a signature; write 'float64(float64, float64)'")
    result, inner = match.groups() if match is not None else reversed(arrow.groups())  # type: ignore[union-attr]
    parts = re.findall(r"[^,\[]+(?:\[[^\]]*\])?", inner)
    arguments = tuple(_typed(part, written) for part in parts)
    void = result in ("", "void", "none")
    if returns and void:
        raise TypeError(f"{written!r} has no type for the result; write 'float64(float64)'")
    return Signature(arguments, "" if void else _typed(result, written)[0])


def _typed(text: str, written: Any) -> tuple[str, int]:
    name, _, dimensions = text.partition("[")
    if name not in _TYPES:
        raise TypeError(
            f"{written!r}: {name!r} is not a type here; it is one of {', '.join(_TYPES)}"
        )
    return _TYPES[name], dimensions.count(":")


def _made(title: str, source: str, function: Any) -> Any:
    """A kernel whose text exists nowhere but here."""
    path = f"<hologram {title} of {function.__name__}>"
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    names = {name: getattr(lang, name) for name in lang.__all__} | {"function": function}
    exec(compile(source, path, "exec"), names)
    return kernel(names["run"])


def _array(value: Any) -> Any:
    return value if isinstance(value, np.ndarray) else np.asarray(value)


def _kind(dtype: Any) -> str:
    if dtype not in _NAMES:
        raise TypeError(f"arrays of {dtype} are not possible; convert them, as in x.astype('f8')")
    return _NAMES[dtype]


class _Function:
    """What both have in common."""

    def __init__(self, function: Any, signatures: list[Signature]) -> None:
        self.__wrapped__ = function
        self.__name__: str = function.__name__
        self.__doc__ = function.__doc__
        self._helper = lang.inline(function)
        self._signatures = signatures
        self._kernels: dict[object, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name in ("reduce", "accumulate", "reduceat", "outer", "at"):
            raise AttributeError(
                f"`{self.__name__}.{name}` is not there; write a kernel, or see hologram.ops"
            )
        raise AttributeError(name)

    def _choose(self, given: list[Any], count: int) -> Signature | None:
        """The first signature whose types hold those of the arguments; Python numbers fit any of
        their kind."""
        if len(given) != count:
            raise TypeError(f"{self.__name__} takes {count} arguments, not {len(given)}")
        weak = not all(_is_plain(value) for value in given)
        for one in self._signatures:
            pairs = zip(given, one.arguments, strict=False)
            if all(_fits(value, _DTYPES[kind], weak) for value, (kind, _) in pairs):
                return one
        if self._signatures:
            types = ", ".join(str(_array(value).dtype) for value in given)
            raise TypeError(f"{self.__name__} has no signature for ({types})")
        return None


def _is_plain(value: Any) -> bool:
    return isinstance(value, (bool, int, float)) and not isinstance(value, np.generic)


def _fits(value: Any, dtype: Any, weak: bool) -> bool:
    if weak and _is_plain(value):  # beside arrays Python's numbers have no type of their own
        return bool(np.can_cast(np.min_scalar_type(value), dtype, "same_kind"))
    return bool(np.can_cast(_array(value).dtype, dtype, "safe"))


class Vectorized(_Function):
    """A function of numbers, called with arrays that broadcast."""

    def __call__(self, *arguments: Any, out: Any = None) -> Any:
        count = self.__wrapped__.__code__.co_argcount
        signature = self._choose(list(arguments), count)
        if signature is None:
            common = np.result_type(*arguments)
            kinds, result = [_kind(common)] * count, _kind(common)
        else:
            kinds, result = [kind for kind, _ in signature.arguments], signature.result
        arrays = [
            np.asarray(value, _DTYPES[kind]) for value, kind in zip(arguments, kinds, strict=True)
        ]
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
        if out is None:
            target = np.empty(shape, _DTYPES[result])
        else:
            target = out[0] if isinstance(out, tuple) else out
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
            self._kernels[key] = _made("vectorize", source, self._helper)
        return self._kernels[key]


class GuVectorized(_Function):
    """A function of parts of arrays, one call for each place of the dimensions before them."""

    def __init__(self, function: Any, signatures: list[Signature], layout: str) -> None:
        super().__init__(function, signatures)
        text = layout.replace(" ", "")
        if not re.fullmatch(r"\([\w,]*\)(,\([\w,]*\))*->\([\w,]*\)(,\([\w,]*\))*", text):
            raise TypeError(f"{layout!r} is not a layout; write '(n),()->(n)'")
        before, after = text.split("->")
        self._inputs = [_dimensions(part) for part in re.findall(r"\(([\w,]*)\)", before)]
        self._outputs = [_dimensions(part) for part in re.findall(r"\(([\w,]*)\)", after)]
        if not signatures:
            raise TypeError(f"guvectorize of {function.__name__} needs a signature")
        count = len(self._inputs) + len(self._outputs)
        for one in signatures:
            if len(one.arguments) != count:
                raise TypeError(f"{layout!r} has {count} arrays, a signature {len(one.arguments)}")

    def __call__(self, *arguments: Any, out: Any = None) -> Any:
        given = list(arguments)
        places = len(self._inputs)
        targets = given[places:] if out is None else list(out if isinstance(out, tuple) else (out,))
        signature = self._choose(given[:places], places)
        assert signature is not None
        arrays = [
            np.asarray(value, _DTYPES[kind])
            for value, (kind, _) in zip(given, signature.arguments[:places], strict=False)
        ]
        sizes: dict[str, int] = {}
        outer = []
        for array, core in zip(arrays, self._inputs, strict=True):
            outer.append(self._split(array.shape, core, sizes))
        loops = np.broadcast_shapes(*outer)
        passed = [
            np.ascontiguousarray(np.broadcast_to(a, (*loops, *a.shape[a.ndim - len(core) :])))
            for a, core in zip(arrays, self._inputs, strict=True)
        ]
        results = []
        for k, core in enumerate(self._outputs):
            missing = [name for name in core if name not in sizes]
            if missing:
                raise TypeError(f"the size of `{missing[0]}` does not follow from the inputs")
            shape = (*loops, *(sizes[name] for name in core))
            dtype = _DTYPES[signature.arguments[places + k][0]]
            results.append(targets[k] if k < len(targets) else np.empty(shape, dtype))
            if results[k].shape != shape or results[k].dtype != dtype:
                raise ValueError(f"out= is an array of {dtype} of shape {shape}")
        count = int(np.prod(loops, dtype=np.int64))
        if count:
            self._launch(signature, count, [*passed, *results])
        made = [r[()] if r.ndim == 0 and not targets else r for r in results]
        return made[0] if len(made) == 1 else tuple(made)

    def _split(
        self, shape: tuple[int, ...], core: tuple[str, ...], sizes: dict[str, int]
    ) -> tuple[int, ...]:
        if len(shape) < len(core):
            raise ValueError(
                f"{self.__name__}: an array of {len(shape)} dimensions, not {len(core)}"
            )
        start = len(shape) - len(core)
        for name, size in zip(core, shape[start:], strict=True):
            if sizes.setdefault(name, size) != size:
                raise ValueError(f"{self.__name__}: `{name}` is {sizes[name]} and {size}")
        return shape[:start]

    def _launch(self, signature: Signature, count: int, arrays: list[Any]) -> None:
        key = signature
        if key not in self._kernels:
            self._kernels[key] = self._kernel(signature)
        flat, back = [], []
        cores = [*self._inputs, *self._outputs]
        for k, (array, core) in enumerate(zip(arrays, cores, strict=True)):
            whole = np.ascontiguousarray(array)
            if k >= len(self._inputs) and whole is not array:
                back.append((array, whole))
            flat.append(whole.reshape((count, *array.shape[array.ndim - len(core) :])))
        self._kernels[key].configure(grid=-(-count // 256), block=256)(*flat, count)
        for array, whole in back:
            array[...] = whole

    def _kernel(self, signature: Signature) -> Any:
        rows, values = [], []
        cores = [*self._inputs, *self._outputs]
        for k, ((kind, rank), core) in enumerate(zip(signature.arguments, cores, strict=True)):
            if 1 + len(core) > _MAX_RANK:
                raise TypeError(f"an array has at most {_MAX_RANK - 1} dimensions of its own")
            inner = kind if not core else f"{kind}, {1 + len(core)}"
            rows.append(f"x{k}: DeviceArray[{inner}]")
            values.append(f"x{k}[i]" if core or rank == 0 else f"x{k}[i : i + 1]")
        source = (
            f"def run({', '.join(rows)}, n: u32):\n"
            f"    i = get_global_id()\n"
            f"    if i < n:\n"
            f"        function({', '.join(values)})\n"
        )
        return _made("guvectorize", source, self._helper)


def _dimensions(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.split(",") if part)
