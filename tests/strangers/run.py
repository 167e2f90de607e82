#!/usr/bin/env python3
"""Random kernels, from Python source, on every engine and against a model in plain Python.

usage: run.py [--count N] [--seed S] [--level v2|v3|v4|all] [--launches K] [--seconds T] [--found]

Program number S + k is the same on every machine. Each is compiled from its text and launched K
times with arrays beside untouchable pages: native code of the level, interpreter, model. Whatever
differs, and every touched guard page, is made smaller and written as a file that runs by itself.
Exit status 0 if nothing differs. Uses the Python module and the compiler plugin of build/release
unless PYTHONPATH has another module; needs NumPy (build/venv/bin/python has it).
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import pathlib
import sys
import time
from collections import Counter
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "support")]

from levels import FLAGS, levels_here  # noqa: E402

from strangers import found, shrink, workers  # noqa: E402

BUILD = HERE.parents[1] / "build" / "release"


def find_hologram() -> None:
    """Makes the module and the plugin of the tree's build importable where no other one is."""
    if importlib.util.find_spec("hologram"):
        return
    plugin = BUILD / "lib" / "libhologram_jit.so"
    if not plugin.exists():
        sys.exit(f"no module hologram, and {plugin} is not built; run make test or make bench once")
    sys.path.insert(0, str(BUILD / "python"))
    os.environ.setdefault("HOLOGRAM_JIT", str(plugin))


def print_counts(level: str, report: workers.Report, details: bool) -> None:
    c = report.counts
    kinds = Counter(f.kind for f in report.failures)
    ran = c["ok"]
    share = 100.0 * ran / max(1, c["launches"])
    native = 100.0 * c["native"] / max(1, c["launches"])
    pages = kinds["guard page"]
    different = sum(n for kind, n in kinds.items() if kind not in ("operands", "guard page"))
    print(
        f"{level}: programs {c['programs']} (refused {c['programs refused']}), launches {c['launches']}, "
        f"ran {ran} ({share:.0f} %), natively {c['native']} ({native:.0f} %), in the checked form "
        f"{c['checked form']}, faults {c['faults']}, "
        f"refusals {c['refused']}, racy {c['racy']}, compared with the model "
        f"{c['compared with the model'] + c['faults compared with the model']}, different {different}, "
        f"guard-page hits {pages}, fault texts that differ in operands {kinds['operands']}",
        flush=True,
    )
    for device in ("cuda", "opencl"):
        if c[device]:
            print(
                f"    on {device} too: {c[device]} launches, {c[device + ' itself']} of them there, the "
                f"others in the interpreter; {c[device + ' refused']} refused by name"
            )
    if details:
        for name, n in sorted(c.items()):
            print(f"    {n:8} {name}")


def describe(failure: workers.Failure, arguments: argparse.Namespace) -> None:
    repeat = (
        f"--seed {failure.seed} --count 1 --level {failure.level} --launches {arguments.launches}"
    )
    print(f"{failure.level}: program {failure.seed} launch {failure.launch}: {failure.what}")
    print(f"    repeat: python3 tests/strangers/run.py {repeat}", flush=True)


def shrink_one(failure: workers.Failure, arguments: argparse.Namespace) -> None:
    print(f"making program {failure.seed} launch {failure.launch} smaller", flush=True)
    small = shrink.shrink(failure, arguments.launches, arguments.shrink_seconds)
    if small is None:
        print("    it does not fail alone")
        return
    name = f"{failure.kind.replace(' ', '_').replace('-', '_')}_{failure.level}_{failure.seed}.py"
    text = found.file_text(small, failure)
    folder = pathlib.Path(arguments.out)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    print(f"--- {folder / name}\n{text}---", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--level", choices=(*FLAGS, "all"), default="all")
    parser.add_argument("--launches", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after so many")
    parser.add_argument("--shrink-seconds", type=float, default=60.0)
    parser.add_argument("--shrink-at-most", type=int, default=5, help="failures of one kind")
    parser.add_argument("--show", type=int, default=20, help="print so many failures of one kind")
    parser.add_argument("--out", default="strangers-found", help="folder for small files")
    parser.add_argument("--found", action="store_true", help="first run the files of found/")
    parser.add_argument("--details", action="store_true")
    parser.add_argument(
        "--progress", type=int, default=0, help="print the counts after so many programs"
    )
    parser.add_argument("--device", default="", help="run them on this engine too: cuda, opencl")
    arguments = parser.parse_args()
    os.environ["STRANGERS_DEVICE"] = arguments.device
    find_hologram()
    there = levels_here()
    levels = there if arguments.level == "all" else (arguments.level,)
    failed = False
    begin = time.monotonic()
    for level in levels:
        if level not in there:  # a line says so
            continue
        if arguments.found:
            failed |= not found.run_all(HERE / "found", level)

        known: list[workers.Failure] = []

        def seen(report: workers.Report, level: str = level, known: Any = known) -> None:
            for failure in report.failures[len(known) :]:
                known.append(failure)
                if [f.kind for f in known].count(failure.kind) <= arguments.show:
                    describe(failure, arguments)
            if arguments.progress and report.counts["programs"] % arguments.progress == 0:
                print(f"{time.monotonic() - begin:.0f} s ", end="")
                print_counts(level, report, False)

        deadline = begin + arguments.seconds * (levels.index(level) + 1) / len(levels)
        last = arguments.seed + arguments.count
        report = workers.run_seeds(level, arguments.seed, last, arguments.launches, deadline, seen)
        shrunk: Counter[str] = Counter()
        for failure in report.failures:
            shrunk[failure.kind] += 1
            if failure.kind != "operands" and shrunk[failure.kind] <= arguments.shrink_at_most:
                shrink_one(failure, arguments)
        failed |= any(f.kind != "operands" for f in report.failures)
        print_counts(level, report, arguments.details)
        if report.counts["programs without native code"]:
            print(
                f"{level}: {report.counts['programs without native code']} programs had no native code"
            )
            failed = True
    print(
        f"seeds {arguments.seed} to {arguments.seed + arguments.count - 1}, {time.monotonic() - begin:.0f} s"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    sys.exit(main())
