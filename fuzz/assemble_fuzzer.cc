// Text -> programs. Promises: what is accepted survives printing (use_program.h), and every error
// has a place.
#include <string_view>

#include "base/check.h"
#include "fuzzer.h"
#include "isa/well_formed_programs.h"
#include "text/text.h"
#include "use_program.h"

namespace hologram::fuzz {

std::vector<Bytes> Seeds() {
  isa::WellFormedPrograms random(2);
  std::vector<Bytes> seeds;
  for (int i = 0; i < 50; ++i) {
    const std::string text = text::Disassemble(random.Next());
    seeds.emplace_back(text.begin(), text.end());
  }
  return seeds;
}

}  // namespace hologram::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hologram;
  const std::string source(data, data + size);
  const Result<std::vector<isa::Program>> programs = text::Assemble(source, "fuzz.hasm");
  for (const Diagnostic& error : programs.errors()) {
    HOLOGRAM_CHECK(error.where.line > 0 && error.where.column > 0);
    HOLOGRAM_CHECK(error.message.find('\n') == std::string::npos);
  }
  if (!programs.ok()) return 0;
  for (const isa::Program& program : programs.value()) fuzz::UseProgram(program);
  return 0;
}
