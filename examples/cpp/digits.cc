// Handwritten digits by softmax regression, in 40 lines: prints the accuracy on new pictures.
#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "hologram/ops.hpp"
using hologram::Tensor;

int main(int count, char** arguments) {
  std::vector<std::array<float, 66>> rows;  // 64 pixels, a bias, the digit
  const gzFile file = gzopen(count > 1 ? arguments[1] : "digits.csv.gz", "rb");
  for (char line[512]; file != nullptr && gzgets(file, line, sizeof line) != nullptr;) {
    std::array<float, 66>& row = rows.emplace_back();
    char* at = line;
    for (std::size_t k = 0; k < 65; ++k, ++at) row[k + k / 64] = std::strtof(at, &at);
    row[64] = 16;
  }
  if (rows.size() < 1000) return std::puts("usage: digits_ops DIGITS.csv.gz"), 2;
  std::shuffle(rows.begin(), rows.end(), std::mt19937(1));
  const std::size_t held_out = 360, training = rows.size() - held_out;
  Tensor<float> x({rows.size(), 65}), y({rows.size(), 10}), w({65, 10});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = 0; k < 65; ++k) x(i, k) = rows[i][k] / 16;
    y(i, static_cast<std::size_t>(rows[i][65])) = 1;
  }
  const auto train_x = x.narrow(0, held_out, training), train_y = y.narrow(0, held_out, training);
  hologram::Ops ops;
  for (int epoch = 0; epoch < 300; ++epoch) {
    const auto error = ops.sub(ops.softmax(ops.matmul(train_x, w)), train_y);
    ops.scalar_mul(error, 1 / static_cast<float>(training), error);
    ops.sub(w, ops.matmul(train_x.transpose(), error), w);
  }
  const auto found = ops.argmax(ops.matmul(x.narrow(0, 0, held_out), w), 1);
  double right = 0;
  for (std::size_t i = 0; i < held_out; ++i) right += rows[i][65] == static_cast<float>(found(i));
  std::printf("accuracy on %zu held-out pictures: %.4f (goal 0.94)\n", held_out, right / held_out);
  return right >= 0.94 * held_out ? 0 : 1;
}
