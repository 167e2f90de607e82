// The canonical functions of src/math on a device: the same templates as the interpreter's and the
// code generator's, in a third vocabulary. Each is a function of the module, written when it is
// first called.
#pragma once

#include <map>
#include <string>

#include "device/arithmetic.h"
#include "math/functions.h"

namespace hologram::device {

class MathFunctions {
 public:
  explicit MathFunctions(Arithmetic& arithmetic) : arithmetic_(arithmetic) {}

  // REQUIRES: math::FindFunction(in.op). `b` is 0 where the function has one operand.
  Value Call(const isa::Instruction& in, Value a, Value b);

  // The function `name`, written by body() if there is none yet.
  template <class Body>
  Function Once(const std::string& name, Scalar type, size_t operands, const Body& body) {
    if (const auto found = functions_.find(name); found != functions_.end()) return found->second;
    std::vector<Value> parameters(operands);
    const Function function = arithmetic_.builder().BeginFunction(type, parameters);
    arithmetic_.builder().EndFunction(body(parameters));
    functions_.emplace(name, function);
    return function;
  }

 private:
  Arithmetic& arithmetic_;
  std::map<std::string, Function> functions_;
};

}  // namespace hologram::device
