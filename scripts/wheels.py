#!/usr/bin/env python3
"""Packs what build/wheel holds into wheels and a source archive: `make wheels` (docs/release.md).

usage: wheels.py BUILD DIST [MODULE]...

BUILD is a configured and built folder with HOLOGRAM_PORTABLE; a MODULE is _native.*.so of a CPython,
or _native.abi3.so of the stable ABI.
Writes hologram for each of them, hologram-jit and the sdist into DIST, and prints their sizes. The
same input gives the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from functools import cache
from pathlib import Path

import deflate

ROOT = Path(__file__).resolve().parent.parent
PLATFORM = "manylinux_2_34_" + os.uname().machine
MEGABYTE = 1_000_000
LARGEST = {"hologram": 8 * MEGABYTE, "hologram_jit": 20 * MEGABYTE}


def project(key: str) -> str:
    """A string of [project] in pyproject.toml. tomllib is not in Python 3.10."""
    found = re.search(rf'^{key} = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    if found is None:
        sys.exit(f"wheels: error: pyproject.toml has no {key}")
    return found[1]


VERSION = project("version")


def metadata(name: str, summary: str, *more: str) -> str:
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {name}",
        f"Version: {VERSION}",
        f"Summary: {summary}",
        "License: Apache-2.0",
        f"Requires-Python: {project('requires-python')}",
        "Classifier: Operating System :: POSIX :: Linux",
        *more,
    ]
    return "\n".join(lines) + "\n"


@cache
def packed(data: bytes) -> bytes:
    """As zlib has it, 3 % smaller than its level 9."""
    return bytes(deflate.deflate_compress(data, 12))


class Wheel:
    """A wheel that is being written; `close` adds its dist-info."""

    def __init__(self, dist: Path, name: str, tag: str) -> None:
        self.name, self.tag = name, tag
        self.path = dist / f"{name}-{VERSION}-{tag}.whl"
        self.info = f"{name}-{VERSION}.dist-info"
        self.records: list[str] = []
        self.zip = zipfile.ZipFile(self.path, "w")

    def add(self, place: str, data: bytes, mode: int = 0o644) -> None:
        entry = zipfile.ZipInfo(place, (2020, 1, 1, 0, 0, 0))
        entry.external_attr = (0o100000 | mode) << 16
        # zipfile takes no data that is compressed already.
        entry.compress_type, content = zipfile.ZIP_DEFLATED, packed(data)
        file = self.zip.fp
        entry.CRC, entry.file_size, entry.compress_size = zlib.crc32(data), len(data), len(content)
        entry.header_offset = file.tell()
        file.write(entry.FileHeader(zip64=False) + content)
        self.zip.filelist.append(entry)
        self.zip.NameToInfo[place] = entry
        self.zip.start_dir, self.zip._didModify = file.tell(), True
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.records.append(f"{place},sha256={digest},{len(data)}")

    def add_file(self, place: str, source: Path) -> None:
        self.add(place, source.read_bytes(), 0o755 if os.access(source, os.X_OK) else 0o644)

    def add_folder(self, place: str, folder: Path) -> None:
        for source in sorted(folder.rglob("*")):
            if source.is_file() and not source.is_symlink() and "__pycache__" not in source.parts:
                self.add_file(f"{place}/{source.relative_to(folder)}", source)

    def close(self, text: str, entry_points: str = "") -> None:
        self.add(f"{self.info}/METADATA", text.encode())
        tags = "Wheel-Version: 1.0\nGenerator: hologram\nRoot-Is-Purelib: false\n"
        self.add(f"{self.info}/WHEEL", f"{tags}Tag: {self.tag}\n".encode())
        self.add_file(f"{self.info}/LICENSE", ROOT / "LICENSE")
        if entry_points:
            self.add(f"{self.info}/entry_points.txt", entry_points.encode())
        record = "\n".join([*self.records, f"{self.info}/RECORD,,"]) + "\n"
        self.add(f"{self.info}/RECORD", record.encode())
        self.zip.close()
        size, largest = self.path.stat().st_size, LARGEST[self.name]
        if zipfile.ZipFile(self.path).testzip() is not None:
            sys.exit(f"wheels: error: {self.path.name} cannot be read back")
        print(f"wheels: {self.path.name}: {size / MEGABYTE:.2f} MB")
        if size > largest:
            sys.exit(f"wheels: error: the limit is {largest / MEGABYTE:.0f} MB (docs/release.md)")


def python_of(module: Path) -> tuple[str, str]:
    """The first two parts of the tag of a module's wheel, and a name of a Python that can have it."""
    if module.name == "_native.abi3.so":
        return "cp312-abi3", "python3"
    found = re.fullmatch(r"_native\.cpython-3(\d+)-.*\.so", module.name)
    if found is None:
        sys.exit(f"wheels: error: {module} is not a module of a CPython")
    return f"cp3{found[1]}-cp3{found[1]}", f"python3.{found[1]}"


def runtime_wheel(dist: Path, stage: Path, build: Path, module: Path) -> None:
    tag, python = python_of(module)
    wheel = Wheel(dist, "hologram", f"{tag}-{PLATFORM}")
    wheel.add_folder("hologram", ROOT / "python/hologram")
    wheel.add_file("atlas_kernel.py", ROOT / "python/atlas_kernel.py")
    wheel.add_file(f"hologram/{module.name}", module)
    for name in ("_stdlib.py", "_operations.py", "_elementwise.py"):
        wheel.add_file(f"hologram/{name}", build / "python/hologram" / name)
    wheel.add_file("hologram/stdlib.holo", stage / "lib/hologram/stdlib.holo")
    wheel.add_file("hologram/lib/libhologram.so.0", stage / "lib/libhologram.so.0")
    command = (ROOT / "scripts/wheel_command.sh").read_text().replace("PYTHON", python)
    wheel.add("hologram/bin/hologram", command.encode(), 0o755)
    wheel.add_folder("hologram/lib/cmake", stage / "lib/cmake")
    wheel.add_folder("hologram/include", stage / "include")
    text = metadata(
        "hologram",
        project("description"),
        "Provides-Extra: jit",
        f'Requires-Dist: hologram-jit == {VERSION} ; extra == "jit"',
        "Description-Content-Type: text/markdown",
    )
    wheel.close(
        text + "\n" + (ROOT / "README.md").read_text(),
        "[console_scripts]\nhologram = hologram.__main__:main\n"
        "atlas-compile = hologram.frontend.atlas_compile:main\n",
    )


def plugin_wheel(dist: Path, stage: Path) -> None:
    """Files beside libhologram: the plugin, which it looks for there, the file that the plugin
    copies for tvm-ffi, and the extension of DuckDB."""
    wheel = Wheel(dist, "hologram_jit", f"py3-none-{PLATFORM}")
    tvm_ffi = f"libhologram_tvm_ffi-{VERSION}.so"
    for name in ("libhologram_jit.so", tvm_ffi, "hologram.duckdb_extension"):
        wheel.add_file(f"hologram/lib/{name}", stage / "lib" / name)
    wheel.close(
        metadata(
            "hologram-jit",
            "The compiler plugin of hologram: native code for kernels, with LLVM inside",
            f"Requires-Dist: hologram == {VERSION}",
        )
    )


def source_archive(dist: Path, work: Path) -> None:
    """What is committed, with the PKG-INFO that an sdist has."""
    info = work / "PKG-INFO"
    info.write_text(metadata("hologram", project("description")))
    prefix = f"hologram-{VERSION}/"
    subprocess.run(
        ["git", "archive", f"--prefix={prefix}", f"--add-file={info}", "-o",
         dist / f"hologram-{VERSION}.tar.gz", "HEAD"], cwd=ROOT, check=True)  # fmt: skip
    print(f"wheels: hologram-{VERSION}.tar.gz: the sources of HEAD")


def check_versions() -> None:
    places = {
        "CMakeLists.txt": rf"^project\(hologram VERSION {re.escape(VERSION)} ",
        "python/hologram/__init__.py": rf'^__version__ = "{re.escape(VERSION)}"$',
    }
    for name, pattern in places.items():
        if re.search(pattern, (ROOT / name).read_text(), re.MULTILINE) is None:
            sys.exit(f"wheels: error: pyproject.toml has version {VERSION}, {name} another one")


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    check_versions()
    build, dist = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    dist.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        stage = work / "stage"
        subprocess.run(
            [shutil.which("cmake") or "cmake", "--install", build, "--prefix", stage],
            check=True, stdout=subprocess.DEVNULL)  # fmt: skip
        for module in sys.argv[3:]:
            runtime_wheel(dist, stage, build, Path(module))
        plugin_wheel(dist, stage)
        source_archive(dist, work)


if __name__ == "__main__":
    main()
