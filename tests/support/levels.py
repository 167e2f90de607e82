"""The levels of x86-64 that this processor has. The others are skipped, with a line for each."""

from __future__ import annotations

from pathlib import Path

# What tells a level from the one before it.
FLAGS = {
    "v2": set(),
    "v3": {"avx2", "fma", "bmi2"},
    "v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
}


def levels_here() -> tuple[str, ...]:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    flags = set(next((line for line in lines if line.startswith("flags")), "").split())
    found: list[str] = []
    for level, wanted in FLAGS.items():
        missing = sorted(wanted - flags)
        if missing or len(found) != list(FLAGS).index(level):
            print(f"{level}: SKIPPED, this processor lacks {', '.join(missing)}", flush=True)
        else:
            found.append(level)
    return tuple(found)
