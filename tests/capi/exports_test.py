"""What libhologram.so promises from outside: its symbols, what it links, its size.

usage: exports_test.py LIBRARY HEADER EXPORTS_MAP
"""

import os
import re
import subprocess
import sys
import tempfile

MAX_BYTES = 5_000_000
# The C and C++ standard libraries and the loader, nothing else.
ALLOWED = re.compile(r"^(libc|libm|libstdc\+\+|libgcc_s|libdl|libpthread|ld-linux-[a-z0-9-]+)\.so")
# The names that debuggers look for (GDB's JIT interface).
DEBUGGERS = {"__jit_debug_descriptor", "__jit_debug_register_code"}
SANITIZER = re.compile(r"^lib(asan|ubsan|tsan)\.so")


def output(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode()


def main() -> int:
    library, header, exports = sys.argv[1:]
    with open(header, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    declared = set(re.findall(r"HOLOGRAM_API[^;(]*?(hologram_\w+)\(", text))
    with open(exports, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    listed = set(re.findall(r"^\s+(hologram_\w+);", text, flags=re.M))
    found = {
        line.split()[-1] for line in output("nm", "-D", "--defined-only", library).splitlines()
    }
    needed = re.findall(r"NEEDED\s+(\S+)", output("objdump", "-p", library))
    errors = []
    if declared != listed:
        errors.append(f"hologram.h and exports.map differ: {sorted(declared ^ listed)}")
    if found != listed | DEBUGGERS:
        errors.append(f"the library and exports.map differ: {sorted(found ^ listed)}")
    foreign = [name for name in needed if not ALLOWED.match(name) and not SANITIZER.match(name)]
    if foreign:
        errors.append(f"the library links {foreign}")
    with tempfile.TemporaryDirectory() as folder:
        stripped = os.path.join(folder, "stripped.so")
        output("strip", "-o", stripped, library)
        size = os.path.getsize(stripped)
    if size > MAX_BYTES and not any(SANITIZER.match(name) for name in needed):
        errors.append(f"{size} bytes stripped, expected at most {MAX_BYTES}")
    print(f"{len(found)} symbols, {size} bytes stripped, links {', '.join(needed)}")
    for error in errors:
        print("FAIL", error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
