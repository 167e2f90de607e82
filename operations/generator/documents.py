"""The JSON documents of kernel files, as of the function in operations/: a fault is reported there,
at the line of the function where it is one of the form."""

from __future__ import annotations

from typing import Any

from generator.kernels import File
from generator.rows import RowError
from hologram.frontend.diagnostics import Diagnostics
from hologram.frontend.document import CompileError, compile_tree, within_stack
from hologram.frontend.json_writer import to_json
from hologram.frontend.source import Source
from hologram.frontend.syntax import parse


def _place(node: Any, file: File, moved: int | None) -> None:
    """Moves the positions of a node by lines, or to the function."""
    if isinstance(node, list):
        for inner in node:
            _place(inner, file, moved)
    if not isinstance(node, dict):
        return
    for inner in node.values():
        _place(inner, file, moved)
    if "line" not in node:
        return
    if moved is None:
        node.update(line=file.function, end_line=file.function, col=1, end_col=1)
    else:
        node.update(line=node["line"] + moved, end_line=node["end_line"] + moved)


def document(file: File) -> str:
    """The JSON text of a kernel file; raises RowError."""
    source = Source(f"kernels/ops/{file.name}.py", file.text)
    diagnostics = Diagnostics(source)

    def run() -> str:
        tree = parse(source, diagnostics)
        if tree is None:
            raise CompileError(diagnostics.render())
        made: Any = compile_tree(tree, source, None, diagnostics)
        made["source"]["file"] = file.place
        for helper in made.get("helpers", []):
            _place(helper, file, file.moved.get(helper["name"]))
        for key in ("constants", "type_variables", "kernels"):
            _place(made.get(key, []), file, None)
        return to_json(made)

    try:
        return within_stack(run, source) + "\n"
    except CompileError as error:
        raise RowError(f"`{file.name}` of {file.place}, as the build writes it:\n{error}") from None
