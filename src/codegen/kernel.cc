#include "codegen/kernel.h"

#include "codegen/emit/arguments.h"
#include "codegen/emit/polls.h"
#include "codegen/lanes/lanes_function.h"
#include "codegen/launch_check/entry.h"
#include "codegen/plan/accesses.h"
#include "codegen/plan/regions.h"

namespace hologram::codegen {

namespace {

struct Functions {
  Entries entries;
  llvm::Function* body;
  llvm::Function* streaming;  // null: there is no such form
  uint32_t scratch_bytes;     // of the caller, for each lane of a block
};

// A public function, which runs a range of units without a check.
llvm::Function* MakeBody(const Kernel& kernel, llvm::Function* lanes, const char* suffix) {
  llvm::LLVMContext& context = kernel.module.getContext();
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  llvm::Type* wide = llvm::Type::getInt64Ty(context);
  llvm::FunctionType* type = llvm::FunctionType::get(
      llvm::Type::getVoidTy(context), {pointer, pointer, pointer, pointer, wide, wide}, false);
  llvm::Function* body = kernel.AddFunction(type, suffix);
  SetCpuAttributes(kernel, body);
  FunctionState f(kernel, body, true);
  const LaunchRange range{body->getArg(2), body->getArg(3), body->getArg(4), body->getArg(5)};
  llvm::CallInst* call =
      f.builder().CreateCall(lanes, LanesArguments(f, body->getArg(0), body->getArg(1), range));
  call->setCallingConv(llvm::CallingConv::Fast);
  f.builder().CreateRetVoid();
  return body;
}

void MakeInfo(const Kernel& kernel, const Functions& functions) {
  llvm::LLVMContext& context = kernel.module.getContext();
  llvm::IRBuilder<> b(context);
  llvm::PointerType* pointer = b.getPtrTy();
  llvm::StructType* type =
      llvm::StructType::get(context, {b.getInt32Ty(), b.getInt32Ty(), pointer, pointer, pointer,
                                      pointer, b.getInt32Ty(), b.getInt32Ty(), pointer});
  llvm::Constant* none = llvm::ConstantPointerNull::get(pointer);
  const auto or_none = [&](llvm::Constant* v) { return v == nullptr ? none : v; };
  llvm::Constant* value = llvm::ConstantStruct::get(
      type, {b.getInt32(HOLOGRAM_NATIVE_ABI_VERSION), b.getInt32(kernel.plan.unit),
             functions.entries.entry, functions.body, or_none(functions.streaming),
             or_none(functions.entries.default_entry), b.getInt32(functions.scratch_bytes),
             b.getInt32(0), or_none(FindCancelAddress(kernel.module))});
  auto* info = new llvm::GlobalVariable(kernel.module, type, true,
                                        llvm::GlobalValue::ExternalLinkage, value, "hologram_info");
  info->setAlignment(llvm::Align(alignof(hologram_kernel_info)));
}

// In WebAssembly a host finds the functions by their names, and the rest of the info in a section:
// the bytes of scratch, the unit, and whether a launch can fault (driver/wasm_object.h).
void ExportFunctions(const Kernel& kernel, const Functions& functions) {
  for (llvm::Function* entry :
       {functions.entries.entry, functions.entries.default_entry, functions.body}) {
    if (entry != nullptr) entry->setLinkage(llvm::GlobalValue::ExternalLinkage);
  }
  llvm::LLVMContext& context = kernel.module.getContext();
  const bool may_fault = kernel.plan.may_fault || kernel.plan.counts();
  const std::string text = std::to_string(functions.scratch_bytes) + " " +
                           std::to_string(kernel.plan.unit) + (may_fault ? " 1" : " 0");
  llvm::Metadata* const section[] = {llvm::MDString::get(context, "hologram_info"),
                                     llvm::MDString::get(context, text)};
  kernel.module.getOrInsertNamedMetadata("wasm.custom_sections")
      ->addOperand(llvm::MDNode::get(context, section));
}

}  // namespace

void MakeKernel(const Kernel& kernel, const OtherForms& others, Remarks* remarks) {
  const Kernel* single = others.single;
  const auto remark = [&](const char* words) {
    if (remarks != nullptr) remarks->Add(Remarks::About::kKernel, 0, words);
  };
  const Regions regions = FindRegions(kernel.plan);
  Functions functions{};
  functions.scratch_bytes = ScratchBytes(kernel.plan, regions);
  llvm::Function* one_by_one = single == nullptr ? nullptr
                                                 : MakeLanes(*single, FindRegions(single->plan),
                                                             LanesForm::kOneByOne, {}, nullptr);
  llvm::Function* pieces = others.pieces == nullptr
                               ? nullptr
                               : MakeLanes(*others.pieces, FindRegions(others.pieces->plan),
                                           LanesForm::kPieces, {}, nullptr);
  if (pieces != nullptr) {
    remark("where its rows are long, in pieces that share a quotient: the division is done once");
  }
  llvm::Function* columns = others.columns == nullptr
                                ? nullptr
                                : MakeLanes(*others.columns, FindRegions(others.columns->plan),
                                            LanesForm::kColumns, {}, nullptr);
  if (columns != nullptr) {
    remark("where many rows are run, lanes along y, whose accesses are contiguous");
  }
  llvm::Function* lanes =
      MakeLanes(kernel, regions, LanesForm::kPlain, {one_by_one, pieces, columns}, remarks);
  functions.body = MakeBody(kernel, lanes, ".body");
  if (kernel.target.is_wasm) {
    remark("no stores past the caches: WebAssembly has none");
    functions.entries = MakeEntries(kernel, lanes, functions.scratch_bytes);
    return ExportFunctions(kernel, functions);
  }
  const char* obstacle = StreamingObstacle(kernel.plan);
  if (obstacle == nullptr) {
    llvm::Function* streaming =
        MakeLanes(kernel, regions, LanesForm::kStreaming, {lanes, nullptr, nullptr}, remarks);
    functions.streaming = MakeBody(kernel, streaming, ".streaming");
    remark("stores past the caches in large launches");
  } else {
    remark(("no stores past the caches: " + std::string(obstacle)).c_str());
  }
  functions.entries = MakeEntries(kernel, lanes, functions.scratch_bytes);
  MakeInfo(kernel, functions);
}

}  // namespace hologram::codegen
