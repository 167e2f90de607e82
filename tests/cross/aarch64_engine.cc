// Native code for AArch64 as the engine of the conformance and differential tests, beside the
// interpreter: what the code generator emits is linked, and run under qemu through its generated
// entry. Where a kernel has a streaming body, that must give the same bits. The checked form of a
// program (verify/checked_form.h) is an engine of its own.
#include <algorithm>
#include <memory>

#include "aarch64_link.h"
#include "codegen/codegen.h"
#include "emulator.h"
#include "native_engine.h"
#include "run_image.h"
#include "verify/checked_form.h"

namespace hologram::tests {
namespace {

using cross::Emulator;
using cross::Image;

Emulator& TheEmulator() {
  static Emulator emulator({HOLOGRAM_QEMU, HOLOGRAM_DRIVER});
  return emulator;
}

Result<std::shared_ptr<Image>> ImageOf(const verify::VerifiedProgram& program) {
  codegen::Options options;
  options.level = codegen::Level::kAArch64;
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> object,
                            codegen::Compile(program, options, codegen::Output::kObject));
  HOLOGRAM_ASSIGN_OR_RETURN(Image image, cross::Link(object));
  return std::make_shared<Image>(std::move(image));
}

Result<RunFunction> Prepare(const verify::VerifiedProgram& program) {
  HOLOGRAM_ASSIGN_OR_RETURN(const std::shared_ptr<Image> image, ImageOf(program));
  return RunFunction([image, &program](const launch::Launch& launch) {
    return RunImage(TheEmulator(), program, *image, launch);
  });
}

Result<RunFunction> PrepareChecked(const verify::VerifiedProgram& program) {
  HOLOGRAM_ASSIGN_OR_RETURN(verify::VerifiedProgram form,
                            verify::VerifyCheckedForm(program.source()));
  const auto& accesses = form.accesses();
  if (std::none_of(accesses.begin(), accesses.end(), verify::IsLeftToCode)) {
    return Error(ErrorCode::kUnsupported, "the checked form is the kernel itself");
  }
  const auto checked = std::make_shared<verify::VerifiedProgram>(std::move(form));
  HOLOGRAM_ASSIGN_OR_RETURN(const std::shared_ptr<Image> image, ImageOf(*checked));
  return RunFunction([checked, image](const launch::Launch& launch) {
    return RunImage(TheEmulator(), *checked, *image, launch);
  });
}

}  // namespace

std::vector<Engine> NativeEngines() {
  return {{"aarch64", Prepare}, {"aarch64-checked", PrepareChecked, /*is_checked_form=*/true}};
}

}  // namespace hologram::tests
