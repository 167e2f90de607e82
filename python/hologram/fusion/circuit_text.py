"""The text of a circuit for a traced function: classes for its values, one operation a step."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hologram.errors import ResourceLimitError
from hologram.ops.traced import Step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hologram.ops.traced import Graph

_CLASSES = 96


class Place:
    """Where values are: classes that are free again once their last reader has run."""

    def __init__(self, name: str, first: int) -> None:
        self._name = name
        self._free = list(range(_CLASSES - 1, first - 1, -1))

    def take(self) -> int:
        if not self._free:
            raise ResourceLimitError(
                f"{self._name}: more than {_CLASSES} values at a time; make it two functions"
            )
        return self._free.pop()

    def give(self, place: int) -> None:
        self._free.append(place)


def arrays_of(output: object) -> set[int]:
    """The arrays that a source depends on."""
    steps = _in_order([output])
    return {s for s in (output, *(s for step in steps for s in step.sources)) if isinstance(s, int)}


def write(  # noqa: PLR0913
    graph: Graph,
    arrays: Sequence[str],
    outputs: Sequence[object],
    kinds: Sequence[str],
    forms: Sequence[str] = (),
    over: str = "n",
) -> str:
    """`arrays` are the types of the arrays, in the order of the arguments, and `forms` the words
    before them: "shared", "column" or none; outputs are sources of the types `kinds`. Parameters
    are the arrays, the scalars in the order of the graph, the outputs and the size n; `over` is how
    the header gives it."""
    num_fixed = len(arrays) + len(outputs)
    if num_fixed + len(outputs) > _CLASSES:
        raise ResourceLimitError(f"{graph.name}: more than {_CLASSES} arrays")
    steps = _in_order(outputs)
    read = [source for step in steps for source in step.sources]
    readers = Counter(id(source) for source in (*read, *outputs) if isinstance(source, Step))
    # A reduction changes one element of a class: it gets one that nothing else is written to.
    reductions = [id(step) for step in steps if step.word.startswith("reduce_")]
    at = {step: num_fixed + k for k, step in enumerate(reductions)}
    place = Place(graph.name, num_fixed + len(reductions))

    def text(source: object) -> str:
        if isinstance(source, Step):
            return f"c{at[id(source)]:02}"
        return source if isinstance(source, str) else f"c{source:02}"

    def done(source: object) -> None:
        if isinstance(source, Step):
            readers[id(source)] -= 1
            if readers[id(source)] == 0:
                place.give(at[id(source)])

    terms = []
    for step in steps:
        sources = [text(source) for source in step.sources]
        for source in step.sources:
            done(source)
        if id(step) not in at:
            at[id(step)] = place.take()
        terms.append(_term(step.word, sources, text(step)))
    for k, output in enumerate(outputs):
        terms.append(f"copy@{text(output)}->c{len(arrays) + k:02}")
    header = [f"{kind} c{k:02}" for k, kind in enumerate(arrays)]
    for k, form in enumerate(forms):
        header[k] = f"{form} {header[k]}" if form else header[k]
    header += [f"{kind} ${name}" for (_, kind), name in graph.scalars.items()]
    results = ", ".join(f"{kind} c{len(arrays) + k:02}" for k, kind in enumerate(kinds))
    return f"({', '.join(header)}) -> ({results}) over {over} {' . '.join(terms)}"


def _term(word: str, sources: list[str], to: str) -> str:
    if word.startswith("reduce_"):
        return f"{word}@{sources[0]}->{to}"
    # One operand stands twice, as source and as context.
    first, *rest = sources if len(sources) > 1 else sources * 2
    return f"{word}@{first}[{','.join((*rest, to))}]"


def _in_order(outputs: Sequence[object]) -> list[Step]:
    """All steps that the outputs need, each behind those that it reads."""
    order: list[Step] = []
    seen: set[int] = set()
    stack: list[tuple[object, bool]] = [(output, False) for output in reversed(outputs)]
    while stack:
        source, ready = stack.pop()
        if not isinstance(source, Step):
            continue
        if ready:
            order.append(source)
        elif id(source) not in seen:
            seen.add(id(source))
            stack.append((source, True))
            stack.extend((below, False) for below in reversed(source.sources))
    return order
