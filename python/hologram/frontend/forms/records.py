"""Arrays of structs whose numbers have several types: an array of words, laid out as C does it.

A word is an unsigned integer of the size of the smallest field, so that each number is one word or
several. `x[i].mass` becomes `bitcast(f32, x[i * 4 + 3])`.
"""

from __future__ import annotations

from hologram.frontend.forms import trees
from hologram.frontend.forms.shapes import Struct
from hologram.frontend.forms.trees import binary, call, number
from hologram.frontend.syntax_tree import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hologram.frontend.forms.shapes import Shape

_BITS = 8


class Field:
    """One number of a record in memory."""

    def __init__(self, name: str, scalar: str, offset: int) -> None:
        self.name = name  # behind the record's own
        self.scalar = scalar
        self.offset = offset  # in bytes

    @property
    def size(self) -> int:
        return size_of(self.scalar)


class Layout:
    """Where the numbers of a record are; of one type, where it is an array of them."""

    def __init__(self, struct: Struct) -> None:
        self.fields: list[Field] = []
        self.bytes, _ = self._add(struct, "", 0)
        self.mixed = struct.scalar is None
        size = min(field.size for field in self.fields)
        self.word = f"u{size * _BITS}" if self.mixed else (struct.scalar or "")
        self.word_bytes = size
        self.words = self.bytes // size

    def _add(self, struct: Struct, before: str, start: int) -> tuple[int, int]:
        """Size and alignment."""
        at, most = start, 1
        for name, shape in struct.fields:
            align = _alignment(shape)
            most = max(most, align)
            at = -(-at // align) * align
            if isinstance(shape, str):
                self.fields.append(Field(before + name, shape, at))
                at += size_of(shape)
            else:
                at += self._add(shape, f"{before}{name}.", at)[0]
        return -(-(at - start) // most) * most, most


def layout_of(struct: Struct) -> Layout:
    if struct.layout is None:
        struct.layout = Layout(struct)
    assert isinstance(struct.layout, Layout)
    return struct.layout


def size_of(scalar: str) -> int:
    """In bytes."""
    if scalar == "bool":
        return 1
    digits = scalar.lstrip("abcdefghijklmnopqrstuvwxyz")
    return int(digits) // _BITS if digits.isdigit() else 4


def _alignment(shape: Shape) -> int:
    if isinstance(shape, str):
        return size_of(shape)
    return max(_alignment(inner) for _, inner in shape.fields)


def loaded(field: Field, layout: Layout, words: list[ast.expr], at: ast.expr) -> ast.expr:
    """The number in these words, the lowest first."""
    if field.scalar == "bool":
        return trees.compared(words[0], ast.NotEq(), number(0, at), at)
    whole = f"u{field.size * _BITS}"
    bits = words[0] if whole == layout.word else call(whole, [words[0]], at)
    for k, word in enumerate(words[1:], 1):
        shift = number(k * layout.word_bytes * _BITS, at)
        part = binary(ast.LShift(), call(whole, [word], at), shift, at)
        bits = binary(ast.BitOr(), bits, part, at)
    if field.scalar == whole:
        return bits
    return call("bitcast", [trees.name(field.scalar, at), bits], at)


def stored_words(field: Field, layout: Layout, value: ast.expr, at: ast.expr) -> list[ast.expr]:
    """The words of a number; `value` is a name and has the type of the field."""
    if field.scalar == "bool":
        return [call(layout.word, [value], at)]
    whole = f"u{field.size * _BITS}"
    bits = value if field.scalar == whole else call("bitcast", [trees.name(whole, at), value], at)
    count = field.size // layout.word_bytes
    if count == 1:
        return [bits]
    words: list[ast.expr] = []
    for k in range(count):
        part = binary(ast.RShift(), bits, number(k * layout.word_bytes * _BITS, at), at)
        mask = number((1 << layout.word_bytes * _BITS) - 1, at)
        words.append(call(layout.word, [binary(ast.BitAnd(), part, mask, at)], at))
    return words
