#include "dataset.h"

#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

namespace digits {
namespace {

bool ParseLine(std::string_view line, Dataset& dataset) {
  uint32_t fields[kPixels + 1];
  const char* cursor = line.data();
  const char* end = line.data() + line.size();
  for (uint32_t i = 0; i <= kPixels; ++i) {
    const auto [next, failure] = std::from_chars(cursor, end, fields[i]);
    if (failure != std::errc()) return false;
    cursor = next;
    if (i < kPixels && (cursor == end || *cursor++ != ',')) return false;
    if (fields[i] > (i < kPixels ? 16u : kClasses - 1)) return false;
  }
  if (cursor != end) return false;
  for (uint32_t i = 0; i < kPixels; ++i) {
    dataset.pixels.push_back(static_cast<uint8_t>(fields[i]));
  }
  dataset.labels.push_back(static_cast<uint8_t>(fields[kPixels]));
  ++dataset.count;
  return true;
}

}  // namespace

bool ReadDataset(const std::string& path, Dataset& dataset, std::string& error) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) {
    error = path + ": cannot be opened";
    return false;
  }
  char line[1024];
  while (gzgets(file, line, sizeof line) != nullptr) {
    size_t length = std::strlen(line);
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r')) --length;
    if (!ParseLine({line, length}, dataset)) {
      error = path + ":" + std::to_string(dataset.count + 1) + ": expected 64 pixels and a label";
      break;
    }
  }
  gzclose(file);
  if (error.empty() && dataset.count == 0) error = path + ": holds no images";
  return error.empty();
}

void Shuffle(Dataset& dataset, uint64_t seed) {
  uint64_t state = seed;
  const auto next = [&state] {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  };
  for (uint32_t i = dataset.count - 1; i > 0; --i) {
    const uint32_t j = static_cast<uint32_t>(next() % (i + 1));
    if (i == j) continue;
    std::swap(dataset.labels[i], dataset.labels[j]);
    std::swap_ranges(&dataset.pixels[size_t{i} * kPixels],
                     &dataset.pixels[size_t{i} * kPixels] + kPixels,
                     &dataset.pixels[size_t{j} * kPixels]);
  }
}

}  // namespace digits
