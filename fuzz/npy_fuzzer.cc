// Bytes -> .npy array. Promises: what is accepted is a whole array, and is the same once it was
// written and read again.
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
  Result<tool::Array> read = tool::DecodeNpy({data, size});
  if (!read.ok()) {
    HOLOGRAM_CHECK(!read.errors()[0].message.empty());
    return 0;
  }
  tool::Array array = std::move(read).value();
  fuzz::CheckArray(array);
  const Result<tool::Array> again = tool::DecodeNpy(tool::EncodeNpy(array));
  HOLOGRAM_CHECK(again.ok());
  array.type = tool::FileType(array.type);
  HOLOGRAM_CHECK(fuzz::Same(again.value(), array));
  return 0;
}
