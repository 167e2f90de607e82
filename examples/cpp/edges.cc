// Edges of a photograph: a Gaussian blur, the slope by Sobel's operator, a threshold. The three
// kernels (edges.py) were compiled when this program was built; pictures are tensors, which the
// kernels take with their shapes. Loops in C++ do the same, and must give the same bytes.
//
// usage: edges IN.png OUT.png
#include <png.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>

#include "edges_kernels.h"
#include "hologram/tensor.hpp"

namespace {

using hologram::Tensor;
using Picture = Tensor<std::uint8_t>;

constexpr float kLimit = 100;
constexpr double kFewest = 0.05;  // of all pixels of a photograph with something on it
constexpr double kMost = 0.25;

Picture Read(const char* path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, path) == 0) {
    throw std::runtime_error(std::string(path) + ": " + image.message);
  }
  image.format = PNG_FORMAT_GRAY;
  Picture picture({image.height, image.width});
  if (png_image_finish_read(&image, nullptr, picture.data(), 0, nullptr) == 0) {
    throw std::runtime_error(std::string(path) + ": " + image.message);
  }
  return picture;
}

void Write(const char* path, const Picture& picture) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.height = static_cast<png_uint_32>(picture.shape()[0]);
  image.width = static_cast<png_uint_32>(picture.shape()[1]);
  image.format = PNG_FORMAT_GRAY;
  if (png_image_write_to_file(&image, path, 0, picture.data(), 0, nullptr) == 0) {
    throw std::runtime_error(std::string(path) + ": " + image.message);
  }
}

Picture FindEdges(const Picture& src) {
  hologram::Executor exec;
  exec.load_beside(edges_kernels::file, edges_kernels::hash);
  const auto height = static_cast<std::uint32_t>(src.shape()[0]);
  const auto width = static_cast<std::uint32_t>(src.shape()[1]);
  const hologram::LaunchConfig plane = {.grid = {(width + 63) / 64, height, 1},
                                        .block = {64, 1, 1}};
  const Tensor<float> soft(src.shape());
  const Tensor<float> steep(src.shape());
  const Picture edges(src.shape());
  const hologram::Kernel blur = exec.kernel("blur");
  blur.launch(plane, src.view<2>(), soft.view<2>());
  exec.kernel("slope").launch(plane, soft.view<2>(), steep.view<2>());
  exec.kernel("threshold").launch(plane, steep.view<2>(), edges.view<2>(), kLimit);
  std::printf("engine: %s\n", blur.path().c_str());
  return edges;
}

// The same in plain loops, with the sums in the same order.
Picture Expected(const Picture& src) {
  const std::size_t height = src.shape()[0];
  const std::size_t width = src.shape()[1];
  const Tensor<float> soft(src.shape());
  const Picture edges(src.shape());
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      float total = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t row = std::min(std::max<std::size_t>(y + k, 1) - 1, height - 1);
        const float line = static_cast<float>(src(row, std::max<std::size_t>(x, 1) - 1)) +
                           2.0F * static_cast<float>(src(row, x)) +
                           static_cast<float>(src(row, std::min(x + 1, width - 1)));
        total += k == 1 ? 2.0F * line : line;
      }
      soft(y, x) = total * 0.0625F;
    }
  }
  for (std::size_t y = 1; y + 1 < height; ++y) {
    for (std::size_t x = 1; x + 1 < width; ++x) {
      float gx = 0;
      float gy = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const float weight = k == 1 ? 2.0F : 1.0F;
        gx += weight * (soft(y + k - 1, x + 1) - soft(y + k - 1, x - 1));
        gy += weight * (soft(y + 1, x + k - 1) - soft(y - 1, x + k - 1));
      }
      if (std::sqrt(gx * gx + gy * gy) > kLimit) edges(y, x) = 255;
    }
  }
  return edges;
}

int Run(const char* from, const char* to) {
  const Picture src = Read(from);
  const Picture edges = FindEdges(src);
  Write(to, edges);
  const auto found = edges.flat();
  const auto white = std::count(found.begin(), found.end(), 255);
  const double share = static_cast<double>(white) / static_cast<double>(found.size());
  const bool same = std::equal(found.begin(), found.end(), Expected(src).flat().begin());
  std::printf("%zu x %zu: %.2f %% are edges (goal %.0f to %.0f), %s as plain loops find them\n",
              src.shape()[1], src.shape()[0], share * 100, kFewest * 100, kMost * 100,
              same ? "the same" : "NOT the same");
  return same && share >= kFewest && share <= kMost ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: edges IN.png OUT.png\n");
    return 2;
  }
  try {
    return Run(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "edges: %s\n", error.what());
    return 1;
  }
}
