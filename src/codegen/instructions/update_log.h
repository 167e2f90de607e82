// The log of updates that wait until the lanes of a chunk are done (codegen/plan/order.h): written
// row by row, one for each vector of updates, and read lane by lane.
#pragma once

#include "codegen/emit/remark_writer.h"
#include "codegen/instructions/places.h"

namespace hologram::codegen {

// The value of an update of floats in one vector. An addition makes a NaN canonical itself, as the
// least and the largest number do.
llvm::Value* UpdateValue(const Plan& plan, Registers& registers, uint32_t pc, unsigned u);

// Stores the next value of a float element. `tag` is called for each store.
void StoreFloatUpdate(FunctionState& f, const isa::Instruction& in, llvm::Value* old,
                      llvm::Value* value, llvm::Value* address,
                      llvm::function_ref<void(llvm::Instruction*)> tag);

class UpdateLog {
 public:
  UpdateLog(FunctionState& f, Registers& registers, const Chunk& chunk, RemarkWriter& remarks,
            Places& places)
      : f_(f),
        b_(f.builder()),
        plan_(f.plan()),
        registers_(registers),
        chunk_(chunk),
        remarks_(remarks),
        places_(places) {}

  // Where a chunk goes that has filled it, if it may.
  void WhenFull(llvm::BasicBlock* full) { full_ = full; }
  // At the start of a chunk: nothing waits.
  void Begin();
  // The updates of the running lanes wait. REQUIRES: they are of the
  // log, and their elements are inside.
  void Add(uint32_t pc, const Place& place);
  // At the end of a chunk: makes them.
  void Make();

 private:
  bool RowsAreKnown() const;
  void MakeLanes(llvm::function_ref<void(llvm::Value*)> rows_of_lane);
  llvm::Value* Row(llvm::AllocaInst* column, llvm::Type* type, llvm::Value* row);
  void MakeOne(llvm::Value* row, llvm::Value* lane);
  void Replace(uint32_t pc, llvm::Value* address, llvm::Value* value);

  FunctionState& f_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  Registers& registers_;
  const Chunk& chunk_;
  RemarkWriter& remarks_;
  Places& places_;
  // One for all chunks of the function.
  llvm::AllocaInst* addresses_ = nullptr;
  llvm::AllocaInst* values_ = nullptr;
  llvm::AllocaInst* masks_ = nullptr;
  llvm::AllocaInst* numbers_ = nullptr;  // of instructions, if they do not do the same
  llvm::AllocaInst* rows_ = nullptr;     // how many there are
  llvm::Type* type_ = nullptr;           // of a value
  bool masked_ = false;                  // rows may lack lanes
  llvm::BasicBlock* full_ = nullptr;
};

}  // namespace hologram::codegen
