// Loads and stores. What the verifier proved decides the form:
//   uniform      one scalar access              stride 1     one vector access per sub-vector
//   stride 2..4  whole vectors and shuffles     otherwise    gather and scatter
//   a stride that the launch knows: launch_strides.h
// Local arrays are element by element, and in an element lane by lane.
// A proved access carries no check. A guarded one tests its index first; lanes outside the extent
// fault and take no part.
#pragma once

#include "codegen/emit/remark_writer.h"
#include "codegen/instructions/atomics.h"
#include "codegen/instructions/launch_strides.h"
#include "codegen/instructions/places.h"

namespace hologram::codegen {

class Memory {
 public:
  Memory(FunctionState& f, Registers& registers, const Chunk& chunk, Faults& faults,
         RemarkWriter& remarks, LocalArrays& local, Places& places, LaunchStrides& strides,
         Atomics& atomics);

  // Any load, store or atomic update.
  void Access(uint32_t pc);

 private:
  void ScalarAccess(uint32_t pc, const Place& place);
  void LocalAccess(uint32_t pc, const Place& place);
  void LocalTogether(uint32_t pc, const Place& place, const Values& stored);
  void LocalScattered(uint32_t pc, const Place& place, const Values& stored);
  void Contiguous(uint32_t pc, const Place& place);
  void Strided(uint32_t pc, const Place& place, int64_t stride);
  void Scattered(uint32_t pc, const Place& place, const std::string& why);
  void UniformStore(uint32_t pc, const Place& place);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  Registers& registers_;
  const Chunk& chunk_;
  Faults& faults_;
  RemarkWriter& remarks_;
  LocalArrays& local_;
  Places& places_;
  LaunchStrides& strides_;
  Atomics& atomics_;
};

}  // namespace hologram::codegen
