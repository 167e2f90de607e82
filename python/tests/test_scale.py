"""Arrays at any address, kernels that travel, threads, reductions in parts, ufuncs."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import warnings

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

import hologram as hg  # noqa: E402
from hologram.lang import (  # noqa: E402
    DeviceArray,
    atomic_add,
    f32,
    f64,
    get_global_id,
    i32,
    u32,
)
from hologram.ops.arrays import dtype_of  # noqa: E402
from hologram.ops.table import TABLE  # noqa: E402

REDUCTIONS = "sum mean prod min max argmin argmax any all norm dot mse cross_entropy".split()
REDUCTIONS.append("binary_cross_entropy")


@hg.kernel
def scaled(a: f32, x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = a * x[i]


@hg.kernel
def counted(x: DeviceArray[u32], table: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n:
        atomic_add(table, x[i] % 4, 1)


@hg.kernel
def plus(x: DeviceArray[f32], y: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = x[i] + y[i]


@hg.kernel
def plus_f64(x: DeviceArray[f64], y: DeviceArray[f64], out: DeviceArray[f64], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = x[i] + y[i]


@hg.kernel
def length(x: DeviceArray[f32], y: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = (x[i] * x[i] + y[i] * y[i]) ** 0.5


@hg.kernel
def quotient(x: DeviceArray[i32], y: DeviceArray[i32], out: DeviceArray[i32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = x[i] // y[i]


@hg.kernel
def numbered(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = x[i] + f32(i)


@hg.kernel
def neighbours(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i > 0 and i < n:
        out[i] = x[i - 1]


def moved(x, distance: int):
    """The same elements, `distance` bytes behind an address of 64."""
    memory = np.zeros(x.nbytes + 128, np.uint8)
    first = -memory.ctypes.data % 64 + distance
    made = memory[first : first + x.nbytes].view(x.dtype).reshape(x.shape)
    made[...] = x
    return made


def same(a, b) -> bool:
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


# ---- Any address


@pytest.mark.parametrize("distance", [1, 2, 3, 33])
def test_arrays_at_any_address(distance: int) -> None:
    x = np.linspace(-3, 3, 1000, dtype="f4")
    u, out = moved(x, distance), moved(np.zeros(1000, "f4"), distance)
    scaled(2.0, u, out, 1000)
    assert same(out, 2 * x)
    for op in ("exp", "relu", "tanh", "softmax", "cumsum"):
        assert same(getattr(hg.ops, op)(u), getattr(hg.ops, op)(x)), op
    for op in ("sum", "mean", "min", "argmax", "norm"):
        assert same(getattr(hg.ops, op)(u), getattr(hg.ops, op)(x)), op
    assert same(hg.ops.dot(u, u), hg.ops.dot(x, x))
    assert same(hg.ops.add(u, u[::-1], out=out), x + x[::-1])
    assert same(hg.ops.cast(u, "f8"), x.astype("f8"))
    m, w = moved(x.reshape(20, 50), distance), x.reshape(20, 50)
    assert same(hg.ops.gemm(m, m.T), hg.ops.gemm(w, w.T))
    assert same(hg.ops.sum(m, axis=0), hg.ops.sum(w, axis=0))
    assert same(hg.ops.transpose(m), w.T)
    chain = hg.fuse(lambda a: hg.ops.relu(2.0 * a + 1.0) * a)
    assert same(chain(u), chain(x))
    assert same(hg.fuse(lambda a: hg.ops.sum(a * a))(u), hg.ops.sum(x * x))


@pytest.mark.parametrize("size", [1 << 20, 9 << 20])
def test_large_arrays_at_any_address(size: int) -> None:
    """On several threads; larger than the caches, where aligned arrays are streamed."""
    x = np.arange(size, dtype="f4")
    u, out = moved(x, 2), moved(np.zeros(size, "f4"), 3)
    scaled(2.0, u, out, size)
    assert same(out, 2 * x)
    assert same(hg.ops.add(u, x), x + x)


def test_atomics_need_aligned_arrays() -> None:
    table = moved(np.zeros(4, "u4"), 1)
    with pytest.raises(hg.ArgumentError, match=r"'table' is not aligned .* numpy.require"):
        counted(np.zeros(8, "u4"), table, 8)
    whole = np.zeros(4, "u4")
    counted(moved(np.arange(8, dtype="u4"), 1), whole, 8)
    assert whole.tolist() == [2, 2, 2, 2]


def test_arrays_that_were_broadcast_are_fused() -> None:
    x = np.arange(12, dtype="f4").reshape(3, 4)
    chain = hg.fuse(lambda a, b: a * b + 1.0)
    for other in (np.broadcast_to(np.float32(2), (3, 4)), np.broadcast_to(x[0], (3, 4))):
        assert same(chain(x, other), x * other + np.float32(1))
        assert same(chain(other, other), other * other + np.float32(1))
    total = hg.fuse(lambda a: hg.ops.sum(a * a))
    assert same(total(np.broadcast_to(np.float32(2), (3, 4))), np.float32(48))


def test_fused_reductions_of_many_elements() -> None:
    both = hg.fuse(lambda x, y: (hg.ops.sum(x * y), hg.ops.max(x + y)))
    random = np.random.default_rng(6)
    for size in (10, 5000, 4096, 70_001, 9000):
        x, y = random.random((2, size)).astype("f4")
        for _ in range(3):  # the first call of a kind goes another way
            total, most = both(x, y)
            assert same(total, hg.ops.sum(x * y))
            assert same(most, hg.ops.max(x + y))
        outs = np.empty((), "f4"), np.empty((), "f4")
        both(x, y, out=outs)
        assert same(outs[0], total)
    kept = hg.fuse(lambda x: hg.ops.sum(x * x, keepdims=True))
    m = random.random((90, 100))
    for _ in range(3):
        assert same(kept(m), np.full((1, 1), hg.ops.sum(m * m)))


# ---- Kernels that travel


def test_pickles_of_a_kernel_are_one_kernel() -> None:
    text = pickle.dumps(scaled)
    first = pickle.loads(text)
    assert all(pickle.loads(text) is first for _ in range(5))
    x, out = np.ones(5, "f4"), np.zeros(5, "f4")
    pickle.loads(pickle.dumps(first[1, 64]))(3.0, x, out, 5)
    assert out.tolist() == [3] * 5


def test_a_fused_function_is_pickled_as_what_it_traced() -> None:
    x = np.linspace(-1, 1, 9001, dtype="f4")
    chain = hg.fuse(lambda a, by=3.0: hg.ops.relu(a * by + 1))
    with pytest.raises(pickle.PicklingError, match="was not called yet"):
        pickle.dumps(chain)
    expected = chain(x), chain(x, 0.5)
    text = pickle.dumps(chain)
    again = pickle.loads(text)
    assert pickle.loads(text) is again
    assert same(again(x), expected[0])
    assert same(again(x, 0.5), expected[1])
    assert again.circuit(x) == chain.circuit(x)
    with pytest.raises(hg.ArgumentError, match="pickled without its function"):
        again(x.astype("f8"))
    total = hg.fuse(lambda a: hg.ops.sum(a * a))
    total(x[:10])
    for part in (x[:10], x):  # also rows that are cut, which it had not had
        assert same(pickle.loads(pickle.dumps(total))(part), total(part))
    rows = hg.fuse(lambda a, b: (a + b, a * b))
    m = x[:9000].reshape(9, 1000)
    for left, right in zip(rows(m, m[0]), pickle.loads(pickle.dumps(rows))(m, m[0]), strict=True):
        assert same(left, right)


def run(program: str, **variables: str) -> str:
    """What a new process prints. None of the user's variables for this library."""
    own = {k: v for k, v in os.environ.items() if not k.startswith(("HOLOGRAM", "OMP"))}
    own.update({"PYTHONPATH": os.environ.get("PYTHONPATH", ""), **variables})
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", program],
        env=own,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


LOAD = "import pickle, sys; k = pickle.loads(bytes.fromhex({!r})); print(k.path)"


def test_portable_kernels_need_no_compiler() -> None:
    if not scaled.path.startswith("native"):
        with pytest.raises(hg.UnsupportedError):
            scaled.portable()
        return
    made = scaled.portable(("v2", "v3"))
    text = pickle.dumps(made).hex()
    path = run(LOAD.format(text), HOLOGRAM_JIT="/nonexistent", HOLOGRAM_CACHE_DIR="")
    assert path.startswith("native (bundle, v")


def test_a_cache_that_others_can_write_is_left_aside(tmp_path) -> None:
    if not scaled.path.startswith("native"):
        pytest.skip("there is no compiler, and so no cache")
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(0o777)
    jit = os.environ.get("HOLOGRAM_JIT", "")
    text = run(
        LOAD.format(pickle.dumps(scaled).hex()), HOLOGRAM_CACHE_DIR=str(folder), HOLOGRAM_JIT=jit
    )
    assert text.startswith("native (jit")
    assert "can be written by others" in text
    assert "it is not used" in text
    assert not list(folder.iterdir())


def test_processes_compile_a_kernel_once(tmp_path) -> None:
    if not scaled.path.startswith("native"):
        pytest.skip("there is no compiler")
    variables = {"HOLOGRAM_CACHE_DIR": str(tmp_path / "new")}
    if "HOLOGRAM_JIT" in os.environ:
        variables["HOLOGRAM_JIT"] = os.environ["HOLOGRAM_JIT"]
    program = LOAD.format(pickle.dumps(scaled).hex())
    paths: list[str] = []
    workers = [
        threading.Thread(target=lambda: paths.append(run(program, **variables))) for _ in range(3)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(path[:11] for path in paths) == ["native (cac", "native (cac", "native (jit"]


# ---- Threads


def test_threads_of_the_process_and_of_a_thread() -> None:
    before = hg.get_threads()
    size = 4 << 20
    x, out = np.ones(size, "f4"), np.empty(size, "f4")
    try:
        hg.set_threads(2)
        assert hg.get_threads() == 2
        native = scaled.path.startswith("native")
        for limit, expected in ((None, 2), (1, 1)):
            if limit is None:
                scaled(2.0, x, out, size)
            else:
                with hg.threads(limit):
                    assert hg.get_threads() == 1
                    with hg.threads(5):
                        assert hg.get_threads() == 2
                    scaled(2.0, x, out, size)
            assert not native or scaled.last_launch.threads == expected
        assert hg.threads(1)(hg.get_threads)() == 1
        other: list[int] = []
        with hg.threads(1):
            thread = threading.Thread(target=lambda: other.append(hg.get_threads()))
            thread.start()
            thread.join()
        assert other == [2]
    finally:
        hg.set_threads(None)
    assert hg.get_threads() == before
    for wrong in (0, -1, 1025, True, 1.5, "2"):
        with pytest.raises(hg.ArgumentError, match="expected a number from 1 to 1024"):
            hg.threads(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"OMP_NUM_THREADS": "1"}, "1"),
        ({"OMP_NUM_THREADS": "5,2"}, "5"),
        ({"OMP_NUM_THREADS": "5", "HOLOGRAM_NUM_THREADS": "3"}, "3"),
    ],
)
def test_variables_of_threads(variables: dict[str, str], expected: str) -> None:
    assert run("import hologram as hg; print(hg.get_threads())", **variables).strip() == expected


# ---- Reductions in parts


def inputs(name: str, kind: str, size: int) -> list:
    random = np.random.default_rng(size)
    made = []
    for _ in TABLE[name].arrays:
        if kind == "bool":
            made.append(random.random(size) < 0.5)
        elif kind[0] == "f":
            x = random.uniform(0.99, 1.01, size) if name == "prod" else random.uniform(0, 1, size)
            if name in ("min", "max", "argmin", "argmax"):
                x = np.round(x * 40) / 40 * random.choice([-1, 1], size)
                x[random.random(size) < 0.01] = np.nan
            made.append(x.astype(dtype_of(kind)))
        else:
            made.append(random.integers(0, 100, size).astype(dtype_of(kind)))
    return made


@pytest.mark.parametrize("name", REDUCTIONS)
def test_parts_and_accumulators(name: str) -> None:
    """Chunks, and elements as they come, give the bits of the whole."""
    op = getattr(hg.ops, name)
    assert op.part == 4096
    for kind in TABLE[name].types:
        if kind == "bf16":
            continue
        for size in (1, 4095, 4097, 20_000):
            arrays = inputs(name, kind, size)
            whole = op(*arrays)
            for cut in (4096, 12_288):
                parts = [
                    op.parts(*(x[at : at + cut] for x in arrays)) for at in range(0, size, cut)
                ]
                found = op.finish(np.concatenate(parts), size, arrays[0].dtype)
                assert same(found, whole), (kind, size, cut)
            total = hg.Accumulator(name, kind)
            at, step = 0, 1
            while at < size:
                total.add(*(x[at : at + step] for x in arrays))
                at, step = at + step, step * 5 % 4801 + 700
                total = pickle.loads(pickle.dumps(total)) if step % 2 else total
            assert total.count == size
            assert same(total.result(), whole), (kind, size)


def test_more_parts_than_one_level_has() -> None:
    size = 4096 * 4096 + 70_000
    x = np.random.default_rng(3).standard_normal(size).astype("f4")
    total, most = hg.Accumulator(hg.ops.sum, np.float32), hg.Accumulator("argmax", "f32")
    for at in range(0, size, 3_000_001):
        total.add(x[at : at + 3_000_001])
        most.add(x[at : at + 3_000_001])
    assert same(total.result(), hg.ops.sum(x))
    assert most.result() == int(np.argmax(x))
    assert same(hg.ops.sum.finish(hg.ops.sum.parts(x), size), hg.ops.sum(x))


@pytest.mark.parametrize("shape", [(3000, 5), (2, 1300, 3), (4, 9000), (9000, 1)])
def test_parts_along_an_axis(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(4).standard_normal(shape).astype("f4")
    for axis in range(len(shape)):
        for name in ("sum", "mean", "max", "norm"):
            op = getattr(hg.ops, name)
            columns = int(np.prod(shape[axis + 1 :]))
            step = op.part if columns == 1 else op.column_part
            cuts = range(0, shape[axis], step)
            pieces = [
                np.ascontiguousarray(np.take(x, range(at, min(at + step, shape[axis])), axis))
                for at in cuts
            ]
            parts = np.concatenate([op.parts(piece, axis=axis) for piece in pieces], axis)
            assert same(op.finish(parts, shape[axis], axis=axis), op(x, axis=axis)), (name, axis)


def test_what_parts_refuse() -> None:
    x = np.ones(10_000, "f4")
    with pytest.raises(hg.ArgumentError, match="10000 elements have 3 parts, found 4"):
        hg.ops.sum.finish(np.zeros(4, "f4"), 10_000)
    with pytest.raises(hg.ArgumentError, match="'x' has gaps"):
        hg.ops.sum.parts(x[::2])
    with pytest.raises(hg.ArgumentError, match="expected 2 arrays, found 1"):
        hg.ops.dot.parts(x)
    with pytest.raises(hg.ArgumentError, match="of no elements there is no max"):
        hg.ops.max.finish(hg.ops.max.parts(x[:0]), 0)
    with pytest.raises(AttributeError, match="only reductions have it"):
        hg.ops.exp.parts  # noqa: B018
    with pytest.raises(hg.ArgumentError, match="expected a reduction"):
        hg.Accumulator("exp", "f32")
    with pytest.raises(hg.ArgumentError, match="elements of float64, expected float32"):
        hg.Accumulator("sum", "f32").add(x.astype("f8"))
    with pytest.raises(hg.ArgumentError, match="expected bytes of state"):
        hg.Accumulator.from_state(b"abc")
    assert hg.Accumulator("sum", "f32").result() == 0
    assert hg.ops.sum.finish(hg.ops.sum.parts(x[:0]), 0) == 0


# ---- Ufuncs


def test_kernels_as_ufuncs() -> None:
    add = hg.ufunc(plus, plus_f64, name="add", identity=0)
    assert isinstance(add, np.ufunc)
    assert add.types == ["ff->f", "dd->d"]
    x, y = np.random.default_rng(5).standard_normal((2, 5000)).astype("f4")
    assert same(add(x, y), x + y)
    assert same(add(x[::2], y[::-2]), x[::2] + y[::-2])
    assert same(add(x, 2), x + np.float32(2))
    assert same(add(3, 4), np.float64(7))
    assert same(add(x[:, None][:9], y[None, :11]), x[:, None][:9] + y[None, :11])
    assert same(add(moved(x, 1), y), x + y)
    assert same(add.accumulate(x), np.add.accumulate(x))
    assert same(add.outer(x[:9], y[:9]), np.add.outer(x[:9], y[:9]))
    assert add.reduce(np.zeros(0)) == 0
    out, mask = np.zeros(5000, "f4"), x > 0
    assert same(add(x, y, out=out, where=mask), np.where(mask, x + y, np.float32(0)))
    once, wanted = x.copy(), x.copy()
    add.at(once, [1, 1, 4], 1)
    np.add.at(wanted, [1, 1, 4], 1)
    assert same(once, wanted)
    x[1:] = add(x[1:], x[:-1])
    with np.errstate(all="raise"):
        big = hg.ufunc(length)(x * np.float32(1e30), y)
        assert np.isinf(big).any()
        hg.ufunc(length)(np.ones(77, "f4"), np.ones(77, "f4"))


def test_what_ufuncs_refuse() -> None:
    with pytest.raises(hg.ArgumentError, match=r"has the access x\[i - 1\]"):
        hg.ufunc(neighbours)
    with pytest.raises(hg.ArgumentError, match="'numbered' does more with its id than index"):
        hg.ufunc(numbered)
    with pytest.raises(hg.ArgumentError, match="'scaled' takes a: f32"):
        hg.ufunc(scaled)
    with pytest.raises(hg.ArgumentError, match="'quotient'.*and writes 1|reads"):
        hg.ufunc(plus, hg.ops.exp.ufunc and neighbours)
    divide = hg.ufunc(quotient)
    for y in (np.array([1, 0], "i4"), np.zeros((5, 700), "i4")[:, ::7]):
        with pytest.raises(hg.FaultError, match="division by zero"):
            divide(np.ones(y.shape, "i4"), y)
    assert same(divide(np.int32([7, 8]), np.int32([2, 3])), np.int32([3, 2]))


def test_ufuncs_of_operations() -> None:
    x = np.linspace(0.1, 2, 300, dtype="f4")
    assert same(hg.ops.exp.ufunc(x), hg.ops.exp(x))
    assert hg.ops.exp.ufunc is hg.ops.exp.ufunc
    assert same(hg.ops.add.ufunc(x, x), x + x)
    assert pickle.loads(pickle.dumps(hg.ops.log.ufunc)) is hg.ops.log.ufunc
    assert hg.ops.mul.ufunc.identity == 1
    with pytest.raises(AttributeError, match="has no 'ufunc'"):
        hg.ops.clip.ufunc  # noqa: B018

    class Applied:
        def __array_ufunc__(self, ufunc, method, *values, **options):
            return ufunc.__name__, method, options

    assert hg.ops.exp(Applied()) == ("exp", "__call__", {})
    assert hg.ops.add(x, Applied()) == ("add", "__call__", {})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert same(hg.ops.log.ufunc(np.float32([0, -1])), hg.ops.log(np.float32([0, -1])))
