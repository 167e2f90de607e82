"""hologram doctor and hg.doctor(): the same report, and exit codes.

usage: doctor_test.py HOLOGRAM
"""

from __future__ import annotations

import os
import subprocess
import sys


def run(command: str, *options: str, **variables: str) -> tuple[int, list[str]]:
    environment = {**os.environ, **variables}
    ran = subprocess.run(
        [command, "doctor", *options], env=environment, capture_output=True, text=True
    )
    assert ran.stderr == "", ran.stderr
    return ran.returncode, ran.stdout.splitlines()


def main() -> int:
    command = sys.argv[1]
    code, lines = run(command)
    assert code == 0, lines
    tests = [line for line in lines if "kernels give the published bits" in line]
    assert len(tests) >= 2 and all(" 50 of 50 " in line for line in tests), lines
    assert all(line.startswith(("ok    ", "note  ")) for line in lines), lines
    code, lines = run(command, "--no-test", HOLOGRAM_NUM_THREADS="0")
    assert code == 1 and any(line.startswith("BAD   threads") for line in lines), lines
    code, lines = run(command, "--no-test", HOLOGRAM_CPU_LEVEL="v2")
    assert code == 0 and not any("published" in line for line in lines)
    assert any("held down to v2 by HOLOGRAM_CPU_LEVEL" in line for line in lines) or any(
        line.startswith("ok    processor") and line.endswith("x86-64-v2") for line in lines
    ), lines
    code, lines = run(command, HOLOGRAM_JIT="/nonexistent")
    assert code == 0 and any(line.endswith("not run: no compiler plugin") for line in lines), lines

    import hologram as hg

    report = hg.doctor(test=False)
    assert report.well
    areas = {line[6:19].strip() for line in str(report).splitlines()}
    assert {"processor", "threads", "clock", "compiler", "cache"} <= areas, areas
    found = hg.devices()
    assert {device.engine for device in found} <= {"cuda", "opencl"}, found
    assert all(device.name or device.why_not for device in found), found
    print("doctor: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
