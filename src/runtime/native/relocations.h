// The relocations of objects that the code generator writes, for each processor that runs them.
// Tested by tests/runtime/relocations_test.cc.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "base/targets.h"

namespace hologram::runtime {

// The e_machine of code that this build loads.
inline constexpr uint16_t kHostMachine = kHostFamily == Family::kAArch64 ? EM_AARCH64 : EM_X86_64;

struct Relocation {
  uint32_t type;     // R_X86_64_64, R_AARCH64_CALL26, ...
  std::byte* place;  // what is changed
  uint64_t room;     // bytes from there to the end of its section
  uint64_t address;  // that `place` will run at
  uint64_t value;    // symbol and addend
};

// The address of a relocation's place is any, and so is its value: nothing is assumed of either.
// Errors: kInvalidBundle for a type that the code generator does not use, a place that does not fit
// its section, a value that does not fit its place.
Status ApplyRelocation(uint16_t machine, const Relocation& relocation);

}  // namespace hologram::runtime
