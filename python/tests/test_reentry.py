"""Arguments whose conversion runs code of the caller, which resizes or replaces the memory of other
arguments: a launch reads every address after all such code has run, or is refused. The arrays are
large, so that what is read or written too late is a fault of the process. Needs the built
module."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import inspect
import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

import binding_kernels as kernels  # noqa: E402, I001
import hologram as hg  # noqa: E402

LARGE = 9 << 20  # elements of 4 bytes: more than what malloc keeps when it is freed

REFUSED = (hg.FaultError, hg.ArgumentError)


def shrink(array) -> None:
    array.resize(1, refcheck=False)


def replace(array) -> None:
    """Gives an array other memory, with other elements, and the old memory back to the system."""
    shape, size = array.shape, array.nbytes
    array.__setstate__((1, (1,), array.dtype, False, array.itemsize * b"\0"))
    taken = np.empty(size, np.uint8)  # or the new memory would be where the old was
    array.__setstate__((1, shape, array.dtype, False, size * b"\0"))
    del taken


class Number:
    """Runs code when it is converted."""

    def __init__(self, value: float, action) -> None:
        self.value = value
        self.action = action

    def __index__(self) -> int:
        self.action()
        return int(self.value)

    def __float__(self) -> float:
        self.action()
        return float(self.value)


class IntWithFloat(int):
    """Converted to a float it runs code, although it is an int."""

    def __float__(self) -> float:
        self.action()
        return 2.0


class Exporter:
    """An array by DLPack that runs code when it is asked for."""

    def __init__(self, array, action) -> None:
        self.array = array
        self.action = action

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __dlpack__(self, **options: object) -> object:
        self.action()
        return self.array.__dlpack__()


class Derived(np.ndarray):
    """An array that runs code when its type of elements is asked for."""

    action = staticmethod(lambda: None)

    @property
    def dtype(self):  # type: ignore[override]
        self.action()
        return np.ndarray.dtype.__get__(self)


def test_scalars_are_converted_before_arrays_are_read() -> None:
    for give in (
        lambda a, b, c, n: kernels.add(a, b, c, n),
        lambda a, b, c, n: kernels.add(c=c, n=n, a=a, b=b),
        lambda a, b, c, n: kernels.add[LARGE // 256, 256](a, b, c, n),
    ):
        for victim in range(3):
            arrays = [np.ones(LARGE, np.float32) for _ in range(3)]
            with pytest.raises(REFUSED):  # n elements of an array of 1
                give(*arrays, Number(LARGE, lambda: shrink(arrays[victim])))  # noqa: B023
    x = np.ones(LARGE, np.float32)
    with pytest.raises(REFUSED):
        kernels.scale(Number(2.0, lambda: shrink(x)), x, LARGE)
    # Larger, it moves: the results are in the new memory.
    x = np.ones(1000, np.float32)
    kernels.scale(Number(2.0, lambda: x.resize(LARGE, refcheck=False)), x, 1000)
    assert x[:1000].tolist() == [2.0] * 1000


def test_options_of_a_launch_are_converted_before_arrays_are_read() -> None:
    x = np.ones(LARGE, np.float32)
    action = lambda: shrink(x)  # noqa: E731
    for run in (
        lambda: kernels.scale[Number(LARGE // 256, action), 256](2.0, x, LARGE),
        lambda: kernels.scale.configure(threads=Number(1, action))(2.0, x, LARGE),
        lambda: kernels.scale.configure(grid=(Number(LARGE // 256, action),))(2.0, x, LARGE),
    ):
        with pytest.raises(REFUSED):
            run()
        x.resize(LARGE, refcheck=False)


@pytest.mark.parametrize("kind", [Exporter, Derived])
def test_arrays_are_where_they_are_after_the_last_one_was_read(kind: type) -> None:
    def other(array, action):
        if kind is Exporter:
            return Exporter(array, action)
        # Not contiguous, so that the buffer protocol is asked, or with elements of another kind.
        derived = array.view(Derived)
        derived.action = action
        return derived

    for place in range(3):
        for victim in range(3):
            if victim == place:
                continue
            arrays = [np.ones(LARGE, np.float32) for _ in range(3)]
            given = list(arrays)
            given[place] = other(arrays[place], lambda: shrink(arrays[victim]))  # noqa: B023
            names = "abc"
            try:
                kernels.add(*given, LARGE)
            except (hg.ArgumentError, hg.FaultError) as error:
                assert names[victim] in str(error)
            else:
                # The array was read by its fields, which asks for nothing.
                assert kind is Derived and arrays[victim].size == LARGE


def test_arrays_of_two_dimensions_are_where_they_were() -> None:
    def grow(array) -> None:
        array.resize(4096, 4096, refcheck=False)

    for victim in (0, 2):
        arrays = [np.ones((1024, 1024), np.float32) for _ in range(3)]
        given = list(arrays)
        given[1] = Exporter(arrays[1], lambda: arrays[victim].resize(1, refcheck=False))  # noqa: B023
        run = kernels.add_matrices[(4, 1024), (256, 1)]
        if victim == 0:
            with pytest.raises(hg.ArgumentError, match="'a' was moved or resized"):
                run(*given)
        else:
            with pytest.raises(hg.ArgumentError, match="'c' expects|'c' has|needs 2 dimensions"):
                run(*given)
    array = np.ones((64, 64), np.float32)
    given = [array, Exporter(np.ones((64, 64), np.float32), lambda: grow(array)), array]
    with pytest.raises(hg.ArgumentError, match="'a' was moved or resized"):
        kernels.add_matrices[(4, 64), (16, 1)](*given)


@pytest.mark.parametrize("change", [shrink, replace])
@pytest.mark.parametrize("derived", [False, True])
def test_scalars_of_operations(change, derived: bool) -> None:
    number = _derived if derived else Number
    x = np.ones(LARGE, np.float32)
    out = np.empty_like(x)

    def action() -> None:
        change(x)

    for call in (
        lambda: hg.ops.clip(x, number(0, action), 1.0, out),
        lambda: hg.ops.clip(x, 0.0, number(1, action), out=out),
        lambda: hg.ops.scalar_mul(x, number(2, action), out),
        lambda: hg.ops.fill(x, number(2, action)),
        lambda: hg.ops.mul(x, number(2, action), out),
    ):
        with contextlib.suppress(hg.ArgumentError):
            call()
        x.resize(LARGE, refcheck=False)


def _derived(value: float, action) -> IntWithFloat:
    number = IntWithFloat(value)
    number.action = action
    return number


def test_operations_read_arrays_after_a_kernel_was_looked_for() -> None:
    # The first call of an operation for a type looks for its kernel, in Python.
    script = """
        import numpy as np
        import hologram as hg
        from hologram import library

        victims = []
        find = library.kernel

        def kernel(name):
            found = find(name)
            for array in victims:
                replace(array)
            return found

        library.kernel = kernel
        LARGE = 9 << 20

        def large(dtype="f4"):
            return np.ones(LARGE, dtype)

        def run(call):
            try:
                call()
            except hg.Error as error:
                print(type(error).__name__)
            else:
                print("ran")

        for victim in range(3):
            for dtype in ("f4", "f8", "i4"):
                given = [large(dtype) for _ in range(3)]
                victims[:] = [given[victim]]
                name = ("add", "minimum", "maximum")[victim]
                run(lambda: getattr(hg.ops, name)(*given))
        x = large()
        victims[:] = [x]
        run(lambda: hg.ops.sum(x))
        x = large("f8")
        victims[:] = [x]
        run(lambda: hg.ops.mean(x))
        x, y = large(), large()
        victims[:] = [y]
        run(lambda: hg.ops.dot(x, y))
        x = large()
        victims[:] = [x]
        run(lambda: hg.ops.argmax(x))
        x, out = large(), large()
        victims[:] = [out]
        run(lambda: hg.ops.softmax(x, out=out))
        x = large()
        victims[:] = [x]
        run(lambda: hg.ops.cumsum(x))
        x = large()
        victims[:] = [x]
        run(lambda: hg.ops.fill(x, 3.0))
        x, out = large(), large("i4")
        victims[:] = [x]
        run(lambda: hg.ops.cast(x, np.int32, out=out))
        print("alive")
    """
    done = subprocess.run(
        [sys.executable, "-c", inspect.getsource(replace) + textwrap.dedent(script)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    assert done.stdout.endswith("alive\n")


def test_buffers_are_read_after_their_arguments() -> None:
    executor = hg.Executor()
    buffer = executor.allocate(1000, "f32")
    values = np.ones(1000, np.float32)
    buffer.copy_from_slice(Exporter(values, lambda: None))
    assert buffer.to_vec() == [1.0] * 1000
    with pytest.raises(hg.ArgumentError, match="expected 1000 elements"):
        buffer.copy_from_slice(Exporter(values, lambda: shrink(values)))
    buffer.fill(Number(3.0, gc.collect))
    assert buffer.to_vec() == [3.0] * 1000


def test_what_is_held_stays() -> None:
    # The buffer protocol's own exporters refuse to be resized while a launch uses them.
    data = bytearray(4 * LARGE)
    view = memoryview(data).cast("f")

    def act() -> None:
        with pytest.raises(BufferError):
            data.extend(b"1234")

    x = np.ones(LARGE, np.float32)
    kernels.add(view, Exporter(x, act), np.empty_like(x), LARGE)
    raw = (ctypes.c_float * 1000)()
    kernels.scale(Number(2.0, gc.collect), raw, 1000)


def test_a_buffer_without_strides() -> None:
    x = np.ones((2, 3), np.float32)
    for scalar in (np.timedelta64(3), np.datetime64(3, "s")):
        with pytest.raises(hg.ArgumentError, match="without strides|format"):
            kernels.add_matrices(scalar, x, x)


class Managed(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("rank", ctypes.c_int32),
        ("type", ctypes.c_uint8 * 2),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("offset", ctypes.c_uint64),
        ("context", ctypes.c_void_p),
        ("release", ctypes.PYFUNCTYPE(None, ctypes.c_void_p)),
    )


class Foreign:
    """An array whose memory is let go by Python code, from a capsule that nobody has consumed."""

    def __init__(self, array) -> None:
        self.log: list[object] = []
        self.shape = (ctypes.c_int64 * 1)(array.size)
        self.array = array
        self.managed = Managed(
            array.ctypes.data, (1, 0), 1, (2, 32), 1, ctypes.addressof(self.shape), None, 0, None
        )
        self.managed.release = Managed._fields_[-1][1](self.release)
        destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
        self.destructor = destructor(lambda _: self.release(None))

    def release(self, _: object) -> None:
        self.log.append(sum(range(10)))  # code that fails if an error is set
        self.log.append(sys.exc_info()[0])

    def __dlpack__(self, **_: object) -> object:
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        place = ctypes.cast(self.destructor, ctypes.c_void_p)
        return new(ctypes.addressof(self.managed), b"dltensor", place)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def test_memory_is_let_go_by_python_code_that_sees_no_error() -> None:
    x = Foreign(np.ones(1000, np.float32))
    kernels.scale(2.0, x, 1000)
    assert x.array.tolist() == [2.0] * 1000
    assert x.log == [45, None]
    for refused in (lambda: kernels.scale[8, 256](2.0, x, 2000), lambda: kernels.add(x, 1, x, 7)):
        x.log.clear()
        with pytest.raises((hg.FaultError, hg.ArgumentError)):
            refused()
        assert x.log == [45, None]


def test_private_functions_of_operations() -> None:
    op = type(hg.ops.add)
    for name in ("_traced_type", "_trace_handler"):
        with contextlib.suppress(AttributeError):
            delattr(op, name)
    gc.collect()

    @hg.fuse
    def fused(x):
        return hg.ops.exp(hg.ops.mul(x, x))

    x = np.ones(10, np.float32)
    assert np.array_equal(fused(x), hg.ops.exp(x))
    # Forms that would read arguments that are not there.
    for op, others in (
        (hg.ops.exp, (hg.ops.add, None)),
        (hg.ops.exp, (None, hg.ops.scalar_add)),
        (hg.ops.scalar_add, (hg.ops.add, None)),
        (hg.ops.add, (hg.ops.scalar_add, None)),
        (hg.ops.add, (hg.ops.sum, None)),
    ):
        with pytest.raises(ValueError, match="as many parameters"):
            op._link(*others)


def test_conversions_that_call_the_kernel_again_end_with_an_error() -> None:
    # Each level takes so much of the stack that Python's own limit comes too late.
    class Again:
        def __index__(self) -> int:
            return scale(1.0, x, self)

        def __float__(self) -> float:
            return float(scale(self, x, 4))

        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

        def __dlpack__(self, **_: object) -> object:
            return scale(1.0, self, 4)

    scale = kernels.scale
    x = np.ones(4, np.float32)
    for arguments in ((1.0, x, Again()), (Again(), x, 4), (1.0, Again(), 4)):
        with pytest.raises(RecursionError, match="calls kernels whose arguments do so again"):
            scale(*arguments)
    scale(2.0, x, 4)
    assert (x == 2).all()
