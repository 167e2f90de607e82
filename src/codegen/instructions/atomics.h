// ATG, ATS and compare-and-swap. Lanes take their turn in lane order; if nothing reads the old
// values and all lanes update one element, the vector is reduced first and memory is touched once.
// Lanes of one block run on one thread, so shared memory needs no atomic instruction on a
// processor; nor do floats, because a program with atomics of floats runs on one thread as a whole;
// nor do integers in a launch that runs on one, as recorded in the launch state.
#pragma once

#include <functional>

#include "codegen/emit/remark_writer.h"
#include "codegen/instructions/launch_sums.h"
#include "codegen/instructions/places.h"
#include "codegen/instructions/update_log.h"

namespace hologram::codegen {

class Atomics {
 public:
  // `alone`: no other thread runs a part of the launch; null if the program does not ask.
  Atomics(FunctionState& f, Registers& registers, const Chunk& chunk, RemarkWriter& remarks,
          Places& places, LaunchSums& sums, UpdateLog& log, llvm::Value* alone)
      : f_(f),
        b_(f.builder()),
        plan_(f.plan()),
        registers_(registers),
        chunk_(chunk),
        remarks_(remarks),
        places_(places),
        sums_(sums),
        log_(log),
        alone_(alone) {}

  void Update(uint32_t pc, const Place& place);
  // Where lanes run one by one. Returns the old value.
  llvm::Value* UpdateScalar(uint32_t pc, const Place& place, llvm::Value* address);

 private:
  // `desired`: of compare-and-swap, whose `value` is what is expected. `alone`: no other thread
  // updates the buffer meanwhile. Returns the old value.
  llvm::Value* UpdateOne(uint32_t pc, const Place& place, llvm::Value* address, llvm::Value* value,
                         llvm::Value* desired, bool alone);
  llvm::Value* SwappedFloat(llvm::Value* old, llvm::Value* expected, llvm::Value* desired);
  llvm::Value* OperandVector(uint32_t pc, OperandId id, unsigned u);
  llvm::Value* StoredVector(uint32_t pc, unsigned u);
  bool UpdateReduced(uint32_t pc, const Place& place);
  llvm::Value* LaneOf(llvm::Value* vector, uint64_t lane);
  llvm::Value* InMemory(OperandId id, uint32_t pc);
  llvm::Value* LoadLane(llvm::Type* type, llvm::Value* first, unsigned u, uint64_t lane);
  llvm::Value* TurnsOfAll(uint32_t pc, const Place& place, unsigned u);
  Values AllTurns(uint32_t pc, const Place& place);
  std::function<llvm::Value*(llvm::Value*)> ByLane(llvm::Value* vector);
  Values Turns(uint32_t pc, const Place& place, bool alone);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  Registers& registers_;
  const Chunk& chunk_;
  RemarkWriter& remarks_;
  Places& places_;
  LaunchSums& sums_;
  UpdateLog& log_;
  llvm::Value* alone_;
};

}  // namespace hologram::codegen
