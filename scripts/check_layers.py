#!/usr/bin/env python3
"""Holds the includes of src/ and include/ to the direction of the folders.

The table says the direction once. A component may include what it uses directly and whatever those
use in turn. Third-party headers stay in the folders that are named for them, the public headers
include nothing of src/, and one file reads the environment. The USES lists of the CMake files are
held to the same table.
"""

import pathlib
import re
import sys

USES = {
    "base": [],
    "isa": ["base"],
    "math": ["isa"],
    "bundle": ["isa"],
    "text": ["isa"],
    "verify": ["isa"],
    "programs": ["verify"],
    "launch": ["verify"],
    "interpreter": ["launch", "math"],
    "codegen": ["launch", "math"],
    "sigmatics": ["isa"],
    "statevector": ["math"],
    "frontend": ["sigmatics", "math", "bundle"],
    "engines": ["interpreter"],
    "runtime": ["engines", "bundle"],
    "capi": ["runtime"],
}

# Plain C interfaces of components that are loaded at run time, and who may call them.
PLUGIN_INTERFACES = {"codegen/plugin.h": {"runtime"}, "frontend/circuit/plugin.h": {"runtime"}}

# Prefixes of third-party headers and the folders of src/ that may include them.
THIRD_PARTY = {
    "llvm/": {"codegen"},
    "llvm-c/": {"codegen"},
    "clang/": {"codegen"},
    "nlohmann/": {"frontend"},
    "cuda": {"engines"},
}

# Where the environment is read, and the folders in which nothing else does.
ENVIRONMENT = "src/base/environment.cc"
NO_ENVIRONMENT = ("src", "include", "tools", "python/binding")
GETENV = re.compile(r"\b(secure_)?getenv\s*\(|\btemp_directory_path\b")

SOURCES = {".h", ".hpp", ".cc", ".c", ".inc", ".def"}
INCLUDE = re.compile(r'\s*#\s*include\s*(["<])([^">]+)[">]')


def closure(component: str) -> set[str]:
    reached = {component}
    for used in USES[component]:
        reached |= closure(used)
    return reached


def includes(path: pathlib.Path) -> list[tuple[int, str, str]]:
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            found.append((number, match[1], match[2]))
    return found


def sources(root: pathlib.Path) -> list[pathlib.Path]:
    return sorted(path for path in root.rglob("*") if path.suffix in SOURCES)


def check_source(path: pathlib.Path, component: str) -> list[str]:
    errors = []
    allowed = closure(component)
    for number, _, header in includes(path):
        place = f"{path}:{number}: error: "
        target = header.split("/")[0]
        if component in PLUGIN_INTERFACES.get(header, ()):
            continue
        if "/" in header and target in USES and target not in allowed:
            errors.append(f"{place}{component} may not use {target} ({header})")
        if "/" not in header and (path.parent / header).exists():
            errors.append(f"{place}write the path from src/ ({component}/.../{header})")
        for prefix, homes in THIRD_PARTY.items():
            if header.startswith(prefix) and component not in homes:
                errors.append(f"{place}{header} belongs in {', '.join(sorted(homes))}")
    return errors


def check_public(path: pathlib.Path) -> list[str]:
    errors = []
    for number, quote, header in includes(path):
        place = f"{path}:{number}: error: "
        sibling = "/" not in header and (path.parent / header).exists()
        if quote == '"' and not sibling and not header.startswith("hologram/"):
            errors.append(f"{place}a public header may only include public ones, not {header}")
        elif quote == "<" and (
            header.split("/")[0] in USES or header.startswith(tuple(THIRD_PARTY))
        ):
            errors.append(f"{place}a public header may not include {header}")
    return errors


def check_environment(path: pathlib.Path) -> list[str]:
    return [
        f"{path}:{number}: error: only {ENVIRONMENT} reads the environment"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if GETENV.search(line)
    ]


def check_cmake(path: pathlib.Path) -> list[str]:
    errors = []
    text = re.sub(r"#.*", "", path.read_text(encoding="utf-8"))
    for match in re.finditer(r"hologram_component\(\s*(\w+)([^)]*)\)", text):
        component, arguments = match[1], match[2].split()
        if component not in USES:
            errors.append(f"{path}: error: {component} is not in the table of {__file__}")
            continue
        used = arguments[arguments.index("USES") + 1 :] if "USES" in arguments else []
        for name in used:
            if name not in closure(component):
                errors.append(f"{path}: error: {component} may not use {name}")
    return errors


def main() -> int:
    root = pathlib.Path(__file__).resolve().parent.parent
    errors = []
    count = 0
    for folder in sorted(path for path in (root / "src").iterdir() if path.is_dir()):
        if folder.name not in USES:
            errors.append(f"src/{folder.name}: error: this folder is not in the table of layers")
            continue
        for path in sources(folder):
            count += 1
            errors += check_source(path, folder.name)
        for path in folder.rglob("CMakeLists.txt"):
            errors += check_cmake(path)
    for path in sources(root / "include"):
        count += 1
        errors += check_public(path)
    for folder in NO_ENVIRONMENT:
        for path in sources(root / folder):
            if path != root / ENVIRONMENT:
                errors += check_environment(path)
    for error in errors:
        print(error.replace(f"{root}/", ""))
    print(f"layers: {len(errors)} errors" if errors else f"layers: ok, {count} files")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
