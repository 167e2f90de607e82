"""A trace of launches on a device: what the host does, and on a row of its own what the device's queue does, at the
times that the device has measured.

usage: queue_trace_test.py HOLOGRAM ENGINE
"""

from __future__ import annotations

import itertools
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "observe"))
import chrome_reader

SIZE = 1 << 14
SOURCE = """from hologram.lang import DeviceArray, f32, get_global_id, u32


def axpy(a: f32, x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = a * x[i] + y[i]


def pick(x: DeviceArray[f32], at: DeviceArray[u32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = x[at[i]]
"""
FIRST_TRACK = 1 << 22  # Linux numbers threads below


class Test:
    def __init__(self, hologram: str, engine: str, folder: Path) -> None:
        self.hologram, self.engine, self.folder = hologram, engine, folder
        (folder / "k.py").write_text(SOURCE, encoding="utf-8")
        np.save(folder / "x.npy", np.arange(SIZE, dtype=np.float32))
        np.save(folder / "y.npy", np.ones(SIZE, np.float32))

    def run(self, kernel: str, *words: str) -> subprocess.CompletedProcess[str]:
        command = [self.hologram, "run", "k.py", "--entry", kernel, "--backend", self.engine]
        command += ["--in", "x=x.npy", "--set", f"n={SIZE}", *words]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True)

    def traced(self, kernel: str, *words: str) -> tuple[chrome_reader.Event, chrome_reader.Trace]:
        done = self.run(kernel, *words, "--trace", "t.json")
        trace = chrome_reader.read(self.folder / "t.json")
        [launch] = trace.of("launch", kernel)
        assert launch.arguments["engine"] == self.engine, launch
        assert (done.returncode == 0) == ("end" not in launch.arguments), done.stderr
        return launch, trace

    def in_queue(
        self, launch: chrome_reader.Event, trace: chrome_reader.Trace
    ) -> list[chrome_reader.Event]:
        """Those of the launch, in order: none of them begins before the launch does, or ends after it."""
        found = sorted(trace.of("queue"), key=lambda event: event.begin)
        for before, behind in itertools.pairwise(found):
            assert before.end <= behind.begin, (before, behind)
        assert found and all(event.thread >= FIRST_TRACK for event in found)
        assert len({event.thread for event in found}) == 1
        assert trace.threads[found[0].thread].startswith("queue of ")
        mine = [event for event in found if launch.begin <= event.begin]
        assert all(launch.holds(event) for event in mine), mine
        return mine

    def a_launch(self) -> None:
        words = ["--in", "y=y.npy", "--out", "y=z.npy", "--set", "a=0.5"]
        assert self.run("axpy", *words).returncode == 0
        plain = (self.folder / "z.npy").read_bytes()
        launch, trace = self.traced("axpy", *words)
        assert (self.folder / "z.npy").read_bytes() == plain
        inside = [event for event in trace.events if launch.holds(event)]
        steps = {(e.category, e.name): e for e in inside if e.thread == launch.thread}
        upload, wait, download = (
            steps["copy", "upload"],
            steps["device", "wait"],
            steps["copy", "download"],
        )
        assert upload.end <= wait.begin and wait.end <= download.begin
        assert upload.arguments == {"bytes": 8 * SIZE}
        assert download.arguments == {"bytes": 4 * SIZE}
        assert steps["compile", "axpy"].arguments["output"] == "code of the device"
        queue = self.in_queue(launch, trace)
        assert [event.name for event in queue] == ["upload x", "upload y", "axpy", "download y"]
        assert [event.arguments.get("bytes") for event in queue] == [
            *(4 * SIZE, 4 * SIZE, None, 4 * SIZE)
        ]
        assert (queue[2].arguments["grid"], queue[2].arguments["block"]) == (
            f"{SIZE // 256},1,1",
            "256,1,1",
        )
        # Something was done, and the host has waited for it.
        assert queue[2].end > queue[2].begin and queue[2].end <= download.end

    def a_fault(self) -> None:
        at = np.arange(SIZE, dtype=np.uint32)
        np.save(self.folder / "at.npy", at)
        words = ["--in", "at=at.npy", "--out", f"y=z.npy:f32:{SIZE}"]
        launch, trace = self.traced("pick", *words)
        names = [event.name for event in self.in_queue(launch, trace)]
        fault = "download the word of faults"
        assert names == ["upload x", "upload at", "upload y", "pick", fault, "download y"], names
        at[77] = SIZE
        np.save(self.folder / "at.npy", at)
        launch, trace = self.traced("pick", *words)
        assert launch.arguments["end"] == "fault"
        names = [event.name for event in self.in_queue(launch, trace)]
        assert names[3:] == ["pick", fault, "upload the word of faults"], names
        # The interpreter has then looked for it, on a copy.
        [copied] = [event for event in trace.of("copy", "written arrays") if launch.holds(event)]
        assert copied.arguments == {"bytes": 4 * SIZE}


def main() -> int:
    hologram, engine = sys.argv[1:3]
    looked = subprocess.run([hologram, "devices"], capture_output=True, text=True).stdout
    [line, *_] = [line for line in looked.splitlines() if line.startswith(f"{engine} ")]
    if line.split(None, 1)[1].startswith("no: "):
        print(f"SKIPPED: {line}")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        test = Test(hologram, engine, Path(folder))
        test.a_launch()
        test.a_fault()
    print(f"traces of {engine}: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
