"""Ctrl-C while a kernel runs, Executor.cancel(), and launches that are refused for their rounds."""

from __future__ import annotations

import ctypes
import functools
import operator
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

import cancel_kernels as kernels  # noqa: E402, I001
import hologram as hg  # noqa: E402

MOST_SECONDS = 1.0
LANES = 300


def words(n: int = LANES) -> np.ndarray:
    return np.ones(n, np.uint32)


SENDER = """if True:
    import os, signal, sys, time
    time.sleep(float(sys.argv[2]))
    print(time.monotonic(), flush=True)
    os.kill(int(sys.argv[1]), signal.SIGINT)
"""


@contextmanager
def interrupted(delay: float = 0.3) -> Iterator[None]:
    """SIGINT after a while, which must end the launch inside. It is sent by another process: a
    thread would wait for a launch that keeps the interpreter's lock."""
    command = [sys.executable, "-S", "-c", SENDER, str(os.getpid()), str(delay)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as sender:
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            yield
            ended = time.monotonic()
            time.sleep(5)
            pytest.fail(f"the launch ended after {ended - began} s, before a signal")
        came = time.monotonic()
        sent = float(sender.communicate()[0])
    assert came - sent < MOST_SECONDS


ENDLESS: list[tuple[str, Callable[[], object]]] = [
    ("one loop", lambda: kernels.spin(words(), words(), 2**32 - 1, LANES)),
    (
        "interpreter",
        lambda: kernels.spin.configure(backend="interpreter")(words(), words(), 2**32 - 1, LANES),
    ),
    ("one thread", lambda: kernels.spin.configure(threads=1)(words(), words(), 2**31, LANES)),
    ("much memory", lambda: kernels.spin(words(10**6), words(10**6), 2**31, 10**6)),
    ("budget", lambda: kernels.unbounded.configure(budget=2**62)(words(), words(), LANES)),
    ("nest", lambda: kernels.nest.configure(budget=2**64 - 1)(words(), 2**21, LANES)),
    ("barriers", lambda: kernels.meet[2, 256](words(512), 2**32 - 1)),
    ("lanes", lambda: kernels.wide[2**24 - 1, 256](words(), LANES)),
    ("down", lambda: kernels.down(words(), 2**31, 1, LANES)),
    ("between", lambda: kernels.between(words(), -(2**30), 1, LANES)),
    ("alike", lambda: kernels.alike(words(1024), 2**31, 1024)),
    ("past", lambda: kernels.past(words(2**16), 3, 2**16)),
    ("past, interpreted", lambda: kernels.past.configure(backend="interpreter")(words(), 3, LANES)),
]


@pytest.mark.parametrize("launch", [run for _, run in ENDLESS], ids=[name for name, _ in ENDLESS])
def test_ctrl_c_ends_a_launch(launch: Callable[[], object]) -> None:
    kernels.spin(words(), words(), 1, LANES)  # compiled
    for kernel in (kernels.unbounded, kernels.nest, kernels.meet, kernels.wide):
        assert kernel.name  # and these
    with interrupted():
        launch()
    x, out = words(), words()
    kernels.spin(x, out, 0, LANES)
    assert np.array_equal(out, x)


def test_ctrl_c_ends_a_pipeline() -> None:
    # Some seconds, also in the interpreter: the capture runs all of it.
    rounds = 2**27 if kernels.alike.path.startswith("native") else 2**21
    with hg.capture() as pipeline:
        out = pipeline.empty(1024, np.uint32)
        kernels.alike(out, rounds, 1024)
        pipeline.output("out", out)
    with interrupted():
        pipeline.run()


def test_the_handler_is_as_before() -> None:
    before = signal.getsignal(signal.SIGINT)
    with interrupted():
        kernels.spin(words(), words(), 2**32 - 1, LANES)
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(KeyboardInterrupt):  # outside of any launch
        signal.raise_signal(signal.SIGINT)
        time.sleep(1)


def test_a_handler_of_the_user_runs() -> None:
    kernels.spin(words(), words(), 1, LANES)  # compiled
    seen = []
    before = signal.signal(signal.SIGINT, lambda number, _: seen.append(number))
    try:
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(hg.CancelledError, match="kernel 'spin': the launch was cancelled"):
            kernels.spin(words(), words(), 2**32 - 1, LANES)
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [signal.SIGINT]


def test_a_signal_that_is_ignored_changes_nothing() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        timer = threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        kernels.spin(words(), words(), 10**6, LANES)
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)


def test_ctrl_c_ends_operations() -> None:
    x = np.ones((1500, 1500))
    with interrupted():
        for _ in range(10**6):
            hg.ops.matmul(x, x)


def send_and_give(number: int) -> Callable[[], int]:
    """A function without Python code that sends SIGINT and gives `number`. Python's handler has not
    run when it returns."""
    kill = ctypes.CDLL(None).kill
    kill.restype = functools.partial(operator.add, number)  # of the 0 that kill() returns
    return functools.partial(kill, os.getpid(), signal.SIGINT.value)


def run_after_a_signal(call: functools.partial[object]) -> None:
    """Runs `call` with SIGINT noted. No Python code is between, where its handler would run."""
    with pytest.raises(KeyboardInterrupt):
        list(map(functools.partial.__call__, [functools.partial(send_and_give(0)), call]))


def test_a_scalar_whose_conversion_is_interrupted() -> None:
    class Number:
        __index__ = send_and_give(LANES)

    for kernel in (kernels.spin, kernels.spin.configure(budget=2**62)):
        kernel(words(), words(), 1, LANES)
        out = words()
        with pytest.raises(KeyboardInterrupt):
            kernel(words(), out, 10**7, Number())
        assert np.array_equal(out, words())
        kernel(words(), out, 0, LANES)


def test_a_signal_before_a_launch() -> None:
    for kernel in (kernels.spin, kernels.spin.configure(threads=1)):
        kernel(words(), words(), 1, LANES)
        out = words()
        run_after_a_signal(functools.partial(kernel, words(), out, 10**7, LANES))
        assert np.array_equal(out, words())


def test_a_signal_before_an_operation() -> None:
    x = np.ones((1500, 1500))
    out = np.zeros_like(x)
    run_after_a_signal(functools.partial(hg.ops.matmul, x, x, out=out))
    assert not out.any()
    assert hg.ops.matmul(x, x, out=out)[0, 0] == 1500


def test_a_signal_before_a_pipeline() -> None:
    x = np.ones((1500, 1500))
    with hg.capture("product") as p:
        p.output("y", hg.ops.matmul(p.input("x", x), x))
    out = np.zeros_like(x)
    run_after_a_signal(functools.partial(p.run, x, out=out))
    assert not out.any()
    p.run(x, out=out)
    assert out[0, 0] == 1500


def test_a_handler_of_the_user_runs_once_for_a_signal_before() -> None:
    kernels.spin(words(), words(), 1, LANES)  # compiled
    seen = []
    before = signal.signal(signal.SIGINT, lambda number, _: seen.append(number))
    try:
        run = functools.partial(kernels.spin, words(), words(), 10**7, LANES)
        with pytest.raises(hg.CancelledError, match="kernel 'spin': the launch was cancelled"):
            list(map(functools.partial.__call__, [functools.partial(send_and_give(0)), run]))
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [signal.SIGINT]


def test_a_process_by_itself_ends() -> None:
    code = (
        "import numpy as np, cancel_kernels as k\n"
        "x = np.ones(300, np.uint32)\n"
        "k.spin(x, x.copy(), 1, 300)\n"
        "print('ready', flush=True)\n"
        "k.spin(x, x.copy(), 2**32 - 1, 300)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert time.monotonic() - begin < MOST_SECONDS + 1  # the interpreter ends too
    assert "KeyboardInterrupt" in errors
    assert process.returncode != 0


def test_an_executor_is_cancelled_by_another_thread(tmp_path) -> None:
    file = tmp_path / "kernels.holo"
    file.write_bytes(kernels.spin.bundle.data)
    executor = hg.Executor(only_added=True)
    executor.load(file)
    spin = executor.kernel("spin")
    timer = threading.Timer(0.2, executor.cancel)
    timer.start()
    with pytest.raises(hg.CancelledError):
        spin(words(), words(), 2**32 - 1, LANES)
    timer.join()
    with pytest.raises(hg.CancelledError):
        spin(words(), words(), 2**32 - 1, LANES)
    executor.resume()
    x, out = words(), words()
    spin(x, out, 0, LANES)
    assert np.array_equal(out, x)


def test_nests_that_go_round_too_often_are_refused() -> None:
    out = words()
    with pytest.raises(hg.ArgumentError) as caught:
        kernels.nest(out, 2**32 - 1, LANES)
    assert (
        str(caught.value)
        .splitlines()[0]
        .endswith(
            "error: this launch may take 79228162458924105385300197375 rounds a lane, more than "
            "4294967296; pass budget= (library) or --budget (command) to allow it"
        )
    )
    assert caught.value.file.endswith("cancel_kernels.py")
    kernels.nest(out, 3, LANES)
    kernels.nest.configure(budget=2**33)(out, 3, LANES)
    with pytest.raises(hg.ArgumentError, match="4298942376 rounds a lane"):
        kernels.nest(out, 1626, LANES)
    with interrupted():
        kernels.nest.configure(budget=2**33)(out, 1800, LANES)
