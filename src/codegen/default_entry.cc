// The entry of launches without a grid: derives the lanes from the largest output, compares them
// with what the kernel has work for (launch::DecidingBounds), and goes on in the check of the
// arguments (entry.cc). Kernels whose lanes are not decided by comparisons have no such entry;
// their launches are resolved by the runtime. Tested by tests/codegen/entry_test.cc.
#include <algorithm>
#include <array>
#include <cstddef>

#include "codegen/lowering.h"
#include "launch/facts.h"

namespace hologram::codegen {

using llvm::Function;
using llvm::FunctionType;
using llvm::GlobalValue;
namespace intrinsic = llvm::Intrinsic;

// Kernels for which a launch without a grid is defined and deterministic.
bool Lowering::HasDefaultLaunch() const {
  return launch::KernelFacts(*plan_.verified).may_enter_default(scratch_bytes_);
}

// Whole blocks over the largest output; at least one. REQUIRES: arguments are loaded.
llvm::Value* Lowering::DefaultLanes() {
  const auto& parameters = plan_.program().parameters;
  Value* elements = nullptr;
  for (size_t k = 0; k < parameters.size(); ++k) {
    if (!parameters[k].is_buffer || parameters[k].direction == isa::Direction::kIn) continue;
    Value* size = b_.getInt64(isa::SizeOf(parameters[k].type));
    Value* mine = b_.CreateUDiv(bytes_[k], size);
    elements =
        elements == nullptr ? mine : b_.CreateBinaryIntrinsic(intrinsic::umax, elements, mine);
  }
  // Without elements nothing runs.
  RejectIf(b_.CreateICmpEQ(elements, b_.getInt64(0)));
  Value* block = b_.getInt64(plan_.program().default_block);
  Value* up = b_.CreateAdd(elements, b_.CreateSub(block, b_.getInt64(1)));
  return b_.CreateSub(up, b_.CreateURem(up, block));
}

// The launch must have every lane that has work. REQUIRES: HasDefaultLaunch()
void Lowering::CheckAdmitted(Value* lanes) {
  const auto& parameters = plan_.program().parameters;
  std::vector<size_t> parameter_of;  // number of a scalar -> number of the parameter
  for (size_t k = 0; k < parameters.size(); ++k) {
    if (!parameters[k].is_buffer) parameter_of.push_back(k);
  }
  const auto bounds = launch::DecidingBounds(*plan_.verified);
  for (const launch::SizeBound& bound : *bounds) {
    const size_t k = parameter_of[bound.scalar];
    const bool is_signed = isa::IsSignedInteger(parameters[k].type);
    Value* scalar = b_.CreateIntCast(scalar_[k], b_.getInt64Ty(), is_signed);
    Value* most = bound.inclusive ? b_.CreateSub(lanes, b_.getInt64(1)) : lanes;
    RejectIf(is_signed ? b_.CreateICmpSGT(scalar, most) : b_.CreateICmpUGT(scalar, most));
  }
}

// `row`: what checks a launch of one row; null if `entry` has to.
Function* Lowering::MakeDefaultEntry(Function* row, Function* entry) {
  Type* pointer = b_.getPtrTy();
  FunctionType* type =
      FunctionType::get(b_.getInt32Ty(), {pointer, pointer, b_.getInt64Ty(), pointer}, false);
  Function* function =
      Function::Create(type, GlobalValue::InternalLinkage, name_ + ".default_entry", module_);
  BeginCheck(function);
  Value* buffers = function->getArg(0);
  Value* scalars = function->getArg(1);
  Value* limit = function->getArg(2);
  Value* state = function->getArg(3);
  LoadArguments(buffers, scalars);
  // `row` rejects sizes that are so large that this wraps.
  if (row == nullptr) CheckBuffers(limit);
  Value* lanes = DefaultLanes();
  CheckAdmitted(lanes);
  const bool uses_state = plan_.may_fault || plan_.counts() || plan_.reads_class_base;
  if (uses_state) InitializeState(state);
  llvm::CallInst* call = row != nullptr
                             ? b_.CreateCall(row, {buffers, scalars, lanes, limit, state})
                             : b_.CreateCall(entry, {buffers, scalars, MakeShape(lanes), state});
  if (!uses_state && row != nullptr) {
    ReturnFrom(call);
    return function;
  }
  call->setCallingConv(call->getCalledFunction()->getCallingConv());
  if (!uses_state) {
    b_.CreateRet(call);
    return function;
  }
  // Rejected, or cancelled.
  llvm::BasicBlock* other = NewBlock("not.done");
  llvm::BasicBlock* done = NewBlock("done");
  BranchUnlikely(b_.CreateICmpNE(call, b_.getInt32(HOLOGRAM_LAUNCH_DONE)), other, done);
  b_.SetInsertPoint(other);
  b_.CreateRet(call);
  b_.SetInsertPoint(done);
  Value* code = b_.CreateLoad(
      b_.getInt32Ty(), b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), state,
                                                     offsetof(hologram_launch_state, fault_code)));
  b_.CreateRet(b_.CreateSelect(b_.CreateICmpEQ(code, b_.getInt32(HOLOGRAM_FAULT_NONE)),
                               b_.getInt32(HOLOGRAM_LAUNCH_DONE),
                               b_.getInt32(HOLOGRAM_LAUNCH_FAULTED)));
  return function;
}

void Lowering::InitializeState(Value* state) {
  const auto set = [&](uint64_t offset, Value* value) {
    b_.CreateStore(value, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), state, offset));
  };
  set(offsetof(hologram_launch_state, budget), b_.getInt64(HOLOGRAM_DEFAULT_BUDGET));
  set(offsetof(hologram_launch_state, fault_lane), b_.getInt64(UINT64_MAX));
  set(offsetof(hologram_launch_state, fault_code), b_.getInt32(HOLOGRAM_FAULT_NONE));
  set(offsetof(hologram_launch_state, class_base), b_.getInt32(0));
}

// A launch shape in memory, of this many lanes in default blocks.
llvm::Value* Lowering::MakeShape(Value* lanes) {
  llvm::IRBuilder<> first(entry_, entry_->begin());
  Value* shape = first.CreateAlloca(llvm::ArrayType::get(b_.getInt32Ty(), 6));
  const uint32_t block = plan_.program().default_block;
  Value* grid = b_.CreateTrunc(b_.CreateUDiv(lanes, b_.getInt64(block)), b_.getInt32Ty());
  Value* one = b_.getInt32(1);
  const std::array<Value*, 6> sizes = {grid, one, one, b_.getInt32(block), one, one};
  for (unsigned d = 0; d < 6; ++d) {
    b_.CreateStore(sizes[d], b_.CreateConstInBoundsGEP1_64(b_.getInt32Ty(), shape, d));
  }
  return shape;
}

}  // namespace hologram::codegen
