"""Launches of kernels as plain Python beside those of the compiled ones: default grids of several
dimensions, subscripts, and arrays with gaps between their rows."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

import hologram as hg
from hologram.lang import DeviceArray, f32, get_global_id, kernel
from hologram.simulator import launch
from hologram.simulator.errors import KernelFaultError, LaunchError


@hg.kernel
def heat(u: DeviceArray[f32, 2], v: DeviceArray[f32, 2], k: f32):
    x, y = get_global_id(0), get_global_id(1)
    rows, columns = u.shape
    if y > 0 and y + 1 < rows and x > 0 and x + 1 < columns:
        around = u[y - 1, x] + u[y + 1, x] + u[y, x - 1] + u[y, x + 1]
        v[y, x] = u[y, x] + k * (around - 4.0 * u[y, x])


@hg.kernel
def lower(a: DeviceArray[f32, Literal[2]]):
    x, y = get_global_id(0), get_global_id(1)
    if y < a.shape[0] and x <= y and x < a.shape[1]:
        a[y, x] += 1.0


@hg.kernel
def corner(a: DeviceArray[f32, Literal[2]]):
    x, y = get_global_id(0), get_global_id(1)
    if y < a.shape[0] and x < a.shape[1] and x + y >= a.shape[0]:
        a[y, x] += 1.0


@hg.kernel
def volume(a: DeviceArray[f32, Literal[3]]):
    x, y, z = get_global_id(0), get_global_id(1), get_global_id(2)
    if z < a.shape[0] and y < a.shape[1] and x < a.shape[2]:
        a[z, y, x] += 1.0


@hg.kernel
def endless(a: DeviceArray[f32, 2]):
    x, y = get_global_id(0), get_global_id(1)
    a[y % a.shape[0], x % a.shape[1]] = 1.0


@hg.kernel
def far(a: DeviceArray[f32, 2]):
    i = get_global_id()
    if i < 1:
        a[0, 100] = 1.0


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).random(shape, np.float32)


@pytest.mark.parametrize("shape", [(30, 40), (3, 200), (200, 3), (16, 16), (18, 18)])
def test_a_default_launch_of_a_kernel_that_leaves_out_borders(shape: tuple[int, int]) -> None:
    u = numbers(*shape)
    compiled, plain = u.copy(), u.copy()
    heat(u, compiled, 0.1)
    launch(heat)(u, plain, 0.1)
    assert np.array_equal(compiled, plain)
    assert not np.array_equal(plain, u)


@pytest.mark.parametrize("shape", [(40, 30), (30, 60), (1, 1), (17, 16)])
@pytest.mark.parametrize("of", [lower, corner])
def test_a_default_launch_where_one_id_bounds_another(of, shape: tuple[int, int]) -> None:
    compiled, plain = np.zeros((2, *shape), np.float32)
    of[(4, 4), (16, 16)](compiled)
    launch(of)(plain)
    assert np.array_equal(compiled, plain)


def test_a_default_launch_of_three_dimensions() -> None:
    for shape in ((5, 6, 7), (5, 6, 0), (1, 20, 30)):
        a = np.zeros(shape, np.float32)
        launch(volume)(a)
        assert (a == 1).all()


def test_the_message_says_a_form_that_works() -> None:
    a = np.zeros((4, 4), np.float32)
    with pytest.raises(LaunchError, match=r"pass a grid: launch\(endless, grid=..., block=...\)"):
        launch(endless)(a)
    with pytest.raises(LaunchError, match=r"pass a grid: endless\[grid, block\]\(...\)$"):
        kernel(endless.__wrapped__)(a)
    launch(endless, grid=1, block=(4, 4), deterministic=False)(a)
    assert (a == 1).all()


def test_a_launch_has_a_subscript_as_a_kernel() -> None:
    u = numbers(30, 40)
    compiled = u.copy()
    heat(u, compiled, 0.1)
    for plain in (launch(heat)[(3, 2), (16, 16)], launch(heat, block=(8, 4))[(5, 8, 1)]):
        v = u.copy()
        plain(u, v, 0.1)
        assert np.array_equal(compiled, v)


def test_arrays_with_gaps_between_their_rows() -> None:
    u, wide = numbers(30, 40), np.zeros((2, 33, 50), np.float32)
    heat(u, wide[0, 2:32, 5:45], 0.1)
    launch(heat)(u, wide[1, 2:32, 5:45], 0.1)
    assert np.array_equal(wide[0], wide[1])
    assert wide[1].any()
    source = numbers(30, 50)
    a, b = np.zeros((2, 30, 40), np.float32)
    heat(source[:, 3:43], a, 0.1)
    launch(heat)(source[:, 3:43], b, 0.1)
    assert np.array_equal(a, b)
    cube = np.zeros((4, 5, 6), np.float32)
    launch(volume)(cube[::2, 1:4, :3])
    assert cube.sum() == (cube[::2, 1:4, :3] == 1).sum() == 2 * 3 * 3


def test_bounds_of_an_array_with_gaps_are_those_of_its_memory() -> None:
    wide = np.zeros((4, 8), np.float32)
    with pytest.raises(hg.FaultError, match=r"a\[0, ?100\] writes element 100 of 28"):
        far(wide[:, :4])
    with pytest.raises(KernelFaultError, match=r"a\[0, ?100\] writes element 100 of 28"):
        launch(far)(wide[:, :4])


def test_what_the_compiled_kernel_refuses_is_refused() -> None:
    a, v = numbers(4, 8), np.zeros((4, 4), np.float32)
    for bad in (a[:, ::2], a[::-1, :4], numbers(4, 4).T):
        with pytest.raises(hg.ArgumentError):
            heat(bad, v, 0.1)
        with pytest.raises(LaunchError, match="not contiguous"):
            launch(heat)(bad, v, 0.1)
    with pytest.raises(hg.ArgumentError, match="share memory"):
        heat(a[:, :4], a[:, 4:], 0.1)
    with pytest.raises(LaunchError, match="shares memory"):
        launch(heat)(a[:, :4], a[:, 4:], 0.1)
