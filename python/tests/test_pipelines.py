"""hologram.capture: the bits of the launches themselves, files, and what is refused."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

import hologram as hg  # noqa: E402
from hologram import ops  # noqa: E402
from hologram.lang import DeviceArray, f32, get_global_id, u32  # noqa: E402

EXAMPLES = Path(__file__).parents[2] / "examples" / "python"


def sample(*shape: int, seed: int = 1):
    return np.random.default_rng([seed, *shape]).standard_normal(shape, np.float32)


@hg.kernel
def scale(a: f32, x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = a * x[i]


@hg.kernel
def turn(x: DeviceArray[f32, 2], out: DeviceArray[f32, 2]):
    j = get_global_id(0)
    i = get_global_id(1)
    if i < x.shape[0] and j < x.shape[1]:
        out[j, i] = x[i, j]


@hg.fuse
def bend(x, y):
    return x * 2 + y


def layers(x):
    hidden = ops.relu(ops.add(ops.gemm(x, sample(8, 16)), sample(16)))
    return ops.softmax(ops.gemm(hidden, sample(16, 4, seed=2)))


FUNCTIONS = {
    "layers": layers,
    "numbers": lambda x: ops.add(ops.mul(x, 3.0), 0.5),
    "views": lambda x: ops.add(ops.copy(x.reshape(8, 5)), ops.copy(x[1:, ::2].T)[3:, :1]),
    "mean": lambda x: ops.sub(x, ops.mean(x, axis=0)),
    "mean of all": lambda x: ops.mul(x, ops.mean(x)),
    "norm": lambda x: ops.div(x, ops.norm(x, axis=1, keepdims=True)),
    "one norm": lambda x: ops.norm(x),
    "sums": lambda x: ops.sum(ops.cumsum(x, axis=1), axis=1),
    "indices": lambda x: ops.argmax(x, axis=1),
    "any": lambda x: ops.where(ops.any(x, axis=1, keepdims=True), ops.exp(x), 0.0),
    "layer norm": lambda x: ops.layer_norm(x, sample(8), sample(8, seed=3)),
    "types": lambda x: ops.sum(ops.cast(x, np.float64), axis=0),
    "in place": lambda x: ops.exp(y := ops.neg(x), out=y),
    "fused": lambda x: bend(ops.neg(x), x),
    "losses": lambda x: ops.mse(x, sample(5, 8, seed=4)),
    "matvec": lambda x: ops.matvec(x, sample(8)),
    "products of views": lambda x: ops.gemm(x.T, x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_operations_give_their_bits(name):
    function = FUNCTIONS[name]
    with hg.capture(name) as p:
        p.output("y", function(p.input("x", sample(5, 8))))
    for seed in (1, 2, 3):
        x = sample(5, 8, seed=seed)
        expected = function(x)
        found = p.run(x)
        assert found.dtype == expected.dtype
        assert found.shape == expected.shape
        assert found.tobytes() == expected.tobytes()


def test_kernels_write_arrays_of_the_capture():
    with hg.capture("kernels") as p:
        x = p.input("x", sample(3, 4))
        scaled = p.empty((3, 4))
        turned = p.empty((4, 3))
        scale(2.0, x.reshape(-1), scaled.reshape(-1), 12)
        turn[(1, 1), (4, 4)](scaled, turned)
        p.output("turned", turned)
    x = sample(3, 4, seed=5)
    assert (p.run(x) == (2 * x).T).all()


def test_several_inputs_and_outputs():
    with hg.capture("two") as p:
        a, b = p.input("a", sample(4)), p.input("b", sample(4, seed=2))
        p.output("sum", ops.add(a, b))
        p.output("product", ops.mul(a, b))
    assert p.inputs == {"a": ("f32", (4,)), "b": ("f32", (4,))}
    assert p.outputs == {"sum": ("f32", (4,)), "product": ("f32", (4,))}
    a, b = sample(4, seed=3), sample(4, seed=4)
    total, product = p.run(b=b, a=a)
    assert (total == a + b).all()
    assert (product == a * b).all()
    out = np.empty(4, np.float32), np.empty(4, np.float32)
    assert p.run(a, b, out=out) is out
    assert (out[1] == a * b).all()
    assert (p(memoryview(a), b)[0] == a + b).all()


def test_files(tmp_path):
    with hg.capture("digits") as p:
        p.output("y", layers(p.input("x", sample(5, 8))))
    path = tmp_path / "p.holo"
    trust_hash = p.save(path, native=())
    x = sample(5, 8, seed=9)
    for loaded in (hg.load_pipeline(path), hg.load_pipeline(path, trust_hash)):
        assert loaded.name == "digits"
        assert loaded.text == p.text
        assert loaded.run(x).tobytes() == layers(x).tobytes()
    # The kernels are a bundle as any other.
    assert "op_softmax_f32" in list(hg.load(path))
    data = path.read_bytes()
    for size in range(0, len(data), 97):
        path.write_bytes(data[:size])
        with pytest.raises(hg.Error):
            hg.load_pipeline(path)
    place = data.index(b"HGPL") + 20
    path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
    with pytest.raises(hg.BundleError, match="pipeline.*does not match its hash"):
        hg.load_pipeline(path)
    path.write_bytes(b"no bundle")
    with pytest.raises(hg.BundleError):
        hg.load_pipeline(path)


def test_a_file_without_a_pipeline(tmp_path):
    path = tmp_path / "k.holo"
    source = tmp_path / "k.py"
    source.write_text(
        "from hologram.lang import *\n"
        "def one(x: DeviceArray[f32], n: u32):\n    i = get_global_id()\n"
        "    if i < n:\n        x[i] = 1.0\n"
    )
    hg.compile(str(source)).save(path)
    with pytest.raises(hg.NotFoundError, match="the bundle has no pipeline"):
        hg.load_pipeline(path)


def test_shapes_are_conditions():
    with hg.capture("p") as p:
        p.output("y", ops.exp(p.input("x", sample(5, 8))))
    with pytest.raises(hg.ArgumentError, match=r"p: 'x' has the shape \(4, 8\), expected \(5, 8\)"):
        p.run(sample(4, 8))
    with pytest.raises(hg.ArgumentError, match=r"'x' has the shape \(40,\), expected \(5, 8\)"):
        p.run(memoryview(sample(40)))
    with pytest.raises(hg.ArgumentError, match="'x' expects a buffer of f32"):
        p.run(sample(5, 8).astype(np.float64))
    with pytest.raises(hg.ArgumentError, match="'x' has gaps"):
        p.run(sample(8, 5).T)
    with pytest.raises(hg.ArgumentError, match="'x' is missing"):
        p.run()
    with pytest.raises(hg.ArgumentError, match="expected 1 inputs, found 2"):
        p.run(sample(5, 8), sample(5, 8))
    with pytest.raises(TypeError, match="there is no input 'z'"):
        p.run(z=sample(5, 8))
    with pytest.raises(hg.ArgumentError, match="'y' has the shape"):
        p.run(sample(5, 8), out=sample(8, 5))
    fixed = sample(5, 8)
    fixed.setflags(write=False)
    with pytest.raises(hg.ArgumentError, match="'y' is written, found a read-only array"):
        p.run(sample(5, 8), out=fixed)
    x = sample(5, 8)
    with pytest.raises(hg.ArgumentError, match="'y' overlaps 'x'"):
        p.run(x, out=x)
    for wrong in (None, 3, "x"):
        with pytest.raises(hg.ArgumentError, match="'x' expects an array"):
            p.run(wrong)


REFUSED = {
    "ufunc": lambda x, p: x + 1,
    "on the left": lambda x, p: np.ones(8, np.float32) * x,
    "function": lambda x, p: np.concatenate([x, x]),
    "method": lambda x, p: x.sum(),
    "copy": lambda x, p: x.copy(),
    "copying reshape": lambda x, p: x.T.reshape(-1),
    "number": lambda x, p: float(x[0, 0]),
    "element": lambda x, p: x[0, 0],
    "picked": lambda x, p: x[[0, 1]],
    "loop": lambda x, p: list(x),
    "condition": lambda x, p: bool(x),
    "store": lambda x, p: ops.exp(x).__setitem__(0, 1),
    "in place": lambda x, p: ops.add(x, 1.0, out=x),
    "out": lambda x, p: ops.add(x, 1.0, out=sample(5, 8)),
    "unwritten": lambda x, p: ops.exp(p.empty(4)),
    "output that is an input": lambda x, p: p.output("y", x),
    "part": lambda x, p: p.output("y", ops.exp(x)[:2]),
    "gaps": lambda x, p: p.output("y", ops.exp(x).T),
    "same name": lambda x, p: p.output("x", ops.exp(x)),
    "no name": lambda x, p: p.output("", ops.exp(x)),
    "nested": lambda x, p: hg.capture("inner").__enter__(),
    "again": lambda x, p: p.__enter__(),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_run_would_repeat_is_refused(name):
    with pytest.raises(hg.ArgumentError), hg.capture() as p:
        REFUSED[name](p.input("x", sample(5, 8)), p)
    # Nothing is left of it.
    with hg.capture() as p:
        p.output("y", ops.exp(p.input("x", sample(5, 8))))
    assert p.run(sample(5, 8)).tobytes() == ops.exp(sample(5, 8)).tobytes()


def test_changes_in_place_are_found():
    found = pytest.raises(hg.ArgumentError, match="changed by something else than a launch")
    with found, hg.capture() as p:
        y = ops.exp(p.input("x", sample(5, 8)))
        np.asarray(y)[0, 0] = 7
        ops.exp(y)


def test_nothing_to_run():
    with pytest.raises(hg.ArgumentError, match="nothing was launched"), hg.capture():
        pass
    with pytest.raises(hg.ArgumentError, match="there is no output"), hg.capture() as p:
        ops.exp(p.input("x", sample(5, 8)))
    with pytest.raises(hg.ArgumentError, match="does not record"):
        hg.capture().input("x", sample(4))
    with pytest.raises(hg.ArgumentError, match="expected a name"), hg.capture("a\n"):
        pass


def test_an_error_in_the_block_ends_the_capture():
    with pytest.raises(KeyError), hg.capture() as p:
        ops.exp(p.input("x", sample(4)))
        raise KeyError
    assert ops.exp(sample(4)).tobytes() == ops.exp(sample(4)).tobytes()
    with pytest.raises(AttributeError):
        p.run(sample(4))


def test_constants_are_copies():
    weights = sample(8, 3)
    with hg.capture() as p:
        p.output("y", ops.gemm(p.input("x", sample(5, 8)), weights))
    expected = ops.gemm(sample(5, 8), weights)
    weights[:] = 0
    assert p.run(sample(5, 8)).tobytes() == expected.tobytes()


def test_threads():
    with hg.capture(fuse=False) as p:
        x = p.input("x", sample(64, 8))
        thread = threading.Thread(target=lambda: ops.exp(sample(9)))
        thread.start()
        thread.join()
        p.output("y", ops.relu(ops.gemm(x, sample(8, 8))))
    assert p.text.count("launch") == 2
    expected = p.run(sample(64, 8)).tobytes()
    wrong = []

    def work():
        for _ in range(100):
            if p.run(sample(64, 8)).tobytes() != expected:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def launches() -> int:
    return sum(hg.metrics().launches.values())


def test_launches_are_counted():
    with hg.capture(fuse=False) as p:
        p.output("y", ops.neg(ops.exp(p.input("x", sample(4)))))
    before = launches()
    p.run(sample(4))
    assert launches() - before == 2
    with pytest.raises(hg.UnsupportedError, match="is run in a capture"), hg.capture() as outer:
        p.run(sample(4))
        outer.output("y", ops.exp(sample(4)))


# It saves native code.
@pytest.mark.skipif(os.environ.get("HOLOGRAM_JIT") == "/nonexistent", reason="no compiler plugin")
@pytest.mark.parametrize("batch", [1, 64])
def test_example(batch):
    command = [sys.executable, str(EXAMPLES / "pipeline.py"), str(batch)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "+op_relu_f32" in done.stdout
    assert "launch 2  op_softmax_f32" in done.stdout
