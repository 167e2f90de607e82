"""kernel.profile: the table, the picture, results, kernels of every kind."""

from __future__ import annotations

from typing import TypeVar

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

import hologram as hg  # noqa: E402
from hologram.lang import DeviceArray, f32, f64, fma, get_global_id, u32  # noqa: E402

T = TypeVar("T", f32, f64)


@hg.kernel
def steps(a: f32, x: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y = x[i]
        for _k in range(100):
            y = fma(y, a, a)
        x[i] = y


@hg.kernel
def scale(a: T, x: DeviceArray[T], n: u32):
    i = get_global_id()
    if i < n:
        x[i] = a * x[i]


@hg.kernel
def shifted(x: DeviceArray[f32], n: u32, by: f32 = 1.0):
    i = get_global_id()
    if i < n:
        x[i] += by


def rows(text: str) -> dict[str, list[str]]:
    return {line.split()[0]: line.split() for line in text.splitlines() if line.split()}


def test_a_kernel() -> None:
    x = np.ones(4096, np.float32)
    expected = x.copy()
    steps(0.5, expected, 4096)
    found = steps.profile(0.5, x, 4096)
    assert np.array_equal(x, expected)  # it was launched once
    # An fma is two operations; each element is read once and written once.
    assert rows(found)["work"][1:6] == ["819200", "operations", "on", "floats,", "32768"]
    [line] = [row for row in found.splitlines() if "y = fma(y, a, a)" in row]
    cells = line.split()
    assert cells[1] == "409600" and float(cells[6].rstrip("%")) > 50, line
    assert rows(found)["limit"][1] == "arithmetic,"
    assert found.svg.startswith("<svg") and "Roofline of steps" in found.svg
    page = found._repr_html_()
    assert "<pre>" in page and 'src="data:image/svg+xml;base64,' in page and "<svg" not in page
    assert repr(found) == str(found)


def test_options_and_other_kernels() -> None:
    x = np.ones(1000, np.float64)
    found = scale.profile(2.0, x, 1000)
    assert rows(found)["work"][1] == "1000" and float(x[0]) == 2.0
    single = np.ones(1000, np.float32)
    found = shifted.profile(single, 1000)
    assert rows(found)["work"][1] == "1000" and float(single[0]) == 2.0
    found = scale.configure(grid=8, block=128).profile(2.0, x, n=1000)
    assert "1024" in found and float(x[0]) == 4.0


def test_native_counts() -> None:
    x = np.ones(4096, np.float32)
    expected = x.copy()
    steps(0.5, expected, 4096)
    found = steps.configure(backend="cpu").profile(0.5, x, 4096)
    assert np.array_equal(x, expected)  # it was launched once
    assert rows(found)["counts"][1:4] == ["by", "instrumented", "code,"]
    [line] = [row for row in found.splitlines() if "y = fma(y, a, a)" in row]
    assert line.split()[1] == "409600"
    assert rows(found)["work"][1:7] == ["819200", "operations", "on", "floats,", "at", "most"]
    with pytest.raises(hg.UnsupportedError, match="a launch on cuda is not counted"):
        steps.configure(backend="cuda").profile(0.5, x, 4096)


def test_errors() -> None:
    x = np.ones(10, np.float32)
    with pytest.raises(hg.ArgumentError, match="'x'"):
        steps.profile(1.0, x.astype(np.int32), 10)
    with pytest.raises(TypeError, match="expects 3 arguments"):
        steps.profile(1.0, x)
    with pytest.raises(hg.FaultError, match=r"x\[i\] reads element 10 of 10"):
        steps.profile(1.0, x, 11)


def test_a_source_without_a_file() -> None:
    names: dict[str, object] = {}
    import linecache

    text = "@hg.kernel\ndef f(x: DeviceArray[f32]):\n    x[get_global_id()] = 3.0  # here\n"
    linecache.cache["<cell>"] = (len(text), None, text.splitlines(True), "<cell>")
    names.update(hg=hg, DeviceArray=DeviceArray, f32=f32, get_global_id=get_global_id)
    exec(compile(text, "<cell>", "exec"), names)
    found = names["f"].profile(np.zeros(256, np.float32))  # type: ignore[attr-defined]
    assert "x[get_global_id()] = 3.0  # here" in found
