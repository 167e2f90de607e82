"""How many threads launches use: `hologram.set_threads`, `.get_threads`, `.threads`.

    hg.set_threads(4)             launches of this process
    with hg.threads(1):           of the calling thread, in the block: at most one
        hg.ops.softmax(x)

Of kernels, hg.ops and hg.fuse alike; the bits are the same in any case. At first the process uses
HOLOGRAM_NUM_THREADS, else OMP_NUM_THREADS, which Dask and Ray set for their workers, else the
processors that it has time for. Threads of the program that launch at once share these among them
without being told. `import hologram.threadpoolctl` makes `threadpoolctl` know it.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from hologram import _native
from hologram.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

MOST = _native.MAX_THREADS


def _checked(name: str, count: object) -> int:
    if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= MOST:
        raise ArgumentError(f"{name}: expected a number from 1 to {MOST}, found {count!r}")
    return count


def set_threads(count: int | None) -> None:
    """Says how many threads launches of this process may use, those of kernels that are there
    already too; None is the default again. What a kernel was configured with comes first. Raises
    ArgumentError."""
    _native.set_threads(0 if count is None else _checked("set_threads", count))


def get_threads() -> int:
    """How many threads a launch of the calling thread may use."""
    return _native.get_threads()


class threads:  # noqa: N801 - used as a statement
    """`with hg.threads(n):`, or `@hg.threads(n)` above a function: launches of the calling thread
    use at most n threads. Blocks may lie in one another; the inner one decides. Raises
    ArgumentError."""

    def __init__(self, count: int) -> None:
        self._count = _checked("threads", count)
        self._before: list[int] = []

    def __enter__(self) -> threads:
        self._before.append(_native.set_thread_limit(self._count))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _native.set_thread_limit(self._before.pop())

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def limited(*arguments: Any, **named: Any) -> Any:
            with threads(self._count):
                return function(*arguments, **named)

        return limited
