"""Usage: python3 -I -S operations/generator list
       python3 -I -S operations/generator kernels FOLDER     the kernel files, for tools and readers
       python3 -I -S operations/generator build FOLDER       what stdlib.holo is built of: kernel
                                                             files and their JSON documents
       python3 -I -S operations/generator python FOLDER      modules of the Python package

A file that would not change is left alone, so that nothing is built again for it.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "operations"), str(ROOT / "python")]
sys.dont_write_bytecode = True

from generator import (  # noqa: E402  (the path is set up first)
    documents,
    kernels,
    python,
    reductions,
    rows,
)


def write(path: Path, text: str) -> None:
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def files() -> list[kernels.File]:
    """The kernel files of all operations."""
    elements, reduced = rows.read(), reductions.read()
    found = [kernels.kernel_file(elements, row) for row in elements.rows]
    return found + [reductions.kernel_file(reduced, row) for row in reduced.rows]


def names() -> list[str]:
    return [row.name for row in (*rows.read().rows, *reductions.read().rows)]


def write_kernels(folder: Path) -> None:
    for file in files():
        write(folder / f"{file.name}.py", file.text)


def build(folder: Path) -> None:
    for file in files():
        write(folder / "kernels" / f"{file.name}.py", file.text)
        write(folder / f"{file.name}.json", documents.document(file))


def write_python(folder: Path) -> None:
    file = rows.read()
    write(folder / "_operations.py", python.rows_module(file))
    write(folder / "_elementwise.py", python.functions_module(file))


def main(arguments: list[str]) -> int:
    try:
        if arguments == ["list"]:
            print(";".join(names()), end="")
        elif len(arguments) == 2 and arguments[0] == "kernels":
            write_kernels(Path(arguments[1]))
        elif len(arguments) == 2 and arguments[0] == "build":
            build(Path(arguments[1]))
        elif len(arguments) == 2 and arguments[0] == "python":
            write_python(Path(arguments[1]))
        else:
            sys.stderr.write(f"{__doc__}")
            return 2
    except rows.RowError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
