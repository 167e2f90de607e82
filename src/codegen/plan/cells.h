// Cells: elements of arrays that a lane reads and writes in each round of a loop, always the same
// one. They are kept in registers while the loop runs (codegen/instructions/cell_registers.h). No
// other lane accesses them meanwhile, because the launch check excludes races and arrays that
// overlap. Elements of a read-only array are kept too, until the lane ends, if a loop reads them
// and those of neighbours are not adjacent.
#pragma once

#include <map>
#include <vector>

#include "codegen/plan/plan.h"

namespace hologram::codegen {

struct Cell {
  std::vector<uint32_t> accesses;  // by pc, of one element
  std::optional<uint32_t> store;   // one of them
  // Loads are only computed with, and all NaNs that are stored were computed: they are made
  // canonical at the end.
  bool leaves_nans = false;
};

struct Cells {
  std::vector<Cell> cells;
  std::map<uint32_t, uint32_t> of_access;  // pc to cell
  // The cells that end on an edge from block to block.
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> ends;
};

Cells FindCells(const Plan& plan);

}  // namespace hologram::codegen
