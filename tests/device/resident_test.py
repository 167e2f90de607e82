"""Arrays that stay on a device (hologram.ops.resident): launches on them against the same on the host, what is
refused, faults, operations, memory of others.

usage: resident_test.py ENGINE
"""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
from typing import Any

import numpy as np
from there import is_there

import hologram as hg
from hologram.lang import DeviceArray, atomic_add, f32, get_global_id, u32


@hg.kernel
def axpy(a: f32, x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = a * x[i] + y[i]


@hg.kernel
def pick(x: DeviceArray[f32], at: DeviceArray[u32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = x[at[i]] + y[i]


@hg.kernel
def shift(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = x[i + 1]


@hg.kernel
def rows(x: DeviceArray[f32, 2], sums: DeviceArray[f32]):
    r = get_global_id()
    if r < x.shape[0]:
        total = 0.0
        for c in range(x.shape[1]):
            total += x[r, c]
        sums[r] = total


@hg.kernel
def count(x: DeviceArray[u32], bins: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n:
        atomic_add(bins, x[i] % 16, 1)


@hg.kernel
def meet(x: DeviceArray[f32], out: DeviceArray[f32]):
    i = get_global_id()
    if i < len(x):
        out[i // 2 % 16] = x[i]


N = 1000


def refused(kind: type[Exception], words: str, call: Any) -> None:
    try:
        call()
    except kind as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"not refused: {words}")


class Test:
    def __init__(self, engine: str) -> None:
        self.engine = engine
        self.x = np.arange(N, dtype=np.float32)
        self.y = np.sqrt(self.x)
        self.dx = hg.to_device(self.x, engine)
        self.dy = hg.to_device(self.y, engine)

    def launches(self) -> None:
        """Nothing is copied, and the engine follows the memory."""
        expected = self.y.copy()
        for _ in range(3):
            axpy(0.5, self.dx, self.dy, N)
            axpy.configure(backend="cpu")(0.5, self.x, expected, N)
        axpy(0.5, self.dx, self.dy, N)
        assert axpy.last_launch.engine == self.engine
        axpy.configure(backend=self.engine)(0.5, self.x, expected, N)  # on copies
        assert np.array_equal(self.dy.to_host(), expected)
        axpy[4, 256](1.0, self.dx, self.dx, N)  # in place
        assert np.array_equal(hg.to_host(self.dx), self.x + self.x)
        sums = hg.device_empty(10, f32, self.engine)
        rows(self.dx.reshape(10, -1), sums)
        host = np.empty(10, np.float32)
        rows((self.x + self.x).reshape(10, 100), host)
        assert np.array_equal(sums.to_host(), host)
        numbers = hg.to_device(np.arange(N, dtype=np.uint32), self.engine)
        bins = hg.to_device(np.zeros(16, np.uint32), self.engine)
        count[4, 256](numbers, bins, N)
        assert np.array_equal(bins.to_host(), np.bincount(np.arange(N) % 16))

    def faults(self) -> None:
        """After one, arrays are as they were, and the text is that of the host."""
        at = np.arange(N, dtype=np.uint32)
        good = hg.to_device(at, self.engine)
        target = hg.to_device(self.y, self.engine)
        pick(self.dx, good, target, N)
        assert pick.last_launch.engine == self.engine
        before = target.to_host()
        at[700] = 5000
        good.copy_from(at)
        texts = []
        for arrays in ((self.dx, good, target), (self.dx.to_host(), at, before.copy())):
            try:
                pick(*arrays, N)
            except hg.FaultError as error:
                texts.append(str(error))
        assert len(texts) == 2 and texts[0] == texts[1] and "element 5000" in texts[0], texts
        assert np.array_equal(target.to_host(), before)

    def unproved(self) -> None:
        """The interpreter runs it on copies; a correct launch has its results, a wrong one none."""
        target = hg.to_device(self.y, self.engine)
        shift(self.dx, target, N - 1)
        assert np.array_equal(target.to_host()[:-1], self.dx.to_host()[1:])
        before = target.to_host()
        refused(hg.FaultError, "x[i + 1] reads element 1000", lambda: shift(self.dx, target, N))
        assert shift.last_launch.engine == "interpreter" and shift.last_launch.checked
        assert np.array_equal(target.to_host(), before)
        refused(hg.Error, "", lambda: shift(target, target, N - 1))  # lanes meet
        assert np.array_equal(target.to_host(), before)

    def operations(self) -> None:
        x, y = self.dx.to_host(), self.y
        dy = hg.to_device(y, self.engine)
        scaled = hg.ops.mul(dy, 0.25)
        for made, expected in (
            (hg.ops.add(self.dx, dy), hg.ops.add(x, y)),
            (hg.ops.exp(scaled), hg.ops.exp(hg.ops.mul(y, 0.25))),
            (hg.ops.exp(scaled, accuracy="fast"), hg.ops.exp(hg.ops.mul(y, 0.25), accuracy="fast")),
            (hg.ops.clip(dy, 3.0, 7.0), hg.ops.clip(y, 3.0, 7.0)),
            (hg.ops.sub(1.0, dy), hg.ops.sub(1.0, y)),
            (hg.ops.maximum(dy, 5.0), hg.ops.maximum(y, 5.0)),
        ):
            assert made.device == self.dx.device
            assert np.array_equal(hg.to_host(made), expected)
        both = hg.fuse(lambda a, b, s: (hg.ops.relu(a * s - b), b * b))
        for made, expected in zip(both(self.dx, dy, 0.5), both(x, y, 0.5), strict=True):
            assert np.array_equal(hg.to_host(made), expected)
        one = hg.fuse(lambda a: hg.ops.exp(-a) + 1.0)
        out = hg.device_empty(N, "f32", self.engine)
        assert one(dy, out=out) is out
        assert np.array_equal(out.to_host(), one(y))
        total = hg.fuse(lambda a: hg.ops.sum(a * a))
        refused(hg.ArgumentError, "element by element", lambda: total(dy))
        refused(hg.ArgumentError, "'b' is on the host", lambda: both(self.dx, y, 1.0))
        assert hg.ops.add(self.dx, dy, out=out) is out
        assert np.array_equal(out.to_host(), x + y)
        refused(hg.ArgumentError, "'b' is on the host", lambda: hg.ops.add(self.dx, y))
        doubles = hg.to_device(y.astype(np.float64), self.engine)
        refused(hg.ArgumentError, "'b' is f64", lambda: hg.ops.add(self.dx, doubles))
        refused(hg.ArgumentError, "shapes", lambda: hg.ops.add(self.dx, self.dx.reshape(10, 100)))

    def refusals(self) -> None:
        mixed = lambda: axpy(1.0, self.dx, self.y, N)  # noqa: E731
        refused(hg.ArgumentError, "'y' on the host; the arrays of a launch", mixed)
        wrong = axpy.configure(backend="cpu")
        refused(hg.ArgumentError, "it is to run on cpu", lambda: wrong(1.0, self.dx, self.dy, N))
        refused(hg.ArgumentError, "hologram.to_host", lambda: np.asarray(self.dx))
        refused(
            hg.ArgumentError, "expects", lambda: axpy(1.0, self.dx, hg.to_device(self.y > 1), N)
        )
        refused(hg.ArgumentError, "elements of", lambda: hg.to_device(self.x + 1j, self.engine))
        refused(hg.ArgumentError, "expected a device", lambda: hg.to_device(self.x, "gpu"))
        refused(hg.ArgumentError, "there is no", lambda: hg.to_device(self.x, f"{self.engine}:77"))
        refused(hg.ArgumentError, "no shape", lambda: self.dx.reshape(7, -1))
        refused(hg.ArgumentError, "without gaps", lambda: self.dx.to_host(np.empty(3)))
        refused(hg.ArgumentError, "expected", lambda: self.dx.copy_from(self.x[1:]))
        refused(
            hg.ResourceLimitError,
            "no memory",
            lambda: hg.device_empty(1 << 50, np.uint8, self.engine),
        )
        # The lanes that meet are found on copies, also where the grid is what is asked for.
        few = hg.device_empty(16, "f32", self.engine)
        refused(hg.ArgumentError, "lane 0 and lane 1 both write", lambda: meet(self.dx, few))
        refused(
            hg.ArgumentError, "lane 0 and lane 1 both write", lambda: meet[4, 256](self.dx, few)
        )
        with hg.capture() as pipeline:
            pipeline.output("sum", hg.ops.add(pipeline.input("x", self.x), self.y))
            refused(hg.UnsupportedError, "records", lambda: axpy(1.0, self.dx, self.dy, N))
        refused(Exception, "", lambda: hg.windows(axpy, n=N)(self.dx))

    def values(self) -> None:
        for array in (
            np.arange(24, dtype=np.float64).reshape(2, 3, 4),
            np.arange(24, dtype=np.int8)[::-2],
            np.zeros((0, 3), np.float16),
            np.array(5, np.uint64),
            self.x.reshape(10, 100).T,
        ):
            there = hg.to_device(array, self.engine)
            assert (
                there.shape == array.shape
                and there.dtype == array.dtype
                and there.size == array.size
            )
            assert np.array_equal(there.to_host(), array)
            assert there.nbytes == array.nbytes and there.ndim == array.ndim
        assert hg.to_device(self.dx) is self.dx and hg.to_device(self.dx, self.engine) is self.dx
        for dtype, kind in (
            ("u8", "u64"),
            (hg.u8, "u8"),
            (np.uint8, "u8"),
            ("f16", "f16"),
            (float, "f64"),
        ):
            assert hg.device_empty((2, 3), dtype, self.engine).element_type == kind
        refused(hg.ArgumentError, "element type", lambda: hg.device_empty(1, "f33", self.engine))
        empty = hg.device_empty(0, "f32", self.engine)
        axpy(1.0, empty, empty, 0)
        assert "ResidentArray of (1000,) f32 on" in repr(self.dx) and len(self.dx) == N

    def lifetimes(self) -> None:
        """Memory stays as long as an array that shares it."""
        part = hg.to_device(self.x, self.engine).reshape(10, 100)
        gc.collect()
        others = [hg.to_device(self.y, self.engine) for _ in range(50)]
        assert np.array_equal(part.to_host().ravel(), self.x)
        del others[::2]
        others += [hg.to_device(self.x, self.engine) for _ in range(50)]
        assert all(
            np.array_equal(o.to_host(), self.y if k < 25 else self.x) for k, o in enumerate(others)
        )

    def queued(self) -> None:
        """Launches that nobody has waited for: what comes behind them sees their results, also in
        memory that has been freed and taken again."""
        total = hg.to_device(np.zeros(N, np.float32), self.engine)
        for k in range(40):
            term = hg.to_device(np.full(N, np.float32(k)), self.engine)
            axpy(1.0, hg.ops.mul(term, 2.0), total, N)
            del term
        copy = hg.ops.add(total, 0.0)
        copy.wait()
        total.copy_from(self.x)
        assert np.array_equal(copy.to_host(), np.full(N, 40 * 39))
        assert np.array_equal(total.to_host(), self.x)

        @hg.kernel
        def passing(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
            i = get_global_id()
            if i < n:
                y[i] = x[i] + 3.0

        passing(copy, total, N)
        del passing  # the driver's module is in use
        gc.collect()
        assert np.array_equal(total.to_host(), np.full(N, 40 * 39 + 3))

    def threads(self) -> None:
        arrays = [hg.to_device(np.zeros(N, np.float32), self.engine) for _ in range(4)]
        one = hg.to_device(np.ones(N, np.float32), self.engine)

        def work(mine: hg.ResidentArray) -> None:
            for _ in range(25):
                axpy(1.0, one, mine, N)
                hg.to_device(self.x, self.engine)

        running = [threading.Thread(target=work, args=(array,)) for array in arrays]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
        assert all(np.array_equal(array.to_host(), np.full(N, 25)) for array in arrays)

    def memory_of_others(self) -> None:
        """What has __cuda_array_interface__ is taken in place."""
        if self.engine != "cuda":
            refused(AttributeError, "is on", lambda: self.dx.__cuda_array_interface__)
            return

        class Tensor:
            def __init__(self, of: hg.ResidentArray, **changes: object) -> None:
                self.__cuda_array_interface__ = {**of.__cuda_array_interface__, **changes}

        owner = hg.to_device(self.x, "cuda")
        same = hg.to_device(Tensor(owner, stream=1))
        axpy(1.0, same, same, N)
        assert np.array_equal(owner.to_host(), self.x + self.x)
        flat = hg.to_device(Tensor(owner, shape=(10, 100), strides=(400, 4)))
        assert flat.shape == (10, 100)
        refused(
            hg.ArgumentError,
            "gaps",
            lambda: hg.to_device(Tensor(owner, shape=(500,), strides=(8,))),
        )
        refused(hg.ArgumentError, "elements of", lambda: hg.to_device(Tensor(owner, typestr="<c8")))
        refused(hg.ArgumentError, "read-only", lambda: hg.to_device(Tensor(owner, data=(16, True))))
        refused(hg.ArgumentError, "is on cuda:0", lambda: hg.to_device(Tensor(owner), "opencl"))
        address = owner.__cuda_array_interface__["data"][0]
        first = hg.to_device(Tensor(owner, shape=(N - 10,)))
        moved = Tensor(owner, shape=(N - 10,), data=(address + 40, False))
        later, before = hg.to_device(moved), owner.to_host()
        for overlap in (
            lambda: axpy(1.0, first, later, N - 10),
            lambda: hg.ops.add(first, first, out=later),
            lambda: hg.ops.neg(later, out=first),
            lambda: axpy(1.0, hg.to_device(Tensor(owner)), owner, N),
        ):
            refused(hg.ArgumentError, "overlap on cuda:0", overlap)
        assert np.array_equal(owner.to_host(), before)
        assert np.array_equal(hg.ops.add(first, later).to_host(), before[:-10] + before[10:])
        for changes, words in (
            ({"mask": owner}, "a mask"),
            ({"typestr": None}, "elements of None"),
            ({"typestr": "<f3"}, "wrong __cuda_array_interface__"),
            ({"shape": ("a",)}, "wrong __cuda_array_interface__"),
            ({"shape": None}, "wrong __cuda_array_interface__"),
            ({"shape": (-4,)}, "no array has the shape"),
            ({"shape": (2**62, 2**62)}, "no array has the shape"),
            ({"shape": (2**70,)}, "no array has the shape"),
            ({"data": None}, "wrong __cuda_array_interface__"),
            ({"data": (address,)}, "wrong __cuda_array_interface__"),
            ({"data": (-1, False)}, "no array has the shape"),
            ({"data": (2**64 - 4, False)}, "no array has the shape"),
            ({"data": (2**65, False)}, "no array has the shape"),
        ):
            refused(hg.ArgumentError, words, lambda now=changes: hg.to_device(Tensor(owner, **now)))

    def dlpack(self) -> None:
        """Capsules of others are taken in place, and ours are given."""
        if self.engine != "cuda":
            refused(BufferError, "is on", self.dx.__dlpack_device__)
            refused(BufferError, "is on", self.dx.__dlpack__)
            return

        class Tensor:
            def __init__(self, device: tuple[int, int], capsule: object) -> None:
                self.device, self.capsule = device, capsule

            def __dlpack_device__(self) -> tuple[int, int]:
                return self.device

            def __dlpack__(self, *, stream: int) -> object:  # before DLPack 1.0
                assert stream == -1
                return self.capsule

        owner = hg.to_device(self.x.reshape(10, -1), "cuda")
        assert owner.__dlpack_device__() == (2, 0)
        for version in (None, (1, 0)):
            capsule = owner.__dlpack__(max_version=version)
            same = hg.to_device(Tensor((2, 0), capsule))
            assert same.shape == owner.shape and same.dtype == owner.dtype
            del capsule
            axpy(1.0, same, same.reshape(-1), N)
        assert np.array_equal(owner.to_host().reshape(-1), self.x * 4)
        refused(BufferError, "expected (2, 0)", lambda: owner.__dlpack__(dl_device=(1, 0)))
        refused(BufferError, "hologram.ops.copy", lambda: owner.__dlpack__(copy=True))
        refused(TypeError, "two numbers", lambda: owner.__dlpack__(max_version=1))
        refused((BufferError, RuntimeError), "", lambda: np.from_dlpack(owner))
        refused(
            hg.ArgumentError,
            "is on cuda:0",
            lambda: hg.to_device(Tensor((2, 0), owner.__dlpack__()), "opencl"),
        )
        address = owner.__cuda_array_interface__["data"][0]
        for changes, words in (
            ({"device": 1}, "is not on a CUDA device"),
            ({"code": 5, "bits": 64}, "elements that no kernel has"),
            ({"bits": 24}, "elements that no kernel has"),
            ({"lanes": 4}, "elements that no kernel has"),
            ({"strides": (2,)}, "C-contiguous"),
            ({"strides": (-1,)}, "C-contiguous"),
            ({"shape": (-4,)}, "a size that no memory has"),
            ({"rank": -1}, "a size that no memory has"),
            ({"rank": 1, "shape": ()}, "a size that no memory has"),
            ({"shape": (2**60, 2**60)}, "a size that no memory has"),
            ({"shape": (1, 1, 1, 1, 4)}, "up to 4 dimensions"),
            ({"data": None}, "no memory of 16 bytes"),
            ({"data": 2**64 - 8}, "no memory of 16 bytes"),
            ({"id": 99}, "there is no device cuda:99"),
            ({"id": -1}, "expected a device"),
            ({"flags": 1}, "read-only"),
            ({"major": 2}, "speaks DLPack 2"),
        ):
            made = foreign_tensor({"data": address, "shape": (4,), **changes})
            refused(hg.ArgumentError, words, lambda now=made: hg.to_device(Tensor((2, 0), now)))
        refused(hg.ArgumentError, "no DLPack", lambda: hg.to_device(Tensor((2, 0), 5)))
        for place in (5, (), ("2", 0), None):
            refused(hg.ArgumentError, "'array'", lambda now=place: hg.to_device(Tensor(now, 5)))
        assert owner.to_host().reshape(-1)[3] == self.x[3] * 4


class DlTensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("id", ctypes.c_int32),
        ("rank", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
        ("offset", ctypes.c_uint64),
    )  # fmt: skip


class DlVersioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
        ("release", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", DlTensor),
    )  # fmt: skip


KEPT: list[object] = []  # what capsules point to


def foreign_tensor(fields: dict[str, Any]) -> object:
    """A capsule of DLPack with these fields."""
    shape = (ctypes.c_int64 * len(fields["shape"]))(*fields["shape"])
    steps = fields.get("strides")
    strides = None if steps is None else (ctypes.c_int64 * len(steps))(*steps)
    tensor = DlTensor(
        fields["data"],
        fields.get("device", 2),
        fields.get("id", 0),
        fields.get("rank", len(fields["shape"])),
        fields.get("code", 2),
        fields.get("bits", 32),
        fields.get("lanes", 1),
        ctypes.cast(shape, ctypes.c_void_p) if fields["shape"] else None,
        None if strides is None else ctypes.cast(strides, ctypes.c_void_p),
        0,
    )
    managed = DlVersioned(fields.get("major", 1), 0, None, None, fields.get("flags", 0), tensor)
    KEPT.append((shape, strides, managed))
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = (
        ctypes.py_object,
        (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p),
    )
    return make(ctypes.addressof(managed), b"dltensor_versioned", None)


def main() -> int:
    engine = sys.argv[1]
    if not is_there(engine):
        return 0
    test = Test(engine)
    parts = [name for name in vars(Test) if not name.startswith("_")]
    for name in parts:
        getattr(test, name)()
    print(f"{engine}: {len(parts)} passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
