"""Traces: their spans, what is never in them, what is dropped, and every way to ask for one."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

pytest.importorskip("hologram._native", reason="the Python module is not built")
np = pytest.importorskip("numpy")

import binding_kernels as kernels  # noqa: E402
import chrome_reader  # noqa: E402

import hologram as hg  # noqa: E402

IS_NATIVE = kernels.scale.path.startswith("native")
ENGINE = "cpu" if IS_NATIVE else "interpreter"
HERE = Path(__file__).name


def test_a_launch_and_the_spans_around_it(tmp_path) -> None:
    x = np.ones(1000, np.float32)
    kernels.scale(1.0, x, 1000)
    with hg.trace(tmp_path / "t.json") as trace:
        with hg.span("outer", number=3, name='a "b"\n\u00e9', share=0.5, back=-1):
            with hg.span("inner"):
                kernels.scale(2.0, x, 1000)
            kernels.scale.configure(grid=(2, 1), block=512)(2.0, x, 1000)
    found = chrome_reader.read(tmp_path / "t.json")
    assert (trace.spans, trace.dropped, found.dropped) == (4, 0, 0)
    [outer], [inner] = found.of("user", "outer"), found.of("user", "inner")
    assert outer.arguments == {"number": 3, "name": 'a "b"\n\u00e9', "share": "0.5", "back": "-1"}
    first, second = found.of("launch", "scale")
    assert outer.holds(inner) and inner.holds(first) and outer.holds(second)
    assert not inner.holds(second)
    assert first.arguments["engine"] == ENGINE and first.arguments["bytes"] == 4000
    assert (first.arguments["grid"], first.arguments["block"]) == ("4,1,1", "256,1,1")
    assert (second.arguments["grid"], second.arguments["block"]) == ("2,1,1", "512,1,1")
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    for launch, text in ((first, "kernels.scale(2.0, x, 1000)"), (second, "block=512")):
        assert Path(str(launch.arguments["file"])).name == HERE
        assert text in lines[int(str(launch.arguments["line"])) - 1]
    assert float(x[0]) == 4.0


def test_launches_are_inlined_again_behind_a_trace(tmp_path) -> None:
    if not IS_NATIVE:
        pytest.skip("only native code is inlined")
    x = np.ones(100, np.float32)

    def seen() -> int:
        """Launches that passed the library: it does not see the inlined ones."""
        before = kernels.scale.counts["native"]
        for _ in range(5):
            kernels.scale(1.0, x, 100)
        return kernels.scale.counts["native"] - before

    kernels.scale(1.0, x, 100)
    assert seen() == 0
    with hg.trace(tmp_path / "t.json"):
        assert seen() == 5
        kernels.scale.configure(backend="interpreter")(1.0, x, 100)
        assert seen() == 5
    kernels.scale(1.0, x, 100)
    assert seen() == 0


def test_what_comes_before_a_launch(tmp_path, monkeypatch) -> None:
    bundle = hg.compile(kernels.sigmoid_of).bundle
    (tmp_path / "a.holo").write_bytes(bundle.data)
    monkeypatch.setenv("HOLOGRAM_CACHE_DIR", str(tmp_path))
    with hg.trace(tmp_path / "t.json"):
        hg.load(str(tmp_path / "a.holo"))["sigmoid_of"]
    found = chrome_reader.read(tmp_path / "t.json")
    assert len(found.of("load")) == len(found.of("verify", "sigmoid_of")) == 1
    [find] = found.of("find", "sigmoid_of")
    if IS_NATIVE:
        [compiled] = found.of("compile", "sigmoid_of")
        assert find.holds(compiled) and compiled.arguments["output"] == "code"
        [looked, kept] = found.of("cache")
        assert looked.arguments == {"found": "no"} and kept.begin >= compiled.end


def test_the_chunks_of_threads(tmp_path) -> None:
    if not IS_NATIVE:
        pytest.skip("only native code runs on several threads")
    x = np.ones(1 << 22, np.float32)
    with hg.trace(tmp_path / "t.json"):
        kernels.scale.configure(threads=2)(1.0, x, x.size)
    found = chrome_reader.read(tmp_path / "t.json")
    [launch] = found.of("launch")
    chunks = found.of("chunk")
    assert launch.arguments["threads"] == 2 and len(chunks) > 1
    assert all(launch.holds(chunk) for chunk in chunks)
    assert len({chunk.thread for chunk in chunks}) <= 2
    lanes = sorted((int(str(c.arguments["first"])), int(str(c.arguments["last"]))) for c in chunks)
    assert lanes[0][0] == 0 and lanes[-1][1] >= x.size - 1
    assert all(a[1] + 1 == b[0] for a, b in itertools.pairwise(lanes))


def test_data_is_never_in_it(tmp_path) -> None:
    x = np.full(7, 123456.75, np.float32)
    with hg.trace(tmp_path / "t.json"):
        with hg.span("step", batch=x, raw=b"123456", rate=np.float32(0.5), epoch=np.int64(3)):
            kernels.scale(98765.25, x, 7)
        with pytest.raises(hg.FaultError):
            kernels.scale.configure(grid=1658, block=256)(98765.25, x, 424242)
    found = chrome_reader.read(tmp_path / "t.json")
    assert [launch.arguments.get("end") for launch in found.of("launch")] == [None, "fault"]
    [step] = found.of("user")
    facts = {"batch": "numpy.ndarray", "raw": "bytes", "rate": "0.5", "epoch": "3"}
    assert step.arguments == facts
    text = (tmp_path / "t.json").read_text(encoding="utf-8")
    assert not any(data in text for data in ("123456", "98765", "424242"))


def test_threads_write_side_by_side(tmp_path) -> None:
    def work() -> None:
        x = np.ones(10, np.float32)
        for k in range(200):
            with hg.span("step", number=k):
                kernels.scale(1.0, x, 10)

    threads = [threading.Thread(target=work) for _ in range(6)]
    with hg.trace(tmp_path / "t.json") as trace:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    found = chrome_reader.read(tmp_path / "t.json")
    assert trace.spans == len(found.events) == 6 * 2 * 200
    for thread in found.threads:
        steps = [event for event in found.of("user") if event.thread == thread]
        assert [event.arguments["number"] for event in steps] == list(range(200))


def test_what_finds_no_room_is_counted(tmp_path) -> None:
    count = 150_000
    text = "x" * 100
    with pytest.warns(RuntimeWarning, match="spans found no room and are not in the trace"):
        with hg.trace(tmp_path / "t.json") as trace:
            for _ in range(count):
                with hg.span("much", text=text):
                    pass
    found = chrome_reader.read(tmp_path / "t.json")
    assert trace.dropped > 0 and trace.spans + trace.dropped == count
    assert (found.dropped, len(found.events)) == (trace.dropped, trace.spans)
    # There is room again.
    with hg.trace(tmp_path / "t.json") as trace, hg.span("one"):
        pass
    assert (trace.spans, trace.dropped) == (1, 0)


def test_a_callback_and_its_flushes() -> None:
    taken: list[hg.observe.TracedSpan] = []
    x = np.ones(10, np.float32)
    with hg.trace(taken.extend) as trace:
        kernels.scale(1.0, x, 10)
        assert not taken
        trace.flush()
        assert [(span.category, span.name) for span in taken] == [("launch", "scale")]
        with hg.span("more"):
            pass
    assert trace.spans == len(taken) == 2
    assert taken[1].begin_ns >= taken[0].begin_ns + taken[0].duration_ns
    assert taken[0].arguments["engine"] == ENGINE

    def fail(spans: object) -> None:
        raise RuntimeError("not today")

    with pytest.raises(RuntimeError, match="not today"), hg.trace(fail), hg.span("one"):
        pass
    with hg.trace(taken.extend):  # nothing is left of the one that failed
        pass


def test_paths_that_cannot_be_written(tmp_path) -> None:
    (tmp_path / "folder").mkdir()
    for path, message in (
        (tmp_path / "none" / "t.json", "no such file or directory"),
        (tmp_path / "folder", "is a directory"),
        ("/dev/full", "no space left on device"),
        ("", "the name of the trace is empty"),
    ):
        with pytest.raises(hg.Error, match=message), hg.trace(path):
            pytest.fail("it began")
    with hg.trace(tmp_path / "t.json"):
        with pytest.raises(hg.ArgumentError, match="a trace runs already, for .*t.json"):
            with hg.trace(tmp_path / "other.json"):
                pass
        assert not (tmp_path / "other.json").exists()
    with pytest.raises(hg.NotFoundError, match="no such file"):
        with hg.trace(tmp_path / "folder" / "t.json"):
            (tmp_path / "folder" / "t.json").unlink()
            (tmp_path / "folder").rmdir()
    # That one is over all the same, and leaves nothing behind.
    with hg.trace(tmp_path / "t.json"):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.json"]


def test_a_child_has_no_trace(tmp_path) -> None:
    with hg.trace(tmp_path / "t.json") as trace:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                kernels.scale(1.0, np.ones(10, np.float32), 10)
                with hg.trace(tmp_path / "child.json") as own, hg.span("child"):
                    kernels.scale(1.0, np.ones(10, np.float32), 10)
                code = 0 if own.spans == 2 else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        with hg.span("parent"):
            pass
    assert trace.spans == 1
    assert [event.name for event in chrome_reader.read(tmp_path / "t.json").events] == ["parent"]
    assert len(chrome_reader.read(tmp_path / "child.json").events) == 2


PROGRAM = """
import sys, numpy as np
import binding_kernels as kernels
kernels.scale(1.0, np.ones(10, np.float32), 10)
sys.exit(3 if len(sys.argv) > 1 else 0)
"""


def _run(path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HOLOGRAM_TRACE": str(path)}
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def test_the_environment(tmp_path) -> None:
    for arguments in ((), ("fail",)):
        run = _run(tmp_path / "t.json", *arguments)
        assert (run.returncode, run.stderr) == (len(arguments) * 3, "")
        assert len(chrome_reader.read(tmp_path / "t.json").of("launch", "scale")) == 1
        (tmp_path / "t.json").unlink()
    run = _run(tmp_path / "none" / "t.json")
    assert run.returncode == 1 and "none/t.json: no such file or directory" in run.stderr
    assert _run(Path("/dev/full")).returncode == 1


@pytest.mark.skipif("HOLOGRAM_COMMAND" not in os.environ, reason="the command is not named")
def test_the_command(tmp_path) -> None:
    source = Path(kernels.__file__)
    np.save(tmp_path / "x.npy", np.ones(1000, np.float32))
    trace = tmp_path / "t.json"
    command = [os.environ["HOLOGRAM_COMMAND"], "run", str(source), "--entry", "scale"]
    command += ["--in", f"x={tmp_path}/x.npy", "--out", f"x={tmp_path}/y.npy"]
    command += ["--set", "a=2", "--trace", str(trace), "--set"]
    run = subprocess.run([*command, "n=1000"], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    found = chrome_reader.read(trace)
    assert [event.name for event in found.of("launch")] == ["scale"]
    assert [event.name for event in found.of("user")] == ["reading arrays", "writing arrays"]
    # Also of a launch that faults, and not in place of the kernel.
    assert subprocess.run([*command, "n=1001"], capture_output=True).returncode == 1
    assert chrome_reader.read(trace).of("launch")[0].arguments["end"] == "fault"
    run = subprocess.run([*command[:-2], str(source)], capture_output=True, text=True)
    command[command.index("--trace") + 1] = str(source)
    run = subprocess.run([*command, "n=1000"], capture_output=True, text=True)
    assert run.returncode == 1 and "the output would replace its input" in run.stderr
    for path in ("/dev/full", str(tmp_path / "no" / "t.json")):
        command[command.index("--trace") + 1] = path
        run = subprocess.run([*command, "n=1000"], capture_output=True, text=True)
        assert run.returncode == 1 and run.stderr.startswith(f"hologram: error: {path}: no s")


def test_a_trace_is_written_where_it_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with hg.trace("t.json"):
        monkeypatch.chdir(tmp_path / "elsewhere")
    assert chrome_reader.read(tmp_path / "t.json")
    assert not list((tmp_path / "elsewhere").iterdir())
