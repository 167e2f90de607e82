"""Calls whose arguments the binding takes apart by itself, after Python has done so once: the same
results and errors as Python's way, for arguments of every kind, and no Python in between."""

from __future__ import annotations

import gc
import itertools
import sys
import threading
import weakref
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pytest

import hologram as hg
from hologram.lang import (
    DeviceArray,
    complex64,
    constexpr,
    f32,
    f64,
    get_global_id,
    u8,
    u32,
    vec3,
)

T = TypeVar("T", f32, f64)
POINT = np.dtype([("x", "f4"), ("y", "f4")], align=True)
BALL = np.dtype([("at", POINT), ("kind", "u1")], align=True)


@dataclass
class Point:
    x: f32
    y: f32


@dataclass
class Ball:
    at: Point
    kind: u8


@hg.kernel
def turn(z: DeviceArray[complex64], by: complex64, n: u32, s: f32 = 2.0):
    i = get_global_id()
    if i < n:
        z[i] = z[i] * by * s


@hg.kernel
def shift(x: DeviceArray[vec3], mask: DeviceArray[f32] | None, by: vec3, n: u32):
    i = get_global_id()
    if i < n:
        if mask is not None:
            x[i] = x[i] + by * mask[i]
        else:
            x[i] = x[i] - by


@hg.kernel
def fall(balls: DeviceArray[Ball], n: u32):
    i = get_global_id()
    if i < n:
        balls[i].at.y = balls[i].at.y - f32(balls[i].kind)


@hg.kernel
def image(z: DeviceArray[complex64, 2], h: u32, w: u32):
    i = get_global_id()
    if i < h * w:
        z[i // w, i % w] = z[i // w, i % w] * complex64(0.0, 1.0)


@hg.kernel
def power(x: DeviceArray[T], n: u32, by: constexpr = 2):
    i = get_global_id()
    if i < n:
        x[i] = x[i] * by


class Listed(np.ndarray):
    pass


N = 6
rng = np.random.default_rng(1)


def complex_arrays() -> list[Any]:
    z = (rng.random(N) + 1j * rng.random(N)).astype(np.complex64)
    read_only = z.copy()
    read_only.flags.writeable = False
    return [
        *(z, z[1:], z[::2], z[:0], z.astype(np.complex128), z.astype(">c8"), z.view(Listed)),
        *(z.view("f4"), z.view("f4").reshape(N, 2), z.view("f4").reshape(N, 2).T, z.reshape(2, 3)),
        *(z.view(POINT), z.view("u8"), z.view("i4").reshape(N, 2), read_only, list(z), None, 1.0),
        z.view("f4").reshape(2, 3, 2),
    ]


def vectors() -> list[Any]:
    x = rng.random((N, 3)).astype(np.float32)
    record = np.dtype([("x", "f4"), ("y", "f4"), ("z", "f4")])
    swapped = np.dtype([("y", "f4"), ("x", "f4"), ("z", "f4")])
    return [
        *(x, x.ravel(), x.ravel()[:-1], x[:0], x[:, :2], x.astype(np.float64), x.reshape(2, 3, 3)),
        *(x.view(record).ravel(), x.view(record), x.view(swapped).ravel(), x.reshape(-1, 3, 1)),
        *(np.asfortranarray(x), x[::2], x.view("u4"), "x", x.view(np.recarray)),
    ]


VALUES: list[Any] = [
    *(1j, 2.0, 3, True, None, "1", (1.0, 2.0), [1.0, 2], (1.0,), (1.0, "2"), 1e300, np.float32(2)),
    *(np.complex64(1j), np.array([1.0, 2.0]), np.array([1, 2]), (1.0, 2.0, 3.0), [1, 2, 3]),
    *(np.array([1, 2, 3], np.float32), np.arange(6.0)[::2], (np.float32(1), 2, 3.0), 10**400),
]


def outcome(call: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    """What a call leaves in copies of its arguments, or its error."""

    def copied(value: Any) -> Any:
        if not isinstance(value, np.ndarray):
            return value
        copy = np.empty_like(value, subok=True)
        copy[...] = value
        if value.flags.c_contiguous or value.flags.f_contiguous or value.ndim != 1:
            copy.flags.writeable = value.flags.writeable
            return copy
        wide = np.zeros(2 * len(value), value.dtype)
        wide[::2] = value
        return wide[::2]

    arguments = tuple(copied(value) for value in arguments)
    named = {name: copied(value) for name, value in named.items()}
    try:
        call(*arguments, **named)
    except Exception as error:
        return type(error), str(error)
    left = [value for value in (*arguments, *named.values()) if isinstance(value, np.ndarray)]
    return tuple(array.tobytes() for array in left)


def remembered(kernel: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    """The outcome by the way that an earlier call with the same arguments has left behind."""
    outcome(kernel, arguments, named)
    return outcome(kernel, arguments, named)


def check(kernel: Any, arguments: tuple[Any, ...], **named: Any) -> None:
    assert outcome(kernel, arguments, named) == outcome(kernel._launch, arguments, named)
    assert remembered(kernel, arguments, named) == outcome(kernel._launch, arguments, named)


CASES: list[tuple[Any, list[list[Any]]]] = [
    (turn, [complex_arrays(), VALUES, [N, 2, 7, 2.5, -1, None], [1.0, 3]]),
    (shift, [vectors(), [None, np.ones(N, np.float32), np.ones(N), 1.0], VALUES[-6:], [N, 2, 7]]),
    (image, [[*complex_arrays(), np.ones((2, 3), np.complex64)], [2, 1], [3, 0, 9]]),
    (
        power,
        [[np.ones(N, t) for t in ("f4", "f8", "i4", "c8", ">f4")], [N, 2, 7], [2, 3, True, 1.5]],
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_every_choice_of_arguments(case: tuple[Any, list[list[Any]]]) -> None:
    """In an order in which each call follows one that differs in most of its arguments."""
    kernel, choices = case
    launches = list(itertools.product(*choices))
    rng.shuffle(launches)
    for arguments in launches[:400]:
        check(kernel, tuple(arguments))


def test_records() -> None:
    balls = np.zeros(N, BALL)
    balls["kind"] = np.arange(N)
    packed = np.zeros(N, np.dtype([("at", POINT), ("kind", "u1")]))
    other = np.dtype({"names": ["at", "sort"], "formats": [BALL["at"], "u1"], "itemsize": 12})
    for array in (balls, balls[1:], balls[::2], packed, balls.view(other), balls.view("u1"), balls):
        for n in (0, 2, N, N + 1):
            check(fall, (array, n))
    fall(balls, N)
    assert balls["at"]["y"].tolist() == [-k for k in range(N)]


def test_names_and_defaults() -> None:
    z = complex_arrays()[0]
    for kernel in (turn, turn[1, 64], turn[1], turn.configure(threads=1)):
        check(kernel, (z, 1j, N))
        check(kernel, (z, 1j), n=N)
        check(kernel, (), by=1j, s=3.0, n=N, z=z)
        check(kernel, (z, 1j, N), by=2j)
        check(kernel, (z, 1j, N), other=2)
        check(kernel, (z, 1j, N, 1.0, 2.0))
        check(kernel, (z,))
        check(kernel, (z, 1j, N), s=None)


def calls_of_python(call: Any, *arguments: Any) -> list[str]:
    """The functions of the package that run in a call."""
    found = []

    def note(frame: Any, event: str, _: Any) -> None:
        if event == "call" and "hologram" in frame.f_code.co_filename:
            found.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        call(*arguments)
    finally:
        sys.setprofile(None)
    return found


def test_no_python_runs_when_a_call_is_like_an_earlier_one() -> None:
    z, x, mask = complex_arrays()[0], vectors()[0], np.ones(N, np.float32)
    balls, doubles, picture = np.zeros(N, BALL), np.ones(N), np.ones((2, 3), np.complex64)
    calls: list[tuple[Any, ...]] = [
        (turn, z, 1j, N),
        (turn[1, 64], z, (1.0, 2.0), N, 3.0),
        (shift, x, mask, (0, 0, 1), N),
        (shift, x, None, np.ones(3), N),
        (fall, balls, N),
        (image, picture, 2, 3),
        (power, mask, N),
        (power, doubles, N, 3),
    ]
    for kernel, *arguments in calls:
        kernel(*arguments)
    for kernel, *arguments in calls:
        assert calls_of_python(kernel, *arguments) == [], kernel
    assert calls_of_python(turn, z, np.complex64(1j), N) != []  # the test sees what Python does


def test_sizes_are_those_of_the_call() -> None:
    """Not of the one that was remembered."""
    z = np.ones(N, np.complex64)
    turn(z, 1j, N)
    with pytest.raises(hg.FaultError):
        turn(z[:2], 1j, N)
    z.resize(3, refcheck=False)
    with pytest.raises(hg.FaultError):
        turn(z, 1j, N)
    turn(z, 1j, 3)


def test_subscripts() -> None:
    z = np.ones(N, np.complex64)
    assert turn[1, 64] is turn[1, 64]
    for grid, block in ((1, 64), (1.0, 64), ((1, 1), (64, 1))):
        turn[grid, block](z, 1j, N)
    for grid in (1.5, "1", None, [1, 1], (1, [1.5])):
        with pytest.raises(TypeError):
            turn[grid, 64](z, 1j, N)
    for size in range(1, 200):
        turn[1, size](z, 1j, 1)
    assert len(turn._configured) <= 64  # type: ignore[attr-defined]


def test_threads_that_ask_for_different_kernels() -> None:
    mask = np.ones(N, np.float32)
    wrong = []

    def work(with_mask: bool) -> None:
        for _ in range(300):
            x = np.zeros((N, 3), np.float32)
            shift(x, mask if with_mask else None, (0.0, 0.0, 1.0), N)
            if not (x[:, 2] == (1.0 if with_mask else -1.0)).all():
                wrong.append(with_mask)

    threads = [threading.Thread(target=work, args=(k % 2 == 0,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_kernels_are_collected() -> None:
    @hg.kernel
    def local(z: DeviceArray[complex64], n: u32):
        i = get_global_id()
        if i < n:
            z[i] = z[i] * 2.0

    local(np.ones(2, np.complex64), 2)
    local[1, 64](np.ones(2, np.complex64), 2)
    gone = weakref.ref(local)
    del local
    gc.collect()
    assert gone() is None


def test_what_does_not_fit_is_not_remembered() -> None:
    """The binding takes no place on trust."""
    z = np.ones(N, np.complex64)
    turn(z, 1j, N)
    plain = turn.plain()  # type: ignore[attr-defined]
    fresh = type(turn).__mro__[2]()  # a Dispatch
    dtype = np.dtype(np.complex64)
    good = [(2, "z", None, 2, 0, dtype), (1, "by", None, 2, 1, None), (0, "n", None, 0, 0, None)]
    good.append((0, "s", None, 0, 0, None))
    bad = [
        good[:-1],
        [*good, good[-1]],
        [(2, "z", None, 2, 0, np.dtype(np.complex128)), *good[1:]],
        [(2, "z", None, 3, 0, dtype), *good[1:]],
        [good[0], (1, "by", None, 3, 1, None), *good[2:]],
        [good[1], good[0], *good[2:]],
        [good[0], good[1], good[2], (2, "s", None, 1, 1, None)],
    ]
    for places in bad:
        fresh._remember(plain, tuple(places))
        with pytest.raises(AttributeError, match="_launch"):
            fresh(z, 1j, N, 1.0)
    for places in ([(9, "z", None, 2, 0, dtype)], [(2, "z", None, 0, 0, dtype)], [(2, "z")], [3]):
        with pytest.raises((TypeError, ValueError)):
            fresh._remember(plain, tuple(places))
    fresh._remember(3, tuple(good))
    with pytest.raises(AttributeError, match="_launch"):
        fresh(z, 1j, N, 1.0)
    fresh._remember(plain, tuple(good))
    fresh(z, 1j, N, 1.0)
    assert (z == -2).all()
