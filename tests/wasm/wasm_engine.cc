// Code for WebAssembly as engines of the conformance and differential tests, beside the
// interpreter: what the code generator emits is linked by the writer of `--emit wasm`, and run in
// node through its generated entry. "wasm" has software multiply-adds, "wasm-relaxed" those of the
// host.
#include <memory>

#include "codegen/codegen.h"
#include "driver/wasm_module.h"
#include "emulator.h"
#include "native_engine.h"
#include "run_image.h"

namespace hologram::tests {
namespace {

using cross::Emulator;
using cross::Image;

Emulator& TheEmulator() {
#ifdef HOLOGRAM_NODE_FLAG
  static Emulator emulator({HOLOGRAM_NODE, HOLOGRAM_NODE_FLAG, HOLOGRAM_DRIVER});
#else
  static Emulator emulator({HOLOGRAM_NODE, HOLOGRAM_DRIVER});
#endif
  return emulator;
}

Result<std::shared_ptr<Image>> ModuleOf(const verify::VerifiedProgram& program,
                                        codegen::Level level) {
  codegen::Options options;
  options.level = level;
  options.debug_lines = false;
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> object,
                            codegen::Compile(program, options, codegen::Output::kObject));
  std::vector<driver::wasm::Object> objects(1);
  HOLOGRAM_ASSIGN_OR_RETURN(objects[0], driver::wasm::ReadObject(object));
  HOLOGRAM_ASSIGN_OR_RETURN(driver::wasm::Module module, driver::wasm::LinkModule(objects));
  Image image;
  image.info = uint64_t{objects[0].scratch_bytes} << 8 | objects[0].unit;
  image.bytes = std::move(module.bytes);
  return std::make_shared<Image>(std::move(image));
}

Engine MakeEngine(const char* name, codegen::Level level) {
  const auto prepare = [level](const verify::VerifiedProgram& program) -> Result<RunFunction> {
    HOLOGRAM_ASSIGN_OR_RETURN(const std::shared_ptr<Image> image, ModuleOf(program, level));
    return RunFunction([image, &program](const launch::Launch& launch) {
      return RunImage(TheEmulator(), program, *image, launch);
    });
  };
  return {name, prepare};
}

}  // namespace

std::vector<Engine> NativeEngines() {
  std::vector<Engine> engines = {MakeEngine("wasm", codegen::Level::kWasm)};
#ifdef HOLOGRAM_NODE_IS_FUSED
  engines.push_back(MakeEngine("wasm-relaxed", codegen::Level::kWasmRelaxed));
#endif
  return engines;
}

}  // namespace hologram::tests
