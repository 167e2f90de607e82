// Does a layout in classes help a tiled loop? C = A B of f32, 768 x 768, by one tile product:
// matrices row by row, or each tile contiguous. Class tiles have 3,072 elements, 12,288 bytes,
// factors 2 and 3 alone: A in 48 x 64, B in 64 x 48. Beside them tiles of 64 x 64, powers of two.
// The walks down a column show what the row length of a class does to a cache whose sets are a
// power of two.
//
// class_layout prints times; the least of 40 rounds counts. docs/sigmatics.md has the result.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace {

constexpr size_t kSize = 768;
constexpr int kRounds = 40;
using Clock = std::chrono::steady_clock;

// How far apart the rows of a tile are, and where tile (r, c) of kRows x kColumns begins.
template <size_t kRows, size_t kColumns>
struct ByRow {
  static constexpr size_t kStep = kSize;
  static size_t At(size_t r, size_t c) { return r * kRows * kSize + c * kColumns; }
};
template <size_t kRows, size_t kColumns>
struct ByTile {
  static constexpr size_t kStep = kColumns;
  static size_t At(size_t r, size_t c) { return (r * (kSize / kColumns) + c) * kRows * kColumns; }
};

// C in tiles of kR x kC, row by row; A in kR x kK and B in kK x kC, as the layout says.
template <template <size_t, size_t> class Layout, size_t kR, size_t kK, size_t kC>
void Multiply(const std::vector<float>& a, const std::vector<float>& b, std::vector<float>& c) {
  using A = Layout<kR, kK>;
  using B = Layout<kK, kC>;
  for (size_t r = 0; r < kSize / kR; ++r) {
    for (size_t s = 0; s < kSize / kC; ++s) {
      float sums[kR][kC] = {};
      for (size_t t = 0; t < kSize / kK; ++t) {
        const float* tile_a = &a[A::At(r, t)];
        const float* tile_b = &b[B::At(t, s)];
        for (size_t i = 0; i < kR; ++i) {
          for (size_t k = 0; k < kK; ++k) {
            const float x = tile_a[i * A::kStep + k];
            const float* row = tile_b + k * B::kStep;
            for (size_t j = 0; j < kC; ++j) sums[i][j] += x * row[j];
          }
        }
      }
      for (size_t i = 0; i < kR; ++i) {
        std::copy(sums[i], sums[i] + kC, &c[(r * kR + i) * kSize + s * kC]);
      }
    }
  }
}

template <class F>
double Seconds(F run) {
  const Clock::time_point start = Clock::now();
  run();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// One way to multiply; the ways take turns, so that a busy moment hits all of them.
struct Way {
  const char* name;
  void (*multiply)(const std::vector<float>&, const std::vector<float>&, std::vector<float>&);
  double seconds = 1e9;
};

void Walk(const char* name, size_t stride) {
  constexpr size_t kRows = 512;
  constexpr size_t kColumns = 16;
  std::vector<float> x(kRows * stride + kColumns);
  volatile float keep = 0;
  const auto walk = [&] {
    float sum = 0;
    for (int round = 0; round < 20; ++round) {
      for (size_t j = 0; j < kColumns; ++j) {
        for (size_t i = 0; i < kRows; ++i) sum += x[i * stride + j];
      }
    }
    keep = sum;
  };
  double seconds = 1e9;
  for (int round = 0; round < kRounds; ++round) seconds = std::min(seconds, Seconds(walk));
  std::printf("%-40s %7.2f ns per element\n", name, 1e9 * seconds / (20.0 * kRows * kColumns));
}

}  // namespace

int main() {
  const std::vector<float> a(kSize * kSize, 0.5F);
  const std::vector<float> b(kSize * kSize, 0.25F);
  std::vector<float> c(kSize * kSize);
  Way ways[] = {{"row by row, tiles of 3,072 elements", Multiply<ByRow, 48, 64, 48>},
                {"each tile one class", Multiply<ByTile, 48, 64, 48>},
                {"row by row, tiles of 64 x 64", Multiply<ByRow, 64, 64, 64>},
                {"tiles of 64 x 64 contiguous", Multiply<ByTile, 64, 64, 64>}};
  for (int round = 0; round < kRounds; ++round) {
    for (Way& way : ways) {
      way.seconds = std::min(way.seconds, Seconds([&] { way.multiply(a, b, c); }));
    }
  }
  for (const Way& way : ways) {
    std::printf("%-40s %7.2f ms %6.1f GFLOP/s\n", way.name, 1e3 * way.seconds,
                2e-9 * kSize * kSize * kSize / way.seconds);
  }
  std::printf("contiguous / row by row: classes %.2f, powers of two %.2f\n",
              ways[1].seconds / ways[0].seconds, ways[3].seconds / ways[2].seconds);
  Walk("down a column, rows of 12,288 bytes", 3072);
  Walk("down a column, rows of 16,384 bytes", 4096);
  Walk("down a column, rows of 12,352 bytes", 3088);
  return 0;
}
