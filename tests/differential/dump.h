// A case (a program, a launch, and what the interpreter made of it) as bytes, for a reference in
// another language: numpy_reference.py reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "launch/fault_text.h"
#include "launch/launch.h"
#include "random_program.h"

namespace hologram::tests {

// Little-endian: u64 number; u32 size, code bytes; 6 u32 grid and block; u64 budget; u32 count,
// (u32 pc, u32 target) of the jumps that count on the budget; u32 count, u64 scalars; u32 count,
// (u64 size, bytes) of the buffers before; u32 fault code, u32 pc, u64 lane, i64 index; the bytes
// of the buffers after. `guarded`: of the launch.
std::vector<uint8_t> DumpCase(uint64_t number, const verify::VerifiedProgram& program,
                              const TestLaunch& launch, bool guarded,
                              const std::optional<launch::Fault>& fault,
                              const std::vector<std::vector<uint8_t>>& after);

}  // namespace hologram::tests
