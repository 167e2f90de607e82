#include "engine/engine.h"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "capi/arguments.h"
#include "driver/signature_json.h"
#include "engine/array_file.h"
#include "engine/json.h"
#include "engine/module.h"
#include "engine/state.h"

// web/hologram.js writes these.
static_assert(offsetof(hologram_argument, buffer) == 8 &&
              offsetof(hologram_buffer_ref, bytes) == 8);
static_assert(offsetof(hologram_argument, scalar) == 24 && sizeof(hologram_argument) == 32);
static_assert(offsetof(hologram_array_shape, extents) == 8 && sizeof(hologram_array_shape) == 72);
static_assert(offsetof(hologram_launch_config, budget) == 24 &&
              offsetof(hologram_launch_config, nondeterministic) == 32 &&
              sizeof(hologram_launch_config) == 64);

namespace hologram::web {
namespace {

// The array of the last file.
tool::Array& TheArray() {
  static tool::Array array;
  return array;
}

// What `use` gives for a kernel and its arguments, or their error.
template <class Use>
int32_t WithArguments(int32_t module, uint32_t kernel, std::span<const hologram_argument> arguments,
                      const hologram_array_shape* const* shapes, const Use& use) {
  const Kernel* found = FindKernel(module, kernel);
  if (found == nullptr) return NoKernel();
  capi::BoundArguments bound;
  const Status status = capi::BindArguments(found->signature(), arguments, shapes, bound);
  if (!status.ok()) return Fail(status.errors());
  return use(*found, bound);
}

}  // namespace
}  // namespace hologram::web

using hologram::Result;
using hologram::Status;
using namespace hologram::web;  // NOLINT(google-build-using-namespace)

void* hologram_web_alloc(size_t size) {
  constexpr size_t kAlignment = 16;
  return std::aligned_alloc(kAlignment, (size / kAlignment + 1) * kAlignment);
}

void hologram_web_free(void* memory) {
  std::free(memory);
}

const char* hologram_web_text() {
  return TheText().data();
}

size_t hologram_web_text_size() {
  return TheText().size();
}

int32_t hologram_web_compile_json(const char* json, size_t size, const char* file,
                                  size_t file_size) {
  return Keep(CompileJson({json, size}, std::string(file, file_size)));
}

int32_t hologram_web_load(const uint8_t* bytes, size_t size) {
  return Keep(LoadBundle({bytes, size}));
}

void hologram_web_release(int32_t module) {
  Release(module);
}

int32_t hologram_web_kernels(int32_t module) {
  const Module* found = FindModule(module);
  if (found == nullptr) return NoKernel();
  std::string list;
  for (const auto& kernel : *found) {
    list += (list.empty() ? "" : ",") + hologram::driver::SignatureJson(kernel->signature());
  }
  return Give("[" + list + "]");
}

int32_t hologram_web_view(int32_t module, uint32_t kernel, const char* form, size_t size) {
  const Kernel* found = FindKernel(module, kernel);
  if (found == nullptr) return NoKernel();
  return GiveOrFail(found->View({form, size}));
}

int32_t hologram_web_launch(int32_t module, uint32_t kernel, const hologram_argument* arguments,
                            const hologram_array_shape* const* shapes, size_t count,
                            const hologram_launch_config* config) {
  return WithArguments(
      module, kernel, {arguments, count}, shapes, [&](const Kernel& found, const auto& bound) {
        Kernel::Launched launched;
        const Status done =
            found.Launch(bound.buffers(), bound.scalars(), RequestOf(*config), launched);
        return GiveLaunched(done, launched);
      });
}

int32_t hologram_web_decide(int32_t module, uint32_t kernel, const hologram_argument* arguments,
                            const hologram_array_shape* const* shapes, size_t count,
                            const hologram_launch_config* config) {
  return WithArguments(
      module, kernel, {arguments, count}, shapes, [&](const Kernel& found, const auto& bound) {
        const auto decision = found.Decide(bound.buffers(), bound.scalars(), RequestOf(*config));
        if (!decision.ok()) return Fail(decision.errors());
        return Give(DecisionJson(decision.value().shape, decision.value().proved));
      });
}

int32_t hologram_web_read_array(const uint8_t* file, size_t size, const char* name,
                                size_t name_size, const char* type, size_t type_size) {
  auto array = ReadArrayFile({file, size}, std::string(name, name_size), {type, type_size});
  if (!array.ok()) return Fail(array.errors());
  TheArray() = std::move(array).value();
  return Give(ArrayJson(TheArray()));
}

const void* hologram_web_array() {
  return TheArray().bytes.data();
}

size_t hologram_web_array_bytes() {
  return static_cast<size_t>(TheArray().bytes.size());
}

int32_t hologram_web_circuit(const char* text, size_t size, const char* mode, size_t mode_size) {
  return GiveOrFail(CanonicalCircuit({text, size}, {mode, mode_size}));
}
