#include "driver/wasm.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "driver/signature_json.h"
#include "driver/wasm_module.h"
#include "driver/wasm_object.h"
#include "hologram/native_abi.h"
#include "launch/facts.h"
#include "launch/unique.h"
#include "runtime/compiler_plugin.h"
#include "runtime/native_bundle.h"

namespace hologram::driver {
namespace {

using verify::VerifiedProgram;

constexpr std::string_view kDescription = "hologram";
constexpr std::string_view kBundle = "hologram.bundle";
constexpr std::string_view kRelaxed = "hologram.relaxed";
constexpr int kVersion = 1;  // of the description

const char* Bool(bool value) {
  return value ? "true" : "false";
}

// Of a kernel, the object with software multiply-adds and the one with those of the host.
struct Objects {
  wasm::Object plain;
  wasm::Object relaxed;
  bool differ = false;
};

Result<Objects> MakeObjects(const VerifiedProgram& program) {
  HOLOGRAM_RETURN_IF_ERROR(launch::RefuseUnique(program.program(), "compiled WebAssembly"));
  constexpr Target kTargets[] = {Target::kWasm, Target::kWasmRelaxed};
  HOLOGRAM_ASSIGN_OR_RETURN(
      const auto bytes, runtime::CompileFor(program, kTargets, runtime::CompileOutput::kObject,
                                            runtime::Checks::kKept, runtime::DebugLines::kLeftOut));
  Objects objects;
  HOLOGRAM_ASSIGN_OR_RETURN(objects.plain, wasm::ReadObject(bytes[0]));
  HOLOGRAM_ASSIGN_OR_RETURN(objects.relaxed, wasm::ReadObject(bytes[1]));
  objects.differ = objects.plain.code != objects.relaxed.code;
  return objects;
}

bool Exports(const wasm::Object& object, std::string_view suffix) {
  return std::any_of(object.symbols.begin(), object.symbols.end(), [&](const wasm::Symbol& symbol) {
    return symbol.kind == wasm::SymbolKind::kFunction && !symbol.local &&
           symbol.name.ends_with(suffix);
  });
}

// The parameters that are taken from shapes, which follow the arguments.
std::string ShapesJson(const isa::Program& program) {
  std::string json;
  for (size_t k = program.NumArguments(); k < program.parameters.size(); ++k) {
    const isa::Parameter& parameter = program.parameters[k];
    const bool extent = parameter.source == isa::Source::kExtent;
    json += std::string(json.empty() ? "" : ",") + "{\"array\":" + std::to_string(parameter.array) +
            ",\"of\":" + (extent ? "\"extent\"" : "\"stride\"") +
            ",\"dimension\":" + std::to_string(parameter.dimension) + "}";
  }
  return "[" + json + "]";
}

// What a host must know to launch the code.
std::string CodeJson(const VerifiedProgram& program, const wasm::Object& object) {
  const auto [x, y, z] = program.program().DefaultBlock();
  return "{\"default_entry\":" + std::string(Bool(Exports(object, ".default_entry"))) +
         ",\"block\":[" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) +
         "],\"unit\":" + std::to_string(object.unit) +
         ",\"scratch\":" + std::to_string(object.scratch_bytes) +
         ",\"faults\":" + Bool(object.may_fault) +
         ",\"order_free\":" + Bool(launch::KernelFacts(program).order_free) +
         ",\"shapes\":" + ShapesJson(program.program()) + "}";
}

void AddText(wasm::Bytes& module, std::string_view name, const std::string& text) {
  wasm::AddSection(module, name, std::vector<uint8_t>(text.begin(), text.end()));
}

}  // namespace

Result<WasmFile> MakeWasm(std::span<const VerifiedProgram> programs, std::atomic<uint64_t>* done) {
  WasmFile file;
  std::vector<wasm::Object> plain;
  std::vector<wasm::Object> relaxed;
  bool differ = false;
  std::string kernels;
  for (const VerifiedProgram& program : programs) {
    Result<Objects> made = MakeObjects(program);
    if (done != nullptr) ++*done;
    std::string code = "null";
    if (made.ok()) {
      code = CodeJson(program, made.value().plain);
      differ |= made.value().differ;
      plain.push_back(std::move(made.value().plain));
      relaxed.push_back(std::move(made.value().relaxed));
    } else {
      // Others of the file have their code.
      const Diagnostic& error = made.errors()[0];
      if (error.code != ErrorCode::kUnsupported || !runtime::HasCompiler()) return made.errors();
      file.notes.push_back(error);
    }
    kernels += (kernels.empty() ? "" : ",") + std::string("{\"signature\":") +
               SignatureJson(program.source()) + ",\"code\":" + code + "}";
  }
  if (plain.empty()) return file.notes;
  HOLOGRAM_ASSIGN_OR_RETURN(wasm::Module module, wasm::LinkModule(plain));
  uint32_t data = module.data_bytes;
  if (differ) {
    HOLOGRAM_ASSIGN_OR_RETURN(const wasm::Module fused, wasm::LinkModule(relaxed));
    data = std::max(data, fused.data_bytes);
    wasm::AddSection(module.bytes, kRelaxed, fused.bytes);
  }
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> bundle, runtime::BundleOf(programs));
  wasm::AddSection(module.bytes, kBundle, bundle);
  AddText(module.bytes, kDescription,
          "{\"version\":" + std::to_string(kVersion) +
              ",\"abi\":" + std::to_string(HOLOGRAM_NATIVE_ABI_VERSION) +
              ",\"data\":" + std::to_string(data) + ",\"kernels\":[" + kernels + "]}");
  file.bytes = std::move(module.bytes);
  return file;
}

}  // namespace hologram::driver
