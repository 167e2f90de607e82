"""Usage: python3 -I -S operations/generator list
       python3 -I -S operations/generator kernels FOLDER     the kernel files, for tools and readers
       python3 -I -S operations/generator build FOLDER       what stdlib.holo is built of: kernel
                                                             files and their JSON documents

A file that would not change is left alone, so that nothing is built again for it.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "operations"), str(ROOT / "python")]
sys.dont_write_bytecode = True

from generator import documents, kernels, rows  # noqa: E402  (the path is set up first)


def write(path: Path, text: str) -> None:
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def write_kernels(folder: Path) -> None:
    file = rows.read()
    for row in file.rows:
        write(folder / f"{row.name}.py", kernels.kernel_file(file, row).text)


def build(folder: Path) -> None:
    file = rows.read()
    for row in file.rows:
        made = kernels.kernel_file(file, row)
        write(folder / "kernels" / f"{row.name}.py", made.text)
        write(folder / f"{row.name}.json", documents.document(made))


def main(arguments: list[str]) -> int:
    try:
        if arguments == ["list"]:
            print(";".join(row.name for row in rows.read().rows), end="")
        elif len(arguments) == 2 and arguments[0] == "kernels":
            write_kernels(Path(arguments[1]))
        elif len(arguments) == 2 and arguments[0] == "build":
            build(Path(arguments[1]))
        else:
            sys.stderr.write(f"{__doc__}")
            return 2
    except rows.RowError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
