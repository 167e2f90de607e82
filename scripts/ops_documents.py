#!/usr/bin/env python3
"""Writes docs/ops.md from the table of hologram.ops and the signatures of its functions, and what
the tree has of operations/: python/hologram/_elementwise.pyi and names in ops/__init__.py for type
checkers, the C++ headers' include/hologram/detail/operation_*.inc.

usage: ops_documents.py [--check]

--check writes nothing and fails if a file is not what would be written. Needs neither NumPy nor the
built module: the table is loaded by itself, the functions are read as syntax trees.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "operations"), str(ROOT / "python")]
sys.dont_write_bytecode = True

from generator import cpp, python, rows  # noqa: E402  (the path is set up first)

FILE = rows.read()
OPS = ROOT / "python" / "hologram" / "ops"
PAGE = ROOT / "docs" / "ops.md"
STUB = ROOT / "python" / "hologram" / "_elementwise.pyi"
HEADERS = ROOT / "include" / "hologram" / "detail"
LISTS = OPS / "__init__.py"
IMPORTS = re.compile(r"(    from hologram\._elementwise import \(\n)(.*?)(    \)\n)", re.DOTALL)
ALL = re.compile(r"^__all__ = \[\n.*?^\]\n", re.DOTALL | re.MULTILINE)
OTHERS = re.compile(r"^_PLACES = \{\n(.*?)^\}\n", re.DOTALL | re.MULTILINE)
FAMILIES = {
    "pointwise": "Element by element",
    "reduction": "Reductions",
    "movement": "Moving and converting",
    "row": "Along an axis",
    "loss": "Losses",
    "product": "Products",
}
HEAD = """# Operations

`hologram.ops` computes on whole arrays with kernels that were compiled when the package was built (`operations`,
`kernels/ops`, `stdlib.holo`). This page is made of `operations/elementwise.py` and `python/hologram/ops/table.py` by
`scripts/ops_documents.py`; the docstrings and the tolerances of the tests come from the same table.

```python
import numpy as np
import hologram as hg

a = np.linspace(0, 1, 1000, dtype=np.float32)
b = hg.ops.exp(a)                       # a new array
hg.ops.add(a, b, out=b)                 # into an array that is there
total = hg.ops.sum(b.reshape(10, 100), axis=0, keepdims=True)
print(hg.ops.path())                    # "native (bundle, v4)": what runs
```

- **Arrays** are NumPy arrays or anything with the buffer protocol or DLPack in CPU memory; results are NumPy
  arrays, those of bf16 of the package `ml_dtypes`. All arrays of a call have one type; `hg.ops.cast` converts. A plain
  number beside arrays takes their type and must fit it.
- **Shapes** are broadcast by NumPy's rules, and strides are honoured, in operations on elements negative ones too:
  nothing is copied. What would need a copy is an error that names the argument (argmin, argmax, products and rows of
  such views).
- **`out`** of an operation on elements may be one of the inputs if that has its shape and no gaps, and the first of two
  inputs in any case. Rows, sums along axes, products and movements need memory of their own for it; an overlap that
  could change a result is refused.
- **Memory** may lie at any address, also at one that is not aligned to the elements.
- **Errors** are those of `hologram.errors` and name the argument.
- **Bits** depend on the data and how they lie (sums of floats over gaps add in another order): not on the machine, the
  engine or the threads. Any thread may call any operation on memory that nobody else writes; the interpreter's lock is
  let go during large ones.
- **Types**: i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64. f16 and bf16 are computed in f32 and rounded once at
  the end.
- **Errors of results** are in units in the last place (ulp, `docs/math.md`), or an absolute bound, where n is the
  number of elements that a result is made of and eps is 2^-24 for f32, f16 and bf16 and 2^-53 for f64; f16 and bf16 are
  rounded to the type after that. A scale, and each `|...|` in one, counts as at least the smallest normal number
  (2^-126, 2^-1022): below it numbers have the distances that they have there.
"""


PARTS = """## Parts

A reduction makes one of each 4,096 elements in C order, of these the same again, until there is one; along an axis that
is not the last, one of each 512 rows. So parts of an array can be reduced anywhere, and the results joined, with the
bits of the whole ([scale.md](scale.md)). The two numbers are part of what the operations give: another one is another
major version.

```python
import numpy as np
import hologram as hg

whole = np.linspace(0, 1, 100_000, dtype=np.float32)
chunks = np.split(whole, [40_960, 81_920])
parts = [hg.ops.sum.parts(chunk) for chunk in chunks]         # one for each 4,096 elements, in any order
total = hg.ops.sum.finish(np.concatenate(parts), whole.size)  # the bits of hg.ops.sum(whole)

running = hg.Accumulator("sum", "f32")                        # elements in order, in chunks of any lengths
for chunk in chunks:
    running.add(chunk)
print(total == hg.ops.sum(whole), running.result() == total)
```

- `op.parts(x, axis=None)`, of reductions and losses, and of `dot` with two arrays: partial results in the type that is
  accumulated (f32 for f16); of `argmin` and `argmax` pairs of value and index. Arrays have no gaps. `op.part` is 4,096,
  `op.column_part` 512.
- `op.finish(parts, count, dtype=None, axis=None)`: `count` is the number of elements of a result, `dtype` their type,
  where it is not that of the parts. The parts are those of consecutive chunks. All chunks but the last are multiples of
  a part; another number of parts than `count` elements have is an error.
- `hg.Accumulator(op, dtype, eps=None)`: `add(x)`, for pairs `add(x, y)`, `result()`, `count`; `state()` and
  `Accumulator.from_state(bytes)` take it elsewhere. It holds less than 4,096 elements and parts for each level.
- Operations on elements have `op.ufunc`, a `numpy.ufunc`; Dask arrays and arrays with `__array_ufunc__` (pandas,
  Polars, xarray) may be given to them.
"""


def signatures() -> dict[str, str]:
    """The parameters of each function of the package, without their types."""
    found = {}
    for path in (STUB, *sorted(OPS.glob("*.py"))):
        if path.name == "on_dask.py":  # the same names, of Dask arrays
            continue
        text = python.stub(FILE) if path == STUB else path.read_text()
        for node in ast.parse(text).body:
            if not isinstance(node, ast.FunctionDef):
                continue
            arguments = node.args
            for one in (*arguments.args, *arguments.kwonlyargs):
                one.annotation = None
            found.setdefault(node.name, ast.unparse(arguments))
    return found


def page() -> str:
    table = python.load_table(FILE)
    parameters = signatures()
    lines = [HEAD]
    for family, title in FAMILIES.items():
        lines += [
            f"## {title}",
            "",
            "| call | result | types | max error | range |",
            "|---|---|---|---|---|",
        ]
        for spec in table.TABLE.values():
            if spec.family != family:
                continue
            cells = [
                f"`{spec.name}({parameters[spec.name]})`",
                spec.formula,
                table.types_text(spec),
                table.error_text(spec),
                spec.notes,
            ]
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        lines.append("")
    lines.append(PARTS)
    missing = {spec.family for spec in table.TABLE.values()} - set(FAMILIES)
    if missing:
        raise SystemExit(f"error: ops_documents.py has no title for {', '.join(sorted(missing))}")
    return "\n".join(lines)


def names() -> str:
    """ops/__init__.py with the operations on elements in its two lists."""
    text = LISTS.read_text()
    own = python.names(FILE)
    imports = "".join(f"        {name},\n" for name in own)
    text = IMPORTS.sub(lambda match: f"{match[1]}{imports}{match[3]}", text)
    others = ALL.search(text)
    listed = {*own, *re.findall(r'"(\w+)"', OTHERS.search(text)[1]), "path"}
    every = "".join(f'    "{name}",\n' for name in sorted(listed, key=python.sorting))
    return text.replace(others[0], f"__all__ = [\n{every}]\n")


def main() -> int:
    texts = {PAGE: page(), STUB: python.stub(FILE), LISTS: names()}
    texts |= {HEADERS / name: made(FILE) for name, made in cpp.FILES.items()}
    stale = [path for path, text in texts.items() if not path.exists() or path.read_text() != text]
    if "--check" not in sys.argv[1:]:
        for path in stale:
            path.write_text(texts[path])
        return 0
    for path in stale:
        print(f"{path.relative_to(ROOT)} is stale: run scripts/ops_documents.py")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
