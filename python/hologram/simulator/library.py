"""Functions that are written in the language: the same sources that the compiler has.

Calls of a function with forms are typed as in src/frontend/check/library_call.cc.
"""

from __future__ import annotations

import ast
import functools
import pathlib
from collections.abc import Callable

from hologram import lang_library
from hologram.frontend import document, names
from hologram.frontend.diagnostics import Diagnostics
from hologram.frontend.scope import Helper
from hologram.frontend.signature import Signature
from hologram.frontend.source import read_source
from hologram.frontend.syntax import parse
from hologram.simulator import types, widening, wrapping
from hologram.simulator.atomics import Atomics
from hologram.simulator.context import Expr, Symbol
from hologram.simulator.conversions import Value, bits_of, from_bits
from hologram.simulator.scalars import OPS

_KINDS = {
    "float": types.FLOATS,
    "integer": types.INTEGERS,
    "signed": types.SIGNED,
    "unsigned": types.UNSIGNED,
}


@functools.cache
def _helpers() -> dict[str, Helper]:
    """All helpers of the library by name."""
    found: dict[str, Helper] = {}
    for path in sorted(pathlib.Path(lang_library.__path__[0]).glob("*.py")):
        source = read_source(str(path))
        diagnostics = Diagnostics(source)
        tree = parse(source, diagnostics)
        assert tree is not None
        found.update(document.scan(tree, source, diagnostics).helpers)
    return found


@functools.cache
def _forms(function: str) -> list[str]:
    """The ends of the names of the forms, in the order of the names."""
    return sorted(
        name.partition("__")[2] for name in _helpers() if name.partition("__")[0] == function
    )


def _computed_as(kind: str) -> str:
    """Functions of f16 and bf16 are those of f32, rounded once more."""
    return "f32" if kind in ("f16", "bf16") else kind


def _form_for(function: str, kind: str) -> str | None:
    forms = _forms(function)
    for wanted in (kind, _computed_as(kind)):
        if wanted in forms:
            return wanted
    return next((form for form in forms if kind in _KINDS.get(form, ())), None)


def _taken(function: str) -> str:
    if _form_for(function, "i32"):
        return "an integer"
    return "an unsigned integer" if _form_for(function, "u32") else "a float"


def _advice(function: str, kind: str) -> str:
    if _form_for(function, "f32"):
        return "write f32(...)"
    if kind in types.FLOATS:
        return "write u32(...), or bitcast(u32, ...) for its bits"
    return f"write bitcast(u{types.BITS[kind]}, ...)"


def _origin(values: list[Expr], decides: list[bool], computes: bool) -> widening.Origin:
    parts = [v.origin for v, counts in zip(values, decides, strict=True) if counts]
    if computes:
        return widening.computed(parts)
    return functools.reduce(widening.chosen, parts)


class LibraryCalls(Atomics):
    """Expressions with such calls, and with those of bits."""

    def _arguments(self, node: ast.Call, count: int) -> list[Expr]:
        if len(node.args) != count:
            noun = "argument" if count == 1 else "arguments"
            self.context.error(
                node, f"{ast.unparse(node.func)} takes {count} {noun}, not {len(node.args)}"
            )
        return [self.expression(argument) for argument in node.args]

    def _of_library(self, node: ast.Call, name: str) -> Expr | None:
        function = self._library_name(name)
        if function is not None and function in _helpers():
            helper = _helpers()[function]
            values = self._arguments(node, len(self._described(helper)))
            return self._form_call(node, helper, values, "")
        if function is not None:
            return self._library_call(node, name, function)
        if name == "bitcast":
            return self._bitcast(node)
        return self._popc(node) if name == "popc" else None

    def _library_name(self, name: str) -> str | None:
        """The function with forms that a name is of."""
        if name in names.LIBRARY and name not in names.RANDOM:
            return name
        plain = name.removesuffix("f")
        return plain if name not in names.MATH and plain in names.LIBRARY_FLOAT else None

    def _library_call(self, node: ast.Call, name: str, function: str) -> Expr:
        first = _forms(function)[0]
        parameters = self._described(_helpers()[f"{function}__{first}"])
        decides = [kind in ("", first) for _, kind in parameters]
        values = self._arguments(node, len(parameters))
        of_bools = _helpers().get(f"{function}__bool")
        if of_bools is not None and any(
            value.kind == types.BOOL and counts
            for value, counts in zip(values, decides, strict=True)
        ):
            return self._form_call(node, of_bools, values, types.BOOL)
        for value in values:
            self.require_number(value, name)
        if function == "clamp":
            rest = f", {self.context.text(node.args[2])}"
            wrapping.refuse_bound(node, values[0], values[1], self.context, rest)
        deciding = [value for value, counts in zip(values, decides, strict=True) if counts]
        kind = self._kind_of(node, name, function, deciding)
        if function != name and kind != "f32":
            self.context.error(node, f"{name} takes f32, not {kind}; write {function}(...)")
        form = _form_for(function, kind) or ""
        for i, value in enumerate(values):
            if decides[i]:
                values[i] = self.convert(value, kind)
                if form == _computed_as(kind):
                    values[i] = self.convert(values[i], form)
        result = self._form_call(node, _helpers()[f"{function}__{form}"], values, kind)
        if result.kind in types.FLOATS and function == name:
            result.origin = _origin(values, decides, form in types.FLOATS)
        if result.kind == "f32" and function == name and _form_for(function, "f64"):
            result.wider = self._wider_call(node, function, values, decides)
        return result

    def _wider_call(
        self, node: ast.Call, function: str, values: list[Expr], decides: list[bool]
    ) -> Callable[[], Expr] | None:
        """The call in f64, where nothing but literals and integers has made it f32."""
        wider = [value.wider for value in values]
        if any(counts and make is None for make, counts in zip(wider, decides, strict=True)):
            return None
        helper = _helpers()[f"{function}__{_form_for(function, 'f64')}"]

        def make() -> Expr:
            made = [
                widened() if counts and widened is not None else value
                for value, widened, counts in zip(values, wider, decides, strict=True)
            ]
            return self._form_call(node, helper, made, "f64")

        return make

    def _described(self, helper: Helper) -> list[tuple[str, str]]:
        """Names and types of the parameters; no type is empty."""
        rows = Signature(helper.scope, helper.scope.diagnostics).helper_parameters(helper.node)
        result = []
        for row in rows:
            kind = row.get("type")
            result.append((str(row["name"]), str(kind["type"]) if isinstance(kind, dict) else ""))
        return result

    def _kind_of(self, node: ast.Call, name: str, function: str, values: list[Expr]) -> str:
        kind: str | None = None
        floats = not _form_for(function, "i32") and not _form_for(function, "u32")
        for value in values:
            if types.is_soft(value.kind):
                floats = floats or types.is_float(value.kind)
                continue
            if _form_for(function, value.kind) is None:
                takes = f"{name} takes {_taken(function)}, not {value.kind}"
                self.context.error(value.at, f"{takes}; {_advice(function, value.kind)}")
            common = types.promote(kind, value.kind) if kind else value.kind
            if common is None:
                self.context.error(
                    node,
                    f"{name} of {kind} and {value.kind} has no common type; cast one, as in "
                    "i64(...) or u64(...)",
                )
            kind = common
        if kind is None:
            kind = "f32" if floats else "i32"
        if floats and kind in types.INTEGERS:
            kind = "f32"  # as in x + 0.5
        return kind if _form_for(function, kind) else "u32"

    def _form_call(self, node: ast.Call, helper: Helper, values: list[Expr], kind: str) -> Expr:
        symbols: dict[str, Symbol] = {}
        passed: list[ast.expr] = []
        for value, (name, wanted) in zip(values, self._described(helper), strict=True):
            if wanted == "u32" and value.kind == "i32":
                value = self._as_unsigned(value)  # noqa: PLW2901
            if wanted:
                place = f"as parameter '{name}' of `{helper.name}`, of type {wanted}"
                value = self.convert_silently(value, wanted, "pass", place)  # noqa: PLW2901
            alike = value.at in self.context.alike
            symbols[name] = Symbol(name, value.kind, const=value.const, alike=alike)
            passed.append(value.node)
        translated = self._translate(helper, self.context, symbols, {})
        if translated.alike:
            self.context.alike.add(node)
        call: ast.expr = ast.Call(self.context.name(translated.bound, node), passed, [])
        if translated.meets:
            self.context.meets = True
            call = ast.YieldFrom(ast.copy_location(call, node))
        result = Expr(ast.copy_location(call, node), translated.kinds[0], node)
        half = result.kind in types.FLOATS and kind in ("f16", "bf16")
        return self.convert(result, kind) if half else result

    def _as_unsigned(self, value: Expr) -> Expr:
        """Of an i32 that counts lanes or bits: one below 0 is beyond all of them."""

        def run(number: int) -> int:
            return number & 0xFFFFFFFF

        return Expr(self.context.call("i32_as_u32", run, [value.node], value.at), "u32", value.at)

    # ---- Bits

    def _bitcast(self, node: ast.Call) -> Expr:
        if len(node.args) != 2:
            self.context.error(node, f"bitcast takes 2 arguments, not {len(node.args)}")
        target = node.args[0]
        written = self.context.scope.language_name(target) or ""
        kind = self.context.scalar_type(names.canonical_scalar(written) or ast.unparse(target))
        if kind not in types.NUMBERS:
            hint = "as in bitcast(u32, x)"
            self.context.error(target, f"the first argument of bitcast is a type, {hint}")
        value = self.expression(node.args[1])
        self.require_number(value, "bitcast")
        value = self.harden(value)
        if types.BITS[kind] != types.BITS[value.kind]:
            self.context.error(
                node,
                f"bitcast keeps all bits: {value.kind} has {types.BITS[value.kind]}, {kind} "
                f"{types.BITS[kind]}",
            )
        source, mask = value.kind, (1 << types.BITS[kind]) - 1

        def run(number: Value) -> Value:
            bits = bits_of(number, source) if source in types.FLOATS else number & mask
            return from_bits(bits, kind) if kind in types.FLOATS else OPS[kind].wrap(bits)

        cast = self.context.call(f"{source}_as_{kind}", run, [value.node], node)
        return Expr(cast, kind, node)

    def _popc(self, node: ast.Call) -> Expr:
        value = self._arguments(node, 1)[0]
        self.require_number(value, "popc")
        value = self.harden(value)
        if value.kind not in types.INTEGERS:
            hint = "write bitcast(u32, ...) for its bits"
            self.context.error(value.at, f"popc takes an integer, not {value.kind}; {hint}")
        mask = (1 << types.BITS[value.kind]) - 1

        def run(number: int) -> int:
            return (number & mask).bit_count()

        counted = self.context.call(f"popc_{value.kind}", run, [value.node], node)
        return Expr(counted, value.kind, node)
