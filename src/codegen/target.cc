#include "codegen/target.h"

#include <iterator>
#include <mutex>

#include "codegen/llvm_headers.h"

namespace hologram::codegen {
namespace {

// In the order of the table.
constexpr Target kVectors[] = {
    {InfoOf(Level::kX86V2), 4, 16, false, false, false, false, true, Permutes::kNothing, false,
     false, true, true, true, Streams::kFenced, false, false},
    {InfoOf(Level::kX86V3), 8, 16, true, false, true, true, true, Permutes::kEight, false, false,
     true, true, true, Streams::kFenced, false, false},
    {InfoOf(Level::kX86V4), 16, 32, true, true, true, true, true, Permutes::kSixteen, false, false,
     true, true, true, Streams::kFenced, false, false},
    // Its processors divide 64 bits in a few cycles, and have no vectors of such products.
    {InfoOf(Level::kAArch64), 4, 32, true, false, false, true, false, Permutes::kBytes, true, false,
     true, true, false, Streams::kOrdered, false, false},
    {InfoOf(Level::kSm80), 1, 255, true, false, false, true, false, Permutes::kNothing, false, true,
     false, false, true, Streams::kOrdered, false, false},
    {InfoOf(Level::kSm90), 1, 255, true, false, false, true, false, Permutes::kNothing, false, true,
     false, false, true, Streams::kOrdered, false, false},
    {InfoOf(Level::kWasm), 4, 16, false, false, false, false, true, Permutes::kNothing, false,
     false, true, false, false, Streams::kNothing, true, false},
    {InfoOf(Level::kWasmRelaxed), 4, 16, true, false, false, false, true, Permutes::kNothing, false,
     false, true, false, false, Streams::kNothing, true, true},
};
static_assert(std::size(kVectors) == std::size(kTargets), "a target without a row above");

void InitializeTargets() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
  LLVMInitializeWebAssemblyTargetInfo();
  LLVMInitializeWebAssemblyTarget();
  LLVMInitializeWebAssemblyTargetMC();
  LLVMInitializeWebAssemblyAsmPrinter();
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
}

}  // namespace

const Target& TargetOf(Level level) {
  return kVectors[static_cast<uint8_t>(level)];
}

Target OneLaneOf(Target target) {
  target.width = 1;
  target.avx512 = false;
  target.permutes = Permutes::kNothing;
  return target;
}

Result<std::unique_ptr<llvm::TargetMachine>> MakeMachine(const Target& target) {
  static std::once_flag once;
  std::call_once(once, InitializeTargets);
  std::string message;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(target.triple, message);
  if (found == nullptr) return Error(ErrorCode::kUnsupported, "no code generator for " + message);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // a fused product would have other bits
  options.NoTrappingFPMath = true;
  return std::unique_ptr<llvm::TargetMachine>(
      found->createTargetMachine(target.triple, target.cpu, target.features, options,
                                 llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
}

}  // namespace hologram::codegen
