"""hologram._native.new_ufunc without NumPy's interface for C: a function that broadcasts, converts
and chooses the kernel as a ufunc does. Its `reduce`, `accumulate`, `reduceat` and `at` are those of
numpy.frompyfunc over launches of one element, so that the order is NumPy's own."""

from __future__ import annotations

from typing import Any

import numpy as np

_NOT_GIVEN: Any = object()


class Ufunc:
    def __init__(  # noqa: PLR0913
        self, name: str, doc: str, inputs: int, outputs: int, identity: int | None,
        signature: str | None, cores: tuple[tuple[int, ...], ...], loops: tuple[Any, ...],
    ) -> None:  # fmt: skip
        self.__name__, self.__doc__ = name, doc
        self.identity = identity
        self.nin, self.nout, self.nargs = inputs, outputs, inputs + outputs
        self.signature = signature
        self._cores = cores or ((),) * self.nargs
        self._loops = loops
        types = [[_by_number(number) for number in numbers] for _, numbers, _ in loops]
        self._types = types
        self.types = [
            "".join(t.char for t in row[:inputs]) + "->" + "".join(t.char for t in row[inputs:])
            for row in types
        ]
        self.ntypes = len(types)

    def __repr__(self) -> str:
        return f"<ufunc '{self.__name__}'>"

    # ---- Calls

    def _choose(self, values: list[Any]) -> int:
        for number, row in enumerate(self._types):
            kinds = zip(values, row, strict=False)
            if all(np.can_cast(np.result_type(value, kind), kind, "safe") for value, kind in kinds):
                return number
        given = tuple(np.asarray(value).dtype for value in values)
        raise TypeError(
            f"ufunc '{self.__name__}' not supported for the input types, and the inputs could not "
            "be safely coerced to any supported types according to the casting rule "
            f"''safe'': {given}"
        )

    def __call__(self, *arguments: Any, out: Any = None, where: Any = True) -> Any:
        if len(arguments) == self.nargs and out is None:
            arguments, out = arguments[: self.nin], arguments[self.nin :]
        if len(arguments) != self.nin:
            raise TypeError(
                f"{self.__name__}() takes from {self.nin} to {self.nargs} positional arguments but "
                f"{len(arguments)} were given"
            )
        outs = out if isinstance(out, tuple) else (out,) * self.nout
        plain = [v if type(v) in (int, float, bool) else np.asarray(v) for v in arguments]
        number = self._choose(plain)
        types = self._types[number]
        arrays = [np.asarray(v, kind) for v, kind in zip(plain, types, strict=False)]
        sizes: dict[int, int] = {}
        outer = []
        for array, core in zip(arrays, self._cores, strict=False):
            split = array.ndim - len(core)
            if split < 0:
                raise ValueError(f"{self.__name__}: an input has fewer than {len(core)} dimensions")
            for name, extent in zip(core, array.shape[split:], strict=True):
                if sizes.setdefault(name, extent) != extent:
                    raise ValueError(f"{self.__name__}: mismatch in a core dimension: {extent}")
            outer.append(array.shape[:split])
        shape = np.broadcast_shapes(*outer)
        count = int(np.prod(shape, dtype=np.int64))
        lines, made = [], []
        for k, core in enumerate(self._cores):
            inner = tuple(sizes[name] for name in core)
            if k < self.nin:
                whole = np.broadcast_to(arrays[k], shape + inner)
                lines.append(np.ascontiguousarray(whole).reshape(count, *inner))
            else:
                made.append(np.zeros(shape + inner, types[k]))
                lines.append(made[-1].reshape(count, *inner))
        kernel, _, scratch = self._loops[number]
        lines += [
            np.zeros((count, -length if length < 0 else sizes[length]), _element_type(row[2]))
            for (length,), row in zip(scratch, kernel.parameters[self.nargs :], strict=False)
        ]
        if count:
            kernel(*lines, count)
        results = []
        if self.nout == 0:
            _write_back(arguments, lines)
        for array, target in zip(made, outs, strict=True):
            if target is None:
                results.append(array if array.ndim else array[()])
            else:
                np.copyto(target, array, casting="same_kind", where=where)
                results.append(target)
        return results[0] if self.nout == 1 else tuple(results)

    def outer(self, a: Any, b: Any, **named: Any) -> Any:
        """The function of each element of `a` with each of `b`."""
        self._check_binary("outer product")
        a, b = np.asarray(a), np.asarray(b)
        return self(a.reshape(a.shape + (1,) * b.ndim), b, **named)

    # ---- One element after the other, as NumPy goes

    def reduce(  # noqa: PLR0913
        self, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False,
        initial: Any = _NOT_GIVEN, where: Any = True,
    ) -> Any:  # fmt: skip
        number, given = self._to_reduce("reduce", array, dtype)
        if initial is _NOT_GIVEN:
            initial = self.identity
        # Without an identity the first element is the beginning.
        begins = {} if initial is None else {"initial": initial}
        try:
            made = self._of_objects(number).reduce(
                given, axis=axis, keepdims=keepdims, where=where, **begins
            )
        except ValueError as error:  # NumPy has a name of its own for it
            text = str(error).replace(f"{self.__name__} (vectorized)", self.__name__)
            raise ValueError(text) from None
        return self._typed(number, made, out)

    def accumulate(self, array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        number, given = self._to_reduce("accumulate", array, dtype)
        return self._typed(number, self._of_objects(number).accumulate(given, axis=axis), out)

    def reduceat(
        self, array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None
    ) -> Any:
        number, given = self._to_reduce("reduceat", array, dtype)
        made = self._of_objects(number).reduceat(given, indices, axis=axis)
        return self._typed(number, made, out)

    def at(self, a: Any, indices: Any, *second: Any) -> None:
        """The function on elements of `a`, in place; on one that is named twice, twice."""
        if self.signature is not None:
            raise TypeError("method at is not allowed in ufunc with non-trivial signature")
        if len(second) != self.nin - 1:
            raise ValueError("second operand needed for ufunc")
        number = self._choose([a, *map(np.asarray, second)])
        types = self._types[number]
        if not np.can_cast(types[-1], a.dtype, "same_kind"):
            raise TypeError(f"Cannot cast ufunc '{self.__name__}' output to {a.dtype!r}")
        changed = a.astype(types[0]).astype(object)
        rest = [np.asarray(value, types[1]).astype(object) for value in second]
        self._of_objects(number).at(changed, indices, *rest)
        a[...] = changed.astype(types[-1])

    def _check_binary(self, method: str) -> None:
        if self.signature is not None:
            raise RuntimeError("Reduction not defined on ufunc with signature")
        if self.nin != 2:
            raise ValueError(f"{method} only supported for binary functions")
        if self.nout != 1:
            raise ValueError(f"{method} only supported for functions returning a single value")

    def _to_reduce(self, method: str, array: Any, dtype: Any) -> tuple[int, Any]:
        """The loop, whose result is its first argument again, and the elements."""
        self._check_binary(method)
        array = np.asarray(array)
        if dtype is not None:
            array = array.astype(dtype)
        number = self._choose([array, array])
        first, _, result = self._types[number]
        if first != result:
            raise TypeError(
                f"{self.__name__}.{method}: the result {result} is not the first argument, {first}"
            )
        return number, array.astype(first).astype(object)

    def _of_objects(self, number: int) -> Any:
        """NumPy's own ufunc over launches of one element."""
        kernel, types = self._loops[number][0], self._types[number]
        lines = [np.zeros(1, kind) for kind in types]

        def call(*values: Any) -> Any:
            for line, value in zip(lines, values, strict=False):
                line[0] = value
            kernel(*lines, 1)
            results = tuple(line[0].item() for line in lines[self.nin :])
            return results[0] if self.nout == 1 else results

        call.__name__ = self.__name__
        identity = {} if self.identity is None else {"identity": self.identity}
        return np.frompyfunc(call, self.nin, self.nout, **identity)

    def _typed(self, number: int, made: Any, out: Any) -> Any:
        result = np.asarray(made, self._types[number][-1])
        if out is None:
            return result if result.ndim else result[()]
        target = out[0] if isinstance(out, tuple) else out
        np.copyto(target, result, casting="same_kind")
        return target


def _write_back(arguments: tuple[Any, ...], lines: list[Any]) -> None:
    """Without results, a function writes its arguments."""
    for array, line in zip(arguments, lines, strict=False):
        if isinstance(array, np.ndarray) and array.size == line.size:
            np.copyto(array, line.reshape(array.shape), casting="unsafe")


def _element_type(kind: str) -> Any:
    """NumPy's type of elements of a kernel."""
    from hologram.ops.arrays import dtype_of

    return dtype_of(kind)


def _by_number(number: int) -> Any:
    """NumPy's type with a number."""
    return next(
        np.dtype(letter) for letter in np.typecodes["All"] if np.dtype(letter).num == number
    )


def new_ufunc(  # noqa: PLR0913
    name: str, doc: str, inputs: int, outputs: int, identity: int, signature: str | None,
    cores: Any, loops: Any,
) -> Ufunc:  # fmt: skip
    known = None if identity < 0 else identity
    return Ufunc(name, doc, inputs, outputs, known, signature, cores, loops)
