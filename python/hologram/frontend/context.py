"""What the walk over one body (of a kernel, of a helper) knows: its file, its names, its depth."""

from __future__ import annotations

from hologram.frontend.syntax_tree import ast, children

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.diagnostics import Diagnostics
    from hologram.frontend.scope import Helper, Scope
    from hologram.frontend.source import Source

# Levels of statements and expressions together. Keeps the walk, the JSON and its reader away from
# the end of their stacks; `a + b + c + ...` has one level for each term.
MAX_NESTING = 200


class Context:
    """The state shared by the walkers of statements and expressions."""

    def __init__(
        self,
        kernel: ast.FunctionDef,
        source: Source,
        scope: Scope,
        diagnostics: Diagnostics,
        called: dict[str, Helper],
    ) -> None:
        self.source = source
        self.scope = scope
        self.diagnostics = diagnostics
        self.parameters = {argument.arg for argument in kernel.args.args}
        self.parameters |= {argument.arg for argument in kernel.args.posonlyargs}
        # As in Python, a name assigned anywhere in the body is local in all of it.
        self.locals = self.parameters | _assigned_names(kernel)
        self.declared = set(self.parameters)  # in source order, for `let`
        self.called = called  # the helpers that the body calls, by name in the document
        self.loops = 0
        self._depth = 0
        self._too_deep = False

    def error(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword, message: str) -> None:
        self.diagnostics.error(node, message)

    def enter(self, node: ast.expr | ast.stmt) -> bool:
        """One level down; False (and an error) where that is too deep. Pairs with leave()."""
        self._depth += 1
        if self._depth <= MAX_NESTING:
            return True
        self.diagnostics.reports += 1
        if not self._too_deep:  # once: every branch down here is as deep
            self._too_deep = True
            what = "expression" if isinstance(node, ast.expr) else "statement"
            self.error(
                node,
                f"this {what} is nested more than {MAX_NESTING} levels deep; "
                "split it with locals in between",
            )
        return False

    def leave(self) -> None:
        self._depth -= 1


def _assigned_names(kernel: ast.FunctionDef) -> set[str]:
    found: set[str] = set()
    pending: list[ast.AST] = list(kernel.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        pending += children(node)
    return found
