"""hologram inspect and hologram run of a file with a pipeline.

usage: command_test.py HOLOGRAM       with the Python module and NumPy on its path
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import hologram as hg

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import guard_pages

guard_pages.install()


def make(path: str) -> tuple[str, np.ndarray, np.ndarray]:
    random = np.random.default_rng(1)
    w = random.standard_normal((4, 3), np.float32)
    with hg.capture("small") as p:
        y = hg.ops.relu(hg.ops.gemm(p.input("x", np.ones((2, 4), np.float32)), w))
        p.output("y", y)
        p.output("best", hg.ops.argmax(y, axis=1))
    x = random.standard_normal((2, 4), np.float32)
    return p.save(path, native=()), x, p.run(x)[0]


class Test:
    def __init__(self, command: str) -> None:
        self.command = command
        self.failed = 0

    def run(self, arguments: str, code: int = 0, expected: str = "") -> str:
        done = subprocess.run(
            [self.command, *arguments.split()],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.check(done.returncode == code, f"{arguments}: exit {done.returncode}: {done.stdout}")
        self.check(expected in done.stdout, f"{arguments}: no '{expected}' in: {done.stdout}")
        return done.stdout

    def check(self, holds: bool, what: str) -> None:
        if not holds:
            self.failed += 1
            print("FAIL", what)


def main() -> int:
    test = Test(os.path.abspath(sys.argv[1]))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        trust_hash, x, y = make("p.holo")
        np.save("x.npy", x)
        test.run(
            "inspect p.holo",
            0,
            "pipeline small(x: in f32[2,4], y: out f32[2,3], best: out i64[2])\n"
            "  arrays    1 constant of 48 bytes, 1 temporary of 64 bytes in 64\n"
            "  launch 0  op_gemm_f32+op_relu_f32(x, c3, y) grid 1,1,1 block 16,1,1\n"
            "  launch 1  op_max_rows_f32(y, t4) grid 1,2,1 block 64,1,1\n"
            "  launch 2  op_argmax_pick_f32(y, t4, best) grid 2,1,1 block 64,1,1\n",
        )
        manifest = json.loads(test.run("inspect p.holo --json"))
        shapes = {array["name"]: array["shape"] for array in manifest["pipeline"]["arrays"]}
        test.check(shapes == {"x": [2, 4], "y": [2, 3], "best": [2]}, f"shapes: {shapes}")
        for options in ("", " --backend interpreter", f" --expect {trust_hash}", " --threads 1"):
            test.run("run p.holo --in x=x.npy --out y=y.npy --out best=b.csv" + options)
            test.check(np.load("y.npy").tobytes() == y.tobytes(), "other values" + options)
        test.run("run p.holo --in x=x.npy --out y=y.npz --out best=y.npz --time", 0, "3 launches")
        with np.load("y.npz") as found:
            test.check((found["best"] == y.argmax(axis=1)).all(), "other places")
        wrong = "hologram: error: "
        test.run("run p.holo --in z=x.npy", 1, "--in z: pipeline 'small' has no such input")
        test.run("run p.holo --out y=y.npy", 1, wrong + "array 'x' is missing; add --in x=FILE")
        test.run("run p.holo --in x=y.npy", 1, "y.npy has the shape (2, 3), expected (2, 4)")
        test.run("run p.holo --in x=x.npy --in x=x.npy", 1, "--in x is given twice")
        test.run("run p.holo --in x=x.npy --out y=x.npy", 1, "x.npy is read for --in x")
        test.run("run p.holo --in x=x.npy --out y=y.txt", 1, "--out y: ")
        test.run("run p.holo --in x=x.npy --grid 2", 2, "whose launches are fixed")
        test.run("run p.holo --in x=x.npy --backend opencl", 2, "auto or interpreter")
        test.run("run p.holo --in x=x.npy --expect " + "0" * 64, 1, "expected trust hash")
        test.run("run p.holo --entry nothing --in x=x.npy", 1, "nothing")
        with open("p.holo", "rb") as file:
            data = file.read()
        place = data.index(b"HGPL") + 30
        for size in (0, 63, 100, place, len(data) - 1):
            with open("q.holo", "wb") as file:
                file.write(data[:size])
            test.run("run q.holo --in x=x.npy", 1, wrong)
            test.run("inspect q.holo", 1)
        with open("q.holo", "wb") as file:
            file.write(data[:place] + b"\xff" + data[place + 1 :])
        test.run("inspect q.holo", 1, "(pipeline) does not match its hash")
    return 1 if test.failed else 0


if __name__ == "__main__":
    sys.exit(main())
