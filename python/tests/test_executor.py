"""hologram.executor: buffers of every kind of memory, for NumPy, kernels and operations."""

from __future__ import annotations

import ctypes
import gc
import struct
import threading

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

import binding_kernels as kernels  # noqa: E402

import hologram as hg  # noqa: E402
from hologram import ops  # noqa: E402
from hologram.executor import max_elements_per_class  # noqa: E402

DTYPES = {
    **{f"i{bits}": np.dtype(f"int{bits}") for bits in (8, 16, 32, 64)},
    **{f"u{bits}": np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)},
    **{f"f{bits}": np.dtype(f"float{bits}") for bits in (16, 32, 64)},
}


@pytest.fixture
def executor() -> hg.Executor:
    return hg.Executor(only_added=True)


# ---- What a buffer is


def test_a_linear_buffer(executor: hg.Executor) -> None:
    x = executor.allocate(5, "f64")
    assert (len(x), x.element_type, x.element_size, x.size_bytes) == (5, "f64", 8, 40)
    assert (x.pool, x.class_index, x.is_linear, x.is_boundary) == ("linear", None, True, False)
    assert x.to_vec() == [0.0] * 5
    assert np.asarray(x).ctypes.data % 64 == 0
    assert executor.num_free_classes == 96
    assert repr(x) == "<hologram.Buffer of 5 f64>"
    assert len(executor.allocate(0)) == 0


def test_a_boundary_buffer(executor: hg.Executor) -> None:
    c = executor.allocate_boundary(0, 48, 256)
    assert (len(c), c.pool, c.class_index, c.size_bytes) == (3072, "boundary", 0, 12288)
    assert (c.is_linear, c.is_boundary) == (False, True)
    assert len(executor.allocate_boundary(width=2, height=3)) == 1  # whole elements
    assert repr(c) == "<hologram.Buffer of 3072 f32 in class 0>"


@pytest.mark.parametrize("kind", DTYPES)
def test_types(executor: hg.Executor, kind: str) -> None:
    for dtype in (kind, DTYPES[kind], DTYPES[kind].type):
        x = executor.allocate(3, dtype)
        assert (x.element_type, np.asarray(x).dtype) == (kind, DTYPES[kind])
    values = np.array([1, 0, 100], DTYPES[kind])
    if kind[0] != "u":
        values = -values
    x.copy_from_slice(values)
    assert x.to_vec() == values.tolist()
    x.fill(3)
    assert x.to_vec() == [3, 3, 3]
    assert len(executor.allocate_boundary(dtype=kind)) == 12288 // DTYPES[kind].itemsize


def test_bf16_has_no_buffer_protocol(executor: hg.Executor) -> None:
    x = executor.allocate(2, "bf16")
    with pytest.raises(BufferError, match="DLPack"):
        memoryview(x)
    with pytest.raises(hg.ArgumentError, match="NumPy has no bf16; torch.from_dlpack"):
        np.asarray(x)
    x.fill(1.5)
    assert x.to_vec() == [1.5, 1.5]
    y = executor.allocate(2, "bf16")
    y.copy_from_slice(x)
    assert y.to_vec() == [1.5, 1.5]


# ---- Classes


def test_classes_are_taken_in_order_and_given_back(executor: hg.Executor) -> None:
    buffers = [executor.allocate_boundary() for _ in range(96)]
    assert [buffer.class_index for buffer in buffers] == list(range(96))
    with pytest.raises(hg.ResourceLimitError, match="no class is free: all 96 "):
        executor.allocate_boundary()
    executor.allocate(10)
    del buffers[40]
    assert executor.num_free_classes == 1
    assert executor.allocate_boundary().class_index == 40
    view = np.asarray(buffers[3])
    buffers.clear()
    gc.collect()
    assert executor.num_free_classes == 95  # a view keeps its class
    del view
    assert executor.num_free_classes == 96


def test_what_is_refused(executor: hg.Executor) -> None:
    taken = executor.allocate_boundary(5)
    for call, message in (
        (lambda: executor.allocate_boundary(5), "class_index: class 5 has a buffer already"),
        (lambda: executor.allocate_boundary(96), "class_index: expected 0 to 95, found 96"),
        (lambda: executor.allocate_boundary(-1), "class_index: .* found -1"),
        (lambda: executor.allocate_boundary(2**32 - 1), "class_index: .* found 4294967295"),
        (lambda: executor.allocate_boundary(0, 49), "width: expected 1 to 48 pages, found 49"),
        (lambda: executor.allocate_boundary(0, 48, 257), "height: expected 1 to 256 bytes, .* 257"),
        (lambda: executor.allocate_boundary(0, 0), "width: expected 1 to 48 pages, found 0"),
        (lambda: executor.allocate(-1), "size: .* found -1"),
        (lambda: executor.allocate(1, "f8"), "dtype: no kernel has elements of f8"),
        (lambda: max_elements_per_class(np.complex64), "no kernel has"),
    ):
        with pytest.raises((hg.ArgumentError, TypeError), match=message):
            call()
    assert len(taken) == 3072


def test_the_memory_of_a_class(executor: hg.Executor) -> None:
    c = executor.allocate_boundary(7)
    np.asarray(c)[2] = 1.5
    assert executor.read_class_memory(7 * 12288 + 8, 4) == struct.pack("f", 1.5)
    executor.write_class_memory(7 * 12288 + 8, struct.pack("f", 2.5))
    assert c.to_vec()[:3] == [0, 0, 2.5]
    del c
    assert executor.allocate_boundary(7).to_vec()[2] == 2.5  # nothing is cleared


def test_a_buffer_outlives_its_executor() -> None:
    c = hg.Executor(only_added=True).allocate_boundary()
    gc.collect()
    c.fill(3)
    assert c.to_vec()[3071] == 3


def test_kernels_and_operations_take_buffers(executor: hg.Executor) -> None:
    n = 2048
    i, twice, out = (executor.allocate_boundary(width=32) for _ in range(3))
    np.asarray(i)[:] = np.arange(n)
    np.asarray(twice)[:] = 2 * np.arange(n)
    assert ops.add(i, twice, out=out) is out
    assert out.to_vec() == [3.0 * k for k in range(n)]
    kernels.add(i, out, out, n)
    assert np.array_equal(np.asarray(out), 4 * np.arange(n))
    assert ops.sum(executor.allocate(0)) == 0
    assert executor.read_class_memory(2 * 12288 + 40, 4) == struct.pack("f", 40)
    result = ops.exp(executor.allocate(3))
    assert isinstance(result, np.ndarray)
    assert result.tolist() == [1, 1, 1]
    with pytest.raises(
        hg.ArgumentError, match="'a' expects an array of f32, found an array of f64; write a.astype"
    ):
        kernels.add(executor.allocate(n, "f64"), out, out, n)


def test_a_kernel_of_a_bundle_has_classes_too() -> None:
    bundle = kernels.add.bundle
    c = bundle.allocate_boundary(90, dtype="u8")
    assert (len(c), bundle.num_free_classes) == (12288, 95)


def test_threads_get_classes_of_their_own(executor: hg.Executor) -> None:
    wrong = []

    def work(value: int) -> None:
        for _ in range(200):
            c = executor.allocate_boundary(width=1, height=64)
            c.fill(value)
            if set(c.to_vec()) != {value}:
                wrong.append(value)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert executor.num_free_classes == 96


# ---- Copies


def test_copies(executor: hg.Executor) -> None:
    values = np.arange(16, dtype=np.float32) * np.float32(2.5)
    for x in (executor.allocate(16), executor.allocate_boundary(width=1, height=64)):
        x.copy_from_slice(values)
        out = np.zeros(16, np.float32)
        x.copy_to_slice(out)
        assert np.array_equal(out, values)
        assert x.to_vec()[15] == 37.5
        x.copy_from_slice(x)
        assert x.to_vec() == values.tolist()


def test_copies_that_do_not_fit(executor: hg.Executor) -> None:
    x = executor.allocate(1024)
    constant = np.zeros(1024, np.float32)
    constant.flags.writeable = False
    for call, message in (
        (lambda: x.copy_from_slice(np.zeros(512, np.float32)), "src: expected 1024 .* found 512"),
        (lambda: x.copy_to_slice(np.zeros(512, np.float32)), "dst: expected 1024 .* found 512"),
        (lambda: x.copy_from_slice(np.zeros(1024)), "src: expected elements of f32, found f64"),
        (lambda: x.copy_from_slice(3), "src: expected an array .* found 3"),
        (lambda: x.copy_from_slice(np.zeros(2048, np.float32)[::2]), "src: is not C-contiguous"),
        (lambda: x.copy_to_slice(constant), "dst: is written, found a read-only array"),
        (lambda: x.fill("a"), "value: "),
        (lambda: executor.allocate(1, "u8").fill(256), "value: "),
    ):
        with pytest.raises(hg.ArgumentError, match=message):
            call()


# ---- Canonical bytes


def test_canonical_bytes(executor: hg.Executor) -> None:
    odd = np.arange(1, 32, 2, dtype=np.uint8)
    x = executor.allocate(16, "u8")
    assert x.verify_canonical()
    x.copy_from_slice(odd)
    assert not x.verify_canonical()
    x.copy_from_canonical_slice(odd)
    assert x.to_vec() == list(range(0, 32, 2))
    assert x.verify_canonical()


def test_canonical_numbers(executor: hg.Executor) -> None:
    values = np.array([1, 2, 0.1, -3.3], np.float32)
    x = executor.allocate_boundary(width=1, height=16)
    x.copy_from_slice(values)
    assert np.array_equal(np.asarray(x), values)  # a copy leaves them alone
    x.canonicalize_all()
    bits = [0x3E800000, 0x40000000, 0x3CCCCCCC, 0xC0523232]
    assert np.asarray(x).view(np.uint32).tolist() == bits
    assert np.array_equal(np.asarray(x), np.array([0.25, 2, 0.024999999, -3.2843137], np.float32))


# ---- Facts about classes


def test_offsets() -> None:
    assert [hg.offset_to_phi(42, k) for k in (255, 256, 1024)] == [(0, 255), (1, 0), (4, 0)]
    assert hg.offset_to_phi(95, 12287) == (47, 255)
    assert hg.phi_to_offset(0, 4, 1) == 1025
    for call, message in (
        (lambda: hg.offset_to_phi(0, 12288), "offset: expected 0 to 12287, found 12288"),
        (lambda: hg.offset_to_phi(96, 0), "class_index: expected 0 to 95, found 96"),
        (lambda: hg.phi_to_offset(0, 48, 0), "page: expected 0 to 47, found 48"),
    ):
        with pytest.raises(hg.ArgumentError, match=message):
            call()


def test_what_fits_in_a_class() -> None:
    for dtype, most in (("f32", 3072), (np.float64, 1536), ("u8", 12288)):
        assert hg.max_elements_per_class(dtype) == most
        assert hg.fits_in_class(most, dtype)
        assert not hg.fits_in_class(most + 1, dtype)
    assert not hg.fits_in_class(-1)


def test_the_default_launch() -> None:
    assert hg.default_launch_config(257) == ((2, 1, 1), (256, 1, 1))
    x = np.ones(257, np.float32)
    kernels.add[hg.default_launch_config(257)](x, x, x, 257)
    assert x.tolist() == [2] * 257
    with pytest.raises(hg.ArgumentError, match="elements: expected 1 to 1099511627520, found 0"):
        hg.default_launch_config(0)


# ---- For others


def test_the_buffer_protocol(executor: hg.Executor) -> None:
    x = executor.allocate(3)
    view = memoryview(x)
    assert (view.format, view.shape, view.strides, view.readonly) == ("f", (3,), (4,), False)
    view[1] = 7
    assert x.to_vec() == [0, 7, 0]
    assert bytes(x) == struct.pack("3f", 0, 7, 0)


def test_dlpack_capsules(executor: hg.Executor) -> None:
    x = executor.allocate(3)
    assert x.__dlpack_device__() == (1, 0)
    y = np.from_dlpack(x)
    assert y.ctypes.data == np.asarray(x).ctypes.data
    for name, keywords in (("dltensor", {}), ("dltensor_versioned", {"max_version": (1, 0)})):
        assert f'"{name}"' in repr(x.__dlpack__(**keywords))
    copied = x.__dlpack__(copy=True, max_version=(1, 0))
    np.asarray(x)[:] = 1
    del copied
    for call, error in (
        (lambda: x.__dlpack__(stream=1), ValueError),
        (lambda: x.__dlpack__(dl_device=(2, 0)), BufferError),
        (lambda: x.__dlpack__(dl_device=1), TypeError),
        (lambda: x.__dlpack__(max_version=1), TypeError),
    ):
        with pytest.raises(error):
            call()
    c = executor.allocate_boundary()
    z = np.from_dlpack(c)
    del c
    gc.collect()
    assert executor.num_free_classes == 95
    del z
    assert executor.num_free_classes == 96


class Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("rank", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    )


class Managed(ctypes.Structure):
    pass


Managed._fields_ = (
    ("version", ctypes.c_uint32 * 2),
    ("context", ctypes.c_void_p),
    ("release", ctypes.PYFUNCTYPE(None, ctypes.POINTER(Managed))),
    ("flags", ctypes.c_uint64),
    ("tensor", Tensor),
)
SetError = ctypes.PYFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)


class Table(ctypes.Structure):
    """The functions of a type, as the specification has them."""

    _fields_ = (
        ("version", ctypes.c_uint32 * 2),
        ("previous", ctypes.c_void_p),
        (
            "allocate",
            ctypes.PYFUNCTYPE(
                ctypes.c_int,
                ctypes.POINTER(Tensor),
                ctypes.POINTER(ctypes.POINTER(Managed)),
                ctypes.c_void_p,
                SetError,
            ),
        ),
        (
            "from_object",
            ctypes.PYFUNCTYPE(
                ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.POINTER(Managed))
            ),
        ),
        (
            "to_object",
            ctypes.PYFUNCTYPE(
                ctypes.c_int, ctypes.POINTER(Managed), ctypes.POINTER(ctypes.py_object)
            ),
        ),
        (
            "view_object",
            ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(Tensor)),
        ),
        (
            "stream",
            ctypes.PYFUNCTYPE(
                ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p)
            ),
        ),
    )


def table_of(kind: type) -> Table:
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype = ctypes.c_void_p
    pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    capsule = kind.__dict__["__dlpack_c_exchange_api__"]
    return Table.from_address(pointer(capsule, b"dlpack_exchange_api"))


def test_the_table_of_functions(executor: hg.Executor) -> None:
    table = table_of(hg.Buffer)
    assert tuple(table.version) == (1, 3)
    assert table.previous is None
    c = executor.allocate_boundary(3, 1, 40, "i16")
    address = np.asarray(c).ctypes.data

    tensor = Tensor()
    assert table.view_object(c, ctypes.byref(tensor)) == 0
    shown = (tensor.data, tuple(tensor.device), tensor.rank, tensor.code, tensor.bits, tensor.lanes)
    assert shown == (address, (1, 0), 1, 0, 16, 1)
    assert (tensor.shape[0], tensor.strides[0], tensor.offset) == (20, 1, 0)

    managed = ctypes.POINTER(Managed)()
    assert table.from_object(c, ctypes.byref(managed)) == 0
    assert managed.contents.tensor.data == address
    del c
    gc.collect()
    assert executor.num_free_classes == 95
    back = ctypes.py_object()
    assert table.to_object(managed, ctypes.byref(back)) == 0
    buffer = back.value
    ctypes.pythonapi.Py_DecRef(back)  # that of the result
    del back
    assert (type(buffer), buffer.element_type, len(buffer)) == (hg.Buffer, "i16", 20)
    assert np.asarray(buffer).ctypes.data == address
    del buffer
    gc.collect()
    assert executor.num_free_classes == 96

    stream = ctypes.c_void_p(1)
    assert table.stream(1, 0, ctypes.byref(stream)) == 0
    assert stream.value is None


def test_the_table_allocates() -> None:
    table = table_of(hg.Buffer)
    shape = (ctypes.c_int64 * 2)(3, 4)
    prototype = Tensor(None, (1, 0), 2, 2, 64, 1, shape, None, 0)
    managed = ctypes.POINTER(Managed)()
    errors: list[tuple[bytes, bytes]] = []
    tell = SetError(lambda _, kind, message: errors.append((kind, message)))
    assert table.allocate(ctypes.byref(prototype), ctypes.byref(managed), None, tell) == 0
    made = managed.contents.tensor
    assert made.data % 64 == 0
    assert (made.shape[:2], made.strides[:2]) == ([3, 4], [4, 1])
    back = ctypes.py_object()
    with pytest.raises(BufferError, match="one dimension"):
        table.to_object(managed, ctypes.byref(back))
    managed.contents.release(managed)
    prototype.device[0] = 2
    assert table.allocate(ctypes.byref(prototype), ctypes.byref(managed), None, tell) == -1
    prototype.device[0] = 1
    shape[0] = 2**60
    assert table.allocate(ctypes.byref(prototype), ctypes.byref(managed), None, tell) == -1
    assert [kind for kind, _ in errors] == [b"BufferError", b"MemoryError"]


class Foreign:
    """An array of another library, whose type has a table; its views tell nothing of writing."""

    def __init__(self, buffer: hg.Buffer, flags: int) -> None:
        self.buffer, self.flags = buffer, flags

    def __dlpack__(self, **_: object) -> object:
        raise AssertionError("a capsule was asked for")


def _export(array: Foreign, out: object) -> int:
    if table_of(hg.Buffer).from_object(array.buffer, out) != 0:
        return -1
    out[0].contents.flags |= array.flags
    return 0


def _view(array: Foreign, out: object) -> int:
    raise AssertionError("a view was asked for")


_functions = dict(Table._fields_)
_table = Table(
    (1, 3),
    None,
    table_of(hg.Buffer).allocate,
    _functions["from_object"](_export),
    table_of(hg.Buffer).to_object,
    _functions["view_object"](_view),
    table_of(hg.Buffer).stream,
)
_new = ctypes.pythonapi.PyCapsule_New
_new.restype = ctypes.py_object
_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_name = b"dlpack_exchange_api"
Foreign.__dlpack_c_exchange_api__ = _new(ctypes.addressof(_table), _name, None)


def test_tables_of_others_say_what_is_read_only(executor: hg.Executor) -> None:
    c = executor.allocate_boundary(3)
    c.fill(2)
    free, constant = Foreign(c, 0), Foreign(c, 1)
    out = executor.allocate(3072)
    for x in (free, constant):
        kernels.add(x, x, out, 3072)
        assert out.to_vec() == [4.0] * 3072
    kernels.add(free, out, free, 3072)
    assert c.to_vec() == [6.0] * 3072
    with pytest.raises(hg.ArgumentError, match="'c' is written, found a read-only buffer"):
        kernels.add(out, out, constant, 3072)
    del c, free, constant, x
    gc.collect()
    assert executor.num_free_classes == 96
