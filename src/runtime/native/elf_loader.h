// Loads the relocatable ELF objects that the code generator writes: one mapping for all sections
// that are used at run time, relocated in place, then code made executable and the rest read-only.
// An object needs nothing from outside; an undefined symbol is an error that names it. Sizes and
// offsets are checked as for any untrusted file, although only code that the application vouches
// for, or that the plugin has just made, gets here. Loaded code is announced to the profilers
// and debuggers that HOLOGRAM_PROFILE names (profile.h). Tested by
// tests/runtime/elf_loader_test.cc.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "hologram/native_abi.h"
#include "runtime/native/debug_lines.h"
#include "runtime/native/profile.h"

namespace hologram::runtime {

// Counts of instrumented code: for each basic block of the program, the lanes that ran it and the
// vectors with such a lane. It outlives the code.
struct BlockCounters {
  struct Counter {
    uint64_t lanes = 0;
    uint64_t vectors = 0;
  };
  explicit BlockCounters(size_t num_blocks) : blocks(num_blocks) {}

  std::vector<Counter> blocks;
  uint32_t width = 0;  // lanes of a vector; written by Load
};

// Owns the mapping of one loaded object. Movable.
class NativeCode {
 public:
  // `cancel`: the word that stops launches of the code (hologram_kernel_info::cancel), which lives
  // as long as the code; null: nothing does. `lines`: gets those of the loaded code, if any.
  // `counters`: of instrumented code, which is refused without them, as other code is with them.
  // Errors: kInvalidBundle for bytes that are not such an object, kResourceLimit without memory.
  static Result<NativeCode> Load(std::span<const uint8_t> object,
                                 const std::atomic<uint32_t>* cancel = nullptr,
                                 std::vector<SourceLine>* lines = nullptr,
                                 BlockCounters* counters = nullptr);
  // The HOLOGRAM_NATIVE_ABI_VERSION that an object was compiled for; nothing is loaded. Errors as
  // above. Load() refuses any but that of this library.
  static Result<uint32_t> AbiVersionOf(std::span<const uint8_t> object);

  NativeCode(NativeCode&& other) noexcept;
  NativeCode& operator=(NativeCode&& other) noexcept;
  NativeCode(const NativeCode&) = delete;
  NativeCode& operator=(const NativeCode&) = delete;
  ~NativeCode();

  // Lives as long as this object.
  const hologram_kernel_info* info() const { return info_; }
  // Whether an instruction at this address belongs to it.
  bool Holds(uint64_t address) const {
    return address - reinterpret_cast<uintptr_t>(base_) < size_;
  }

 private:
  friend class ObjectLoader;
  NativeCode(std::byte* base, size_t size) : base_(base), size_(size) {}

  std::byte* base_ = nullptr;
  size_t size_ = 0;
  const hologram_kernel_info* info_ = nullptr;
  Announced announced_;
};

}  // namespace hologram::runtime
