// Bytes -> numbers of a .csv file; the first byte chooses their type. Promises: every error has a
// place; what is accepted is a whole array, and its text is the same once it was read again.
#include "arrays.h"
#include "base/check.h"
#include "fuzzer.h"

namespace hologram::fuzz {

std::vector<Bytes> Seeds() {
  return {};
}

}  // namespace hologram::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hologram;
  if (size == 0) return 0;
  const auto type = static_cast<isa::Type>(data[0] % isa::kNumTypes);
  const Result<tool::Array> read = tool::DecodeCsv({data + 1, size - 1}, type, "fuzz.csv");
  if (!read.ok()) {
    const Diagnostic& error = read.errors()[0];
    HOLOGRAM_CHECK(error.where.line > 0 && error.where.column > 0);
    HOLOGRAM_CHECK(error.message.find('\n') == std::string::npos);
    return 0;
  }
  fuzz::CheckArray(read.value());
  const std::vector<uint8_t> text = tool::EncodeCsv(read.value());
  const Result<tool::Array> again = tool::DecodeCsv(text, type, "again.csv");
  HOLOGRAM_CHECK(again.ok() && again.value().shape == read.value().shape);
  HOLOGRAM_CHECK(tool::EncodeCsv(again.value()) == text);
  return 0;
}
