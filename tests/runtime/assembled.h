// Programs of text, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "isa/program.h"
#include "native_add_text.h"
#include "text/text.h"

namespace hologram::test {

inline isa::Program Assembled(const std::string& text) {
  Result<std::vector<isa::Program>> programs = text::Assemble(text, "test.hasm");
  if (!programs.ok()) {
    ADD_FAILURE() << ToString(programs.errors()[0]);
    return {};
  }
  return programs.value()[0];
}

}  // namespace hologram::test
