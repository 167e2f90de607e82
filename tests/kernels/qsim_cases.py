"""Gates on state vectors."""

from __future__ import annotations

import numpy as np
from case import Case, Cases, Step, Within, covers
from inputs import ceil_div, random

MATRIX, REAL, DIAGONAL, OUTSIDE, EXCHANGE = range(5)


def sums(steps: list[int]) -> np.ndarray:
    """The sum of the steps at the bits of k that are 1, for each k."""
    made = np.zeros(1, np.uint32)
    for step in steps:
        made = np.concatenate([made, made + np.uint32(step)])
    return made


def applied(state: np.ndarray, m: np.ndarray, target: int, controls: int) -> np.ndarray:
    """A 2 x 2 matrix on the bit `target`, where all bits of `controls` are 1."""
    k = np.arange(len(state))
    ones = (k >> target & 1).astype(bool)
    other = state[k ^ (1 << target)]
    new = np.where(ones, m[1, 0] * other + m[1, 1] * state, m[0, 0] * state + m[0, 1] * other)
    return np.where(k & controls == controls, new, state)


def matrix_of(kind: int, draw: np.random.Generator) -> np.ndarray:
    if kind == EXCHANGE:
        return np.array([[0, 1], [1, 0]], complex)
    m = np.linalg.qr(draw.normal(size=(2, 2)) + (kind != REAL) * 1j * draw.normal(size=(2, 2)))[0]
    if kind in (DIAGONAL, OUTSIDE):
        m = np.diag(np.exp(1j * draw.uniform(0, 6, 2)))
        if draw.integers(2):
            m[0, 0] = 1
    return m


@covers("qsim/state_vector")
def state_vector() -> Cases:
    for real, bound in ((np.float32, 2e-6), (np.float64, 1e-14)):
        suffix = "_f32" if real == np.float32 else "_f64"
        for n, tile, count in ((1, 1, 3), (3, 2, 9), (6, 3, 20), (9, 6, 30), (11, 10, 12)):
            draw = random(n, count, suffix)
            place = draw.permutation(n).tolist()
            inside, outside = place[:tile], place[tile:]
            lanes = 2 ** len(outside)
            state = draw.normal(size=2**n) + 1j * draw.normal(size=2**n)
            state /= np.linalg.norm(state)
            src = np.concatenate([state.real, state.imag]).astype(real)
            expected = state.copy()
            words, matrices = [], []
            for _ in range(count):
                kind = int(draw.integers(5 if outside else 3))
                kind = EXCHANGE if kind == OUTSIDE and not outside else kind
                m = matrix_of(kind, draw)
                at = int(draw.integers(len(outside) if kind == OUTSIDE else tile))
                near = int(draw.integers(2**tile)) & int(draw.integers(2**tile))
                near &= ~(1 << at) if kind != OUTSIDE else -1
                far = int(draw.integers(lanes)) & int(draw.integers(lanes))
                if kind == OUTSIDE:
                    far &= ~(1 << at)
                words.append((kind, at, near, far))
                matrices.append([part for entry in m.ravel() for part in (entry.real, entry.imag)])
                controls = sum(1 << q for b, q in enumerate(inside) if near >> b & 1)
                controls |= sum(1 << q for b, q in enumerate(outside) if far >> b & 1)
                target = outside[at] if kind == OUTSIDE else inside[at]
                expected = applied(expected, m, target, controls)
            offsets, spread = sums([1 << q for q in inside]), [1 << q for q in outside]
            moved = expected[offsets[:, None] + sums(spread)[None, :]]
            low = n // 2
            steps = [1 << (outside + inside).index(q) for q in range(n)]
            arrays = {
                "src": src, "dst": np.zeros(2 * 2**n, real), "offsets": offsets,
                "spread": np.array(spread, np.uint32),
                "gates": np.array(words, np.uint32).ravel(),
                "matrices": np.array(matrices).ravel().astype(real),
                "whole": np.concatenate([moved.real.ravel(), moved.imag.ravel()]).astype(real),
                "high": sums(steps[low:]), "low": sums(steps[:low]),
                "out": np.zeros(2 * 2**n, real),
            }  # fmt: skip
            block = min(lanes, 8)
            joined = np.stack([expected.real, expected.imag], axis=1)
            yield Case(
                arrays,
                {"lanes": lanes, "n": 2**n},
                [
                    Step("gate_pass" + suffix, (ceil_div(lanes, block),), (block,)),
                    Step("gate_join" + suffix, (ceil_div(2**n, 64),), (64,), {"src": "whole"}),
                ],
                {
                    "dst": Within(np.stack([moved.real, moved.imag]).ravel(), count * bound),
                    "out": Within(joined.ravel(), bound),
                },
            )
