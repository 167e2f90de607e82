"""The kernel language under its original name: everything of `hologram.lang`."""

from __future__ import annotations

from hologram.lang import *  # noqa: F403
from hologram.lang import __all__  # noqa: F401
