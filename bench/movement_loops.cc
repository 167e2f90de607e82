// Compiled with -O3 -march=native -ffast-math: loops whose work is where the data lies.
#include "peers.h"

namespace hologram::bench {

void GatherLoop(const float* __restrict table, const uint32_t* __restrict index,
                float* __restrict out, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) out[i] = table[index[i]];
}

void HistogramLoop(const uint8_t* __restrict data, uint32_t* __restrict counts, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) ++counts[data[i]];
}

void TransposeLoop(const float* __restrict from, float* __restrict to, uint32_t width,
                   uint32_t height) {
  for (uint32_t y = 0; y < height; ++y) {
    for (uint32_t x = 0; x < width; ++x) to[x * height + y] = from[y * width + x];
  }
}

// The rim is copied.
void Stencil5Loop(const float* __restrict from, float* __restrict to, uint32_t width,
                  uint32_t height) {
  for (uint32_t y = 0; y < height; ++y) {
    const float* row = from + y * width;
    float* out = to + y * width;
    if (y == 0 || y + 1 == height) {
      for (uint32_t x = 0; x < width; ++x) out[x] = row[x];
      continue;
    }
    const float* up = row - width;
    const float* down = row + width;
    out[0] = row[0];
    for (uint32_t x = 1; x + 1 < width; ++x) {
      out[x] = 0.2f * (row[x] + row[x - 1] + row[x + 1] + up[x] + down[x]);
    }
    out[width - 1] = row[width - 1];
  }
}

void Stencil7Loop(const float* __restrict from, float* __restrict to, float rate, uint32_t width,
                  uint32_t height, uint32_t depth) {
  const uint32_t plane = width * height;
  for (uint32_t z = 0; z < depth; ++z) {
    for (uint32_t y = 0; y < height; ++y) {
      const float* row = from + (z * height + y) * width;
      float* out = to + (z * height + y) * width;
      if (z == 0 || z + 1 == depth || y == 0 || y + 1 == height) {
        for (uint32_t x = 0; x < width; ++x) out[x] = row[x];
        continue;
      }
      out[0] = row[0];
      const float* up = row - width;
      const float* down = row + width;
      const float* before = row - plane;
      const float* behind = row + plane;
      for (uint32_t x = 1; x + 1 < width; ++x) {
        const float around = row[x - 1] + row[x + 1] + up[x] + down[x] + before[x] + behind[x];
        out[x] = row[x] + rate * (around - 6.0f * row[x]);
      }
      out[width - 1] = row[width - 1];
    }
  }
}

void ScanLoop(const float* __restrict x, float* __restrict out, uint32_t n) {
  float sum = 0.0f;
  for (uint32_t i = 0; i < n; ++i) {
    sum += x[i];
    out[i] = sum;
  }
}

}  // namespace hologram::bench
