// Conformance files: text that any implementation of the instruction set can run.
//
//   # Comment lines begin with '#'. A file holds one or more cases; each begins with `-- asm`.
//   -- asm
//   .kernel add
//   ...                         one program in the text form
//   -- launch
//   grid 2,1,1 block 64,1,1     optional words after it: budget 100, class_base 5, nondeterministic
//   -- scalars
//   n = 00000010                one per scalar parameter, the bits in hexadecimal
//   -- buffers
//   a = 00000001 ffffffff       one word of hexadecimal bits per element; continued on indented
//   lines d = zero 64                 64 elements of zeros
//   -- stream
//   phase 750                   optional: the stream before the launch; resonance 3 1/4
//   -- stream after
//   phase 12                    and the one that must follow it, if given
//   -- result
//   d = ...                     expected elements; `d within 4 = ...` allows 4 units in the last
//   place
//   -- prints
//   3 "x = 1.5\x0a"             what is printed: linear lane and text, in their order
//   -- fault
//   out_of_bounds lane 3 pc 4 index 500      instead of a result (also division_by_zero, budget)
//   operands r21.u32 = 000001f4              optional: the registers that decided, with their bits
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "hologram/native_abi.h"
#include "launch/launch.h"

namespace hologram::tests {

struct NamedWords {
  std::string name;
  std::vector<uint64_t> words;
  uint64_t within = 0;  // units in the last place, for results
};

struct ConformanceCase {
  std::string file;
  uint32_t line = 0;  // of `-- asm`
  std::string assembly;
  hologram_launch_shape shape{{1, 1, 1}, {1, 1, 1}};
  uint64_t budget = launch::kDefaultBudget;
  uint32_t class_base = 0;
  bool deterministic = true;
  std::vector<NamedWords> scalars;
  std::vector<NamedWords> buffers;
  std::vector<NamedWords> results;
  launch::Stream before;
  std::optional<uint32_t> phase_after;
  std::vector<std::pair<uint32_t, launch::Ratio>> resonance_after;
  std::vector<std::string> prints;
  std::string fault;           // as Describe writes it; empty: none
  std::string fault_operands;  // as DescribeOperands writes them; empty: not compared
};

Result<std::vector<ConformanceCase>> ParseConformanceFile(const std::string& path);

}  // namespace hologram::tests
