"""What the module level of a kernel file defines, and what a name in a kernel means.

A file may hold any Python beside its kernels. Only four things count here: imports of the language
names, constants, kernels, and the *other* names, which are remembered with what they are so that a
kernel that uses one gets an exact error. Module code that no kernel uses is never an error, except
what looks like a kernel but cannot be one.
"""

from __future__ import annotations

from hologram.frontend import constants, names
from hologram.frontend.syntax_tree import ast, children, dotted_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.diagnostics import Diagnostics

_USABLE = "a kernel uses parameters, locals, module constants and the names of hologram.lang"
# Expressions whose names are bound inside them only.
_OWN_SCOPE = frozenset(("ListComp", "SetComp", "DictComp", "GeneratorExp", "Lambda"))
_BUILTIN_ANNOTATIONS = frozenset(("int", "float", "bool", "Final"))


class Constant:
    """A module-level `NAME = value` known at compile time."""

    def __init__(self, node: ast.stmt, name: str, value: int | float) -> None:
        self.node = node
        self.name = name
        self.value = value


class TypeVariable:
    """A module-level `T = TypeVar("T", f32, f64)`."""

    def __init__(self, node: ast.stmt, name: str, types: list[str]) -> None:
        self.node = node
        self.name = name
        self.types = types


class Scope:
    """The module level of one file."""

    def __init__(self, diagnostics: Diagnostics) -> None:
        self.diagnostics = diagnostics
        self.constants: dict[str, Constant] = {}
        # Of the constants and of what else stands for a number: `inf`, `math.inf`.
        self.values: dict[str, int | float] = dict(names.VALUES)
        self.type_variables: dict[str, TypeVariable] = {}
        self.kernels: dict[str, ast.FunctionDef] = {}
        self.helpers: dict[str, ast.FunctionDef] = {}
        self.aliases: dict[str, str] = {}  # name in the file -> name of the language
        self.modules: dict[str, str] = {}  # name in the file -> language module it is bound to
        self.others: dict[str, str] = {}  # name -> what it is, for messages

    def language_name(self, node: ast.AST) -> str | None:
        """The name of the language that an expression stands for: `u32`, `lang.u32`, an alias."""
        dotted = dotted_name(node)
        if dotted is None:
            return None
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
        return last if known else None

    def why_not(self, name: str) -> str | None:
        """The error for a module-level name that a kernel cannot use, or None."""
        if name in self.modules:
            return f"`{name}` is the module `{self.modules[name]}`; write the plain name of a value"
        what = self.others.get(name)
        if what is None:
            return None
        hint = "" if "; " in what else f"; {_USABLE}"
        return f"`{name}` is {what}{hint}"

    # What follows is used while the scope is built.

    def bind_other(self, name: str, what: str) -> None:
        """Gives a name a meaning that kernels cannot use; a second binding makes it that too."""
        rebound = (
            name in self.constants
            or name in self.type_variables
            or name in self.aliases
            or name in self.modules
            or name in self.others
        )
        self.constants.pop(name, None)
        self.values.pop(name, None)
        for value in names.VALUES:
            self.values.pop(f"{name}.{value}", None)
        self.type_variables.pop(name, None)
        self.aliases.pop(name, None)
        self.modules.pop(name, None)
        twice = "bound more than once at module level; keep one"
        self.others[name] = twice if rebound else what

    def bind_language(self, name: str, meaning: str) -> None:
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
            self.bind_values(name)

    def bind_values(self, module: str) -> None:
        """`math.inf`, where `math` is the name of such a module in the file."""
        for value, number in names.VALUES.items():
            self.values[f"{module}.{value}"] = number


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
    pending: list[ast.AST] = [annotation]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str) and names.DEVICE_ARRAY in node.value:
                return True
        elif isinstance(node, (ast.Name, ast.Attribute)):
            written = node.id if isinstance(node, ast.Name) else node.attr
            if names.DEVICE_ARRAY in (written, scope.language_name(node)):
                return True
        pending += children(node)
    return False


def scan_module(tree: ast.Module, diagnostics: Diagnostics) -> Scope:
    """The scope of a file. Imports first: what a decorator means may depend on a later one."""
    scope = Scope(diagnostics)
    _scan_imports(tree, scope)
    for statement in tree.body:
        _scan_statement(statement, scope, at_top=True)
    return scope


def _scan_imports(tree: ast.Module, scope: Scope) -> None:
    for statement in _module_level(tree):
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                _bind_import(alias, scope)
        elif isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                _bind_import_from(statement, alias, scope)


def _module_level(tree: ast.Module) -> list[ast.stmt]:
    """All statements that run at module level, also those inside `if`, `try`, loops, `with`."""
    found: list[ast.stmt] = []
    pending: list[ast.AST] = list(reversed(tree.body))
    while pending:
        node = pending.pop()
        if isinstance(node, ast.stmt):
            found.append(node)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
        elif isinstance(node, ast.expr):
            continue
        pending += reversed(children(node))
    return found


def _bind_import(alias: ast.alias, scope: Scope) -> None:
    top = alias.name.partition(".")[0]
    if alias.name in names.LANGUAGE_MODULES or alias.name == names.PACKAGE:
        scope.bind_module(alias.asname or top, alias.name if alias.asname else top)
    else:
        scope.bind_other(alias.asname or top, f"the module `{alias.name}`")
        if alias.name in names.VALUE_MODULES and scope.others[alias.asname or top]:
            scope.bind_values(alias.asname or top)


def _bind_import_from(statement: ast.ImportFrom, alias: ast.alias, scope: Scope) -> None:
    module = "." * statement.level + (statement.module or "")
    bound = alias.asname or alias.name
    if module in names.LANGUAGE_MODULES:
        if alias.name in names.LANGUAGE:
            scope.bind_language(bound, alias.name)
        elif alias.name != "*":
            scope.diagnostics.error_at(
                alias.lineno, alias.col_offset + 1, f"`{module}` has no name `{alias.name}`"
            )
    elif alias.name in names.REEXPORTED.get(module, ()):
        scope.bind_language(bound, alias.name)
    elif f"{module}.{alias.name}" in names.LANGUAGE_MODULES:
        scope.bind_module(bound, f"{module}.{alias.name}")
    elif alias.name != "*":
        scope.bind_other(bound, f"imported from `{module}`")


def _scan_statement(statement: ast.stmt, scope: Scope, at_top: bool) -> None:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        _scan_function(statement, scope, at_top)
    elif isinstance(statement, ast.ClassDef):
        scope.bind_other(statement.name, f"a class (line {statement.lineno})")
        _refuse_inner_kernels(statement, scope)
    elif isinstance(statement, ast.Assign):
        for target in statement.targets:
            plain = at_top and len(statement.targets) == 1
            _bind_target(target, statement, scope, statement.value if plain else None)
    elif isinstance(statement, ast.AnnAssign):
        _scan_annotated(statement, scope, at_top)
    elif not isinstance(statement, (ast.Import, ast.ImportFrom)):
        _scan_compound(statement, scope)


def _scan_compound(statement: ast.stmt, scope: Scope) -> None:
    """`if`, `try`, loops, `with`, augmented assignment: every name bound inside is no constant."""
    pending = children(statement)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.stmt):
            _scan_statement(node, scope, at_top=False)
        elif isinstance(node, ast.Name):
            if isinstance(node.ctx, (ast.Store, ast.Del)):
                scope.bind_other(node.id, f"a variable (line {node.lineno})")
        elif type(node).__name__ not in _OWN_SCOPE:
            pending += children(node)


def _scan_function(
    node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope, at_top: bool
) -> None:
    helper = is_helper(node, scope)
    if not helper and not is_kernel(node, scope):
        line = node.lineno
        what = f"a Python function (line {line}); write `@inline` above its `def`"
        scope.bind_other(node.name, what)
        _refuse_inner_kernels(node, scope)
        return
    kind = "helper" if helper else "kernel"
    earlier = scope.helpers.get(node.name) or scope.kernels.get(node.name)
    if isinstance(node, ast.AsyncFunctionDef):
        scope.diagnostics.error(
            node, f"{kind} `{node.name}` cannot be `async`; write `def {node.name}(...)`"
        )
    elif not at_top:
        _refuse_kernel_place(node, scope, kind)
    elif earlier is not None:
        line = earlier.lineno
        scope.diagnostics.error(
            node, f"{kind} `{node.name}` is already defined on line {line}; rename one of them"
        )
    elif helper:
        scope.helpers[node.name] = node
    else:
        scope.kernels[node.name] = node


def _refuse_inner_kernels(outer: ast.stmt, scope: Scope) -> None:
    """Kernels inside classes and functions would be dropped silently otherwise."""
    pending = children(outer)
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if is_kernel(node, scope):
                _refuse_kernel_place(node, scope, "kernel")
                continue
            if is_helper(node, scope):
                _refuse_kernel_place(node, scope, "helper")
                continue
        if isinstance(node, (ast.stmt, ast.excepthandler)) or type(node).__name__ == "match_case":
            pending += children(node)


def _refuse_kernel_place(
    node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope, kind: str
) -> None:
    scope.diagnostics.error(
        node, f"{kind} `{node.name}` must be a `def` at module level, not inside another statement"
    )


def _scan_annotated(statement: ast.AnnAssign, scope: Scope, at_top: bool) -> None:
    if statement.value is None:
        return
    annotation = statement.annotation
    if isinstance(annotation, ast.Subscript):
        annotation = annotation.value
    written = (dotted_name(annotation) or "").rpartition(".")[2]
    if written in _BUILTIN_ANNOTATIONS:
        value = statement.value if at_top else None
        _bind_target(statement.target, statement, scope, value)
    elif isinstance(statement.target, ast.Name):
        name = statement.target.id
        scope.bind_other(name, f"a typed module variable; write `{name} = value`")


def _bind_target(
    target: ast.expr, statement: ast.stmt, scope: Scope, value: ast.expr | None
) -> None:
    """Binds the names of an assignment; `value` is None where no constant can come of it."""
    if isinstance(target, (ast.Tuple, ast.List)):
        for item in target.elts:
            _bind_target(item, statement, scope, None)
    elif isinstance(target, ast.Starred):
        _bind_target(target.value, statement, scope, None)
    elif isinstance(target, ast.Name):
        name = target.id
        known = (
            scope.constants,
            scope.type_variables,
            scope.aliases,
            scope.modules,
            scope.others,
        )
        if value is None or any(name in table for table in known):
            scope.bind_other(name, f"a variable (line {statement.lineno})")
            return
        if isinstance(value, ast.Call) and _is_type_variable(value):
            _bind_type_variable(name, statement, value, scope)
            return
        try:
            folded = constants.fold(value, scope.values)
        except constants.FoldError as error:
            line = statement.lineno
            scope.others[name] = f"no compile-time constant: {error}; see line {line}"
            return
        scope.constants[name] = Constant(statement, name, folded)
        scope.values[name] = folded


def _is_type_variable(call: ast.Call) -> bool:
    return (dotted_name(call.func) or "").rpartition(".")[2] == names.TYPE_VARIABLE


def _bind_type_variable(name: str, statement: ast.stmt, call: ast.Call, scope: Scope) -> None:
    """Any Python may have type variables; an error is told only where a kernel uses one."""
    types = []
    for argument in call.args[1:]:
        written = scope.language_name(argument)
        types.append(names.canonical_scalar(written) if written is not None else None)
    good = [scalar for scalar in types if scalar is not None and scalar != "bool"]
    example = f'write {name} = TypeVar("{name}", f32, f64)'
    if call.keywords or len(good) != len(types) or not good:
        what = f"a type variable without element types (line {statement.lineno}); {example}"
        scope.bind_other(name, what)
    elif len(good) == 1:  # typing.TypeVar refuses it, so the file could not run as Python
        what = f"a type variable of one type, which Python refuses (line {statement.lineno})"
        scope.bind_other(name, f"{what}; write {good[0]}")
    elif len(set(good)) != len(good):
        scope.bind_other(name, f"a type variable with a type twice (line {statement.lineno})")
    else:
        scope.type_variables[name] = TypeVariable(statement, name, good)
