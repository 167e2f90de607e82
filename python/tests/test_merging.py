"""Launches of a pipeline that become parts of others: which do, and that no bit depends on it."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

import hologram as hg  # noqa: E402
from hologram import ops  # noqa: E402
from hologram.lang import DeviceArray, f32, get_global_id, u32  # noqa: E402


def sample(*shape: int, seed: int = 1):
    return np.random.default_rng([seed, *shape]).standard_normal(shape, np.float32)


@hg.kernel
def halves(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        if x[i] > 0:
            out[i] = x[i] * 0.5
        else:
            out[i] = 0.0


def captured(function, x, *, fuse=True):
    with hg.capture("merged", fuse=fuse) as p:
        made = function(p.input("x", x))
        for k, y in enumerate(made if isinstance(made, tuple) else (made,)):
            p.output(f"y{k}", y)
    return p


def launches(pipeline):
    return re.findall(r"launch \d+  (\S+?)\(", pipeline.text)


def short(pipeline):
    """Names of launches without what all of them have."""
    return [name.replace("op_", "").replace("_f32", "") for name in launches(pipeline)]


def same(function, x, *others):
    """The pipeline, whose runs have the bits of the operations and of one with all launches."""
    merged, separate = captured(function, x), captured(function, x, fuse=False)
    for values in (x, *others):
        wanted, given, plain = (
            made if isinstance(made, tuple) else (made,)
            for made in (function(values), merged.run(values), separate.run(values))
        )
        for a, b, c in zip(wanted, given, plain, strict=True):
            assert np.asarray(a).tobytes() == b.tobytes() == c.tobytes()
    return merged


W1, B1, W2, B2 = sample(8, 16), sample(16), sample(16, 4, seed=2), sample(4)


def network(x):
    hidden = ops.relu(ops.add(ops.gemm(x, W1), B1))
    return ops.softmax(ops.add(ops.gemm(hidden, W2), B2))


def test_bias_and_activation_are_in_the_product():
    one = same(network, sample(1, 8), sample(1, 8, seed=3))
    assert short(one) == ["matvec_columns+add+relu", "matvec_columns+add", "softmax"]
    many = same(network, sample(12, 8), sample(12, 8, seed=3))
    assert short(many) == ["gemm+add_rows+relu", "gemm+add_rows", "softmax"]
    assert "2 temporaries of" in many.text


def test_chains_are_one_launch():
    def chain(x):
        return ops.relu(ops.sub(ops.mul(ops.add(ops.mul(x, 1.5), x), x), 0.25))

    x = sample(300)
    x[:4] = np.nan, -0.0, np.inf, -np.inf
    p = same(chain, x, sample(300, seed=2))
    assert len(launches(p)) == 1
    assert "0 temporaries of 0 bytes in 0" in p.text


def test_fuse_false_keeps_each_launch():
    p = captured(network, sample(12, 8), fuse=False)
    assert short(p) == ["gemm", "add_rows", "relu", "gemm", "add_rows", "softmax"]


def test_what_others_read_is_still_written():
    def both(x):
        y = ops.exp(x)
        return y, ops.add(y, 1.0), ops.sum(y, axis=1)

    p = same(both, sample(6, 7), sample(6, 7, seed=5))
    assert len(launches(p)) == 2


def test_two_ways_that_meet_again():
    def diamond(x):
        a = ops.tanh(x)
        return ops.add(ops.mul(a, a), ops.neg(a))

    p = same(diamond, sample(77), sample(77, seed=2))
    assert len(launches(p)) == 1


def test_rows_that_are_shared_by_planes_and_rows():
    def shared(x):
        y = ops.relu(x)
        y = ops.add(y, sample(5, 6))
        return ops.mul(ops.add(y, sample(6)), sample(5, 1))

    same(shared, sample(4, 5, 6), sample(4, 5, 6, seed=2))


def test_an_array_before_its_second_value_stays():
    def again(x):
        y = ops.neg(x)
        ops.exp(y, out=y)
        return ops.add(y, x)

    same(again, sample(40), sample(40, seed=2))


def test_a_result_that_a_later_launch_makes_is_not_read_early():
    def crossing(x):
        a = ops.gemm(x, sample(8, 8))
        b = ops.gemm(x, sample(8, 8, seed=2))
        c = ops.gemm(b, sample(8, 8, seed=3))
        return ops.add(ops.add(a, c), b)

    same(crossing, sample(9, 8), sample(9, 8, seed=2))


def test_elements_in_another_order_stay():
    def turned(x):
        return ops.neg(ops.copy(ops.exp(x).T))

    p = same(turned, sample(5, 8), sample(5, 8, seed=2))
    assert len(launches(p)) >= 2


def test_kernels_with_branches_may_be_the_first_part():
    x = sample(50)
    with hg.capture("first") as p:
        y = p.empty(50)
        given = p.input("x", x)
        halves(given, y, 50)
        p.output("y", ops.add(y, given))
    for values in (x, sample(50, seed=2)):
        assert (
            p.run(values).tobytes() == (np.maximum(values, 0) * np.float32(0.5) + values).tobytes()
        )
    assert launches(p) == ["halves+op_add_f32"]


def test_integers_that_may_be_divided_by_zero_stay():
    x = np.arange(1, 41, dtype=np.int32)

    def divided(x):
        return ops.div(ops.add(x, 3), x)

    p = same(divided, x)
    assert len(launches(p)) == 2
    with pytest.raises(hg.FaultError, match="division by zero"):
        p.run(np.zeros(40, np.int32))


def test_files_have_the_merged_launches(tmp_path):
    x = sample(12, 8)
    p = captured(network, x)
    trust = p.save(tmp_path / "network.holo")
    loaded = hg.load_pipeline(tmp_path / "network.holo", trust)
    assert launches(loaded) == launches(p)
    assert loaded.run(x).tobytes() == network(x).tobytes()
    again = captured(network, x)
    assert again.save(tmp_path / "again.holo") == trust


def test_without_the_plugin_launches_stay():
    program = (
        "import numpy as np, hologram as hg\n"
        "with hg.capture() as p:\n"
        "    p.output('y', hg.ops.neg(hg.ops.exp(p.input('x', np.ones(8, np.float32)))))\n"
        "print(p.text)\n"
    )
    environment = {**os.environ, "HOLOGRAM_JIT": "/nowhere/libhologram_jit.so"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert "launch 1" in done.stdout


UNARY = (ops.neg, ops.abs, ops.relu, ops.tanh, ops.exp, ops.sigmoid, ops.silu, ops.gelu, ops.floor)
BINARY = (ops.add, ops.sub, ops.mul, ops.maximum, ops.minimum, ops.div)


class Chain:
    """A function of an array, made of random operations on what it has so far."""

    def __init__(self, seed: int, dtype=np.float32) -> None:
        random = np.random.default_rng(seed)
        self.shape = tuple(int(n) for n in random.integers(1, 20, int(random.integers(1, 4))))
        self.dtype = dtype
        self.steps = []
        count = int(random.integers(2, 14))
        for k in range(count):
            kind = random.choice(["unary", "binary", "number", "row", "rows", "reduced"])
            self.steps.append((str(kind), random.integers(0, 1 << 30, 4).tolist(), k + 1))
        self.outputs = sorted({count, int(random.integers(1, count + 1))})

    def constant(self, seed: int, *shape: int):
        return sample(*shape, seed=seed % 1000).astype(self.dtype)

    def step(self, kind, numbers, arrays):
        x, y = arrays[-1 - numbers[0] % min(3, len(arrays))], arrays[numbers[1] % len(arrays)]
        if kind == "unary":
            return UNARY[numbers[2] % len(UNARY)](x)
        binary = BINARY[numbers[2] % len(BINARY)]
        if kind == "binary":
            return binary(x, y) if numbers[3] % 2 else binary(y, x)
        if kind == "number":
            return binary(x, float(numbers[3] % 7) - 3)
        if kind == "row":
            return binary(x, self.constant(numbers[3], self.shape[-1]))
        if kind == "rows":
            return binary(x, self.constant(numbers[3], *self.shape[-2:]))
        if len(self.shape) == 2 and numbers[3] % 3 == 0:
            return ops.gemm(x, self.constant(numbers[3], self.shape[1], self.shape[1]))
        if len(self.shape) == 2 and numbers[3] % 3 == 1:
            return ops.softmax(x)
        return ops.sub(x, ops.mean(x, axis=-1, keepdims=True))

    def __call__(self, x):
        arrays = [x]
        for kind, numbers, _ in self.steps:
            arrays.append(self.step(kind, numbers, arrays))
        return tuple(arrays[k] for k in self.outputs)


@pytest.mark.parametrize("seed", range(int(os.environ.get("HOLOGRAM_TEST_CHAINS", "24"))))
def test_random_chains_have_the_bits_of_their_operations(seed):
    chain = Chain(seed, np.float64 if seed % 5 == 4 else np.float32)
    x = np.random.default_rng(seed).standard_normal(chain.shape).astype(chain.dtype)
    special = x.copy()
    special.ravel()[:: 1 + seed % 7] = [np.nan, -0.0, np.inf, -np.inf, 1e-42][seed % 5]
    merged = same(chain, x, special, x * 3)
    assert len(launches(merged)) <= len(launches(captured(chain, x, fuse=False)))
