// hologram_kernel_emit: what is made of a kernel's program, as text.
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quote.h"
#include "capi/error.h"
#include "capi/guard.h"
#include "capi/kernel_handle.h"
#include "engines/cpu_features.h"
#include "runtime/compiler_plugin.h"
#include "runtime/explain.h"
#include "text/text.h"

namespace hologram::capi {
namespace {

Diagnostic Wrong(const std::string& message) {
  return Error(ErrorCode::kInvalidArgument, message);
}

// The processor level that is named, else that of this machine.
Result<Target> LevelOf(const char* name) {
  if (name != nullptr) {
    const std::optional<Target> found = FindBundleTarget(name);
    if (found) return *found;
    return Wrong("level: expected " + BundleTargetNames() + ", found " + Shown(name));
  }
  HOLOGRAM_ASSIGN_OR_RETURN(const std::optional<Target> host, engines::CurrentTarget());
  if (host) return *host;
  return Error(ErrorCode::kUnsupported,
               "this processor runs no native code; name a level, " + BundleTargetNames());
}

Result<Target> DeviceOf(const char* name) {
  if (name == nullptr) return Target::kSm80;
  const std::optional<Target> found = FindTarget(Family::kPtx, name);
  if (found) return *found;
  return Wrong("arch: expected " + ShortNamesOf(Family::kPtx) + ", found " + Shown(name));
}

Result<std::string> Compiled(const verify::VerifiedProgram& program, Result<Target> target,
                             runtime::CompileOutput output) {
  if (!target.ok()) return target.errors();
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                            runtime::Compile(program, target.value(), output));
  return std::string(bytes.begin(), bytes.end());
}

Result<std::string> Explained(const verify::VerifiedProgram& program, const char* level) {
  std::optional<Target> target;
  if (level != nullptr || runtime::HasCompiler()) {
    HOLOGRAM_ASSIGN_OR_RETURN(target, LevelOf(level));
  }
  HOLOGRAM_ASSIGN_OR_RETURN(runtime::Explanation explanation, runtime::Explain(program, target));
  for (const Diagnostic& note : explanation.notes) explanation.text += ToString(note) + "\n";
  return std::move(explanation.text);
}

Result<std::string> Emit(const hologram_kernel& kernel, std::string_view form, const char* target) {
  const runtime::Kernel* found = kernel.program();
  if (found == nullptr) {
    return Error(ErrorCode::kUnsupported, "kernel '" + kernel.found->signature().name +
                                              "' was written by hand: there is no "
                                              "program of it");
  }
  const verify::VerifiedProgram& program = found->verified();
  using runtime::CompileOutput;
  if (form == "asm") return text::Disassemble(program.source());
  if (form == "explain") return Explained(program, target);
  if (form == "llvm") return Compiled(program, LevelOf(target), CompileOutput::kLlvm);
  if (form == "machine") return Compiled(program, LevelOf(target), CompileOutput::kAssembly);
  if (form == "ptx") return Compiled(program, DeviceOf(target), CompileOutput::kObject);
  return Wrong("form: expected asm, explain, llvm, machine or ptx, found " + Shown(form));
}

}  // namespace
}  // namespace hologram::capi

using hologram::capi::FromException;
using hologram::capi::MakeError;

hologram_error* hologram_kernel_emit(const hologram_kernel* kernel, const char* form,
                                     const char* target, char** text) try {
  HOLOGRAM_NOT_NULL(kernel);
  HOLOGRAM_NOT_NULL(form);
  HOLOGRAM_NOT_NULL(text);
  const hologram::Result<std::string> made = hologram::capi::Emit(*kernel, form, target);
  if (!made.ok()) return MakeError(made.errors());
  const std::string& value = made.value();
  auto* copy = static_cast<char*>(std::malloc(value.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, value.c_str(), value.size() + 1);
  *text = copy;
  return nullptr;
} catch (...) {
  return FromException();
}

void hologram_text_destroy(char* text) {
  std::free(text);
}
