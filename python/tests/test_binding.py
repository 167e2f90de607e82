"""The Python module: kernels are compiled, called, checked, pickled. Needs the built module."""

from __future__ import annotations

import array
import gc
import os
import pickle
import resource
import subprocess
import sys
import threading
import warnings
import weakref
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

import binding_kernels as kernels  # noqa: E402, I001
import hologram as hg  # noqa: E402


def arrays(n: int = 100):
    a = np.arange(n, dtype=np.float32)
    return a, a * 2, np.zeros(n, np.float32)


def test_a_decorated_function_is_compiled_and_called() -> None:
    a, b, c = arrays()
    kernels.add(a, b, c, 100)
    assert np.array_equal(c, a + b)
    assert kernels.add.name == "add"
    assert kernels.add.parameters[3] == ("n", "scalar", "u32", "in")
    assert kernels.add.parameters[2] == ("c", "array", "f32", "out")
    assert len(kernels.add.id) == 64


def test_last_launch_says_what_ran_and_why() -> None:
    a, b, c = arrays()
    native = kernels.add.path.startswith("native")
    kernels.add(a, b, c, 100)
    engine = "cpu" if native else "interpreter"
    assert kernels.add.last_launch.engine == engine
    kernels.add.configure(backend="interpreter")(a, b, c, 100)
    last = kernels.add.last_launch
    assert last == ("interpreter", "the interpreter was asked for", 1, False, "")
    # Launches that run inline leave no record, but close that of an earlier one.
    kernels.add(a, b, c, 100)
    kernels.add(a, b, c, 100)
    assert kernels.add.last_launch.engine == engine
    with pytest.raises(hg.FaultError):
        kernels.add[1, 256](a, b, c, 101)
    last = kernels.add.last_launch
    assert (last.engine, last.threads, last.checked) == ("interpreter", 1, True)
    assert last.condition == "min(grid.x*block.x, n) (101) exceeds len(a) (100)"
    with pytest.raises(hg.ArgumentError):
        kernels.add[1, 2000](a, b, c, 100)
    last = kernels.add.last_launch
    assert last.engine == "" and "2000, the limit is 1024" in last.reason


def test_an_interpreted_kernel_warns_once_and_says_why() -> None:
    program = (
        "import warnings, hologram as hg, binding_kernels as k\n"
        "import array\n"
        "x = array.array('f', [1, 2])\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        "    k.scale(2.0, x, 2)\n"
        "    k.scale(2.0, x, 2)\n"
        "assert x[1] == 8, x\n"
        "assert [w.category for w in caught] == [hg.InterpretedWarning], caught\n"
        "assert str(caught[0].message).startswith(\"kernel 'scale' is interpreted: \"), caught\n"
        "assert k.scale.last_launch.reason in str(caught[0].message)\n"
        "assert (caught[0].filename, caught[0].lineno) == ('<string>', 6), caught[0]\n"
    )
    environment = {
        **os.environ,
        "HOLOGRAM_JIT": "/nowhere.so",
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path]),
    }
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def grid_warnings(calls: Callable[[], object]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        calls()
    return [str(warning.message) for warning in caught if warning.category is hg.GridWarning]


def test_a_grid_that_leaves_lanes_out_warns_once() -> None:
    bundle = hg.compile(Path(kernels.__file__))
    a, b, c = arrays()
    assert grid_warnings(lambda: bundle["add"][2, 64](a, b, c, 100)) == []
    bound = bundle["add"][3, 16]
    assert grid_warnings(lambda: [bound(a, b, c, 100) for _ in range(3)]) == [
        "the conditions of kernel 'add' admit lanes that this launch does not have; all of them: "
        "add[(7,1,1), (16,1,1)](...)"
    ]
    assert np.array_equal(c, a + b)
    # Another text is another warning, once.
    other = bundle["add"].configure(grid=1, block=32)
    assert grid_warnings(lambda: [other(a, b, c, 100) for _ in range(2)]) == [
        "the conditions of kernel 'add' admit lanes that this launch does not have; all of them: "
        "add[(4,1,1), (32,1,1)](...)"
    ]
    assert grid_warnings(lambda: bound(a, b, c, 100)) == []
    planes = bundle["add_matrices"]
    a = np.zeros((20, 3), np.float32)
    found = grid_warnings(lambda: planes[(1, 1), (8, 4)](a, a, a.copy()))
    assert [text.partition("all of them: ")[2] for text in found] == [
        "add_matrices[(1,5,1), (8,4,1)](...)"
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error", hg.GridWarning)
        with pytest.raises(hg.GridWarning):
            hg.compile(Path(kernels.__file__))["scale"][1, 32](2.0, b, 100)


def test_keywords_name_parameters() -> None:
    a, b, c = arrays()
    kernels.add(a, n=100, c=c, b=b)
    assert np.array_equal(c, a + b)


def test_arrays_of_two_dimensions_have_shapes_and_strides() -> None:
    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    c = np.zeros_like(a)
    add = kernels.add_matrices[(1, 3), (8, 1)]
    add(a, a, c)
    assert np.array_equal(c, a + a)
    c[:] = 0
    for wrap in (lambda x: x, Exporter):
        add(wrap(a[:, 1:]), wrap(a[:, :3]), wrap(c[:, 1:]))
        assert np.array_equal(c[:, 1:], a[:, 1:] + a[:, :3])
        assert not c[:, 0].any()
    add(a[:0], a[:0], c[:0])
    with pytest.raises(hg.ArgumentError, match="gaps in its last dimension"):
        add(a.T, a.T, c.T)
    with pytest.raises(hg.ArgumentError, match="strides that do not lead forward"):
        add(a[::-1], a, c)
    with pytest.raises(hg.ArgumentError, match="needs 2 dimensions; the argument has 1"):
        add(a.ravel(), a, c)
    with pytest.raises(hg.ArgumentError, match="has 5 dimensions"):
        add(a.reshape(1, 1, 1, 3, 4), a, c)
    c[:] = 7
    with pytest.raises(hg.FaultError, match="reads element 8 of 8"):
        add(a[:2], a, c)
    assert (c == 7).all()


@pytest.mark.parametrize("backend", ["interpreter", "auto"])
def test_arrays_of_two_dimensions_change_in_place(backend: str) -> None:
    memory = np.arange(15, dtype=np.float32).reshape(3, 5)
    c = memory[:, 1:]
    wanted = c + c
    add = kernels.add_matrices.configure(backend=backend)[(1, 3), (8, 1)]
    add(c, c, c)
    assert np.array_equal(c, wanted)
    assert memory[:, 0].tolist() == [0, 5, 10]
    flat = np.arange(12, dtype=np.float32)
    rows = flat.reshape(3, 4)
    # The same memory, elsewhere row by row.
    with pytest.raises(hg.ArgumentError, match="same memory with different shapes or strides"):
        add(flat.reshape(6, 2), rows, rows)
    assert flat.tolist() == list(range(12))


class Interrupts:
    """Neither a number nor an array: asked for either, it raises."""

    def __init__(self, error: type[BaseException]) -> None:
        self.error = error

    def __index__(self) -> int:
        raise self.error("asked")

    def __dlpack__(self, **_: object) -> object:
        raise self.error("asked")

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def test_what_an_argument_raises_goes_on() -> None:
    a, b, c = arrays()
    for error in (KeyboardInterrupt, MemoryError, RuntimeError):
        with pytest.raises(error, match="^asked$"):
            kernels.add(a, b, c, Interrupts(error))
        with pytest.raises(error, match="^asked$"):
            kernels.add(Interrupts(error), b, c, 100)
    with pytest.raises(hg.ArgumentError, match="'n' expects u32"):
        kernels.add(a, b, c, Interrupts(TypeError))
    with pytest.raises(hg.ArgumentError, match="'a' asked") as caught:
        kernels.add(Interrupts(ValueError), b, c, 100)
    assert isinstance(caught.value.__cause__, ValueError)


def test_options_of_a_launch() -> None:
    a, b, c = arrays(300_000)
    kernels.add.configure(threads=2)(a, b, c, a.size)
    assert np.array_equal(c, a + b)
    c[:] = 0
    pickle.loads(pickle.dumps(kernels.add.configure(threads=1, budget=5)))(a, b, c, a.size)
    assert np.array_equal(c, a + b)
    with pytest.raises(OverflowError, match="threads expects u32, found -1"):
        kernels.add.configure(threads=-1)
    with pytest.raises(OverflowError, match="budget expects u64"):
        kernels.add.configure(budget=2**70)
    with pytest.raises(hg.ArgumentError, match="threads: expected 0 to 1024, found 4096"):
        kernels.add.configure(threads=4096)(a, b, c, a.size)
    with pytest.raises(hg.ArgumentError, match="class_base: expected 0 to 95, found 96"):
        kernels.add.configure(class_base=96)(a, b, c, a.size)
    with pytest.raises(OverflowError, match="class_base expects u32"):
        kernels.add.configure(class_base=-1)
    c[:] = 0
    pickle.loads(pickle.dumps(kernels.add.configure(class_base=95)))(a, b, c, a.size)
    assert np.array_equal(c, a + b)
    with pytest.raises(ValueError, match="backend: expected"):
        kernels.add.configure(backend="abacus")
    # What it is told to run on, not what it could run on.
    assert kernels.add.configure(backend="interpreter").path == "interpreter"


def test_a_grid_is_given_in_brackets() -> None:
    a, b, c = arrays()
    kernels.add[1, 128](a, b, c, 100)
    assert np.array_equal(c, a + b)
    kernels.add[(2, 1, 1), (64,)](a, b, c, 99)
    with pytest.raises(TypeError, match=r"kernel\[grid, block\]"):
        kernels.add[1, 1, 1]
    with pytest.raises(ValueError, match="a size is 0"):
        kernels.add[1, 0]


def test_a_call_with_a_grid_is_run_and_refused_as_one_without() -> None:
    a, b, c = arrays()
    kernels.add(a, b, c, 100)
    without = kernels.add.last_launch
    kernels.add[1, 128](a, b, c, 100)
    assert kernels.add.last_launch == without
    before = kernels.add.counts
    with pytest.raises(hg.FaultError, match=r"reads element 100 of 100 \(i = 100\)"):
        kernels.add[1, 128](a, b, c, 101)
    with pytest.raises(hg.ArgumentError, match="array of f64"):
        kernels.add[1, 128](a.astype(np.float64), b, c, 1)
    assert kernels.add.counts == before
    kernels.add.configure()(a, b, c, 100)
    assert kernels.add.last_launch == without


@pytest.mark.parametrize("engine", ["auto", "interpreter"])
def test_engines_give_equal_bits(engine: str) -> None:
    x = np.linspace(-20, 20, 1001, dtype=np.float32)
    want, have = np.zeros_like(x), np.zeros_like(x)
    kernels.sigmoid_of(x, want, 1001)
    kernels.sigmoid_of.configure(backend=engine)(x, have, 1001)
    assert want.tobytes() == have.tobytes()


WRONG = [
    (lambda a, b, c: (a, b, c), TypeError, r"expects 4 arguments \(a, b, c, n\), found 3"),
    (lambda a, b, c: (a, b, c, 101), hg.FaultError, "reads element 100 of 100"),
    (lambda a, b, c: (a.astype(np.float64), b, c, 1), hg.ArgumentError, "array of f64"),
    (lambda a, b, c: (a.astype(">f4"), b, c, 1), hg.ArgumentError, "'a' has elements of format"),
    (lambda a, b, c: (a[::2], b, c, 50), hg.ArgumentError, "'a' is not C-contiguous"),
    (lambda a, b, c: ("text", b, c, 1), hg.ArgumentError, "'a' expects an array"),
    (lambda a, b, c: (a, b, c.tobytes(), 1), hg.ArgumentError, "'c' expects an array of f32"),
    (lambda a, b, c: (a, b, frozen(c), 1), hg.ArgumentError, "'c' is written, found a read-only"),
    (lambda a, b, c: (a, b, c, -1), hg.ArgumentError, "'n' expects u32, found -1"),
    (lambda a, b, c: (a, b, c, 2**32), hg.ArgumentError, "which does not fit"),
    (lambda a, b, c: (a, b, c, 10**30), hg.ArgumentError, "which does not fit"),
    (lambda a, b, c: (a, b, c, 2.5), hg.ArgumentError, "'n' expects u32, found 2.5"),
    (lambda a, b, c: (a, b, c, None), hg.ArgumentError, "'n' expects u32, found None"),
]


def frozen(x):
    x.flags.writeable = False
    return x


@pytest.mark.parametrize(("make", "error", "message"), WRONG)
def test_wrong_arguments_are_refused_and_nothing_is_written(make, error, message: str) -> None:
    a, b, c = arrays()
    c[:] = 7
    with pytest.raises(error, match=message):
        kernels.add(*make(a, b, c))
    assert (c == 7).all()


def test_errors_have_their_place() -> None:
    a, b, c = arrays()
    with pytest.raises(hg.Error) as caught:
        kernels.add(a, b, c, 101)
    assert caught.value.file.endswith("binding_kernels.py")
    line = Path(caught.value.file).read_text().splitlines()[caught.value.line - 1]
    assert line[caught.value.column - 1 :].startswith("a[i]")


def test_scalars_are_rounded_or_refused() -> None:
    x = np.ones(4, np.float32)
    kernels.scale(0.1, x, 4)
    assert x[0] == np.float32(0.1)
    kernels.scale(np.float64(2), x, np.int64(4))
    kernels.scale(2, x, np.uint8(4))
    kernels.scale(0.5, x, 4.0)
    kernels.scale(0.5, x, np.float64(4))
    assert x[0] == np.float32(0.1) * 2 * 2 / 4
    for wrong in (4.5, float("inf"), float("nan")):
        with pytest.raises(hg.ArgumentError, match="'n' expects u32, found"):
            kernels.scale(0.5, x, wrong)
    for wrong in (-4.0, 2.0**32):
        with pytest.raises(hg.ArgumentError, match="which does not fit"):
            kernels.scale(0.5, x, wrong)
    with pytest.raises(hg.ArgumentError, match="which does not fit"):
        kernels.scale(1e300, x, 4)
    kernels.scale(float("inf"), x, 4)
    assert np.isinf(x).all()


@pytest.mark.parametrize(
    "dtype",
    (
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16"),
        *("float32", "float64", "longlong", "ulonglong"),
    ),
)
def test_every_element_type_by_its_fields_and_by_the_buffer_protocol(dtype: str) -> None:
    copy = getattr(kernels, f"copy_{np.dtype(dtype).name}")
    x = np.array([1, 2, 3], dtype)
    for wrap in (lambda y: y, memoryview):
        y = np.zeros(3, dtype)
        copy(wrap(x), wrap(y), 3)
        assert np.array_equal(x, y)


def test_other_memory() -> None:
    a, b, c = (array.array("f", [1, 2, 3]) for _ in range(3))
    kernels.add(a, b, c, 3)
    assert list(c) == [2, 4, 6]
    flags = np.array([True, False, True])
    out = np.zeros(3, np.uint8)
    kernels.copy_uint8(flags, out, 3)
    assert list(out) == [1, 0, 1]
    square = np.ones((2, 3), np.float32)
    kernels.add(square, square, square, 6)
    assert (square == 2).all()


class Exporter:
    """Only DLPack, as a library without the buffer protocol has it."""

    def __init__(self, x) -> None:
        self.x = x

    def __dlpack__(self, **keywords):
        if keywords:
            raise TypeError("an old producer")
        return self.x.__dlpack__()

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


def test_dlpack() -> None:
    a, b, c = arrays()
    kernels.add(Exporter(a), Exporter(b), Exporter(c), 100)
    assert np.array_equal(c, a + b)
    with pytest.raises(hg.ArgumentError, match="not C-contiguous"):
        kernels.add(Exporter(a[::2]), b, c, 50)
    before = sys.getrefcount(a)
    for _ in range(10):
        kernels.add(Exporter(a), Exporter(b), Exporter(c), 100)
    assert sys.getrefcount(a) == before


def test_the_text_is_that_of_the_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib
    import os

    text = (
        "import hologram as hg\nfrom hologram.lang import *\n\n\n@hg.kernel\n"
        "def one(a: DeviceArray[f32]):\n    i = get_global_id()\n"
        "    if i < len(a):\n        a[i] = {}\n"
    )
    file = tmp_path / "edited_kernel.py"
    monkeypatch.syspath_prepend(tmp_path)
    a = np.zeros(2, np.float32)

    def write(value: str, second: int) -> None:
        file.write_text(text.format(value))
        os.utime(file, (second, second))  # editors take longer than tests

    write("1.0", 1_000_000_000)
    module = importlib.import_module("edited_kernel")
    write("2.5", 1_000_000_100)
    module.one(a)
    assert a.tolist() == [1, 1]
    importlib.reload(module).one(a)
    assert a.tolist() == [2.5, 2.5]


def test_files_are_compiled_saved_and_loaded(tmp_path: Path) -> None:
    compiled = hg.compile(kernels.__file__)
    assert "add" in list(compiled)
    trust = compiled.save(tmp_path / "k.holo")
    assert len(trust) == 64
    loaded = hg.load(tmp_path / "k.holo", expect=trust)
    a, b, c = arrays()
    loaded.add(a, b, c, 100)
    assert np.array_equal(c, a + b)
    assert loaded.add.id == kernels.add.id
    with pytest.raises(hg.BundleError):
        hg.load(tmp_path / "k.holo", expect="0" * 64)
    with pytest.raises(hg.ArgumentError, match="expected a trust hash"):
        hg.load(tmp_path / "k.holo", expect="")  # a variable that is not set is no permission
    with pytest.raises(hg.NotFoundError):
        _ = loaded["nothing"]
    with pytest.raises(AttributeError):
        _ = loaded.nothing
    data = bytearray((tmp_path / "k.holo").read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "k.holo").write_bytes(data)
    with pytest.raises(hg.Error):
        hg.load(tmp_path / "k.holo")
    with pytest.raises(OSError, match="missing"):
        hg.load(tmp_path / "missing.holo")


def test_bundles_are_saved_with_native_code(tmp_path: Path) -> None:
    compiled = hg.compile(kernels.__file__, entry="add")
    if not kernels.add.path.startswith("native"):  # no plugin
        with pytest.raises(hg.UnsupportedError, match="no compiler plugin"):
            compiled.save(tmp_path / "k.holo", native=("v3", "v4"))
        assert list(tmp_path.iterdir()) == []
        return
    trust = compiled.save(tmp_path / "k.holo", native=("v3", "v4"))
    assert trust != compiled.bundle.trust_hash
    assert trust == compiled.save(tmp_path / "all.holo", native="all")
    loaded = hg.load(tmp_path / "k.holo", expect=trust)
    a, b, c = arrays()
    loaded.add(a, b, c, 100)
    assert np.array_equal(c, a + b)
    assert loaded.add.path.startswith("native (")
    assert loaded.add.id == kernels.add.id
    # Without native code again it is the bundle that was compiled.
    assert loaded.save(tmp_path / "k.holo", native=()) == compiled.bundle.trust_hash
    one = compiled.bundle.with_native(["v3"])
    assert len(compiled.bundle.data) < len(one.data) < (tmp_path / "all.holo").stat().st_size
    for wrong in ("v5", ("v3", "v3"), ("",)):
        with pytest.raises(hg.ArgumentError, match="levels: expected none, v2, v3, v4 or aarch64"):
            compiled.save(tmp_path / "wrong.holo", native=wrong)
    assert not (tmp_path / "wrong.holo").exists()


def test_a_bundle_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    compiled = hg.compile(kernels.__file__, entry="add")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError):
        compiled.save(tmp_path / "folder")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        with pytest.raises(OSError):
            compiled.save(tmp_path / "k.holo")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_kernels_pickle() -> None:
    a, b, c = arrays()
    for kernel in (kernels.add, kernels.add[1, 128]):
        c[:] = 0
        pickle.loads(pickle.dumps(kernel))(a, b, c, 100)
        assert np.array_equal(c, a + b)


def test_standard_kernels_pickle_by_name(tmp_path: Path) -> None:
    a, b, c = arrays()
    pickle.loads(pickle.dumps(hg.kernels.vector_add))(a, b, c, 100)
    assert np.array_equal(c, a + b)
    assert len(pickle.dumps(hg.kernels.vector_add)) < 200
    hg.compile(kernels.__file__).save(tmp_path / "found.holo")
    executor = hg.Executor()
    executor.add_directory(tmp_path)
    with pytest.raises(TypeError, match="found by name"):
        pickle.dumps(executor.kernel("add"))


@pytest.mark.parametrize("extents", [(0, 5), (5, 0), (0, 0)])
def test_arrays_without_elements_have_any_strides(extents: tuple[int, int]) -> None:
    empty = np.zeros(extents, np.float32)
    kernels.add_matrices(empty, empty, empty)  # NumPy says that its strides are 0
    with pytest.raises(hg.ArgumentError):
        kernels.add_matrices(empty, empty, np.zeros((2, 2), np.float32)[::-1])


def test_names_of_kernels_may_be_locals_of_kernels() -> None:
    @hg.kernel
    def total(x: hg.DeviceArray[hg.f32], n: hg.u32):
        i = hg.get_global_id()
        if i < n:
            total = 2.0
            x[i] = total

    x = np.zeros(4, np.float32)
    total(x, 4)
    assert x.tolist() == [2.0] * 4


def test_compile_errors_name_the_line(tmp_path: Path) -> None:
    source = tmp_path / "bad.py"
    source.write_text(
        "from hologram.lang import DeviceArray, f32, get_global_id, u32\n\n\n"
        "def bad(a: DeviceArray[f32], n: u32):\n    i = get_global_id()\n    a[i] = b\n"
    )
    with pytest.raises(hg.CompileError) as caught:
        hg.compile(source)
    assert (caught.value.line, caught.value.column) == (6, 12)

    def nested(a: hg.DeviceArray[hg.f32], n):
        a[0] = 1.0

    with pytest.raises(hg.CompileError, match="parameter `n` has no type"):
        hg.compile(nested)


def test_kernels_run_before_they_are_compiled(tmp_path: Path) -> None:
    """Equal bits on the way; a process may end, and fork, while there is something to compile."""
    source = tmp_path / "kernels.py"
    source.write_text(
        "from hologram.lang import DeviceArray, f32, get_global_id, sin, u32\n"
        + "".join(
            f"def wave{k}(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):\n"
            f"    i = get_global_id()\n"
            f"    if i < n:\n"
            f"        y[i] = sin(x[i] * {k}.5)\n"
            for k in range(4)
        )
    )
    program = f"""
import os, sys
import numpy as np
import hologram as hg
kernels = hg.compile({str(source)!r}, tiered=True)
x = np.linspace(-9, 9, 500, dtype=np.float32)
first = [np.empty_like(x) for _ in range(4)]
for k in range(4):
    kernels[f"wave{{k}}"](x, first[k], 500)
child = os.fork()
for k in range(4):
    kernel = kernels[f"wave{{k}}"]
    kernel.wait()
    y = np.empty_like(x)
    kernel(x, y, 500)
    assert y.tobytes() == first[k].tobytes()
    os.write(1, kernel.path.split()[0].encode() + b"\\n")
if child:
    assert os.waitpid(child, 0)[1] == 0
more = hg.compile({str(source)!r}, constants={{}}, tiered=True)
more["wave1"](x, y, 500)
"""
    environment = {**os.environ, "HOLOGRAM_CACHE_DIR": ""}
    environment.pop("HOLOGRAM_TIERED", None)
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    paths = done.stdout.split()
    assert len(paths) == 8
    assert set(paths) == {kernels.add.path.split()[0]}


def test_kernels_can_be_collected() -> None:
    kernel = hg.compile(kernels.__file__)["add"]
    bundle = weakref.ref(hg.kernel(kernels.add.__wrapped__).__wrapped__)
    assert bundle() is not None
    launch = kernel[1, 128]
    del kernel
    gc.collect()
    a, b, c = arrays()
    launch(a, b, c, 100)
    assert np.array_equal(c, a + b)


def test_several_threads_may_call_one_kernel() -> None:
    n = 200_000  # large enough that the lock of the interpreter is let go
    failed = []

    def work() -> None:
        a, b, c = arrays(n)
        for _ in range(20):
            kernels.add(a, b, c, n)
            if not np.array_equal(c, a + b):
                failed.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_import_is_light() -> None:
    code = (
        "import sys, threading, hologram as hg; hg.kernel;"
        "assert 'numpy' not in sys.modules; assert threading.active_count() == 1;"
        "import os; assert len(os.listdir('/proc/self/task')) == 1"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_launches_leave_to_each_other() -> None:
    bundle = kernels.add.bundle
    before = bundle.phase
    bundle.advance_phase(770)
    assert bundle.phase == (before + 770) % 768
    bundle.add_resonance(5, Fraction(1, 3))
    bundle.add_resonance(5, Fraction(1, 6))
    assert bundle.resonance(5) == Fraction(1, 2)
    bundle.set_resonance(95, 4)
    assert bundle.resonance(95) == 4
    bundle.reset_resonance()
    assert bundle.resonance(95) == bundle.resonance(5) == 0
    bundle.write_class_memory(12288 * 7 + 3, b"seven")
    assert bundle.read_class_memory(12288 * 7, 8) == b"\0\0\0seven"
    for call, message in (
        (lambda: bundle.resonance(96), "expected a class below 96, found 96"),
        (lambda: bundle.read_class_memory(12280, 16), "class"),
        (lambda: bundle.read_class_memory(0, 10**12), "class"),
        (lambda: hg.mirror(96), "expected a class below 96, found 96"),
        (lambda: bundle.set_resonance(5, 0.5), "a Fraction or an int.* found 0.5"),
        (lambda: bundle.set_resonance(5, 2**63), "within 64 bits, found 9223372036854775808"),
        (lambda: bundle.add_resonance(5, Fraction(1, 2**64)), "within 64 bits, found Fraction"),
    ):
        with pytest.raises(hg.ArgumentError, match=message):
            call()


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(FileNotFoundError, match=r"none\.py"):
        hg.compile("none.py")


def test_the_graph_of_classes() -> None:
    for c in range(96):
        assert hg.mirror(hg.mirror(c)) == c != hg.mirror(c)
        assert len(hg.neighbours(c)) in (5, 6)
        assert all(c in hg.neighbours(other) for other in hg.neighbours(c))


def test_the_package_lists_its_names() -> None:
    assert {"kernel", "fuse", "kernels", "ops", "Error", "mirror"} <= set(dir(hg))
    assert all(getattr(hg, name) is not None for name in dir(hg) if not name.startswith("__"))
