"""Statements of a kernel -> Python statements with the same lines."""

from __future__ import annotations

import ast
import math
import os
from typing import Any

from hologram import lang_library
from hologram.frontend import names
from hologram.frontend.expressions import _BINARY
from hologram.frontend.signature import Signature
from hologram.simulator import types, uniform, widening
from hologram.simulator.arrays import Array, Lane, Site, check, failed, zeros
from hologram.simulator.blocks import Meeting
from hologram.simulator.calls import Calls
from hologram.simulator.context import PREFIX, Context, Expr, Symbol
from hologram.simulator.debugging import is_debugging
from hologram.simulator.errors import AssertionFaultError
from hologram.simulator.formats import pieces_of
from hologram.simulator.helpers import Translate
from hologram.simulator.print_statement import translated
from hologram.simulator.uniform import Flow, outcomes


class Statements:
    """The translator of statements."""

    def __init__(self, context: Context, translate: Translate) -> None:
        self.context = context
        self.expressions = Calls(context, translate)
        self._flow = Flow(context.again, False, False, context.again)

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        context = self.context
        outer = context.again
        context.depth += 1
        result = []
        with context.guards.scope():
            for number, node in enumerate(body):
                context.again = self._flow.at(body[number + 1 :])
                result += self._statement(node)
        context.depth -= 1
        context.again = outer
        return result or [ast.copy_location(ast.Pass(), body[0] if body else ast.Pass())]

    def _statement(self, node: ast.stmt) -> list[ast.stmt]:
        if isinstance(node, (ast.Pass, ast.Break, ast.Continue)):
            return [node]
        if is_debugging(node):  # not in lanes that the launch does not have
            trial = ast.Attribute(self.context.lane(node), "trial", ast.Load())
            real = ast.Compare(trial, [ast.Is()], [ast.Constant(None)])
            return [ast.copy_location(ast.If(real, [self._printed(node)], []), node)]
        handler: Any = _HANDLERS.get(type(node))
        if handler is None:
            word = type(node).__name__
            self.context.error(node, f"`{word}` cannot run as Python yet; compile the kernel")
        pieces: list[ast.stmt] = handler(self, node)
        return [ast.copy_location(piece, node) for piece in pieces]

    def _printed(self, node: ast.stmt) -> ast.stmt:
        """A `print` of the language as such, any other statement of debugging as it is."""
        assert isinstance(node, (ast.Expr, ast.Import))
        if not isinstance(node, ast.Expr):
            return node
        text = translated(node, self.expressions, self.context)
        if text is None:
            return node
        lane = self.context.lane(node)
        show = ast.Attribute(ast.Attribute(lane, "printer", ast.Load()), "show", ast.Load())
        number = ast.Attribute(lane, "number", ast.Load())
        return ast.copy_location(ast.Expr(ast.Call(show, [number, text], [])), node)

    # ---- Assignments

    def _assign(self, node: ast.Assign) -> list[ast.stmt]:
        target = node.targets[0]
        if isinstance(target, ast.Tuple):
            return self._unpack(target, node.value)
        array = self._array_call(node.value)
        if array and isinstance(target, ast.Name) and isinstance(node.value, ast.Call):
            return self._declare_array(target.id, array, node.value)
        if isinstance(target, ast.Name):
            value = self._assigned(target.id, self._value_for(target.id, node.value), node)
            self._keep(target.id, node.value in self.context.alike)
            return [self._set(target, value.node)]
        assert isinstance(target, ast.Subscript)
        value = self.expressions.expression(node.value)
        symbol, index, site = self.expressions.element(target)
        return [self._store(symbol, self._stored(symbol, value), index, site, target)]

    def _value_for(self, name: str, node: ast.expr) -> Expr:
        """The value of a local; if nobody reads that, an atomic call is as good as a statement."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called = node.func.id
            meaning = self.context.scope.aliases.get(called, called)
            unknown = self.context.scope.helper(node.func) is None
            if unknown and meaning in names.ATOMICS and name not in self.context.read:
                return self.expressions.atomic(node, meaning, used=False)
        return self.expressions.expression(node)

    def _stored(self, symbol: Symbol, value: Expr) -> Expr:
        place = f"in {symbol.name}, an array of {symbol.kind}"
        return self.expressions.convert_silently(value, symbol.kind, "store", place)

    def _store(
        self, symbol: Symbol, value: Expr, index: ast.expr, site: ast.expr, at: ast.AST
    ) -> ast.stmt:
        return ast.Expr(self.context.method(symbol, "store", [value.node, index, site], at))

    def _set(self, target: ast.Name, value: ast.expr) -> ast.stmt:
        return ast.Assign([ast.copy_location(ast.Name(target.id, ast.Store()), target)], value)

    def _assigned(self, name: str, value: Expr, at: ast.AST, declared: str = "") -> Expr:
        """The value with the type of the local, which its first assignment in the text fixes."""
        context = self.context
        symbol = context.symbols.get(name)
        if symbol is not None and symbol.space == "parameter":
            context.error(at, f"parameter '{name}' cannot be assigned; copy it into a local first")
        if symbol is not None and symbol.is_array:
            context.error(at, f"array '{name}' cannot be assigned; write {name}[i] = ...")
        if symbol is not None and declared and symbol.kind != declared:
            context.error(
                at,
                f"local '{name}' is {types.shown(symbol.kind)} since line {symbol.line}; a local "
                "has one type",
            )
        if symbol is None:
            if not declared:
                value = self.expressions.harden(value)
            kind = declared or value.kind
            symbol = Symbol(name, kind, space="local", line=getattr(at, "lineno", 1))
            symbol.stated = value.cast
            context.symbols[name] = symbol
        symbol.stated = symbol.stated or declared != ""
        context.guards.forget({name})
        place = f"to {name}, a local of type {types.shown(symbol.kind)}"
        result = self.expressions.convert_silently(value, symbol.kind, "assign", place)
        context.program.widenings.assign(symbol, result.origin)
        return Expr(result.node, result.kind, result.at)

    def _annotated(self, node: ast.AnnAssign) -> list[ast.stmt]:
        assert isinstance(node.target, ast.Name) and node.value is not None
        signature = Signature(self.context.scope, self.context.scope.diagnostics)
        declared = self.context.scalar_type(signature.scalar(node.annotation, "a local's type"))
        value = self.expressions.expression(node.value)
        value = self._assigned(node.target.id, value, node, declared)
        self._keep(node.target.id, node.value in self.context.alike)
        return [self._set(node.target, value.node)]

    def _augmented(self, node: ast.AugAssign) -> list[ast.stmt]:
        op = _BINARY[type(node.op)]
        target = node.target
        at: Any = node
        if isinstance(target, ast.Name):
            loaded = ast.copy_location(ast.Name(target.id, ast.Load()), target)
            old = self.expressions.expression(loaded)
            new = self.expressions.expression(node.value)
            value = self.expressions.operator(op, old, new, at)
            whole = ast.BinOp(loaded, node.op, node.value)
            uniform.note(self.context, whole, value)
            assigned = self._assigned(target.id, value, node)
            self._keep(target.id, whole in self.context.alike)
            return [self._set(target, assigned.node)]
        assert isinstance(target, ast.Subscript)
        symbol, index, site = self.expressions.element(target)
        name = f"{PREFIX}index"
        keep = ast.Assign([ast.Name(name, ast.Store())], index)
        kept = self.context.name(name, target)
        old = Expr(self.context.method(symbol, "load", [kept, site], target), symbol.kind, target)
        value = self.expressions.operator(op, old, self.expressions.expression(node.value), at)
        return [keep, self._store(symbol, self._stored(symbol, value), kept, site, target)]

    def _array_call(self, node: ast.expr) -> str:
        """The name if it is a call of `shared` or `local`, else nothing."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            return ""
        scope = self.context.scope
        name = scope.aliases.get(node.func.id, node.func.id)
        return name if name in ("shared", "local") and scope.helper(node.func) is None else ""

    def _unpack(self, target: ast.Tuple, source: ast.expr) -> list[ast.stmt]:
        """All values first, then the assignments from the left."""
        count = len(target.elts)
        if isinstance(source, ast.Tuple) and len(source.elts) == count:
            declared: list[ast.stmt] = []
            for part, value in zip(target.elts, source.elts, strict=True):
                name = self._array_call(value)
                if name and isinstance(part, ast.Name) and isinstance(value, ast.Call):
                    declared += self._declare_array(part.id, name, value)
            if len(declared) == count:
                return declared
        held = [f"{PREFIX}value_{i}" for i in range(count)]
        code: ast.expr
        if isinstance(source, ast.Tuple):
            values = [self.expressions.expression(item) for item in source.elts]
        elif isinstance(source, ast.Attribute):
            values = self.expressions.shape(source)
        else:
            assert isinstance(source, ast.Call)
            name = source.func.id if isinstance(source.func, ast.Name) else ""
            meaning = self.context.scope.aliases.get(name, name)
            if self.context.scope.helper(source.func) is not None:
                code, kinds, results = self.expressions.helper(source)
                origins = [widening.of_local(result) for result in results]
            elif meaning in names.RANDOM:
                code, kinds = self.expressions.library(source, meaning)
                origins = [widening.stated] * len(kinds)
            else:
                self.context.error(source, "only a tuple or a helper's result can be taken apart")
            values = [
                Expr(self.context.name(name, source), kind, source, origin=origin)
                for name, kind, origin in zip(held, kinds, origins, strict=False)
            ]
        if len(values) != count:
            noun = "value" if len(values) == 1 else "values"
            self.context.error(source, f"{count} targets, but {len(values)} {noun}")
        parts = [self._part(*pair) for pair in zip(target.elts, values, held, strict=True)]
        sources = source.elts if isinstance(source, ast.Tuple) else [source] * count
        for part, of in zip(target.elts, sources, strict=True):
            if isinstance(part, ast.Name):
                self._keep(part.id, of in self.context.alike or isinstance(of, ast.Attribute))
        if not isinstance(source, ast.Call):
            code = ast.Tuple([value.node for value, _ in parts], ast.Load())
            names_set = [ast.Name(name, ast.Store()) for name in held]
            take: ast.stmt = ast.Assign([ast.Tuple(list(names_set), ast.Store())], code)
            return [take, *(rest for _, rest in parts)]
        targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in held]
        converted = [
            ast.Assign([ast.Name(name, ast.Store())], value.node)
            for name, (value, _) in zip(held, parts, strict=True)
        ]
        take = ast.Assign([ast.Tuple(targets, ast.Store())], code)
        return [take, *converted, *(rest for _, rest in parts)]

    def _keep(self, name: str, alike: bool) -> None:
        """Whether a local that is assigned has one value in all lanes."""
        self.context.symbols[name].alike = alike

    def _part(self, target: ast.expr, value: Expr, held: str) -> tuple[Expr, ast.stmt]:
        """One value of a tuple, as its target wants it, and the assignment of the kept value."""
        kept = self.context.name(held, target)
        if isinstance(target, ast.Name):
            value = self._assigned(target.id, value, target)
            return value, self._set(target, kept)
        assert isinstance(target, ast.Subscript)
        symbol, index, site = self.expressions.element(target)
        value = self._stored(symbol, value)
        return value, self._store(symbol, Expr(kept, symbol.kind, target), index, site, target)

    def _declare_array(self, name: str, space: str, call: ast.Call) -> list[ast.stmt]:
        context = self.context
        folder = os.path.dirname(context.source.path)
        of_library = space == "shared" and folder == lang_library.__path__[0]
        if not of_library and (context.depth != 1 or context.helper is not None):
            context.error(call, f"a {space} array is declared at the top level of the kernel")
        if name in context.symbols:
            context.error(call, f"'{name}' has a meaning already; give the array its own name")
        if len(call.args) != 2 or call.keywords:
            context.error(call, f"{space} takes 2 arguments; write {space}(f32, 256)")
        signature = Signature(context.scope, context.scope.diagnostics)
        kind = context.scalar_type(signature.scalar(call.args[0], "an element type"))
        extents = self._extents(space, call.args[1])
        count = math.prod(extents)
        most = (49152 if space == "shared" else 16384) * 8 // types.ELEMENT_BITS[kind]
        if count > most:
            context.error(
                call.args[1],
                f"a {space} array has 1 to {most} elements of {kind}, not {count}",
            )
        symbol = Symbol(name, kind, True, space, line=call.lineno)
        symbol.rank, symbol.extents = len(extents), extents
        context.symbols[name] = symbol
        number = len(context.program.names)
        if of_library:  # one for each type
            number = -types.ELEMENT_BITS[kind]
        make = _shared if space == "shared" else _local

        def declare() -> Array:
            return make(context.program.lane, number, (name, kind), extents)

        made = context.call(f"array_{len(context.program.names)}", declare, [], call)
        return [ast.Assign([ast.Name(name, ast.Store())], made)]

    def _extents(self, space: str, node: ast.expr) -> tuple[int, ...]:
        """256 or (16, 16)"""
        extents = []
        for part in node.elts if isinstance(node, ast.Tuple) else [node]:
            extent = self.expressions.expression(part).const
            if not isinstance(extent, int) or isinstance(extent, bool):
                self.context.error(
                    part,
                    f"the size of a {space} array is an integer known at compile time; write "
                    f"{space}(f32, n, most=256) for one that comes with the launch",
                )
            if extent < 1:
                self.context.error(part, f"a {space} array has a size of at least 1, not {extent}")
            extents.append(extent)
        return tuple(extents)

    # ---- Control flow

    def _if(self, node: ast.If) -> list[ast.stmt]:
        condition = self.expressions.condition(node.test)
        test, known = condition.node, condition.const
        if known is not None:
            self.context.known[node.test] = bool(known)
        outer = self._flow
        self._flow = outer.inside(self.context.again)
        before = self._alike()
        with self.context.guards.scope(node.test):
            body = self._side(node.body, known is not None and not known)
        behind = self._alike()
        self._restore(before)
        with self.context.guards.scope(node.test, holds=False):
            dead = known is not None and bool(known)
            rest = self._side(node.orelse, dead) if node.orelse else []
        self.context.guards.learn_behind(node)
        self._flow = outer
        through = [ways for ways in map(outcomes, (node.body, node.orelse)) if "next" in ways]
        if len(through) == 2:
            self._differ(uniform.assigned([*node.body, *node.orelse]))
        elif "next" in outcomes(node.body):
            self._restore(behind)
        return [ast.If(test, body, rest)]

    def _side(self, body: list[ast.stmt], dead: bool) -> list[ast.stmt]:
        """One side of an `if`; what it would do counts for nothing where it is not compiled."""
        program = self.context.program
        accesses, updates = program.accesses, program.updates
        if dead:
            program.accesses, program.updates = {}, []
        result = self.block(body)
        if dead:
            program.accesses, program.updates = accesses, updates
        return result

    def _alike(self) -> dict[str, bool]:
        return {name: symbol.alike for name, symbol in self.context.symbols.items()}

    def _restore(self, alike: dict[str, bool]) -> None:
        for name, was in alike.items():
            self.context.symbols[name].alike = was

    def _differ(self, names: set[str]) -> None:
        """Several assignments meet here, so it is not followed which value the locals have."""
        for name in names & self.context.symbols.keys():
            self.context.symbols[name].alike = False

    def _loop_body(self, body: list[ast.stmt]) -> list[ast.stmt]:
        outer = self._flow
        self._flow = outer.of_loop(self.context.again)
        result = self.block(body)
        self._flow = outer
        self._differ(uniform.assigned(body))
        return result

    def _assert(self, node: ast.Assert) -> list[ast.stmt]:
        test = self.expressions.condition(node.test).node
        site = self.context.site(node, self.context.text(node.test), [node.test])
        name = f"assert_{len(self.context.program.names)}"
        if isinstance(node.msg, ast.JoinedStr):
            of = "the message of an `assert`"
            pieces = pieces_of(node.msg, self.expressions, self.context, of)
            values = [site, *(piece.node for piece in pieces)]
            stop = self.context.call(name, failed([p.write for p in pieces]), values, node)
            fails = ast.copy_location(ast.UnaryOp(ast.Not(), test), node)
            return [ast.If(fails, [ast.copy_location(ast.Expr(stop), node)], [])]
        message = "" if node.msg is None else ast.literal_eval(node.msg)
        return [ast.Expr(self.context.call(name, check(message), [test, site], node))]

    def _while(self, node: ast.While) -> list[ast.stmt]:
        again, self.context.again = self.context.again, True
        self._differ(uniform.assigned(node.body))
        self.context.guards.forget(uniform.assigned(node.body))
        condition = self.expressions.condition(node.test)
        test = condition.node
        if condition.const is not None:
            self.context.known[node.test] = bool(condition.const)
        self.context.again = again
        site = self.context.site(node, "", [])
        turn = ast.Attribute(self.context.lane(node), "turn", ast.Load())
        count = ast.copy_location(ast.Expr(ast.Call(turn, [site], [])), node)
        with self.context.guards.scope(node.test):
            body = self._loop_body(node.body)
        return [ast.While(test, [count, *body], [])]

    def _for(self, node: ast.For) -> list[ast.stmt]:
        assert isinstance(node.iter, ast.Call) and isinstance(node.target, ast.Name)
        name = node.target.id
        call: ast.Call = node.iter
        from_end = isinstance(call.func, ast.Name) and call.func.id == "reversed"
        if from_end:
            assert isinstance(call.args[0], ast.Call)
            call = call.args[0]
        given = [self.expressions.expression(argument) for argument in call.args]
        for value in given:
            if not types.is_integer(value.kind):
                self.context.error(value.at, f"range takes integers, not {types.shown(value.kind)}")
        zero, one = (self.expressions.literal(n, node.iter) for n in (0, 1))
        start = given[0] if len(given) > 1 else zero
        stop = given[1] if len(given) > 1 else given[0]
        step = given[2] if len(given) > 2 else one
        if step.const is None and step.kind not in types.UNSIGNED:
            self.context.error(
                step.at,
                "a step of range that is not known when compiling counts up; write u32(...)",
            )
        if step.const == 0:
            self.context.error(step.at, "the step of range is 0; the loop would never end")
        if from_end and step.const != 1:
            hint = "count down with a negative step"
            self.context.error(step.at, f"reversed takes a range whose step is 1; {hint}")
        first = start.const
        below = self._below_zero(name, start, stop, step, node)
        if below is not None:
            counted = below
        else:
            known = self._counted(start, stop, step)
            start, stop, step = self._count(name, start, stop, step, node)
            arguments = [start.node, stop.node, step.node]
            if step.const is None:
                what = "the step of range is not 0"
                arguments.append(self.context.site(step.at, what, [step.at]))
            function = _reversed if from_end else _range
            counted = self.context.call(function.__name__, function, arguments, node.iter)
        target = ast.copy_location(ast.Name(name, ast.Store()), node.target)
        self._differ({name} | uniform.assigned(node.body))
        # What is known of a counter that is counted in another way, or assigned, is nothing.
        simple = below is None and not from_end and name not in uniform.assigned(node.body)
        counters = self.context.counters
        outer = counters.pop(name, None)
        if simple and known is not None:
            counters[name] = known
        with self.context.guards.scope():
            self.context.guards.forget({name} | uniform.assigned(node.body))
            if not from_end:
                self.context.guards.learn_counter(name, first, step.const)
            body = self._loop_body(node.body)
        counters.pop(name, None)
        if outer is not None:
            counters[name] = outer
        return [ast.For(target, counted, body, [])]

    def _counted(self, start: Expr, stop: Expr, step: Expr) -> tuple[int, int] | None:
        """The least and the largest value of the counter, where the range is of literals."""
        first, last, by = start.const, stop.const, step.const
        if not isinstance(first, int) or not isinstance(last, int) or not isinstance(by, int):
            return None
        least, most = (first, last - 1) if by > 0 else (last + 1, first)
        return (least, most) if least <= most else None

    def _below_zero(
        self, name: str, start: Expr, stop: Expr, step: Expr, node: ast.For
    ) -> ast.expr | None:
        """The numbers of `range(n - 1, -1, -1)` of an unsigned type: `n - 1` may be below 0 too."""
        down = isinstance(step.const, int) and step.const < 0
        if start.kind not in types.UNSIGNED or stop.const != -1 or not down:
            return None
        less = 0
        at = start.at
        if isinstance(at, ast.BinOp) and isinstance(at.op, ast.Sub):
            amount = self.expressions.expression(at.right).const
            if isinstance(amount, int) and amount > 0:
                less = amount
                size = self.expressions.expression(at.left)
                start = self.expressions.convert(size, start.kind)
        counter = Expr(start.node, start.kind, node)
        self._assigned(name, counter, node)
        by = self.context.constant(int(step.const or 0), node.iter)
        arguments = [start.node, self.context.constant(less, node.iter), by]
        return self.context.call("_below_zero", _below_zero, arguments, node.iter)

    def _count(
        self, name: str, start: Expr, stop: Expr, step: Expr, node: ast.For
    ) -> tuple[Expr, Expr, Expr]:
        """All in the type of the counter; a step that is known stays what it is."""
        context, convert = self.context, self.expressions.convert
        symbol = context.symbols.get(name)
        if symbol is not None and (symbol.is_array or symbol.space == "parameter"):
            context.error(node, f"parameter '{name}' cannot be assigned; use another name")
        varies = step.const is None
        if varies:
            unify = self.expressions.unify
            start, step, _ = unify(start, step, step.at, "range")
            stop, step, kind = unify(stop, step, step.at, "range")
            start = convert(start, kind)
        elif types.is_soft(start.kind) and types.is_soft(stop.kind):
            kind = symbol.kind if symbol is not None and symbol.kind in types.INTEGERS else "i32"
            start, stop = convert(start, kind), convert(stop, kind)
        else:
            start, stop, kind = self.expressions.unify(start, stop, node.iter, "range")

        def fits(counter: Symbol) -> bool:
            integer = counter.kind in types.INTEGERS
            return integer and types.converts_silently(kind, counter.kind)

        if symbol is None or (not fits(symbol) and name in context.only_counters):
            symbol = Symbol(name, kind, space="local", line=node.lineno)
            context.symbols[name] = symbol
        if not fits(symbol):
            context.error(
                node,
                f"cannot count in {name}, a local of type {symbol.kind}, over a range of {kind}; "
                "use another name",
            )
        if varies:
            step = convert(step, symbol.kind)
        else:
            step = Expr(context.constant(int(step.const or 0), node.iter), kind, node, step.const)
        return convert(start, symbol.kind), convert(stop, symbol.kind), step

    def _return(self, node: ast.Return) -> list[ast.stmt]:
        context = self.context
        returns = context.helper
        if returns is None:
            if node.value is not None:
                context.error(node.value, "a kernel returns nothing; store the value in an array")
            return [ast.Return(ast.Constant(True))]  # it need not meet the others any more
        items: list[Any] = [] if node.value is None else [node.value]
        if isinstance(node.value, ast.Tuple):
            items = node.value.elts
        values = [self.expressions.expression(item) for item in items]
        returns.count += 1
        returns.alike = [item in context.alike for item in items]
        if not returns.known:
            returns.known = True
            values = [self.expressions.harden(value) for value in values]
            returns.kinds = [value.kind for value in values]
            returns.results = [Symbol("", kind, stated=False) for kind in returns.kinds]
        if len(values) != len(returns.kinds):
            context.error(
                node,
                f"`{returns.name}` returns {len(returns.kinds)} values elsewhere and "
                f"{len(values)} here",
            )
        nodes: list[ast.expr] = []
        for value, kind, result in zip(values, returns.kinds, returns.results, strict=True):
            place = f"from `{returns.name}`, which returns {kind}"
            kept = self.expressions.convert_silently(value, kind, "return", place)
            context.program.widenings.assign(result, kept.origin)
            nodes.append(kept.node)
        single = nodes[0] if nodes else None
        return [ast.Return(ast.Tuple(nodes, ast.Load()) if len(nodes) > 1 else single)]

    def _call(self, node: ast.Expr) -> list[ast.stmt]:
        if not isinstance(node.value, ast.Call):
            return []  # a docstring; the front end refuses everything else
        call, scope = node.value, self.context.scope
        if scope.helper(call.func) is not None:
            return [ast.Expr(self.expressions.helper(call)[0])]
        assert isinstance(call.func, ast.Name)
        name = scope.aliases.get(call.func.id, call.func.id)
        if name == "barrier":
            place = (self.context.source.path, node.lineno, node.col_offset + 1)
            message = self.context.constant(Meeting(place, "", "", None), node)
            return [ast.Expr(self.context.wait(message, node))]
        if name == "unique":
            self._unique(call)
            return []
        if name not in names.ATOMICS:
            self.expressions.expression(call)
            self.context.error(node, f"the result of {name} is not used; remove the call")
        return [ast.Expr(self.expressions.atomic(call, name, used=False).node)]

    def _unique(self, call: ast.Call) -> None:
        context = self.context
        if context.depth != 1 or context.helper is not None:
            where = "write it at the top level of the kernel"
            context.error(call, f"unique(...) is a promise of every launch; {where}")
        if len(call.args) != 1 or call.keywords:
            context.error(call, "unique takes an array and nothing else")
        symbol = context.array(call.args[0])
        if symbol.space != "global":
            context.error(call, "unique takes an array that is a parameter of the kernel")
        if symbol.kind not in types.INTEGERS:
            message = f"unique takes an array of integers; '{symbol.name}' has {symbol.kind}"
            context.error(call, message)
        context.program.unique[symbol.name] = lambda: context.error(
            call,
            f"'{symbol.name}' is declared unique, so the kernel only reads it; write to another "
            "array",
        )


def _range(start: int, stop: int, step: int, site: Site | None = None) -> range:
    if site is not None and step == 0:
        site.fault(f"assertion failed: {site.text}", 2, AssertionFaultError)
    return range(start, stop, step)


def _reversed(start: int, stop: int, step: int) -> range:
    return range(start, stop, step)[::-1]


def _below_zero(size: int, less: int, step: int) -> range:
    return range(size - less, -1, step)


def _shared(lane: Lane, number: int, named: tuple[str, str], extents: tuple[int, ...]) -> Array:
    name, kind = named
    if number not in lane.shared:
        tracked = lane.tracks and lane.trial is None
        lane.shared[number] = zeros(kind, math.prod(extents), tracked)
    return Array(name, kind, lane.shared[number], lane).of_block().shaped(extents)


def _local(lane: Lane, number: int, named: tuple[str, str], extents: tuple[int, ...]) -> Array:
    name, kind = named
    memory = zeros(kind, math.prod(extents), tracked=False)
    return Array(name, kind, memory, lane, private=True).shaped(extents)


_HANDLERS: dict[type[ast.stmt], Any] = {
    ast.Assign: Statements._assign,
    ast.AnnAssign: Statements._annotated,
    ast.AugAssign: Statements._augmented,
    ast.If: Statements._if,
    ast.While: Statements._while,
    ast.For: Statements._for,
    ast.Assert: Statements._assert,
    ast.Return: Statements._return,
    ast.Expr: Statements._call,
}
