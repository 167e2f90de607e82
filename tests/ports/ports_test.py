"""The programs of bench/ports at a small size give the results that NumPy gives.

usage: ports_test.py MODULE_FOLDER; compiled and interpreted, with equal bits, except sums of
floats that are launched in any order. Numba takes no part.
"""

import hashlib
import json
import os
import pathlib
import subprocess
import sys
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [sys.argv[1], str(ROOT / "bench" / "ports"), str(ROOT / "tests" / "support")]

import guard_pages  # noqa: E402
import numpy as np  # noqa: E402
from common import all_programs, copied, tried  # noqa: E402

guard_pages.install()

LEAST = 40  # programs


def results():
    """A digest of the results of each program, None for one that fails."""
    found = {}
    for name, _, program, _, data, check in all_programs(np.random.default_rng(7), small=True):
        kernel, arrays = tried(program), copied(data)
        try:
            kernel(*arrays)
            check(*arrays)
        except Exception:  # each program is reported
            print(f"{name}:", file=sys.stderr)
            traceback.print_exc()
            found[name] = None
            continue
        if kernel.refusal and "float that lanes update atomically" in kernel.refusal:
            found[name] = "sums in any order"
            continue
        digest = hashlib.sha256()
        for array in arrays:
            if isinstance(array, np.ndarray):
                digest.update(array.tobytes())
        found[name] = digest.hexdigest()
    return found


def main():
    if sys.argv[2:] == ["--digests"]:
        print(json.dumps(results()))
        return 0
    ours = results()
    command = [sys.executable, "-W", "ignore", __file__, sys.argv[1], "--digests"]
    environment = os.environ | {"HOLOGRAM_JIT": "/nonexistent"}
    interpreter = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, check=True, text=True
    )
    theirs = json.loads(interpreter.stdout)
    failed = [name for name in ours if None in (ours[name], theirs[name])]
    differ = [name for name in ours if ours[name] != theirs[name]]
    print(f"{len(ours)} programs, failed: {', '.join(failed) or 'none'}")
    print(f"interpreted with other bits: {', '.join(differ) or 'none'}")
    return 1 if failed or differ or len(ours) < LEAST else 0


if __name__ == "__main__":
    sys.exit(main())
