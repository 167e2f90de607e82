"""Files of a package with those statements alone that some of its functions need, at their lines.

What is left imports without the packages that the rest of the file wants: the functions, the
constants, functions and types that they and their decorators name, and the imports of these, also
from other files of the package. No statement that is left is changed.
"""

from __future__ import annotations

import ast
from pathlib import Path

DECORATORS = ("vectorize", "guvectorize")


class File:
    """One module: its statements, what each defines, and which are wanted."""

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self.is_package = path.name == "__init__.py"
        self.text = path.read_text(encoding="utf-8")
        self.body = ast.parse(self.text).body
        self.wanted: set[ast.stmt] = {one for one in self.body if _of_future(one)}
        self.definitions: dict[str, list[ast.stmt]] = {}
        for one in self.body:
            for defined in _defined(one):
                self.definitions.setdefault(defined, []).append(one)

    def absolute(self, node: ast.ImportFrom) -> str:
        """The module that `from ..x import y` names."""
        if not node.level:
            return node.module or ""
        parts = self.name.split(".")
        parts = parts[: len(parts) - node.level + self.is_package]
        return ".".join([*parts, *filter(None, [node.module])])

    def reduced(self) -> str:
        lines = self.text.split("\n")
        kept = [""] * len(lines)
        for one in self.wanted:
            marks = [mark.lineno for mark in getattr(one, "decorator_list", [])]
            for number in range(min([one.lineno, *marks]) - 1, one.end_lineno or one.lineno):
                kept[number] = lines[number]
        return "\n".join(kept)


class Package:
    """The files of a wheel."""

    def __init__(self, root: Path) -> None:
        self.paths = {}
        for path in sorted(root.rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            self.paths[name] = path
        self._files: dict[str, File | None] = {}

    def file(self, name: str) -> File | None:
        if name not in self._files:
            try:
                self._files[name] = File(self.paths[name], name) if name in self.paths else None
            except (SyntaxError, UnicodeDecodeError):
                self._files[name] = None
        return self._files[name]

    def decorated(self) -> list[tuple[File, ast.FunctionDef]]:
        """Functions under a decorator of Numba's for ufuncs, by file and line; nested ones, too."""
        found = []
        for name, path in self.paths.items():
            if "test" in name or "vectorize" not in path.read_text("utf-8", "replace"):
                continue
            file = self.file(name)
            for node in ast.walk(ast.Module(file.body, [])) if file else ():
                if isinstance(node, ast.FunctionDef) and _is_decorated(node, file):
                    found.append((file, node))
        return sorted(found, key=lambda row: (row[0].name, row[1].lineno))

    def want(self, file: File, statement: ast.stmt) -> None:
        """A statement, and what it needs."""
        pending = [(file, statement)]
        while pending:
            file, statement = pending.pop()
            if statement in file.wanted and not _of_future(statement):
                continue
            file.wanted.add(statement)
            for dotted in _used(statement):
                pending += self._found(file, dotted.split("."))
            for node in ast.walk(statement):
                if isinstance(node, ast.ImportFrom):
                    pending += self._all_of(file, node)

    def _all_of(self, file: File, node: ast.ImportFrom) -> list[tuple[File, ast.stmt]]:
        """What an import that stays as it is imports of the package."""
        other = self.file(file.absolute(node))
        if other is None:
            return []
        if node.names[0].name == "*":
            return [(other, one) for one in other.body]
        return [pair for one in node.names for pair in self._found(other, [one.name])]

    def _found(self, file: File, parts: list[str]) -> list[tuple[File, ast.stmt]]:
        """The statements that define a name in a file, and in the file that it is imported from."""
        found = []
        for statement in file.definitions.get(parts[0], []):
            found.append((file, statement))
            for node in ast.walk(statement):
                for module, names in _imported(node, file, parts):
                    other = self.file(module)
                    if other is not None and names and other is not file:
                        found += self._found(other, names)
        return found

    def write(self, folder: Path) -> None:
        """All files of which something is wanted, and those around them."""
        for name, path in self.paths.items():
            is_package = path.name == "__init__.py"
            file = self.file(name) if is_package else self._files.get(name)
            inner = name.replace(".", "/")
            if file is not None and (len(file.wanted) or is_package):
                target = folder / (f"{inner}/__init__.py" if is_package else f"{inner}.py")
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(file.reduced(), encoding="utf-8")


def _of_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def _defined(statement: ast.stmt) -> set[str]:
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
        return {statement.name}
    found = set()
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {(one.asname or one.name).split(".")[0] for one in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        pending += ast.iter_child_nodes(node)
    return found


def _used(statement: ast.stmt) -> set[str]:
    found = set()
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop()
        inner, names = node, []
        while isinstance(inner, ast.Attribute):
            names.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name):
            found.add(".".join([inner.id, *reversed(names)]))
            continue
        pending += ast.iter_child_nodes(node)
    return found


def _imported(node: ast.AST, file: File, parts: list[str]) -> list[tuple[str, list[str]]]:
    """Modules that an import looks at for a name, and the name there."""
    if isinstance(node, ast.Import):
        for one in node.names:
            if (one.asname or one.name.split(".")[0]) == parts[0]:
                module = one.name.split(".")
                rest = parts[1:] if one.asname else parts[len(module) :]
                return [(one.name, rest)]
    if isinstance(node, ast.ImportFrom):
        for one in node.names:
            if (one.asname or one.name) == parts[0]:
                module = file.absolute(node)
                return [(module, [one.name, *parts[1:]]), (f"{module}.{one.name}", parts[1:])]
    return []


def _is_decorated(function: ast.FunctionDef, file: File) -> bool:
    for decorator in function.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        written = ast.unparse(called).split(".")
        for statement in file.definitions.get(written[0], []):
            for node in ast.walk(statement):
                found = [name for name, _ in _imported(node, file, written)]
                last = written[-1] if isinstance(node, ast.Import) else _original(node, written[0])
                if found and found[0].split(".")[0] == "numba" and last in DECORATORS:
                    return True
    return False


def _original(node: ast.AST, name: str) -> str:
    rows = node.names if isinstance(node, ast.ImportFrom) else []
    return next((one.name for one in rows if (one.asname or one.name) == name), "")
