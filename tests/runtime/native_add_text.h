// The program that native_add.c implements.
#pragma once

namespace hologram::test {

inline constexpr char kAddText[] = R"(
.kernel vector_add
.source "add.py"
.param a f32[] in
.param b f32[] in
.param c f32[] out
.param n u32
  sreg.u32 r5, global.x
  setge.u32 p0, r5, r4 ; add.py:5:8
  bra.p0 @end
  ldg.f32 r6, [r1 + r5*4] ; add.py:6:16 a[i] {i=r5}
  ldg.f32 r7, [r2 + r5*4] ; add.py:6:23 b[i] {i=r5}
  add.f32 r8, r6, r7
  stg.f32 [r3 + r5*4], r8 ; add.py:6:9 c[i] {i=r5}
end:
  exit
)";

}  // namespace hologram::test
