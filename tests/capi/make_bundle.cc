// Writes the bundle of the tests of the public interface: vector_add, with the hand-written native
// code of tests/runtime (native), with the same of another native ABI (old) or without (plain), and
// prints its trust hash. usage: make_bundle OUT native|old|plain
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string_view>

#include "bundle/bundle.h"
#include "runtime/native_add_text.h"
#include "text/text.h"

// out[i] = the sum of row i of a: with a rank, and three parameters that nobody passes.
constexpr char kRowSumsText[] = R"(
.kernel row_sums
.source "rows.py"
.param a f32[,] in
.param out f32[] out
.param "a.shape[0]" u32 extent r1 0
.param "a.shape[1]" u32 extent r1 1
.param "a.stride[0]" u32 stride r1 0
  sreg.u32 r6, global.x
  mov_imm.u32 r7, 1
  setge.u32 p0, r6, r3
  bra.p0 @end
  mov_imm.f32 r8, 0x00000000
  mov_imm.u32 r9, 0
next:
  setge.u32 p0, r9, r4
  bra.p0 @store
  mul.u32 r10, r6, r5
  add.u32 r10, r10, r9
  ldg.f32 r10, [r1 + r10*4] ; rows.py:6:18 a[i, j] {i=r6, j=r9}
  add.f32 r8, r8, r10
  add.u32 r9, r9, r7
  bra @next
store:
  stg.f32 [r2 + r6*4], r8 ; rows.py:7:9 out[i] {i=r6}
end:
  exit
)";

// Lanes below n print their element; the first one at or above the limit of an assertion faults.
constexpr char kTalkText[] = R"(
.kernel talk
.source "talk.py"
.param x f32[] inout
.param n u32
  sreg.u32 r5, global.x
  setge.u32 p0, r5, r2
  bra.p0 @end
  ldg.f32 r6, [r1 + r5*4] ; talk.py:3:9 x[i] {i=r5}
  print.text "x = " ; talk.py:4:5
  print.f32 r6 ; talk.py:4:5
  print.text "\x0a" ; talk.py:4:5
  print.end ; talk.py:4:5
  mov_imm.f32 r7, 3.0
  setge.f32 p1, r6, r7
  trap.p1 ; talk.py:5:5 x[i] < 3
end:
  exit
)";

int main(int argc, char** argv) {
  using namespace hologram;
  if (argc != 3) return 2;
  const auto programs = text::Assemble(test::kAddText, "add.hasm");
  const auto ranked = text::Assemble(kRowSumsText, "rows.hasm");
  const auto talk = text::Assemble(kTalkText, "talk.hasm");
  if (!programs.ok() || !ranked.ok() || !talk.ok()) return 1;
  bundle::BundleWriter writer;
  const size_t number = writer.AddProgram(programs.value()[0]);
  const std::string_view kind = argv[2];
  if (kind != "plain") {
    std::ifstream object(kind == "old" ? HOLOGRAM_NATIVE_OLD : HOLOGRAM_NATIVE_ADD,
                         std::ios::binary);
    writer.AddNative(number, bundle::NativeLevel::kX86V2,
                     std::vector<uint8_t>{std::istreambuf_iterator<char>(object), {}});
  }
  writer.AddProgram(ranked.value()[0]);
  writer.AddProgram(talk.value()[0]);
  const std::vector<uint8_t> bytes = writer.Finish().value();
  std::ofstream(argv[1], std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  std::printf("%s\n", ToHex(bundle::BundleReader::Open(bytes).value().trust_hash()).c_str());
  return 0;
}
