"""The kernel language under its original name: everything of `hologram.lang`."""

from __future__ import annotations

from hologram import lang
from hologram.lang import *  # noqa: F403

__all__ = lang.__all__
