"""Kernel file (Python) -> kernel JSON 1.1, from the syntax tree alone.

The user's file is read and parsed, never imported or executed. The stages, one module each:

  source      bytes of the file -> text with lines            syntax       text -> syntax tree
  scope       what the module level defines: imports, constants, kernels, everything else
  signature   decorator and parameters (annotations: types)   statements, expressions: the body
  document    puts the pieces together                        json_writer  document -> text
  diagnostics collects the errors, cli prints them            unsupported  what is refused, and why

The format is described in docs/kernel-json.md. This package imports nothing outside itself but
`sys`, `os`, `warnings` and `_ast`, because `hologram compile` starts it once per file and `ast`
and `json` would double the time that takes. Tests: python/tests (golden files).
"""
