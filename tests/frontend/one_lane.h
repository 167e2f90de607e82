// Runs a kernel on one lane of the scalar reference (tests/differential), for what the meaning of
// the language is: arrays of zeros, and their elements afterwards. A fault fails the test.
#pragma once

#include <vector>

#include "differential/scalar_value.h"
#include "isa/program.h"

namespace hologram::frontend {

class OneLane {
 public:
  // Arguments of scalars in order, as bits.
  OneLane(const isa::Program& program, const std::vector<uint64_t>& scalars);

  // Element of an array parameter.
  tests::Value At(size_t parameter, size_t element) const;
  int64_t Int(size_t parameter, size_t element) const {
    return static_cast<int64_t>(tests::IntegerOf(At(parameter, element)));
  }

 private:
  std::vector<isa::Type> types_;             // of the parameters
  std::vector<std::vector<uint8_t>> bytes_;  // of those that are arrays
};

}  // namespace hologram::frontend
