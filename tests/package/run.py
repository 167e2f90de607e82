#!/usr/bin/env python3
"""The installed package as a user meets it: install, move, build examples/standalone with it, run.

usage: run.py CMAKE BUILD_DIR CXX          exit 0 if all is as expected
"""

from __future__ import annotations

import json
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


KERNELS = """from hologram.lang import DeviceArray, f32, get_global_id, u32


def one(a: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        a[i] += 1.0


def two(a: DeviceArray[f32]):
    a[get_global_id()] *= 2.0
"""


def check_changes(
    cmake: str, prefix: str, cxx: str, work: str, environment: dict[str, str]
) -> None:
    """A project of two kernels: what is made again when one changes, and what a bad one does."""
    project, build = os.path.join(work, "project"), os.path.join(work, "project", "build")
    os.mkdir(project)

    def write(name: str, text: str) -> None:
        with open(os.path.join(project, name), "w", encoding="utf-8") as file:
            file.write(text)

    write("main.cc", "int main() {}\n")
    write("k.py", KERNELS)
    write(
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES CXX)\n"
        "find_package(hologram REQUIRED)\nadd_executable(p main.cc)\n"
        "hologram_add_kernels(p SOURCES k.py)\n",
    )
    configure = [cmake, "-S", project, "-B", build, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={cxx}"]
    run(*configure, f"-DCMAKE_PREFIX_PATH={prefix}", env=environment)
    text = run(cmake, "--build", build, env=environment)
    expect("Compiled " not in text, f"no statistics that nobody asked for, found {text}")
    cache = os.path.join(build, "p_kernels", "cache")
    before = set(os.listdir(cache))
    with open(os.path.join(build, "p_kernels", "p.json"), encoding="utf-8") as file:
        programs = json.load(file)["programs"]
    expect([p["name"] for p in programs] == ["one", "two"], "a manifest")
    write("k.py", KERNELS.replace("2.0", "3.0"))
    run(cmake, "--build", build, env=environment)
    new = set(os.listdir(cache)) - before
    expect(
        len(before) == 8 and len(new) == 4,  # two levels, each with its checked form
        f"native code of the changed kernel alone, found {len(new)} of {len(before)} new",
    )
    write("k.py", KERNELS.replace("2.0", "three"))
    bad = subprocess.run([cmake, "--build", build], env=environment, capture_output=True, text=True)
    expect(
        bad.returncode != 0 and "k.py:11:" in bad.stdout + bad.stderr,
        "a bad kernel fails the build",
    )


def main() -> None:
    cmake, build, cxx = sys.argv[1:4]
    # Nothing of this build may be found by accident.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("HOLOGRAM_")}
    # The installed command calls `python3`: this one, whatever the user has first in the path.
    programs = os.path.dirname(os.path.abspath(sys.executable))
    environment["PATH"] = f"{programs}{os.pathsep}{os.environ['PATH']}"
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
        check_changes(cmake, prefix, cxx, work, environment)


main()
