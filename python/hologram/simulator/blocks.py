"""The lanes of a block, one after the other; where they meet, all of them.

Without barriers a lane is a call. With barriers it is a generator that stops at each of them, so
that the order of lanes is always the same and everything runs on the caller's thread.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from functools import partial
from typing import Any

from hologram.simulator.arrays import Lane
from hologram.simulator.conversions import Value
from hologram.simulator.errors import KernelError, KernelFaultError
from hologram.simulator.trees import combine, of_warps, scan


class Meeting:
    """A lane waits: at a barrier (no operation) or with its value of a reduction or scan."""

    def __init__(
        self, place: tuple[str, int, int], op: str, kind: str, value: Value, how: str = ""
    ) -> None:
        self.place = place
        self.op = op
        self.kind = kind
        self.value = value
        self.how = how  # block_reduce, warp_scan


def positions(shape: tuple[int, int, int]) -> Iterator[tuple[int, int, int]]:
    """All positions, the first dimension fastest."""
    for z in range(shape[2]):
        for y in range(shape[1]):
            for x in range(shape[0]):
                yield x, y, z


class Block:
    """Runs a translated kernel for all lanes of one block after the other."""

    def __init__(self, lane: Lane, body: Callable[[], Any], meets: bool) -> None:
        self._lane = lane
        self._body = body
        self._meets = meets
        self._size = lane.block_dim[0] * lane.block_dim[1] * lane.block_dim[2]

    def run(self, number: int, block_id: tuple[int, int, int]) -> None:
        lane = self._lane
        lane.block_number, lane.block_id, lane.interval = number, block_id, 0
        lane.shared.clear()
        lane.turns.clear()
        if not self._meets:
            for local_number, local_id in enumerate(positions(lane.block_dim)):
                self._enter(local_number, local_id)
                self._step(self._body)
            return
        running: dict[int, tuple[tuple[int, int, int], Generator[Meeting, Value, None]]] = {
            local_number: (local_id, self._body())
            for local_number, local_id in enumerate(positions(lane.block_dim))
        }
        answers: dict[int, Value] = {}
        # Of the lanes that fault the first is named, as in the compiled form, even if it does so
        # behind a later barrier than others.
        first: KernelFaultError | None = None
        while running:
            meetings: dict[int, Meeting] = {}
            ended: list[int] = []  # without `return`
            for local_number, (local_id, generator) in list(running.items()):
                self._enter(local_number, local_id)
                try:
                    meetings[local_number] = self._step(
                        partial(generator.send, answers.get(local_number))
                    )
                except StopIteration as stop:
                    del running[local_number]
                    if stop.value is None:
                        ended.append(local_number)
                except KernelFaultError as fault:
                    del running[local_number]
                    if first is None or lane.number < first.lane:
                        first = fault
                except KernelError:
                    if first is None:
                        raise
                    raise first from None
            if first is not None and not any(k < first.lane % self._size for k in running):
                raise first
            if meetings and ended and first is None:
                self._refuse_missing(ended[0], meetings)
            answers = self._meet(meetings) if meetings else {}
            lane.interval += 1
        if first is not None:
            raise first
        lane.printer.end_block()

    def _refuse_missing(self, ended: int, meetings: dict[int, Meeting]) -> None:
        """A lane went past what the others wait at."""
        waits = min(meetings)
        path, line, column = meetings[waits].place
        raise KernelError(
            f"{path}:{line}:{column}: error: this is reached by some lanes of a block only: lane "
            f"{waits} of block {self._lane.block_number} waits, and lane {ended} ends without it"
        )

    def _enter(self, number: int, local_id: tuple[int, int, int]) -> None:
        lane = self._lane
        lane.number = lane.block_number * self._size + number
        lane.local_id = local_id
        block, dim = lane.block_id, lane.block_dim
        lane.global_id = (
            block[0] * dim[0] + local_id[0],
            block[1] * dim[1] + local_id[1],
            block[2] * dim[2] + local_id[2],
        )

    def _step(self, run: Callable[[], Any]) -> Any:
        try:
            return run()
        except KernelFaultError as fault:
            fault.lane = self._lane.number
            raise

    def _meet(self, meetings: dict[int, Meeting]) -> dict[int, Value]:
        first = next(iter(meetings.values()))
        for local_number, meeting in meetings.items():
            if meeting.place != first.place:
                path, line, column = meeting.place
                raise KernelError(
                    f"{path}:{line}:{column}: error: lane {local_number} of block "
                    f"{self._lane.block_number} waits here, lane {next(iter(meetings))} in line "
                    f"{first.place[1]}: all lanes of a block meet at the same barrier"
                )
        if not first.op:
            return {}
        values = {number: meeting.value for number, meeting in meetings.items()}
        if first.how.startswith("warp"):
            return of_warps(first.op, first.kind, values, first.how == "warp_scan")
        if first.how == "block_scan":
            return scan(first.op, first.kind, values)
        return dict.fromkeys(values, combine(first.op, first.kind, values))
