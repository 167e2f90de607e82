"""One launch on the model, the interpreter and native code, and what differs.

Arrays lie beside untouchable pages (guarded.py), those that the kernel only reads in pages that
cannot be written. An outcome is `ok` with the bytes of all pools, a `fault` or a `refusal` with its
text. After a fault only what the kernel may not write is compared, after a refusal everything.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from strangers import machine, tree, values
from strangers.guarded import PAGE, Arena
from strangers.launches import Launch, Pool, View

DTYPES = {
    **{t: t.replace("u", "uint").replace("i", "int") for t in ("u8", "u16", "u32", "u64")},
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
}
DTYPES.update({"u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64"})


Shape = tuple[int, int, int]
# Of programs, and blocks, that a device does not take.
NO_DEVICE_CODE = ("for which there is no device code", " has not", "takes blocks of up to")


@dataclass
class Outcome:
    form: str  # ok, fault, refused, unknown
    text: str = ""
    line: int = 0
    pools: list[bytes] = field(default_factory=list)
    kind: str = ""
    element: int = 0
    length: int = 0
    racy: bool = False
    x: int = -1  # get_global_id() of the lane that faults, where the kernel's `i` is that


def cells_to_bytes(pool: Pool, cells: list[int]) -> bytes:
    size = values.SIZE[pool.type]
    mask = (1 << (8 * size)) - 1
    return bytes(np.array([c & mask for c in cells], f"uint{8 * size}").tobytes())


def _elements(view: View) -> int:
    count = 1
    for extent in view.shape or (view.length,):
        count *= extent
    return count


def default_shape(program: tree.Program, launch: Launch, written: set[str]) -> tuple[Shape, Shape]:
    """Whole blocks over the largest array that is written."""
    block = program.block or 256
    largest = max((_elements(launch.views[name]) for name in written), default=0)
    return (-(-largest // block), 1, 1), (block, 1, 1)


def run_model(model: machine.Machine, launch: Launch, written: set[str]) -> Outcome:
    now = machine.Now()
    regions = [machine.Region(p.type, list(p.cells)) for p in launch.pools]
    arrays = {}
    for name, v in launch.views.items():
        watched = None if launch.pools[v.pool].read_only else now
        arrays[name] = machine.Array(
            regions[v.pool], v.offset, v.length, watched, v.shape, v.strides
        )
    if launch.grid is not None and launch.block is not None:
        grid, block = launch.grid, launch.block
    else:
        if any(launch.views[n].length != _elements(launch.views[n]) for n in written):
            return Outcome("unknown", "the size of a default launch over rows that lie apart")
        grid, block = default_shape(model.program, launch, written)
    try:
        model.run(arrays, launch.scalars, grid, block, now)
    except machine.Fault as f:
        x = now.x if model.program.kind in ("flat", "scatter", "block") else -1
        return Outcome("fault", "", f.line, [], f.kind, f.element, f.length, model.racy, x)
    except machine.Abstain as reason:
        return Outcome("unknown", str(reason))
    pools = [cells_to_bytes(p, r.cells) for p, r in zip(launch.pools, regions)]
    return Outcome("ok", pools=pools, racy=model.racy)


class Rig:
    """Arenas for the pools of launches, one after the other; they grow where they must."""

    def __init__(self) -> None:
        self.arenas: list[Arena] = []
        self.inside: Callable[[str], None] = lambda engine: None

    def place(self, launch: Launch) -> list[Any]:
        """The bytes of each pool, at their places."""
        placed = []
        for number, pool in enumerate(launch.pools):
            data = cells_to_bytes(pool, pool.cells)
            if number == len(self.arenas):
                self.arenas.append(Arena(PAGE))
            if self.arenas[number].size < len(data):
                self.arenas[number].close()
                self.arenas[number] = Arena(len(data))
            memory = self.arenas[number].place(len(data), np.uint8, pool.at)
            memory[:] = np.frombuffer(data, np.uint8)
            placed.append(memory)
        return placed

    def array(self, launch: Launch, name: str) -> Any:
        view = launch.views[name]
        pool, arena = launch.pools[view.pool], self.arenas[view.pool]
        size = values.SIZE[pool.type]
        total = len(pool.cells) * size
        start = (0 if pool.at == "start" else arena.size - total) + view.offset * size
        flat = arena.view(start, view.length, DTYPES[pool.type])
        if not view.shape:
            return flat
        strides = [s * size for s in view.strides]
        return np.lib.stride_tricks.as_strided(flat, view.shape, strides)

    def run(self, kernel: Any, program: tree.Program, launch: Launch, backend: str) -> Outcome:
        import hologram as hg

        placed = self.place(launch)
        arguments: list[Any] = [self.array(launch, a.name) for a in program.arrays]
        for name, type_ in program.scalars:
            value: Any = launch.scalars[name]
            arguments.append(values.to_float(type_, value) if values.is_float(type_) else value)
        options: dict[str, Any] = {"backend": backend, "threads": launch.threads}
        options["deterministic"] = launch.deterministic
        if launch.grid is not None:
            options["grid"], options["block"] = launch.grid, launch.block
        if launch.budget is not None:
            options["budget"] = launch.budget
        configured = kernel.configure(**options)
        for pool, arena in zip(launch.pools, self.arenas):
            if pool.read_only:
                arena.read_only()
        self.inside(backend)
        outcome = Outcome("ok")
        try:
            configured(*arguments)
        except hg.FaultError as error:
            outcome = Outcome("fault", str(error), error.line)
        except (hg.Error, TypeError, ValueError, OverflowError) as error:
            outcome = Outcome("refused", f"{type(error).__name__}: {error}")
        self.inside("")
        outcome.pools = [memory.tobytes() for memory in placed]
        for number, arena in enumerate(self.arenas[: len(placed)]):
            if arena.slack_changed():
                outcome.text += f" [wrote beside pool {number}]"
                outcome.form = "overrun"
            arena.writable()
        return outcome


_LANE = re.compile(r"[(, ]i = (\d+)[,)]")
_ELEMENT = re.compile(r" element (-?\d+) of (\d+)")


def fault_differs(model: Outcome, engine: Outcome) -> str:
    """Why a fault of an engine is not the one of the model."""
    if model.line != engine.line:
        return f"a fault in line {engine.line}, not {model.line} ({model.kind})"
    text = engine.text.split("error: ", 1)[-1].split("\n")[0]
    words = {
        "read": "reads element",
        "write": "writes element",
        "atomic": "element",
        "divide": "division by zero",
        "step": "step",
        "assert": "assert",
    }
    if words[model.kind] not in text:
        return f"not a fault of kind {model.kind}"
    found = _ELEMENT.search(text)
    if found and model.kind in ("read", "write", "atomic"):
        if (int(found[1]), int(found[2])) != (model.element, model.length):
            return f"not element {model.element} of {model.length}"
    lane = _LANE.search(text)
    if lane and model.x >= 0 and int(lane[1]) != model.x:
        return f"not the lane whose i is {model.x}"
    return ""


def changed_inputs(launch: Launch, outcome: Outcome) -> str:
    for number, pool in enumerate(launch.pools):
        if pool.read_only or outcome.form == "refused":
            if outcome.pools[number] != cells_to_bytes(pool, pool.cells):
                return f"pool {number} changed"
    return ""


def _different_cell(launch: Launch, a: list[bytes], b: list[bytes]) -> str:
    for number, pool in enumerate(launch.pools):
        if a[number] != b[number]:
            size = values.SIZE[pool.type]
            for k in range(len(pool.cells)):
                x, y = a[number][k * size : k * size + size], b[number][k * size : k * size + size]
                if x != y:
                    names = [n for n, v in launch.views.items() if v.pool == number]
                    where = f"{'/'.join(names)} cell {k} ({pool.type})"
                    return f"{where}: {x[::-1].hex()} and {y[::-1].hex()}"
    return ""


def compare(launch: Launch, model: Outcome, runs: dict[str, Outcome]) -> str:
    """What differs, beginning with a word for its class; empty if all agree."""
    for name, outcome in runs.items():
        if outcome.form == "overrun":
            return f"overrun: {name}: {outcome.text}"
        changed = changed_inputs(launch, outcome)
        if changed:
            return f"input: {name} ({outcome.form}): {changed}"
    (first, a), *rest = runs.items()
    operands = ""
    free = model.racy or model.form == "unknown"
    for name, b in rest:
        if model.racy and {a.form, b.form} <= {"ok", "fault"}:
            continue
        if a.form != b.form:
            return f"form: {first} {a.form} {a.text!r}, {name} {b.form} {b.text!r}"
        if a.text != b.text:
            same = (a.line, a.text.split(" (")[0]) == (b.line, b.text.split(" (")[0])
            difference = f"{first} {a.text!r}, {name} {b.text!r}"
            if not same:
                return f"text: {difference}"
            operands = f"operands: {difference}"
        if a.form == "ok" and a.pools != b.pools and not model.racy:
            return f"bits: {first} and {name}: {_different_cell(launch, a.pools, b.pools)}"
    if a.form == "refused" or launch.budget is not None:
        return operands
    if model.racy and launch.deterministic and a.form == "ok":
        return "race: accepted with deterministic=True"
    return operands if free else _against_model(launch, model, runs) or operands


def _against_model(launch: Launch, model: Outcome, runs: dict[str, Outcome]) -> str:
    for name, run in runs.items():
        if run.form != model.form:
            what = f"model {model.form} {model.kind} line {model.line}"
            return f"model-form: {name} {run.form} {run.text!r}, {what}"
        if run.form == "fault":
            why = fault_differs(model, run)
            if why:
                return f"model-fault: {name} {run.text!r}: {why}"
            continue
        where = _different_cell(launch, run.pools, model.pools)
        if where:
            return f"model-bits: {name} and model: {where}"
    return ""


@dataclass
class Refused:
    text: str


class Session:
    """Compiles programs and runs launches of them; in a process of its own, as it may crash."""

    def __init__(self) -> None:
        self.rig = Rig()
        self.folder = tempfile.mkdtemp(prefix="strangers-")
        self.path = os.path.join(self.folder, "kernel.py")
        self.counts: Counter[str] = Counter()

    def close(self) -> None:
        if os.path.exists(self.path):
            os.remove(self.path)
        os.rmdir(self.folder)

    def compile(self, program: tree.Program) -> Any:
        import hologram as hg

        with open(self.path, "w", encoding="utf-8") as file:
            file.write(tree.source(program))
        try:
            kernel = hg.compile(self.path)[program.name]
            kernel.path  # noqa: B018 - native code is made here
        except hg.Error as error:
            return Refused(str(error))
        return kernel

    def check(self, kernel: Any, model: machine.Machine, launch: Launch, big: bool = False) -> str:
        """Runs a launch everywhere; returns what differs."""
        program = model.program
        written = {p[0] for p in kernel.parameters if p[1] == "array" and p[3] != "in"}
        for name, view in launch.views.items():
            if name in written:
                launch.pools[view.pool].read_only = False
        expected = Outcome("unknown", "big") if big else run_model(model, launch, written)
        if big and program.racy:
            return ""
        if expected.text == "long":
            self.counts["long"] += 1
            return ""
        before = dict(kernel.counts)
        runs = {"native": self.rig.run(kernel, program, launch, launch.native)}
        last = kernel.last_launch
        after = kernel.counts
        natively = kernel.path.startswith("native") and all(
            before[k] == after[k] for k in ("interpreted", "guarded")
        )
        runs["interpreter"] = self.rig.run(kernel, program, launch, "interpreter")
        form = runs["native"].form
        if device := os.environ.get("STRANGERS_DEVICE"):
            there = self.rig.run(kernel, program, launch, device)
            refused = any(words in there.text for words in NO_DEVICE_CODE)
            self.counts[f"{device} refused" if refused else device] += 1
            self.counts[f"{device} itself"] += kernel.last_launch.engine == device
            if not refused:
                runs[device] = there
        self.counts["launches"] += 1
        self.counts[{"fault": "faults", "refused": "refused"}.get(form, form)] += 1
        if form == "ok":
            checked = last.checked and last.engine == "cpu"
            way = "native" if natively else "checked form" if checked else "guarded or interpreted"
            self.counts[way] += 1
            self.counts["racy"] += expected.racy
            self.counts["compared with the model"] += expected.form == "ok" and not expected.racy
        elif form == "fault":
            self.counts["faults compared with the model"] += expected.form == "fault"
        for trait in launch.traits:
            self.counts[f"{trait.split()[0]} {form}"] += 1
        difference = compare(launch, expected, runs)
        if form == "refused":
            reason = re.sub(r"[\d'`]+", "#", runs["native"].text.split("error: ")[-1])[:60]
            self.counts["reason " + reason] += 1
        return difference
