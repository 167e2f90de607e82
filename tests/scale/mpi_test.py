"""Runs mpi_program.py on 1, 2 and 4 ranks of this machine, with Debian's Open MPI: one bit pattern.

usage: mpi_test.py
"""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys

PROGRAM = pathlib.Path(__file__).with_name("mpi_program.py")


def main() -> int:
    mpirun = shutil.which("mpirun")
    if mpirun is None:
        print("SKIPPED: there is no mpirun; Debian has it in openmpi-bin")
        return 0
    found = set()
    for ranks in (1, 2, 4):
        command = [mpirun, "--oversubscribe", "--bind-to", "none", "-np", str(ranks)]
        command += ["--allow-run-as-root"] if os.geteuid() == 0 else []
        variables = {**os.environ, "OMP_NUM_THREADS": "1"}
        done = subprocess.run(
            [*command, sys.executable, str(PROGRAM)],
            env=variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        if done.returncode != 0:
            print(done.stdout, done.stderr)
            return 1
        print(done.stdout.strip())
        found |= {line.split(": ")[1] for line in done.stdout.splitlines() if "sum of" in line}
    print(f"{len(found)} bit pattern")
    return 0 if len(found) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
