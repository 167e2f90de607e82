// The entry of the functions that `hologram compile --emit tvm-ffi` exports. This folder, without
// library.cc and plugin.cc, is linked with all of libhologram to one shared library, the runtime,
// which exports nothing; library.cc adds programs and symbols to a copy of it. Each symbol is some
// instructions that add the last two arguments of hologram_tvm_ffi_call and go on to it. Tested by
// tests/tvmffi and, with tvm-ffi itself, by tests/scale.
#include <atomic>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string>

#include "base/fork_gate.h"
#include "hologram/detail/launch.h"
#include "hologram/hologram.h"
#include "tvmffi/abi.h"
#include "tvmffi/arguments.h"
#include "tvmffi/programs.h"
#include "tvmffi/raise.h"

namespace hologram::tvmffi {
namespace {

using Kernels = std::unique_ptr<std::atomic<hologram_kernel*>[]>;

// The programs of this library. Loaded by the first call and never released: a thread may be in a
// kernel when the process ends, and the library is not unloaded (-z nodelete).
struct Loaded {
  hologram_executor* executor = nullptr;
  Kernels kernels;  // null until they are called for the first time
};
std::atomic<Loaded*> loaded{nullptr};
Mutex loading;

// An error of the library as one of tvm-ffi.
int RaiseError(hologram_error* error) {
  const bool is_argument = hologram_error_code(error) == HOLOGRAM_ERROR_INVALID_ARGUMENT;
  const bool has_place = hologram_error_line(error) != 0;
  const int raised = Raise(is_argument ? "ValueError" : "RuntimeError",
                           has_place ? hologram_error_text(error) : hologram_error_message(error));
  hologram_error_destroy(error);
  return raised;
}

// With the lock held.
hologram_error* Load(const Programs& programs) {
  auto made = std::make_unique<Loaded>();
  made->kernels = std::make_unique<std::atomic<hologram_kernel*>[]>(programs.num_kernels);
  if (hologram_error* error = hologram_executor_create_private(&made->executor)) return error;
  if (hologram_error* error = hologram_executor_load_static(
          made->executor, At(programs, programs.bundle), programs.bundle_bytes, programs.hash)) {
    hologram_executor_destroy(made->executor);
    return error;
  }
  loaded.store(made.release(), std::memory_order_release);
  return nullptr;
}

const char* NameOf(const Programs& programs, uint64_t number) {
  const char* name = At(programs, programs.names);
  for (; number != 0; --number) name += std::char_traits<char>::length(name) + 1;
  return name;
}

// The kernel, verified and with its native code. Errors are not kept: a later call tries again.
[[gnu::cold, gnu::noinline]] hologram_error* FindKernel(const Programs& programs, uint32_t number,
                                                        hologram_kernel** kernel) {
  const std::lock_guard lock(loading);
  if (loaded.load(std::memory_order_relaxed) == nullptr) {
    if (hologram_error* error = Load(programs)) return error;
  }
  Loaded& all = *loaded.load(std::memory_order_relaxed);
  std::atomic<hologram_kernel*>& place = all.kernels[number];
  if (place.load(std::memory_order_relaxed) == nullptr) {
    hologram_kernel* found = nullptr;
    if (hologram_error* error =
            hologram_executor_kernel(all.executor, NameOf(programs, number), &found)) {
      return error;
    }
    if (const char* note = hologram_kernel_note(found); *note != '\0') {
      std::fprintf(stderr, "hologram: note: %s\n", note);
    }
    place.store(found, std::memory_order_release);
  }
  *kernel = place.load(std::memory_order_relaxed);
  return nullptr;
}

hologram_error* Launch(const hologram_kernel* kernel, const Arguments& arguments, size_t count) {
  const auto full = [&] {
    return hologram_kernel_launch_shaped(kernel, arguments.values.data(), arguments.shape_of.data(),
                                         count, nullptr);
  };
  if (!arguments.is_plain) return full();
  const hologram_buffer_ref* buffers = arguments.buffers.data();
  const uint64_t* scalars = arguments.scalars.data();
  return detail::launch(
      [&](hologram_launch_state* state) {
        return detail::enter(*hologram_kernel_plan(kernel), buffers, scalars, state);
      },
      [&](const hologram_launch_state& state) {
        return hologram_kernel_fault(kernel, buffers, scalars, nullptr, &state);
      },
      full);
}

int Call(const Any* given, int32_t count, Any* result, const Programs& programs, uint32_t number) {
  hologram_kernel* kernel = nullptr;
  if (const Loaded* all = loaded.load(std::memory_order_acquire); all != nullptr) {
    kernel = all->kernels[number].load(std::memory_order_acquire);
  }
  if (kernel == nullptr) {
    if (hologram_error* error = FindKernel(programs, number, &kernel)) return RaiseError(error);
  }
  const std::span values(given, given != nullptr && count > 0 ? static_cast<size_t>(count) : 0);
  Arguments arguments;
  if (const auto refused = ReadArguments(kernel, values, arguments)) {
    return Raise(refused->kind, refused->message.c_str());
  }
  if (hologram_error* error = Launch(kernel, arguments, values.size())) return RaiseError(error);
  if (result != nullptr) *result = {kNone, 0, {0}};
  return 0;
}

}  // namespace
}  // namespace hologram::tvmffi

// The ELF entry of the runtime, where library.cc finds it.
extern "C" [[gnu::used, gnu::visibility("hidden")]] int hologram_tvm_ffi_call(
    void* /*self*/, const hologram::tvmffi::Any* arguments, int32_t count,
    hologram::tvmffi::Any* result, const hologram::tvmffi::Programs* programs, uint32_t number) {
  namespace tvmffi = hologram::tvmffi;
  try {
    return tvmffi::Call(arguments, count, result, *programs, number);
  } catch (const std::bad_alloc&) {
    return tvmffi::Raise("MemoryError", "out of memory");
  } catch (const std::exception& exception) {
    return tvmffi::Raise("RuntimeError", exception.what());
  }
}
