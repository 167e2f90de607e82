"""Classes of a running program that are structs: named tuples and dataclasses of numbers."""

from __future__ import annotations

import sys
from typing import Any

from hologram.frontend import names
from hologram.frontend.forms import tables
from hologram.frontend.forms.shapes import BUILT_IN, Struct
from hologram.frontend.forms.values import Made

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hologram.frontend.forms.shapes import Shape

_BUILT_IN_NUMBERS = {int: "int", float: "float", bool: "bool"}


def is_struct(value: object) -> bool:
    if not isinstance(value, type):
        return False
    named = issubclass(value, tuple) and hasattr(value, "_fields")
    return named or hasattr(value, "__dataclass_fields__")


def of_class(value: Any, language: Mapping[int, str]) -> Struct | str:
    """The struct of a class; what is wrong with it, as a text. `language`: names by identity."""
    annotations = getattr(value, "__annotations__", {})
    fields = getattr(value, "_fields", None) or list(value.__dataclass_fields__)
    struct = Struct("struct", value.__name__, [])
    for field in fields:
        shape = _shape(annotations.get(field), value, language)
        if shape is None:
            return (
                f"a class, and the type of `{value.__name__}.{field}` is not a number of the "
                "language; write f32, u32, a vector or another such class"
            )
        struct.fields.append((field, shape))
    for field, default in _defaults(value).items():
        if isinstance(default, (int, float)):
            struct.defaults[field] = default
    return struct if struct.fields else f"a class without fields, `{value.__qualname__}`"


def made(value: Any, language: Mapping[int, str]) -> Made | None:
    """A value of several numbers that a running program has, as a constant; None for another."""
    if isinstance(value, complex):
        return Made(None, [complex(value)])
    if isinstance(value, tuple) and (name := getattr(value, "type_name", "")) in BUILT_IN:
        return _of_items(BUILT_IN[name], list(value), language)
    if type(value) in (tuple, list):
        found = _of_items(None, list(value), language)
        return found if found and any(isinstance(v, Made) for v in found.arguments) else None
    struct = of_class(type(value), language) if is_struct(type(value)) else None
    if not isinstance(struct, Struct):
        return None
    return _of_items(struct, [getattr(value, field) for field, _ in struct.fields], language)


def _of_items(
    struct: Struct | None, items: list[object], language: Mapping[int, str]
) -> Made | None:
    arguments: list[object] = []
    for item in items:
        found: object = made(item, language)
        found = tables.of_object(item, "") if found is None else found
        found = tables.number(item) if found is None else found
        if found is None:
            return None
        arguments.append(found)
    return Made(struct, arguments)


def _defaults(value: Any) -> dict[str, object]:
    if hasattr(value, "_field_defaults"):
        return dict(value._field_defaults)
    return {name: field.default for name, field in value.__dataclass_fields__.items()}


def _shape(annotation: Any, owner: Any, language: Mapping[int, str]) -> Shape | None:
    if isinstance(annotation, str):
        return _written(annotation, owner, language)
    forward = getattr(annotation, "__forward_arg__", None)
    if isinstance(forward, str):
        return _written(forward, owner, language)
    if is_struct(annotation):
        inner = of_class(annotation, language)
        return inner if isinstance(inner, Struct) else None
    if type(annotation).__name__ == names.TYPE_VARIABLE:
        return str(annotation.__name__)
    name = language.get(id(annotation)) or _BUILT_IN_NUMBERS.get(annotation, "")
    return BUILT_IN.get(name) or names.canonical_scalar(name)


def _written(text: str, owner: Any, language: Mapping[int, str]) -> Shape | None:
    """A type in quotes, or under `from __future__ import annotations`."""
    module = vars(sys.modules.get(owner.__module__, owner))
    found: Any = module.get(text.partition(".")[0])
    for part in text.split(".")[1:]:
        found = getattr(found, part, None)
    if found is None:
        return BUILT_IN.get(text) or names.canonical_scalar(text)
    return None if isinstance(found, str) else _shape(found, owner, language)
