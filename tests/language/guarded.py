"""Importing it puts the arrays that NumPy makes from then on beside untouchable pages."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import guard_pages

guard_pages.install()
