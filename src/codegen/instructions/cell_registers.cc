#include "codegen/instructions/cell_registers.h"

#include "codegen/emit/idioms.h"

namespace hologram::codegen {

using llvm::BasicBlock;
using llvm::Type;
using llvm::Value;

void CellRegisters::Begin() {
  held_.clear();
  Type* flags = f_.VectorOf(b_.getInt1Ty());
  for (const Cell& cell : cells_.cells) {
    Held held;
    Type* type = f_.VectorOf(ScalarType(b_, f_.plan().program().code[cell.accesses[0]].type));
    for (unsigned u = 0; u < chunk_.unroll(); ++u) {
      held.values.push_back(f_.NewSlot(type, "cell"));
      held.read.push_back(f_.NewSlot(flags, "cell.read"));
      held.stored.push_back(f_.NewSlot(flags, "cell.stored"));
      b_.CreateStore(llvm::Constant::getNullValue(type), held.values[u]);
      b_.CreateStore(llvm::Constant::getNullValue(flags), held.read[u]);
      b_.CreateStore(llvm::Constant::getNullValue(flags), held.stored[u]);
    }
    held_.push_back(std::move(held));
  }
}

void CellRegisters::Put(const Slots& slots, const Values& values) {
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    Value* value = values[u];
    if (!chunk_.all()) {
      Value* old = b_.CreateLoad(slots[u]->getAllocatedType(), slots[u]);
      value = b_.CreateSelect(chunk_.running(u), value, old);
    }
    b_.CreateStore(value, slots[u]);
  }
}

void CellRegisters::Set(const Slots& lanes) {
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    Value* before = b_.CreateLoad(lanes[u]->getAllocatedType(), lanes[u]);
    b_.CreateStore(b_.CreateOr(before, chunk_.Mask(u)), lanes[u]);
  }
}

void CellRegisters::Load(uint32_t pc, llvm::function_ref<Values()> fetch) {
  const Held& held = HeldBy(pc);
  Values missing;
  const Values read = LoadSlots(b_, held.read);
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    missing.push_back(b_.CreateAnd(chunk_.Mask(u), b_.CreateNot(read[u])));
  }
  BasicBlock* first = f_.NewBlock("cell.first");
  BasicBlock* here = f_.NewBlock("cell.here");
  f_.BranchUnlikely(f_.AnyOf(missing), first, here);
  b_.SetInsertPoint(first);
  Chunk::Running before = chunk_.running();
  chunk_.Run(missing);
  Put(held.values, fetch());
  Set(held.read);
  chunk_.Restore(std::move(before));
  b_.CreateBr(here);
  b_.SetInsertPoint(here);
  registers_.Write(pc, LoadSlots(b_, held.values));
}

void CellRegisters::Store(uint32_t pc, const Values& values) {
  const Held& held = HeldBy(pc);
  Put(held.values, values);
  Set(held.read);
  Set(held.stored);
}

void CellRegisters::End(uint32_t from, uint32_t to,
                        llvm::function_ref<void(uint32_t pc, const Values& values)> store) {
  for (const uint32_t cell : cells_.ends.at({from, to})) EndOne(cell, store);
}

void CellRegisters::EndOne(uint32_t cell,
                           llvm::function_ref<void(uint32_t pc, const Values& values)> store) {
  const Held& held = held_[cell];
  Chunk::Running before = chunk_.running();
  if (cells_.cells[cell].store) {
    Values stored = LoadSlots(b_, held.stored);
    for (unsigned u = 0; u < chunk_.unroll(); ++u) {
      stored[u] = b_.CreateAnd(stored[u], chunk_.Mask(u));
    }
    BasicBlock* write = f_.NewBlock("cell.write");
    BasicBlock* after = f_.NewBlock("cell.after");
    b_.CreateCondBr(f_.AnyOf(stored), write, after);
    b_.SetInsertPoint(write);
    chunk_.Run(stored);
    store(*cells_.cells[cell].store, LoadSlots(b_, held.values));
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
  }
  chunk_.Restore(std::move(before));
  // The loop may be entered again.
  for (unsigned u = 0; u < chunk_.unroll(); ++u) {
    for (llvm::AllocaInst* lanes : {held.read[u], held.stored[u]}) {
      b_.CreateStore(llvm::Constant::getNullValue(lanes->getAllocatedType()), lanes);
    }
  }
}

}  // namespace hologram::codegen
