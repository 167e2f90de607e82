"""Bundles with native code of the checked form: a launch that no proof covers runs on it where there
is no compiler plugin, by the same trust as the other native code, and leaves what the interpreter
leaves.

usage: checked_bundle_test.py HOLOGRAM
"""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
import sys
import tempfile

import numpy as np

KERNELS = """from hologram.lang import *

def copy(x: DeviceArray[f32], y: DeviceArray[f32], limits: DeviceArray[u32], n: u32):
    i = get_global_id()
    if i < n and i < limits[0]:
        y[i] = x[i] * 2.0

def talk(x: DeviceArray[f32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        y[i] = x[i]
        print(i)
"""
ROW = struct.Struct("<IIQQII32s")  # of the section table
CHECKED = 5
AWAY = {**os.environ, "HOLOGRAM_JIT": "/nonexistent"}


def run(*arguments: str, code: int = 0, env: dict[str, str] | None = None) -> tuple[str, str]:
    result = subprocess.run(arguments, capture_output=True, text=True, env=env, timeout=120)
    assert result.returncode == code, (arguments, result.returncode, result.stderr)
    return result.stdout, result.stderr


def main() -> int:
    command = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("k.py", "w", encoding="utf-8") as file:
            file.write(KERNELS)
        run(command, "compile", "k.py", "-o", "k.holo", "--native", "all")
        text, _ = run(command, "inspect", "k.holo")
        manifest = json.loads(run(command, "inspect", "k.holo", "--json")[0])
        trust = manifest["trust_hash"]
        levels = {
            p["name"]: [c["level"] for c in p.get("checked", [])] for p in manifest["programs"]
        }
        assert levels == {"copy": ["x86-64-v3", "x86-64-v4"], "talk": []}, levels
        assert len(re.findall(r"^  checked   x86-64-v[34], \d+ bytes$", text, re.M)) == 2, text
        run(command, "verify", "k.holo")

        x = np.arange(40, dtype=np.float32)
        np.save("x.npy", x)
        np.save("limits.npy", np.array([40], np.uint32))
        launch = [command, "run", "k.holo", "--entry", "copy", "--in=x=x.npy", "--set=n=100"]
        launch += ["--in=limits=limits.npy", "--out=y=y.npy:f32:40", "--grid=1", "--block=128"]
        _, said = run(*launch, "--expect", trust, "--time", env=AWAY)
        assert "native (bundle, v" in said and "native, checked" in said, said
        assert "interprete" not in said, said
        assert np.array_equal(np.load("y.npy"), x * 2)
        # Without trust there is nothing but the interpreter.
        _, said = run(*launch, env=AWAY)
        assert "ran in the interpreter with every access checked: x[i]" in said, said
        # A lane outside faults, with the words of the interpreter.
        np.save("limits.npy", np.array([41], np.uint32))
        said = [run(*launch, *more, code=1, env=AWAY)[1] for more in (["--expect", trust], [])]
        assert said[0] == said[1] and "x[i] reads element 40 of 40 (i = 40)" in said[0], said

        # A section that is damaged is named, and such a bundle is not run.
        with open("k.holo", "rb") as file:
            whole = file.read()
        rows = [
            ROW.unpack_from(whole, 64 + 64 * k)
            for k in range(struct.unpack_from("<I", whole, 24)[0])
        ]
        assert sum(row[0] == CHECKED for row in rows) == 2
        for row in rows:
            if row[0] != CHECKED:
                continue
            damaged = bytearray(whole)
            damaged[row[2] + row[3] // 2] ^= 4
            with open("k.holo", "wb") as file:
                file.write(damaged)
            said = run(command, "verify", "k.holo", code=1)[1]
            assert "(native code of the checked form of 'copy' for x86-64-v" in said, said
        # What an older version wrote is loaded.
        run(command, "compile", "k.py", "-o", "plain.holo", "--native", "none")
        assert "checked" not in run(command, "inspect", "plain.holo")[0]
    print("checked forms in bundles: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
