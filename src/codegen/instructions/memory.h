// Loads and stores. The proofs of the verifier decide the form:
//   uniform      one scalar access              stride 1     one vector access per sub-vector
//   stride 2..4  whole vectors and shuffles     otherwise    gather and scatter
//   a stride that the launch knows: launch_strides.h
//   an element of a loop's own: a register, codegen/instructions/cell_registers.h
// Local arrays are element by element, and in an element lane by lane.
// A proved access carries no check. A guarded one tests its index first; lanes outside the extent
// fault and take no part.
#pragma once

#include "codegen/emit/remark_writer.h"
#include "codegen/instructions/atomics.h"
#include "codegen/instructions/cell_registers.h"
#include "codegen/instructions/launch_strides.h"
#include "codegen/instructions/places.h"
#include "codegen/instructions/record_loads.h"
#include "codegen/instructions/runs.h"

namespace hologram::codegen {

class Memory {
 public:
  Memory(FunctionState& f, Registers& registers, Chunk& chunk, Faults& faults,
         RemarkWriter& remarks, LocalArrays& local, Places& places, LaunchStrides& strides,
         Atomics& atomics);

  // For another copy of the body.
  void Begin() { cells_.Begin(); }
  // Any load, store or atomic update.
  void Access(uint32_t pc);
  // Elements that loops keep in registers are stored on some of the edges that leave them.
  bool EndsCells(uint32_t from, uint32_t to) const { return cells_.EndOn(from, to); }
  void EndCells(uint32_t from, uint32_t to);

 private:
  void ScalarAccess(uint32_t pc, const Place& place);
  void AccessCell(uint32_t pc, const Place& place);
  bool IsRowOfCells(uint32_t pc) const;
  Values CellAccess(uint32_t pc, const Place& place, const Values& stored);
  void LocalAccess(uint32_t pc, const Place& place);
  void LocalTogether(uint32_t pc, const Place& place, const Values& stored);
  void LocalScattered(uint32_t pc, const Place& place, const Values& stored);
  void Contiguous(uint32_t pc, const Place& place, bool backwards);
  void Strided(uint32_t pc, const Place& place, int64_t stride);
  void Scattered(uint32_t pc, const Place& place, const std::string& why);
  Values LaneByLane(uint32_t pc, const Place& place, const Values& stored);
  void UniformStore(uint32_t pc, const Place& place);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  Registers& registers_;
  Chunk& chunk_;
  Faults& faults_;
  RemarkWriter& remarks_;
  LocalArrays& local_;
  Places& places_;
  LaunchStrides& strides_;
  Atomics& atomics_;
  CellRegisters cells_;
  Runs runs_;
  RecordLoads records_;
};

}  // namespace hologram::codegen
