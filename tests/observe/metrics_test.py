"""hg.metrics(): launches of every kind, what they come from, and threads."""

from __future__ import annotations

import threading

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

import binding_kernels as kernels  # noqa: E402

import hologram as hg  # noqa: E402
from hologram.lang import DeviceArray, f32, get_global_id, u32  # noqa: E402

IS_NATIVE = kernels.scale.path.startswith("native")
ENGINE = "cpu" if IS_NATIVE else "interpreter"


def test_launches_are_counted_by_engine() -> None:
    x = np.ones(1000, np.float32)
    before = hg.metrics()
    for _ in range(5):
        kernels.scale(2.0, x, 1000)
    kernels.scale.configure(grid=4, block=256)(2.0, x, 1000)
    kernels.scale.configure(backend="interpreter")(2.0, x, 1000)
    done = hg.metrics() - before
    others = {"library": 0, "opencl": 0, "cuda": 0, "registered": 0}
    if IS_NATIVE:
        assert done.launches == {"cpu": 6, "interpreter": 1, **others}
        assert done.launches_by_reason == {"interpreter: the interpreter was asked for": 1}
        # A launch with a shape is past the library, like the others, but does not say its sizes.
        assert done.bytes >= 6 * 4000
    else:
        assert done.launches == {"cpu": 0, "interpreter": 7, **others}
        assert done.bytes == 7 * 4000 and done.elements == 7 * 1000
    assert (done.faults, done.launches_refused, done.launches_empty) == (0, 0, 0)
    assert float(x[0]) == 2.0**7


@hg.kernel
def to_pairs(x: DeviceArray[f32], out: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        out[(i >> 1) + 5] = x[i]


# Two lanes may meet, so nothing runs; what is looked at to say where also finds a lane outside.
@pytest.mark.parametrize("backend", ("auto", "interpreter"))
def test_a_fault_that_the_reason_of_a_refusal_is(backend: str) -> None:
    x, out = np.ones(1000, np.float32), np.ones(5, np.float32)
    kernel = to_pairs.configure(grid=4, backend=backend)
    before = hg.metrics()
    with pytest.raises(hg.FaultError, match="element 5 of 5"):
        kernel(x, out, 1000)
    done = hg.metrics() - before
    assert (done.faults, done.launches_refused, done.launches_empty) == (1, 0, 0)
    assert sum(done.launches.values()) == 0
    last = kernel.last_launch
    assert (last.engine, "element 5 of 5" in last.reason) == ("", True)


def test_launches_that_do_not_run() -> None:
    x = np.ones(1000, np.float32)
    before = hg.metrics()
    with pytest.raises(hg.FaultError):
        kernels.scale(2.0, x, 1001)
    with pytest.raises(hg.ArgumentError):
        kernels.scale.configure(threads=2000)(2.0, x, 1000)
    kernels.scale(2.0, np.ones(0, np.float32), 0)
    done = hg.metrics() - before
    assert (done.faults, done.launches_refused, done.launches_empty) == (1, 1, 1)
    assert sum(done.launches.values()) == 1 and done.launches_checked == 1


def test_threads_count_for_themselves() -> None:
    def launch() -> None:
        x = np.ones(100, np.float32)
        for _ in range(500):
            kernels.scale(1.0, x, 100)

    before = hg.metrics()
    threads = [threading.Thread(target=launch) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    done = hg.metrics() - before
    assert done.launches[ENGINE] == 2000
    assert (done.elements, done.bytes) == (200_000, 800_000)


def test_a_launch_on_several_threads() -> None:
    if not IS_NATIVE:
        pytest.skip("only native code runs on several threads")
    x = np.ones(1 << 22, np.float32)
    before = hg.metrics()
    kernels.scale.configure(threads=2)(1.0, x, x.size)
    done = hg.metrics() - before
    assert done.launches["cpu"] == done.launches_on_threads == 1
    assert done.chunks > 1 and done.bytes == x.nbytes and done.elements == x.size


def test_a_kernel_is_verified_once_before_its_first_launch() -> None:
    x = np.ones(1000, np.float32)
    before = hg.metrics()
    hg.compile(kernels.scale)(1.0, x, x.size)
    assert (hg.metrics() - before).programs_verified == 1


def test_what_comes_before_a_launch(tmp_path, monkeypatch) -> None:
    bundle = hg.compile(kernels.sigmoid_of).bundle
    monkeypatch.setenv("HOLOGRAM_CACHE_DIR", str(tmp_path))
    before = hg.metrics()
    first = hg.load(_saved(bundle, tmp_path / "a.holo"))["sigmoid_of"]
    second = hg.load(_saved(bundle, tmp_path / "b.holo"))["sigmoid_of"]
    done = hg.metrics() - before
    assert (done.bundles_loaded, done.programs_verified) == (2, 2)
    if IS_NATIVE:
        assert (done.cache_misses, done.cache_hits, done.compiles) == (1, 1, 1)
        assert done.compile_nanoseconds > 0
        assert (first.path, second.path) == (
            first.path.replace("cache", "jit"),
            first.path.replace("jit", "cache"),
        )
    else:
        assert done.compiles == done.cache_hits == 0


def _saved(bundle: hg.Bundle, path) -> str:
    path.write_bytes(bundle.data)
    return str(path)
