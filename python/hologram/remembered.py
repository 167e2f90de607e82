"""What a Dispatch (python/binding/dispatch_object.cc) remembers of a call: a place for each
parameter as it is written, from which it gets the plain arguments of the kernel without Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Role, name, what it is where it is left out, count, numbers, type of NumPy.
    Place = tuple[int, str, object, int, int, object]

_PLAIN, _NUMBERS, _VALUES, _ABSENT, _CONSTANT = range(5)


def plain(name: str, initial: object = None) -> Place:
    """An argument of the kernel as it is."""
    return (_PLAIN, name, initial, 0, 0, None)


def numbers(name: str, initial: object, count: int, *, is_complex: bool) -> Place:
    """A value of `count` numbers, each an argument."""
    return (_NUMBERS, name, initial, count, int(is_complex), None)


def values(
    name: str, count: int, dtype: object, *, of_numbers: bool = False, is_flat: bool = False
) -> Place:
    """An array of values of `count` numbers: elements of `dtype`, if there is one; with
    `of_numbers` also numbers in more dimensions, with `is_flat` those one after another too."""
    return (_VALUES, name, None, count, of_numbers + (of_numbers and is_flat), dtype)


def absent(name: str) -> Place:
    """None, for which there is no argument."""
    return (_ABSENT, name, None, 0, 0, None)


def constant(name: str, value: int, initial: object) -> Place:
    """This number and no other, known when compiling."""
    return (_CONSTANT, name, initial, value, 0, None)
