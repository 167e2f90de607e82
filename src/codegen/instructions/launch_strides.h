// Accesses whose index steps from lane to lane by a number that only the launch knows:
// x[start + i * stride]. Asked once for each chunk of lanes: loads at steps of 1, -1 and 0 use
// whole vectors or one element, at 2 by vectors and shuffles; stores at 1 by vectors and, with
// AVX-512, at 2 under a mask. All others go element by element, whose loads cost less than half of
// a gather on the processor that was measured.
// The index is written anew in scalars, from the instructions that made it. Integers wrap, so both
// its first value and its step are exact modulo the width of its type.
#pragma once

#include "codegen/emit/remark_writer.h"
#include "codegen/instructions/places.h"

namespace hologram::codegen {

class LaunchStrides {
 public:
  LaunchStrides(FunctionState& f, Registers& registers, const Chunk& chunk, RemarkWriter& remarks,
                Places& places)
      : f_(f),
        b_(f.builder()),
        plan_(f.plan()),
        registers_(registers),
        chunk_(chunk),
        remarks_(remarks),
        places_(places) {}

  // REQUIRES: the access is proved. False: nothing was written, because lanes may be missing or the
  // index is of another kind.
  bool Access(uint32_t pc, const Place& place);
  // Sub-vector `u` of elements `stride` apart, by whole vectors. REQUIRES: all lanes run
  llvm::Value* LoadShuffled(const Place& place, llvm::Value* first, int64_t stride, unsigned u);
  // One sub-vector. REQUIRES: all lanes run; stores under masks are instructions
  void StoreShuffled(const Place& place, llvm::Value* first, unsigned stride, llvm::Value* value);

 private:
  // An index in the chunk: of lane 0, and from lane to lane, in its own type.
  struct Steps {
    llvm::Value* first = nullptr;
    llvm::Value* step = nullptr;
  };
  std::optional<Steps> StepsOf(OperandId id, uint32_t pc, int depth);
  Values Load(const Place& place, llvm::Value* first, int64_t stride);
  void Store(const Place& place, llvm::Value* first, int64_t stride, const Values& stored);
  Values AccessElements(const Place& place, const Steps& steps, bool is_signed,
                        const Values* stored);
  void Remark(uint32_t pc, llvm::Value* step, llvm::ArrayRef<int64_t> strides);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  Registers& registers_;
  const Chunk& chunk_;
  RemarkWriter& remarks_;
  Places& places_;
};

}  // namespace hologram::codegen
