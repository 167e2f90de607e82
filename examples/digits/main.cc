// Handwritten digits: softmax regression trained on 80 % of the pictures and evaluated on the rest.
// All numerics are kernels written in Python (kernels/nn/digits.py), compiled when this program was
// built; what runs here is their native code from the bundle beside the executable, trusted by the
// hash in digits_kernels.h. There is neither Python nor LLVM in this process.
//
// usage: digits DIGITS.csv.gz OUT_DIR     prints the accuracy and pictures a second, and writes
//                                         OUT_DIR/digits.png
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "dataset.h"
#include "digits_kernels.h"
#include "hologram/hologram.hpp"
#include "report.h"

namespace digits {
namespace {

using hologram::Buffer;
using hologram::Executor;
using hologram::Kernel;
using hologram::LaunchConfig;

constexpr uint64_t kSeed = 0x9e3779b97f4a7c15;
constexpr uint32_t kEpochs = 400;
constexpr float kRate = 0.5f;
constexpr float kDecay = 1e-4f;
constexpr double kGoal = 0.94;

double Seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// One lane per element of a width x height plane.
LaunchConfig Plane(uint32_t width, uint32_t height) {
  LaunchConfig config;
  config.block = {64, 1, 1};
  config.grid = {(width + 63) / 64, height, 1};
  return config;
}

// Pictures in the two layouts that the kernels read.
struct Pictures {
  Pictures(Executor& exec, const Dataset& data, uint32_t first, uint32_t end)
      : count(end - first),
        labels(count),
        x(size_t{count} * kPixels),
        x_t(size_t{count} * kPixels) {
    Buffer<uint8_t> raw(x.size());
    std::copy_n(&data.pixels[size_t{first} * kPixels], raw.size(), raw.begin());
    std::copy_n(&data.labels[first], count, labels.begin());
    exec.kernel("normalise")(raw, x, static_cast<uint32_t>(x.size()));
    exec.kernel("transpose_pictures").launch(Plane(count, kPixels), x, x_t, kPixels, count);
  }

  uint32_t count;
  Buffer<uint8_t> labels;
  Buffer<float> x;    // [count][pixels]
  Buffer<float> x_t;  // [pixels][count]
};

struct Model {
  Buffer<float> weights{size_t{kClasses} * kPixels};
  Buffer<float> bias{kClasses};
};

void Train(Executor& exec, Pictures& pictures, Model& model) {
  const Kernel logits = exec.kernel("logits");
  const Kernel softmax_error = exec.kernel("softmax_error");
  const Kernel update_weights = exec.kernel("update_weights");
  const Kernel update_bias = exec.kernel("update_bias");
  Buffer<float> scores(size_t{pictures.count} * kClasses);
  Buffer<float> error(scores.size());
  LaunchConfig per_picture;
  per_picture.grid = {(pictures.count + 255) / 256, 1, 1};
  per_picture.block = {256, 1, 1};
  for (uint32_t epoch = 0; epoch < kEpochs; ++epoch) {
    logits.launch(Plane(pictures.count, kClasses), pictures.x_t, model.weights, model.bias, scores,
                  pictures.count, kPixels, kClasses);
    softmax_error.launch(per_picture, scores, pictures.labels, error, pictures.count, kClasses);
    update_weights.launch(Plane(kPixels, kClasses), error, pictures.x, model.weights, kRate, kDecay,
                          pictures.count, kPixels, kClasses);
    update_bias(error, model.bias, kRate, pictures.count, kClasses);
  }
}

struct Evaluation {
  Buffer<uint8_t> predictions;
  Buffer<uint32_t> matrix;  // [label][prediction]
};

Evaluation Evaluate(Executor& exec, Pictures& pictures, Model& model) {
  Buffer<float> scores(size_t{pictures.count} * kClasses);
  Buffer<uint8_t> predictions(pictures.count);
  Buffer<uint32_t> matrix(size_t{kClasses} * kClasses);
  exec.kernel("logits").launch(Plane(pictures.count, kClasses), pictures.x_t, model.weights,
                               model.bias, scores, pictures.count, kPixels, kClasses);
  LaunchConfig per_picture;
  per_picture.grid = {(pictures.count + 255) / 256, 1, 1};
  per_picture.block = {256, 1, 1};
  exec.kernel("classify").launch(per_picture, scores, predictions, pictures.count, kClasses);
  exec.kernel("confusion")
      .launch(per_picture, predictions, pictures.labels, matrix, pictures.count, kClasses);
  return {std::move(predictions), std::move(matrix)};
}

double Accuracy(const Buffer<uint32_t>& matrix, uint32_t count) {
  uint32_t right = 0;
  for (uint32_t c = 0; c < kClasses; ++c) right += matrix[size_t{c} * kClasses + c];
  return static_cast<double>(right) / count;
}

// Weights and errors of the model, as one picture.
void WritePicture(Executor& exec, Model& model, const Evaluation& result, const Pictures& pictures,
                  const Dataset& data, const std::string& path) {
  Report report;
  report.held_out = pictures.count;
  report.accuracy = Accuracy(result.matrix, pictures.count);
  report.zoom = 10;
  report.largest_weight = 1e-9f;
  for (const float w : model.weights) {
    report.largest_weight = std::max(report.largest_weight, std::fabs(w));
  }
  const uint32_t width = kClasses * 9 * report.zoom;
  const uint32_t height = 9 * report.zoom;
  Buffer<uint8_t> weights(size_t{width} * height);
  exec.kernel("weight_picture")
      .launch(Plane(width, height), model.weights, weights, 127.0f / report.largest_weight, width,
              height, report.zoom);
  report.weights.assign(weights.begin(), weights.end());
  report.matrix.assign(result.matrix.begin(), result.matrix.end());
  const size_t first = data.count - pictures.count;
  for (size_t i = 0; i < pictures.count; ++i) {
    if (result.predictions[i] == pictures.labels[i]) continue;
    const auto pixels = data.pixels.begin() + static_cast<std::ptrdiff_t>((first + i) * kPixels);
    report.misread.push_back(
        {{pixels, pixels + kPixels}, pictures.labels[i], result.predictions[i]});
  }
  if (!WriteReport(path, report)) throw std::runtime_error(path + ": cannot be written");
}

int Run(const std::string& data_file, const std::string& out_dir) {
  Dataset data;
  std::string error;
  if (!ReadDataset(data_file, data, error)) throw std::runtime_error(error);
  Shuffle(data, kSeed);
  Executor exec;
  exec.load_beside(digits_kernels::file, digits_kernels::hash);
  const uint32_t split = data.count * 8 / 10;
  Pictures train(exec, data, 0, split);
  Pictures held_out(exec, data, split, data.count);
  std::printf("engine: %s\n", exec.kernel("logits").path().c_str());

  Model model;
  const double start = Seconds();
  Train(exec, train, model);
  const double seconds = Seconds() - start;
  std::printf("trained on %u pictures, %u epochs in %.2f s: %.0f images/s\n", train.count, kEpochs,
              seconds, static_cast<double>(train.count) * kEpochs / seconds);

  const Evaluation result = Evaluate(exec, held_out, model);
  const double accuracy = Accuracy(result.matrix, held_out.count);
  std::printf("accuracy on %u held-out pictures: %.4f (goal %.2f)\n", held_out.count, accuracy,
              kGoal);
  WritePicture(exec, model, result, held_out, data, out_dir + "/digits.png");
  return accuracy >= kGoal ? 0 : 1;
}

}  // namespace
}  // namespace digits

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: digits DIGITS.csv.gz OUT_DIR\n");
    return 2;
  }
  try {
    return digits::Run(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "digits: %s\n", error.what());
    return 1;
  }
}
