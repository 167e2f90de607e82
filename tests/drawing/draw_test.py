"""hologram draw: the pictures of a kernel, a circuit and a pipeline are SVG files with what they are
to show, inside of their frame; errors.

usage: draw_test.py HOLOGRAM SOURCES
"""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

NAMES = "{http://www.w3.org/2000/svg}"
KERNEL = """from hologram.lang import DeviceArray, f32, get_global_id, kernel, sqrt, u32

@kernel
def work(x: DeviceArray[f32], at: DeviceArray[u32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        total = x[at[i]]
        for k in range(10):
            total = sqrt(total) + x[i]
        y[i] = total
"""
PIPELINE = """
import numpy as np
import hologram as hg
w, b = np.ones((64, 10), np.float32), np.zeros(10, np.float32)
example = np.zeros((1, 64), np.float32)
with hg.capture("scores") as p:
    x = p.input("x", example)
    p.output("y", hg.ops.softmax(hg.ops.add(hg.ops.gemm(x, w), b)))
p.save("scores.holo")
"""


class Picture:
    def __init__(self, path: Path) -> None:
        root = ElementTree.parse(path).getroot()
        assert root.tag == NAMES + "svg" and root.find(NAMES + "title") is not None
        _, _, self.width, self.height = map(float, root.attrib["viewBox"].split())
        self.texts = ["".join(node.itertext()) for node in root.iter(NAMES + "text")]
        self.boxes = [node for node in root.iter(NAMES + "rect") if "x" in node.attrib]
        self.arrows = [node for node in root.iter(NAMES + "path") if "marker-end" in node.attrib]
        for node in root.iter(NAMES + "text"):
            assert 0 <= float(node.attrib["x"]) <= self.width, node.attrib
            assert 0 <= float(node.attrib["y"]) <= self.height, node.attrib
        for node in self.boxes:
            assert float(node.attrib["x"]) + float(node.attrib["width"]) <= self.width
            assert float(node.attrib["y"]) + float(node.attrib["height"]) <= self.height
        for node in self.arrows:
            numbers = [float(x) for x in re.findall(r"-?\d+\.?\d*", node.attrib["d"])]
            assert all(-0.1 <= x <= self.width for x in numbers[::2]), node.attrib
            assert all(-0.1 <= y <= self.height for y in numbers[1::2]), node.attrib

    def has(self, text: str) -> bool:
        return any(text in line for line in self.texts)


def npy(values: list[float], kind: str) -> bytes:
    header = f"{{'descr': '<{kind}4', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header = header.ljust(117) + "\n"
    head = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header))
    return head + header.encode() + struct.pack(f"<{len(values)}{kind.replace('u', 'I')}", *values)


def check_walk(place: Path, sources: Path, draw: Callable[..., Picture]) -> None:
    """A matrix product in four tiles."""
    gemm = [str(sources / "kernels/linalg/gemm_shared.py"), "--as", "walk"]
    gemm += ["--in", "a=a.npy", "--in", "b=a.npy", "--out", "c=c.npy:f32:32x32"]
    for name in ("m", "n", "k", "lda", "ldb", "ldc"):
        gemm += ["--set", f"{name}=32"]
    (place / "a.npy").write_bytes(npy([1.0] * 1024, "f").replace(b"(1024,),", b"(32,32),"))
    walk = draw(*gemm, "--grid", "2,2", "--block", "16,16")
    assert walk.has("4 blocks, one after the other") and walk.has("c: f32[32, 32]")
    assert walk.has("framed: what block 2 reads and writes")
    frames = [box.attrib for box in walk.boxes if box.attrib["class"] == "frame"]
    sizes = [(float(box["width"]), float(box["height"])) for box in frames]
    assert sizes == [(230, 115), (115, 230), (115, 115)], sizes  # a row, a column, a tile
    assert len([box for box in walk.boxes if "opacity" in box.attrib]) == 4


def main() -> int:
    hologram, sources = sys.argv[1], Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "work.py").write_text(KERNEL, encoding="utf-8")
        (place / "x.npy").write_bytes(npy([1.0] * 100, "f"))
        (place / "at.npy").write_bytes(npy([0] * 100, "u"))

        def run(*words: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run([hologram, *words], cwd=place, capture_output=True, text=True)

        def draw(*words: str) -> Picture:
            done = run("draw", *words, "-o", "p.svg")
            assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done
            return Picture(place / "p.svg")

        flow = draw("work.py")
        assert flow.has("work(x: f32[], at: u32[], y: f32[], n: u32)")
        assert flow.has("✓ y[i]  neighbours") and flow.has("! x[at[i]]  scattered"), flow.texts
        assert flow.has("loop, proved to end") and flow.has("total = sqrt(total) + x[i]")
        assert not flow.has("of all steps") and flow.has("3 of 4 accesses proved")
        assert sum("back" in arrow.attrib["class"] for arrow in flow.arrows) == 1
        assert run("draw", "work.py").stdout == (place / "p.svg").read_text(encoding="utf-8")

        launch = ["--in", "x=x.npy", "--in", "at=at.npy", "--out", "y=y.npy:f32:100"]
        hot = draw("work.py", *launch, "--set", "n=100")
        assert hot.has("1 k times, ") and hot.has("of all steps"), hot.texts
        assert not (place / "y.npy").exists()
        heat = [float(box.attrib["opacity"]) for box in hot.boxes if "opacity" in box.attrib]
        assert max(heat) == 0.55 and min(heat) < 0.1, heat

        check_walk(place, sources, draw)
        lone = ["work.py", *launch, "--set", "n=100", "--as", "walk", "--grid", "2000"]
        assert "a walk has at most 1024 blocks, this launch has 2000" in run("draw", *lone).stderr

        circuit = draw(str(sources / "kernels/elementwise/saxpy.py"), "--as", "circuit")
        assert circuit.texts[2:] == ["a: f32", "x: f32[]", "y: f32[]", "fma", "out: f32[]"]
        assert len(circuit.arrows) == 4
        (place / "two.circuit").write_text("copy@c05->c06 . merge@c06[c07,c08]", encoding="utf-8")
        free = draw("two.circuit")
        assert sorted(free.texts[2:]) == sorted(["c05", "c06", "c07", "add", "c08"]), free.texts

        if "PYTHONPATH" in os.environ:
            made = subprocess.run([sys.executable, "-c", PIPELINE], cwd=place)
            assert made.returncode == 0
            pipeline = draw("scores.holo")
            for text in ("x: in f32[1,64]", "y: out f32[1,10]", "op_softmax_f32", "temporary 40 B"):
                assert pipeline.has(text), pipeline.texts
            assert pipeline.has("2 launches, one call"), pipeline.texts

        for words, message in (
            (["work.py", "--as", "circuit"], "work.py:"),
            (
                ["work.py", "--as", "map"],
                "--as: expected flow, walk, circuit or pipeline, found 'map'",
            ),
            (["work.py", "-o", "work.py"], "the output would replace its input"),
            (["none.circuit"], "none.circuit: no such file"),
        ):
            wrong = run("draw", *words)
            assert wrong.returncode == 1 and message in wrong.stderr, (words, wrong.stderr)
        assert run("draw").returncode == 2
    print("draw: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
