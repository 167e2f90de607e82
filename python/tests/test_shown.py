"""What a kernel that is several compiled ones shows: the one that was launched. Behind the engine
of a kernel that is interpreted is the reason."""

from __future__ import annotations

import inspect
import warnings
from typing import TypeVar

import numpy as np
import pytest

import hologram as hg
from hologram.lang import DeviceArray, constexpr, f32, f64, get_global_id, kernel, vec2

T = TypeVar("T", f32, f64)
X = np.ones(4, np.float32)


def optional():
    @hg.kernel
    def opt(x: DeviceArray[f32], m: DeviceArray[f32] | None = None):
        i = get_global_id()
        if i < len(x) and (m is None or m[i] > 0.5):
            x[i] += 1.0

    return opt


def generic():
    @hg.kernel
    def scaled(x: DeviceArray[T], k: constexpr = 2):
        i = get_global_id()
        if i < len(x):
            x[i] = x[i] * k

    return scaled


@hg.vectorize
def line(a, b):
    return a * 2 + b


@hg.kernel
def turn(x: DeviceArray[vec2]):
    i = get_global_id()
    if i < len(x):
        x[i] = vec2(x[i].y, x[i].x)


def test_a_kernel_with_an_optional_array_shows_the_variant_that_was_launched() -> None:
    opt = optional()
    assert repr(opt) == "<hologram.ShapedKernel opt: compiled when it is first called>"
    assert sum(opt.counts.values()) == 0
    opt(X.copy())
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what was not launched is not compiled either
        assert repr(opt).startswith(f"<hologram.ShapedKernel opt, as opt_without_m: {opt.path}")
        assert opt.last_launch.engine
        assert "opt_without_m" in opt.asm()
    interpreted = opt.configure(backend="interpreter")
    for _ in range(3):
        interpreted(X.copy(), X)
    assert opt.counts["interpreted"] >= 3
    assert repr(opt).startswith(f"<hologram.ShapedKernel opt: {opt.path}")
    assert opt.last_launch.engine == "interpreter"
    html = opt._repr_html_()
    assert "def opt(x" in html and "<td>proved</td>" in html and "ShapedKernel opt" in html


def test_a_kernel_with_vectors_shows_its_engine() -> None:
    turn(np.ones((2, 2), np.float32))
    assert repr(turn).startswith(f"<hologram.ShapedKernel turn: {turn.path}")


def test_a_configured_kernel_shows_its_own_backend() -> None:
    opt = optional()
    alone = opt.configure(threads=1)
    assert repr(alone) == "<hologram.Configured opt(threads=1): compiled when it is first called>"
    alone(X.copy())
    assert repr(alone).startswith(f"<hologram.Configured opt(threads=1): {opt.path}")
    assert (alone.name, alone.path, alone.last_launch) == ("opt", opt.path, opt.last_launch)
    assert alone.explain() == opt.explain()
    slow = opt.configure(backend="interpreter")
    assert slow.path == "interpreter"
    assert ': interpreter; backend="interpreter">' in repr(slow)
    with pytest.raises(AttributeError, match="no attribute 'plain'"):
        _ = slow.plain  # which would not be configured
    plain = opt.plain().configure(threads=1, backend="interpreter")
    assert repr(plain) == '<hologram.Kernel opt: interpreter; backend="interpreter">'


def test_a_generic_kernel_with_one_instance_is_that_instance() -> None:
    scaled = generic()
    assert repr(scaled) == "<hologram.GenericKernel scaled: compiled when it is first called>"
    with pytest.raises(
        AttributeError, match="has no instance yet; call it or choose one, as in sc"
    ):
        _ = scaled.path
    scaled(X.copy())
    one = scaled.instance(T="f32")
    assert scaled.path == one.path and scaled.explain() == one.explain()
    assert repr(scaled).startswith(
        f"<hologram.GenericKernel scaled, 1 compiled: {one.name}: {one.path}"
    )
    assert scaled.configure(backend="interpreter").path == "interpreter"
    scaled.configure(backend="interpreter")(X.astype(np.float64), k=3)
    assert scaled.counts["interpreted"] >= 1
    with pytest.raises(AttributeError) as caught:
        scaled.asm()
    other = scaled.instance(T="f64", k=3).name
    assert str(caught.value) == (
        f"kernel 'scaled' has {one.name}, {other}; choose one, as in "
        "scaled.instance(T='f64', k=3).asm"
    )
    assert one.name in repr(scaled) and other in repr(scaled)
    assert scaled._repr_html_().count("<td>proved</td>") == 4


def test_functions_of_numbers_and_fused_functions_show_an_engine() -> None:
    assert repr(line) == "<hologram.Vectorized line: compiled when it is first called>"
    line(X, 2.0)
    assert repr(line).startswith("<hologram.Vectorized line, 1 compiled: f32(f32, f32): ")
    double = hg.fuse(lambda x: x * 2)
    assert repr(double).endswith("<lambda>: compiled when it is first called>")
    double(X)
    assert double.path() in ("interpreter", *[repr(double).partition(">: ")[2][:-1]])


@pytest.mark.parametrize("decorate", [hg.kernel, kernel])
def test_a_kernel_has_the_docstring_of_its_function(decorate) -> None:
    @decorate
    def plain(x: DeviceArray[f32]):
        """Adds one."""
        x[0] += 1.0

    @decorate
    def of_any_type(x: DeviceArray[T]):
        """Adds two."""
        x[0] += 2.0

    @decorate
    def without(x: DeviceArray[f32]):
        x[0] += 3.0

    assert inspect.getdoc(plain) == "Adds one."
    assert plain[1, 1].__doc__ == "Adds one." or decorate is kernel
    assert inspect.getdoc(of_any_type) == "Adds two."
    assert without.__doc__ is None
    assert of_any_type.__module__ == __name__
    assert of_any_type.__qualname__.endswith("<locals>.of_any_type")
    assert set(of_any_type.__annotations__) == {"x"}


def test_a_kernel_without_a_function_has_the_text_of_its_class() -> None:
    assert hg.kernels.vector_add.__doc__ == hg.Kernel.__doc__
    assert hg.Kernel.__doc__.startswith("A kernel that is ready to run.")
