"""A network of two layers learns handwritten digits: operations of hologram.ops and three kernels.

usage: network.py [EPOCHS]        without pip install: PYTHONPATH=build/release/python

Prints the accuracy on the 360 pictures that it has not seen; exit 1 below 0.97.
"""

import gzip
import sys
import time
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

import hologram as hg
from hologram.lang import DeviceArray, f32, get_global_id, u32

DATA = Path(__file__).parents[1] / "digits" / "data" / "digits.csv.gz"
GOAL = 0.97
HELD_OUT, HIDDEN, BATCH = 360, 64, 32
RATE = 0.05
MOMENTUM = 0.9
DECAY = 1e-4


@hg.kernel
def relu_back(z: DeviceArray[f32], g: DeviceArray[f32], n: u32) -> None:
    """g of the output becomes g of the input."""
    i = get_global_id()
    if i < n:
        g[i] = g[i] if z[i] > 0.0 else 0.0


@hg.kernel
def subtract_labels(p: DeviceArray[f32, Literal[2]], labels: DeviceArray[u32], scale: f32) -> None:
    """p becomes the gradient of the mean cross entropy: (p - one_hot) scale."""
    k = get_global_id(0)
    row = get_global_id(1)
    if row < p.shape[0] and k < p.shape[1]:
        p[row, k] = (p[row, k] - (1.0 if k == labels[row] else 0.0)) * scale


@hg.kernel
def step(w: DeviceArray[f32], v: DeviceArray[f32], g: DeviceArray[f32], n: u32, rate: f32) -> None:
    """Momentum and decay, one pass over each array."""
    i = get_global_id()
    if i < n:
        v[i] = MOMENTUM * v[i] - rate * (g[i] + DECAY * w[i])
        w[i] += v[i]


class Layer:
    def __init__(self, inputs: int, outputs: int, rng: np.random.Generator) -> None:
        bound = np.sqrt(2 / inputs)
        self.w = rng.normal(0, bound, (inputs, outputs)).astype(np.float32)
        self.b = np.zeros(outputs, np.float32)
        self.speeds = np.zeros_like(self.w), np.zeros_like(self.b)

    def forward(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        self.x = x
        return hg.ops.add(hg.ops.gemm(x, self.w), self.b)

    def backward(self, g: NDArray[np.float32], rate: float) -> NDArray[np.float32]:
        before = hg.ops.gemm(g, self.w.T)
        gradients = hg.ops.gemm(self.x.T, g), hg.ops.sum(g, axis=0)
        for w, v, d in zip((self.w, self.b), self.speeds, gradients, strict=False):
            step(w.reshape(-1), v.reshape(-1), d.reshape(-1), w.size, rate)
        return before


def main() -> int:
    epochs = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    with gzip.open(DATA, "rt") as file:
        table = np.loadtxt(file, delimiter=",", dtype=np.uint32)
    rng = np.random.default_rng(1)
    rng.shuffle(table)
    x, y = (table[:, :-1] / np.float32(16)).astype(np.float32), np.ascontiguousarray(table[:, -1])
    train_x, train_y, test_x, test_y = x[HELD_OUT:], y[HELD_OUT:], x[:HELD_OUT], y[:HELD_OUT]
    first, second = Layer(64, HIDDEN, rng), Layer(HIDDEN, 10, rng)
    start = time.perf_counter()
    for epoch in hg.progress(range(epochs), "training"):
        rate = RATE * (1 - epoch / epochs)
        order = rng.permutation(len(train_x))
        for begin in range(0, len(order), BATCH):
            rows = order[begin : begin + BATCH]
            z = first.forward(train_x[rows])
            p = hg.ops.softmax(second.forward(hg.ops.relu(z)))
            subtract_labels[(1, len(rows)), (16, 1)](p, train_y[rows], 1 / len(rows))
            g = second.backward(p, rate)
            relu_back(z.reshape(-1), g.reshape(-1), z.size)
            first.backward(g, rate)
    seconds = time.perf_counter() - start
    scores = second.forward(hg.ops.relu(first.forward(test_x)))
    accuracy = float(np.mean(hg.ops.argmax(scores, axis=1) == test_y))
    print(f"engine: {hg.ops.path()}")
    print(f"{epochs} epochs of {len(train_x)} pictures in {seconds:.2f} s")
    print(f"accuracy on {HELD_OUT} held-out pictures: {accuracy:.4f} (goal {GOAL})")
    return 0 if accuracy >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
