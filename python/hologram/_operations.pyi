# Written by the build from operations/elementwise.py (operations/generator/python.py).
from typing import Any

ROWS: tuple[tuple[Any, ...], ...]  # fields of hologram.ops.table.Spec
OPTIONS: tuple[tuple[Any, ...], ...]  # the same, of what is an option of another operation
DEFAULTS: dict[str, tuple[float, ...]]  # of the last numbers of an operation
# By operation: its option, and the operation for each value of that.
CHOICES: dict[str, tuple[str, dict[str, str]]]
# Steps by operation: a word, the kind of the result and sources (operations/generator/steps.py).
STEPS: dict[str, tuple[tuple[Any, ...], ...]]
