"""The module level of a file -> its scope: imports, constants, type variables, helpers, kernels."""

from __future__ import annotations

from hologram.frontend import constants, names
from hologram.frontend.forms.signatures import Alias, is_struct_class, struct_of, unquoted
from hologram.frontend.scope import Constant, Link, Scope, TypeVariable, is_helper, is_kernel
from hologram.frontend.syntax_tree import ast, children, dotted_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.diagnostics import Diagnostics
    from hologram.frontend.imports import Imports
    from hologram.frontend.source import Source

# Expressions whose names are bound inside them only.
_OWN_SCOPE = frozenset(("ListComp", "SetComp", "DictComp", "GeneratorExp", "Lambda"))
_BUILTIN_ANNOTATIONS = frozenset(
    ("int", "float", "bool", "Final", "tuple", "list", "Tuple", "List", "TypeAlias")
)


def scan_module(
    tree: ast.Module,
    source: Source,
    diagnostics: Diagnostics,
    imports: Imports | None = None,
    link: Link | None = None,
) -> Scope:
    """The scope of a file. Imports first: what a decorator means may depend on a later one.
    `imports` finds the files that this one imports."""
    scope = Scope(source, diagnostics, link)
    if imports is not None:
        imports.serve(scope, tree)
    _scan_imports(tree, scope)
    for statement in tree.body:
        _scan_statement(statement, scope, at_top=True)
    return scope


def _scan_imports(tree: ast.Module, scope: Scope) -> None:
    for statement in module_level(tree):
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                _bind_import(alias, scope)
        elif isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                _bind_import_from(statement, alias, scope)


def module_level(tree: ast.Module) -> list[ast.stmt]:
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
            scope.bind_values(alias.asname or top, alias.name)


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
    elif alias.name in names.LANGUAGE and alias.name in names.REEXPORTED.get(module, ()):
        scope.bind_language(bound, alias.name)
    elif alias.name in names.VALUE_MODULES.get(module, ()):
        scope.bind_value(bound, names.VALUE_MODULES[module][alias.name])
    elif alias.name in names.MODULE_FUNCTIONS.get(module, ()):
        scope.bind_language(bound, names.MODULE_FUNCTIONS[module][alias.name])
    elif f"{module}.{alias.name}" in names.LANGUAGE_MODULES:
        scope.bind_module(bound, f"{module}.{alias.name}")
    elif alias.name != "*":
        scope.bind_other(bound, f"imported from `{module}`")


def _scan_statement(statement: ast.stmt, scope: Scope, at_top: bool) -> None:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        _scan_function(statement, scope, at_top)
    elif isinstance(statement, ast.ClassDef):
        scope.bind_other(statement.name, f"a class (line {statement.lineno})")
        if at_top:
            _bind_class_constants(statement, scope)
        if at_top and is_struct_class(statement) and "class" in scope.others[statement.name]:
            del scope.others[statement.name]
            scope.forms[statement.name] = statement
        _refuse_inner_kernels(statement, scope)
    elif isinstance(statement, ast.Assign):
        for target in statement.targets:
            _bind_target(target, statement, scope, statement.value if at_top else None)
    elif isinstance(statement, ast.AnnAssign):
        _scan_annotated(statement, scope, at_top)
    elif not isinstance(statement, (ast.Import, ast.ImportFrom)):
        _scan_compound(statement, scope)


def _bind_class_constants(statement: ast.ClassDef, scope: Scope) -> None:
    """`Color.RED` of an IntEnum, `Config.SCALE` of a class that only gives numbers names."""
    bases = [(dotted_name(base) or "").rpartition(".")[2] for base in statement.bases]
    if statement.decorator_list or bases not in ([], ["IntEnum"], ["IntFlag"]):
        return
    for inner in statement.body:
        target = inner.targets[0] if isinstance(inner, ast.Assign) else None
        if isinstance(inner, ast.Assign) and isinstance(target, ast.Name):
            try:
                number = constants.fold(inner.value, scope.known)
            except constants.FoldError:
                continue
            scope.values[f"{statement.name}.{target.id}"] = number


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
    helper_before = scope.helpers.get(node.name)
    earlier = helper_before.node if helper_before else scope.kernels.get(node.name)
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
        scope.helpers[node.name] = scope.link.helper(node, scope)
    else:
        scope.kernels[node.name] = node
        scope.link.take(node.name)


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
        values = list(value.elts) if isinstance(value, (ast.Tuple, ast.List)) else []
        paired = len(values) == len(target.elts)
        for place, item in enumerate(target.elts):
            _bind_target(item, statement, scope, values[place] if paired else None)
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
            scope.forms,
        )
        if value is None or any(name in table for table in known):
            scope.bind_other(name, f"a variable (line {statement.lineno})")
            return
        if isinstance(value, ast.Call) and _is_type_variable(value):
            _bind_type_variable(name, statement, value, scope)
            return
        if _bind_type(name, value, scope):
            return
        from hologram.frontend.forms import made, tables  # few files have constants

        try:
            several = made.read(value, scope) or tables.read(value, name, scope)
            if several is not None:
                scope.forms[name] = several
                return
            folded = constants.fold(value, scope.known)
        except constants.FoldError as error:
            line = statement.lineno
            hint = tables.hint(value)
            scope.others[name] = f"no compile-time constant: {error}; see line {line}{hint}"
            return
        scope.constants[name] = Constant(statement, name, folded)
        scope.values[name] = folded


def _bind_type(name: str, value: ast.expr, scope: Scope) -> bool:
    """`F = f32`, `Field = DeviceArray[f32, 2]`"""
    value = unquoted(value)
    meaning = scope.language_name(value)
    if meaning is not None and names.canonical_scalar(meaning) is not None:
        scope.aliases[name] = names.canonical_scalar(meaning) or ""
        return True
    target = value.value if isinstance(value, ast.Subscript) else value
    is_array = scope.language_name(target) == names.DEVICE_ARRAY
    if not is_array and struct_of(value, scope) is None:
        return False
    scope.forms[name] = Alias(value, scope)
    return True


def _is_type_variable(call: ast.Call) -> bool:
    return (dotted_name(call.func) or "").rpartition(".")[2] == names.TYPE_VARIABLE


def _bind_type_variable(name: str, statement: ast.stmt, call: ast.Call, scope: Scope) -> None:
    """Any Python may have type variables; errors are reported only for those that a kernel uses."""
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
