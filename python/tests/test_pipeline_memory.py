"""hologram.capture: which memory is which array, where memory is used again and where the caller's
code runs while arguments are read."""

from __future__ import annotations

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

import hologram as hg  # noqa: E402
from hologram import ops  # noqa: E402
from hologram.lang import DeviceArray, f32, get_global_id, u32  # noqa: E402

x = None  # a kernel has a parameter of this name


@hg.kernel
def scale(a: f32, x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        out[i] = a * x[i]


def sample(*shape: int, seed: int = 1):
    return np.random.default_rng([seed, *shape]).standard_normal(shape, np.float32)


def test_a_constant_may_come_to_the_memory_of_what_an_operation_needed_inside():
    def net(x):
        halves = ops.sum(ops.cast(x, np.float16), axis=1)  # its sum is f32 first
        return halves, ops.add(ops.sum(x, axis=1), np.zeros(4, np.float32))

    with hg.capture() as p:
        for name, array in zip("hs", net(p.input("x", np.zeros((4, 8), np.float32))), strict=True):
            p.output(name, array)
    ones = np.ones((4, 8), np.float32)
    for made, wanted in zip(p.run(ones), net(ones), strict=True):
        assert made.tobytes() == wanted.tobytes()


def test_plain_memory_that_a_kernel_wrote_is_refused():
    refused = "does not belong to the capture"
    with pytest.raises(hg.ArgumentError, match=refused), hg.capture() as p:
        plain, y = np.empty(100, np.float32), p.empty(100)
        scale(2.0, p.input("x", np.zeros(100, np.float32)), plain, 100)
        scale(1.0, plain, y, 100)
    with pytest.raises(hg.ArgumentError, match=refused), hg.capture() as p:
        plain = np.empty(100, np.float32)
        scale(2.0, p.input("x", np.zeros(100, np.float32)), plain, 100)
        p.output("y", plain)


def test_launches_before_keep_the_bytes_of_a_constant_that_is_written_in_part():
    def steps(x, constants):
        first = ops.mul(x, constants[2:18])
        scale(1.0, x[:4], constants[6:10], 4)
        return first, ops.exp(constants[0:6])

    numbers = np.arange(1, 21, dtype=np.float32)
    with hg.capture() as p:
        made = steps(p.input("x", np.zeros(16, np.float32)), numbers.copy())
        p.output("first", made[0])
        p.output("second", made[1])
    ones = np.ones(16, np.float32)
    for made, wanted in zip(p.run(ones), steps(ones, numbers.copy()), strict=True):
        assert made.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("n", [65, 100, 129, 300])
def test_results_of_several_launches_are_one_array(n):
    a, b = sample(n, n), sample(n, n, seed=2)
    with hg.capture() as p:
        p.output("y", ops.transpose(ops.gemm(p.input("a", a), b)))
    assert p.run(b).tobytes() == ops.transpose(ops.gemm(b, b)).tobytes()


def test_a_global_of_the_name_of_a_parameter_may_be_an_array_of_a_capture():
    global x  # noqa: PLW0603
    with hg.capture() as p:
        x = p.input("x", np.ones(30, np.float32))

        @hg.kernel
        def double(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
            i = get_global_id()
            if i < n:
                out[i] = x[i] * 2.0

        y = p.empty(30)
        double(x, y, 30)
        p.output("y", y)
    assert np.array_equal(p.run(np.full(30, 3, np.float32)), np.full(30, 6, np.float32))


def test_an_output_is_read_after_the_last_code_of_the_caller():
    n = 1 << 18
    with hg.capture() as p:
        p.output("y", ops.exp(p.input("x", sample(n))))

    class Evil:
        """Whose exchange makes the output smaller."""

        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **_):
            self.calls = getattr(self, "calls", 0) + 1
            if self.calls == self.when:
                out.resize((1,), refcheck=False)
            return self.array.__dlpack__()

    for when in (1, 2, 3):
        out, evil = np.empty(n, np.float32), Evil()
        evil.array, evil.when = sample(n), when
        try:
            p.run(evil, out=out)
        except (hg.Error, ValueError):
            assert out.shape == (1,)
        else:
            assert out.shape == (n,) and np.array_equal(out, ops.exp(sample(n)))


def test_another_thread_may_end_a_capture():
    import threading

    generator = (p for p in [hg.capture()])
    capture = next(generator)
    capture.__enter__()
    thread = threading.Thread(target=lambda: capture.__exit__(ValueError, None, None))
    thread.start()
    thread.join()
    assert ops.exp(np.zeros(3, np.float32)).tolist() == [1, 1, 1]
    assert ops.cumsum(np.ones((2, 3), np.float32), axis=1).shape == (2, 3)
