"""hologram._native.new_ufunc without NumPy's interface for C: a function that broadcasts, converts
and chooses the kernel as a ufunc does. What else ufuncs have, it has not."""

from __future__ import annotations

from typing import Any

import numpy as np


class Ufunc:
    def __init__(  # noqa: PLR0913
        self, name: str, doc: str, inputs: int, outputs: int, signature: str | None,
        cores: tuple[tuple[int, ...], ...], loops: tuple[Any, ...],
    ) -> None:  # fmt: skip
        self.__name__, self.__doc__ = name, doc
        self.nin, self.nout, self.nargs = inputs, outputs, inputs + outputs
        self.signature = signature
        self._cores = cores or ((),) * self.nargs
        self._loops = loops
        types = [[_by_number(number) for number in numbers] for _, numbers in loops]
        self._types = types
        self.types = [
            "".join(t.char for t in row[:inputs]) + "->" + "".join(t.char for t in row[inputs:])
            for row in types
        ]
        self.ntypes = len(types)

    def __repr__(self) -> str:
        return f"<ufunc '{self.__name__}'>"

    def __getattr__(self, name: str) -> Any:
        from hologram.errors import UnsupportedError

        if name in ("reduce", "accumulate", "reduceat", "outer", "at", "identity"):
            raise UnsupportedError(f"{self.__name__}.{name} is not there in a page")
        raise AttributeError(name)

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

    def __call__(self, *arguments: Any, out: Any = None) -> Any:
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
        if count:
            self._loops[number][0](*lines, count)
        results = []
        for array, target in zip(made, outs, strict=True):
            if target is None:
                results.append(array if array.ndim else array[()])
            else:
                target[...] = array
                results.append(target)
        return results[0] if self.nout == 1 else tuple(results)


def _by_number(number: int) -> Any:
    """NumPy's type with a number."""
    return next(
        np.dtype(letter) for letter in np.typecodes["All"] if np.dtype(letter).num == number
    )


def new_ufunc(  # noqa: PLR0913
    name: str, doc: str, inputs: int, outputs: int, identity: int, signature: str | None,
    cores: Any, loops: Any,
) -> Ufunc:  # fmt: skip
    return Ufunc(name, doc, inputs, outputs, signature, cores, loops)
