// The objects made of native_add.c, and the program that they implement.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "assembled.h"

namespace hologram::test {

inline std::vector<uint8_t> ReadObject(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  EXPECT_FALSE(bytes.empty()) << path;
  return bytes;
}

inline std::vector<uint8_t> AddObject() {
  return ReadObject(HOLOGRAM_NATIVE_ADD);
}

}  // namespace hologram::test
