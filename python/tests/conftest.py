"""Options of the Python tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "support"))
import guard_pages

GUARDED = guard_pages.install()


def pytest_report_header() -> str:
    return f"arrays of NumPy lie beside untouchable pages: {'yes' if GUARDED else 'no'}"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--bless", action="store_true", help="write what the front end says into the golden files"
    )
