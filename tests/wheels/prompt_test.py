"""A kernel at the interactive prompt of this Python: `prompt_test.py basic|new`, run by scripts/pythons.sh.

basic is the prompt of all versions (PYTHON_BASIC_REPL=1), new that of CPython 3.13 and later, which needs a
terminal. There a kernel is pasted, as terminals do it, and typed line by line, with what the prompt indents.
"""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import sys
import time

IMPORTS = """\
import hologram as hg, numpy as np
from hologram.lang import DeviceArray, f32, get_global_id, u32
"""
KERNEL = """\
@hg.kernel
def NAME(a: f32, x: DeviceArray[f32], n: u32):
    i = get_global_id()
    if i < n:
        x[i] = a * x[i] + EXTRA
"""
CALL = """\
x = np.ones(100, np.float32); NAME(2.0, x, len(x)); print("NAME", x[7], x.sum(), NAME.path)
"""
EXTRA = "EXTRA = 0.5\n"
PASTE = "\x1b[200~{}\x1b[201~"
LONGEST = 60.0  # seconds


class Prompt:
    """A Python under a terminal."""

    def __init__(self, basic: bool) -> None:
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.environ.update(TERM="xterm", PYTHON_COLORS="0", COLUMNS="200", LINES="50")
            os.environ.pop("PYTHON_BASIC_REPL", None)
            if basic:
                os.environ["PYTHON_BASIC_REPL"] = "1"
            os.execv(sys.executable, [sys.executable, "-q"])
        self.shown = ""

    def wait_for(self, pattern: str) -> re.Match[str]:
        """The first match in what is shown from now on; all before it is forgotten."""
        end = time.monotonic() + LONGEST
        while True:
            if found := re.search(pattern, self.shown):
                self.shown = self.shown[found.end() :]
                return found
            if not select.select([self.terminal], [], [], max(0.0, end - time.monotonic()))[0]:
                sys.exit(f"prompt_test: no {pattern!r} in {LONGEST} s: {self.shown!r}")
            try:
                self.shown += os.read(self.terminal, 65536).decode(errors="replace")
            except OSError:  # the terminal is closed
                sys.exit(f"prompt_test: it ended without {pattern!r}: {self.shown!r}")

    def type(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def close(self) -> None:
        self.type("exit()\r")
        end = time.monotonic() + LONGEST
        while os.waitpid(self.child, os.WNOHANG)[0] == 0:
            if time.monotonic() > end:
                os.kill(self.child, signal.SIGKILL)
                sys.exit("prompt_test: exit() did not end it")
            time.sleep(0.05)


def expect(prompt: Prompt, name: str) -> None:
    found = prompt.wait_for(rf"{name} ([\d.]+) ([\d.]+) ([^\r\n]+)[\r\n]")
    if (found[1], found[2]) != ("2.5", "250.0") or not found[3].startswith("native ("):
        sys.exit(f"prompt_test: expected 2.5 250.0 native, found {found[0]!r}")
    print(f"prompt_test: {name}: {found[3]}")


def basic() -> None:
    prompt = Prompt(basic=True)
    prompt.wait_for(">>> ")
    lines = IMPORTS + EXTRA + KERNEL + "\n" + CALL
    prompt.type(lines.replace("NAME", "basic"))
    expect(prompt, "basic")
    prompt.close()


def new() -> None:
    prompt = Prompt(basic=False)
    prompt.wait_for(">>> ")
    for line in (IMPORTS + EXTRA).splitlines():
        prompt.type(line + "\r")
        prompt.wait_for(">>> ")
    # As a terminal pastes it; the second return ends the block.
    prompt.type(PASTE.format(KERNEL.replace("NAME", "pasted")) + "\r\r")
    prompt.wait_for(r"(?s)\.\.\. .*>>> ")
    prompt.type(CALL.replace("NAME", "pasted") + "\r")
    expect(prompt, "pasted")
    # Typed: the prompt indents each line of a block as the one before it, and deeper behind a colon.
    for line in KERNEL.replace("NAME", "typed").splitlines():
        prompt.wait_for(r">>> |\.\.\. ")
        prompt.type(line.strip() + "\r")
    prompt.type("\r")
    prompt.wait_for(">>> ")
    prompt.type(CALL.replace("NAME", "typed") + "\r")
    expect(prompt, "typed")
    prompt.close()


if __name__ == "__main__":
    {"basic": basic, "new": new}[sys.argv[1]]()
