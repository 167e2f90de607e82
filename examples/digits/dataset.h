// Reading and shuffling the digits file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace digits {

inline constexpr uint32_t kPixels = 64;
inline constexpr uint32_t kClasses = 10;

struct Dataset {
  uint32_t count = 0;
  std::vector<uint8_t> pixels;  // count x 64, values 0..16, row-major
  std::vector<uint8_t> labels;  // count, 0..9
};

// Reads gzip'd lines of 64 pixels and a label. False on failure, with the reason in `error`.
bool ReadDataset(const std::string& path, Dataset& dataset, std::string& error);

// Fisher-Yates with a fixed xorshift generator: the same order on every machine.
void Shuffle(Dataset& dataset, uint64_t seed);

}  // namespace digits
