"""Native code is visible to perf and GDB: functions, bytes and lines of the kernel's Python source.

usage: profile_test.py HOLOGRAM KERNELS
"""

import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

import numpy as np

KERNEL = "elementwise/axpy.py"
LINE = "y[i] = fma(a, x[i], y[i])"
ASSEMBLY = """.kernel "thrice_f32"
.param x f32[] inout
  sreg.u32 r5, global.x
  mov_imm.u32 r6, 1000
  setge.u32 p0, r5, r6
  bra.p0 @L1
  ldg.f32 r7, [r1 + r5*4]
  add.f32 r8, r7, r7
  add.f32 r8, r8, r7
  stg.f32 [r1 + r5*4], r8
L1:
  exit
"""


class Test:
    def __init__(self, hologram: str, kernels: str, folder: str) -> None:
        self.hologram, self.folder = hologram, pathlib.Path(folder)
        self.kernel = pathlib.Path(kernels) / KERNEL
        lines = self.kernel.read_text(encoding="utf-8").splitlines()
        self.line = next(i for i, line in enumerate(lines, 1) if LINE in line)
        np.save(self.folder / "x.npy", np.arange(1000, dtype=np.float32))
        np.save(self.folder / "y.npy", np.ones(1000, np.float32))

    def command(self) -> list[str]:
        folder = self.folder
        return [
            *(self.hologram, "run", str(self.kernel), "--in", f"x={folder}/x.npy"),
            *("--in", f"y={folder}/y.npy", "--out", f"y={folder}/z.npy"),
            *("--set", "n=1000", "--set", "a=2", "--backend", "cpu"),
        ]

    def environment(self, words: str) -> dict[str, str]:
        # The code is compiled here, not taken from a cache.
        return {
            **os.environ,
            "HOLOGRAM_PROFILE": words,
            "HOLOGRAM_PROFILE_DIR": str(self.folder),
            "HOLOGRAM_CACHE_DIR": "",
        }

    def run(self, words: str) -> tuple[int, int, str]:
        """The process that ran with HOLOGRAM_PROFILE=words, its exit status and what it said."""
        process = subprocess.Popen(
            self.command(), env=self.environment(words), stderr=subprocess.PIPE, text=True
        )
        said = process.communicate()[1]
        return process.pid, process.returncode, said


def read_map(path: pathlib.Path) -> dict[str, tuple[int, int]]:
    functions = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        address, size, name = line.split(" ", 2)
        functions[name] = (int(address, 16), int(size, 16))
    return functions


def read_dump(data: bytes) -> tuple[dict[str, tuple[int, bytes]], list[tuple[int, int, str]]]:
    """Functions (address, code) and lines (address, line, file) of a jitdump file."""
    magic, version, at, machine = struct.unpack_from("<4I", data)
    assert (magic, version, at, machine) == (0x4A695444, 1, 40, 62), "the header"
    functions: dict[str, tuple[int, bytes]] = {}
    lines = []
    while at < len(data):
        kind, size, _ = struct.unpack_from("<IIQ", data, at)
        body = data[at + 16 : at + size]
        if kind == 0:
            _, _, address, start, length, _ = struct.unpack_from("<IIQQQQ", body)
            assert address == start
            name, _, code = body[40:].partition(b"\0")
            assert len(code) == length
            functions[name.decode()] = (address, code)
        elif kind == 2:
            _, count = struct.unpack_from("<QQ", body)
            place = 16
            for _ in range(count):
                address, line, _ = struct.unpack_from("<QII", body, place)
                end = body.index(b"\0", place + 16)
                lines.append((address, line, body[place + 16 : end].decode()))
                place = end + 1
            assert place == len(body)
        else:
            raise AssertionError(f"a record of kind {kind}")
        at += size
    assert at == len(data)
    return functions, lines


def perf(test: Test) -> None:
    pid, status, said = test.run("perf, jitdump,")
    assert status == 0, said
    path = pathlib.Path(f"/tmp/perf-{pid}.map")
    try:
        functions = read_map(path)
    finally:
        path.unlink(missing_ok=True)
    dumped, lines = read_dump((test.folder / f"jit-{pid}.dump").read_bytes())
    assert {"axpy.entry", "axpy.lanes"} <= set(functions), functions
    assert {name: (a, len(code)) for name, (a, code) in dumped.items()} == functions
    address, code = dumped["axpy.lanes"]
    # The lines of the loop's own function.
    inside = [line for line in lines if address <= line[0] < address + len(code)]
    assert test.line in {line for _, line, _ in inside}, inside
    assert {file for _, _, file in lines} == {str(test.kernel)}, lines
    print(f"perf: {len(functions)} functions, {len(lines)} lines")


def errors(test: Test) -> None:
    for words, expected in (
        ("perf,vtune", "HOLOGRAM_PROFILE: expected perf, jitdump or gdb, found 'vtune'"),
        ("jitdump", "HOLOGRAM_PROFILE: cannot write "),
    ):
        environment = test.environment(words) | {"HOLOGRAM_PROFILE_DIR": "/nonexistent"}
        result = subprocess.run(test.command(), env=environment, stderr=subprocess.PIPE, text=True)
        assert result.returncode == 1 and expected in result.stderr, result.stderr
    print("errors: 2")


def under_gdb(test: Test, place: str, program: list[str]) -> str | None:
    """What GDB says of a stop at a place, or None where it cannot run."""
    if shutil.which("gdb") is None:
        print("gdb: skipped, gdb is not installed")
        return None
    script = [
        *("set breakpoint pending on", "set debuginfod enabled off", "set confirm off"),
        *(f"break {place}", "run", "bt 3", "info source", "delete", "continue"),
    ]
    command = ["gdb", "-q", "-nx", "-batch"]
    for line in script:
        command += ["-ex", line]
    result = subprocess.run(
        [*command, "--args", *program],
        env=test.environment("gdb"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    said = result.stdout
    if "ptrace: Operation not permitted" in said or "Couldn't get CS register" in said:
        print("gdb: skipped, this system forbids debuggers")
        return None
    return said


def gdb(test: Test) -> None:
    said = under_gdb(test, f"axpy.py:{test.line}", test.command())
    if said is None:
        return
    for expected in (f"axpy.py:{test.line}", LINE, "axpy[lanes]", "exited normally"):
        assert expected in said, said
    # Code without source lines, as that of hg.ops, has the name of its kernel.
    (test.folder / "triple.hasm").write_text(ASSEMBLY, encoding="ascii")
    x, y = test.folder / "x.npy", test.folder / "triple.npy"
    program = [test.hologram, "run", str(test.folder / "triple.hasm"), "--backend", "cpu"]
    said = under_gdb(test, "thrice_f32", [*program, "--in", f"x={x}", "--out", f"x={y}"])
    assert said is not None and "#0" in said and " in thrice_f32 ()" in said, said
    assert "hologram::" in said and "exited normally" in said, said
    print(f"gdb: stopped at axpy.py:{test.line} and in thrice_f32")


def main() -> int:
    hologram, kernels = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        test = Test(hologram, kernels, folder)
        perf(test)
        errors(test)
        gdb(test)
    return 0


if __name__ == "__main__":
    sys.exit(main())
