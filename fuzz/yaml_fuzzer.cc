// YAML -> kernel JSON -> programs; the promises are in use_document.h.
#include "fuzzer.h"
#include "use_document.h"

namespace hologram::fuzz {

std::vector<Bytes> Seeds() {
  return {};
}

}  // namespace hologram::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return hologram::fuzz::UseDocument(hologram::driver::ParseYaml, data, size);
}
