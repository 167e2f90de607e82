"""Kernels from assembly and from circuits: hg.asm, and hg.compile of .hasm and .circuit files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import hologram as hg

TEXT = """.kernel twice
.param x f32[] inout
.param n u32
  sreg.u32 r3, global.x
  setge.u32 p0, r3, r2
  bra.p0 @L1
  ldg.f32 r4, [r1 + r3*4]
  add.f32 r4, r4, r4
  stg.f32 [r1 + r3*4], r4
L1:
  exit

.kernel nothing
  exit
"""


def test_a_text() -> None:
    kernels = hg.asm(TEXT)
    assert list(kernels) == ["twice", "nothing"]
    x = np.arange(1000, dtype=np.float32)
    kernels.twice(x, x.size)
    np.testing.assert_array_equal(x, np.arange(1000, dtype=np.float32) * 2)
    # What a kernel prints of itself can be read again, and is the same program.
    assert hg.asm(kernels.twice.asm()).twice.id == kernels.twice.id


def test_errors_of_a_text_have_places() -> None:
    with pytest.raises(hg.CompileError) as caught:
        hg.asm(TEXT.replace("add.f32 r4", "sum.f32 r4"))
    assert (caught.value.file, caught.value.line, caught.value.column) == ("<asm>", 8, 3)
    with pytest.raises(hg.CompileError):  # the verifier's: r9 has no value
        hg.asm(TEXT.replace("r4, r4, r4", "r4, r4, r9"))
    with pytest.raises(hg.CompileError):
        hg.asm("\0\xff")
    with pytest.raises(hg.CompileError, match="no kernel in the file"):
        hg.asm("")


def test_files(tmp_path: Path) -> None:
    assembly = tmp_path / "k.hasm"
    assembly.write_text(TEXT, encoding="utf-8")
    assert list(hg.compile(assembly)) == ["twice", "nothing"]
    assert list(hg.compile(str(assembly), entry="nothing")) == ["nothing"]
    with pytest.raises(hg.NotFoundError, match="has no kernel 'other'"):
        hg.compile(assembly, entry="other")
    with pytest.raises(hg.ArgumentError, match="compile-time parameters"):
        hg.compile(assembly, constants={"N": 3})
    with pytest.raises(FileNotFoundError):
        hg.compile(tmp_path / "missing.hasm")
    circuit = tmp_path / "scale.circuit"
    circuit.write_text("(f32 c00, f32 $a) -> (f32 c01) over n merge:mul@c00[$a,c01]", "utf-8")
    kernels = hg.compile(circuit)
    assert list(kernels) == ["scale"]
    x, y = np.arange(5, dtype=np.float32), np.zeros(5, np.float32)
    kernels.scale(x, 2.5, y, 5)
    np.testing.assert_array_equal(y, x * np.float32(2.5))
    with pytest.raises(hg.NotFoundError):
        hg.compile(circuit, entry="other")
    circuit.write_text("(f32 c00) -> ", "utf-8")
    with pytest.raises(hg.CompileError):
        hg.compile(circuit)
