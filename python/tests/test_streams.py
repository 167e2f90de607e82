"""Arrays larger than memory: bits of the whole, errors in order, no torn output."""

from __future__ import annotations

import gc
import io
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import window_kernels as k

import hologram as hg

N = 100_003
X = np.random.default_rng(7).standard_normal(N, dtype=np.float32)
WINDOWS = (None, 1000, 4096, 70_000, 10**7)


def launched(kernel: Any, x: Any = X) -> bytes:
    y = np.zeros(x.size, np.float32)
    kernel(x, y, x.size)
    return y.tobytes()


@pytest.fixture
def files(tmp_path: Path) -> Path:
    np.save(tmp_path / "x.npy", X)
    X.tofile(tmp_path / "x.raw")
    return tmp_path


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("kernel", [k.chain, k.positive, k.blur], ids=lambda kernel: kernel.name)
def test_files(files: Path, kernel: Any, window: int | None) -> None:
    x, y = ("src", "dst") if kernel is k.blur else ("x", "y")
    done = hg.stream(
        kernel, {x: files / "x.npy", "n": hg.length_of(x)}, {y: files / "y.npy"}, window=window
    )
    assert np.load(files / "y.npy").tobytes() == launched(kernel)
    assert done.bytes_read == done.bytes_written == 4 * N
    for depth in (1, 2, 5):
        hg.stream(
            kernel, {x: files / "x.raw", "n": N}, {y: files / "y.raw"}, window=window, depth=depth
        )
        assert (files / "y.raw").read_bytes() == launched(kernel)
    assert sorted(os.listdir(files)) == ["x.npy", "x.raw", "y.npy", "y.raw"]


def test_rows_and_tables(files: Path) -> None:
    width, height = 100, 1000
    jacobi = k.jacobi[(1, height), (width, 1)]
    dst = np.zeros(width * height, np.float32)
    jacobi(X[: dst.size], dst, width, height)
    X[: dst.size].tofile(files / "a.raw")
    for window in WINDOWS:
        hg.stream(
            jacobi,
            {"src": files / "a.raw", "width": width, "height": height},
            {"dst": files / "b.raw"},
            window=window,
        )
        assert (files / "b.raw").read_bytes() == dst.tobytes()
    data = (X * 100).astype(np.int8).view(np.uint8)
    data.tofile(files / "u.raw")
    table = np.zeros(256, np.uint32)
    hg.stream(k.histogram, {"src": files / "u.raw", "n": hg.length_of("src")}, {"table": table})
    assert (table == np.bincount(data, minlength=256)).all()


def test_places(files: Path) -> None:
    expected = launched(k.chain)
    length = {"n": hg.length_of("x")}

    def chunks() -> Iterator[Any]:
        for at in range(0, N, 777):
            yield X[at : at + 777]

    kept: list[Any] = []
    hg.stream(k.chain, {"x": chunks(), **length}, {"y": kept.append}, window=10_000)
    assert np.concatenate(kept).tobytes() == expected
    with open(files / "x.raw", "rb") as source, open(files / "y.raw", "wb") as sink:
        hg.stream(k.chain, {"x": source, **length}, {"y": sink})
    assert (files / "y.raw").read_bytes() == expected
    with open(files / "y.raw", "rb+") as sink:
        source = os.open(files / "x.raw", os.O_RDONLY)
        hg.stream(k.chain, {"x": source, **length}, {"y": sink.fileno()})
        os.close(source)
    assert (files / "y.raw").read_bytes() == expected
    out = np.zeros(N, np.float32)
    hg.stream(k.chain, {"x": chunks(), **length}, {"y": (files / "y.npy", N)})
    hg.stream(k.chain, {"x": X, "n": N}, {"y": out}, pool=hg.Pool(128 * 1024))
    assert np.load(files / "y.npy").tobytes() == out.tobytes() == expected


def test_pipes(files: Path) -> None:
    program = (
        "import hologram as hg, window_kernels as k; "
        "hg.stream(k.chain, {'x': '-', 'n': hg.length_of('x')}, {'y': '-'}, window=5000)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], input=X.tobytes(), capture_output=True, check=False
    )
    assert done.stderr == b""
    assert done.stdout == launched(k.chain)
    # Kernels that see more than their own element need the length; it may be said.
    read, write = os.pipe()
    os.write(write, X[:1000].tobytes())
    os.close(write)
    with pytest.raises(hg.ArgumentError, match="needs the length of what it streams"):
        hg.stream(k.blur, {"src": read, "n": hg.length_of("src")}, {"dst": files / "y.raw"})
    hg.stream(k.blur, {"src": (read, 1000), "n": 1000}, {"dst": files / "y.raw"})
    os.close(read)
    assert (files / "y.raw").read_bytes() == launched(k.blur, X[:1000])


def test_functions(files: Path) -> None:
    ops = hg.ops
    x = files / "x.npy"
    hg.stream(ops.exp, [x], [files / "y.npy"], window=10_000)
    assert np.load(files / "y.npy").tobytes() == ops.exp(X).tobytes()
    fused = hg.fuse(lambda a, b, c: ops.relu(a * c + 1.0) * b)
    hg.stream(fused, [x, f"{files / 'x.raw'}:f32", 2.0], [files / "y.raw"])
    assert (files / "y.raw").read_bytes() == fused(X, X, 2.0).tobytes()
    steps = [lambda a: a * np.float32(2), ops.tanh, ops.exp]
    hg.stream(steps, [x], [files / "y.raw"])
    assert (files / "y.raw").read_bytes() == ops.exp(ops.tanh(X * np.float32(2))).tobytes()
    assert hg.stream([ops.exp, ops.sum], [x]).result == ops.sum(ops.exp(X))
    rows = X[:100_000].reshape(-1, 100)
    hg.stream(
        lambda a: ops.softmax(a.reshape(-1, 100)).reshape(-1), [X[:100_000]], [files / "y.raw"],
        row=100, window=9999,
    )  # fmt: skip
    assert (files / "y.raw").read_bytes() == ops.softmax(rows).tobytes()


@pytest.mark.parametrize("n", [1, 2, 4095, 4096, 4097, 8192, 8193, 65_537, 4096 * 30 + 1])
def test_reductions(n: int) -> None:
    x = np.resize(X, n)
    for op in (hg.ops.sum, hg.ops.mean, hg.ops.max):
        for window in (1, 1 << 16, 1 << 20):
            got = hg.stream(op, [x], window=window).result
            assert np.float32(got).tobytes() == np.float32(op(x)).tobytes(), (op, window)


def test_a_sum_of_many_levels() -> None:
    n = 4096 * 4096 + 4096 + 5
    x = np.resize(X, n)
    got = hg.stream(hg.ops.sum, [x], window=1 << 20).result
    assert np.float32(got).tobytes() == np.float32(hg.ops.sum(x)).tobytes()


def test_pools() -> None:
    pool = hg.Pool(4096)
    assert len(pool) == 4096 and not pool.array(0, 1024, "f32").any()
    pool.copy_to(64, X[:10])
    view = pool.array(64, 10, "f32")
    assert view.tobytes() == X[:10].tobytes()
    k.chain(view, pool.array(1024, 10, np.float32), 10)
    out = np.zeros(10, np.float32)
    pool.copy_from(1024, out)
    assert out.tobytes() == launched(k.chain, X[:10].copy())
    with pytest.raises(hg.ArgumentError, match="40 bytes at byte 4080 of a pool of 4096 bytes"):
        pool.copy_to(4080, X[:10])
    with pytest.raises(hg.ArgumentError, match="8 bytes at byte 4092 of a pool of 4096"):
        pool.array(4092, 2, "f32")
    with pytest.raises(hg.ArgumentError, match="byte 2 of a pool is not aligned"):
        pool.array(2, 2, "f32")
    y = np.zeros(N, np.float32)
    with pytest.raises(hg.ResourceLimitError, match=r"need \d+ bytes, the pool has 4096"):
        hg.stream(k.chain, {"x": X, "n": N}, {"y": y}, pool=pool, window=8192)
    hg.stream(k.chain, {"x": X, "n": N}, {"y": y}, pool=pool)
    assert y.tobytes() == launched(k.chain)
    with pytest.raises(hg.ResourceLimitError, match=r"need \d+ bytes, the pool has 64"):
        hg.stream(k.blur, {"src": X, "n": N}, {"dst": y}, pool=hg.Pool(64), window=4096)


def test_wrong_lengths(files: Path) -> None:
    (files / "odd.raw").write_bytes(b"12345")
    out = {"y": files / "y.raw"}
    with pytest.raises(hg.ArgumentError, match="5 bytes end in the middle of an element of 4"):
        hg.stream(k.chain, {"x": files / "odd.raw", "n": 1}, out)
    with pytest.raises(hg.ArgumentError, match="ends after 4000 bytes; it was to have 8000"):
        hg.stream(k.chain, {"x": ([X[:1000]], 2000), "n": 2000}, out)
    with pytest.raises(hg.ArgumentError, match="ends after 7 bytes, in the middle of an element"):
        hg.stream(k.chain, {"x": io.BytesIO(b"1234567"), "n": hg.length_of("x")}, out)
    with pytest.raises(hg.ArgumentError, match="has 1000 elements, 'input 0' has more"):
        hg.stream(np.add, [iter([X]), iter([X[:1000]])], [files / "y.raw"])
    with pytest.raises(hg.ArgumentError, match="may touch any element of 'src'"):
        hg.stream(
            k.gather,
            {"src": files / "x.raw", "index": np.zeros(N, np.uint32), "n": N},
            {"dst": files / "y.raw"},
        )
    with pytest.raises(hg.UnsupportedError, match="goes back to element"):
        hg.stream(
            k.backwards, {"src": files / "x.raw", "n": N}, {"dst": files / "y.raw"}, window=4096
        )
    assert not (files / "y.raw").exists()
    assert sorted(os.listdir(files)) == ["odd.raw", "x.npy", "x.raw"]


class FailsAt:
    def __init__(self, byte: int, data: bytes) -> None:
        self.left, self.data = byte, data

    def read(self, size: int) -> bytes:
        if self.left == 0:
            raise OSError(f"broken at {len(self.data)}")
        size = min(size, self.left, 97)
        self.left -= size
        part, self.data = self.data[:size], self.data[size:]
        return part


def test_a_reader_that_fails_at_each_byte(files: Path) -> None:
    (files / "y.raw").write_bytes(b"before")
    data = X[:256].tobytes()
    for byte in [*range(40), *range(41, len(data), 61)]:
        got: list[Any] = []
        with pytest.raises(OSError, match="broken at"):
            hg.stream(
                k.chain, {"x": (FailsAt(byte, data), 256), "n": 256}, {"y": got.append}, window=64
            )
        # Windows before it are written, and none after.
        written = b"".join(part.tobytes() for part in got)
        assert launched(k.chain, X[:256].copy()).startswith(written)
        assert len(written) in (0, byte // 64 * 64)
        with pytest.raises(OSError, match="broken at"):
            hg.stream(
                k.chain,
                {"x": FailsAt(byte, data), "n": hg.length_of("x")},
                {"y": files / "y.raw"},
                window=64,
            )
    assert (files / "y.raw").read_bytes() == b"before"
    assert sorted(os.listdir(files)) == ["x.npy", "x.raw", "y.raw"]


def test_a_fault_is_in_order(files: Path) -> None:
    numbers = np.ones(10_000, np.int32)
    numbers[7000] = 0
    got: list[Any] = []
    with pytest.raises(hg.FaultError, match="division by zero"):
        hg.stream(
            k.divides, {"x": (iter([numbers]), 10_000), "n": 10_000}, {"y": got.append}, window=4096
        )
    assert sum(part.size for part in got) == 6 * 1024
    with pytest.raises(ZeroDivisionError):
        hg.stream(lambda a: 1 // 0, [X], [files / "y.raw"], window=4096)
    assert not (files / "y.raw").exists()


def test_a_full_disk_and_a_killed_reader(files: Path) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    with pytest.raises(hg.ResourceLimitError, match="'y': no space left on device at byte 0"):
        hg.stream(k.chain, {"x": files / "x.raw", "n": N}, {"y": full}, window=4096)
    os.close(full)
    reader = subprocess.Popen(
        ["head", "-c", "5000"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    assert reader.stdin is not None
    endless = (X for _ in iter(int, 1))
    with pytest.raises(hg.ArgumentError, match="'y': broken pipe at byte"):
        hg.stream(k.chain, {"x": endless, "n": hg.length_of("x")}, {"y": reader.stdin.fileno()})
    reader.stdin.close()
    assert reader.wait() == 0


def test_ctrl_c_ends_a_stream_that_waits(files: Path) -> None:
    read, write = os.pipe()
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    began = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        hg.stream(k.chain, {"x": read, "n": hg.length_of("x")}, {"y": files / "y.raw"})
    assert time.perf_counter() - began < 5
    os.close(read)
    os.close(write)
    timer.join()
    assert sorted(os.listdir(files)) == ["x.npy", "x.raw"]


def test_progress_hears_and_stops(files: Path) -> None:
    heard: list[Any] = []

    def slow() -> Iterator[Any]:
        for _ in range(5):
            time.sleep(0.1)
            yield X

    hg.stream(
        k.chain,
        {"x": slow(), "n": hg.length_of("x")},
        {"y": files / "y.raw"},
        progress=heard.append,
    )
    assert heard and heard[-1].bytes_read > 0

    def stop(_now: Any) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        hg.stream(
            k.chain, {"x": slow(), "n": hg.length_of("x")}, {"y": files / "z.raw"}, progress=stop
        )
    assert not (files / "z.raw").exists()


def test_a_pool_has_a_size() -> None:
    with pytest.raises(hg.ArgumentError, match="a number of bytes, found -1"):
        hg.Pool(-1)


def test_many_windows_leak_nothing(files: Path) -> None:
    small = np.resize(X, 10**5)
    y = np.zeros(small.size, np.float32)
    pool = hg.Pool(128)
    threads = threading.active_count()

    def run() -> int:
        done = hg.stream(k.chain, {"x": small, "n": small.size}, {"y": y}, pool=pool, window=4)
        gc.collect()
        assert done.windows >= 10**5
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    first = run()
    assert run() - first < 1024  # KiB
    assert y.tobytes() == launched(k.chain, small)
    open_before = len(os.listdir("/proc/self/fd"))
    for _ in range(50):
        hg.stream(k.chain, {"x": files / "x.raw", "n": N}, {"y": files / "y.raw"}, window=50_000)
    assert len(os.listdir("/proc/self/fd")) == open_before
    assert threading.active_count() == threads
