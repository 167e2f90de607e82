"""The parameters of a kernel as they are written, as a line of text that its bundle carries
(docs/format.md), and back: `move(x: vec3[1], by: vec3, mask: f32[1]?, scale: f32 = 1.0)`.

The program of a kernel has plain parameters; who calls it from Python gives vectors, records and
complex numbers, and leaves out what has a default. The text is of the file's writer, whom nobody
vouches for: read() refuses what write() cannot have written, and what the program does not take.
"""

from __future__ import annotations

from hologram.frontend.forms.definitions import Parameter
from hologram.frontend.forms.records import layout_of
from hologram.frontend.forms.shapes import BUILT_IN, Struct
from hologram.frontend.forms.signatures import MAX_FIELDS, Kind
from hologram.frontend.names import MAX_RANK, SCALARS, VALUES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hologram.frontend.forms.shapes import Shape

_MAX_PARAMETERS = 64
_MAX_BYTES = 65536
_NUMBERS = {**VALUES, "True": True, "False": False}
_TOKEN = r" *(?:(-?(?:\d[\w.+-]*|inf\b))|([^\W\d]\w*)|([][(){},:?=]))"


class WrongTextError(ValueError):
    """A text that no front end has written, or of another program."""


def write(kernel: str, parameters: Sequence[Parameter], absent: Sequence[str] = ()) -> str:
    """The text for a kernel without the arrays `absent`; "" where the plain parameters say all."""
    texts = []
    tells = False
    for parameter in parameters:
        kind = parameter.kind
        if parameter.name in absent or parameter.is_constant:
            continue
        shape = kind.shape
        if isinstance(shape, Struct) and not _is_told(shape):
            return ""
        default = parameter.default
        is_absent = bool(absent) and parameter.optional
        tells = tells or isinstance(shape, Struct) or parameter.optional or default is not None
        text = f"{parameter.name}: {_shape_text(shape)}"
        if kind.what == "array":
            text += f"[{kind.rank}]"
        if parameter.optional and not is_absent:
            text += "?"
        if default is not None:
            text += f" = {default!r}"
        texts.append(text)
    text = f"{kernel}({', '.join(texts)})"
    return text if tells and len(text.encode()) <= _MAX_BYTES else ""


def _is_told(struct: Struct) -> bool:
    """Records of type variables have no layout before the variables have types."""
    is_known = all(scalar in SCALARS for _, scalar in struct.leaves())
    return struct.size <= MAX_FIELDS and (is_known or not layout_of(struct).mixed)


def _shape_text(shape: Shape) -> str:
    if isinstance(shape, str):
        return shape or "_"
    if BUILT_IN.get(shape.name) is shape:
        return shape.name
    fields = ", ".join(f"{name}: {_shape_text(inner)}" for name, inner in shape.fields)
    return f"{shape.name}{{{fields}}}"


def read(text: str, plain: Sequence[tuple[str, str, str, str]]) -> tuple[str, list[Parameter]]:
    """The name of the kernel, of which the program may be a variant, and its parameters; `plain`
    has the arguments of the program, as Kernel.parameters does. Raises WrongTextError."""
    reader = _Reader(text)
    kernel, parameters = reader.kernel()
    rest = iter(plain)
    for parameter in parameters:
        _join(parameter, rest)
    for name, _, _, _ in rest:
        raise WrongTextError(f"'{name}' is not in it")
    return kernel, parameters


def _join(parameter: Parameter, plain: Iterator[tuple[str, str, str, str]]) -> None:
    """The arguments of the program that a parameter is."""
    shape, kind = parameter.kind.shape, parameter.kind
    wanted = shape.size if kind.what == "struct" and isinstance(shape, Struct) else 1
    form = "array" if kind.what == "array" else "scalar"
    for _ in range(wanted):
        name, found, scalar, _ = next(plain, ("", "", "", ""))
        if found != form or (kind.what != "struct" and name != parameter.name):
            raise WrongTextError(f"'{parameter.name}' is not one of the {form}s of the program")
        parameter.leaves.append(name)
        if kind.what == "array" and isinstance(shape, Struct):
            _set_words(parameter, shape, scalar)


def _set_words(parameter: Parameter, shape: Struct, scalar: str) -> None:
    """An array of structs is one of words; those of a type variable have the program's type."""
    layout = layout_of(shape)
    if layout.word not in SCALARS and not layout.mixed:
        parameter.kind.shape = _with_type(shape, scalar)
        return
    if layout.word != scalar and not (layout.word == "bool" and scalar == "u8"):
        raise WrongTextError(f"'{parameter.name}' is an array of {scalar}")


def _with_type(struct: Struct, scalar: str) -> Struct:
    fields: list[tuple[str, Shape]] = [
        (name, scalar if isinstance(shape, str) else _with_type(shape, scalar))
        for name, shape in struct.fields
    ]
    return Struct(struct.kind, struct.name, fields)


class _Reader:
    def __init__(self, text: str) -> None:
        import re  # no kernel is compiled with it

        self._token = re.compile(_TOKEN)
        self._text = text
        self._at = 0
        self._number, self._name, self._sign = "", "", ""
        self._step()

    def kernel(self) -> tuple[str, list[Parameter]]:
        kernel = self._take_name()
        self._take("(")
        parameters: list[Parameter] = []
        while self._sign != ")":
            if parameters:
                self._take(",")
            parameters.append(self._parameter())
            if len(parameters) > _MAX_PARAMETERS:
                raise WrongTextError("it has too many parameters")
        if self._at != len(self._text):
            raise self._wrong()
        names = {parameter.name for parameter in parameters}
        if len(names) != len(parameters):
            raise WrongTextError("a parameter is there twice")
        return kernel, parameters

    def _parameter(self) -> Parameter:
        name = self._take_name()
        self._take(":")
        kind = Kind(None)
        kind.shape = self._shape()
        if isinstance(kind.shape, Struct):
            kind.what = "struct"
        parameter = Parameter(name, kind, [])
        if self._sign == "[":
            self._step()
            kind.what = "array"
            kind.rank = int(self._number) if self._number in "1234" and self._number else 0
            if not 1 <= kind.rank <= MAX_RANK:
                raise self._wrong()
            self._step()
            self._take("]")
        if self._sign == "?":
            if kind.what != "array":
                raise self._wrong()
            self._step()
            parameter.optional = True
        if self._sign == "=":
            if kind.what != "scalar":
                raise self._wrong()
            self._step()
            parameter.default = self._value()
        return parameter

    def _shape(self, depth: int = 0) -> Shape:
        if depth > MAX_FIELDS:
            raise self._wrong()
        name = self._take_name()
        if self._sign != "{":
            return BUILT_IN.get(name, name)
        self._step()
        struct = Struct("struct", name, [])
        while self._sign != "}":
            if struct.fields:
                self._take(",")
            field = self._take_name()
            self._take(":")
            struct.fields.append((field, self._shape(depth + 1)))
        self._step()
        if not struct.fields or not _is_told(struct):
            raise self._wrong()
        return struct

    def _value(self) -> int | float:
        text = self._number or self._name
        self._step()
        try:
            if text in _NUMBERS:
                return _NUMBERS[text]
            return int(text) if text.lstrip("-").isdecimal() else float(text)
        except ValueError:
            raise self._wrong() from None

    def _take_name(self) -> str:
        name = self._name
        if not name:
            raise self._wrong()
        self._step()
        return name

    def _take(self, sign: str) -> None:
        if self._sign != sign:
            raise self._wrong()
        self._step()

    def _step(self) -> None:
        found = self._token.match(self._text, self._at)
        groups = ("", "", "") if found is None else found.groups("")
        self._number, self._name, self._sign = groups
        if found is not None:
            self._at = found.end()

    def _wrong(self) -> WrongTextError:
        return WrongTextError(f"byte {self._at} of {len(self._text)}")
