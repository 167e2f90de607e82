"""Every test of these folders that makes NumPy arrays puts them beside untouchable pages: it, or a module
that it imports, calls guard_pages.install().

usage: installed_test.py TESTS
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

FOLDERS = "cliffs forms kernels language library pipeline ports profile simulator".split()


def imports(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module.split(".")[0])
    return found


def reach(file: Path, beside: list[Path]) -> tuple[set[str], bool]:
    """The modules that a file imports, with those of the tests' own, and whether one installs."""
    seen: set[str] = set()
    installs = False
    rest = [file]
    while rest:
        text = rest.pop().read_text("utf-8")
        installs |= "guard_pages.install()" in text
        for name in imports(ast.parse(text)) - seen:
            seen.add(name)
            own = next((f / f"{name}.py" for f in beside if (f / f"{name}.py").exists()), None)
            if own is not None and own.parent.name != "support":
                rest.append(own)
    return seen, installs


def main() -> int:
    tests = Path(sys.argv[1])
    looked, bare = 0, []
    for folder in FOLDERS:
        beside = [tests / folder, tests / "simulator", tests / "kernels"]
        for file in sorted((tests / folder).glob("*.py")):
            if '__name__ == "__main__"' not in file.read_text("utf-8"):
                continue  # a module of a test
            modules, installs = reach(file, beside)
            if "numpy" not in modules:
                continue
            looked += 1
            if not installs:
                bare.append(str(file.relative_to(tests)))
    print(f"{looked} tests make arrays, {len(bare)} of them without untouchable pages")
    for name in bare:
        print(f"FAIL {name}: no guard_pages.install()")
    return 1 if bare or looked == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
