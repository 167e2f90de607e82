// The part of the compiler plugin that writes libraries for tvm-ffi. The runtime that they are
// copies of is a file beside the plugin, of the same version.
#include <dlfcn.h>

#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "base/files.h"
#include "plugin/library.h"
#include "tvmffi/library.h"

namespace hologram::tvmffi {
namespace {

// Of this library, with a slash; empty: not known.
std::string OwnFolder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&OwnFolder), &info) == 0 || info.dli_fname == nullptr) {
    return "";
  }
  const std::string path = info.dli_fname;
  return path.substr(0, path.rfind('/') + 1);
}

Result<std::vector<uint8_t>> Write(std::span<const uint8_t> bundle) {
  HOLOGRAM_ASSIGN_OR_RETURN(const std::vector<uint8_t> runtime,
                            ReadFile(OwnFolder() + "libhologram_tvm_ffi-" HOLOGRAM_VERSION ".so"));
  return WriteLibrary(runtime, bundle);
}

}  // namespace
}  // namespace hologram::tvmffi

extern "C" [[gnu::visibility("default")]] int hologram_jit_tvm_ffi_library(
    const uint8_t* bundle, size_t size, hologram_jit_sink result, hologram_jit_library_error error,
    void* user) {
  using hologram::ErrorCode;
  const auto fail = [&](ErrorCode code, std::string_view message) {
    error(user, static_cast<uint32_t>(code), message.data(), message.size());
    return 1;
  };
  try {
    const auto library = hologram::tvmffi::Write({bundle, size});
    if (!library.ok()) return fail(library.errors()[0].code, library.errors()[0].message);
    result(user, library.value().data(), library.value().size());
    return 0;
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kResourceLimit, "out of memory");
  } catch (const std::exception& exception) {
    return fail(ErrorCode::kInternal, exception.what());
  }
}
