"""JSON laid out for diffs: what fits in 100 columns on one line, the rest indented."""

from __future__ import annotations

import json

WIDTH = 100


def pretty(value: object, indent: int = 0, reserved: int = 0) -> str:
    """`reserved` is the room that a key before the value and a comma after it take."""
    flat = json.dumps(value)
    if len(flat) + indent + reserved <= WIDTH or not isinstance(value, (dict, list)) or not value:
        return flat
    inner = " " * (indent + 1)
    if isinstance(value, dict):
        lines = [
            f"{inner}{json.dumps(key)}: {pretty(item, indent + 1, len(key) + 5)}"
            for key, item in value.items()
        ]
        return "{\n" + ",\n".join(lines) + "\n" + " " * indent + "}"
    items = [inner + pretty(item, indent + 1, 1) for item in value]
    return "[\n" + ",\n".join(items) + "\n" + " " * indent + "]"
