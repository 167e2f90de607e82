"""Functions that were written for Numba: what they have and kernels do not, in words of kernels.

`@hg.vectorize`, `@hg.guvectorize` and the functions of `numba.njit` that such a function calls come
as they are. Annotations, which Numba does not read, are taken off; `raise Error("text")` becomes
`assert False, "text"`, a fault with this text. With the types of the parameters known, a local has
the widest type that is assigned to it, what is stored or returned is converted, and expressions of
whole arrays become loops over their elements.

  plain     forms that need no types
  types     of expressions: those of Numba, where they are known
  elements  `x[a:b] = e` and reductions of arrays as loops
  locals    types of locals
  lowering  conversions
  library   functions that the language has not
"""

from __future__ import annotations

from hologram.frontend import names
from hologram.frontend.foreign import elements, locals_, plain, versions
from hologram.frontend.foreign.types import Elements
from hologram.frontend.forms import trees
from hologram.frontend.syntax_tree import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hologram.frontend.foreign.temporaries import Temporary
    from hologram.frontend.foreign.types import Type
    from hologram.frontend.scope import Scope


def adopt(
    definition: ast.FunctionDef,
    kinds: Sequence[Type] | None,
    result: str | None,
    scope: Scope,
    temporaries: list[Temporary] | None = None,
) -> Type:
    """Makes a helper of it, in place, for parameters of these types if they are known. The type of
    what it returns; None if it is not known. `temporaries` gets the arrays that it makes for
    itself, which are parameters behind its own."""
    arguments = definition.args
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    for one in parameters:
        one.annotation = None
    definition.returns = None
    at = definition.decorator_list[0] if definition.decorator_list else definition
    definition.decorator_list = [trees.name(names.INLINE_DECORATOR, at)]
    fresh = trees.Fresh(trees.words(definition))
    definition.body = plain.block(definition.body, fresh)
    plain.mapped(definition, plain.characters)
    plain.chosen_rows(definition)
    if kinds is None or len(kinds) != len(parameters):
        return None
    known = dict(zip((one.arg for one in parameters), kinds))  # noqa: B905 (same length)
    whole = {n for n, kind in known.items() if isinstance(kind, Elements) and not kind.is_single}
    versions.versions(definition, set(known) - whole)
    plain.without_dimensions(ast.Module(definition.body, []), known, scope)
    plain.small_arrays(definition, locals_.learned(definition, known, scope))
    versions.set_apart(definition, known)
    types = locals_.learned(definition, known, scope)
    own = elements.spread(definition, types, scope)
    for array in own:
        known[array.name] = Elements(array.kind, 1)
        arguments.args.append(trees.placed(ast.arg(array.name, None), definition))
    made = locals_.convert(definition, known, result, scope)
    if own and temporaries is None:
        return None  # of a helper: nobody gives it memory
    if temporaries is not None:
        temporaries += own
    return made
