"""Forms of the language that stand for several plain ones: syntax tree -> syntax tree.

Values of several numbers (vectors, matrices, complex numbers, structs, tuples) become one local,
parameter or element for each number; tables of constants become literals; functions and `None` as
arguments of helpers make a copy of the helper; `a = b = x`, `:=`, `divmod` and the like become the
statements that they stand for. What comes out is what statements.py and expressions.py read, and
what hologram.simulator runs as Python, so that both mean the same. Nothing in here knows the types
of scalars.

  shapes     what a value is made of           values      what an expression can be
  triggers   whether a function needs this     body        statements of one function
  trees      small trees, fresh names          assignments  where values are stored
  expressions, calls, elements, operators      expressions
  definitions, rewriting  what the document has, without forms and with
  instances  helpers for shapes of arguments   signatures  parameters, annotations
  tables     constants of a module in rows     library     functions of vectors
"""
