"""A session of `hologram debug` as a client of the Debug Adapter Protocol has it. Tests drive it, and
scripts/seeing_pictures.py draws one."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dap_client


class Session:
    def __init__(self, process: subprocess.Popen[str], client: dap_client.Client) -> None:
        self.process = process
        self.client = client
        self.thread = 0

    def start(self, file: Path, *breakpoints: dict[str, object]) -> None:
        client = self.client
        client.request("initialize", adapterID="test", clientID="test", linesStartAt1=True)
        attached = client.send("attach", justMyCode=True)
        client.event("initialized")
        found = client.request(
            "setBreakpoints", source={"path": str(file)}, breakpoints=list(breakpoints)
        )
        assert all(row["verified"] for row in found["breakpoints"]), found
        client.request("configurationDone")
        assert client.answer(attached)["success"]

    def stopped(self) -> tuple[int, str]:
        """The line and the reason."""
        event = self.client.event("stopped")
        self.thread = event["threadId"]
        return int(self.frame()["line"]), str(event["reason"])

    def frame(self) -> dict[str, Any]:
        return dict(self.client.request("stackTrace", threadId=self.thread)["stackFrames"][0])

    def variables(self) -> dict[str, str]:
        [scope, *_] = self.client.request("scopes", frameId=self.frame()["id"])["scopes"]
        rows = self.client.request("variables", variablesReference=scope["variablesReference"])
        return {row["name"]: row["value"] for row in rows["variables"]}

    def evaluate(self, expression: str) -> str:
        answer = self.client.answer(
            self.client.send(
                "evaluate", expression=expression, frameId=self.frame()["id"], context="repl"
            )
        )
        return str(answer["body"]["result"] if answer["success"] else answer["message"])

    def go(self, how: str = "continue") -> None:
        self.client.request(how, threadId=self.thread)

    def finish(self) -> tuple[int, str]:
        """The exit code and what was said, after the last stop."""
        self.go()
        self.process.wait(dap_client.TIMEOUT)
        self.client.close()  # debugpy's own process has the pipe too, and stays as long as we do
        said = self.process.communicate(timeout=dap_client.TIMEOUT)[1]
        return self.process.returncode, said


@contextmanager
def debugged(hologram: str, python: str, folder: Path, *words: str) -> Iterator[Session]:
    """`hologram debug WORDS` in the folder, with that Python, and a client that has come."""
    process = subprocess.Popen(
        [hologram, "debug", *words, "--listen", "0"],
        cwd=folder,
        env={**os.environ, "HOLOGRAM_PYTHON": python},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    lines = []
    for line in process.stderr:
        lines.append(line)
        if found := re.search(r"waiting for a debugger .* on 127\.0\.0\.1:(\d+)", line):
            break
    else:
        raise AssertionError("".join(lines))
    client = dap_client.Client(int(found[1]))
    try:
        yield Session(process, client)
    finally:
        client.close()
        if process.poll() is None:
            process.kill()
        process.wait()
