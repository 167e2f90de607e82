// The picture that the digits program ends with: weights, confusion matrix, misread digits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace digits {

struct Misread {
  std::vector<uint8_t> pixels;  // 8 x 8 values, 0..16
  uint8_t label = 0;
  uint8_t prediction = 0;
};

struct Report {
  uint32_t held_out = 0;
  double accuracy = 0;
  float largest_weight = 0;
  uint32_t zoom = 0;             // pixels on a side of one weight in `weights`
  std::vector<uint8_t> weights;  // of kernel weight_picture, 128 is 0
  std::vector<uint32_t> matrix;  // [label][prediction]
  std::vector<Misread> misread;
};

// Returns false if the file cannot be written.
bool WriteReport(const std::string& path, const Report& report);

}  // namespace digits
