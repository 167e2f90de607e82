"""hologram run --stream: files, pipes, tables, errors. usage: command_test.py HOLOGRAM"""

import array
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

CHAIN = """
.kernel chain
.param x f32[] in
.param y f32[] out
.param n u32
  sreg.u32 r4, global.x
  setge.u32 p0, r4, r3
  bra.p0 @L1
  ldg.f32 r5, [r1 + r4*4]
  add.f32 r5, r5, r5
  stg.f32 [r2 + r4*4], r5
L1:
  exit
"""
N = 100_000
failures: list[str] = []


def expect(holds: bool, what: str) -> None:
    if not holds:
        failures.append(what)
        print("FAIL", what)


def main() -> int:
    hologram = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        pathlib.Path("chain.hasm").write_text(CHAIN)
        values = array.array("f", [k % 997 for k in range(N)])
        doubled = array.array("f", [2.0 * v for v in values]).tobytes()
        pathlib.Path("x.raw").write_bytes(values.tobytes())

        def run(*options: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
            command = [hologram, "run", "chain.hasm", "--stream", *options]
            return subprocess.run(command, input=data, capture_output=True)

        length = ("--set", "n=len(x)")
        done = run("--in", "x=x.raw", "--out", "y=y.raw", *length, "--window", "10000", "--time")
        expect(done.returncode == 0, done.stderr.decode())
        expect(pathlib.Path("y.raw").read_bytes() == doubled, "raw files")
        expect(b"GB/s in" in done.stderr and b"49 windows" in done.stderr, done.stderr.decode())
        done = run("--in", "x=x.raw", "--out", "y=y.npy", *length)
        npy = pathlib.Path("y.npy").read_bytes()
        expect(npy[:6] == b"\x93NUMPY" and npy.endswith(doubled), "a .npy file")
        done = run("--in", "x=y.npy", "--out", "y=z.npy", *length)
        start = len(npy) - len(doubled)
        again = pathlib.Path("z.npy").read_bytes()
        first = struct.unpack_from("f", again, start + 4 * 5)[0]
        expect(len(again) == len(npy) and first == 20.0, "from .npy to .npy")
        done = run("--in", "x=-", "--out", "y=-", *length, data=values.tobytes())
        expect(done.stdout == doubled and done.stderr == b"", "pipes")

        before = sorted(os.listdir("."))
        for options, text in (
            (("--in", "x=none.raw", "--out", "y=q.raw", *length), "none.raw: no such file"),
            (("--in", "x=x.raw", "--out", "y=./x.raw", *length), "is read for --in x and would be"),
            (("--in", "x=x.raw", "--out", "y=q.raw"), "scalar 'n' is missing"),
            (("--in", "x=x.raw", *length), "array 'y' is missing"),
            (("--in", "x=x.raw", "--out", "q=q.raw", *length), "has no such array"),
            (
                ("--in", "x=x.raw", "--out", "y=q.raw", "--set", "n=200000"),
                "reads element 100000 of 100000",
            ),
            (("--in", "x=-", "--out", "y=q.npy", *length), "begins with its length"),
            (("--in", "x=-", "--out", "y=q.raw", *length), "ends after 3 bytes, in the middle"),
            (("--in", "x=x.raw", "--out", "y=/dev/full", *length), "no space left on device"),
        ):
            done = run(*options, data=b"abc")
            expect(done.returncode == 1, f"{options}: exit {done.returncode}")
            expect(text in done.stderr.decode(), f"{text}: {done.stderr.decode()}")
        expect(sorted(os.listdir(".")) == before, f"left over: {os.listdir('.')}")
    print("failures:", len(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
