"""Kernels with type variables and compile-time parameters, called from Python."""

from __future__ import annotations

import pickle
import threading

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

import generic_kernels as kernels  # noqa: E402, I001
import hologram as hg  # noqa: E402
from hologram.generic import GenericKernel, is_generic  # noqa: E402
from hologram.lang import f64  # noqa: E402


def quoted(a: DeviceArray[f32], R: constexpr) -> None:  # type: ignore[name-defined] # noqa: F821
    """Annotations are text here, of names that this module has not."""


def test_the_arrays_choose_the_types() -> None:
    for dtype in (np.float32, np.float64, np.int32):
        a = np.arange(100).astype(dtype)
        c = np.zeros(100, dtype)
        kernels.add(a, a, c, 100)
        assert np.array_equal(c, a + a)
    assert isinstance(kernels.add, GenericKernel)
    assert "3 compiled" in repr(kernels.add)
    assert kernels.add.instance(T="f64") is kernels.add.instance(T=f64)
    assert kernels.add.instance(T=np.float64).name == "add_f64"
    assert "3 compiled" in repr(kernels.add)


def test_values_known_when_compiling() -> None:
    src = np.arange(50, dtype=np.float32) ** 2
    for radius, arguments, named in (
        (1, (), {}),
        (2, (2,), {}),
        (3, (), {"R": np.int64(3)}),
    ):
        dst = np.zeros(50, np.float32)
        kernels.blur(src, dst, 50, *arguments, **named)
        expected = np.zeros(50, np.float32)
        for i in range(radius, 50 - radius):
            total = np.float32(0)
            for k in range(-radius, radius + 1):
                total += src[i + k]
            expected[i] = total / np.float32(2 * radius + 1)
        assert np.array_equal(dst, expected)
    assert kernels.blur.instance().name == "blur"
    assert kernels.blur.instance(R=3).name == "blur_R3"
    dst = np.zeros(50, np.float32)
    kernels.blur[2, 32](src, dst=dst, n=50)
    again = np.zeros(50, np.float32)
    kernels.blur[2, 32].configure(threads=1, backend="interpreter")(src, again, 50)
    assert dst[10] > 0
    assert np.array_equal(dst, again)
    kernels.blur.configure(grid=2, block=32)(src, again, 50, R=1)
    assert np.array_equal(dst, again)


def test_several_variables_and_values() -> None:
    src = np.arange(20, dtype=np.uint8)
    for dtype in (np.float64, np.int32):
        dst = np.zeros(20, dtype)
        kernels.scaled(src, dst, 3, 20, 2)
        assert np.array_equal(dst, np.where(src % 2 == 0, src * 6, 0).astype(dtype))
        kernels.scaled(src, dst, factor=3, n=20, STEP=1, ON=False)
        assert not dst.any()
    name = kernels.scaled.instance(T="i32", U="bf16", STEP=4).name
    assert name == "scaled_bf16_i32_STEP4"
    out = np.zeros((3, 4), np.float32)
    kernels.fill.instance(T="i32")[(1, 3), (8, 1)](out, 7)
    assert (out == 7).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda a, b: kernels.add(a, b, a, 5), "T is f32 in 'a' and f64 in 'b'"),
        (lambda a, b: kernels.add(a[:0].astype(np.int8), a, a, 5), "T is f32, f64 or i32"),
        (lambda a, b: kernels.add(a, a, a), "'n' is missing"),
        (lambda a, b: kernels.add(a, a, a, 5, 6), "found 5 arguments"),
        (lambda a, b: kernels.add(a, a, a, 5, m=6), "no parameter 'm'"),
        (lambda a, b: kernels.add(a, a, a, 5, a=a), "given twice: 'a'"),
        (lambda a, b: kernels.add(1.0, a, a, 5), "'a' expects an array, found 1.0"),
        (lambda a, b: kernels.add(a[::-1], a, a, 5), "'a' has strides that do not lead forward"),
        (lambda a, b: kernels.add(a, a, a, 1.5), "'n'"),
        (lambda a, b: kernels.scaled(a, b, 1, 5), r"'STEP' .* give it, scaled\(..., STEP=...\)"),
        (lambda a, b: kernels.blur(a, a, 5, R=a), "'R' is a number known when compiling"),
        (lambda a, b: kernels.fill(a.reshape(1, 5), 1), "no array determines T"),
        (lambda a, b: kernels.add.instance(), "T is not chosen; write T='f32'"),
        (lambda a, b: kernels.add.instance(T="f32", R=1), "there is no 'R' to choose; there is T"),
    ],
)
def test_what_is_missing_or_wrong_is_named(call, message: str) -> None:
    with pytest.raises(hg.ArgumentError, match=message):
        call(np.zeros(5, np.float32), np.zeros(5))


def test_a_type_or_value_that_does_not_compile() -> None:
    with pytest.raises(hg.CompileError, match="'i64' is given for T of add, which is f32, f64 or"):
        kernels.add.instance(T="i64")
    with pytest.raises(hg.CompileError, match="given for"):
        hg.compile(kernels.__file__, entry="add", constants={"T": "i64"})
    with pytest.raises(hg.NotFoundError, match="no kernel has .* 'Z'"):
        hg.compile(kernels.__file__, entry="add", constants={"Z": 1})
    a = np.zeros(5, np.float32)
    with pytest.raises(hg.CompileError):
        kernels.blur(a, a, 5, R=1.5)


def test_compile_chooses() -> None:
    assert hg.compile(kernels.add, constants={"T": "f64"}).name == "add_f64"
    assert hg.compile(kernels.add.__wrapped__, constants={"T": f64}).name == "add_f64"
    assert hg.compile(kernels.blur).name == "blur"
    found = hg.compile(kernels.__file__, entry="scaled", constants={"STEP": 2, "T": "f32"})
    assert list(found) == ["scaled_u8_f32_STEP2", "scaled_bf16_f32_STEP2", "scaled_f32_f32_STEP2"]


def test_which_functions_are_generic() -> None:
    assert is_generic(quoted)
    assert is_generic(kernels.fill.__wrapped__)
    assert not is_generic(test_compile_chooses)


def test_generic_kernels_pickle_by_reference() -> None:
    assert pickle.loads(pickle.dumps(kernels.add)) is kernels.add
    instance = pickle.loads(pickle.dumps(kernels.add.instance(T="i32")))
    a = np.arange(5, dtype=np.int32)
    instance(a, a, a, 5)
    assert a[4] == 8


def test_several_threads_may_make_instances() -> None:
    failed = []

    def work(radius: int) -> None:
        src, dst = np.ones(100, np.float32), np.zeros(100, np.float32)
        kernels.blur(src, dst, 100, R=radius)
        if dst[50] != 1:
            failed.append(radius)

    threads = [threading.Thread(target=work, args=(4 + k % 3,)) for k in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
