// Bytes -> Program. Input: the size of the code (u32), the code, and the rest is debug information.
// Promise: what is accepted encodes to the bytes it came from.
#include "base/bytes.h"
#include "base/check.h"
#include "fuzzer.h"
#include "isa/program.h"
#include "isa/well_formed_programs.h"
#include "use_program.h"

namespace hologram::fuzz {

std::vector<Bytes> Seeds() {
  isa::WellFormedPrograms random(1);
  std::vector<Bytes> seeds;
  for (int i = 0; i < 50; ++i) {
    const isa::Program program = random.Next();
    const Bytes code = isa::EncodeCode(program);
    ByteWriter out;
    out.U32(static_cast<uint32_t>(code.size()));
    out.Bytes(code);
    if (i % 4 != 0) out.Bytes(isa::EncodeDebug(program));
    seeds.push_back(std::move(out).Take());
  }
  return seeds;
}

}  // namespace hologram::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hologram;
  ByteReader in({data, size});
  const size_t code_size = std::min<size_t>(in.U32(), in.remaining());
  const auto code = in.Bytes(code_size);
  const auto debug = in.Bytes(in.remaining());
  const fuzz::Bytes code_bytes(code.begin(), code.end());
  const fuzz::Bytes debug_bytes(debug.begin(), debug.end());
  const Result<isa::Program> program = isa::DecodeProgram(code_bytes, debug_bytes);
  if (!program.ok()) return 0;
  HOLOGRAM_CHECK(isa::EncodeCode(program.value()) == code_bytes);
  HOLOGRAM_CHECK(debug_bytes.empty() || isa::EncodeDebug(program.value()) == debug_bytes);
  fuzz::UseProgram(program.value());
  return 0;
}
