#!/usr/bin/env python3
"""Kernels that once failed, as small files: the kernel's source, one launch, and what the model says.

usage: found.py FILE... [--level v2|v3|v4]

Each is run by the interpreter and natively, with its arrays beside untouchable pages, in a process
of its own. Exit status 0 if all do what stands in their file.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import pathlib
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from strangers import engines, launches, machine, tree, workers

if TYPE_CHECKING:
    from strangers.shrink import Small


def _literal(value: Any) -> str:
    return repr(value)


def file_text(small: Small, failure: workers.Failure) -> str:
    """The file of a failure; the kernel stands first, so its lines are those of the model."""
    program, launch = small.program, small.launch
    expected = small.expected
    data = dataclasses.asdict(launch)
    data["traits"] = []
    wanted: dict[str, Any] = {"form": expected.form}
    if expected.form == "ok":
        wanted["pools"] = [pool.hex() for pool in expected.pools]
    elif expected.form == "fault":
        wanted.update(kind=expected.kind, line=expected.line)
        wanted.update(element=expected.element, length=expected.length)
    wanted["racy"] = expected.racy
    arrays = [(a.name, a.type) for a in program.arrays]
    return "\n".join(
        [
            tree.source(program),
            f"# {failure.what.splitlines()[0][:300]}",
            f"# Made smaller from program {failure.seed}, launch {failure.launch}, level {failure.level} of",
            "# tests/strangers/run.py. Run it: python3 tests/strangers/found.py FILE --level "
            + failure.level,
            f"ARRAYS = {arrays!r}",
            f"SCALARS = {program.scalars!r}",
            f"LAUNCH = {_literal(data)}",
            f"EXPECTED = {_literal(wanted)}",
            "",
        ]
    )


def _values(path: pathlib.Path) -> dict[str, Any]:
    result = {}
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            result[statement.targets[0].id] = ast.literal_eval(statement.value)
    return result


def check_file(path: pathlib.Path, session: engines.Session) -> str:
    """What differs from the file's EXPECTED; empty if nothing does. May crash."""
    import hologram as hg

    known = _values(path)
    launch = launches.from_data(known["LAUNCH"])
    arrays = [tree.Array(name, type_, "in") for name, type_ in known["ARRAYS"]]
    program = tree.Program(0, "found", 1, None, arrays, [], known["SCALARS"], [], [])
    wanted = dict(known["EXPECTED"])
    wanted["pools"] = [bytes.fromhex(pool) for pool in wanted.get("pools", [])]
    expected = engines.Outcome(**wanted)
    kernel = hg.compile(str(path))["k"]
    if not kernel.path.startswith("native"):
        return f"no native code: {kernel.path}"
    runs = {}
    for name, backend in (("native", launch.native), ("interpreter", "interpreter")):
        runs[name] = session.rig.run(kernel, program, launch, backend)
    return engines.compare(launch, expected, runs)


def _work(path: pathlib.Path) -> Callable[[Callable[[Any], None]], None]:
    def work(send: Callable[[Any], None]) -> None:
        session = engines.Session()
        try:
            send(check_file(path, session))
        finally:
            session.close()

    return work


def run_file(path: pathlib.Path, level: str) -> str:
    what = "no answer"
    try:
        for message in workers.in_child(level, _work(path)):
            if isinstance(message, int):
                what = workers.how_it_died(message) or what
            else:
                what = message
    except RuntimeError as error:
        return str(error)
    return what


def run_all(folder: pathlib.Path, level: str) -> bool:
    """Whether all files of a folder pass."""
    paths = sorted(folder.glob("*.py"))
    bad = 0
    for path in paths:
        what = run_file(path, level)
        if what:
            bad += 1
            print(f"{path.name}, {level}: {what}")
    print(f"{level}: {len(paths)} programs that failed once, {bad} fail now", flush=True)
    return bad == 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--level", choices=("v2", "v3", "v4"), default="v3")
    arguments = parser.parse_args()
    bad = 0
    for path in arguments.files:
        what = run_file(path, arguments.level)
        print(f"{path}: {what or 'ok'}")
        bad += bool(what)
    return 1 if bad else 0


__all__ = ["check_file", "file_text", "machine", "run_all", "run_file"]

if __name__ == "__main__":
    sys.exit(main())
