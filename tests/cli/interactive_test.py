"""What people at a terminal use: PATH, completions, --watch, progress.

usage: interactive_test.py HOLOGRAM

Completions run in bash, and in zsh and fish where these are installed.
"""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

KERNEL = """from hologram.lang import *


def k(c: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        c[i] = {}
"""
COPY = """from hologram.lang import *


def copy(a: DeviceArray[u8], c: DeviceArray[u8], n: u32):
    i = get_global_id()
    if i < n:
        c[i] = a[i]
"""
ASK_BASH = """source ./script
COMP_WORDS=({}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _hologram
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
LIMIT_SECONDS = 60


def output(command: list[str], folder: str) -> str:
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=True
    ).stdout


def check_completions(hologram: str, folder: str) -> list[str]:
    os.mkdir(os.path.join(folder, "sub"))
    for name in ("a.py", "b c.json", "d.txt", "e.holo"):
        with open(os.path.join(folder, name), "w", encoding="ascii"):
            pass

    def script(shell: str) -> None:
        with open(os.path.join(folder, "script"), "w", encoding="ascii") as file:
            file.write(output([hologram, "completion", shell], folder))

    script("bash")

    def bash(words: str) -> list[str]:
        text = output(["bash", "--norc", "-c", ASK_BASH.format(words)], folder)
        return text.split("\n")[:-1]

    assert bash("hologram co") == ["compile", "completion"]
    assert sorted(bash("hologram compile --em")) == ["--embed", "--emit"]
    assert bash("hologram compile --emit h") == ["holo", "header"]
    assert bash("hologram run --time --backend c") == ["cpu", "cuda"]
    assert sorted(bash("hologram run ''")) == ["a.py", "b c.json", "e.holo", "sub/"]
    assert sorted(bash("hologram inspect ''")) == ["e.holo", "sub/"]
    assert "d.txt" in bash("hologram run --in x=d")
    assert bash("hologram completion z") == ["zsh"]
    assert bash("hologram run --set ''") == [""]
    ran = ["bash"]
    if shutil.which("zsh"):
        script("zsh")
        output(["zsh", "-f", "-n", "script"], folder)
        load = "autoload -Uz compinit; compinit -u -D; source ./script; echo $_comps[hologram]"
        assert output(["zsh", "-f", "-c", load], folder) == "_hologram\n"
        ran.append("zsh")
    if shutil.which("fish"):
        script("fish")

        def fish(words: str) -> list[str]:
            text = output(["fish", "-N", "-c", f"source script; complete -C '{words}'"], folder)
            return [line.split("\t")[0] for line in text.splitlines()]

        assert fish("hologram co") == ["compile", "completion"]
        assert sorted(fish("hologram compile --em")) == ["--embed", "--emit"]
        assert fish("hologram compile --emit h") == ["header", "holo"]
        assert "a.py" in fish("hologram run ")
        ran.append("fish")
    return ran


def wait_for(what: str, holds: Callable[[], bool]) -> None:
    end = time.monotonic() + LIMIT_SECONDS
    while not holds():
        assert time.monotonic() < end, f"waited for {what}"
        time.sleep(0.02)


def text_of(path: str) -> str:
    try:
        with open(path, encoding="ascii", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def check_watch(hologram: str, folder: str) -> None:
    source, result, log = (os.path.join(folder, name) for name in ("w.py", "w.hasm", "log"))

    def write(value: str) -> None:
        # As editors do it: another file in the place of the old one.
        with open(source + ".new", "w", encoding="ascii") as file:
            file.write(KERNEL.format(value))
        os.rename(source + ".new", source)

    write("1.5")
    with open(log, "w", encoding="ascii") as messages:
        child = subprocess.Popen(
            [hologram, "compile", "w.py", "-o", "w.hasm", "--watch"], cwd=folder, stderr=messages
        )
    try:
        wait_for("the first compilation", lambda: "; 1.5 ;" in text_of(result))
        write("2.5")
        wait_for("the second", lambda: "; 2.5 ;" in text_of(result))
        write("missing")
        wait_for("the message", lambda: "undefined name 'missing'" in text_of(log))
        assert "; 2.5 ;" in text_of(result)
        write("3.5")
        wait_for("the third", lambda: "; 3.5 ;" in text_of(result))
        wait_for("its report", lambda: text_of(log).count("; watching") >= 3)
        assert child.poll() is None
    finally:
        child.terminate()
        child.wait()


def check_progress(hologram: str, folder: str) -> None:
    """A step that lasts as long as we want: reading from a pipe."""
    with open(os.path.join(folder, "copy.py"), "w", encoding="ascii") as file:
        file.write(COPY)
    pipe, log = (os.path.join(folder, name) for name in ("pipe.csv", "log"))
    os.mkfifo(pipe)

    def messages(wanted: str, seconds: float, until: str) -> str:
        with open(log, "w", encoding="ascii") as stderr:
            child = subprocess.Popen(
                [hologram, "run", "copy.py", "--in=a=pipe.csv", "--out=c=c.csv:u8:2", "--set=n=2"],
                cwd=folder,
                env={**os.environ, "HOLOGRAM_PROGRESS": wanted},
                stderr=stderr,
            )
        try:
            with open(pipe, "w", encoding="ascii") as file:  # waits for the reader
                time.sleep(seconds)
                if until:
                    wait_for(until, lambda: until in text_of(log))
                file.write("1\n2\n")
            assert child.wait(timeout=LIMIT_SECONDS) == 0
        finally:
            child.kill()
        return text_of(log)

    shown = messages("always", 0, "reading arrays, 1 s")
    assert "hologram: reading arrays, 1 s\x1b[K" in shown and "\n" not in shown, repr(shown)
    assert shown.endswith("\x1b[K"), repr(shown)
    assert messages("", 1.2, "") == ""
    check_bar(hologram, folder)
    check_compiling(hologram, folder)
    check_stream(hologram, folder)
    check_names(hologram, folder)


def check_names(hologram: str, folder: str) -> None:
    """A file may have any name: what a terminal would obey is shown, not sent."""
    name = "clear\x1b[2J\r.hasm"
    pipe, log = (os.path.join(folder, part) for part in (name, "names.log"))
    os.mkfifo(pipe)
    with open(log, "w", encoding="ascii") as stderr:
        child = subprocess.Popen(
            [hologram, "verify", name],
            cwd=folder,
            env={**os.environ, "HOLOGRAM_PROGRESS": "always"},
            stderr=stderr,
        )
    shown = r"clear\x1b[2J\x0d.hasm"
    try:
        with open(pipe, "w", encoding="ascii") as file:
            wait_for("the name", lambda: f"reading {shown}, 1 s" in text_of(log))
            file.write("no kernel\n")
        assert child.wait(timeout=LIMIT_SECONDS) == 1
    finally:
        child.kill()
    said = text_of(log).replace("\x1b[K", "")
    assert f"{shown}:1:1: error: " in said and "\x1b" not in said, repr(said)
    for arguments in (
        [name],
        ["inspect", name],
        ["verify", name + "x"],
        ["run", "copy.py", "--out", name],
    ):
        done = subprocess.run([hologram, *arguments], cwd=folder, capture_output=True, text=True)
        assert shown in done.stderr and "\x1b" not in done.stderr, repr(done.stderr)


def check_bar(hologram: str, folder: str) -> None:
    """Shots of a circuit that measures on the way, counted while they run."""
    qubits = 16
    gates = "".join(f"h q[{k}];\nmeasure q[{k}] -> c[{k}];\n" for k in range(qubits))
    with open(os.path.join(folder, "long.qasm"), "w", encoding="ascii") as file:
        file.write(f'OPENQASM 2.0;\ninclude "qelib1.inc";\nqreg q[{qubits}];\n')
        file.write(f"creg c[{qubits}];\n{gates}x q[0];\nmeasure q[0] -> c[0];\n")
    log = os.path.join(folder, "bar.log")
    bar = re.compile(r"simulating long.qasm, \d+ s  \[=* *\] \d+ %, \d+ s left\x1b\[K")
    with open(log, "w", encoding="ascii") as stderr:
        child = subprocess.Popen(
            [hologram, "qsim", "long.qasm", "--shots", "1000000", "--no-pictures"],
            cwd=folder,
            env={**os.environ, "HOLOGRAM_PROGRESS": "always"},
            stderr=stderr,
            stdout=subprocess.DEVNULL,
        )
    try:
        wait_for("a bar", lambda: bar.search(text_of(log)) is not None)
    finally:
        child.kill()
        child.wait()


def check_compiling(hologram: str, folder: str) -> None:
    """A bundle of many kernels, counted while they are compiled; nothing of the cache is there."""
    doctor = subprocess.run([hologram, "doctor", "--no-test"], capture_output=True, text=True)
    if "the plugin is there" not in doctor.stdout:
        print("a bar of compiling: skipped, there is no compiler plugin")
        return
    sources = sorted((pathlib.Path(__file__).parents[2] / "kernels/nn").glob("*.py"))
    log = os.path.join(folder, "compile.log")
    bar = re.compile(r"compiling \d+ kernels, \d+ s  \[=* *\] \d+ %")
    with open(log, "w", encoding="ascii") as stderr:
        child = subprocess.Popen(
            [hologram, "compile", *map(str, sources), "-o", "many.holo"],
            cwd=folder,
            env={**os.environ, "HOLOGRAM_PROGRESS": "always"},
            stderr=stderr,
        )
    try:
        wait_for("a bar of compiling", lambda: bar.search(text_of(log)) is not None)
    finally:
        child.kill()
        child.wait()


def check_stream(hologram: str, folder: str) -> None:
    """A stream whose reader comes late, so that a part of it waits."""
    with open(os.path.join(folder, "long.raw"), "wb") as file:
        file.write(bytes(1 << 22))
    log = os.path.join(folder, "stream.log")
    bar = re.compile(r"streaming through kernel 'copy', \d+ s  \[=+ +\] \d+ %, \d+ s left\x1b\[K")
    command = [hologram, "run", "copy.py", "--stream", "--window", "65536", "--in=a=long.raw"]
    with open(log, "w", encoding="ascii") as stderr:
        child = subprocess.Popen(
            [*command, "--out=c=-", "--set=n=len(a)"],
            cwd=folder,
            env={**os.environ, "HOLOGRAM_PROGRESS": "always"},
            stderr=stderr,
            stdout=subprocess.PIPE,
        )
    try:
        assert child.stdout is not None
        assert child.stdout.read(1 << 18) == bytes(1 << 18)
        wait_for("a bar", lambda: bar.search(text_of(log)) is not None)
        assert len(child.stdout.read()) == (1 << 22) - (1 << 18)
        assert child.wait(timeout=LIMIT_SECONDS) == 0
    finally:
        child.kill()
        child.wait()


def check_path(hologram: str, folder: str) -> None:
    """Called by its name alone, it finds its own plugin and none in the current folder."""
    with open(os.path.join(folder, "p.py"), "w", encoding="ascii") as file:
        file.write(KERNEL.format("1.5"))
    with open(os.path.join(folder, "libhologram_jit.so"), "w", encoding="ascii") as file:
        file.write("somebody else's")
    path = os.path.dirname(hologram) + os.pathsep + os.environ["PATH"]
    said = []
    for command, variables in ((hologram, {}), ("hologram", {"PATH": path})):
        result = subprocess.run(
            [command, "compile", "p.py", "-o", "p.holo", "--stats"],
            cwd=folder,
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
            check=True,
        )
        said.append([line for line in result.stderr.splitlines() if "front end" not in line])
    assert said[0] == said[1], said
    assert "somebody" not in str(said) and f"{folder}/lib" not in str(said), said


def main() -> int:
    hologram = os.path.abspath(sys.argv[1])
    os.environ["HOLOGRAM_PYTHON"] = sys.executable
    with tempfile.TemporaryDirectory() as folder:
        shells = check_completions(hologram, folder)
        check_path(hologram, folder)
        check_watch(hologram, folder)
        check_progress(hologram, folder)
    print(f"ok; completions in {', '.join(shells)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
