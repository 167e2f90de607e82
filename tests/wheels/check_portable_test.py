"""scripts/check_portable.py finds what would not run elsewhere, and accepts what would.

usage: check_portable_test.py LIBHOLOGRAM          linked as usual, to the shared C++ library
"""

import os
import subprocess
import sys
import tempfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TAG = "-1-py3-none-manylinux_2_34_x86_64.whl"


def check(path: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, os.path.join(ROOT, "scripts/check_portable.py"), path],
        capture_output=True, text=True, check=False)  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def expect(condition: bool, what: object) -> None:
    if not condition:
        sys.exit(f"expected otherwise: {what}")


def pack(folder: str, name: str, source: str) -> str:
    path = os.path.join(folder, name)
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(source, "hologram/file")
    return path


def main(library: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        status, said = check(pack(folder, "shared" + TAG, library))
        expect(status == 1 and "needs libstdc++.so.6" in said, said)
        expect("has a symbol of the C++ library" in said, said)

        empty = os.path.join(folder, "empty.c")
        with open(empty, "w", encoding="utf-8") as file:
            file.write("int nothing(void) { return 0; }\n")
        plain = os.path.join(folder, "plain.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", plain, empty], check=True)
        status, said = check(pack(folder, "plain" + TAG, plain))
        expect(status == 0 and "1 ELF files" in said, said)

        late = pack(folder, "late-1-py3-none-manylinux_2_39_x86_64.whl", plain)
        expect(check(late)[0] == 1, "a tag of glibc 2.39 is refused")
        expect(check(pack(folder, "none" + TAG, empty))[0] == 1, "no ELF file is a fault")

        moved = os.path.join(folder, "moved.so")
        subprocess.run(
            ["cc", "-shared", "-fPIC", "-Wl,-rpath,/build/lib", "-o", moved, empty], check=True
        )
        status, said = check(pack(folder, "moved" + TAG, moved))
        expect(status == 1 and "looks for libraries in /build/lib" in said, said)
    print("check_portable finds what it should")


main(sys.argv[1])
