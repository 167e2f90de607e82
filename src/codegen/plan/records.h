// Loads of adjacent elements at an index that was loaded: `x[j, 0]`, `x[j, 1]` and `x[j, 2]` of
// points and their neighbours. A lane reads all of them at once
// (codegen/instructions/record_loads.h). Tested by tests/cliffs/records_test.py.
#pragma once

#include "codegen/plan/plan.h"

namespace hologram::codegen {

inline constexpr unsigned kElementsOfRecord = 4;  // at most

struct Record {
  std::vector<uint32_t> loads;   // of one block, ascending
  std::vector<int64_t> offsets;  // of each load, from the lowest element
};

struct Records {
  std::vector<Record> records;
  std::map<uint32_t, uint32_t> of_load;  // pc to record
};

// Of elements of 32 bits whose index is compared with the length.
Records FindRecords(const Plan& plan);

}  // namespace hologram::codegen
