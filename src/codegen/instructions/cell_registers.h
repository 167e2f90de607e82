// The registers of cells (codegen/plan/cells.h). A lane reads its element from memory where it
// reads it first, so nothing is read that the program would not read; it stores it at the end of
// the loop, if it has stored anything.
#pragma once

#include "codegen/emit/registers.h"
#include "codegen/plan/cells.h"

namespace hologram::codegen {

class CellRegisters {
 public:
  CellRegisters(FunctionState& f, Registers& registers, Chunk& chunk)
      : f_(f), b_(f.builder()), registers_(registers), chunk_(chunk), cells_(FindCells(f.plan())) {}

  bool Holds(uint32_t pc) const { return cells_.of_access.contains(pc); }
  // The store that writes its cell to memory in the end.
  bool IsStoredBy(uint32_t pc) const { return cells_.cells[cells_.of_access.at(pc)].store == pc; }
  bool LeavesNans(uint32_t pc) const { return cells_.cells[cells_.of_access.at(pc)].leaves_nans; }
  bool EndOn(uint32_t from, uint32_t to) const { return cells_.ends.contains({from, to}); }
  // For another copy of the body: no lane has read or stored anything.
  void Begin();

  // `fetch` reads the element from memory for the running lanes.
  void Load(uint32_t pc, llvm::function_ref<Values()> fetch);
  void Store(uint32_t pc, const Values& values);
  // `store` writes the values to the place of the access at `pc`, for the running lanes.
  void End(uint32_t from, uint32_t to,
           llvm::function_ref<void(uint32_t pc, const Values& values)> store);

 private:
  struct Held {
    Slots values;
    Slots read;    // lanes whose value is here
    Slots stored;  // lanes whose value is not yet in memory
  };

  Held& HeldBy(uint32_t pc) { return held_[cells_.of_access.at(pc)]; }
  // In the running lanes.
  void Put(const Slots& slots, const Values& values);
  void Set(const Slots& lanes);
  void EndOne(uint32_t cell, llvm::function_ref<void(uint32_t pc, const Values& values)> store);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  Registers& registers_;
  Chunk& chunk_;
  Cells cells_;
  std::vector<Held> held_;  // by cell
};

}  // namespace hologram::codegen
