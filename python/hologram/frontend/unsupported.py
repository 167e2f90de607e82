"""Python that the kernel language does not have: one message for each construct.

Keys are class names of the syntax tree, so that classes of newer Python versions need no care.
A message names the construct and says what to write instead.
"""

from __future__ import annotations

from hologram.frontend.syntax_tree import ast

_NOT_IN_KERNEL = "is not allowed inside a kernel"
_NOT_IN_LANGUAGE = "not in the kernel language"

_STATEMENTS = {
    "Import": f"`import` {_NOT_IN_KERNEL}; import from hologram.lang at the top of the file",
    "ImportFrom": f"`import` {_NOT_IN_KERNEL}; import from hologram.lang at the top of the file",
    "FunctionDef": f"a nested `def` {_NOT_IN_KERNEL}; write an `@inline` helper at module level",
    "AsyncFunctionDef": f"a nested `async def` {_NOT_IN_KERNEL}; write its expression in place",
    "ClassDef": f"`class` {_NOT_IN_KERNEL}; use parameters and locals",
    "With": f"`with` {_NOT_IN_KERNEL}; write its body alone",
    "AsyncWith": f"`async with` {_NOT_IN_KERNEL}; write its body alone",
    "AsyncFor": f"`async for` {_NOT_IN_KERNEL}; write `for i in range(n):`",
    "Try": f"`try` {_NOT_IN_KERNEL}; kernels raise nothing, test the condition with `if`",
    "TryStar": f"`try` {_NOT_IN_KERNEL}; kernels raise nothing, test the condition with `if`",
    "Raise": f"`raise` {_NOT_IN_KERNEL}; write `assert condition`",
    "Delete": f"`del` {_NOT_IN_KERNEL}; a local ends with the kernel",
    "Global": f"`global` {_NOT_IN_KERNEL}; constants are read without it, and results are written "
    "to an output array",
    "Nonlocal": f"`nonlocal` {_NOT_IN_KERNEL}; write results to an output array",
    "Match": f"`match` {_NOT_IN_KERNEL}; write `if`/`elif`",
    "TypeAlias": f"`type` {_NOT_IN_KERNEL}; write the type itself",
}

_COMPREHENSION = "a comprehension is " + _NOT_IN_LANGUAGE + "; write a `for` loop over `range`"
_F_STRING = "an f-string is " + _NOT_IN_LANGUAGE + "; kernels have numbers and arrays of them"
_DISPLAY = "use parameters, locals or `shared(dtype, n)`"

_EXPRESSIONS = {
    "NamedExpr": f"`:=` is {_NOT_IN_LANGUAGE}; assign on a line of its own",
    "Lambda": f"`lambda` is {_NOT_IN_LANGUAGE}; write its expression in place",
    "ListComp": _COMPREHENSION,
    "SetComp": _COMPREHENSION,
    "DictComp": _COMPREHENSION,
    "GeneratorExp": _COMPREHENSION,
    "JoinedStr": _F_STRING,
    "TemplateStr": "a t-string is " + _NOT_IN_LANGUAGE + "; kernels have numbers only",
    "Await": f"`await` is {_NOT_IN_LANGUAGE}; use `barrier()` to wait for the block",
    "Yield": f"`yield` is {_NOT_IN_LANGUAGE}; write results to an output array",
    "YieldFrom": f"`yield from` is {_NOT_IN_LANGUAGE}; write results to an output array",
    "Starred": f"`*` before a value is {_NOT_IN_LANGUAGE}; write each value",
    "List": f"a list is {_NOT_IN_LANGUAGE}; write a tuple, `(a, b)`, or `local(f32, 16)` for "
    "elements that are stored",
    "Tuple": f"a tuple is {_NOT_IN_LANGUAGE}; write one value",
    "Dict": f"a dict is {_NOT_IN_LANGUAGE}; write a table of the module, `W = (1, 2)`, or "
    "`if`/`elif`",
    "Set": f"a set is {_NOT_IN_LANGUAGE}; {_DISPLAY}",
    "Slice": f"a slice is {_NOT_IN_LANGUAGE}; index one element, in a loop if need be",
}

_COMPARISONS = {
    "Is": f"`is` is {_NOT_IN_LANGUAGE}; write `==`",
    "IsNot": f"`is not` is {_NOT_IN_LANGUAGE}; write `!=`",
    "In": f"`in` is {_NOT_IN_LANGUAGE}; compare with `==`, joined by `or`",
    "NotIn": f"`not in` is {_NOT_IN_LANGUAGE}; compare with `!=`, joined by `and`",
}

MATMUL = (
    "`@` is the product of vectors and matrices, vec3 and mat3; for arrays write the loops, with "
    "`*` and `+`"
)


def statement_message(node: ast.stmt) -> str:
    name = type(node).__name__
    return _STATEMENTS.get(name, f"`{name}` {_NOT_IN_KERNEL}; write it with the statements it has")


def expression_message(node: ast.expr) -> str:
    name = type(node).__name__
    return _EXPRESSIONS.get(name, f"`{name}` is {_NOT_IN_LANGUAGE}; write it with operators")


def comparison_message(operator: ast.cmpop) -> str:
    return _COMPARISONS[type(operator).__name__]


def constant_message(value: object) -> str:
    """For a literal that is neither an integer, a float nor a bool."""
    if isinstance(value, str):
        if len(value) == 1:
            return f"a string is {_NOT_IN_LANGUAGE}; write ord({value!r})"
        if "%" in value:
            return f"a string is {_NOT_IN_LANGUAGE}; in a print or an assert write an f-string"
        return f"a string is {_NOT_IN_LANGUAGE}; kernels have numbers and arrays of them"
    if isinstance(value, bytes):
        return f"a bytes literal is {_NOT_IN_LANGUAGE}; pass a `DeviceArray[u8]`"
    if isinstance(value, complex):
        return f"a complex literal is {_NOT_IN_LANGUAGE}; keep real and imaginary part apart"
    if value is None:
        return f"`None` is {_NOT_IN_LANGUAGE}; use a number"
    return f"`...` is {_NOT_IN_LANGUAGE}; write `pass` for an empty body"
