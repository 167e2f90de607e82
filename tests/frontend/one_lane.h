// Runs lane 0 of a launch of one lane, instruction by instruction, on the arithmetic of the scalar
// reference. For kernels of parameters and plain accesses; anything else fails the test.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "differential/scalar_value.h"
#include "isa/program.h"

namespace hologram::frontend {

class OneLane {
 public:
  explicit OneLane(const isa::Program& program) : program_(program) {}

  // Buffers start as zeros; arguments of scalars in order, as bits.
  void Run(const std::vector<uint64_t>& scalars);
  // Element of a buffer parameter.
  tests::Value At(size_t parameter, uint64_t element) {
    return buffers_[{static_cast<uint8_t>(parameter + 1), element}];
  }
  int64_t Int(size_t parameter, uint64_t element) {
    const tests::Value value = At(parameter, element);
    return value.bits == 0 ? 0 : static_cast<int64_t>(tests::IntegerOf(value));
  }

 private:
  bool Step(const isa::Instruction& instruction);
  void Compute(const isa::Instruction& instruction);

  const isa::Program& program_;
  size_t pc_ = 0;
  std::map<uint8_t, tests::Value> registers_;
  std::map<uint8_t, bool> predicates_;
  std::map<std::pair<uint8_t, uint64_t>, tests::Value> buffers_;
};

}  // namespace hologram::frontend
