"""Functions of the kernel language for warps: 32 lanes of a block that follow each other, by their
number in it. Each is a barrier. A lane that is not there brings nothing.

hologram/lang.py has their names, too: import them from there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hologram.lang_functions import outside

if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T", bool, int, float)
    N = TypeVar("N", int, float)


def shuffle(x: T, source: int) -> T:
    """x of lane number `source` of the warp; 0 if it is not there, as in all shuffles."""
    outside("shuffle")


def shuffle_up(x: T, count: int) -> T:
    """x of the lane `count` before this one, in the warp."""
    outside("shuffle_up")


def shuffle_down(x: T, count: int) -> T:
    """x of the lane `count` behind this one, in the warp."""
    outside("shuffle_down")


def shuffle_xor(x: T, mask: int) -> T:
    """x of the lane whose number in the warp differs in the bits of `mask`."""
    outside("shuffle_xor")


def ballot(flag: bool) -> int:
    """The bits of the lanes for which it holds: bit 0 is that of the first lane of the warp."""
    outside("ballot")


def warp_any(flag: bool) -> bool:
    """Whether it holds for some lane."""
    outside("warp_any")


def warp_all(flag: bool) -> bool:
    """Whether it holds for all lanes that are there."""
    outside("warp_all")


def warp_exclusive_scan_add(x: N) -> N:
    """The sums of the lanes before this one: shuffle_up(warp_scan_add(x), 1)."""
    outside("warp_exclusive_scan_add")


def warp_reduce_add(x: N) -> N:
    """The sum, of all lanes."""
    outside("warp_reduce_add")


def warp_reduce_min(x: N) -> N:
    """The smallest; numbers come before NaN, of all lanes."""
    outside("warp_reduce_min")


def warp_reduce_max(x: N) -> N:
    """The largest; numbers come before NaN, of all lanes."""
    outside("warp_reduce_max")


def warp_reduce_mul(x: N) -> N:
    """The product, of all lanes."""
    outside("warp_reduce_mul")


def warp_reduce_and(x: int) -> int:
    """`x & ...`, of all lanes."""
    outside("warp_reduce_and")


def warp_reduce_or(x: int) -> int:
    """`x | ...`, of all lanes."""
    outside("warp_reduce_or")


def warp_reduce_xor(x: int) -> int:
    """`x ^ ...`, of all lanes."""
    outside("warp_reduce_xor")


def warp_scan_add(x: N) -> N:
    """The sum, of the lanes up to this one."""
    outside("warp_scan_add")


def warp_scan_min(x: N) -> N:
    """The smallest; numbers come before NaN, of the lanes up to this one."""
    outside("warp_scan_min")


def warp_scan_max(x: N) -> N:
    """The largest; numbers come before NaN, of the lanes up to this one."""
    outside("warp_scan_max")


def warp_scan_mul(x: N) -> N:
    """The product, of the lanes up to this one."""
    outside("warp_scan_mul")


def warp_scan_and(x: int) -> int:
    """`x & ...`, of the lanes up to this one."""
    outside("warp_scan_and")


def warp_scan_or(x: int) -> int:
    """`x | ...`, of the lanes up to this one."""
    outside("warp_scan_or")


def warp_scan_xor(x: int) -> int:
    """`x ^ ...`, of the lanes up to this one."""
    outside("warp_scan_xor")


__all__ = [
    "ballot",
    "shuffle",
    "shuffle_down",
    "shuffle_up",
    "shuffle_xor",
    "warp_all",
    "warp_any",
    "warp_exclusive_scan_add",
    "warp_reduce_add",
    "warp_reduce_and",
    "warp_reduce_max",
    "warp_reduce_min",
    "warp_reduce_mul",
    "warp_reduce_or",
    "warp_reduce_xor",
    "warp_scan_add",
    "warp_scan_and",
    "warp_scan_max",
    "warp_scan_min",
    "warp_scan_mul",
    "warp_scan_or",
    "warp_scan_xor",
]
