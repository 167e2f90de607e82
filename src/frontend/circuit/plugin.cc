#include "frontend/circuit/plugin.h"

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "bundle/bundle.h"
#include "frontend/circuit/lower.h"

namespace hologram::frontend {
namespace {

Result<std::vector<uint8_t>> CircuitBundle(std::string_view text, const std::string& name) {
  HOLOGRAM_ASSIGN_OR_RETURN(isa::Program program, CompileCircuit(text, "", name));
  HOLOGRAM_RETURN_IF_ERROR(isa::CheckWellFormed(program));
  bundle::BundleWriter writer;
  writer.AddProgram(program);
  return writer.Finish();
}

}  // namespace
}  // namespace hologram::frontend

extern "C" [[gnu::visibility("default")]] int hologram_jit_compile_circuit(
    const char* text, size_t text_size, const char* name, size_t name_size,
    hologram_jit_bundle_sink result, hologram_jit_error_sink error, void* user) {
  using hologram::ErrorCode;
  const auto fail = [&](ErrorCode code, std::string_view message) {
    error(user, static_cast<uint32_t>(code), 0, 0, message.data(), message.size());
    return 1;
  };
  try {
    const auto bundle = hologram::frontend::CircuitBundle(std::string_view(text, text_size),
                                                          std::string(name, name_size));
    if (bundle.ok()) {
      result(user, bundle.value().data(), bundle.value().size());
      return 0;
    }
    const hologram::Diagnostic& first = bundle.errors()[0];
    error(user, static_cast<uint32_t>(first.code), first.where.line, first.where.column,
          first.message.data(), first.message.size());
    return 1;
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kResourceLimit, "out of memory");
  } catch (const std::length_error&) {
    return fail(ErrorCode::kResourceLimit, "out of memory");
  } catch (const std::exception& exception) {
    return fail(ErrorCode::kInternal, exception.what());
  }
}
