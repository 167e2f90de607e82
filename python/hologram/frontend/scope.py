"""What the module level of a kernel file defines, and what a name in a kernel means.

A file may hold any Python beside its kernels. Only four things count here: imports of the language
names, constants, kernels, and the *other* names, which are remembered with what they are so that a
kernel that uses one gets an exact error. Module code that no kernel uses is never an error, except
what looks like a kernel but cannot be one.

A name that is imported from another file gets its meaning when it is first used (`Scope.touch`):
from that file (imports.py), or from the objects of a running program (hologram.functions). scan.py
makes the scope of a file.
"""

from __future__ import annotations

from hologram.frontend import names
from hologram.frontend.forms.signatures import Alias, form_of, unquoted
from hologram.frontend.spelling import make_plain
from hologram.frontend.syntax_tree import ast, children, dotted_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hologram.frontend.diagnostics import Diagnostics
    from hologram.frontend.forms.signatures import Kind
    from hologram.frontend.source import Source

_USABLE = "a kernel uses parameters, locals, module constants and the names of hologram.lang"


class Constant:
    """A module-level `NAME = value` known at compile time."""

    def __init__(self, node: ast.stmt, name: str, value: int | float) -> None:
        self.node = node
        self.name = name
        self.value = value


class TypeVariable:
    """A module-level `T = TypeVar("T", f32, f64)`."""

    def __init__(self, node: ast.stmt | None, name: str, types: list[str]) -> None:
        self.node = node  # None: of a running program
        self.name = name
        self.types = types


class Helper:
    """An `@inline` function, and the scope in which its names have their meaning."""

    def __init__(self, name: str, node: ast.FunctionDef, scope: Scope) -> None:
        self.name = name  # in the document
        self.node = node  # without forms, once it is written
        self.scope = scope
        self._original = node
        self._is_plain = False
        self.instances: dict[object, object] = {}  # of forms/instances.py
        self.needs_forms: bool | None = None
        # Of a function for Numba: as it is written, and made for types of arguments (foreign/).
        self.pristine: ast.FunctionDef | None = None
        self.typed: dict[object, Helper] = {}
        self.result: object = None
        self.ranks: list[int] | None = None  # of the arguments, where it is that of a ufunc
        # Of a `numba.stencil`: the least and the greatest index, and the value of its border.
        self.border: tuple[int, int, float] | None = None

    @property
    def original(self) -> ast.FunctionDef:
        """As it is written; the scope knows all names when this is first asked for."""
        if not self._is_plain:
            self._is_plain = True
            make_plain(self._original, self.scope)
        return self._original


class Link:
    """What the scopes of one document share."""

    def __init__(self) -> None:
        self.scopes: list[Scope] = []  # the first one is that of the kernels
        self.type_variables: dict[str, TypeVariable] = {}  # that kernels and helpers use
        self.functions: dict[int, Helper] = {}  # of a running program, by id
        self.library: dict[str, Helper] = {}  # of foreign/library.py
        self.trees: dict[str, tuple[Source, ast.Module]] = {}  # by text
        self._helpers: dict[ast.FunctionDef, Helper] = {}
        self._taken: set[str] = set()  # names of kernels and helpers
        self._lambdas: dict[ast.Lambda, Helper] = {}
        self.writing = 0  # depth of the helpers that forms/instances.py writes

    def helper(self, node: ast.FunctionDef, scope: Scope) -> Helper:
        """One name for each helper: its own, with a number if another one has that."""
        known = self._helpers.get(node)
        if known is None:
            known = self._helpers[node] = Helper(self._name(node.name), node, scope)
        return known

    def anonymous(self, node: ast.Lambda, scope: Scope) -> Helper:
        """The helper that a lambda is."""
        known = self._lambdas.get(node)
        if known is None:
            result = ast.Return(node.body)
            mark = ast.Name(names.INLINE_DECORATOR, ast.Load())
            definition = ast.FunctionDef("lambda_", node.args, [result], [mark], None)
            for piece in (mark, result, definition):
                piece.lineno, piece.col_offset = node.lineno, node.col_offset
                piece.end_lineno, piece.end_col_offset = node.end_lineno, node.end_col_offset
            known = self._lambdas[node] = Helper(self._name("lambda_"), definition, scope)
        return known

    def another(self, helper: Helper) -> Helper:
        """A helper of the same text, for other arguments."""
        return Helper(self._name(helper.original.name), helper.original, helper.scope)

    def _name(self, wanted: str) -> str:
        name, count = wanted, 1
        while name in self._taken:
            count += 1
            name = f"{wanted}_{count}"
        self._taken.add(name)
        return name

    def take(self, kernel: str) -> None:
        self._taken.add(kernel)

    def use(self, variable: TypeVariable) -> bool:
        """False if another file has a variable of this name for other types."""
        known = self.type_variables.setdefault(variable.name, variable)
        return known.types == variable.types


class Known:
    """The values that constants may be made of."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def __contains__(self, name: str) -> bool:
        self.scope.touch(name)
        return name in self.scope.values

    def __getitem__(self, name: str) -> int | float:
        return self.scope.values[name]


class Scope:
    """The module level of one file."""

    def __init__(self, source: Source, diagnostics: Diagnostics, link: Link | None = None) -> None:
        self.source = source
        self.diagnostics = diagnostics
        self.link = link if link is not None else Link()
        self.link.scopes.append(self)
        # Gives a name, `rotate` or `helpers.rotate`, its meaning where that is elsewhere.
        self.find: Callable[[str], None] | None = None
        self._touched: set[str] = set()
        self.constants: dict[str, Constant] = {}
        # Of the constants and of what else stands for a number: `inf`, `math.inf`.
        self.values: dict[str, int | float] = dict(names.VALUES)
        self.type_variables: dict[str, TypeVariable] = {}
        self.kernels: dict[str, ast.FunctionDef] = {}
        self.helpers: dict[str, Helper] = {}  # by name in the file: `rotate`, `helpers.rotate`
        self.aliases: dict[str, str] = {}  # name in the file -> name of the language
        self.modules: dict[str, str] = {}  # name in the file -> language module it is bound to
        self.others: dict[str, str] = {}  # name -> what it is, for messages
        self.named: dict[
            str, str
        ] = {}  # functions of NumPy and math: name in the file -> their own
        self.kinds: dict[ast.expr, Kind] = {}  # of annotations that were read
        # Of kernels without forms: what they assign, and their parameters.
        self.stored: dict[ast.FunctionDef, set[str]] = {}
        # Structs (first as their class), tables and names of types, for forms/.
        self.forms: dict[str, object] = {}

    @property
    def known(self) -> Known:
        return Known(self)

    def declares(self, name: str) -> bool:
        """Whether the document has this constant: those of the file of the kernels."""
        return name in self.constants and self is self.link.scopes[0]

    def type_variable(self, name: str) -> TypeVariable | None:
        """The one that the document has under this name, whatever the file calls it."""
        found = (row for row in self.type_variables.values() if row.name == name)
        return next(found, None)

    def touch(self, name: str) -> None:
        """Comes before a name is looked up; `helpers.rotate` stands for `helpers`, too."""
        if self.find is None or name in self._touched:
            return
        head = name.partition(".")[0]
        for part in (head, name):
            if part not in self._touched:
                self._touched.add(part)
                self.find(part)

    def defines(self, name: str) -> bool:
        """Whether the file, or the running program, has this name."""
        self.touch(name)
        tables = (self.others, self.modules, self.helpers, self.aliases, self.forms, self.kernels)
        return any(name in table for table in tables) or name in self.values

    def helper(self, called: ast.AST) -> Helper | None:
        """The helper that an expression names."""
        dotted = dotted_name(called)
        if dotted is None:
            return None
        self.touch(dotted)
        return self.helpers.get(dotted)

    def language_name(self, node: ast.AST) -> str | None:
        """The name of the language that an expression stands for: `u32`, `lang.u32`, an alias."""
        dotted = dotted_name(node)
        if dotted is None:
            return None
        self.touch(dotted)
        if dotted in self.aliases:
            return self.aliases[dotted]
        head, dot, _ = dotted.partition(".")
        if not dot:
            if head in self.others:
                return None
            return self.aliases.get(head, head)
        if head not in self.modules:
            return None
        prefix, _, last = dotted.rpartition(".")
        module = self.modules[head] + prefix[len(head) :]
        known = module in names.LANGUAGE_MODULES or module == names.PACKAGE
        return names.language_function(last) if known else None

    def why_not(self, name: str) -> str | None:
        """The error for a module-level name that a kernel cannot use, or None."""
        self.touch(name)
        if name in self.modules:
            return f"`{name}` is the module `{self.modules[name]}`; write the plain name of a value"
        what = self.others.get(name)
        if what is None:
            return None
        hint = "" if "; " in what else f"; {_USABLE}"
        return f"`{name}` is {what}{hint}"

    def adopt(self, name: str, other: Scope, theirs: str, module: str) -> None:
        """Gives a name the meaning that it has in another file."""
        other.touch(theirs)
        self.others.pop(name, None)
        if theirs in other.helpers:
            self.helpers[name] = other.helpers[theirs]
        elif theirs in other.type_variables:
            self.type_variables[name] = other.type_variables[theirs]
        elif theirs in other.aliases:
            self.aliases[name] = other.aliases[theirs]
        elif theirs in other.modules:
            self.modules[name] = other.modules[theirs]
        elif theirs in other.values:
            self.values[name] = other.values[theirs]
        elif theirs in other.forms:
            form = form_of(ast.Name(theirs, ast.Load()), other)
            if form is not None:
                self.forms[name] = form
            else:
                self.others[name] = f"imported from `{module}`, where it is {other.others[theirs]}"
        elif theirs in other.kernels:
            self.others[name] = (
                f"a kernel of `{module}`; a kernel cannot call a kernel, launch one after the other"
            )
        elif theirs in other.others:
            self.others[name] = f"imported from `{module}`, where it is {other.others[theirs]}"
        else:
            self.others[name] = f"imported from `{module}`, which has no such name"

    # What follows is used while the scope is built.

    def bind_other(self, name: str, what: str) -> None:
        """Gives a name a meaning that kernels cannot use; a second binding makes it that too."""
        rebound = (
            name in self.constants
            or name in self.type_variables
            or name in self.aliases
            or name in self.modules
            or name in self.others
            or name in self.forms
        )
        self.constants.pop(name, None)
        self.values.pop(name, None)
        for dotted in [known for known in self.values if known.startswith(f"{name}.")]:
            del self.values[dotted]
        for dotted in [known for known in self.aliases if known.startswith(f"{name}.")]:
            del self.aliases[dotted]
        self.type_variables.pop(name, None)
        self.aliases.pop(name, None)
        self.modules.pop(name, None)
        self.forms.pop(name, None)
        twice = "bound more than once at module level; keep one"
        self.others[name] = twice if rebound else what

    def bind_language(self, name: str, meaning: str) -> None:
        meaning = names.language_function(meaning)
        taken = name in self.constants or name in self.others or name in self.modules
        if taken or self.aliases.setdefault(name, meaning) != meaning:
            self.bind_other(name, "")
        elif meaning in names.VALUES:
            self.values[name] = names.VALUES[meaning]

    def bind_module(self, name: str, module: str) -> None:
        taken = name in self.constants or name in self.others or name in self.aliases
        if taken or self.modules.setdefault(name, module) != module:
            self.bind_other(name, "")
        else:
            self.bind_values(name, module)

    def bind_value(self, name: str, number: float) -> None:
        """`from math import pi`"""
        if self.values.get(name) == number:
            return
        if name in self.constants or name in self.others or name in self.aliases:
            self.bind_other(name, "")
        else:
            self.values[name] = number

    def bind_values(self, name: str, module: str) -> None:
        """`math.pi`, where `name` is what the file calls such a module."""
        for value, number in names.VALUE_MODULES.get(module, names.VALUES).items():
            self.values[f"{name}.{value}"] = number
        for function, meaning in names.MODULE_FUNCTIONS.get(module, {}).items():
            self.aliases[f"{name}.{function}"] = meaning


def is_kernel(node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> bool:
    """Decorated as one, or undecorated and at least one annotation holds DeviceArray."""
    for decorator in node.decorator_list:
        name = decorator_name(decorator, scope)
        if name in names.KERNEL_DECORATORS:
            return True
        if name == names.INLINE_DECORATOR:
            return False
    arguments = node.args
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    parameters += [extra for extra in (arguments.vararg, arguments.kwarg) if extra is not None]
    return any(
        parameter.annotation is not None and _holds_device_array(parameter.annotation, scope)
        for parameter in parameters
    )


def is_helper(node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> bool:
    """Decorated with `@inline`, and with nothing that makes a kernel."""
    return not is_kernel(node, scope) and any(
        decorator_name(decorator, scope) == names.INLINE_DECORATOR
        for decorator in node.decorator_list
    )


def decorator_name(decorator: ast.expr, scope: Scope) -> str | None:
    """The language's name for a decorator, called or not."""
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    return scope.language_name(target)


def _holds_device_array(annotation: ast.expr, scope: Scope) -> bool:
    pending: list[ast.AST] = [unquoted(annotation)]
    while pending:
        node = pending.pop()
        alias = scope.forms.get(dotted_name(node) or "")
        if isinstance(alias, Alias):
            if _holds_device_array(alias.annotation, alias.scope):
                return True
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str) and names.DEVICE_ARRAY in node.value:
                return True
        elif isinstance(node, (ast.Name, ast.Attribute)):
            written = node.id if isinstance(node, ast.Name) else node.attr
            if names.DEVICE_ARRAY in (written, scope.language_name(node)):
                return True
        pending += children(node)
    return False
