"""Names that a kernel file imports from files beside it: `from helpers import rotate, TWO_PI`.

Such a file is read and parsed as the kernel file is, never imported or executed, and only when a
kernel uses one of its names. A module is looked for where Python finds it when the kernel file is
run: in the folder of that file. Modules that are installed elsewhere are not looked for.
"""

from __future__ import annotations

import sys

from hologram.frontend import names
from hologram.frontend.diagnostics import Diagnostics
from hologram.frontend.scan import module_level, scan_module
from hologram.frontend.source import FileError, TextError, read_source
from hologram.frontend.syntax import parse
from hologram.frontend.syntax_tree import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.scope import Link, Scope

MAX_FILES = 64  # of one document


class Imports:
    """The files that a kernel file imports, directly or through others."""

    def __init__(self, path: str, link: Link) -> None:
        self._path = path
        self._link = link
        self._scopes: dict[str, Scope | None] = {}  # by path

    def serve(self, scope: Scope, tree: ast.Module) -> None:
        """Lets a scope find what its file imports."""
        table = _Table(scope, self)
        for statement in module_level(tree):
            if isinstance(statement, ast.Import):
                table.add_modules(statement)
            elif isinstance(statement, ast.ImportFrom):
                table.add_names(statement)
        if not table.is_empty:
            scope.find = table.find

    def module(self, name: str, level: int, importer: str) -> Scope | None:
        """The scope of a module, or None if there is no such file. `level`: dots before it."""
        import os  # here, as most files need it not

        folder = os.path.dirname(importer if level else self._path)
        if level:
            for _ in range(level - 1):
                folder = os.path.join(folder, os.pardir)
        elif name.partition(".")[0] in sys.builtin_module_names:
            return None
        parts = name.split(".") if name else ["__init__"]
        base = os.path.join(folder, *parts)
        for path in (f"{base}.py", os.path.join(base, "__init__.py")):
            if os.path.isfile(path):
                return self._scope(path)
        return None

    def _scope(self, path: str) -> Scope | None:
        import os

        key = os.path.realpath(path)
        if key not in self._scopes and len(self._scopes) < MAX_FILES:
            self._scopes[key] = None  # of a file that imports itself, as Python has it
            self._scopes[key] = self._read(path)
        return self._scopes.get(key)

    def _read(self, path: str) -> Scope | None:
        try:
            source = read_source(path)
        except FileError:
            return None
        except TextError as error:
            source = error.source
            bad = Diagnostics(source)
            bad.error_at(error.line, error.column, error.message)
            return scan_module(ast.Module([], []), source, bad, None, self._link)
        diagnostics = Diagnostics(source)
        tree = parse(source, diagnostics)
        if tree is None:
            return scan_module(ast.Module([], []), source, diagnostics, None, self._link)
        # What no kernel uses is no error here.
        scope = scan_module(tree, source, Diagnostics(source), self, self._link)
        scope.diagnostics = diagnostics
        return scope


class _Table:
    """What the import statements of one file bind."""

    def __init__(self, scope: Scope, imports: Imports) -> None:
        self._scope = scope
        self._imports = imports
        self._modules: dict[str, tuple[str, int]] = {}  # dotted name in the file -> module
        self._names: dict[str, tuple[str, int, str]] = {}  # name in the file -> module and name
        self._stars: list[tuple[str, int]] = []

    @property
    def is_empty(self) -> bool:
        return not (self._modules or self._names or self._stars)

    def add_modules(self, statement: ast.Import) -> None:
        for alias in statement.names:
            self._modules[alias.asname or alias.name] = (alias.name, 0)

    def add_names(self, statement: ast.ImportFrom) -> None:
        module = statement.module or ""
        for alias in statement.names:
            if alias.name == "*":
                self._stars.append((module, statement.level))
            else:
                self._names[alias.asname or alias.name] = (module, statement.level, alias.name)

    def find(self, dotted: str) -> None:
        """Of `touch`: once for each name."""
        scope = self._scope
        if "." in dotted:
            self._find_attribute(dotted)
        elif dotted in self._names:
            # Rebound names and those of the language have their meaning.
            if scope.others.get(dotted, "").startswith("imported from "):
                self._find_imported(dotted)
        elif self._stars and not dotted.startswith("_") and dotted not in names.VALUES:
            self._find_starred(dotted)

    def _find_imported(self, name: str) -> None:
        module, level, theirs = self._names[name]
        other = self._imports.module(module, level, self._scope.source.path)
        shown = "." * level + module
        if other is not None:
            self._scope.adopt(name, other, theirs, shown)
        inner = f"{module}.{theirs}" if module else theirs
        if other is not None and name not in self._scope.others:
            return
        if self._imports.module(inner, level, self._scope.source.path) is not None:
            self._scope.others[name] = f"the module `{inner}`"
            self._modules[name] = (inner, level)

    def _find_attribute(self, dotted: str) -> None:
        """`helpers.rotate`"""
        prefix, _, last = dotted.rpartition(".")
        if prefix not in self._modules:
            return
        if not self._scope.others.get(prefix.partition(".")[0], "").startswith("the module "):
            return
        module, level = self._modules[prefix]
        other = self._imports.module(module, level, self._scope.source.path)
        if other is not None:
            self._scope.adopt(dotted, other, last, module)

    def _find_starred(self, name: str) -> None:
        scope = self._scope
        tables = (
            scope.values,
            scope.helpers,
            scope.type_variables,
            scope.aliases,
            scope.modules,
            scope.forms,
        )
        if name in scope.others or name in scope.kernels or any(name in t for t in tables):
            return
        for module, level in self._stars:
            other = self._imports.module(module, level, scope.source.path)
            if other is None:
                continue
            other.touch(name)
            theirs = (other.values, other.helpers, other.type_variables, other.aliases, other.forms)
            if any(name in table for table in theirs):
                scope.adopt(name, other, name, module)
