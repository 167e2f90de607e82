// Records of up to four elements at indices that were loaded (codegen/plan/records.h). The first
// load of a record reads it whole in each lane, four elements at once, and rows and columns of
// these are exchanged by shuffles: a gather takes as long for one element. Where a record would
// reach beyond the array, each of its elements is gathered, of the lanes for which it is inside.
// Each load compares its own index first, as others do, and then finds what the first one has read.
// One element that is read several times is gathered once.
#pragma once

#include "codegen/instructions/places.h"
#include "codegen/plan/records.h"

namespace hologram::codegen {

class RecordLoads {
 public:
  RecordLoads(FunctionState& f, Registers& registers, const Chunk& chunk, Places& places)
      : f_(f),
        b_(f.builder()),
        registers_(registers),
        chunk_(chunk),
        places_(places),
        records_(f.target().width < kElementsOfRecord ? Records() : FindRecords(f.plan())) {}

  bool Holds(uint32_t pc) const { return records_.of_load.contains(pc); }
  // REQUIRES: Holds(pc), and the element is inside in all lanes that run.
  Values Load(uint32_t pc, const Place& place);

 private:
  void LoadRecord(const Record& record, const Place& place);
  Values FirstElements(const Record& record, const Place& place);
  Values AtOnce(const Place& place, llvm::Value* first);
  llvm::Value* Gathered(const Place& place, llvm::Value* element, llvm::Value* mask);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  Registers& registers_;
  const Chunk& chunk_;
  Places& places_;
  Records records_;
  // Of the record that was read last, by number: by element and sub-vector.
  std::map<uint32_t, std::vector<Values>> read_;
};

}  // namespace hologram::codegen
