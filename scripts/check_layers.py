#!/usr/bin/env python3
"""Holds includes and imports to the direction of the folders.

The tables say the direction once. A component of src/ may include what it uses directly and whatever
those use in turn; what a table allows and nobody needs is an error too. Third-party headers stay in
the folders that are named for them, the public headers include nothing of src/, one file reads
the environment, and the Python module has no macro that the stable ABI of CPython lacks. The USES lists of the CMake files are held to the same table. The programs in tools/
and the Python module may include the components that are listed for them, and the parts of the
Python package may import those that are listed for them.
"""

import ast
import pathlib
import re
import sys

USES = {
    "base": [],
    "observe": ["base"],
    "plugin": [],
    "isa": ["base"],
    "math": ["isa"],
    "bundle": ["isa"],
    "text": ["isa"],
    "verify": ["isa"],
    "launch": ["verify"],
    "device": ["verify", "math"],
    "interpreter": ["launch", "math"],
    "codegen": ["launch", "math", "plugin"],
    "sigmatics": ["isa"],
    "cycle768": ["sigmatics"],
    "statevector": ["math"],
    "frontend": ["sigmatics", "math", "bundle", "plugin"],
    "engines": ["interpreter", "device", "observe"],
    "runtime": ["engines", "bundle", "plugin"],
    "plan": ["isa"],
    "merge": ["bundle", "launch", "plan", "plugin"],
    "pipeline": ["plan", "runtime"],
    "stream": ["runtime"],
    "doctor": ["runtime", "text"],
    "picture": ["base"],
    "profile": ["runtime", "picture"],
    "drawing": ["profile", "plan", "frontend"],
    "capi": ["pipeline", "doctor", "profile", "stream"],
    "tvmffi": ["capi", "bundle", "plugin"],
    "driver": ["plan", "runtime", "frontend", "text"],
}

# What is no component of src/, and what it includes: components, "hologram" for public headers, and
# folders of its own.
PROGRAMS = {
    "tools/hologram/commands": {
        *(
            "base",
            "bundle",
            "commands",
            "device",
            "doctor",
            "drawing",
            "driver",
            "engines",
            "formats",
            "hologram",
            "isa",
        ),
        *("cycle768", "launch", "observe", "pipeline", "profile", "runtime", "sigmatics"),
        *("statevector", "stream", "text", "verify"),
    },
    "tools/hologram/formats": {"base", "formats", "isa"},
    "tools/duckdb": {"base", "hologram"},
    "tools/stdlib": {"base", "bundle", "driver", "isa", "runtime"},
    "web/engine": {
        *("base", "bundle", "capi", "cycle768", "driver", "engine", "engines", "formats"),
        *("frontend", "isa", "statevector", "stream"),
        *("hologram", "launch", "observe", "runtime", "sigmatics", "text", "verify"),
    },
    "python/binding": {
        *("base", "bundle", "commands", "driver", "frontend", "hologram", "isa"),
        *("cycle768", "sigmatics", "statevector", "text"),
    },
}

# The parts of the package hologram, and what they import of it. hologram.errors imports nothing.
PYTHON = {
    "__init__": {
        *(
            "_native",
            "bars",
            "compiling",
            "cycle768",
            "executor",
            "errors",
            "fusion",
            "kernels",
            "lang",
        ),
        *("observe", "ops", "pipelines", "parts", "qsim", "registry", "search", "streams"),
        *("thread_counts", "ufuncs"),
    },
    "__main__": {"_native"},  # the command
    "arrow": {"_native", "arrow_nulls", "errors", "library", "ops"},
    "arrow_nulls": {"_native", "errors"},
    "compiling": {
        "_native",
        "bars",
        "errors",
        "frontend",
        "functions",
        "generic",
        "loaded",
        "pickles",
        "shaped",
    },
    "dask": {"ops"},
    "duckdb": {"_native", "arrow", "errors", "ops"},
    "kernels": {"_native", "errors", "library"},
    "compat": {"executor", "ops"},
    "configured": {"_native", "display", "errors", "remembered"},
    "cycle768": {"_native", "errors"},
    "debugger": {"bars", "errors", "lang", "simulator"},
    "executor": {"_native", "errors", "generic", "registry"},
    "display": {"_native", "pickles"},
    "errors": set(),
    "frontend": set(),
    "functions": {"frontend", "lang", "remembered"},
    "fusion": {"_native", "_operations", "errors", "ops"},
    "generic": {"_native", "configured", "display", "errors", "lang", "remembered"},
    "loaded": {"_native", "errors", "frontend", "shaped"},
    "places": {"errors"},
    "reducing": {"errors", "ops"},
    "streams": {"_native", "bars", "errors", "ops", "places", "reducing"},
    "parts": {"_native", "errors"},
    "ufuncs": {
        "_native",
        "compiling",
        "configured",
        "errors",
        "frontend",
        "functions",
        "lang",
        "ufunc_types",
    },
    "ufunc_types": set(),
    "remembered": set(),
    "shaped": {"configured", "display", "errors", "frontend", "functions", "lang", "remembered"},
    "bars": set(),
    "vectors": set(),
    "lang": {"functions", "lang_functions", "lang_warps", "simulator", "vectors"},
    "lang_functions": set(),
    "lang_warps": {"lang_functions"},
    "lang_library": {"lang"},
    "library": {"_native", "_stdlib", "errors"},
    "nn": {"errors", "torch"},
    "observe": {"_native"},
    "ops": {"_elementwise", "_native", "_operations", "errors", "library"},
    "pickles": {"_native", "library"},
    "pipelines": {"_native", "errors", "ops"},
    "qsim": {"_native", "bars", "errors", "library"},
    "registry": {"_native", "_stdlib", "loaded"},
    "search": {"compiling", "errors", "lang", "library"},
    "thread_counts": {"_native", "errors"},
    "threadpoolctl": {"_native"},
    "torch": {"errors", "ops"},
    "simulator": {"errors", "frontend", "functions", "lang_library"},
}
# Where packages of others are imported.
PYTHON_THIRD_PARTY = {
    "dask": {"ops"},
    "threadpoolctl": {"threadpoolctl"},
    "torch": {"torch", "nn"},
    "numpy": {
        *(
            "arrow_nulls",
            "compat",
            "debugger",
            "fusion",
            "ops",
            "pipelines",
            "places",
            "qsim",
            "reducing",
            "search",
        ),
        *("simulator", "streams", "ufuncs"),
    },
}

# Prefixes of third-party headers and the folders of src/ that may include them.
THIRD_PARTY = {
    "yaml.h": {"driver"},
    "toml++/": {"driver"},
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

# Headers that bring the locales of the C++ library into libraries that are linked statically, 0.4 MB in each, and
# the folders in which nothing includes them. codegen is in a plugin with LLVM, which has them anyhow.
STREAMS = {"fstream", "iomanip", "iostream", "istream", "locale", "ostream", "regex", "sstream"}
NO_STREAMS = ("src", "tools", "python/binding")

# Macros and fields of CPython that its stable ABI lacks, which one of the wheels is compiled with, and what to
# write instead.
NOT_STABLE = {
    r"Py\w+_GET_(ITEM|SIZE)": "PyTuple_GetItem and PyTuple_Size, which borrow too",
    r"Py\w+_SET_ITEM": "PyTuple_SetItem",
    r"Py\w+_AS_(DOUBLE|STRING)": "PyFloat_AsDouble, PyBytes_AsString",
    r"PyUnicode_AsUTF8\b": "PyUnicode_AsUTF8AndSize with nullptr",
    r"PyObject_Call(OneArg|Method(NoArgs|OneArg))": "PyObject_CallFunctionObjArgs, PyObject_CallMethodObjArgs",
    r"Py_X?SETREF": "Replace of objects.h",
    r"(->|\.)(tp|bf|sq|mp|nb|ob)_\w+": "PyType_GetSlot, and the functions of objects.h",
}

ROOT = pathlib.Path(__file__).resolve().parent.parent
PUBLIC = ROOT / "include" / "hologram"

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
        if "/" in header and target in USES and target not in allowed:
            errors.append(f"{place}{component} may not use {target} ({header})")
        if "/" not in header and (path.parent / header).exists():
            errors.append(f"{place}write the path from src/ ({component}/.../{header})")
        for prefix, homes in THIRD_PARTY.items():
            if header.startswith(prefix) and component not in homes:
                errors.append(f"{place}{header} belongs in {', '.join(sorted(homes))}")
    return errors


def first_folder(header: str) -> str:
    return header.split("/")[0] if "/" in header else ""


def check_unused(component: str, used: set[str]) -> list[str]:
    """What the table allows a component to use directly, and no file of it includes."""
    return [
        f"src/{component}: error: nothing here includes {name}; take it out of the table"
        for name in USES[component]
        if name not in used
    ]


def check_program(folder: pathlib.Path, allowed: set[str]) -> list[str]:
    errors = []
    used = set()
    known = {*USES, *(name for names in PROGRAMS.values() for name in names), "tools"}
    for path in sources(folder):
        for number, _, header in includes(path):
            target = first_folder(header)
            used.add(target)
            if target in known and target not in allowed:
                errors.append(f"{path}:{number}: error: {folder.name} may not use {header}")
    errors += [
        f"{folder}: error: nothing here includes {name}; take it out of the table"
        for name in sorted(allowed - used)
    ]
    return errors


def imported(tree: ast.AST) -> list[tuple[int, str]]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, name.name) for name in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "hologram":
            found += [(node.lineno, f"hologram.{name.name}") for name in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found.append((node.lineno, node.module))
    return found


def check_python(package: pathlib.Path) -> list[str]:
    errors = []
    used: dict[str, set[str]] = {part: set() for part in PYTHON}
    for path in sorted(package.rglob("*.py")):
        part = path.relative_to(package).with_suffix("").parts[0]
        if part not in PYTHON:
            errors.append(f"{path}: error: {part} is not in the table of layers")
            continue
        for number, module in imported(ast.parse(path.read_text(encoding="utf-8"))):
            top, _, rest = module.partition(".")
            place = f"{path}:{number}: error: hologram.{part} may not import {module}"
            if part not in PYTHON_THIRD_PARTY.get(top, {part}):
                errors.append(place)
            other = rest.partition(".")[0]
            is_part = other in PYTHON or (package / f"{other}.pyi").exists()
            if top != "hologram" or other == part or not is_part:
                continue
            used[part].add(other)
            if other not in PYTHON[part]:
                errors.append(place)
    for part, names in PYTHON.items():
        for name in sorted(names - used[part]):
            errors.append(f"{package}/{part}: error: nothing here imports {name}")
    return errors


def check_public(path: pathlib.Path) -> list[str]:
    errors = []
    for number, quote, header in includes(path):
        place = f"{path}:{number}: error: "
        beside = (path.parent / header).resolve()
        public = beside.exists() and PUBLIC in beside.parents
        if quote == '"' and not public and not header.startswith("hologram/"):
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


def check_streams(path: pathlib.Path) -> list[str]:
    return [
        f"{path}:{number}: error: <{header}> makes wheels larger; base/words.h and base/files.h do without"
        for number, quote, header in includes(path)
        if quote == "<" and header in STREAMS
    ]


def check_stable(path: pathlib.Path) -> list[str]:
    return [
        f"{path}:{number}: error: {match[0]} is not in the stable ABI of CPython; there is {instead}"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for pattern, instead in NOT_STABLE.items()
        if (match := re.search(rf"(\b|(?=->|\.)){pattern}", line))
    ]


def check_cmake(path: pathlib.Path) -> list[str]:
    errors = []
    text = re.sub(r"#.*", "", path.read_text(encoding="utf-8"))
    for match in re.finditer(r"hologram_component\(\s*(\w+)([^)]*)\)", text):
        # Parts of a component may be libraries of their own: driver_source.
        component, arguments = match[1].split("_")[0], match[2].split()
        if component not in USES:
            errors.append(f"{path}: error: {component} is not in the table of {__file__}")
            continue
        used = arguments[arguments.index("USES") + 1 :] if "USES" in arguments else []
        for name in used:
            if name not in closure(component):
                errors.append(f"{path}: error: {component} may not use {name}")
    return errors


def main() -> int:
    root = ROOT
    errors = []
    count = 0
    for folder in sorted(path for path in (root / "src").iterdir() if path.is_dir()):
        if folder.name not in USES:
            errors.append(f"src/{folder.name}: error: this folder is not in the table of layers")
            continue
        used = set()
        for path in sources(folder):
            count += 1
            errors += check_source(path, folder.name)
            used |= {first_folder(header) for _, _, header in includes(path)}
        errors += check_unused(folder.name, used)
        for path in folder.rglob("CMakeLists.txt"):
            errors += check_cmake(path)
    for name, allowed in PROGRAMS.items():
        errors += check_program(root / name, allowed)
        count += len(sources(root / name))
    errors += check_python(root / "python/hologram")
    for path in sources(root / "include"):
        count += 1
        errors += check_public(path)
    for folder in NO_ENVIRONMENT:
        for path in sources(root / folder):
            if path != root / ENVIRONMENT:
                errors += check_environment(path)
    for folder in NO_STREAMS:
        for path in sources(root / folder):
            if root / "src/codegen" not in path.parents:
                errors += check_streams(path)
    for path in sources(root / "python/binding"):
        errors += check_stable(path)
    for error in errors:
        print(error.replace(f"{root}/", ""))
    print(f"layers: {len(errors)} errors" if errors else f"layers: ok, {count} files")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
