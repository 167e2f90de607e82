"""Functions under Numba's decorators for ufuncs, of the packages of vectorized.lock, compiled as they are.

The wheels come from PyPI. Of each file the functions and what they name are kept (reduced.py) and
imported with Numba itself there, whose two decorators are hologram's. Prints what was refused, with
its message, and a table, and says whether 80 % compile; fails where fewer do than before. usage: vectorized_test.py [--list]
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
import traceback
import types
import warnings
import zipfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, ClassVar

os.environ["NUMBA_BOUNDSCHECK"] = "1"  # of helpers of Numba's that Python calls

import numba
import numpy as np
from reduced import Package
from vectorized_values import Declared, compared

import hologram as hg

HERE = Path(__file__).parent
FOLDER = HERE.parents[1] / "build" / "vectorized"
LOCK = HERE / "vectorized.lock"
Row = tuple[str, str, "tuple[str, int, int] | None"]
BAR = 0.80
DATA = (".json", ".yml")  # that packages read when they are imported
# Of arguments that the test makes, NumPy leaves the values of these open.
OPEN = {"xarray_einstats.numba.searchsorted_ufunc": "a search in elements that are not sorted"}
RAN = 150  # of these have been called, with the values of Python
HELD = 197  # functions that compile now; fewer fail the test


def fetched() -> list[tuple[str, Path]]:
    """Distribution and wheel. Ends the test where PyPI cannot be reached."""
    wheels = FOLDER / "wheels"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "-q"]
    pip += ["--no-deps", "--only-binary", ":all:", "--require-hashes", "--python-version", "3.11"]
    pip += ["--platform", "manylinux_2_28_x86_64", "--timeout", "10", "--retries", "1"]
    pip += ["-d", str(wheels), "-r", str(LOCK)]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    if done.returncode:
        if "HASHES" in done.stderr:
            sys.exit(done.stderr)
        print(f"SKIPPED: the packages cannot be fetched: {done.stderr.strip()[-200:]}")
        sys.exit(0)
    names = re.findall(r"^([a-z0-9-]+)==(\S+)", LOCK.read_text(), re.MULTILINE)
    rows = [
        (f"{name} {version}", f"{name.replace('-', '_')}-{version}-") for name, version in names
    ]
    return [(title, next(wheels.glob(f"{start}*.whl"))) for title, start in rows]


class Nothing:
    """A value of a package that is not installed; whatever is asked of it is another one."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing()

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        # As a decorator it leaves the function.
        only = arguments[0] if len(arguments) == 1 and not named else None
        return only if isinstance(only, types.FunctionType) else Nothing()

    def __getitem__(self, index: Any) -> Any:
        return Nothing()

    def __or__(self, other: Any) -> Any:
        return Nothing()

    __ror__ = __or__


class Absent(types.ModuleType):
    __path__: ClassVar[list[str]] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing()


class Missing:
    """Finds modules that nothing else finds, for the packages."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        frame: Any = sys._getframe(1)
        while frame.f_code.co_filename.startswith("<frozen importlib"):
            frame = frame.f_back
        if not frame.f_code.co_filename.startswith(str(FOLDER)):
            return None  # installed packages know what to do without it
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> Any:
        return Absent(spec.name)

    def exec_module(self, module: Any) -> None:
        pass


class Tries:
    """What became of each function, by name and line."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str, int], str] = {}
        self.made: dict[tuple[str, str, int], Declared] = {}

    def decorator(self, own: Any) -> Any:
        def replaced(*arguments: Any, **named: Any) -> Any:
            if len(arguments) == 1 and not named and isinstance(arguments[0], types.FunctionType):
                return self._tried(own, arguments[0], (own.__name__, ()))
            return lambda function: self._tried(
                lambda decorated: own(*arguments, **named)(decorated),
                function,
                (own.__name__, arguments),
            )

        return replaced

    def _tried(self, decorate: Any, function: Any, given: tuple[str, tuple[Any, ...]]) -> Any:
        try:
            made = decorate(function)
            if not isinstance(made, np.ufunc):
                _call(made)
        except (hg.FaultError, AssertionError):
            pass  # of a launch, so there is a kernel
        except Exception as error:
            return self._note(function, error)
        self._note(function, "")
        self.made[_key(function)] = Declared(*given, function, made)
        return made

    def _note(self, function: Any, said: object) -> Any:
        key = _key(function)
        text = f"{type(said).__name__}: {said}" if said else ""
        self.found[key] = next(iter(text.split("\n")), "")
        return function


def _key(function: Any) -> tuple[str, str, int]:
    return (function.__module__, function.__name__, function.__code__.co_firstlineno)


def _call(made: Any) -> None:
    """Of a function without types: with arrays of f64 of 4 in each dimension."""
    layout = getattr(made, "signature", "(n)," * made.__wrapped__.__code__.co_argcount)
    cores = re.findall(r"\(([\w,]*)\)", layout)
    made(*(np.ones((4,) * len([name for name in core.split(",") if name])) for core in cores))


def compiled(title: str, wheel: Path, tries: Tries) -> list[Row]:
    """Function, what was said, "" for a compiled one, and how its values are beside Python's."""
    name = title.split()[0]
    source, folder = FOLDER / "sources" / name, FOLDER / "reduced" / name
    for old in (source, folder):
        shutil.rmtree(old, ignore_errors=True)
    with zipfile.ZipFile(wheel) as archive:
        members = archive.namelist()
        archive.extractall(source, [one for one in members if one.endswith(".py")])
        archive.extractall(folder, [one for one in members if one.endswith(DATA)])
    package = Package(source)
    functions = package.decorated()
    for file, node in functions:
        for statement in file.body:
            if statement.lineno <= node.lineno <= (statement.end_lineno or 0):
                package.want(file, statement)
    package.write(folder)
    sys.path.insert(0, str(folder))
    rows = []
    for file, node in functions:
        said = ""
        try:
            imported(file, node)
        except Exception as error:
            said = f"import: {type(error).__name__}: {error}"
        first = min([node.lineno, *(mark.lineno for mark in node.decorator_list)])
        found = tries.found.get((file.name, node.name, first))
        said = (said or "not reached") if found is None else found
        made = tries.made.get((file.name, node.name, first))
        values = None if said or made is None else compared(made)
        rows.append((f"{file.name}.{node.name}", said, values))
    sys.path.remove(str(folder))
    return rows


def imported(file: Any, function: Any) -> None:
    """Of a file that fails to import, statements that fail are left out: another function under a
    decorator of a package that is not installed. Not the function's own."""
    for _ in range(20):
        try:
            importlib.import_module(file.name)
            return
        except Exception as error:
            module = importlib.util.find_spec(file.name)
            path = "" if module is None else module.origin or ""
            lines = [
                row.lineno
                for row in traceback.extract_tb(error.__traceback__)
                if row.filename == path
            ]
            failed = [
                one for one in file.body if lines and _begin(one) <= lines[0] <= one.end_lineno
            ]
            if not failed or _begin(failed[0]) <= function.lineno <= failed[0].end_lineno:
                raise
            text = Path(path).read_text(encoding="utf-8").split("\n")
            for number in range(_begin(failed[0]) - 1, failed[0].end_lineno):
                text[number] = ""
            Path(path).write_text("\n".join(text), encoding="utf-8")
            importlib.invalidate_caches()


def _begin(statement: Any) -> int:
    marks = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(mark.lineno for mark in marks)])


def of_package(row: tuple[str, Path]) -> list[Row]:
    """In a process of its own, with hologram's decorators in Numba's place."""
    warnings.simplefilter("ignore")
    tries = Tries()
    numba.vectorize, numba.guvectorize = map(tries.decorator, (hg.vectorize, hg.guvectorize))
    sys.meta_path.append(Missing())
    return compiled(*row, tries)


def main() -> int:
    start = time.perf_counter()
    packages = fetched()
    print(f"{len(packages)} packages, there after {time.perf_counter() - start:.1f} s")
    with ProcessPoolExecutor(max_tasks_per_child=1, mp_context=get_context("spawn")) as pool:
        results = list(pool.map(of_package, packages))
    for rows in results:
        for name, said, values in rows:
            if said or (values and values[0]) or "--list" in sys.argv:
                print(f"  {name}: {said or 'compiled'}{_of_values(values)}")
    print(f"{'package':<26} compiled of")
    counts = [(sum(not said for _, said, _ in rows), len(rows)) for rows in results]
    for (title, _), (good, count) in zip(packages, counts, strict=True):
        print(f"{title:<26} {good:8} {count:2}")
    good, count = map(sum, zip(*counts, strict=True))
    mean = np.mean([one / of for one, of in counts])
    print(f"all: {good} of {count}, {good / count:.1%}; mean of the packages {mean:.1%}")
    print(f"bar {BAR:.0%}{'' if good >= BAR * count else ', MISSED'}; held: {HELD} functions")
    known = [values for rows in results for _, _, values in rows if values is not None]
    calls = sum(equal for _, equal, _ in known)
    wrong = [
        name
        for rows in results
        for name, _, values in rows
        if values is not None and values[0] and name not in OPEN
    ]
    ran = sum(equal > 0 for _, equal, _ in known)
    never = sum(not equal and refused > 0 for _, equal, refused in known)
    print(f"values as Python's in {calls} calls of {ran} functions, others in {wrong or 'none'}")
    print(
        f"{never} functions have a kernel and all their calls refused: no proof keeps lanes apart"
    )
    print(f"{time.perf_counter() - start:.1f} s")
    return 0 if good >= HELD and not wrong and ran >= RAN else 1


def _of_values(values: tuple[str, int, int] | None) -> str:
    if values is None:
        return ""
    said, equal, refused = values
    return f", {equal} calls as Python's, {refused} refused{', OTHER: ' if said else ''}{said}"


if __name__ == "__main__":
    sys.exit(main())
