"""Makes the pictures of docs/seeing.md: runs its listings and commands, and a session of the debugger.

usage: seeing_pictures.py BUILD DEBUG_PYTHON FOLDER [NAME...]

BUILD is a build folder, DEBUG_PYTHON a Python with debugpy and NumPy (build/seeing-venv/bin/python). Without
names all pictures are made; that of a device needs HOLOGRAM_OPENCL (scripts/opencl.sh). What hologram draws itself it draws here too; what it prints becomes a picture of
its text. The command runs from a copy in /tmp, so that no picture has paths of one machine.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from html import escape
from pathlib import Path

import numpy as np
import trace_picture

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "docs/seeing.md"
LISTING = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)
CHARACTER, ROW, LEFT, TOP = 7.83, 18.0, 20.0, 30.0
STYLE = """<style>
text{font-family:ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;font-size:13px;fill:#1d2733;white-space:pre}
.paper{fill:#fff}.faint{fill:#66717d}.good{fill:#1a7f4b}.warn{fill:#b35c00}.accent{fill:#2a6fb5}.here{fill:#f6d9c8}
.dot{fill:#c92a2a}.rule{stroke:#c3ccd5;stroke-width:.7}
@media (prefers-color-scheme:dark){text{fill:#e3e8ee}.paper{fill:#12171d}.faint{fill:#95a1ad}.good{fill:#4cc38a}
.warn{fill:#f0a04b}.accent{fill:#6cb2f7}.here{fill:#5b3622}.dot{fill:#ff6b6b}.rule{stroke:#3a4653}}
</style>"""

SETTINGS = {"HOLOGRAM_NUM_THREADS", "HOLOGRAM_CPU_LEVEL", "HOLOGRAM_PROGRESS", "HOLOGRAM_TRACE"}
COUNTS = """
import runpy, sys
import hologram as hg
sys.stdout, out = sys.stderr, sys.stdout
try:
    runpy.run_path({path!r}, run_name="__main__")
except SystemExit as end:
    assert end.code == 0, end.code
for name, value in hg.metrics()._asdict().items():
    for key, count in value.items() if isinstance(value, dict) else [("", value)]:
        if count:
            print(count, f"{{name}}: {{key}}" if key else name, file=out)
"""
STEPS = """
import numpy as np
import hologram as hg
from hologram.lang import DeviceArray, f32, get_global_id, u32

@hg.kernel
def scale(a: f32, x: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        x[i] = a * x[i]

x = np.ones(1 << 21, np.float32)

def step():
    with hg.span("step"):
        scale.configure({options})(0.5, x, x.size)
        {more}

step()
with hg.trace("{name}.json"):
    step()
"""

Styled = list[tuple[str, str]]  # texts of a line, with their classes


class Sheet:
    """Lines of text as a picture."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._shapes: list[str] = []
        self._width = 60
        self._y = TOP

    def line(self, parts: Styled, behind: str = "", dot: bool = False) -> None:
        """`behind`: the class of a band behind it."""
        if behind:
            self._shapes.append(
                f'<rect x="{LEFT - 6}" y="{self._y - 13}" width="100%" height="{ROW}" class="{behind}"/>'
            )
        if dot:
            self._shapes.append(f'<circle cx="{LEFT - 9}" cy="{self._y - 4}" r="4.5" class="dot"/>')
        spans = "".join(f'<tspan class="{style}">{escape(text)}</tspan>' for text, style in parts)
        self._shapes.append(f'<text x="{LEFT}" y="{self._y}">{spans}</text>')
        self._width = max(self._width, sum(len(text) for text, _ in parts))
        self._y += ROW

    def rule(self) -> None:
        y = self._y - 8
        self._shapes.append(f'<line x1="{LEFT}" x2="98%" y1="{y}" y2="{y}" class="rule"/>')
        self._y += ROW / 2

    def text(self) -> str:
        width, height = round(2 * LEFT + self._width * CHARACTER), round(self._y)
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
                f'width="{width}" height="{height}" role="img">',
                f"<title>{escape(self._title)}</title>{STYLE}",
                '<rect width="100%" height="100%" class="paper"/>',
                *self._shapes,
                "</svg>\n",
            ]
        )


class Maker:
    def __init__(self, build: Path, debug_python: str, folder: Path) -> None:
        self.build, self.debug_python, self.folder = build, debug_python, folder
        self.listings = LISTING.findall(DOCUMENT.read_text(encoding="utf-8"))
        self.product = Path(tempfile.mkdtemp(prefix="hologram-", dir="/tmp"))
        for name in ("bin", "lib", "python"):
            shutil.copytree(build / name, self.product / name, ignore=_only_product, symlinks=True)
        (self.product / "share/hologram").mkdir(parents=True)
        (self.product / "share/hologram/python").symlink_to(self.product / "python")
        (self.product / "lib/hologram").mkdir()
        shutil.copy(self.product / "python/hologram/stdlib.holo", self.product / "lib/hologram")
        self.hologram = str(self.product / "bin/hologram")
        self.place = Path(tempfile.mkdtemp(prefix="seeing"))
        [work] = [text for text in self.listings if "def work(" in text]
        (self.place / "work.py").write_text(work, encoding="utf-8")
        rng = np.random.default_rng(1)
        np.save(self.place / "x.npy", np.arange(1000, dtype=np.float32))
        np.save(self.place / "a.npy", rng.random((48, 40), dtype=np.float32))
        np.save(self.place / "b.npy", rng.random((40, 64), dtype=np.float32))

    def close(self) -> None:
        shutil.rmtree(self.place)
        shutil.rmtree(self.product)

    def environment(self) -> dict[str, str]:
        return {
            **{k: v for k, v in os.environ.items() if k not in SETTINGS},
            "PYTHONPATH": str(self.product / "python"),
            "HOLOGRAM_PYTHON": self.debug_python,
        }

    def run(self, *command: str, **variables: str) -> str:
        """What it prints."""
        done = subprocess.run(
            command,
            cwd=self.place,
            env=self.environment() | variables,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return done.stdout

    def command_of(self, start: str) -> list[str]:
        """The words of the first such command of the document, behind `hologram`."""
        text = DOCUMENT.read_text(encoding="utf-8").replace("\\\n", " ")
        line, *_ = re.findall(rf"^(?:\$ )?hologram ({re.escape(start)} .*)$", text, re.M)
        return line.split()

    def save(self, name: str, picture: str) -> None:
        (self.folder / f"seeing-{name}.svg").write_text(picture, encoding="utf-8")

    def take(self, name: str, file: str) -> None:
        shutil.copy(self.place / file, self.folder / f"seeing-{name}.svg")

    # ---- Each picture

    def counts(self) -> None:
        """Those of the digits example."""
        digits = ROOT / "examples/python/digits.py"
        text = self.run(
            sys.executable, "-c", COUNTS.format(path=str(digits)), HOLOGRAM_NUM_THREADS="2"
        )
        sheet = Sheet("Counts")
        sheet.line([("hg.metrics() after examples/python/digits.py", "faint")])
        sheet.rule()
        for line in text.splitlines():
            number, name = line.split(" ", 1)
            sheet.line([(f"{int(number):>14,}", "accent"), (f"  {name}", "")])
        self.save("counts", sheet.text())

    def trace(self) -> None:
        self._traced("trace", "threads=2", "hg.ops.sum(x)")

    def device(self) -> None:
        self._traced("device", 'backend="opencl"', "pass")

    def _traced(self, name: str, options: str, more: str) -> None:
        """The second of two steps."""
        program = STEPS.format(name=name, options=options, more=more)
        (self.place / "step.py").write_text(program, encoding="utf-8")
        self.run(sys.executable, "step.py", HOLOGRAM_NUM_THREADS="2")
        out = self.folder / f"seeing-{name}.svg"
        trace_picture.write(self.place / f"{name}.json", out)

    def profile(self) -> None:
        self.run(self.hologram, *self.command_of("profile work.py"))
        self.take("lines", "lines.svg")
        self.take("roofline", "roofline.svg")

    def flow(self) -> None:
        self.run(self.hologram, *self.command_of("draw work.py"))
        self.take("flow", "flow.svg")

    def walk(self) -> None:
        words = self.command_of("draw kernels/linalg/gemm_shared.py")
        words[1] = str(ROOT / words[1])
        self.run(self.hologram, *words)
        self.take("walk", "walk.svg")

    def circuit(self) -> None:
        words = self.command_of("draw kernels/nn/layer_norm.py")
        words[1] = str(ROOT / words[1])
        self.run(self.hologram, *words)
        self.take("circuit", "layer_norm.svg")

    def pipeline(self) -> None:
        [listing] = [text for text in self.listings if "hg.capture(" in text]
        (self.place / "scores.py").write_text(listing, encoding="utf-8")
        self.run(sys.executable, "scores.py")
        self.run(self.hologram, *self.command_of("draw scores.holo"))
        self.take("pipeline", "scores.svg")

    def debugger(self) -> None:
        sys.path.insert(0, str(ROOT / "tests/debugger"))
        from dap_session import debugged

        words = self.command_of("debug work.py")[1:]
        line = 1 + (self.place / "work.py").read_text().splitlines().index(
            "            total = total + x[(i + k) % n]"
        )
        with debugged(self.hologram, self.debug_python, self.place, *words) as session:
            session.start(self.place / "work.py", {"line": line, "condition": "k == 1"})
            session.stopped()
            session.go()
            assert session.stopped()[0] == line
            sheet = Sheet("The debugger")
            sheet.line([("hologram " + " ".join(["debug", *words]), "faint")])
            sheet.rule()
            self._source(sheet, line)
            sheet.rule()
            self._values(sheet, session)
            session.finish()
        self.save("debugger", sheet.text())

    def _source(self, sheet: Sheet, stopped: int) -> None:
        lines = (self.place / "work.py").read_text(encoding="utf-8").splitlines()
        for number, text in enumerate(lines, 1):
            if number > 2:
                here = number == stopped
                sheet.line([(f"{number:3}  ", "faint"), (text, "")], "here" if here else "", here)

    @staticmethod
    def _values(sheet: Sheet, session: object) -> None:
        rows = session.variables()  # type: ignore[attr-defined]
        shown = [(name, value) for name, value in rows.items() if name in ("i", "k", "n", "total")]
        for name, value in shown:
            sheet.line([(f"{name:>8}", "accent"), (f"  {_plain(value)}", "")])
        sheet.rule()
        for expression in ('lanes("i % 3 == 0")', 'lanes("total")'):
            answer = session.evaluate(f"dict(list({expression}.items())[:6])")  # type: ignore[attr-defined]
            sheet.line([("> ", "accent"), (expression, "")])
            sheet.line([(_plain(answer)[:-1] + ", ...}", "faint")])

    def doctor(self) -> None:
        sheet = Sheet("hologram doctor")
        sheet.line([("$ ", "accent"), ("hologram doctor", "")])
        home = {"XDG_CACHE_HOME": str(self.product / "cache")}
        environment = {k: v for k, v in os.environ.items() if not k.startswith("HOLOGRAM_")}
        done = subprocess.run(
            [self.hologram, "doctor"],
            env=environment | home,
            capture_output=True,
            text=True,
            check=True,
        )
        for line in done.stdout.splitlines():
            style = {"ok": "good", "note": "warn"}.get(line[:6].strip(), "warn")
            rest = line[19:] if len(line) <= 105 else line[19:104] + "…"
            sheet.line([(line[:6], style), (line[6:19], "faint"), (rest, "")])
        self.save("doctor", sheet.text())

    def progress(self) -> None:
        """The last line of a bar, of a command that takes some seconds."""
        qubits = 16
        gates = "".join(f"h q[{k}];\nmeasure q[{k}] -> c[{k}];\n" for k in range(qubits))
        (self.place / "walks.qasm").write_text(
            f'OPENQASM 2.0;\ninclude "qelib1.inc";\nqreg q[{qubits}];\ncreg c[{qubits}];\n'
            f"{gates}x q[0];\nmeasure q[0] -> c[0];\n"
        )
        words = ["qsim", "walks.qasm", "--shots", "500", "--no-pictures"]
        done = subprocess.run(
            [self.hologram, *words],
            cwd=self.place,
            env=self.environment() | {"HOLOGRAM_PROGRESS": "always"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=True,
        )
        bars = re.findall(r"\r([^\r]*? left)", done.stderr.decode())
        sheet = Sheet("Progress")
        sheet.line([("$ ", "accent"), ("hologram " + " ".join(words), "")])
        sheet.line([(bars[len(bars) // 2], "")])
        self.save("progress", sheet.text())


def _plain(value: str) -> str:
    """Numbers as older NumPy shows them."""
    return re.sub(r"np\.float32\((.*?)\)", r"\1", value)


def _only_product(folder: str, names: list[str]) -> list[str]:
    """The command, the library, the plugin and the package, not tests and static libraries."""
    if Path(folder).name == "bin":
        return [name for name in names if name != "hologram"]
    if Path(folder).name == "lib":
        return [
            name for name in names if not name.startswith(("libhologram.so", "libhologram_jit.so"))
        ]
    return [name for name in names if name == "__pycache__"]


def main() -> int:
    build, debug_python, folder, *names = sys.argv[1:]
    maker = Maker(Path(build), os.path.abspath(debug_python), Path(folder))
    pictures: dict[str, Callable[[], None]] = {
        "counts": maker.counts,
        "trace": maker.trace,
        "device": maker.device,
        "profile": maker.profile,
        "flow": maker.flow,
        "walk": maker.walk,
        "circuit": maker.circuit,
        "pipeline": maker.pipeline,
        "debugger": maker.debugger,
        "doctor": maker.doctor,
        "progress": maker.progress,
    }
    try:
        for name in names or pictures:
            pictures[name]()
            print(name)
    finally:
        maker.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
