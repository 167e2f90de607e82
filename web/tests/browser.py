"""A page in headless Chromium, by the DevTools protocol on a pipe, and a server of its files."""

from __future__ import annotations

import base64
import contextlib
import functools
import http.server
import json
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Nothing but the server of the test has a name or an address.
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--remote-debugging-pipe",
)  # fmt: skip


class PageError(Exception):
    """The browser, or a script in it, failed."""


class Browser:
    def __init__(self, requests: list[str]) -> None:
        """`requests` gets the address of everything that pages ask for."""
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        from_us, to_browser = os.pipe()
        from_browser, to_us = os.pipe()
        arguments = " ".join(f"'{flag}'" for flag in FLAGS)
        command = f"exec chromium {arguments} '--user-data-dir={self._profile.name}'"
        self._process = subprocess.Popen(
            ["bash", "-c", f"{command} 3<&{from_us} 4>&{to_us}"],
            pass_fds=(from_us, to_us),
            stderr=subprocess.DEVNULL,
        )
        os.close(from_us)
        os.close(to_us)
        self._write, self._read = to_browser, os.fdopen(from_browser, "rb", buffering=0)
        self._pending = b""
        self._next = 0
        self._requests = requests
        self.problems: list[str] = []  # errors of the console
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    _session = ""

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._next += 1
        number = self._next
        message = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") != number:
                self._note(answer)
                continue
            if "error" in answer:
                raise PageError(f"{method}: {answer['error']['message']}")
            return answer["result"]

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._pending:
            some = self._read.read(1 << 20)
            if not some:
                raise PageError("Chromium has ended")
            self._pending += some
        message, _, self._pending = self._pending.partition(b"\0")
        return json.loads(message)

    def _note(self, event: dict[str, Any]) -> None:
        method, values = event.get("method"), event.get("params", {})
        if method == "Network.requestWillBeSent":
            self._requests.append(values["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(values["exceptionDetails"])[:400])
        elif method == "Log.entryAdded" and values["entry"]["level"] == "error":
            self.problems.append(f"{values['entry']['text']} {values['entry'].get('url', '')}")

    def evaluate(self, script: str) -> Any:
        result = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in result:
            raise PageError(json.dumps(result["exceptionDetails"])[:400])
        return result["result"].get("value")

    def wait_for(self, script: str, seconds: float = 60) -> Any:
        """Until the script gives something true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.evaluate(script)
            if value:
                return value
            time.sleep(0.1)
        raise PageError(f"not within {seconds} s: {script}")

    def open(self, address: str) -> None:
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=address)
        self.wait_for("location.href !== 'about:blank' && document.readyState === 'complete'")

    def leave(self) -> None:
        """To an empty page."""
        self.call("Page.navigate", url="about:blank")

    def resize(self, width: int, height: int) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **metrics)

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def close(self) -> None:
        with contextlib.suppress(PageError, OSError):
            self._session = ""
            self.call("Browser.close")
        self._process.wait(timeout=120)
        self._profile.cleanup()


class _Handler(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *values: Any, served: list[str], **options: Any) -> None:
        self._served = served
        super().__init__(*values, **options)

    def do_GET(self) -> None:  # noqa: N802
        self._served.append(self.path)
        super().do_GET()

    def log_message(self, *_: Any) -> None:
        pass


@contextlib.contextmanager
def serve(folder: Path, served: list[str] | None = None) -> Iterator[str]:
    """The address of a server of the folder's files; `served` gets the paths that are asked for, by
    workers too."""
    paths = [] if served is None else served
    handler = functools.partial(_Handler, directory=str(folder), served=paths)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
