#include "codegen/target.h"

#include <mutex>

#include "codegen/llvm_headers.h"

namespace hologram::codegen {
namespace {

constexpr const char* kLinux = "x86_64-unknown-linux-gnu";

constexpr Target kTargets[] = {
    {"x86-64-v2", kLinux, "x86-64-v2", "", 4, 16, false, false, false, true, Permutes::kNothing,
     false, false, true, true},
    {"x86-64-v3", kLinux, "x86-64-v3", "", 8, 16, true, false, true, true, Permutes::kEight, false,
     false, true, true},
    {"x86-64-v4", kLinux, "x86-64-v4", "", 16, 32, true, true, true, true, Permutes::kSixteen,
     false, false, true, true},
    {"aarch64", "aarch64-unknown-linux-gnu", "generic", "", 4, 32, true, false, true, false,
     Permutes::kBytes, true, false, true, true},
    {"sm_80", "nvptx64-nvidia-cuda", "sm_80", "+ptx70", 1, 255, true, false, true, false,
     Permutes::kNothing, false, true, false, false},
    {"sm_90", "nvptx64-nvidia-cuda", "sm_90", "+ptx78", 1, 255, true, false, true, false,
     Permutes::kNothing, false, true, false, false},
};

void InitializeTargets() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
}

}  // namespace

const Target& TargetOf(Level level) {
  return kTargets[static_cast<uint8_t>(level)];
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
