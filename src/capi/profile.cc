// hologram_kernel_profile: counts, times and the roofline of one launch. Tested by tests/profile.
#include "profile/profile.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "capi/arguments.h"
#include "capi/error.h"
#include "capi/guard.h"
#include "capi/kernel_handle.h"
#include "capi/launch_config.h"

namespace hologram::capi {
namespace {

Result<profile::Profile> Made(const hologram_kernel& kernel,
                              std::span<const hologram_argument> arguments,
                              const hologram_array_shape* const* shapes,
                              const hologram_launch_config* config) {
  const runtime::Kernel* found = kernel.program();
  if (found == nullptr) {
    return Error(ErrorCode::kUnsupported, "kernel '" + kernel.found->signature().name +
                                              "' was written by hand: it has no lines");
  }
  runtime::LaunchConfig wanted;
  HOLOGRAM_RETURN_IF_ERROR(ReadConfig(config, wanted));
  BoundArguments bound;
  HOLOGRAM_RETURN_IF_ERROR(BindArguments(kernel.found->signature(), arguments, shapes, bound));
  launch::Launch launch;
  launch.buffers = bound.buffers();
  launch.scalars = bound.scalars();
  launch.budget = wanted.budget;
  launch.class_base = wanted.class_base;
  launch.deterministic = wanted.deterministic;
  HOLOGRAM_ASSIGN_OR_RETURN(launch.shape, found->default_launch().Resolve(
                                              wanted.shape, bound.buffers(), bound.scalars()));
  return profile::MakeProfile(found->verified(), launch, wanted);
}

char* Copied(const std::string& value) {
  auto* copy = static_cast<char*>(std::malloc(value.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, value.c_str(), value.size() + 1);
  return copy;
}

}  // namespace
}  // namespace hologram::capi

using hologram::capi::FromException;
using hologram::capi::MakeError;

hologram_error* hologram_kernel_profile(const hologram_kernel* kernel,
                                        const hologram_argument* arguments,
                                        const hologram_array_shape* const* shapes, size_t count,
                                        const hologram_launch_config* config, const char* source,
                                        char** text, char** picture) try {
  HOLOGRAM_NOT_NULL(kernel);
  if (count != 0) HOLOGRAM_NOT_NULL(arguments);
  HOLOGRAM_NOT_NULL(text);
  const hologram::Result<hologram::profile::Profile> made =
      hologram::capi::Made(*kernel, {arguments, count}, shapes, config);
  if (!made.ok()) return MakeError(made.errors());
  hologram::profile::Sources sources(source == nullptr ? "" : source);
  const std::string table = hologram::profile::TextOf(made.value(), sources);
  std::string svg;
  if (made.value().roofline) svg = hologram::profile::PictureOf(made.value());
  char* copy = hologram::capi::Copied(table);
  if (picture != nullptr) {
    try {
      *picture = hologram::capi::Copied(svg);
    } catch (...) {
      std::free(copy);
      throw;
    }
  }
  *text = copy;
  return nullptr;
} catch (...) {
  return FromException();
}
