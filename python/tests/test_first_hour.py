"""The first kernels of a new user: messages say what to write, and point at the user's line."""

from __future__ import annotations

import os
import subprocess
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hologram as hg
from hologram import lang
from hologram.lang import DeviceArray, f32, get_global_id, i32, local
from hologram.simulator import launching
from hologram.simulator.errors import KernelFaultError


@hg.kernel
def divide(a: DeviceArray[i32], b: DeviceArray[i32]):
    i = get_global_id()
    if i < len(a):
        a[i] = a[i] / b[i]


@hg.kernel
def copy(x: DeviceArray[f32], y: DeviceArray[f32]):
    i = get_global_id()
    if i < len(x):
        y[i] = x[i]


@hg.kernel
def grows(x: DeviceArray[f32]):
    buf = local(f32, 8)
    i = get_global_id()
    if i < len(x):
        buf.append(x[i])


@hg.kernel
def unguarded(x: DeviceArray[f32], y: DeviceArray[f32]):
    i = get_global_id()
    y[i] = x[i]


@hg.kernel
def before(x: DeviceArray[f32], y: DeviceArray[f32]):
    i = get_global_id()
    if i < len(x):
        y[i] = x[i - 1]


@hg.kernel
def total(x: DeviceArray[f32], s: DeviceArray[f32]):
    i = get_global_id()
    if i < len(x):
        s[0] += x[i]


@hg.kernel(block=8)
def blocks(x: DeviceArray[f32]):
    i = get_global_id()
    if i < len(x):
        x[i] += 1.0


@lang.kernel
def slow(x: DeviceArray[f32]):
    i = get_global_id()
    if i < len(x):
        x[i] = max(x[i], 1.0)


@lang.kernel
def slower(x: DeviceArray[f32]):
    i = get_global_id()
    if i < len(x):
        x[i] = max(x[i], 2.0)


@lang.kernel
def first(x: DeviceArray[f32]):
    i = get_global_id()
    x[i] = x[i - 1]


def refused(*call: Any) -> hg.Error:
    with pytest.raises(hg.Error) as caught:
        call[0](*call[1:])
    return caught.value


def test_a_refused_kernel_shows_its_line_and_no_frames_of_ours() -> None:
    ints = np.ones(4, np.int32)
    with pytest.raises(hg.CompileError) as caught:
        divide(ints, ints)
    text = str(caught.value).splitlines()
    assert text[0].endswith("write `//` to divide integers, or i32(...) to cut off the fraction")
    assert text[1:] == ["          a[i] = a[i] / b[i]", "                 ^"]
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert [Path(frame.filename).name for frame in frames] == [Path(__file__).name]


def test_a_copy_of_an_array_that_is_written_is_to_be_copied_back() -> None:
    x, apart = np.ones(4, np.float32), np.ones(8, np.float32)[::2]
    assert str(refused(copy, apart, x)).endswith("makes a copy that is")
    assert str(refused(copy, x, apart)).endswith("so copy the result back after the call")


def test_arguments_of_another_kind_say_what_to_write() -> None:
    x = np.ones(4, np.float32)
    for wrong, message in (
        ((x.astype(np.float64), x), "write x.astype(np.float32)"),
        ((x, np.ones(4, np.int32)), "found an array of i32; make it with dtype=np.float32"),
        (([1, 2], x), "found [1, 2]; write np.array(..., np.float32)"),
    ):
        assert str(refused(copy, *wrong)).endswith(message)
    assert str(refused(hg.ops.exp, [1, 2])).endswith("write np.array(..., np.float32)")


def test_names_of_the_language_say_where_they_work() -> None:
    with pytest.raises(RuntimeError, match="write `@hg.kernel` above the function that calls it"):
        get_global_id()
    with pytest.raises(hg.CompileError) as caught:
        grows(np.ones(4, np.float32))
    assert "write an element, `a[i] = x`" in str(caught.value)


def test_faults_say_what_to_write() -> None:
    x, y = np.ones(1000, np.float32), np.ones(1000, np.float32)
    wanted = 'x[i] reads element 1000 of 1000 (i = 1000); add "if i < len(x):"'
    assert refused(unguarded, x, y).message == wanted
    wanted = "reads element 4294967295 of 1000 (i = 0); 4294967295 is -1 without a sign"
    assert wanted in refused(before, x, y).message
    with pytest.raises(KernelFaultError, match=r"is -1 without a sign: ids are unsigned$"):
        first[1, 4](np.ones(4, np.float32))
    with pytest.raises(KernelFaultError, match=r'\(i = 4\); add "if i < len\(x\):"'):
        lang.kernel(unguarded.__wrapped__)[1, 8](np.ones(4, np.float32), np.ones(8, np.float32))


def test_a_race_is_named_before_a_grid_is_asked_for() -> None:
    x, s = np.ones(1000, np.float32), np.zeros(1, np.float32)
    message = refused(total, x, s).message
    assert "lane 1 reads s[0], which lane 0 writes" in message
    assert "use atomic_add or block_reduce_add; deterministic=False" in message


def test_a_grid_alone_takes_the_block_of_the_kernel() -> None:
    x = np.zeros(40, np.float32)
    blocks[2](x)
    assert x.sum() == 16
    with pytest.raises(TypeError, match=r"kernel\.configure\(grid=\(x, y, z\)\)"):
        blocks[2, 1, 1]


def test_a_large_launch_of_plain_python_warns_once() -> None:
    launching._warned.clear()
    assert repr(slow) == "<hologram.lang.Kernel slow, runs as plain Python; @hg.kernel compiles>"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        slow(np.zeros(10, np.float32))
        slow(np.zeros(launching.MOST_SILENT_LANES + 1, np.float32))
        slow(np.zeros(launching.MOST_SILENT_LANES + 1, np.float32))
    assert [warning.filename for warning in caught] == [__file__]
    assert "write `@hg.kernel`" in str(caught[0].message)
    with pytest.warns(RuntimeWarning, match="'slower'"):  # each kernel, not the first alone
        slower(np.zeros(launching.MOST_SILENT_LANES + 1, np.float32))


def test_all_names_of_the_language_leave_python_its_own() -> None:
    program = "from hologram.lang import *\nprint(max(1, 2, 3), round(2.345, 1), abs(-1), min([4]))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "3 2.3 1 4\n"
