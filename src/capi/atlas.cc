// What needs no executor: classes of the Atlas, and what this build can do. Tested by tests/capi.
#include "isa/atlas.h"

#include <string>
#include <string_view>

#include "capi/error.h"
#include "capi/guard.h"
#include "engines/engine.h"
#include "hologram/hologram.h"
#include "runtime/compiler_plugin.h"

using hologram::ErrorCode;
using hologram::capi::DropException;
using hologram::capi::FromException;
using hologram::capi::MakeError;
namespace isa = hologram::isa;

namespace {

hologram_error* CheckClass(uint32_t class_index) {
  if (class_index < isa::kNumClasses) return nullptr;
  return MakeError(ErrorCode::kInvalidArgument,
                   "expected a class below 96, found " + std::to_string(class_index));
}

}  // namespace

hologram_error* hologram_class_mirror(uint32_t class_index, uint32_t* mirror) try {
  HOLOGRAM_NOT_NULL(mirror);
  if (hologram_error* error = CheckClass(class_index)) return error;
  *mirror = isa::Mirror(static_cast<uint8_t>(class_index));
  return nullptr;
} catch (...) {
  return FromException();
}

hologram_error* hologram_class_neighbours(uint32_t class_index, uint32_t neighbours[6],
                                          uint32_t* count) try {
  HOLOGRAM_NOT_NULL(neighbours);
  HOLOGRAM_NOT_NULL(count);
  if (hologram_error* error = CheckClass(class_index)) return error;
  const auto from = static_cast<uint8_t>(class_index);
  *count = isa::NumNeighbours(from);
  for (uint32_t k = 0; k < *count; ++k) neighbours[k] = isa::Neighbour(from, k);
  return nullptr;
} catch (...) {
  return FromException();
}

int32_t hologram_has_feature(const char* name) try {
  if (name == nullptr) return -1;
  const std::string_view feature = name;
  if (feature == "compiler") return hologram::runtime::HasCompiler() ? 1 : 0;
  if (feature == "cuda") {
    return hologram::engines::CheckAvailable(hologram::launch::Engine::kCuda).ok() ? 1 : 0;
  }
  return -1;
} catch (...) {
  DropException();
  return -1;
}
