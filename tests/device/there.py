"""Whether this machine has a device of an engine; the tests beside this file are skipped without."""

from __future__ import annotations

import ctypes
import os

import hologram as hg


def register_engine() -> None:
    """That of a shared library, if the test is to have one: "FILE FUNCTION ARGUMENT"."""
    if words := os.environ.get("HOLOGRAM_TEST_ENGINE", "").split():
        file, function, argument = words
        assert getattr(ctypes.CDLL(file), function)(argument.encode()) == 0


def is_there(engine: str) -> bool:
    """False after the line that CTest takes for a skipped test."""
    register_engine()
    if any(d.engine == engine and d.name and not d.why_not for d in hg.devices()):
        return True
    print(f"SKIPPED: no device of {engine}")
    return False
