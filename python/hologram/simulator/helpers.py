"""Calls of `@inline` helpers: each is a Python function for the types of its arguments."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hologram.frontend.scope import Helper, Scope, TypeVariable
from hologram.frontend.signature import Signature
from hologram.simulator import widening
from hologram.simulator.context import Context, Expr, Symbol
from hologram.simulator.elements import Elements

# Translates a helper for the arguments of a call: its name, what it returns, whether it meets.
Translate = Callable[[Helper, Context, dict[str, Symbol], dict[str, str]], "Translated"]


class Translated:
    """A helper for one choice of argument types."""

    def __init__(
        self, bound: str, kinds: list[str], meets: bool, alike: bool, results: list[Symbol]
    ) -> None:
        self.bound = bound
        self.results = results  # what its float values are made of
        self.alike = alike  # all lanes of a launch compute its value alike
        self.kinds = kinds
        self.meets = meets


class Helpers(Elements):
    """Expressions with helpers."""

    def __init__(self, context: Context, translate: Translate) -> None:
        super().__init__(context)
        self._translate = translate

    def _helper_value(self, node: ast.Call) -> Expr:
        code, kinds, results = self.helper(node)
        if len(kinds) != 1:
            name = ast.unparse(node.func)
            what = f"{len(kinds)} values; assign them, as in a, b = {name}(...)"
            self.context.error(
                node, f"`{name}` returns {what if kinds else 'nothing; it is no value'}"
            )
        return Expr(code, kinds[0], node, origin=widening.of_local(results[0]))

    def helper(self, node: ast.Call) -> tuple[ast.expr, list[str], list[Symbol]]:
        """The call of a helper, and the types of what it returns and what that is made of."""
        name = ast.unparse(node.func)
        helper = self.context.scope.helper(node.func)
        assert helper is not None
        definition = helper.node
        parameters = [*definition.args.posonlyargs, *definition.args.args]
        if node.keywords or len(node.args) != len(parameters):
            self.context.error(
                node, f"{name} takes {len(parameters)} arguments, not {len(node.args)}"
            )
        signature = Signature(helper.scope, helper.scope.diagnostics)
        described = {row["name"]: row for row in signature.helper_parameters(definition)}
        variables: dict[str, str] = {}
        symbols: dict[str, Symbol] = {}
        passed: list[ast.expr] = []
        for parameter, argument in zip(parameters, node.args, strict=True):
            kind: Any = described[parameter.arg].get("type", {})
            symbol, code = self._argument(parameter.arg, argument, kind, variables, helper.scope)
            symbols[parameter.arg] = symbol
            passed.append(code)
        translated = self._translate(helper, self.context, symbols, variables)
        if translated.alike:
            self.context.alike.add(node)
        call = ast.Call(self.context.name(translated.bound, node), passed, [])
        ast.copy_location(call, node)
        if not translated.meets:
            return call, translated.kinds, translated.results
        self.context.meets = True
        together = ast.copy_location(ast.YieldFrom(call), node)
        return together, translated.kinds, translated.results

    def _argument(
        self,
        name: str,
        argument: ast.expr,
        kind: dict[str, Any],
        variables: dict[str, str],
        scope: Scope,
    ) -> tuple[Symbol, ast.expr]:
        known = self.context.symbols.get(argument.id) if isinstance(argument, ast.Name) else None
        if kind.get("kind") == "device_array" or (not kind and known and known.is_array):
            array = self.context.array(argument)
            if kind:
                element = kind["element_type"]["type"]
                variable = scope.type_variable(element)
                wanted = self._wanted(element, array.kind, argument, variables, variable)
                if wanted != array.kind:
                    self.context.error(
                        argument, f"'{array.name}' is an array of {array.kind}, not of {wanted}"
                    )
            if kind and kind.get("rank", 1) != array.rank:
                self.context.error(
                    argument,
                    f"'{array.name}' has rank {array.rank}, parameter '{name}' {kind['rank']}",
                )
            symbol = replace(array, name=name, origin=array.origin or array.name)
            return symbol, self.context.name(array.name, argument)
        value = self.expression(argument)
        if kind.get("kind") == "constexpr":
            if value.const is None:
                self.context.error(
                    argument, f"parameter '{name}' is known at compile time; pass a number"
                )
            return Symbol(name, value.kind, const=value.const), value.node
        if kind:
            variable = scope.type_variable(kind["type"])
            found = self.harden(value).kind if variable is not None else None
            wanted = self._wanted(kind["type"], found, argument, variables, variable)
            place = f"as parameter '{name}', of type {wanted}"
            value = self.convert_silently(value, wanted, "pass", place)
        value = self.harden(value)
        symbol = Symbol(name, value.kind, const=value.const, alike=argument in self.context.alike)
        symbol.stated = bool(kind)
        symbol.by_default = not kind and value.wider is not None
        symbol.values = value.values if isinstance(argument, ast.Name) else None
        self.context.program.widenings.assign(symbol, value.origin)
        return symbol, value.node

    def _wanted(
        self,
        written: str,
        found: str | None,
        at: ast.expr,
        variables: dict[str, str],
        variable: TypeVariable | None,
    ) -> str:
        """The type of a parameter; a type variable has that of its first argument, `found`."""
        if variable is None:
            return written
        if written not in variables:
            kind = found or ""
            if kind not in variable.types:
                self.context.error(at, f"{written} is {' or '.join(variable.types)}, not {kind}")
            variables[written] = kind
        return variables[written]
