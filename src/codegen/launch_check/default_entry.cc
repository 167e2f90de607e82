#include "codegen/launch_check/default_entry.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "codegen/emit/idioms.h"
#include "codegen/launch_check/launch_check.h"
#include "launch/facts.h"

namespace hologram::codegen {

using llvm::BasicBlock;
using llvm::Function;
using llvm::Type;
using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

namespace {

// Whole blocks over the largest output; at least one. REQUIRES: arguments are loaded.
Value* DefaultLanes(LaunchCheck& check) {
  FunctionState& f = check.function();
  llvm::IRBuilder<>& b = f.builder();
  const auto& parameters = f.plan().program().parameters;
  Value* elements = nullptr;
  for (size_t k = 0; k < parameters.size(); ++k) {
    if (!parameters[k].is_buffer || parameters[k].direction == isa::Direction::kIn) continue;
    Value* size = b.getInt64(isa::SizeOf(parameters[k].type));
    Value* mine = b.CreateUDiv(check.arguments().bytes[k], size);
    elements =
        elements == nullptr ? mine : b.CreateBinaryIntrinsic(intrinsic::umax, elements, mine);
  }
  // Without elements nothing runs.
  check.rejects().If(b.CreateICmpEQ(elements, b.getInt64(0)));
  Value* block = b.getInt64(f.plan().program().default_block);
  Value* up = b.CreateAdd(elements, b.CreateSub(block, b.getInt64(1)));
  return b.CreateSub(up, b.CreateURem(up, block));
}

// The launch must have every lane that has work. REQUIRES: HasDefaultLaunch()
void CheckAdmitted(LaunchCheck& check, Value* lanes) {
  FunctionState& f = check.function();
  llvm::IRBuilder<>& b = f.builder();
  const auto& parameters = f.plan().program().parameters;
  std::vector<size_t> parameter_of;  // number of a scalar -> number of the parameter
  for (size_t k = 0; k < parameters.size(); ++k) {
    if (!parameters[k].is_buffer) parameter_of.push_back(k);
  }
  const auto bounds = launch::DecidingBounds(*f.plan().verified);
  for (const launch::SizeBound& bound : *bounds) {
    const size_t k = parameter_of[bound.scalar];
    const bool is_signed = isa::IsSignedInteger(parameters[k].type);
    Value* scalar = b.CreateIntCast(check.arguments().scalar[k], b.getInt64Ty(), is_signed);
    Value* most = bound.inclusive ? b.CreateSub(lanes, b.getInt64(1)) : lanes;
    check.rejects().If(is_signed ? b.CreateICmpSGT(scalar, most) : b.CreateICmpUGT(scalar, most));
  }
}

void InitializeState(llvm::IRBuilder<>& b, Value* state) {
  const auto set = [&](uint64_t offset, Value* value) {
    b.CreateStore(value, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), state, offset));
  };
  set(offsetof(hologram_launch_state, budget), b.getInt64(HOLOGRAM_DEFAULT_BUDGET));
  set(offsetof(hologram_launch_state, fault_lane), b.getInt64(UINT64_MAX));
  set(offsetof(hologram_launch_state, fault_code), b.getInt32(HOLOGRAM_FAULT_NONE));
  set(offsetof(hologram_launch_state, class_base), b.getInt32(0));
}

// A launch shape in memory, of this many lanes in default blocks.
Value* MakeShape(FunctionState& f, Value* lanes) {
  llvm::IRBuilder<>& b = f.builder();
  llvm::IRBuilder<> first = f.AtStart();
  Value* shape = first.CreateAlloca(llvm::ArrayType::get(b.getInt32Ty(), 6));
  const uint32_t block = f.plan().program().default_block;
  Value* grid = b.CreateTrunc(b.CreateUDiv(lanes, b.getInt64(block)), b.getInt32Ty());
  Value* one = b.getInt32(1);
  const std::array<Value*, 6> sizes = {grid, one, one, b.getInt32(block), one, one};
  for (unsigned d = 0; d < 6; ++d) {
    b.CreateStore(sizes[d], b.CreateConstInBoundsGEP1_64(b.getInt32Ty(), shape, d));
  }
  return shape;
}

}  // namespace

bool HasDefaultLaunch(const Plan& plan, uint32_t scratch_bytes) {
  return launch::KernelFacts(plan.given()).may_enter_default(scratch_bytes);
}

Function* MakeDefaultEntry(const Kernel& kernel, Function* row, Function* entry) {
  llvm::LLVMContext& context = kernel.module.getContext();
  Type* pointer = llvm::PointerType::getUnqual(context);
  Function* function = kernel.AddFunction(
      llvm::FunctionType::get(Type::getInt32Ty(context),
                              {pointer, pointer, Type::getInt64Ty(context), pointer}, false),
      ".default_entry");
  SetCpuAttributes(kernel, function);
  LaunchCheck check(kernel, function, nullptr);
  FunctionState& f = check.function();
  llvm::IRBuilder<>& b = f.builder();
  Value* buffers = function->getArg(0);
  Value* scalars = function->getArg(1);
  Value* limit = function->getArg(2);
  Value* state = function->getArg(3);
  check.LoadArguments(buffers, scalars);
  // `row` rejects sizes that are so large that this wraps.
  if (row == nullptr) check.CheckBuffers(limit);
  Value* lanes = DefaultLanes(check);
  CheckAdmitted(check, lanes);
  const bool uses_state = f.plan().may_fault || f.plan().counts() || f.plan().reads_class_base;
  if (uses_state) InitializeState(b, state);
  llvm::CallInst* call = row != nullptr
                             ? b.CreateCall(row, {buffers, scalars, lanes, limit, state})
                             : b.CreateCall(entry, {buffers, scalars, MakeShape(f, lanes), state});
  if (!uses_state && row != nullptr) {
    check.ReturnFrom(call);
    return function;
  }
  call->setCallingConv(call->getCalledFunction()->getCallingConv());
  if (!uses_state) {
    b.CreateRet(call);
    return function;
  }
  // Rejected, or cancelled.
  BasicBlock* other = f.NewBlock("not.done");
  BasicBlock* done = f.NewBlock("done");
  f.BranchUnlikely(b.CreateICmpNE(call, b.getInt32(HOLOGRAM_LAUNCH_DONE)), other, done);
  b.SetInsertPoint(other);
  b.CreateRet(call);
  b.SetInsertPoint(done);
  Value* code = b.CreateLoad(
      b.getInt32Ty(), b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), state,
                                                   offsetof(hologram_launch_state, fault_code)));
  b.CreateRet(b.CreateSelect(b.CreateICmpEQ(code, b.getInt32(HOLOGRAM_FAULT_NONE)),
                             b.getInt32(HOLOGRAM_LAUNCH_DONE),
                             b.getInt32(HOLOGRAM_LAUNCH_FAULTED)));
  return function;
}

}  // namespace hologram::codegen
