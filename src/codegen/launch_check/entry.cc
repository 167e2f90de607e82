#include "codegen/launch_check/entry.h"

#include <algorithm>
#include <cstddef>

#include "codegen/emit/arguments.h"
#include "codegen/emit/idioms.h"
#include "codegen/launch_check/default_entry.h"
#include "codegen/launch_check/launch_check.h"

namespace hologram::codegen {

using llvm::Function;
using llvm::FunctionType;
using llvm::Type;
using llvm::Value;

namespace {

// Kernels of lanes in a row that look at no size but the row's.
bool CanLaunchRow(const Plan& plan) {
  if (plan.unit != HOLOGRAM_UNIT_LANE) return false;
  const auto& code = plan.program().code;
  return std::none_of(code.begin(), code.end(), [](const isa::Instruction& i) {
    const isa::Uses uses = isa::UsesOf(i);
    bool special = false;
    uses.ForEachRead(
        [&](const isa::RegisterUse& use) { special |= use.reg >= isa::kFirstSpecialRegister; });
    return special || (i.op == isa::Opcode::kReadSreg && i.sreg() != isa::Sreg::kGlobalX);
  });
}

// A function behind the launch check. `row`: of a launch of one row, whose third argument is the
// number of lanes and whose fourth is what no size of a buffer may reach. Else the third is the
// shape.
class Launch {
 public:
  Launch(const Kernel& kernel, const char* suffix, bool row)
      : row_(row),
        function_(Add(kernel, suffix, row)),
        check_(kernel, function_, row ? function_->getArg(2) : nullptr) {
    for (llvm::Argument& argument : function_->args()) {
      if (argument.getType()->isPointerTy()) argument.addAttr(llvm::Attribute::NoAlias);
    }
  }

  LaunchCheck& check() { return check_; }
  Function* function() { return function_; }

  void Load(uint32_t scratch_bytes) {
    llvm::IRBuilder<>& b = check_.function().builder();
    if (!row_) check_.LoadShape(function_->getArg(2));
    check_.LoadArguments(function_->getArg(0), function_->getArg(1));
    if (scratch_bytes == 0) return;
    Value* scratch =
        LoadInvariant(b, b.getPtrTy(), state(), offsetof(hologram_launch_state, scratch));
    check_.rejects().If(b.CreateIsNull(scratch));
  }

  void RunLanes(Function* lanes) {
    FunctionState& f = check_.function();
    llvm::IRBuilder<>& b = f.builder();
    if (f.plan().arrays.updates_buffers) {
      b.CreateStore(b.getInt32(1),
                    FieldAddress(b, state(), offsetof(hologram_launch_state, alone)));
    }
    Value* shape =
        row_ ? static_cast<Value*>(llvm::PoisonValue::get(b.getPtrTy())) : function_->getArg(2);
    Value* last = row_ ? function_->getArg(2) : check_.Units();
    check_.ReturnFrom(
        b.CreateCall(lanes, LanesArguments(f, function_->getArg(0), function_->getArg(1),
                                           {shape, state(), b.getInt64(0), last})));
  }

 private:
  static Function* Add(const Kernel& kernel, const char* suffix, bool row) {
    llvm::LLVMContext& context = kernel.module.getContext();
    Type* pointer = llvm::PointerType::getUnqual(context);
    Type* word = Type::getInt64Ty(context);
    Type* result = Type::getInt32Ty(context);
    FunctionType* type =
        row ? FunctionType::get(result, {pointer, pointer, word, word, pointer}, false)
            : FunctionType::get(result, {pointer, pointer, pointer, pointer}, false);
    Function* function = kernel.AddFunction(type, suffix);
    SetCpuAttributes(kernel, function);
    return function;
  }
  Value* state() { return function_->getArg(row_ ? 4 : 3); }

  bool row_;
  Function* function_;
  LaunchCheck check_;
};

// Where the check goes when buffers that may be the same memory share some. A function of its own:
// what it keeps would cost registers in every launch.
Function* MakeMeeting(const Kernel& kernel, Function* lanes, uint32_t scratch_bytes, bool row) {
  const auto& rules = kernel.plan.verified->launch_check().aliases;
  if (std::none_of(rules.begin(), rules.end(),
                   [](const verify::AliasRule& rule) { return rule.same_element; })) {
    return nullptr;
  }
  Launch launch(kernel, ".meeting", row);
  launch.Load(scratch_bytes);
  if (row) launch.function()->setCallingConv(llvm::CallingConv::Fast);
  launch.check().RejectPartialOverlap();
  launch.RunLanes(lanes);
  return launch.function();
}

// The check of the arguments, and the lanes behind it; of a row or the entry. Null if the check of
// a row needs to know more.
Function* MakeEntry(const Kernel& kernel, Function* lanes, uint32_t scratch_bytes, bool row) {
  Function* meeting = MakeMeeting(kernel, lanes, scratch_bytes, row);
  Launch launch(kernel, row ? ".row" : ".entry", row);
  launch.Load(scratch_bytes);
  Function* function = launch.function();
  if (row) function->setCallingConv(llvm::CallingConv::Fast);
  LaunchCheck& check = launch.check();
  if (!row) check.CheckShape();
  check.CheckBuffers(row ? static_cast<Value*>(function->getArg(3))
                         : check.function().builder().getInt64(kMaxBytes));
  const bool suffices = check.CheckConditions();
  check.CheckOverlap(meeting);
  if (!suffices) {
    function->eraseFromParent();
    if (meeting != nullptr) meeting->eraseFromParent();
    return nullptr;
  }
  launch.RunLanes(lanes);
  return function;
}

// The entry of a kernel that has one for rows: the launch must be one row, which is then checked.
Function* MakeShapeEntry(const Kernel& kernel, Function* row) {
  llvm::LLVMContext& context = kernel.module.getContext();
  Type* pointer = llvm::PointerType::getUnqual(context);
  FunctionType* type =
      FunctionType::get(Type::getInt32Ty(context), {pointer, pointer, pointer, pointer}, false);
  Function* entry = kernel.AddFunction(type, ".entry");
  SetCpuAttributes(kernel, entry);
  LaunchCheck check(kernel, entry, nullptr);
  llvm::IRBuilder<>& b = check.function().builder();
  check.LoadShape(entry->getArg(2));
  check.CheckShape();
  check.ReturnFrom(b.CreateCall(row, {entry->getArg(0), entry->getArg(1), check.Units(),
                                      b.getInt64(kMaxBytes), entry->getArg(3)}));
  return entry;
}

}  // namespace

Entries MakeEntries(const Kernel& kernel, Function* lanes, uint32_t scratch_bytes) {
  Function* row =
      CanLaunchRow(kernel.plan) ? MakeEntry(kernel, lanes, scratch_bytes, true) : nullptr;
  Function* entry =
      row != nullptr ? MakeShapeEntry(kernel, row) : MakeEntry(kernel, lanes, scratch_bytes, false);
  const bool has_default = HasDefaultLaunch(kernel.plan, scratch_bytes);
  return {entry, has_default ? MakeDefaultEntry(kernel, row, entry) : nullptr};
}

}  // namespace hologram::codegen
