"""Statements of a kernel's body -> JSON nodes."""

from __future__ import annotations

from hologram.frontend import names
from hologram.frontend.context import MAX_NESTING
from hologram.frontend.expressions import Expressions
from hologram.frontend.nodes import Node, make
from hologram.frontend.rest import REFUSED, refused
from hologram.frontend.syntax_tree import ast, dotted_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.context import Context
    from hologram.frontend.signature import Signature


class Statements:
    """The walker of statements."""

    def __init__(self, context: Context, signature: Signature) -> None:
        self._context = context
        self._signature = signature
        self._expressions = Expressions(context)

    def body(self, kernel: ast.FunctionDef) -> list[Node]:
        """The body of a kernel, without its docstring."""
        first = kernel.body[0]
        constant = first.value if isinstance(first, ast.Expr) else None
        documented = isinstance(constant, ast.Constant) and isinstance(constant.value, str)
        return self._block(kernel.body[1:] if documented else kernel.body)

    def _block(self, statements: list[ast.stmt]) -> list[Node]:
        return [self._statement(node) for node in statements if not isinstance(node, ast.Pass)]

    def _statement(self, node: ast.stmt) -> Node:
        context = self._context
        errors = context.diagnostics.reports
        result: Node = {}
        if context.depth < MAX_NESTING:
            context.depth += 1
            result = self._dispatch(node)
            context.depth -= 1
        else:
            context.refuse_depth(node)
        is_compound = isinstance(node, (ast.If, ast.For, ast.While))
        wrong = self._context.diagnostics.reports != errors
        if not result or (wrong and not is_compound):
            return refused(node)
        return result

    def _head(self, node: ast.stmt, errors: int, made: Node) -> Node:
        """Notes that an error is in what a compound statement begins with."""
        if self._context.diagnostics.reports != errors:
            made[REFUSED] = True
        return made

    def _dispatch(self, node: ast.stmt) -> Node:
        if isinstance(node, ast.Assign):
            return self._assign(node)
        if isinstance(node, ast.AugAssign):
            return self._augmented(node)
        if isinstance(node, ast.AnnAssign):
            return self._annotated(node)
        if isinstance(node, ast.If):
            return self._if(node)
        if isinstance(node, ast.For):
            return self._for(node)
        if isinstance(node, ast.While):
            return self._while(node)
        if isinstance(node, (ast.Break, ast.Continue)):
            return self._jump(node)
        if isinstance(node, ast.Assert):
            return self._assert(node)
        if isinstance(node, ast.Return):
            value = None if node.value is None else self._value(node.value)
            return make("return", node, value=value)
        if isinstance(node, ast.Expr):
            return self._expression_statement(node)
        from hologram.frontend import unsupported

        self._context.error(node, unsupported.statement_message(node))
        return {}

    def _assign(self, node: ast.Assign) -> Node:
        if len(node.targets) > 1:
            self._context.error(
                node,
                "chained assignment `a = b = ...` is not in the kernel language; "
                "write one assignment a line",
            )
            return {}
        target = node.targets[0]
        if isinstance(target, (ast.Tuple, ast.List)):
            return self._unpack(node, target)
        value = self._expressions.expression(node.value)
        if isinstance(target, ast.Name) and target.id not in self._context.declared:
            self._context.declared.add(target.id)
            return make("let", node, name=target.id, value=value)
        return make("assign", node, target=self._target(target), value=value)

    def _value(self, node: ast.expr) -> Node:
        """A value, or several of them where they may stand side by side."""
        if isinstance(node, ast.Tuple):
            return self._expressions.tuple(node)
        return self._expressions.expression(node)

    def _unpack(self, node: ast.Assign, target: ast.Tuple | ast.List) -> Node:
        if isinstance(target, ast.List) or len(target.elts) < 2:
            self._context.error(target, "a tuple of targets has two or more; write `a, b = ...`")
            return {}
        if self._expressions.is_shape(node.value):
            value = self._expressions.whole_shape(node.value)
        elif isinstance(node.value, (ast.Tuple, ast.Call)):
            value = self._value(node.value)
        else:
            self._context.error(
                node.value,
                "only a tuple or a helper's result can be taken apart; "
                "write as many values as targets, `a, b = b, a`",
            )
            return {}
        targets = [self._target(item) for item in target.elts]
        for item in target.elts:
            if isinstance(item, ast.Name):
                self._context.declared.add(item.id)
        return make("unpack", node, targets=targets, value=value)

    def _target(self, target: ast.expr) -> Node:
        if isinstance(target, ast.Name):
            return make("var", target, name=target.id)
        if isinstance(target, ast.Subscript):
            return self._expressions.index(target)
        if isinstance(target, (ast.Tuple, ast.List)):
            message = "a tuple in a tuple of targets is not in the kernel language; write it flat"
        elif isinstance(target, ast.Attribute):
            written = dotted_name(target) or f"(...).{target.attr}"
            message = f"`{written}` cannot be assigned; assign a local or an array element"
        else:
            from hologram.frontend import unsupported

            message = unsupported.expression_message(target)
        self._context.error(target, message)
        return {}

    def _augmented(self, node: ast.AugAssign) -> Node:
        op = self._expressions.operator(node)
        target = self._target(node.target)
        value = self._expressions.expression(node.value)
        return make("aug_assign", node, op=op, target=target, value=value)

    def _annotated(self, node: ast.AnnAssign) -> Node:
        target = node.target
        if not isinstance(target, ast.Name):
            self._context.error(target, "only a local can have a type; remove the annotation")
            return {}
        if (dotted_name(node.annotation) or "").rpartition(".")[2] == "Final":
            self._context.error(
                node.annotation, f"a local has no `Final`; write `{target.id} = ...`"
            )
            return {}
        declared = self._signature.scalar(node.annotation, "a local's type")
        if node.value is None:
            kind = declared or "u32"
            self._context.error(
                node, f"a typed local needs a value; write `{target.id}: {kind} = 0`"
            )
            return {}
        value = self._expressions.expression(node.value)
        self._context.declared.add(target.id)
        return make("let", node, name=target.id, value=value, declared=declared)

    def _if(self, node: ast.If) -> Node:
        errors = self._context.diagnostics.reports
        condition = self._expressions.expression(node.test)
        head = self._head(node, errors, {"condition": condition})
        then_body = self._block(node.body)
        else_body = self._block(node.orelse) if node.orelse else None
        return make("if", node, **head, then_body=then_body, else_body=else_body)

    def _while(self, node: ast.While) -> Node:
        errors = self._context.diagnostics.reports
        condition = self._expressions.expression(node.test)
        head = self._head(node, errors, {"condition": condition})
        body = self._loop_body(node)
        return make("while", node, **head, body=body)

    def _for(self, node: ast.For) -> Node:
        errors = self._context.diagnostics.reports
        bounds = self._range(node.iter)
        target = node.target
        if isinstance(target, ast.Name):
            name = target.id
            self._context.declared.add(name)
        else:
            name = ""
            if self._context.diagnostics.reports == errors:
                message = "a `for` loop counts in one local: `for i in range(n):`"
                self._context.error(target, message)
        bounds = self._head(node, errors, bounds)
        body = self._loop_body(node)
        return make("for", node, var=name, **bounds, body=body)

    def _loop_body(self, node: ast.For | ast.While) -> list[Node]:
        self._context.loops += 1
        body = self._block(node.body)
        self._context.loops -= 1
        if node.orelse:
            keyword = "for" if isinstance(node, ast.For) else "while"
            self._context.error(
                node.orelse[0],
                f"`else` of a `{keyword}` loop is not in the kernel language; "
                "set a local before `break` and test it after the loop",
            )
        return body

    def _range(self, node: ast.expr) -> Node:
        """start, stop and step of `range(...)`; missing ones are literals placed at the call."""
        inner = self._reversed(node)
        if inner is not None:
            bounds = self._range(inner)
            if bounds:
                bounds["reversed"] = True
            return bounds
        if not isinstance(node, ast.Call) or not self._calls(node, "range"):
            hint = "`range(stop)`, `range(start, stop)` or `range(start, stop, step)`"
            if isinstance(node, ast.Call) and (dotted_name(node.func) or "").endswith("ndrange"):
                hint = "a loop for each, `for a in range(2):` and in it `for b in range(3):`"
            self._context.error(node, f"a `for` loop runs over a range; write {hint}")
            return {}
        for keyword in node.keywords:
            self._context.error(keyword, "`range` takes no keyword arguments")
            return {}
        starred = [argument for argument in node.args if isinstance(argument, ast.Starred)]
        if starred:
            self._expressions.expression(starred[0])
            return {}
        if not 1 <= len(node.args) <= 3:
            self._context.error(node, f"`range` takes 1 to 3 arguments, not {len(node.args)}")
            return {}
        given = [self._expressions.expression(argument) for argument in node.args]
        if len(given) == 1:
            given.insert(0, make("literal", node, value=0, kind="int"))
        if len(given) == 2:
            given.append(make("literal", node, value=1, kind="int"))
        return {"start": given[0], "stop": given[1], "step": given[2]}

    def _calls(self, node: ast.Call, name: str) -> bool:
        """Whether a call is one of this function of Python."""
        return (
            isinstance(node.func, ast.Name)
            and node.func.id == name
            and name not in self._context.locals
            and self._context.scope.why_not(name) is None
        )

    def _reversed(self, node: ast.expr) -> ast.expr | None:
        """The range of `reversed(range(...))`."""
        if not isinstance(node, ast.Call) or not self._calls(node, "reversed"):
            return None
        if len(node.args) != 1 or node.keywords:
            return None
        inner = node.args[0]
        known = isinstance(inner, ast.Call) and self._calls(inner, "range")
        return inner if known else None

    def _jump(self, node: ast.Break | ast.Continue) -> Node:
        keyword = "break" if isinstance(node, ast.Break) else "continue"
        if self._context.loops == 0:
            self._context.error(node, f"`{keyword}` outside a loop; write `return` to end the lane")
        return make(keyword, node)

    def _parallel(self, node: ast.Expr, call: ast.Call, name: str) -> Node:
        """`parallel_map_unary(a, b, "exp", n)`"""
        fields = names.PARALLEL[name]
        if len(call.args) != len(fields) or call.keywords:
            self._context.error(call, f"`{name}` takes {len(fields)} values: {', '.join(fields)}")
            return {}
        values: Node = {}
        for field, argument in zip(fields, call.args):  # noqa: B905 (same length)
            if field != "operation":
                values[field] = self._expressions.expression(argument)
            elif isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                values[field] = argument.value
            else:
                self._context.error(argument, 'the operation is a text, as in "add"')
        return make(name, node, **values)

    def _assert(self, node: ast.Assert) -> Node:
        if isinstance(node.test, ast.Tuple):
            self._context.error(
                node.test, "a tuple in parentheses is always true; write `assert condition, text`"
            )
            return {}
        condition = self._expressions.expression(node.test)
        text = self._context.source.segment(node.test)
        if node.msg is None:
            return make("assert", node, condition=condition, text=text)
        if isinstance(node.msg, ast.JoinedStr):
            from hologram.frontend.printing import message_parts

            message = message_parts(node.msg, self._expressions, self._context)
            return make("assert", node, condition=condition, text=text, message=message)
        if not isinstance(node.msg, ast.Constant) or not isinstance(node.msg.value, str):
            self._context.error(
                node.msg, 'the message of an `assert` is a string, f"x = {x}" for values'
            )
            return {}
        if not node.msg.value.isprintable():
            self._context.error(node.msg, "the message of an `assert` is one line of text")
            return {}
        return make("assert", node, condition=condition, text=text, message=node.msg.value)

    def _expression_statement(self, node: ast.Expr) -> Node:
        value = node.value
        if isinstance(value, ast.Call):
            if self._expressions.is_print(value):
                from hologram.frontend.printing import print_statement

                return print_statement(node, value, self._expressions, self._context)
            name = self._expressions.parallel_name(value)
            if name is not None:
                return self._parallel(node, value, name)
            return make("expr", node, value=self._expressions.expression(value))
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            self._context.error(node, "a string is not a statement; write a comment with `#`")
            return {}
        if isinstance(value, ast.UnaryOp) and _steps(value):
            sign = _steps(value)
            written = self._context.source.segment(value).lstrip("+- ")
            self._context.error(node, f"Python has no `{sign * 2}`; write `{written} {sign}= 1`")
            return {}
        if not self._expressions.expression(value):
            return {}  # refused as a construct; that says it all
        hint = "remove it"
        if isinstance(value, ast.Compare) and isinstance(value.ops[0], ast.Eq):
            hint = "to assign, write `=`"
        self._context.error(node, f"this expression has no effect; {hint}")
        return {}


def _steps(node: ast.UnaryOp) -> str:
    """The sign of `++i` and `--i`."""
    inner = node.operand
    if type(node.op) is not type(getattr(inner, "op", None)) or not isinstance(inner, ast.UnaryOp):
        return ""
    if not isinstance(inner.operand, (ast.Name, ast.Subscript)):
        return ""
    return {ast.UAdd: "+", ast.USub: "-"}.get(type(node.op), "")
