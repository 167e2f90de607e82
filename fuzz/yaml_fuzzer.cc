// YAML -> kernel JSON -> programs. Promises: every error has a place in the text; what is made of
// an accepted text is JSON; the rest in use_kernels.h.
#include "base/check.h"
#include "fuzzer.h"
#include "kernel_text.h"
#include "use_kernels.h"

namespace hologram::fuzz {

std::vector<Bytes> Seeds() {
  return {};
}

}  // namespace hologram::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hologram;
  const std::string text(data, data + size);
  auto root = tool::ParseYaml(text, fuzz::kSourceFile);
  for (const Diagnostic& error : root.errors()) {
    HOLOGRAM_CHECK(error.where.line > 0 && error.where.column > 0);
  }
  if (!root.ok()) return 0;
  const tool::ConvertedText converted = tool::ToJson(std::move(root).value(), fuzz::kSourceFile);
  const Diagnostics errors = fuzz::CompileAndUse(converted.json);
  for (const Diagnostic& error : tool::WithPlaces(errors, converted, fuzz::kSourceFile)) {
    HOLOGRAM_CHECK(error.message.find("this is not JSON") == std::string::npos);
  }
  return 0;
}
