"""A client of the Debug Adapter Protocol, as small as it can be.
https://microsoft.github.io/debug-adapter-protocol/specification"""

from __future__ import annotations

import json
import socket
from typing import Any

TIMEOUT = 20.0


class Client:
    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), TIMEOUT)
        self._socket.settimeout(TIMEOUT)
        self._stream = self._socket.makefile("rb")
        self._number = 0
        self._events: list[dict[str, Any]] = []
        self._answers: dict[int, dict[str, Any]] = {}

    def close(self) -> None:
        self._stream.close()
        self._socket.close()

    def send(self, command: str, **arguments: object) -> int:
        self._number += 1
        message = {
            "seq": self._number,
            "type": "request",
            "command": command,
            "arguments": arguments,
        }
        body = json.dumps(message).encode()
        self._socket.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        return self._number

    def request(self, command: str, **arguments: object) -> dict[str, Any]:
        """Its answer, which is to be a success."""
        answer = self.answer(self.send(command, **arguments))
        assert answer["success"], answer
        return dict(answer.get("body") or {})

    def answer(self, number: int) -> dict[str, Any]:
        while number not in self._answers:
            self._read()
        return self._answers.pop(number)

    def event(self, name: str) -> dict[str, Any]:
        """The next one of that name; those before it are forgotten."""
        while True:
            while self._events:
                event = self._events.pop(0)
                if event["event"] == name:
                    return dict(event.get("body") or {})
            self._read()

    def _read(self) -> None:
        length = 0
        while line := self._stream.readline().strip():
            key, _, value = line.partition(b":")
            if key.lower() == b"content-length":
                length = int(value)
        assert length, "the debugger has gone"
        message = json.loads(self._stream.read(length))
        if message["type"] == "event":
            self._events.append(message)
        elif message["type"] == "response":
            self._answers[message["request_seq"]] = message
