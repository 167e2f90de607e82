// The use of a document by the fuzzers of YAML and TOML. Promises: every error has a place in the
// text; an accepted text becomes JSON; the rest in use_kernels.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/check.h"
#include "driver/source/kernel_text.h"
#include "use_kernels.h"

namespace hologram::fuzz {

// `parse`: driver::ParseYaml or driver::ParseToml.
template <class Parse>
int UseDocument(Parse parse, const uint8_t* data, size_t size) {
  const std::string text(data, data + size);
  auto root = parse(text, kSourceFile);
  for (const Diagnostic& error : root.errors()) {
    HOLOGRAM_CHECK(error.where.line > 0 && error.where.column > 0);
  }
  if (!root.ok()) return 0;
  const driver::ConvertedText converted = driver::ToJson(std::move(root).value(), kSourceFile);
  const Diagnostics errors = CompileAndUse(converted.json);
  for (const Diagnostic& error : driver::WithPlaces(errors, converted, kSourceFile)) {
    // Behind the beginning, a name of the document may have these words.
    HOLOGRAM_CHECK(!error.message.starts_with("this is not JSON"));
  }
  return 0;
}

}  // namespace hologram::fuzz
