"""Runs programs in a forked process that may crash, and says what it was at when it did.

The parent only generates nothing and compiles nothing, so a fork is cheap and safe. The child notes
in shared memory which program, launch and engine it is about to run, and sends one message for each
program through a pipe; when it dies by a signal, the note says where, and a new child goes on.
"""

from __future__ import annotations

import mmap
import os
import pickle
import select
import signal
import struct
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from strangers import machine, tree
from strangers.engines import Refused, Session
from strangers.generator import generate
from strangers.launches import Launch, big_launch, launches

_NOTE = struct.Struct("<qqq")
_ENGINES = ("", "auto", "interpreter", "cpu", "cuda", "opencl")
_PLACES = {e: "native" for e in _ENGINES} | {
    "": "compiling or the model",
    "interpreter": "interpreter",
}
TIMEOUT = 120.0  # seconds for one program


@dataclass
class Failure:
    level: str
    seed: int
    launch: int  # -1: none ran
    what: str  # begins with its class, up to ':'
    program: tree.Program | None = None
    data: Launch | None = None

    @property
    def kind(self) -> str:
        return self.what.split(":")[0]


@dataclass
class Report:
    counts: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)


class Note:
    """What the child is at, in memory that outlives it."""

    def __init__(self) -> None:
        self.memory = mmap.mmap(-1, mmap.PAGESIZE)

    def write(self, seed: int, launch: int, engine: str = "") -> None:
        _NOTE.pack_into(self.memory, 0, seed, launch, _ENGINES.index(engine))

    def read(self) -> tuple[int, int, str]:
        seed, launch, engine = _NOTE.unpack_from(self.memory, 0)
        return seed, launch, _ENGINES[engine]


def _child(level: str, work: Callable[[Callable[[Any], None]], None], pipe: int) -> None:
    os.environ["HOLOGRAM_CPU_LEVEL"] = level
    os.environ["HOLOGRAM_CACHE_DIR"] = ""
    os.environ["HOLOGRAM_TIERED"] = "never"
    with os.fdopen(pipe, "wb") as out:

        def send(message: Any) -> None:
            pickle.dump(message, out)
            out.flush()

        try:
            work(send)
        except BaseException:
            send(RuntimeError(traceback.format_exc()))
            os._exit(3)
    os._exit(0)


def _processor_seconds(process: int) -> float:
    with open(f"/proc/{process}/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def in_child(
    level: str, work: Callable[[Callable[[Any], None]], None], timeout: float = TIMEOUT
) -> Iterator[Any]:
    """The messages of a child that does `work`, and at its end its exit status (as of waitpid).
    A child from which nothing comes for so many seconds, and which computes, is killed."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _child(level, work, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        try:
            while True:
                # A message is written at once, so what is readable is a whole one soon.
                begin = _processor_seconds(child)
                while not select.select([stream], [], [], timeout)[0]:
                    # On a busy machine a child may get nothing for long: that is no hang.
                    if _processor_seconds(child) - begin > timeout / 4:
                        break
                else:
                    begin = -1.0
                if begin >= 0.0:
                    os.kill(child, signal.SIGKILL)
                    break
                message = pickle.load(stream)
                if isinstance(message, RuntimeError):
                    raise message
                yield message
        except (EOFError, pickle.UnpicklingError):
            pass
        finally:
            status = os.waitpid(child, 0)[1]
    yield status


def how_it_died(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number in (signal.SIGSEGV, signal.SIGBUS):
            return "guard page"
        return "hang" if number == signal.SIGKILL else f"signal {number}"
    return f"exit {os.WEXITSTATUS(status)}" if os.WEXITSTATUS(status) else ""


def check_program(
    session: Session, seed: int, count: int, note: Note
) -> tuple[Counter[str], list[tuple[int, str]]]:
    """Runs the launches of one program. The first difference ends it: memory may be broken."""
    session.counts = Counter()
    found: list[tuple[int, str]] = []
    note.write(seed, -1)
    program = generate(seed)
    kernel = session.compile(program)
    session.counts["programs"] += 1
    session.counts["kind " + program.kind] += 1
    if isinstance(kernel, Refused):
        session.counts["programs refused"] += 1
        return session.counts, found
    if not kernel.path.startswith("native"):
        session.counts["programs without native code"] += 1
    model = machine.Machine(program)
    for number, launch in enumerate([*launches(program, count), *big_launch(program)]):

        def inside(engine: str, number: int = number) -> None:
            note.write(seed, number, engine)

        session.rig.inside = inside
        note.write(seed, number)
        difference = session.check(kernel, model, launch, big=number >= count)
        if difference:
            found.append((number, difference))
            if not difference.startswith("operands"):
                break
    return session.counts, found


def run_seeds(
    level: str, first: int, last: int, count: int, deadline: float, seen: Callable[[Report], None]
) -> Report:
    """Programs `first` to `last` - 1 on one level, over as many children as that takes."""
    report = Report()
    note = Note()
    seed = first
    while seed < last and time.monotonic() < deadline:

        def work(send: Callable[[Any], None], start: int = seed) -> None:
            session = Session()
            try:
                for number in range(start, last):
                    counts, found = check_program(session, number, count, note)
                    send((number, counts, found))
                    if any(not what.startswith("operands") for _, what in found):
                        return
                    if time.monotonic() > deadline:
                        return
            finally:
                session.close()

        status = 0
        for message in in_child(level, work):
            if isinstance(message, int):
                status = message
                continue
            number, counts, found = message
            report.counts.update(counts)
            report.failures += [Failure(level, number, at, what) for at, what in found]
            seed = number + 1
            seen(report)
        death = how_it_died(status)
        if death:
            number, at, engine = note.read()
            report.failures.append(Failure(level, number, at, f"{death}: in {_PLACES[engine]}"))
            report.counts["programs"] += number >= seed
            seed = max(seed, number + 1)
            seen(report)
    return report


def attempt(level: str, program: tree.Program, launch: Launch, big: bool = False) -> str:
    """What one launch of one program comes to, as a Failure has it: for the shrinker."""
    note = Note()

    def work(send: Callable[[Any], None]) -> None:
        session = Session()
        try:
            kernel = session.compile(program)
            if isinstance(kernel, Refused):
                send("refused: " + kernel.text)
                return
            session.rig.inside = lambda engine: note.write(0, 0, engine)
            note.write(0, 0)
            send(session.check(kernel, machine.Machine(program), launch, big))
        finally:
            session.close()

    result = ""
    try:
        for message in in_child(level, work, 20.0):
            if isinstance(message, int):
                death = how_it_died(message)
                engine = note.read()[2]
                result = f"{death}: in {_PLACES[engine]}" if death else result
            else:
                result = message
    except RuntimeError as error:
        return f"error: {error}"
    return result
