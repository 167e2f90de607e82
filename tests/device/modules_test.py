"""What the driver of a device has built is kept in the code cache: a later process takes it, and nothing that is
damaged, of other code, or in a folder that others can write.

usage: modules_test.py HOLOGRAM
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "observe"))
import chrome_reader

SIZE = 1000
SOURCE = """from hologram.lang import DeviceArray, f32, get_global_id, u32


def power(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = x[i] ** 2.5 + CONSTANT
"""


class Test:
    def __init__(self, hologram: str, folder: Path) -> None:
        self.hologram, self.folder, self.cache = hologram, folder, folder / "cache"
        np.save(folder / "x.npy", np.linspace(0, 9, SIZE, dtype=np.float32))

    def run(self, constant: str, backend: str = "opencl") -> tuple[str, bytes]:
        """Whether the code was found, and the results."""
        text = SOURCE.replace("CONSTANT", constant)
        (self.folder / "k.py").write_text(text, encoding="utf-8")
        command = [self.hologram, "run", "k.py", "--backend", backend, "--in", "x=x.npy"]
        command += ["--out", f"y=y.npy:f32:{SIZE}", "--set", f"n={SIZE}", "--trace", "t.json"]
        environment = {**os.environ, "HOLOGRAM_CACHE_DIR": str(self.cache)}
        done = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        trace = chrome_reader.read(self.folder / "t.json")
        built = [e for e in trace.of("compile", "power") if "Open" in e.arguments["target"]]
        looks = [e for e in trace.of("cache", "look for code") if any(b.holds(e) for b in built)]
        found = " ".join(look.arguments["found"] for look in looks)
        return found, (self.folder / "y.npy").read_bytes()

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.cache.glob("*.object")}

    def all(self) -> None:
        _, wanted = self.run("1.0", "interpreter")
        assert not self.files(), "the interpreter keeps nothing"
        assert self.run("1.0") == ("no", wanted)
        first = self.files()
        assert first and self.run("1.0") == ("yes", wanted) and self.files() == first

        _, other = self.run("2.0", "interpreter")
        assert self.run("2.0") == ("no", other), "other code"
        second = self.files()
        added = second.keys() - first.keys()  # that of the processor, too
        assert self.run("1.0") == ("yes", wanted)

        for damage in (
            lambda b: b[:-1],
            lambda b: b[:-9] + bytes([b[-9] ^ 1]) + b[-8:],
            lambda _: b"",
        ):
            for name in added:
                (self.cache / name).write_bytes(damage(second[name]))
            assert self.run("2.0") == ("no", other), "damaged"
            assert self.files().keys() == second.keys()
            assert self.run("2.0") == ("yes", other)

        self.cache.chmod(0o777)
        assert self.run("2.0") == ("", other), "a folder that others can write"


def main() -> int:
    listed = subprocess.run(
        [sys.argv[1], "devices"], capture_output=True, text=True, check=False
    ).stdout
    if not any(
        line.split()[:1] == ["opencl"] and "no:" not in line for line in listed.splitlines()
    ):
        print("SKIPPED: there is no OpenCL device")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        Test(sys.argv[1], Path(folder)).all()
    print("modules: kept, taken and replaced")
    return 0


if __name__ == "__main__":
    sys.exit(main())
