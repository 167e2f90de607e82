// Kernel JSON -> programs and circuits. Promises: see use_kernels.h.
#include "fuzzer.h"
#include "use_kernels.h"

namespace hologram::fuzz {

std::vector<Bytes> Seeds() {
  return {};
}

}  // namespace hologram::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hologram::fuzz;
  CompileAndUse(std::string(data, data + size));
  return 0;
}
