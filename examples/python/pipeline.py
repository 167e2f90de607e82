"""A network of two layers, trained on handwritten digits, becomes one call and one file.

usage: pipeline.py [BATCH [EPOCHS]]   without pip install: PYTHONPATH=build/release/python

Prints the pipeline, and what a run takes beside its operations one by one; exit 1 if one bit of the
scores differs, or fewer than 0.95 of the pictures that it has not seen are right.
"""

import gzip
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import hologram as hg
from hologram import ops

DATA = Path(__file__).parents[1] / "digits" / "data" / "digits.csv.gz"
GOAL = 0.95
HELD_OUT, HIDDEN = 360, 64


class Network:
    def __init__(self, rng: np.random.Generator) -> None:
        self.w1 = rng.normal(0, 0.2, (64, HIDDEN)).astype(np.float32)
        self.b1 = np.zeros(HIDDEN, np.float32)
        self.w2 = rng.normal(0, 0.2, (HIDDEN, 10)).astype(np.float32)
        self.b2 = np.zeros(10, np.float32)

    def scores(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        hidden = ops.relu(ops.add(ops.gemm(x, self.w1), self.b1))
        return ops.softmax(ops.add(ops.gemm(hidden, self.w2), self.b2))

    def train(self, x: NDArray[np.float32], y: NDArray[np.uint32], epochs: int) -> None:
        wanted = np.eye(10, dtype=np.float32)[y]
        for _ in hg.progress(range(epochs), "training"):
            hidden = ops.relu(ops.add(ops.gemm(x, self.w1), self.b1))
            scores = ops.softmax(ops.add(ops.gemm(hidden, self.w2), self.b2))
            error = (scores - wanted) / len(x)
            back = np.where(hidden > 0, ops.gemm(error, self.w2.T), np.float32(0))
            for parameters, gradient in (
                (self.w2, ops.gemm(hidden.T, error)),
                (self.b2, error.sum(axis=0)),
                (self.w1, ops.gemm(x.T, back)),
                (self.b1, back.sum(axis=0)),
            ):
                np.subtract(parameters, gradient, out=parameters)


def median_us(function: Callable[..., object], *arguments: object) -> float:
    times = []
    for _ in range(15):
        start = time.perf_counter()
        for _ in range(200):
            function(*arguments)
        times.append((time.perf_counter() - start) / 200)
    return sorted(times)[len(times) // 2] * 1e6


def main() -> int:
    batch = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    epochs = int(sys.argv[2]) if len(sys.argv) > 2 else 150
    with gzip.open(DATA, "rt") as file:
        table = np.loadtxt(file, delimiter=",", dtype=np.uint32)
    rng = np.random.default_rng(1)
    rng.shuffle(table)
    x, y = (table[:, :-1] / np.float32(16)).astype(np.float32), table[:, -1]
    network = Network(rng)
    network.train(x[HELD_OUT:], y[HELD_OUT:], epochs)

    with hg.capture("digits") as p:
        p.output("scores", network.scores(p.input("x", x[:batch])))
    print(p.text)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "digits.holo"
        trust_hash = p.save(path)
        loaded = hg.load_pipeline(path, trust_hash)
        print(f"digits.holo: {path.stat().st_size} bytes")
    right = 0
    for first in range(0, HELD_OUT - batch + 1, batch):
        images = x[first : first + batch]
        scores = loaded.run(images)
        if scores.tobytes() != network.scores(images).tobytes():
            print("the pipeline and its operations differ")
            return 1
        right += int((scores.argmax(axis=1) == y[first : first + batch]).sum())
    accuracy = right / (HELD_OUT // batch * batch)
    print(f"accuracy on held-out pictures: {accuracy:.4f} (goal {GOAL})")
    one_by_one, whole = median_us(network.scores, x[:batch]), median_us(loaded.run, x[:batch])
    print(f"batch {batch}: {one_by_one:.1f} us by operations, {whole:.1f} us by the pipeline")
    return 0 if accuracy >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
