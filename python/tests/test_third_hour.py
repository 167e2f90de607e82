"""What stopped a third new user."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hologram as hg
from hologram.lang import sqrt


@hg.vectorize
def line(a, b):
    return a * 2 + b


@hg.vectorize
def root(a):
    return sqrt(a)


def test_vectorize_takes_lists_and_whole_numbers() -> None:
    assert np.array_equal(line([1, 2], [3, 4]), [5, 8])
    assert np.array_equal(line([1.5, 2], b=3), [6, 7])
    assert line(1, 2) == 4 and root(4) == 2.0 and root(4).dtype == np.float64
    assert np.array_equal(root([1, 4]), [1, 2])
    assert line([], []).shape == (0,)
    for call, found in (
        (lambda: root("a"), "numbers and arrays of them are expected, found values of <U1"),
        (lambda: root(None), "found values of object"),
        (lambda: line([1, 2], [1, 2], out=[0, 0]), "out= is a NumPy array, found list"),
        (lambda: line([1]), "line takes 2 arguments, not 1"),
        (lambda: line(1, c=2), "line has no argument `c` left to give by name"),
    ):
        with pytest.raises(TypeError, match=found):
            call()


def test_an_example_runs_without_the_source_tree(tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "examples/python/black_scholes.py"
    shutil.copy(example, tmp_path)
    done = subprocess.run(
        [sys.executable, tmp_path / example.name, "20000"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
