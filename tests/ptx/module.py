"""PTX text as data: functions of segments of instructions, and the variables of the module.

Only what LLVM and src/device write for our kernels is known; anything else is an error that names it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

SIZES = {"8": 1, "16": 2, "32": 4, "64": 8}


class UnknownPtxError(Exception):
    """Text or an instruction that this reader or the machine does not know."""


@dataclass(frozen=True)
class Instruction:
    """`guard` is the name of a predicate or empty; `wanted` what it must be."""

    guard: str
    wanted: bool
    op: str
    operands: tuple[str, ...]
    text: str


@dataclass
class Function:
    name: str
    parameters: list[tuple[str, str]]  # (name, type), in order
    result: str = ""  # the name of what it returns, if it does
    is_kernel: bool = False
    # Runs of instructions of which only the last one jumps, waits or returns.
    segments: list[list[Instruction]] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)  # number of a segment
    registers: dict[str, str] = field(default_factory=dict)  # prefix -> type
    shared: dict[str, tuple[int, int]] = field(default_factory=dict)  # name -> offset, size
    local: dict[str, tuple[int, int]] = field(default_factory=dict)


@dataclass
class Module:
    functions: dict[str, Function] = field(default_factory=dict)
    tables: dict[str, bytes] = field(default_factory=dict)
    # What the kernel's parameters are, where the text says so: src/device does. (kind, parameter)
    arguments: list[tuple[str, int]] = field(default_factory=list)

    def kernel(self) -> Function:
        (found,) = (f for f in self.functions.values() if f.is_kernel)
        return found


_VARIABLE = re.compile(r"\.align\s+(\d+)\s+\.[bufs](\d+)\s+([\w$]+)(?:\[(\d+)\])?(?: = \{(.*)\})?;")
_CONTROL = ("bra", "ret", "bar", "barrier", "exit")


def split_operands(text: str) -> tuple[str, ...]:
    """At the commas that are in no bracket."""
    parts, depth, start = [], 0, 0
    for at, c in enumerate(text):
        depth += c in "([{"
        depth -= c in ")]}"
        if c == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    parts.append(text[start:].strip())
    return tuple(part for part in parts if part)


def _statements(body: str) -> list[str]:
    """Labels with their colon, and what ends at a semicolon."""
    found: list[str] = []
    pending = ""
    for line in body.splitlines():
        line = re.sub(r"//.*", "", line).strip()
        if not line or re.match(r"\.(loc|pragma)\s", line) or line in "{}":
            continue
        # One half of a register, and a place for the other half.
        line = re.sub(
            r"\{ \.reg \.\w+ tmp; mov\.(\w+) \{tmp, (.*; )\}", r"mov.\1 {_, \2", line
        ).strip()
        if re.fullmatch(r"[\w$]+:", line):
            found.append(line)
            continue
        pending = f"{pending} {line}".strip()
        if pending.endswith(";"):
            found.append(pending[:-1].strip())
            pending = ""
    if pending:
        raise UnknownPtxError(pending)
    return found


def _place(places: dict[str, tuple[int, int]], statement: str) -> None:
    match = _VARIABLE.search(statement + ";")
    if match is None:
        raise UnknownPtxError(statement)
    align, bits, name, count, _ = match.groups()
    end = max((offset + size for offset, size in places.values()), default=0)
    start = -(-end // int(align)) * int(align)
    places[name] = (start, SIZES[bits] * int(count or 1))


def _instruction(statement: str) -> Instruction:
    match = re.fullmatch(r"(?:@(!?)(%\w+)\s+)?([\w.]+)\s*(.*)", statement, re.DOTALL)
    if match is None:
        raise UnknownPtxError(statement)
    negated, guard, op, rest = match.groups()
    return Instruction(guard or "", not negated, op, split_operands(rest), statement)


def _read_body(function: Function, body: str) -> None:
    segment: list[Instruction] = []
    function.segments = [segment]

    def next_segment() -> None:
        nonlocal segment
        if segment:
            segment = []
            function.segments.append(segment)

    for statement in _statements(body):
        if statement.endswith(":"):
            next_segment()
            function.labels[statement[:-1]] = len(function.segments) - 1
        elif statement.startswith(".reg"):
            match = re.fullmatch(r"\.reg \.(\w+)\s+(%?\w+)(?:<\d+>)?", statement)
            if match is None:
                raise UnknownPtxError(statement)
            function.registers[match[2]] = match[1]
        elif statement.startswith(".shared"):
            _place(function.shared, statement)
        elif statement.startswith(".local"):
            _place(function.local, statement)
        elif statement.startswith(".param"):
            continue  # of a call: whatever is stored there
        else:
            segment.append(_instruction(statement))
            if segment[-1].op.split(".")[0] in _CONTROL:
                next_segment()


def read(text: str) -> Module:
    module = Module()
    heading = re.match(r"// hologram: .*\((.*)\)\n", text)
    for argument in split_operands(heading[1]) if heading else ():
        kind, _, number = argument.partition(" ")
        module.arguments.append((kind, int(number or 0)))
    text = text.split("\t.section")[0]
    heads = re.finditer(
        r"^(?:\.visible )?(\.entry|\.func)\s*(?:\(\.param \.\w+ ([\w$]+)\))?\s*([\w$]+)\s*\(([^)]*)\)"
        r"\s*\{",
        text,
        re.MULTILINE,
    )
    for head in heads:
        kind, result, name, parameters = head.groups()
        end = text.index("\n}", head.end())
        listed = re.findall(r"\.param \.(\w+)(?: \.ptr \.\w+ \.align \d+)? ([\w$]+)", parameters)
        function = Function(name, [(n, t) for t, n in listed], result or "", kind == ".entry")
        _read_body(function, text[head.end() : end])
        module.functions[name] = function
    for line in text.splitlines():
        if line.startswith(".global"):
            match = _VARIABLE.search(line)
            if match is None or match[5] is None:
                raise UnknownPtxError(line)
            width = SIZES[match[2]]
            numbers = [int(number) for number in match[5].split(",")]
            data = b"".join((n % 256**width).to_bytes(width, "little") for n in numbers)
            module.tables[match[3]] = data.ljust(width * int(match[4] or 1), b"\0")
    return module


def coarse(
    module: Module, grid: tuple[int, int, int]
) -> tuple[dict[str, int], tuple[int, int, int]]:
    """The arguments of a coarsened kernel that describe the program's grid, and the launch's grid."""
    several = any(kind == "together" for kind, _ in module.arguments)
    together = 4 if several and grid[0] >= 4 else 1
    return {"blocks": grid[0], "together": together}, (-(-grid[0] // together), *grid[1:])


def named_arguments(
    module: Module, given: list[tuple[int | float, ...]], others: dict[str, int]
) -> list[int | float]:
    """Those of a kernel of src/device; `given`: of each parameter an address and a length, or a number."""
    return [
        given[number][kind == "extent"] if kind in ("buffer", "extent", "scalar") else others[kind]
        for kind, number in module.arguments
    ]
