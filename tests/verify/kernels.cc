#include "kernels.h"

#include <cstdlib>
#include <utility>

#include "text/text.h"

namespace hologram::verify::test {
namespace {

struct Kernel {
  std::string_view name;
  std::string_view text;
};

constexpr Kernel kKernels[] = {
    {"saxpy", R"(
.kernel saxpy
.param a f32
.param x f32[] in
.param y f32[] in
.param c f32[] out
.param n u32
  sreg.u32 r20, global.x
  setlt.u32 p0, r20, r5
  bra.p0 @then
  bra @end
then:
  ldg.f32 r21, [r2 + r20*4]
  ldg.f32 r22, [r3 + r20*4]
  mad.f32 r23, r1, r21, r22
  stg.f32 [r4 + r20*4], r23
end:
  exit
)"},
    {"stencil", R"(
.kernel stencil
.param src f32[] in
.param dst f32[] out
.param w u32
.param h u32
  sreg.u32 r20, global.x
  sreg.u32 r21, global.y
  mov_imm.u32 r22, 0
  mov_imm.u32 r23, 1
  setgt.u32 p0, r20, r22
  bra.p0 @a
  bra @end
a:
  sub.u32 r24, r3, r23
  setlt.u32 p0, r20, r24
  bra.p0 @b
  bra @end
b:
  setgt.u32 p0, r21, r22
  bra.p0 @c
  bra @end
c:
  sub.u32 r24, r4, r23
  setlt.u32 p0, r21, r24
  bra.p0 @d
  bra @end
d:
  mul.u32 r25, r21, r3
  add.u32 r26, r25, r20
  ldg.f32 r30, [r1 + r26*4]
  sub.u32 r27, r26, r23
  ldg.f32 r31, [r1 + r27*4]
  add.u32 r27, r26, r23
  ldg.f32 r32, [r1 + r27*4]
  sub.u32 r27, r26, r3
  ldg.f32 r33, [r1 + r27*4]
  add.u32 r27, r26, r3
  ldg.f32 r34, [r1 + r27*4]
  add.f32 r30, r30, r31
  add.f32 r30, r30, r32
  add.f32 r30, r30, r33
  add.f32 r30, r30, r34
  stg.f32 [r2 + r26*4], r30
end:
  exit
)"},
    {"gather", R"(
.kernel gather
.param src f32[] in
.param idx i32[] in
.param out f32[] out
.param n u32
  sreg.u32 r20, global.x
  setge.u32 p0, r20, r4
  bra.p0 @end
  ldg.i32 r21, [r2 + r20*4]
  ldg.f32 r22, [r1 + r21*4]
  stg.f32 [r3 + r20*4], r22
end:
  exit
)"},
    {"histogram", R"(
.kernel histogram
.param data u8[] in
.param bins u32[] inout
.param n u32
  sreg.u32 r20, global.x
  setge.u32 p0, r20, r3
  bra.p0 @end
  ldg.u8 r21, [r1 + r20*1]
  mov_imm.u32 r22, 1
  atg.add.u32 r23, [r2 + r21*4], r22
end:
  exit
)"},
    {"transpose", R"(
.kernel transpose
.param src f32[] in
.param dst f32[] out
.param w u32
.param h u32
  sreg.u32 r20, global.x
  sreg.u32 r21, global.y
  setlt.u32 p0, r20, r3
  bra.p0 @a
  bra @end
a:
  setlt.u32 p0, r21, r4
  bra.p0 @b
  bra @end
b:
  mul.u32 r22, r21, r3
  add.u32 r22, r22, r20
  ldg.f32 r30, [r1 + r22*4]
  mul.u32 r22, r20, r4
  add.u32 r22, r22, r21
  stg.f32 [r2 + r22*4], r30
end:
  exit
)"},
    {"block_max", R"(
.kernel block_max
.param src f32[] in
.param out f32[] out
.param n u32
.shared tile f32 256
  sreg.u32 r20, lane.x
  sreg.u32 r21, global.x
  setlt.u32 p0, r21, r3
  bra.p0 @load
  mov_imm.f32 r22, -1e30
  bra @store
load:
  ldg.f32 r22, [r1 + r21*4]
store:
  sts.f32 [s0 + r20*4], r22
  bar.sync 0
  mov_imm.u32 r23, 128
  mov_imm.u32 r24, 0
  mov_imm.u32 r25, 2
loop:
  setgt.u32 p0, r23, r24
  bra.p0 @body
  bra @done
body:
  setlt.u32 p0, r20, r23
  bra.p0 @fold
  bra @sync
fold:
  add.u32 r26, r20, r23
  lds.f32 r27, [s0 + r20*4]
  lds.f32 r28, [s0 + r26*4]
  max.f32 r27, r27, r28
  sts.f32 [s0 + r20*4], r27
sync:
  bar.sync 0
  div.u32 r23, r23, r25
  bra @loop
done:
  seteq.u32 p0, r20, r24
  bra.p0 @write
  bra @end
write:
  lds.f32 r30, [s0 + r24*4]
  sreg.u32 r31, block.x
  stg.f32 [r2 + r31*4], r30
end:
  exit
)"},
    {"block_sum", R"(
.kernel block_sum
.param src i32[] in
.param out i32[] out
.param n u32
.shared tile i32 64
  sreg.u32 r20, lane.x
  sreg.u32 r21, global.x
  setlt.u32 p0, r21, r3
  bra.p0 @load
  mov_imm.i32 r22, 0
  bra @store
load:
  ldg.i32 r22, [r1 + r21*4]
store:
  sts.i32 [s0 + r20*4], r22
  bar.sync 0
  mov_imm.i32 r23, 32
  mov_imm.i32 r24, 0
loop:
  setgt.i32 p0, r23, r24
  bra.p0 @body
  bra @done
body:
  cvt.i64.u32 r30, r20
  cvt.i64.i32 r31, r23
  setlt.i64 p0, r30, r31
  bra.p0 @fold
  bra @sync
fold:
  cvt.i64.u32 r32, r20
  cvt.i64.i32 r33, r23
  add.i64 r34, r32, r33
  lds.i32 r27, [s0 + r20*4]
  lds.i32 r28, [s0 + r34*4]
  add.i32 r27, r27, r28
  sts.i32 [s0 + r20*4], r27
sync:
  bar.sync 0
  mov_imm.u32 r35, 1
  shr.i32 r23, r23, r35
  bra @loop
done:
  mov_imm.u32 r36, 0
  seteq.u32 p0, r20, r36
  bra.p0 @write
  bra @end
write:
  mov_imm.i32 r37, 0
  lds.i32 r38, [s0 + r37*4]
  sreg.u32 r39, block.x
  stg.i32 [r2 + r39*4], r38
end:
  exit
)"},
    {"mandelbrot", R"(
.kernel mandelbrot
.param out u32[] out
.param w u32
.param h u32
.param limit u32
  sreg.u32 r20, global.x
  sreg.u32 r21, global.y
  setge.u32 p0, r20, r2
  bra.p0 @end
  setge.u32 p0, r21, r3
  bra.p0 @end
  cvt.f32.u32 r22, r20
  cvt.f32.u32 r23, r21
  mov_imm.f32 r24, 0
  mov_imm.f32 r25, 4
  mov_imm.u32 r26, 0
  mov_imm.u32 r27, 1
loop:
  setge.u32 p0, r26, r4
  bra.p0 @done
  mad.f32 r24, r24, r24, r22
  setgt.f32 p0, r24, r25
  bra.p0 @done
  add.u32 r26, r26, r27
  bra @loop
done:
  mul.u32 r28, r21, r2
  add.u32 r28, r28, r20
  stg.u32 [r1 + r28*4], r26
end:
  exit
)"},
    {"gemm", R"(
.kernel gemm
.param A f32[] in
.param B f32[] in
.param C f32[] out
.param m u32
.param n u32
.param k u32
  sreg.u32 r20, global.x
  mul.u32 r21, r4, r5
  setlt.u32 p0, r20, r21
  bra.p0 @go
  bra @end
go:
  div.u32 r22, r20, r5
  rem.u32 r23, r20, r5
  mov_imm.f32 r24, 0
  mov_imm.u32 r25, 0
  mov_imm.u32 r26, 1
loop:
  setlt.u32 p0, r25, r6
  bra.p0 @body
  bra @done
body:
  mul.u32 r27, r22, r6
  add.u32 r27, r27, r25
  ldg.f32 r28, [r1 + r27*4]
  mul.u32 r29, r25, r5
  add.u32 r29, r29, r23
  ldg.f32 r30, [r2 + r29*4]
  mad.f32 r24, r28, r30, r24
  add.u32 r25, r25, r26
  bra @loop
done:
  mul.u32 r31, r22, r5
  add.u32 r31, r31, r23
  stg.f32 [r3 + r31*4], r24
end:
  exit
)"},
    {"gemm_ld", R"(
.kernel gemm_ld
.param A f32[] in
.param B f32[] in
.param C f32[] out
.param m u32
.param n u32
.param k u32
.param lda u32
.param ldb u32
.param ldc u32
  sreg.u32 r20, global.x
  mul.u32 r21, r4, r5
  setlt.u32 p0, r20, r21
  bra.p0 @go
  bra @end
go:
  div.u32 r22, r20, r5
  rem.u32 r23, r20, r5
  mov_imm.f32 r24, 0
  mov_imm.u32 r25, 0
  mov_imm.u32 r26, 1
loop:
  setlt.u32 p0, r25, r6
  bra.p0 @body
  bra @done
body:
  mul.u32 r27, r22, r7
  add.u32 r27, r27, r25
  ldg.f32 r28, [r1 + r27*4]
  mul.u32 r29, r25, r8
  add.u32 r29, r29, r23
  ldg.f32 r30, [r2 + r29*4]
  mad.f32 r24, r28, r30, r24
  add.u32 r25, r25, r26
  bra @loop
done:
  mul.u32 r31, r22, r9
  add.u32 r31, r31, r23
  stg.f32 [r3 + r31*4], r24
end:
  exit
)"},
    {"flip_rows", R"(
.kernel flip_rows
.param src u8[] in
.param dst u8[] out
.param rows u32
.param cols u32
  sreg.u32 r20, global.x
  sreg.u32 r21, global.y
  setlt.u32 p0, r21, r3
  bra.p0 @a
  bra @end
a:
  setlt.u32 p0, r20, r4
  bra.p0 @b
  bra @end
b:
  mov_imm.u32 r22, 1
  sub.u32 r23, r3, r22
  sub.u32 r23, r23, r21
  mul.u32 r23, r23, r4
  add.u32 r23, r23, r20
  mul.u32 r24, r21, r4
  add.u32 r24, r24, r20
  ldg.u8 r25, [r1 + r24*1]
  stg.u8 [r2 + r23*1], r25
end:
  exit
)"},
    {"count_above", R"(
.kernel count_above
.param x f32[] in
.param limit f32
.param count u32[] inout
.param n u32
  sreg.u32 r20, global.x
  setlt.u32 p0, r20, r4
  bra.p0 @a
  bra @end
a:
  ldg.f32 r21, [r1 + r20*4]
  setgt.f32 p0, r21, r2
  bra.p0 @b
  bra @end
b:
  mov_imm.i32 r22, 0
  mov_imm.u32 r23, 1
  atg.add.u32 r24, [r3 + r22*4], r23
end:
  exit
)"},
    {"newton_sqrt", R"(
.kernel newton_sqrt
.param x f32[] in
.param out f32[] out
.param n u32
  sreg.u32 r20, global.x
  setlt.u32 p0, r20, r3
  bra.p0 @go
  bra @end
go:
  ldg.f32 r21, [r1 + r20*4]
  mov_imm.i32 r22, 0
  mov_imm.i32 r23, 40
  mov_imm.i32 r24, 1
loop:
  setlt.i32 p0, r22, r23
  bra.p0 @body
  bra @done
body:
  ldg.f32 r25, [r1 + r20*4]
  div.f32 r26, r25, r21
  setge.f32 p1, r26, r21
  bra.p1 @done
  mov.f32 r21, r26
  add.i32 r22, r22, r24
  bra @loop
done:
  stg.f32 [r2 + r20*4], r21
end:
  exit
)"},
    {"grid_stride", R"(
.kernel grid_stride
.param x f32[] in
.param y f32[] out
.param n u32
  sreg.u32 r20, global.x
  sreg.u32 r21, grid_dim.x
  sreg.u32 r22, block_dim.x
  mul.u32 r21, r21, r22
loop:
  setlt.u32 p0, r20, r3
  bra.p0 @body
  bra @end
body:
  ldg.f32 r25, [r1 + r20*4]
  stg.f32 [r2 + r20*4], r25
  add.u32 r20, r20, r21
  bra @loop
end:
  exit
)"},
};

}  // namespace

std::string KernelText(std::string_view name) {
  for (const Kernel& kernel : kKernels) {
    if (kernel.name == name) return std::string(kernel.text);
  }
  std::abort();
}

std::vector<std::string> KernelNames() {
  std::vector<std::string> names;
  for (const Kernel& kernel : kKernels) names.emplace_back(kernel.name);
  return names;
}

isa::Program Assembled(const std::string& text) {
  auto programs = text::Assemble(text, "test.hasm");
  if (!programs.ok()) {
    for (const Diagnostic& error : programs.errors()) {
      std::fprintf(stderr, "%s\n", ToString(error).c_str());
    }
    std::abort();
  }
  return std::move(programs).value().front();
}

VerifiedProgram Verified(const std::string& text) {
  auto program = Verify(Assembled(text));
  if (!program.ok()) {
    for (const Diagnostic& error : program.errors()) {
      std::fprintf(stderr, "%s\n", ToString(error).c_str());
    }
    std::abort();
  }
  return std::move(program).value();
}

std::string ErrorsOf(const std::string& text) {
  const auto program = Verify(Assembled(text));
  std::string all;
  for (const Diagnostic& error : program.errors()) all += ToString(error) + "\n";
  return all;
}

TestLaunch::TestLaunch(const VerifiedProgram& program, std::vector<uint64_t> extents,
                       std::vector<uint64_t> scalars, hologram_launch_shape shape)
    : scalars_(std::move(scalars)), shape_(shape) {
  size_t next = 0;
  for (const isa::Parameter& p : program.program().parameters) {
    if (!p.is_buffer) continue;
    const uint64_t bytes = extents[next++] * SizeOf(p.type);
    storage_.emplace_back(bytes);
    buffers_.push_back({bytes == 0 ? nullptr : storage_.back().data(), bytes});
  }
}

Launch TestLaunch::launch() const {
  Launch launch;
  launch.buffers = buffers_;
  launch.scalars = scalars_;
  launch.shape = shape_;
  return launch;
}

std::string TierOf(const VerifiedProgram& program, const Launch& launch) {
  const auto tier = CheckLaunch(program, launch);
  if (tier.ok()) return tier.value() == LaunchTier::kProved ? "proved" : "guarded";
  std::string all;
  for (const Diagnostic& error : tier.errors()) all += ToString(error) + "\n";
  return all;
}

}  // namespace hologram::verify::test
