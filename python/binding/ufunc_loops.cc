#include "ufunc_loops.h"

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <algorithm>
#include <cfenv>
#include <cstring>
#include <memory>
#include <new>

#include "hologram/detail/launch.h"
#include "isa/program.h"
#include "kernel_object.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace hologram::python {
namespace {

using Addresses = std::array<char*, kMostUfuncArrays>;

constexpr uint64_t kMostLanes = uint64_t{1} << 31;  // of a launch
constexpr uint64_t kWindow = 2048;                  // elements that are copied at a time
constexpr size_t kLargest = sizeof(uint64_t);       // element
constexpr uint64_t kWindowBytes = uint64_t{1} << 18;

// NumPy asks for the flags of floating point when a loop has ended.
class KeptFlags {
 public:
#if defined(__x86_64__)
  KeptFlags() : flags_(_mm_getcsr()) {}
  ~KeptFlags() { _mm_setcsr(flags_); }

 private:
  unsigned flags_;
#else
  KeptFlags() { std::fegetexceptflag(&flags_, FE_ALL_EXCEPT); }
  ~KeptFlags() { std::fesetexceptflag(&flags_, FE_ALL_EXCEPT); }

 private:
  std::fexcept_t flags_;
#endif
 public:
  KeptFlags(const KeptFlags&) = delete;
  KeptFlags& operator=(const KeptFlags&) = delete;
};

// Sets the Python error, unless there is one. True: there was no error.
bool Report(hologram_error* error) {
  if (error == nullptr) [[likely]] {
    return true;
  }
  const PyGILState_STATE state = PyGILState_Ensure();
  if (PyErr_Occurred() == nullptr) {
    SetError(error);
  } else {
    hologram_error_destroy(error);
  }
  PyGILState_Release(state);
  return false;
}

hologram_error* LaunchFully(const UfuncLoop& loop, const hologram_buffer_ref* buffers,
                            uint64_t length) {
  std::array<hologram_argument, kMostUfuncArrays + 1> arguments;
  for (size_t k = 0; k < loop.count; ++k) {
    arguments[k].code = loop.plan->codes[k];
    arguments[k].buffer = buffers[k];
  }
  arguments[loop.count].code = loop.plan->codes[loop.count];
  arguments[loop.count].scalar = length;
  const hologram_launch_config config{};
  return hologram_kernel_launch(loop.kernel, arguments.data(), loop.count + 1, &config);
}

// Elements that lie one behind the other in all arrays.
[[gnu::always_inline]] inline bool Launch(const UfuncLoop& loop, char* const* data,
                                          uint64_t length) {
  std::array<hologram_buffer_ref, kMostUfuncArrays> buffers;
  for (size_t k = 0; k < loop.count; ++k) {
    buffers[k] = {data[k], length * loop.arrays[k].size};
  }
  const uint64_t scalar = length;
  return Report(detail::launch(
      [&](hologram_launch_state* state) {
        return detail::enter(*loop.plan, buffers.data(), &scalar, state);
      },
      [&](const hologram_launch_state& state) {
        return hologram_kernel_fault(loop.kernel, buffers.data(), &scalar, nullptr, &state);
      },
      [&] { return LaunchFully(loop, buffers.data(), length); }));
}

bool LaunchAll(const UfuncLoop& loop, char* const* data, uint64_t length) {
  if (length <= kMostLanes) [[likely]] {
    return Launch(loop, data, length);
  }
  Addresses at;
  std::copy_n(data, loop.count, at.begin());
  for (uint64_t done = 0; done < length; done += kMostLanes) {
    const uint64_t part = std::min(kMostLanes, length - done);
    if (!Launch(loop, at.data(), part)) return false;
    for (size_t k = 0; k < loop.count; ++k) at[k] += part * loop.arrays[k].size;
  }
  return true;
}

struct Range {
  const char* begin;
  const char* end;
};
Range RangeOf(const char* data, intptr_t step, uint64_t length, uint32_t size) {
  const char* last = data + static_cast<intptr_t>(length - 1) * step;
  return {std::min(data, last), std::max(data, last) + size};
}

// Whether an output meets an input, and is not the same memory element by element: so NumPy calls a
// loop to reduce and to accumulate; other calls get copies from it.
bool MeetsPartly(const UfuncLoop& loop, char* const* data, const intptr_t* steps, uint64_t length) {
  if (length == 1) return false;
  for (size_t o = loop.inputs; o < loop.count; ++o) {
    const Range out = RangeOf(data[o], steps[o], length, loop.arrays[o].size);
    for (size_t k = 0; k < loop.inputs; ++k) {
      if (data[k] == data[o] && steps[k] == steps[o] && steps[o] != 0) continue;
      const Range in = RangeOf(data[k], steps[k], length, loop.arrays[k].size);
      if (in.begin < out.end && out.begin < in.end) return true;
    }
  }
  return false;
}

// One element after the other: what one writes, the next one reads.
void RunOneByOne(const UfuncLoop& loop, char* const* data, const intptr_t* steps, uint64_t length) {
  alignas(kLargest) char elements[kMostUfuncArrays][kLargest];
  Addresses at;
  for (size_t k = 0; k < loop.count; ++k) at[k] = elements[k];
  for (uint64_t i = 0; i < length; ++i) {
    const auto place = [&](size_t k) { return data[k] + static_cast<intptr_t>(i) * steps[k]; };
    for (size_t k = 0; k < loop.inputs; ++k) std::memcpy(at[k], place(k), loop.arrays[k].size);
    if (!Launch(loop, at.data(), 1)) return;
    for (size_t k = loop.inputs; k < loop.count; ++k) {
      std::memcpy(place(k), at[k], loop.arrays[k].size);
    }
  }
}

template <size_t kSize>
void CopyElements(char* to, intptr_t to_step, const char* from, intptr_t from_step,
                  uint64_t length) {
  for (uint64_t i = 0; i < length; ++i) {
    std::memcpy(to, from, kSize);
    to += to_step;
    from += from_step;
  }
}

void Copy(char* to, intptr_t to_step, const char* from, intptr_t from_step, uint32_t size,
          uint64_t length) {
  switch (size) {
    case 1:
      return CopyElements<1>(to, to_step, from, from_step, length);
    case 2:
      return CopyElements<2>(to, to_step, from, from_step, length);
    case 4:
      return CopyElements<4>(to, to_step, from, from_step, length);
    default:
      return CopyElements<8>(to, to_step, from, from_step, length);
  }
}

// Elements of any strides go through windows.
void RunStrided(const UfuncLoop& loop, char* const* data, const intptr_t* steps, uint64_t length) {
  alignas(64) char windows[kMostUfuncArrays][kWindow * kLargest];
  Addresses at;
  for (uint64_t done = 0; done < length; done += kWindow) {
    const uint64_t part = std::min(kWindow, length - done);
    const auto place = [&](size_t k) { return data[k] + static_cast<intptr_t>(done) * steps[k]; };
    for (size_t k = 0; k < loop.count; ++k) {
      const uint32_t size = loop.arrays[k].size;
      const bool is_dense = steps[k] == static_cast<intptr_t>(size);
      at[k] = is_dense ? place(k) : windows[k];
      const bool is_filled = steps[k] == 0 && done != 0;
      if (is_dense || k >= loop.inputs || is_filled) continue;
      Copy(windows[k], size, place(k), steps[k], size, part);
    }
    if (!Launch(loop, at.data(), part)) return;
    for (size_t k = loop.inputs; k < loop.count; ++k) {
      const uint32_t size = loop.arrays[k].size;
      if (at[k] == windows[k]) Copy(place(k), steps[k], windows[k], size, size, part);
    }
  }
}

}  // namespace

void RunUfunc(char** data, const intptr_t* counts, const intptr_t* steps, void* pointer) {
  const UfuncLoop& loop = *static_cast<const UfuncLoop*>(pointer);
  const auto length = static_cast<uint64_t>(counts[0]);
  if (counts[0] <= 0) return;
  const KeptFlags flags;
  bool dense = true;
  for (size_t k = 0; k < loop.count; ++k) {
    dense &= steps[k] == static_cast<intptr_t>(loop.arrays[k].size);
  }
  if (MeetsPartly(loop, data, steps, length)) {
    return RunOneByOne(loop, data, steps, length);
  }
  if (dense || length == 1) {
    LaunchAll(loop, data, length);
  } else {
    RunStrided(loop, data, steps, length);
  }
}

// ---- Functions of parts of arrays

namespace {

// One array of a generalized ufunc: where the part of a call is.
struct Part {
  char* data = nullptr;
  intptr_t step = 0;            // from one call to the next
  std::vector<intptr_t> steps;  // of its own dimensions
  std::vector<uint64_t> extents;
  uint64_t elements = 1;
  uint32_t size = 0;
  bool dense = false;
  std::unique_ptr<char[]> window;
};

bool IsDense(const Part& part, uint64_t calls) {
  auto expected = static_cast<intptr_t>(part.size);
  for (size_t d = part.extents.size(); d-- > 0;) {
    if (part.extents[d] > 1 && part.steps[d] != expected) return false;
    expected *= static_cast<intptr_t>(part.extents[d]);
  }
  return calls == 1 || part.step == expected;
}

// Between the parts of calls and a window in which they lie one behind the other.
void Move(const Part& part, char* parts, char* window, uint64_t calls, bool back) {
  const auto copy = [&](char* place, char* kept) {
    back ? std::memcpy(place, kept, part.size) : std::memcpy(kept, place, part.size);
  };
  std::vector<uint64_t> at(part.extents.size(), 0);
  for (uint64_t call = 0; call < calls; ++call) {
    std::fill(at.begin(), at.end(), 0);
    for (uint64_t k = 0; k < part.elements; ++k) {
      char* place = parts + static_cast<intptr_t>(call) * part.step;
      for (size_t d = 0; d < at.size(); ++d) place += static_cast<intptr_t>(at[d]) * part.steps[d];
      copy(place, window);
      window += part.size;
      for (size_t d = at.size(); d-- > 0 && ++at[d] == part.extents[d];) at[d] = 0;
    }
  }
}

hologram_error* LaunchCalls(const UfuncLoop& loop, const std::vector<Part>& parts,
                            char* const* data, uint64_t calls) {
  std::array<hologram_argument, kMostUfuncArrays + 1> arguments;
  std::array<hologram_array_shape, kMostUfuncArrays> shapes{};
  std::array<const hologram_array_shape*, kMostUfuncArrays + 1> shape_of{};
  const size_t count = parts.size();
  for (size_t k = 0; k < count; ++k) {
    const Part& part = parts[k];
    arguments[k].code = loop.plan->codes[k];
    arguments[k].buffer = {data[k], calls * part.elements * part.size};
    if (part.extents.empty()) continue;
    shapes[k].rank = static_cast<uint32_t>(part.extents.size() + 1);
    shapes[k].extents[0] = calls;
    std::copy(part.extents.begin(), part.extents.end(), shapes[k].extents + 1);
    shape_of[k] = &shapes[k];
  }
  arguments[count].code = loop.plan->codes[count];
  arguments[count].scalar = calls;
  hologram_launch_config config{};
  std::fill(std::begin(config.grid), std::end(config.grid), 1U);
  std::fill(std::begin(config.block), std::end(config.block), 1U);
  config.grid[0] = static_cast<uint32_t>((calls + isa::kDefaultBlock - 1) / isa::kDefaultBlock);
  config.block[0] = isa::kDefaultBlock;
  return hologram_kernel_launch_shaped(loop.kernel, arguments.data(), shape_of.data(), count + 1,
                                       &config);
}

// Calls that share a window, if there must be one.
uint64_t CallsOfWindow(const std::vector<Part>& parts, uint64_t calls) {
  uint64_t bytes = 1;
  for (const Part& part : parts) {
    if (!part.dense) bytes = std::max(bytes, part.elements * part.size);
  }
  return std::clamp<uint64_t>(kWindowBytes / bytes, 1, calls);
}

void RunCalls(const UfuncLoop& loop, std::vector<Part>& parts, uint64_t calls) {
  bool dense = true;
  for (const Part& part : parts) dense &= part.dense;
  const uint64_t most = std::min(kMostLanes, dense ? calls : CallsOfWindow(parts, calls));
  for (Part& part : parts) {
    if (!part.dense) {
      part.window = std::make_unique_for_overwrite<char[]>(most * part.elements * part.size);
    }
  }
  Addresses at;
  for (uint64_t done = 0; done < calls; done += most) {
    const uint64_t now = std::min(most, calls - done);
    const auto place = [&](const Part& part) {
      return part.data == nullptr ? nullptr : part.data + static_cast<intptr_t>(done) * part.step;
    };
    for (size_t k = 0; k < parts.size(); ++k) {
      at[k] = parts[k].dense ? place(parts[k]) : parts[k].window.get();
      // Outputs too: a call need not write all of its part.
      if (!parts[k].dense && k < loop.count) Move(parts[k], place(parts[k]), at[k], now, false);
    }
    if (!Report(LaunchCalls(loop, parts, at.data(), now))) return;
    for (size_t k = loop.inputs; k < loop.count; ++k) {
      if (!parts[k].dense) Move(parts[k], place(parts[k]), at[k], now, true);
    }
  }
}

}  // namespace

void RunGeneralizedUfunc(char** data, const intptr_t* counts, const intptr_t* steps,
                         void* pointer) {
  const UfuncLoop& loop = *static_cast<const UfuncLoop*>(pointer);
  if (counts[0] <= 0) return;
  const KeptFlags flags;
  const auto calls = static_cast<uint64_t>(counts[0]);
  try {
    std::vector<Part> parts(loop.count);
    const intptr_t* core_steps = steps + loop.count;
    for (size_t k = 0; k < loop.count; ++k) {
      Part& part = parts[k];
      part.data = data[k];
      part.step = steps[k];
      part.size = loop.arrays[k].size;
      for (const int core : loop.arrays[k].cores) {
        part.extents.push_back(static_cast<uint64_t>(counts[1 + core]));
        part.steps.push_back(*core_steps++);
        part.elements *= part.extents.back();
      }
      part.dense = IsDense(part, calls);
    }
    for (size_t k = loop.count; k < loop.count + loop.scratch; ++k) {
      Part& part = parts.emplace_back();
      part.size = loop.arrays[k].size;
      for (const int core : loop.arrays[k].cores) {
        part.extents.push_back(core < 0 ? static_cast<uint64_t>(-core)
                                        : static_cast<uint64_t>(counts[1 + core]));
        part.elements *= part.extents.back();
      }
    }
    RunCalls(loop, parts, calls);
  } catch (const std::bad_alloc&) {
    const PyGILState_STATE state = PyGILState_Ensure();
    if (PyErr_Occurred() == nullptr) PyErr_NoMemory();
    PyGILState_Release(state);
  }
}

}  // namespace hologram::python
