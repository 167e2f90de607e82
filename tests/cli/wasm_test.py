"""`hologram compile --emit wasm`: sections, names and descriptions of a module, twice the same bytes.

usage: wasm_test.py HOLOGRAM
What the code computes is tested by scripts/wasm.sh and scripts/site.sh, in Node and wasmtime.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = """from hologram.lang import DeviceArray, f32, fma, get_global_id, u32


def scale(x: DeviceArray[f32], k: f32, n: u32):
    i = get_global_id()
    if i < n:
        x[i] = fma(x[i], k, 1.0)


def pick(x: DeviceArray[f32, 2], at: DeviceArray[u32], y: DeviceArray[f32]):
    i = get_global_id()
    if i < len(y):
        y[i] = x[at[i], 0]


def tell(x: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        print(x[i])
"""
TYPE, IMPORT, FUNCTION, EXPORT, CODE, CUSTOM = 1, 2, 3, 7, 10, 0
NOTE = "kernel 'tell' cannot be compiled: 'tell' uses PRINT"


class Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def leb(self) -> int:
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def take(self, size: int) -> bytes:
        piece = self.data[self.at : self.at + size]
        assert len(piece) == size, "cut off"
        self.at += size
        return piece

    def name(self) -> str:
        return self.take(self.leb()).decode()


def sections(module: bytes) -> tuple[dict[int, bytes], dict[str, bytes]]:
    """By number, and the custom ones by name."""
    assert module[:8] == b"\0asm\1\0\0\0"
    reader, found, custom = Reader(module), {}, {}
    reader.at = 8
    while reader.at < len(module):
        number = reader.data[reader.at]
        reader.at += 1
        contents = reader.take(reader.leb())
        if number == CUSTOM:
            inner = Reader(contents)
            name = inner.name()
            custom[name] = contents[inner.at :]
        else:
            assert number not in found and all(number > other for other in found), "order"
            found[number] = contents
    return found, custom


def exports(contents: bytes) -> dict[str, int]:
    reader = Reader(contents)
    names = {}
    for _ in range(reader.leb()):
        name, kind = reader.name(), reader.take(1)
        assert kind == b"\0", "not a function"
        names[name] = reader.leb()
    return names


def imports(contents: bytes) -> list[str]:
    reader = Reader(contents)
    names = []
    for _ in range(reader.leb()):
        assert reader.name() == "hologram"
        names.append(reader.name())
        reader.take({2: 2, 3: 2}[reader.take(1)[0]])
    return names


def check_form(module: bytes) -> tuple[dict[str, int], dict[str, bytes]]:
    found, custom = sections(module)
    assert imports(found[IMPORT]) == ["memory", "base", "stack"], found[IMPORT]
    functions = Reader(found[FUNCTION]).leb()
    assert functions == Reader(found[CODE]).leb()
    names = exports(found[EXPORT])
    assert all(number < functions for number in names.values()), names
    return names, custom


def main() -> int:
    hologram = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "k.py").write_text(SOURCE, encoding="utf-8")
        modules = []
        for output in ("k.wasm", "again.wasm"):
            command = [hologram, "compile", "k.py", "--emit", "wasm", "-o", output]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
            assert NOTE.lower() in done.stderr.lower(), done.stderr
            modules.append(Path(folder, output).read_bytes())
        command = [hologram, "compile", "k.py", "--entry", "tell", "-o", "tell.wasm"]
        alone = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert alone.returncode == 1 and "no WebAssembly" in alone.stderr, alone.stderr
        assert not Path(folder, "tell.wasm").exists()
        _, custom = check_form(modules[0])
        Path(folder, "k.holo").write_bytes(custom["hologram.bundle"])
        listed = subprocess.run(
            [hologram, "inspect", "--json", "k.holo"],
            cwd=folder, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
    assert modules[0] == modules[1], "not the same twice"
    names, custom = check_form(modules[0])
    wanted = {"scale.entry", "scale.default_entry", "scale.body", "pick.entry", "pick.body"}
    assert wanted <= set(names), names
    assert not any(name.startswith("tell") for name in names), names
    relaxed, _ = check_form(custom["hologram.relaxed"])
    assert set(relaxed) == set(names), relaxed
    description = json.loads(custom["hologram"])
    kernels = {k["signature"]["name"]: k for k in description["kernels"]}
    programs = {p["name"]: p["id"] for p in json.loads(listed)["programs"]}
    assert {name: k["signature"]["id"] for name, k in kernels.items()} == programs
    assert kernels["tell"]["code"] is None
    assert kernels["scale"]["code"]["faults"] is False
    assert kernels["pick"]["code"]["faults"] is True
    assert {"array": 2, "of": "extent", "dimension": 0} in kernels["pick"]["code"]["shapes"]
    print(f"wasm: {len(names)} functions, {len(modules[0])} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
