"""What the C++ headers have of the operations, in include/hologram/detail: names in the order of
Ops::Unary, members of Ops, and the functions of expression.hpp with the steps of their circuits."""

from __future__ import annotations

import textwrap

from generator.rows import ALL, ELEMENTWISE, FLOATS, SIGNED, Elementwise, Row
from generator.steps import Literal, Step, steps_of

OPERATORS = {"add": "operator+", "sub": "operator-", "mul": "operator*", "div": "operator/"}
OPERATORS_OF_ONE = {"neg": "operator-"}
TYPES = {ALL: "All types", FLOATS + SIGNED: "Floats and signed integers", FLOATS: "Floats"}


def _head(what: str) -> list[str]:
    return [f"// {what} Made of {ELEMENTWISE}", "// by scripts/ops_documents.py."]


def _comment(row: Row, indent: str = "", fast: bool = False) -> list[str]:
    """The formula, types and errors, as lines of a comment."""
    kinds = TYPES.get(row.types, ", ".join(row.types))
    error = row.facts.ulp.get("f32", 0.0), row.facts.ulp.get("f64", 0.0)
    if fast:
        text = f"{row.facts.formula}; float with at most {row.facts.fast:g} ulp."
    else:
        rounded = "correctly rounded"
        named = {
            (0.0, 0.0): "exact",
            (0.5, 0.5): rounded if row.types == FLOATS else f"floats are {rounded}",
        }
        both = f"{error[0]:g} ulp, {error[1]:g} of double"
        text = f"{row.facts.formula}. {kinds}; {named.get(error, both)}. {row.facts.notes}"
    width = 98 - len(indent)
    lines = textwrap.wrap(text, width, break_on_hyphens=False, break_long_words=False)
    return [f"{indent}// {line}".rstrip() for line in lines]


def _unary(file: Elementwise) -> list[Row]:
    return [row for row in file.rows if len(row.arrays) == 1 and not row.scalars]


def names(file: Elementwise) -> str:
    """operation_names.inc."""
    unary = _unary(file)
    others = [row for row in file.rows if row not in unary]
    lines = _head("Operations on elements: those of one array, then the others.")
    lines += [f"HOLOGRAM_UNARY_NAME({row.name})" for row in unary]
    lines += [f"HOLOGRAM_OTHER_NAME({row.name})" for row in others]
    lines += ["#undef HOLOGRAM_UNARY_NAME", "#undef HOLOGRAM_OTHER_NAME"]
    return "\n".join([*lines, ""])


def _method(row: Row) -> list[str]:
    name = row.name
    if row.arrays == ("a", "b"):
        return [
            *_comment(row, "  "),
            "  template <class T>",
            f"  void {name}(const Tensor<T>& a, const Tensor<T>& b, const Tensor<T>& out) {{",
            f"    binary(Op::{name}, a, b, out);",
            "  }",
            "  template <class T>",
            f"  Tensor<T> {name}(const Tensor<T>& a, const Tensor<T>& b) {{",
            f"    return binary(Op::{name}, a, b);",
            "  }",
        ]
    if row.scalars:
        numbers = "".join(f", T {scalar}" for scalar in row.scalars)
        given = ", ".join(row.scalars)
        return [
            *_comment(row, "  "),
            "  template <class T>",
            f"  void {name}(const Tensor<T>& x{numbers}, const Tensor<T>& out) {{",
            f"    elements(Op::{name}, Form::flat, x, out, {given});",
            "  }",
        ]
    option = ", Accuracy accuracy = Accuracy::precise" if row.facts.fast else ""
    given = ", accuracy" if row.facts.fast else ""
    return [
        *_comment(row, "  "),
        "  template <class T>",
        f"  Tensor<T> {name}(const Tensor<T>& x{option}) {{",
        f"    return apply(Unary::{name}, x{given});",
        "  }",
    ]


def methods(file: Elementwise) -> str:
    """operation_methods.inc."""
    lines = _head("Members of Ops, for operations on elements.")
    for row in file.rows:
        lines += _method(row)
    return "\n".join([*lines, ""])


def _class(row: Row) -> str:
    return "".join(part.capitalize() for part in row.name.split("_"))


def _literal(value: float, kind: str, row: Row) -> str:
    """A literal of the type of a kind: of a type that may be an integer, as one or with a point."""
    if kind == "w":
        return f'w.literal("{float(value)!r}", wide)'
    if row.types == FLOATS:
        return f'w.literal("{float(value)!r}", type)'
    return f'w.literal(type >= HOLOGRAM_F16 ? "{float(value)!r}" : "{value!r}", type)'


def _emit(row: Row, steps: tuple[Step, ...], fast: bool) -> list[str]:
    place = {name: f"x[{k}]" for k, name in enumerate((*row.arrays, *row.scalars))}
    lines = []
    if any(step.kind == "w" for step in steps):
        lines.append("    const std::uint32_t wide = wide_type(type);")
    for number, (word, kind, sources) in enumerate(steps):
        like = kind
        if kind == "c":  # a comparison of values of another kind
            like = next(
                steps[s].kind if isinstance(s, int) else "t"
                for s in sources
                if not isinstance(s, Literal)
            )
        given = [
            _literal(s.value, like, row)
            if isinstance(s, Literal)
            else place[s]
            if isinstance(s, str)
            else f"s{s}"
            for s in sources
        ]
        type_ = {"t": "type", "w": "wide", "c": "HOLOGRAM_U8"}[kind]
        if word == "wide":
            # The fast form is of float alone, which is wide enough.
            made = f"type == HOLOGRAM_F32 ? {given[0]} : " if fast else ""
            made += f"widened(w, {given[0]})"
        elif word == "cast":
            made = f"w.cast({given[0]}, {type_})"
        else:
            text = f'"{word.rstrip("*")}"'
            if fast and word.endswith("*"):
                text = f'type == HOLOGRAM_F32 ? "{word[:-1]}_fast" : {text}'
            made = f'w.step({text}, {type_}, {{{", ".join(given)}}})'
        lines.append(f"    const CircuitValue s{number} = {made};")
    return [*lines, f"    return s{len(steps) - 1};"]


def _terms(file: Elementwise, row: Row, fast: bool) -> tuple[list[str], str]:
    """The struct of several steps, and what names the steps."""
    steps = steps_of(file, row)
    operands = len(row.arrays) + len(row.scalars)
    if len(steps) == 1 and steps[0].sources == (*row.arrays, *row.scalars):
        word = steps[0].word.rstrip("*") + ("_fast" if fast else "")
        return [], f'detail::OneStep<"{word}">'
    name = _class(row) + ("Fast" if fast else "")
    lines = [
        f"struct {name} {{",
        f"  static CircuitValue emit(CircuitWriter& w, const CircuitValue (&x)[{operands}],",
        "                           std::uint32_t type) {",
        *_emit(row, steps, fast),
        "  }",
        "};",
    ]
    return lines, f"detail::{name}"


def _function(row: Row, operation: str, fast: bool) -> list[str]:
    comment = _comment(row, fast=fast)
    if len(row.arrays) == 2:
        return [*comment, f"HOLOGRAM_BINARY({OPERATORS.get(row.name, row.name)}, {operation})"]
    if not row.scalars:
        names = [OPERATORS_OF_ONE[row.name]] if row.name in OPERATORS_OF_ONE else []
        lines = [f"HOLOGRAM_UNARY({name}, {operation})" for name in (*names, row.name)]
        return [*comment, *lines]
    classes = [f"N{k}" for k in range(len(row.scalars))]
    heads = ", ".join(f"detail::ExpressionOperand {name}" for name in classes)
    numbers = ", ".join(f"{c}&& {s}" for c, s in zip(classes, row.scalars, strict=True))
    given = ", ".join(f"std::forward<{c}>({s})" for c, s in zip(classes, row.scalars, strict=True))
    return [
        *comment,
        f"template <detail::ExpressionArray X, {heads}>",
        f"auto {row.name}(X&& x, {numbers}) {{",
        f"  return detail::apply<{operation}>(std::forward<X>(x), {given});",
        "}",
    ]


def terms(file: Elementwise) -> str:
    """operation_terms.inc."""
    structs, functions, quick = [], [], []
    for row in file.rows:
        if row.name.startswith("scalar_"):  # operators with a number
            continue
        made, operation = _terms(file, row, False)
        structs += made
        functions += _function(row, operation, False)
        if row.facts.fast:
            made, operation = _terms(file, row, True)
            structs += made
            quick += _function(row, operation, True)
    lines = _head("Functions of expressions, for operations on elements.")
    lines += ["namespace detail {", "", *structs, "", "}  // namespace detail", "", *functions, ""]
    lines += ["// Shorter approximations, of float; of other floats the precise forms.", ""]
    return "\n".join([*lines, "namespace fast {", "", *quick, "", "}  // namespace fast", ""])


FILES = {
    "operation_names.inc": names,
    "operation_methods.inc": methods,
    "operation_terms.inc": terms,
}
