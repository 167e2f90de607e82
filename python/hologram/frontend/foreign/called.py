"""Helpers of functions for Numba, made for the types of their arguments, and what they return."""

from __future__ import annotations

from hologram.frontend import foreign
from hologram.frontend.foreign import library
from hologram.frontend.foreign.types import Elements, Types, settled
from hologram.frontend.forms import trees
from hologram.frontend.syntax_tree import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hologram.frontend.foreign.lowering import Lowering
    from hologram.frontend.foreign.types import Type
    from hologram.frontend.scope import Helper

MAX_DEPTH = 32  # of helpers in helpers


class Called(Types):
    """With helpers, which are made for the types of their arguments."""

    def of(self, node: ast.expr) -> Type:
        if isinstance(node, ast.Call):
            helper = self.instance(node)
            if helper is not None:
                return helper.result  # type: ignore[return-value]
        return super().of(node)

    def instance(self, node: ast.Call) -> Helper | None:
        """The helper of this call for the types of its arguments, if they are known."""
        helper = self._general(node)
        if helper is None or helper.pristine is None:
            return None
        arguments = _in_places(node, helper.pristine)
        kinds = None if arguments is None else [settled(self.of(one)) for one in arguments]
        if kinds is None or any(kind is None for kind in kinds):
            return None
        if helper.ranks is not None and not _fit(helper.ranks, kinds):
            return None  # it would be called for each part
        return made_for(helper, kinds)

    def _general(self, node: ast.Call) -> Helper | None:
        found = self.scope.helper(node.func)
        own = library.NAMES.get(self.named(node)) if found is None and not node.keywords else None
        return found if own is None else self.library(own)

    def called(self, helper: Helper, node: ast.Call, lowering: Lowering) -> ast.expr:
        """A call of an instance, each argument in its type."""
        general = self._general(node)
        assert general is not None and general.pristine is not None
        arguments = _in_places(node, general.pristine) or []
        given = [lowering.cast(settled(self.of(one)), one) for one in arguments]
        return self._call_of(helper, given, node)

    def library(self, name: str) -> Helper:
        return library.function(name, self.scope.link)

    def written(
        self, helper: Helper, kinds: list[Type], given: list[ast.expr], at: ast.AST
    ) -> ast.expr:
        """A call of a function of the library."""
        made = made_for(helper, kinds)
        assert made is not None
        return self._call_of(made, given, at)

    def _call_of(self, helper: Helper, given: list[ast.expr], at: ast.AST) -> ast.expr:
        key = f"{helper.name}$typed"
        self.scope.helpers[key] = helper
        return trees.call(key, given, at)


def _fit(ranks: list[int], kinds: Sequence[Type]) -> bool:
    pairs = zip(ranks, kinds)  # noqa: B905 (same length)
    return len(ranks) == len(kinds) and all(
        (kind.is_single or kind.rank == rank or (kind.rank == 1 and rank == 0))
        if isinstance(kind, Elements)
        else rank == 0
        for rank, kind in pairs
    )


def _in_places(node: ast.Call, definition: ast.FunctionDef) -> list[ast.expr] | None:
    """The arguments of a call in the order of the parameters, with those that have a value."""
    names = [one.arg for one in (*definition.args.posonlyargs, *definition.args.args)]
    known = dict(zip(names, node.args))  # noqa: B905 (fewer)
    known.update({one.arg: one.value for one in node.keywords if one.arg is not None})
    defaults = definition.args.defaults
    for name, value in zip(names[len(names) - len(defaults) :], defaults):  # noqa: B905 (same)
        known.setdefault(name, value)
    plain = (
        not definition.args.kwonlyargs and len(known) == len(names) and len(node.args) <= len(names)
    )
    return [known[name] for name in names] if plain and all(n in known for n in names) else None


def made_for(helper: Helper, kinds: Sequence[Type]) -> Helper | None:
    """The helper for these types of arguments; None where helpers are too deep."""
    key = tuple((k.kind, k.rank) if isinstance(k, Elements) else k for k in kinds)
    made = helper.typed.get(key)
    link = helper.scope.link
    if made is None and link.writing < MAX_DEPTH and helper.pristine is not None:
        link.writing += 1
        definition = tree_copied(helper.pristine)
        definition.args.defaults = []
        made = link.helper(definition, helper.scope)
        helper.typed[key] = made
        made.result = foreign.adopt(definition, kinds, None, helper.scope)
        link.writing -= 1
    return made


def tree_copied(definition: ast.FunctionDef) -> ast.FunctionDef:
    import copy

    return copy.deepcopy(definition)
