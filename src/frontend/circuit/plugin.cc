#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "bundle/bundle.h"
#include "frontend/circuit/lower.h"
#include "frontend/frontend.h"
#include "plugin/kernels.h"

namespace hologram::frontend {
namespace {

Result<std::vector<uint8_t>> BundleOf(const std::vector<isa::Program>& programs) {
  bundle::BundleWriter writer;
  for (const isa::Program& program : programs) writer.AddProgram(program);
  return writer.Finish();
}

Result<std::vector<uint8_t>> CircuitBundle(std::string_view text, const std::string& name) {
  HOLOGRAM_ASSIGN_OR_RETURN(isa::Program program, CompileCircuit(text, "", name));
  HOLOGRAM_RETURN_IF_ERROR(isa::CheckWellFormed(program));
  return BundleOf({std::move(program)});
}

Result<std::vector<uint8_t>> DocumentBundle(std::string_view json, const std::string& file) {
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<isa::Program> programs, CompileJson(json, file, ""));
  return BundleOf(programs);
}

// Calls `make`, and gives its bundle to `result` or its errors to `fail`.
template <class Make, class Fail>
int Answer(const Make& make, const Fail& fail, hologram_jit_bundle_sink result, void* user) {
  try {
    const Result<std::vector<uint8_t>> bundle = make();
    if (bundle.ok()) {
      result(user, bundle.value().data(), bundle.value().size());
      return 0;
    }
    for (const Diagnostic& error : bundle.errors()) {
      fail(error.code, error.where.file, error.where.line, error.where.column, error.message);
    }
  } catch (const std::bad_alloc&) {
    fail(ErrorCode::kResourceLimit, "", 0, 0, "out of memory");
  } catch (const std::length_error&) {
    fail(ErrorCode::kResourceLimit, "", 0, 0, "out of memory");
  } catch (const std::exception& exception) {
    fail(ErrorCode::kInternal, "", 0, 0, exception.what());
  }
  return 1;
}

}  // namespace
}  // namespace hologram::frontend

extern "C" [[gnu::visibility("default")]] int hologram_jit_compile_circuit(
    const char* text, size_t text_size, const char* name, size_t name_size,
    hologram_jit_bundle_sink result, hologram_jit_error_sink error, void* user) {
  bool failed = false;
  const auto fail = [&](hologram::ErrorCode code, std::string_view /*file*/, uint32_t line,
                        uint32_t column, std::string_view message) {
    if (!failed) {
      error(user, static_cast<uint32_t>(code), line, column, message.data(), message.size());
    }
    failed = true;
  };
  const auto make = [&] {
    return hologram::frontend::CircuitBundle({text, text_size}, std::string(name, name_size));
  };
  return hologram::frontend::Answer(make, fail, result, user);
}

extern "C" [[gnu::visibility("default")]] int hologram_jit_compile_json(
    const char* json, size_t json_size, const char* file, size_t file_size,
    hologram_jit_bundle_sink result, hologram_jit_file_error_sink error, void* user) {
  const auto fail = [&](hologram::ErrorCode code, std::string_view where, uint32_t line,
                        uint32_t column, std::string_view message) {
    error(user, static_cast<uint32_t>(code), where.data(), where.size(), line, column,
          message.data(), message.size());
  };
  const auto make = [&] {
    return hologram::frontend::DocumentBundle({json, json_size}, std::string(file, file_size));
  };
  return hologram::frontend::Answer(make, fail, result, user);
}
