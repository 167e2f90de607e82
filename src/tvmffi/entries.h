// The machine code of the exported functions: five arguments become six, and a jump. Tested by
// tests/tvmffi.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace hologram::tvmffi {

inline constexpr uint64_t kEntryBytes = 32;

// Of `count` functions from address `place` on, for a machine of ELF (EM_X86_64, EM_AARCH64).
// Function k passes on its four arguments, `programs` and k to `target`; all are addresses in one
// library. Errors: another machine (kInternal), a distance that the instructions do not reach
// (kResourceLimit).
Result<std::vector<uint8_t>> WriteEntries(uint16_t machine, uint64_t place, uint64_t programs,
                                          uint64_t target, uint32_t count);

}  // namespace hologram::tvmffi
