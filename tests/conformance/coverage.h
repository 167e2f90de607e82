// Which forms of instructions the conformance files have run: mnemonic with every suffix
// ("setlt.f32", "cvt.i8.f64", "atg.min.u32"), and the id that READ_SREG reads.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "isa/program.h"

namespace hologram::tests {

class Coverage {
 public:
  void Add(const isa::Program& program);
  // The forms that this version executes and that no file has run.
  std::vector<std::string> Missing() const;

 private:
  std::set<std::string> seen_;
};

}  // namespace hologram::tests
