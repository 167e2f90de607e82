"""The types of `a op b`, by the types of a and b; see types.py.

Written by scripts/number_rules.py from src/frontend/number_rules.txt; do not edit.
"""

from __future__ import annotations


def _table(text: str) -> dict[str, dict[str, str]]:
    head, *rows = (line.split() for line in text.splitlines())
    return {row[0]: dict(zip(head, row[1:], strict=True)) for row in rows}


OPERATORS = _table(
    """\
      i8    i16   i32   i64   u8    u16   u32   u64   f16   bf16  f32   f64   int   float
i8    i8    i16   i32   i64   i16   i32   i64   -     f16   bf16  f32   f64   i8    f32!
i16   i16   i16   i32   i64   i16   i32   i64   -     f16!  bf16! f32   f64   i16   f32!
i32   i32   i32   i32   i64   i32   i32   i64   -     f16!  bf16! f32!  f64   i32   f32!
i64   i64   i64   i64   i64   i64   i64   i64   -     f16!  bf16! f32!  f64   i64   f64
u8    i16   i16   i32   i64   u8    u16   u32   u64   f16   bf16  f32   f64   u8    f32!
u16   i32   i32   i32   i64   u16   u16   u32   u64   f16!  bf16! f32   f64   u16   f32!
u32   i64   i64   i64   i64   u32   u32   u32   u64   f16!  bf16! f32!  f64   u32   f32!
u64   -     -     -     -     u64   u64   u64   u64   f16!  bf16! f32!  f64   u64   f64
f16   f16   f16!  f16!  f16!  f16   f16!  f16!  f16!  f16   f32   f32   f64   f16   f16
bf16  bf16  bf16! bf16! bf16! bf16  bf16! bf16! bf16! f32   bf16  f32   f64   bf16  bf16
f32   f32   f32   f32!  f32!  f32   f32   f32!  f32!  f32   f32   f32   f64   f32   f32
f64   f64   f64   f64   f64   f64   f64   f64   f64   f64   f64   f64   f64   f64   f64
int   i8    i16   i32   i64   u8    u16   u32   u64   f16   bf16  f32   f64   int   float
float f32!  f32!  f32!  f64   f32!  f32!  f32!  f64   f16   bf16  f32   f64   float float
"""
)
QUOTIENT = _table(
    """\
      i8    i16   i32   i64   u8    u16   u32   u64   int
i8    f32!  f32!  f32!  f64   f32!  f32!  f32!  f64   f32!
i16   f32!  f32!  f32!  f64   f32!  f32!  f32!  f64   f32!
i32   f32!  f32!  f32!  f64   f32!  f32!  f32!  f64   f32!
i64   f64   f64   f64   f64   f64   f64   f64   f64   f64
u8    f32!  f32!  f32!  f64   f32!  f32!  f32!  f64   f32!
u16   f32!  f32!  f32!  f64   f32!  f32!  f32!  f64   f32!
u32   f32!  f32!  f32!  f64   f32!  f32!  f32!  f64   f32!
u64   f64   f64   f64   f64   f64   f64   f64   f64   f64
int   f32!  f32!  f32!  f64   f32!  f32!  f32!  f64   float
"""
)
