#!/usr/bin/env python3
"""The installed package as a user meets it: install, move, build examples/standalone with it, run.

usage: run.py CMAKE BUILD_DIR CXX          exit 0 if all is as expected
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXPECTED = "0 0 0 0 0.25 0.75 1 1 1 0"


def run(*command: str, **more: object) -> str:
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


def expect(condition: bool, what: str) -> None:
    if not condition:
        sys.exit(f"expected {what}")
    print(f"ok  {what}")


def main() -> None:
    cmake, build, cxx = sys.argv[1:4]
    # Nothing of this build may be found by accident.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("HOLOGRAM_")}
    with tempfile.TemporaryDirectory() as work:
        first, prefix, app = (os.path.join(work, name) for name in ("first", "moved", "app"))
        run(cmake, "--install", build, "--prefix", first)
        os.rename(first, prefix)
        command = os.path.join(prefix, "bin", "hologram")
        expect("x86-64" in run(command, "devices", env=environment), "the command runs when moved")

        run(
            cmake,
            "-S",
            os.path.join(ROOT, "examples", "standalone"),
            "-B",
            app,
            "-G",
            "Ninja",
            f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_CXX_COMPILER={cxx}",
            "-DCMAKE_BUILD_TYPE=Release",
            env=environment,
        )
        run(cmake, "--build", app, env=environment)
        lines = run(os.path.join(app, "blur"), env=environment).splitlines()
        expect(lines[0].startswith("engine: native (bundle, "), "native code of the own bundle")
        expect(lines[1].strip() == EXPECTED, f"the result {EXPECTED}")
        expect(lines[2].startswith("embedded: native (bundle, "), "the bundle in the program")
        expect(
            lines[3].startswith("refused: ") and "blur.py" in lines[3], "a refusal with its line"
        )

        installed = subprocess.run(
            [
                os.path.join(prefix, "bin", "hologram"),
                "compile",
                "blur.py",
                "-o",
                os.path.join(work, "b.holo"),
            ],
            cwd=os.path.join(ROOT, "examples", "standalone"),
            env=environment,
        )
        expect(installed.returncode == 0, "the installed command compiles Python")
        again = run(cmake, "--build", app, env=environment)
        expect("Compiling kernels" not in again, "nothing to build the second time")


main()
