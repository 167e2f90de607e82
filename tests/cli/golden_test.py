"""Golden tests of the command: what it prints, how it ends, and which files it leaves.

usage: golden_test.py HOLOGRAM [CASE.txt ...]        HOLOGRAM_BLESS=1 rewrites what is expected

A case is steps, a line "====", and what came out. Each case runs in a folder of its own:
  # text                     a comment
  file NAME                  the indented lines that follow
  array NAME TYPE SHAPE = V  a .npy file; every element is V, or "count": 0 1 2 ...
  folder NAME                a new folder
  flip NAME OFFSET           changes one byte of a file; a negative offset counts from the end
  cut NAME SIZE              keeps the first SIZE bytes
  run ARGUMENTS              runs the command; shell-like quoting
  lines WORD ARGUMENTS       the same, and shows only lines that begin with WORD
  plugin FILE                is the compiler plugin of the commands that follow
  show NAME                  prints type, shape and elements of a .npy file or of each in a .npz,
                             anything else as the text that it is
"""

from __future__ import annotations

import os
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import zipfile

SEPARATOR = "====\n"
TYPES = {
    "i8": ("|i1", "b"),
    "i16": ("<i2", "h"),
    "i32": ("<i4", "i"),
    "i64": ("<i8", "q"),
    "u8": ("|u1", "B"),
    "u16": ("<u2", "H"),
    "u32": ("<u4", "I"),
    "u64": ("<u8", "Q"),
    "f16": ("<f2", "e"),
    "f32": ("<f4", "f"),
    "f64": ("<f8", "d"),
}
TIMEOUT_SECONDS = 60


def write_array(path: str, type_name: str, shape: str, value: str) -> None:
    descr, code = TYPES[type_name]
    extents = [int(extent) for extent in shape.split("x")]
    count = 1
    for extent in extents:
        count *= extent
    number = float if type_name.startswith("f") else int
    elements = list(range(count)) if value == "count" else [number(value)] * count
    dims = ", ".join(map(str, extents)) + ("," if len(extents) == 1 else "")
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({dims}), }}"
    header += " " * (-(11 + len(header)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{count}{code}", *elements))


def show_file(path: str) -> str:
    with open(path, "rb") as file:
        data = file.read()
    if path.endswith(".npz"):
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            return "".join(f"{name}: {show_array(archive.read(name))}" for name in names)
    return show_array(data) if path.endswith(".npy") else data.decode()


def show_array(data: bytes) -> str:
    length = struct.unpack("<H", data[8:10])[0]
    header = data[10 : 10 + length].decode()
    descr = re.search(r"'descr': '([^']*)'", header).group(1)
    name, code = next((name, code) for name, (known, code) in TYPES.items() if known == descr)
    shape = re.search(r"'shape': \(([^)]*)\)", header).group(1)
    body = data[10 + length :]
    elements = struct.unpack(f"<{len(body) // struct.calcsize(code)}{code}", body)
    shown = " ".join(f"{element:g}" for element in elements[:20])
    return f"{name} ({shape}): {shown}{' ...' if len(elements) > 20 else ''}\n"


class Case:
    def __init__(self, command: str, folder: str) -> None:
        self.command = command
        self.folder = folder
        self.output = ""
        self.plugin = ""

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def run(self, arguments: str, begin: bytes = b"") -> None:
        before = set(os.listdir(self.folder))
        environment = {k: v for k, v in os.environ.items() if not k.startswith("HOLOGRAM_CPU")}
        environment["HOLOGRAM_PYTHON"] = sys.executable
        if self.plugin:
            environment["HOLOGRAM_JIT"] = self.plugin
        result = subprocess.run(
            [self.command, *shlex.split(arguments)],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        new = sorted(set(os.listdir(self.folder)) - before)
        self.output += f"$ hologram {arguments}\n"
        shown = result.stdout + result.stderr
        if begin:
            lines = shown.splitlines(keepends=True)
            shown = b"".join(line for line in lines if line.startswith(begin))
        self.output += self.clean(shown.replace(self.folder.encode(), b"FOLDER"))
        self.output += f"exit {result.returncode}"
        self.output += f", wrote {' '.join(new)}\n" if new else "\n"

    @staticmethod
    def clean(text: bytes) -> str:
        shown = text.decode("utf-8", "backslashreplace")
        return re.sub(r"\b[0-9a-f]{64}\b", "<hash>", shown)

    def step(self, line: str, block: list[str]) -> None:
        word, _, rest = line.partition(" ")
        if word == "file":
            with open(self.path(rest), "w", encoding="utf-8") as file:
                file.write("".join(block))
        elif word == "array":
            described, _, value = rest.partition(" = ")
            name, type_name, shape = described.split()
            write_array(self.path(name), type_name, shape, value)
        elif word == "folder":
            os.mkdir(self.path(rest))
        elif word in ("flip", "cut"):
            name, number = rest.split()
            with open(self.path(name), "rb") as file:
                data = bytearray(file.read())
            if word == "flip":
                data[int(number)] ^= 0xFF
            else:
                del data[int(number) :]
            with open(self.path(name), "wb") as file:
                file.write(data)
        elif word == "run":
            self.run(rest)
        elif word == "lines":
            begin, _, arguments = rest.partition(" ")
            self.run(arguments, begin.encode())
        elif word == "plugin":
            self.plugin = rest
        elif word == "show":
            self.output += show_file(self.path(rest))
        else:
            raise ValueError(f"unknown step: {line}")


def steps_of(text: str):
    lines = text.splitlines(keepends=True)
    i = 0
    while i < len(lines):
        line = lines[i]
        i += 1
        if not line.strip() or line.startswith("#"):
            continue
        block = []
        if line.startswith("file "):
            while i < len(lines) and (lines[i].startswith("    ") or not lines[i].strip()):
                block.append(lines[i][4:] if lines[i].startswith("    ") else lines[i])
                i += 1
        while block and not block[-1].strip():
            block.pop()
        yield line.strip(), block


def output_of(command: str, text: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        case = Case(command, folder)
        for line, block in steps_of(text):
            case.step(line, block)
        return case.output


def main() -> int:
    command = os.path.abspath(sys.argv[1])
    golden = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden")
    files = sys.argv[2:] or [os.path.join(golden, name) for name in sorted(os.listdir(golden))]
    failed = 0
    for path in files:
        with open(path, encoding="utf-8") as file:
            text, separator, expected = file.read().partition(SEPARATOR)
        found = output_of(command, text)
        if os.environ.get("HOLOGRAM_BLESS"):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text + SEPARATOR + found)
        elif not separator or found != expected:
            failed += 1
            print(f"FAIL {os.path.basename(path)}\n-- expected\n{expected}-- found\n{found}")
    print(f"{len(files)} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
