"""What the walk over one body (of a kernel, of a helper) knows: its file, its names, its depth."""

from __future__ import annotations

from hologram.frontend.syntax_tree import ast, stores

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
        known = scope.stored.get(kernel)
        self.locals = self.parameters | (stores(kernel.body) if known is None else known)
        self.declared = set(self.parameters)  # in source order, for `let`
        self.called = called  # the helpers that the body calls, by name in the document
        self.loops = 0
        self.depth = 0  # of the statement or expression in hand, up to MAX_NESTING
        self._too_deep = False

    def error(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword, message: str) -> None:
        self.diagnostics.error(node, message)

    def refuse_depth(self, node: ast.expr | ast.stmt) -> None:
        """An error for what is one level deeper than MAX_NESTING."""
        self.diagnostics.reports += 1
        if not self._too_deep:  # once: every branch down here is as deep
            self._too_deep = True
            what = "expression" if isinstance(node, ast.expr) else "statement"
            self.error(
                node,
                f"this {what} is nested more than {MAX_NESTING} levels deep; "
                "split it with locals in between",
            )
