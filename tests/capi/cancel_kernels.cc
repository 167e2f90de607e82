#include "cancel_kernels.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "bundle/bundle.h"
#include "text/text.h"

namespace hologram::test {
namespace {

// out[i] = some chain of m steps from x[i].
constexpr char kSpin[] = R"(
.kernel spin
.param x u32[] in
.param out u32[] out
.param m u32
.param n u32
  sreg.u32 r20, global.x
  setge.u32 p0, r20, r4
  bra.p0 @end
  ldg.u32 r21, [r1 + r20*4]
  mov_imm.u32 r22, 0
  mov_imm.u32 r23, 1
  mov_imm.u32 r24, 1664525
again:
  setge.u32 p0, r22, r3
  bra.p0 @store
  mul.u32 r21, r21, r24
  xor.u32 r21, r21, r22
  add.u32 r22, r22, r23
  bra @again
store:
  stg.u32 [r2 + r20*4], r21
end:
  exit
)";

// The same with rounds that are data, and more of them than a lane may make uncounted.
constexpr char kData[] = R"(
.kernel data
.param x u32[] in
.param out u32[] out
.param m u32
.param n u32
  sreg.u32 r20, global.x
  setge.u32 p0, r20, r4
  bra.p0 @end
  ldg.u32 r25, [r1 + r20*4]
  mov.u32 r21, r25
  mov_imm.u32 r23, 1
  mov_imm.u32 r24, 1664525
  mov_imm.u32 r26, 0
outer:
  setge.u32 p0, r26, r3
  bra.p0 @store
  mov_imm.u32 r22, 0
again:
  setge.u32 p0, r22, r25
  bra.p0 @next
  mul.u32 r21, r21, r24
  xor.u32 r21, r21, r22
  add.u32 r22, r22, r23
  bra @again
next:
  add.u32 r26, r26, r23
  bra @outer
store:
  stg.u32 [r2 + r20*4], r21
end:
  exit
)";

// Blocks whose lanes meet in each round.
constexpr char kMeet[] = R"(
.kernel meet
.shared tile u32 256
.param x u32[] in
.param out u32[] out
.param m u32
.param n u32
  sreg.u32 r20, global.x
  sreg.u32 r28, lane.x
  mov_imm.u32 r21, 7
  mov_imm.u32 r22, 0
  mov_imm.u32 r23, 1
  mov_imm.u32 r24, 1664525
again:
  setge.u32 p0, r22, r3
  bra.p0 @store
  mul.u32 r21, r21, r24
  sts.u32 [s0 + r28*4], r21
  bar.sync 0
  add.u32 r22, r22, r23
  bra @again
store:
  setge.u32 p0, r20, r4
  bra.p0 @end
  stg.u32 [r2 + r20*4], r21
end:
  exit
)";

// 2^40 calls, if m is large.
constexpr char kTree[] = R"(
.kernel tree
.param x u32[] in
.param out u32[] out
.param m u32
.param n u32
  sreg.u32 r20, global.x
  setge.u32 p0, r20, r4
  bra.p0 @end
  ldg.u32 r22, [r1 + r20*4]
  mov_imm.u32 r21, 40
  min.u32 r21, r21, r3
  mov_imm.u32 r23, 0
  mov_imm.u32 r24, 1
  call @walk
  stg.u32 [r2 + r20*4], r22
end:
  exit
walk:
  seteq.u32 p0, r21, r23
  bra.p0 @leaf
  sub.u32 r21, r21, r24
  call @walk
  call @walk
  add.u32 r21, r21, r24
leaf:
  add.u32 r22, r22, r24
  ret
)";

// Many lanes, without a loop, of which few store: those whose number, mixed up, is small, so that
// none is left out beforehand.
std::string Wide() {
  std::string text = R"(
.kernel wide
.param x u32[] in
.param out u32[] out
.param m u32
.param n u32
  sreg.u32 r20, global.x
  mov_imm.u32 r24, 1664525
  mov_imm.u32 r25, 13
  add.u32 r21, r20, r3
)";
  for (int k = 0; k < 100; ++k)
    text += "  mul.u32 r21, r21, r24\n  shr.u32 r27, r21, r25\n  xor.u32 r21, r21, r27\n";
  return text + R"(
  mov_imm.u32 r26, 12345
  setge.u32 p0, r21, r26
  bra.p0 @end
  setge.u32 p0, r20, r4
  bra.p0 @end
  stg.u32 [r2 + r20*4], r21
end:
  exit
)";
}

}  // namespace

std::vector<uint8_t> CancelBundle() {
  bundle::BundleWriter writer;
  for (const std::string& text :
       {std::string(kSpin), std::string(kData), std::string(kMeet), std::string(kTree), Wide()}) {
    const auto programs = text::Assemble(text, "cancel.hasm");
    if (!programs.ok()) {
      std::fprintf(stderr, "%s\n", ToString(programs.errors()[0]).c_str());
      std::abort();
    }
    writer.AddProgram(programs.value()[0]);
  }
  return writer.Finish().value();
}

}  // namespace hologram::test
