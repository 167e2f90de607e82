// Compiled with -O3 -march=native -ffast-math: rows in three passes, exponentials by libmvec.
#include <cmath>

#include "peers.h"

namespace hologram::bench {

void SoftmaxLoop(const float* __restrict x, float* __restrict y, uint32_t rows, uint32_t columns) {
  for (uint32_t row = 0; row < rows; ++row, x += columns, y += columns) {
    float top = x[0];
    for (uint32_t j = 1; j < columns; ++j) top = x[j] > top ? x[j] : top;
    float total = 0.0f;
    for (uint32_t j = 0; j < columns; ++j) {
      y[j] = expf(x[j] - top);
      total += y[j];
    }
    const float scale = 1.0f / total;
    for (uint32_t j = 0; j < columns; ++j) y[j] *= scale;
  }
}

void LayerNormLoop(const float* __restrict x, const float* __restrict gamma,
                   const float* __restrict beta, float* __restrict y, uint32_t rows,
                   uint32_t columns, float epsilon) {
  const float count = static_cast<float>(columns);
  for (uint32_t row = 0; row < rows; ++row, x += columns, y += columns) {
    float total = 0.0f;
    for (uint32_t j = 0; j < columns; ++j) total += x[j];
    const float mean = total / count;
    float squares = 0.0f;
    for (uint32_t j = 0; j < columns; ++j) squares += (x[j] - mean) * (x[j] - mean);
    const float scale = 1.0f / sqrtf(squares / count + epsilon);
    for (uint32_t j = 0; j < columns; ++j) y[j] = (x[j] - mean) * scale * gamma[j] + beta[j];
  }
}

}  // namespace hologram::bench
