"""Programs ported from other systems, against their Numba twins, both on one thread."""

import os
import statistics
import sys
import time

os.environ["HOLOGRAM_NUM_THREADS"] = "1"

try:
    import numba  # noqa: F401
except ImportError:
    print("ports against Numba: SKIPPED, scripts/venv.sh ports installs it")
    sys.exit(0)

import numpy as np
import products
import scatters
import stencils


def seconds(function, data):
    """The median of three rounds of about 0.1 s each, per call."""
    start = time.perf_counter()
    function(*data)
    count = max(1, int(0.1 / max(time.perf_counter() - start, 1e-7)))
    rounds = []
    for _ in range(3):
        start = time.perf_counter()
        for _ in range(count):
            function(*data)
        rounds.append((time.perf_counter() - start) / count)
    return statistics.median(rounds)


def main():
    ratios, interpreted = [], 0
    for family in (stencils, products, scatters):
        for name, style, kernel, twin, data, check in family.programs(np.random.default_rng(1)):
            ours, theirs = (
                tuple(x.copy() if isinstance(x, np.ndarray) else x for x in data) for _ in "ab"
            )
            kernel(*ours)
            twin(*theirs)
            check(*ours)
            for mine, other in zip(ours, theirs, strict=True):
                np.testing.assert_allclose(mine, other, rtol=1e-10, err_msg=name)
            a = seconds(kernel, ours)
            b = seconds(twin, theirs)
            last = kernel.last_launch
            ratios.append(b / a)
            interpreted += last.engine == "interpreter"
            print(
                f"{name:12} {style:10} {a * 1e6:9.1f} us {b * 1e6:9.1f} us {b / a:6.2f}"
                f"  {last.engine} {last.reason or ''} {last.condition or ''}",
                flush=True,
            )
    below = sum(r < 1.0 for r in ratios)
    print(f"median {statistics.median(ratios):.2f}, below 1.0: {below}, interpreted: {interpreted}")


if __name__ == "__main__":
    main()
