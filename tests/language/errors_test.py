"""All errors of a file in one run, those of the front end and those of the compiler, each once; and
none that is there only because of another one.

usage: errors_test.py
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

import hologram as hg
from hologram.errors import CompileError

# A comment `# error: words` is expected in its line, and nothing else.
FILE = """from hologram.lang import *

ROOT = sqrt(2.0)
UP = vec3(0.0, 1.0)

@inline
def wrong(v):
    return v + [1]  # error: a list is not in the kernel language


@inline
def calls_wrong(v):
    return wrong(v) * 2.0


@inline
def right(v):
    return v + 1.0


@kernel(block=32)
def first(x: DeviceArray[f32], o: DeviceArray[f32], n: u32):
    tile = shared(f32, n)  # error: the size of a shared array
    tile[0] = 1.0
    o[len(tile)] = tile[0]
    other = local(f32, 4, 4)  # error: local takes 2 arguments
    atomic_add(other, 0, 1.0)
    o[0] = iif(n > 2, 1.0, 2.0)  # error: undefined function 'iif'
    q = missing + 1  # error: undefined name 'missing'
    o[1] = q
    if x[0]:  # error: a condition is a bool or an integer, not f32
        o[2] = x[9.5]  # error: an index is an integer
    y = [1, 2]  # error: a list is not in the kernel language
    o[3] = y[0]
    o[4] = ROOT * n  # error: write math.sqrt(...)
    o[5] = dot(UP, UP)  # error: vec3 is made of 3 numbers or one, not 2
    z = y[0] + 1
    o[4] = z & x[0]
    raise ValueError("x")  # error: `raise` is not allowed
    o[5] = calls_wrong(x[1])
    u = wrong(x[1])
    o[6] = u
    o[7] = right(x[1], 2)  # error: right
    for k in 3:  # error: a `for` loop runs over a range
        o[k] = x[k]
        barrier()
        o[8] = x[0] & 1  # error: `&` needs integers
    while y[0] > z:
        o[9] = absent  # error: undefined name 'absent'
    if {1: 2}:  # error: a dict is not in the kernel language
        v = 1.0
    else:
        v = x[0] ^ 2  # error: `^` needs integers
    o[10] = v
    print(f"{x[0]:d}")  # error: ':d' is not a format of f32
    w: f32 = "text"  # error: a string is not in the kernel language
    o[11] = w + nothing
    o[12] = nothing  # error: undefined name 'nothing'


def second(x: DeviceArray[f32]):
    import os  # error: `import` is not allowed inside a kernel

    x[0] = bar(x[0])  # error: undefined function 'bar'
    i: u32 = -1  # error: literal -1 does not fit u32
    x[i] = 1.0


def third(x: DeviceArray[complex_t]):  # error: `complex_t`
    x[0] = 1
"""


def expected() -> dict[int, str]:
    found = {}
    for number, line in enumerate(FILE.split("\n"), 1):
        _, mark, words = line.partition("# error: ")
        if mark:
            found[number] = words
    return found


def main() -> int:
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "errors.py"
        path.write_text(FILE)
        try:
            hg.compile(path)
            text = ""
        except CompileError as error:
            text = str(error)
    rows = re.findall(r"errors\.py:(\d+):\d+: error: (.*)", text)
    left = expected()
    for line, message in rows:
        words = left.pop(int(line), None)
        if words is None or words not in message:
            print(f"FAIL line {line}: {message}; expected {words}")
            failures += 1
    for line, words in left.items():
        print(f"FAIL line {line}: expected {words}")
        failures += 1
    if "hologram: " in text:
        print("FAIL some are not shown")
        failures += 1
    print(f"{len(rows)} errors, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
