"""Functions under Numba's decorators for ufuncs, of the packages of vectorized.lock, compiled as they are.

The wheels come from PyPI. Of each file the functions and what they name are kept (reduced.py) and
imported with Numba itself there, whose two decorators are hologram's. Prints what was refused, with
its message, and a table, and says whether 80 % compile; fails where fewer do than before. usage: vectorized_test.py [--list]
"""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
import sys
import time
import types
import warnings
import zipfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, ClassVar

import numba
import numpy as np
from reduced import Package

import hologram as hg

HERE = Path(__file__).parent
FOLDER = HERE.parents[1] / "build" / "vectorized"
LOCK = HERE / "vectorized.lock"
BAR = 0.80
HELD = 141  # functions that compile now; fewer fail the test


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

    def decorator(self, own: Any) -> Any:
        def replaced(*arguments: Any, **named: Any) -> Any:
            if len(arguments) == 1 and not named and isinstance(arguments[0], types.FunctionType):
                return self._tried(own, arguments[0])
            return lambda function: self._tried(
                lambda decorated: own(*arguments, **named)(decorated), function
            )

        return replaced

    def _tried(self, decorate: Any, function: Any) -> Any:
        try:
            made = decorate(function)
            if not isinstance(made, np.ufunc):
                _call(made)
        except (hg.FaultError, AssertionError):
            pass  # of a launch, so there is a kernel
        except Exception as error:
            return self._note(function, error)
        self._note(function, "")
        return made

    def _note(self, function: Any, said: object) -> Any:
        code = function.__code__
        key = (function.__module__, function.__name__, code.co_firstlineno)
        text = f"{type(said).__name__}: {said}" if said else ""
        self.found[key] = next(iter(text.split("\n")), "")
        return function


def _call(made: Any) -> None:
    """Of a function without types: with arrays of f64 of 4 in each dimension."""
    layout = getattr(made, "signature", "(n)," * made.__wrapped__.__code__.co_argcount)
    cores = re.findall(r"\(([\w,]*)\)", layout)
    made(*(np.ones((4,) * len([name for name in core.split(",") if name])) for core in cores))


def compiled(title: str, wheel: Path, tries: Tries) -> list[tuple[str, str]]:
    """Function and what was said, "" for a compiled one."""
    name = title.split()[0]
    source, folder = FOLDER / "sources" / name, FOLDER / "reduced" / name
    for old in (source, folder):
        shutil.rmtree(old, ignore_errors=True)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(source, [one for one in archive.namelist() if one.endswith(".py")])
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
            importlib.import_module(file.name)
        except Exception as error:
            said = f"import: {type(error).__name__}: {error}"
        first = min([node.lineno, *(mark.lineno for mark in node.decorator_list)])
        found = tries.found.get((file.name, node.name, first))
        rows.append((f"{file.name}.{node.name}", said or "not reached" if found is None else found))
    sys.path.remove(str(folder))
    return rows


def of_package(row: tuple[str, Path]) -> list[tuple[str, str]]:
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
        for name, said in rows:
            if said or "--list" in sys.argv:
                print(f"  {name}: {said or 'compiled'}")
    print(f"{'package':<26} compiled of")
    counts = [(sum(not said for _, said in rows), len(rows)) for rows in results]
    for (title, _), (good, count) in zip(packages, counts, strict=True):
        print(f"{title:<26} {good:8} {count:2}")
    good, count = map(sum, zip(*counts, strict=True))
    mean = np.mean([one / of for one, of in counts])
    print(f"all: {good} of {count}, {good / count:.1%}; mean of the packages {mean:.1%}")
    print(f"bar {BAR:.0%}{'' if good >= BAR * count else ', MISSED'}; held: {HELD} functions")
    print(f"{time.perf_counter() - start:.1f} s")
    return 0 if good >= HELD else 1


if __name__ == "__main__":
    sys.exit(main())
