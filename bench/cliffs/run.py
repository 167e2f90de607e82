#!/usr/bin/env python3
"""Programs in the words of other systems, beside the same in the form that is known to be fast.

usage: PYTHONPATH=build/release/python bench/cliffs/run.py [TOPIC...] [--rounds 21]

Each row has a limit for the time of the first over that of the second, both on one thread in one
process, in turns; printed are the best times and their ratio. The topics beside Numba print medians
and how many times as fast as Numba ours is; they are skipped, with a line, where it is missing.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import sys
from pathlib import Path

os.environ.setdefault("HOLOGRAM_NUM_THREADS", "1")

from pairs import show
from rows import run

TOPICS = ("indices", "loops")
BESIDE_NUMBA = ("divisions", "rows_of_data", "states", "others")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("topics", nargs="*", default=TOPICS + BESIDE_NUMBA, metavar="TOPIC")
    parser.add_argument("--rounds", type=int, default=21)
    options = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parent))
    topics = [topic for topic in options.topics if topic not in BESIDE_NUMBA]
    misses = run((importlib.import_module(topic).TABLE for topic in topics), options.rounds)
    for topic in options.topics:
        if topic not in BESIDE_NUMBA:
            continue
        if importlib.util.find_spec("numba") is None:
            print(f"{topic}: SKIPPED, scripts/venv.sh ports installs Numba")
            continue
        misses += show(importlib.import_module(topic).ROWS, [])
    print(f"{misses} rows miss")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
