"""What the document has: kernels and helpers without forms; parameters as they are written.

Most files need no more than this. rewriting.py, which takes forms apart, is imported for those that
do: importing it takes as long as compiling a kernel.
"""

from __future__ import annotations

from hologram.frontend.forms.shapes import Struct
from hologram.frontend.forms.signatures import Kind, defaults_of, kind_of, parameters_of
from hologram.frontend.forms.triggers import needed
from hologram.frontend.spelling import make_plain
from hologram.frontend.syntax_tree import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.scope import Helper, Scope

MAX_OPTIONAL = 3  # arrays of a kernel: each doubles the programs


def helper(wanted: Helper) -> Helper | None:
    """A helper that a file has, whether it is called or not; None for one whose arguments alone
    decide what it is."""
    if wanted.node is not wanted.original:
        return wanted
    if not wanted.instances and not needed(wanted.original, wanted.scope):
        return wanted
    from hologram.frontend.forms import rewriting

    return rewriting.helper(wanted)


def kernels(definition: ast.FunctionDef, scope: Scope) -> list[ast.FunctionDef]:
    """A kernel without forms; several where arrays are optional."""
    stored = make_plain(definition, scope)
    if not needed(definition, scope):
        scope.stored[definition] = stored
        return [definition]
    optional = optional_arrays(definition, scope)
    if len(optional) > MAX_OPTIONAL:
        scope.diagnostics.error(
            definition, f"a kernel has at most {MAX_OPTIONAL} optional arrays, not {len(optional)}"
        )
    from hologram.frontend.forms import rewriting

    return [rewriting.kernel(definition, scope, absent) for absent in variants(definition, scope)]


def variants(definition: ast.FunctionDef, scope: Scope) -> list[list[str]]:
    """The optional arrays that are not there, for each program of a kernel."""
    result: list[list[str]] = [[]]
    for name in optional_arrays(definition, scope)[:MAX_OPTIONAL]:
        result += [[*absent, name] for absent in result]
    return result


def optional_arrays(definition: ast.FunctionDef, scope: Scope) -> list[str]:
    defaults = defaults_of(definition)
    return [p.arg for p in parameters_of(definition) if is_optional(p, defaults, scope)]


def tells(definition: ast.FunctionDef, scope: Scope) -> bool:
    """Whether the plain parameters of a kernel may not say all of those that are written."""
    if defaults_of(definition):
        return True
    annotations = [p.annotation for p in parameters_of(definition) if p.annotation is not None]
    kinds = [kind_of(annotation, scope) for annotation in annotations]
    return any(kind.optional or isinstance(kind.shape, Struct) for kind in kinds)


def variant_name(kernel: str, absent: list[str]) -> str:
    return kernel + "".join(f"_without_{name}" for name in absent)


def is_optional(parameter: ast.arg, defaults: dict[str, ast.expr], scope: Scope) -> bool:
    if parameter.annotation is None:
        return False
    default = defaults.get(parameter.arg)
    kind = kind_of(parameter.annotation, scope)
    without = isinstance(default, ast.Constant) and default.value is None
    return kind.what == "array" and (kind.optional or without)


class Parameter:
    """A parameter as it is written, for who binds arguments to it."""

    def __init__(self, name: str, kind: Kind, leaves: list[str]) -> None:
        self.name = name
        self.kind = kind
        self.leaves = leaves  # the plain parameters
        self.optional = False
        self.default: int | float | None = None
        self.is_constant = False  # known when compiling: no argument of a launch


def parameters(definition: ast.FunctionDef, scope: Scope) -> list[Parameter]:
    """Those of a kernel without errors."""
    from hologram.frontend.forms import rewriting

    return rewriting.parameters(definition, scope)
