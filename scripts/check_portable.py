#!/usr/bin/env python3
"""Whether what wheels and archives hold runs where their tag says: reads each ELF file with objdump.

usage: check_portable.py FILE.whl|FILE.tar.gz|FILE.deb...
       check_portable.py --functions FILE...
       check_portable.py --stable-abi INCLUDE MODULE

For each file: no symbol of a glibc later than that of the tag, no shared library but those below, no
symbol of a C++ library asked for or offered, and nothing from a folder of the machine that built it.
With --functions, of libraries and programs of any build: no function of a later glibc but those that
cmake/old_glibc.c replaces. With --stable-abi, of a Python module: no function of CPython but those that
the headers in INCLUDE declare for the stable ABI of 3.12. Exit 1 with a line for each fault.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

GLIBC = (2, 34)
# Of PEP 600's list, what we use. libhologram is in the same package.
LIBRARIES = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1",
             "libhologram.so.0"}  # fmt: skip
LATER = re.compile(r"\(?GLIBC_(\d+)\.(\d+)\)? +(\S+)")
REPLACEMENTS = Path(__file__).parents[1] / "cmake/old_glibc.c"
LOCAL = re.compile(r"[0-9a-f]+ l")
CPLUSPLUS = re.compile(r"GLIBCXX_|CXXABI_|GCC_\d|\b_ZSt|\b_ZNSt|\b_ZNKSt")


def objdump(option: str, path: Path) -> str:
    environment = {**os.environ, "LC_ALL": "C"}
    return subprocess.run(
        ["objdump", option, path], capture_output=True, text=True, check=True, env=environment
    ).stdout


def faults(path: Path) -> list[str]:
    headers, symbols = objdump("-p", path), objdump("-T", path)
    found = []
    for library in re.findall(r"NEEDED +(\S+)", headers):
        if library not in LIBRARIES:
            found.append(f"needs {library}")
    for place in re.findall(r"(?:RUNPATH|RPATH) +(\S+)", headers):
        if not all(part.startswith("$ORIGIN") for part in place.split(":")):
            found.append(f"looks for libraries in {place}")
    found += [f"asks for {name} of glibc {version}" for name, version in later(symbols)]
    for line in symbols.splitlines():
        # Local ones, for the relocations of thread-local variables, are seen by nobody else.
        if CPLUSPLUS.search(line) and not LOCAL.match(line):
            found.append(f"has a symbol of the C++ library: {line.split()[-1]}")
    return found


def later(symbols: str) -> list[tuple[str, str]]:
    """The functions, and their versions, of a glibc that is too new."""
    return sorted(
        (name, f"{major}.{minor}")
        for major, minor, name in set(LATER.findall(symbols))
        if (int(major), int(minor)) > GLIBC
    )


def check_functions(files: list[Path]) -> int:
    source = REPLACEMENTS.read_text(encoding="utf-8")
    replaced = set(re.findall(r"^HIDDEN .*?(\w+)\(", source, re.MULTILINE))
    bad = [
        f"check_portable: {path.name} asks for {name} of glibc {version}"
        for path in files
        for name, version in later(objdump("-T", path))
        if name not in replaced
    ]
    print("\n".join(bad) or f"check_portable: {len(files)} files: all functions are of glibc 2.34")
    return int(bool(bad))


def check_stable_abi(include: Path, module: Path) -> int:
    program = "#define PY_SSIZE_T_CLEAN\n#define Py_LIMITED_API 0x030C0000\n#include <Python.h>\n"
    # Macros too: what one of them calls is used by its name.
    text = subprocess.run(
        ["cc", "-E", "-dD", "-I", include, "-x", "c", "-"],
        input=program, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    declared = set(re.findall(r"\b_?Py\w+", text))
    asked = set(re.findall(r"\*UND\*.*\b(_?Py\w+)$", objdump("-T", module), re.MULTILINE))
    bad = sorted(asked - declared)
    for name in bad:
        print(
            f"check_portable: {module.name} asks for {name}, which is not in the stable ABI of 3.12"
        )
    if not asked:
        print(f"check_portable: {module.name} asks for no function of CPython")
    elif not bad:
        print(
            f"check_portable: {module.name}: {len(asked)} names of CPython, all of the stable ABI of 3.12"
        )
    return int(bool(bad) or not asked)


def unpack(package: Path, folder: Path) -> None:
    if package.suffix == ".whl":
        zipfile.ZipFile(package).extractall(folder)
    elif package.suffix == ".deb":
        subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
    else:
        with tarfile.open(package) as archive:
            archive.extractall(folder)


def check(package: Path) -> int:
    tag = re.search(r"manylinux_(\d+)_(\d+)_", package.name)
    if package.suffix == ".whl" and (tag is None or (int(tag[1]), int(tag[2])) > GLIBC):
        print(f"check_portable: {package.name}: its tag is later than glibc 2.34")
        return 1
    bad = count = 0
    with tempfile.TemporaryDirectory() as folder:
        unpack(package, Path(folder))
        for path in sorted(Path(folder).rglob("*")):
            if path.is_symlink() or not path.is_file() or path.read_bytes()[:4] != b"\x7fELF":
                continue
            count += 1
            for fault in faults(path):
                bad += 1
                print(f"check_portable: {package.name}: {path.relative_to(folder)} {fault}")
    if count == 0:
        print(f"check_portable: {package.name}: there is no ELF file in it")
    elif bad == 0:
        print(f"check_portable: {package.name}: {count} ELF files, all for glibc 2.34")
    return int(bad > 0 or count == 0)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--functions":
        sys.exit(check_functions([Path(name) for name in sys.argv[2:]]))
    if sys.argv[1] == "--stable-abi":
        sys.exit(check_stable_abi(Path(sys.argv[2]), Path(sys.argv[3])))
    sys.exit(max(check(Path(name)) for name in sys.argv[1:]))
