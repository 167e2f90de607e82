#include "codegen/emit/arguments.h"

#include <cstddef>

#include "codegen/emit/idioms.h"
#include "codegen/plan/accesses.h"

namespace hologram::codegen {

using llvm::Type;
using llvm::Value;

llvm::FunctionType* LanesType(const Kernel& kernel) {
  llvm::IRBuilder<> b(kernel.module.getContext());
  std::vector<Type*> types;
  const auto& parameters = kernel.plan.program().parameters;
  for (size_t k = 0; k < parameters.size(); ++k) {
    types.push_back(parameters[k].is_buffer ? b.getPtrTy() : ScalarType(b, parameters[k].type));
    if (parameters[k].is_buffer && NeedsExtent(kernel.plan, k)) types.push_back(b.getInt64Ty());
  }
  types.insert(types.end(), {b.getInt64Ty(), b.getInt64Ty(), b.getPtrTy(), b.getPtrTy()});
  return llvm::FunctionType::get(b.getInt32Ty(), types, false);
}

// The arguments of `lanes`, from those of the public functions.
std::vector<Value*> LanesArguments(FunctionState& f, Value* buffers, Value* scalars,
                                   const LaunchRange& range) {
  llvm::IRBuilder<>& b = f.builder();
  std::vector<Value*> arguments;
  const auto& parameters = f.plan().program().parameters;
  uint64_t buffer = 0;
  uint64_t scalar = 0;
  for (size_t k = 0; k < parameters.size(); ++k) {
    if (!parameters[k].is_buffer) {
      arguments.push_back(
          LoadInvariant(b, ScalarType(b, parameters[k].type), scalars, 8 * scalar++));
      continue;
    }
    const uint64_t at = sizeof(hologram_buffer_ref) * buffer++;
    arguments.push_back(
        LoadInvariant(b, b.getPtrTy(), buffers, at + offsetof(hologram_buffer_ref, data)));
    if (!NeedsExtent(f.plan(), k)) continue;
    Value* bytes =
        LoadInvariant(b, b.getInt64Ty(), buffers, at + offsetof(hologram_buffer_ref, bytes));
    arguments.push_back(b.CreateUDiv(bytes, b.getInt64(isa::SizeOf(parameters[k].type))));
  }
  arguments.insert(arguments.end(), {range.first, range.last, range.shape, range.state});
  return arguments;
}

Arguments BindLanes(FunctionState& f) {
  llvm::IRBuilder<>& b = f.builder();
  llvm::Function* lanes = f.function();
  Arguments bound;
  unsigned at = 0;
  const auto& parameters = f.plan().program().parameters;
  for (size_t k = 0; k < parameters.size(); ++k) {
    const bool is_buffer = parameters[k].is_buffer;
    Value* argument = lanes->getArg(at++);
    argument->setName(parameters[k].name);
    bound.data.push_back(is_buffer ? argument : nullptr);
    bound.scalar.push_back(is_buffer ? nullptr : argument);
    bound.extent.push_back(is_buffer && NeedsExtent(f.plan(), k) ? lanes->getArg(at++) : nullptr);
  }
  bound.first = lanes->getArg(at);
  bound.last = lanes->getArg(at + 1);
  Value* shape = lanes->getArg(at + 2);
  bound.state = lanes->getArg(at + 3);
  for (unsigned i : {2U, 3U}) {
    lanes->addParamAttr(at + i, llvm::Attribute::NoAlias);
    lanes->addParamAttr(at + i, llvm::Attribute::NonNull);
  }
  for (unsigned d = 0; d < 6; ++d) {
    bound.shape[d] = LoadInvariant(b, b.getInt32Ty(), shape, 4 * d);
  }
  LoadBudget(f, bound);
  if (f.plan().arrays.updates_buffers) {
    Value* alone = b.CreateLoad(
        b.getInt32Ty(), FieldAddress(b, bound.state, offsetof(hologram_launch_state, alone)));
    bound.alone = b.CreateICmpNE(alone, b.getInt32(0));
  }
  return bound;
}

void LoadBudget(FunctionState& f, Arguments& arguments) {
  if (!f.plan().counts()) return;
  llvm::IRBuilder<>& b = f.builder();
  arguments.budget =
      LoadInvariant(b, b.getInt64Ty(), arguments.state, offsetof(hologram_launch_state, budget));
  arguments.most_rounds = b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, arguments.budget,
                                                  b.getInt64(verify::kMostRounds));
}

}  // namespace hologram::codegen
