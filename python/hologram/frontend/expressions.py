"""Expressions of a kernel's body -> JSON nodes.

Each method takes one kind of syntax node and returns its JSON node. After an error it returns the
empty node: the walk goes on to find more errors, and the document is never written.
"""

from __future__ import annotations

from hologram.frontend import constants, names
from hologram.frontend.context import MAX_NESTING
from hologram.frontend.nodes import Node, make
from hologram.frontend.syntax_tree import ast, dotted_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hologram.frontend.context import Context

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "floor_div",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.BitAnd: "bit_and",
    ast.BitOr: "bit_or",
    ast.BitXor: "bit_xor",
    ast.LShift: "shl",
    ast.RShift: "shr",
}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}
_UNARY: dict[type[ast.unaryop], str] = {
    ast.USub: "neg",
    ast.UAdd: "pos",
    ast.Not: "not",
    ast.Invert: "inv",
}
_MODULES = {"math": "math", "numpy": "numpy", "np": "numpy"}  # whose functions the language has
_ARRAY_MAKERS = ("zeros", "ones", "empty", "full", "array", "local", "shared")
# Functions that Python lets have more arguments: (name, their number) -> what to write.
_MORE_ARGUMENTS = {
    ("log", 2): "log(x) / log(base)",
    ("pow", 3): "a loop of products, each with `% m`",
}
_SCALARS = names.SCALARS | names.SCALAR_ALIASES.keys()
_FUTURE_CALLS = {
    "parallel_scan": "`parallel_scan`; write a loop over the elements",
    "parallel_gather": "`parallel_gather`; write `b[i] = a[index[i]]`",
    "parallel_scatter": "`parallel_scatter`; write `b[index[i]] = a[i]`",
}


class Expressions:
    """The walker of expressions."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def expression(self, node: ast.expr) -> Node:
        handler = _HANDLERS.get(type(node))
        if handler is None:
            from hologram.frontend import unsupported

            self._context.error(node, unsupported.expression_message(node))
            return {}
        context = self._context
        if context.depth < MAX_NESTING:
            context.depth += 1
            result = handler(self, node)
            context.depth -= 1
            return result
        context.refuse_depth(node)
        return {}

    def operator(self, node: ast.BinOp | ast.AugAssign) -> str:
        """The name of a binary operator; an error and "" if the language has it not."""
        name = _BINARY.get(type(node.op), "")
        if not name:
            from hologram.frontend import unsupported

            self._context.error(node, unsupported.MATMUL)
        return name

    def index(self, node: ast.Subscript) -> Node:
        """`array[index]`, read or written."""
        array = node.value
        inside: ast.expr = array
        while isinstance(inside, ast.Subscript):
            inside = inside.value
        if isinstance(inside, ast.Call) and isinstance(inside.func, ast.Attribute):
            self._refuse_method(inside.func)
            return {}
        if isinstance(array, ast.Subscript):
            self._context.error(node, "an element has no elements; write all indices, `a[i, j]`")
            return {}
        if isinstance(array, ast.Attribute):
            if array.attr == "shape" and isinstance(array.value, ast.Name):
                return self._shape(node, array.value)
            return self._attribute(array)
        if not isinstance(array, ast.Name):
            called = dotted_name(array.func) or "" if isinstance(array, ast.Call) else ""
            makes = called.rpartition(".")[2] in _ARRAY_MAKERS
            hint = "; write `t = local(f32, 16)`, then t[0]" if makes else ""
            self._context.error(node, f"only an array that has a name can be indexed{hint}")
            return {}
        position = node.slice
        if isinstance(position, ast.Constant) and isinstance(position.value, str):
            self.expression(position if array.id in self._context.locals else array)
            return {}
        text = self._context.source.segment(node)
        if isinstance(position, ast.Constant) and position.value is ...:
            self._context.error(node, "`...` cannot be an index in a kernel; index one element")
            return {}
        if isinstance(position, ast.Tuple):
            if not 1 <= len(position.elts) <= names.MAX_RANK:
                self._context.error(
                    node, f"an array has 1 to {names.MAX_RANK} indices, not {len(position.elts)}"
                )
                return {}
            indices = [self.expression(item) for item in position.elts]
            array_node = self.expression(array)
            return make("index", node, array=array_node, indices=indices, text=text)
        return make(
            "index",
            node,
            array=self.expression(array),
            index=self.expression(position),
            text=text,
        )

    def _shape(self, node: ast.Subscript, array: ast.Name) -> Node:
        """`a.shape[k]`"""
        if isinstance(node.ctx, ast.Store):
            self._context.error(node, "the shape of an array cannot be assigned")
            return {}
        dimension = self.expression(node.slice)
        return make("shape", node, array=self.expression(array), dimension=dimension)

    @staticmethod
    def is_shape(node: ast.expr) -> bool:
        """`a.shape`, without a dimension"""
        return (
            isinstance(node, ast.Attribute)
            and node.attr == "shape"
            and isinstance(node.value, ast.Name)
        )

    def whole_shape(self, node: ast.expr) -> Node:
        """All extents, to be taken apart. REQUIRES: is_shape(node)"""
        assert isinstance(node, ast.Attribute)
        return make("shape", node, array=self.expression(node.value))

    def tuple(self, node: ast.Tuple) -> Node:
        """Two or more values side by side: what is unpacked, or what a helper returns."""
        if len(node.elts) < 2:
            self._context.error(node, "a tuple of one value; write the value alone")
            return {}
        return make("tuple", node, values=[self.expression(item) for item in node.elts])

    def _name(self, node: ast.Name) -> Node:
        name = node.id
        if name in self._context.locals:
            return make("var", node, name=name)
        self._context.scope.touch(name)
        if name in self._context.scope.helpers:
            self._context.error(node, f"`{name}` is a helper; call it, `{name}(...)`")
            return {}
        why = self._context.scope.why_not(name)
        if why is not None:
            self._context.error(node, why)
            return {}
        scope = self._context.scope
        if name in scope.values and not scope.declares(name):
            return self._value_in_words(node, scope.values[name])
        if name not in _SCALARS and self._refuse_other_value(node, name):
            return {}
        name = scope.aliases.get(name, name)
        return make("var", node, name=names.canonical_scalar(name) or name)

    def _refuse_other_value(self, node: ast.Name, name: str) -> bool:
        """`FLT_MAX`, `true`, where the file has no such name."""
        scope = self._context.scope
        if scope.defines(name) or name in scope.type_variables:
            return False
        from hologram.frontend import hints

        found = hints.NAMES.get(name)
        if found is not None:
            self._context.error(node, f"undefined name '{name}'; write {found}")
        return found is not None

    def _value_in_words(self, node: ast.expr, value: int | float) -> Node:
        """`inf`, `float("-inf")`, `math.inf`, a constant of another file: literals all the same."""
        return make("literal", node, value=value, kind=type(value).__name__)

    def _literal(self, node: ast.Constant) -> Node:
        value = node.value
        kind = type(value).__name__
        if kind not in ("int", "float", "bool"):
            from hologram.frontend import unsupported

            self._context.error(node, unsupported.constant_message(value))
            return {}
        assert isinstance(value, (int, float))
        try:
            constants.check_range(value)
        except constants.FoldError as error:
            text = self._context.source.segment(node)
            shown = text if len(text) <= 40 else text[:37] + "..."
            self._context.error(node, f"literal {shown} is out of range: {error}")
            return {}
        return make("literal", node, value=value, kind=kind)

    def _binary(self, node: ast.BinOp) -> Node:
        op = self.operator(node)
        left, right = self.expression(node.left), self.expression(node.right)
        return make("binary_op", node, op=op, left=left, right=right)

    def _unary(self, node: ast.UnaryOp) -> Node:
        op = _UNARY[type(node.op)]
        return make("unary_op", node, op=op, operand=self.expression(node.operand))

    def _bool(self, node: ast.BoolOp) -> Node:
        op = "and" if isinstance(node.op, ast.And) else "or"
        return make("bool_op", node, op=op, values=[self.expression(v) for v in node.values])

    def _compare(self, node: ast.Compare) -> Node:
        first = self.expression(node.left)
        rest: list[Node] = []
        for operator, operand in zip(node.ops, node.comparators):  # noqa: B905 (same length)
            if type(operator) not in _COMPARE:
                from hologram.frontend import unsupported

                self._context.error(node, unsupported.comparison_message(operator))
                return {}
            rest.append({"op": _COMPARE[type(operator)], "operand": self.expression(operand)})
        if len(rest) == 1:
            only = rest[0]
            return make("binary_op", node, op=only["op"], left=first, right=only["operand"])
        return make("compare_chain", node, first=first, rest=rest)

    def _conditional(self, node: ast.IfExp) -> Node:
        condition = self.expression(node.test)
        taken, other = self.expression(node.body), self.expression(node.orelse)
        return make("if_expr", node, condition=condition, then=taken, **{"else": other})

    def _attribute(self, node: ast.Attribute) -> Node:
        dotted = dotted_name(node) or ""
        if dotted.partition(".")[0] not in self._context.locals:
            scope = self._context.scope
            scope.touch(dotted)
            if dotted in scope.values:
                return self._value_in_words(node, scope.values[dotted])
            if dotted in scope.helpers:
                self._context.error(node, f"`{dotted}` is a helper; call it, `{dotted}(...)`")
                return {}
            if dotted in scope.others:
                self._context.error(node, scope.why_not(dotted) or "")
                return {}
        if self._refuse_language_attribute(node):
            return {}
        written = dotted_name(node) or f"(...).{node.attr}"
        if self._refuse_unknown_module(node, written):
            return {}
        if node.attr == "shape":
            self._context.error(node, f"a shape is no value; write one extent, `{written}[0]`")
            return {}
        from hologram.frontend import hints

        elsewhere = hints.value(written if dotted_name(node) else node.attr)
        if elsewhere is not None:
            self._context.error(
                node, f"attribute `{written}` is not in the kernel language; write {elsewhere}"
            )
            return {}
        head = written.partition(".")[0]
        of_module = head not in self._context.locals and head in self._context.scope.others
        hint = "write its value or a module constant" if of_module else "write a plain name"
        if isinstance(node.value, ast.Call):
            hint = "write its value or a module constant, `EPS = 2.0**-23`"
        self._context.error(node, f"attribute `{written}` is not in the kernel language; {hint}")
        return {}

    def _refuse_unknown_module(self, node: ast.Attribute, written: str) -> bool:
        """`math.sin` would be one of the language, if the file imported `math`."""
        head, _, rest = written.partition(".")
        of_language = rest in names.MODULE_FUNCTIONS.get(_MODULES.get(head, ""), {})
        of_values = rest in names.VALUE_MODULES.get(_MODULES.get(head, ""), {})
        known = head in self._context.locals or self._context.scope.defines(head)
        if known or not (of_language or of_values):
            return False
        imported = head if head == _MODULES[head] else f"{_MODULES[head]} as {head}"
        self._context.error(node, f"`{head}` is not imported; write `import {imported}` at the top")
        return True

    def _refuse_language_attribute(self, node: ast.Attribute) -> bool:
        """`hg.exp` where `exp` is something else here: spelling.py has replaced all others."""
        name = self._context.scope.language_name(node)
        if name not in names.LANGUAGE:
            return False
        why = f"write `{name}` (from hologram.lang import {name})"
        if name in names.FUNCTIONS:
            why = f"`{name}` is something else here; rename that"
        self._context.error(node, f"`{dotted_name(node)}` is not in the kernel language; {why}")
        return True

    def _call(self, node: ast.Call) -> Node:
        function = self._function(node)
        value = constants.value_in_words(node)
        if value is not None and function == "f32":
            return self._value_in_words(node, value)
        # shared(f32, (16, 16)) and atomic_add(a, (i, j), 1)
        takes_indices = function in ("shared", "local") or function.startswith("atomic_")
        if function.startswith("atomic_") and node.args and isinstance(node.args[0], ast.Subscript):
            self._refuse_element(node, function, node.args[0])
            return {}
        arguments: list[Node] = []
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                self._context.error(
                    argument, "`*` in a call is not in the kernel language; write each argument"
                )
            elif not function and _is_of_callee(argument):
                continue
            elif isinstance(argument, ast.Tuple) and len(arguments) == 1 and takes_indices:
                arguments.append(self.tuple(argument))
            else:
                arguments.append(self.expression(argument))
        if function == "round" and len(node.args) == 2:
            self._refuse_digits(node)
            return {}
        if (function, len(node.args)) in _MORE_ARGUMENTS:
            other = _MORE_ARGUMENTS[function, len(node.args)]
            self._context.error(node, f"`{function}` takes fewer arguments; write {other}")
            return {}
        keywords = self._keywords(node, function)
        return make("call", node, function=function, args=arguments, kwargs=keywords)

    def _refuse_element(self, node: ast.Call, function: str, element: ast.Subscript) -> None:
        """`atomic_add(a[i], 1)`"""
        array = self._context.source.segment(element.value)
        index = self._context.source.segment(element.slice)
        if isinstance(element.slice, ast.Tuple):
            index = f"({index})"
        rest = "".join(f", {self._context.source.segment(a)}" for a in node.args[1:])
        self._context.error(
            node,
            f"`{function}` takes an array and an index; write `{function}({array}, {index}{rest})`",
        )

    def _refuse_digits(self, node: ast.Call) -> None:
        """`round(x, 2)`"""
        digits = node.args[1].value if isinstance(node.args[1], ast.Constant) else None
        scale = f"1{'0' * digits}.0" if isinstance(digits, int) and 0 < digits < 9 else "scale"
        value = self._context.source.segment(node.args[0])
        self._context.error(
            node, f"`round` takes one number; write `round({value} * {scale}) / {scale}`"
        )

    def _keywords(self, node: ast.Call, function: str) -> Node:
        result: Node = {}
        known = names.KEYWORDS.get(function, ())
        if function in self._context.called:
            known = ()
        for keyword in node.keywords:
            if keyword.arg is None:
                self._context.error(
                    keyword, "`**` in a call is not in the kernel language; write each argument"
                )
            elif keyword.arg in result:
                self._context.error(keyword, f"`{keyword.arg}=` is there twice; remove one")
            elif keyword.arg in known:
                result[keyword.arg] = self.expression(keyword.value)
            elif function:
                advice = "write values in their places, without names"
                if known:
                    advice = "it has: " + ", ".join(f"`{name}=`" for name in known)
                self._context.error(
                    keyword,
                    f"`{function}` has no keyword argument `{keyword.arg}=`; {advice}",
                )
        return result

    def _function(self, node: ast.Call) -> str:
        """The name of the called function; an error and "" if it cannot be called here."""
        target = node.func
        dotted = dotted_name(target) or ""
        helper = self._context.scope.helper(target)
        if helper is not None and dotted.partition(".")[0] not in self._context.locals:
            self._context.called[helper.name] = helper
            return helper.name
        if isinstance(target, ast.Attribute):
            self._refuse_method(target)
            return ""
        if not isinstance(target, ast.Name):
            self._context.error(target, "only a named function can be called, as in f32(x)")
            return ""
        name = target.id
        problem = self._call_problem(name)
        if problem is not None:
            self._context.error(target, problem)
            return ""
        name = self._context.scope.aliases.get(name, name)
        return names.canonical_scalar(name) or name

    def parallel_name(self, node: ast.Call) -> str | None:
        """The parallel statement that a call is, or None."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        meaning = self._context.scope.aliases.get(name, name)
        known = meaning in names.PARALLEL and name not in self._context.scope.helpers
        return meaning if known and self._call_problem(name, True) is None else None

    def is_print(self, node: ast.Call) -> bool:
        """Whether a call is `print` of Python."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        free = name == "print" and name not in self._context.scope.helpers
        return free and self._call_problem(name, True) is None

    def _call_problem(self, name: str, as_statement: bool = False) -> str | None:
        scope = self._context.scope
        if name in self._context.locals:
            kind = "parameter" if name in self._context.parameters else "local"
            return f"`{name}` is a {kind} here and cannot be called; rename it"
        if name in scope.helpers:
            return None
        why = scope.why_not(name)
        if why is not None:
            return why
        meaning = scope.aliases.get(name, name)
        if meaning in _FUTURE_CALLS:
            return f"not supported yet: {_FUTURE_CALLS[meaning]}"
        if (meaning in names.PARALLEL or meaning == "print") and not as_statement:
            return f"`{meaning}` is a statement and has no value; write it on a line of its own"
        if meaning == "range":
            return "`range` is allowed only in `for i in range(...):`"
        if name in scope.constants or name in scope.values:
            return f"`{name}` is a constant and cannot be called"
        if name in names.FUNCTIONS or meaning in _SCALARS:
            return None
        from hologram.frontend import hints

        if meaning in hints.FUNCTIONS and name not in scope.kernels:
            return f"undefined function '{name}'; write {hints.FUNCTIONS[meaning]}"
        # A kernel may be called like a function of the language, `def exp(...)`: never ambiguous,
        # because a kernel cannot be called from a kernel.
        if name in scope.kernels and meaning not in names.FUNCTIONS:
            return (
                f"`{name}` is a kernel; a kernel cannot call a kernel, launch one after the other"
            )
        return None

    def _is_parameter(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in self._context.parameters

    def _refuse_method(self, target: ast.Attribute) -> None:
        if self._refuse_language_attribute(target):
            return
        written = dotted_name(target) or f"(...).{target.attr}"
        from hologram.frontend import hints

        known = target.attr in names.FUNCTIONS
        other = hints.function(written if dotted_name(target) else target.attr)
        if self._is_parameter(target.value) and target.attr in ("min", "max"):
            known, other = False, f"a loop, `for v in x: m = {target.attr}(m, v)`"
        if written in self._context.scope.others and not known and other is None:
            self._context.error(target, self._context.scope.why_not(written) or "")
            return
        if self._refuse_unknown_module(target, written):
            return
        hint = "call a function of hologram.lang"
        if isinstance(target.value, ast.Name) and target.value.id in self._context.locals:
            value = target.value.id
            is_known = target.attr in names.FORM_FUNCTIONS
            mark = "" if is_known else "an `@inline` function of it, "
            hint = f"write {mark}`{target.attr}({value}, ...)`"
        elif not dotted_name(target):
            hint = f"write an `@inline` function of the value, `{target.attr}(value)`"
        if other is not None:
            hint = f"write {other}"
        if known:
            hint = f"write `{target.attr}(...)` (from hologram.lang import {target.attr})"
        self._context.error(
            target, f"attribute call `{written}()` is not in the kernel language; {hint}"
        )


def _is_of_callee(argument: ast.expr) -> bool:
    """An argument that only another language's function takes: it is refused with that."""
    if isinstance(argument, (ast.Tuple, ast.List, ast.GeneratorExp, ast.ListComp, ast.Attribute)):
        return True
    return isinstance(argument, ast.Constant) and isinstance(argument.value, str)


_HANDLERS: dict[type[ast.expr], Callable[[Expressions, Any], Node]] = {
    ast.Name: Expressions._name,
    ast.Constant: Expressions._literal,
    ast.BinOp: Expressions._binary,
    ast.UnaryOp: Expressions._unary,
    ast.BoolOp: Expressions._bool,
    ast.Compare: Expressions._compare,
    ast.IfExp: Expressions._conditional,
    ast.Subscript: Expressions.index,
    ast.Attribute: Expressions._attribute,
    ast.Call: Expressions._call,
}
