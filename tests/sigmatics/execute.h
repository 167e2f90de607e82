// Resolved circuits executed on f32 arrays, plainly: the reference for the forms of memory mode.
// Elements are drawn from special values, NaNs with payloads and numbers that round.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "sigmatics/lower/call.h"

namespace hologram::sigmatics {

inline constexpr size_t kElements = 5;
using Memory = std::vector<std::vector<uint32_t>>;  // bits of each class

// All 96 classes with data.
Memory RandomMemory(uint64_t seed);
// Changes the memory by one resolved call without scalars.
void Execute(const Call& call, Memory& memory, const std::vector<uint32_t>& scalars = {});

// A kernel of f32: two inputs, one in-out, two outputs, two scalars.
std::string RandomKernel(std::mt19937_64& random);
// The outputs, in the order of the header, for the same data whatever the names.
Memory ExecuteKernel(const std::string& text, uint64_t seed);

}  // namespace hologram::sigmatics
