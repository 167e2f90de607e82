"""Whether this machine has a device of an engine; the tests beside this file are skipped without."""

from __future__ import annotations

import hologram as hg


def is_there(engine: str) -> bool:
    """False after the line that CTest takes for a skipped test."""
    if any(d.engine == engine and d.name and not d.why_not for d in hg.devices()):
        return True
    print(f"SKIPPED: no device of {engine}")
    return False
