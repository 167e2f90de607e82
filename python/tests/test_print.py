"""`print` in kernels: the compiled form writes to sys.stdout what plain Python writes."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

import hologram as hg  # noqa: E402
from hologram.simulator import launch  # noqa: E402

SOURCE = """
from hologram.lang import (
    DeviceArray, barrier, bf16, f16, f32, f64, get_global_id, get_local_id, i8, i64, kernel, shared,
    u32, u64,
)


@kernel
def floats(a: DeviceArray[f32], b: DeviceArray[f64], c: DeviceArray[f16]):
    i = get_global_id()
    if i < len(a):
        print(a[i], b[i], c[i], bf16(a[i]))


@kernel
def others(a: DeviceArray[i8], b: DeviceArray[i64], c: DeviceArray[u64], n: u32):
    i = get_global_id()
    if i < n:
        print("a", a[i] + a[i], b[i], c[i], a[i] > 0, sep=", ")
        print(f"{b[i] * b[i]} and {{{c[i]}}}", end=" | ")
        print()
        print(7, 0.1, True)


@kernel(block=8)
def waits(a: DeviceArray[u32]):
    i = get_global_id()
    tile = shared(u32, 8)
    lane = get_local_id()
    tile[lane] = i
    print("in front", i)
    barrier()
    print("behind", tile[7 - lane])
    a[i] = tile[7 - lane]


@kernel
def many(a: DeviceArray[u32], n: u32, stop: u32):
    i = get_global_id()
    if i < n:
        print(i)
        assert i != stop
        a[i] = i


@kernel
def long(a: DeviceArray[u32]):
    i = get_global_id()
    if i < len(a):
        print("LONG")
        a[i] = i


@kernel
def ragged(a: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n:
        a[i] = i
"""


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    path = tmp_path_factory.mktemp("print") / "talking.py"
    path.write_text(SOURCE.replace("LONG", "x" * 1100))
    spec = importlib.util.spec_from_file_location("talking", path)
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def both(
    module: ModuleType,
    name: str,
    grid: int,
    arguments: list[object],
    capsys: pytest.CaptureFixture[str],
) -> str:
    """What the kernel prints, which is the same in both forms."""

    def copies() -> list[object]:
        return [x.copy() if isinstance(x, np.ndarray) else x for x in arguments]

    block = 8 if name == "waits" else 256
    faults = []
    texts = []
    compiled = hg.compile(str(module.__file__), entry=name)[name]
    runs = (launch(getattr(module, name), grid, block), compiled[grid, block])
    for run in runs:
        try:
            run(*copies())
            faults.append("")
        except hg.FaultError as error:
            faults.append(str(error))
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]
    assert bool(faults[0]) == bool(faults[1])
    return texts[0]


def test_floats_are_written_as_numpy_writes_them(
    module: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    count = 3000
    numbers = random.Random(5)
    # The shortest number is not unique for a few powers of two, which are not among these.
    a = np.array([numbers.getrandbits(32) for _ in range(count)], np.uint32).view(np.float32)
    b = np.array([numbers.getrandbits(64) for _ in range(count)], np.uint64).view(np.float64)
    a[:8] = [0, -0.0, 1e-4, 1e16, 0.1, 16777217, 123456789, np.inf]
    b[:8] = [0.0001, 1e16, 1e-5, 5e-324, 9007199254740993, -np.inf, np.nan, 1e22]
    for first in (0, 16384, 32768, 49152):
        c = np.arange(first, first + count, dtype=np.uint16)
        text = both(module, "floats", 12, [a, b, c.view(np.float16)], capsys)
        rows = [line.split() for line in text.splitlines()]
        assert [row[0] for row in rows] == [str(x) for x in a]
        assert [row[1] for row in rows] == [str(x) for x in b]
        assert [row[2] for row in rows] == [str(x) for x in c.view(np.float16)]


def test_other_values_and_forms(module: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    a = np.array([100, -128], np.int8)
    b = np.array([1 << 40, -5], np.int64)
    c = np.array([0, (1 << 64) - 1], np.uint64)
    assert both(module, "others", 1, [a, b, c, 2], capsys) == (
        "a, -56, 1099511627776, 0, True\n0 and {0} | \n7 0.1 True\n"
        "a, 0, -5, 18446744073709551615, False\n25 and {18446744073709551615} | \n7 0.1 True\n"
    )


def test_lanes_that_wait_print_in_their_order(
    module: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    text = both(module, "waits", 2, [np.zeros(16, np.uint32)], capsys)
    expected = [f"in front {i}\nbehind {i // 8 * 8 + 7 - i % 8}\n" for i in range(16)]
    assert text == "".join(expected)


def test_the_limit_and_faults(module: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    a = np.zeros(12000, np.uint32)
    lines = both(module, "many", 47, [a, 12000, 20000], capsys).splitlines()
    assert lines[-2] == "9999"
    assert lines[-1] == "... and 2000 more; of what a launch prints, the first 10000 are shown"
    assert both(module, "many", 47, [a, 12000, 2], capsys) == "0\n1\n2\n"
    lines = both(module, "many", 47, [a, 12000, 11000], capsys).splitlines()
    assert lines[-1] == "... and more; of what a launch prints, the first 10000 are shown"


class Full:
    """A file that takes some texts and then no more."""

    def __init__(self, room: int) -> None:
        self.texts: list[str] = []
        self._room = room

    def write(self, text: str) -> int:
        if len(self.texts) == self._room:
            raise OSError("no room")
        self.texts.append(text)
        return len(text)


@pytest.mark.parametrize("form", ["python", "compiled"])
def test_what_stdout_raises_is_raised_once(
    module: ModuleType,
    form: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    kernel = hg.compile(str(module.__file__), entry="many")["many"]
    run = kernel[1, 256] if form == "compiled" else launch(module.many, 1, 256)
    full = Full(3)
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdout", full)
        with pytest.raises(OSError, match="no room"):
            run(np.zeros(200, np.uint32), 200, 300)
    assert full.texts == ["0\n", "1\n", "2\n"]
    assert capsys.readouterr().err == ""
    run(np.zeros(2, np.uint32), 2, 300)
    assert capsys.readouterr().out == "0\n1\n"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_fault_is_raised_where_stdout_raises_too(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = hg.compile(str(module.__file__), entry="many")["many"]
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdout", Full(0))
        with pytest.raises(hg.FaultError, match=r"i != stop \(i = 5, stop = 5\)"):
            kernel[1, 256](np.zeros(200, np.uint32), 200, 5)


def test_a_record_that_is_cut_ends_its_line(
    module: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    text = both(module, "long", 1, [np.zeros(2, np.uint32)], capsys)
    assert text == ("x" * 1024 + "...\n") * 2


def test_advice_is_in_python(module: ModuleType) -> None:
    ragged = hg.compile(str(Path(str(module.__file__))), entry="ragged")["ragged"]
    with pytest.raises(hg.ArgumentError, match=r"pass a grid: ragged\[\(3,1,1\), \(256,1,1\)\]"):
        ragged(np.zeros(10, np.uint32), 600)
