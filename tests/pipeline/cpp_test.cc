// pipeline.hpp with the operations of the standard library: the digits network is the same bits as
// its operations one by one, runs without an allocation, and goes through a file.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "hologram/ops.hpp"
#include "hologram/pipeline.hpp"

namespace {

std::atomic<uint64_t> allocations{0};

}  // namespace

// Of the library too, which takes them from the program.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  void* memory = std::malloc(size);  // NOLINT
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}

namespace {

using hologram::Tensor;

// The check of a launch that is spread over threads allocates.
const int kOneThread = setenv("HOLOGRAM_NUM_THREADS", "1", 1);

struct Network {
  explicit Network(std::size_t rows) : x({rows, 64}), scores({rows, 10}) {
    std::mt19937 random(1);
    for (const Tensor<float>* tensor : {&x, &w1, &b1, &w2, &b2}) {
      for (float& value : tensor->flat()) {
        value = static_cast<float>(random() % 1000) / 2000 - 0.25F;
      }
    }
  }

  Tensor<float> operator()(const Tensor<float>& images) {
    const auto hidden = ops.relu(ops.add(ops.matmul(images, w1), b1));
    return ops.softmax(ops.add(ops.matmul(hidden, w2), b2));
  }

  hologram::Pipeline capture() {
    hologram::Capture capture("digits");
    capture.input("x", x);
    const Tensor<float> made = (*this)(x);
    capture.output("scores", made);
    return capture.finish();
  }

  hologram::Ops ops;
  Tensor<float> x, scores;
  Tensor<float> w1{64, 64}, b1{64}, w2{64, 10}, b2{10};
};

std::vector<float> Elements(const Tensor<float>& tensor) {
  const auto flat = tensor.flat();
  return {flat.begin(), flat.end()};
}

class PipelineOfOps : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Rows, PipelineOfOps, testing::Values(1, 7, 64));

TEST_P(PipelineOfOps, GivesTheBitsOfItsOperations) {
  Network network(GetParam());
  const hologram::Pipeline digits = network.capture();
  ASSERT_EQ(digits.num_arrays(), 2U);
  EXPECT_EQ(std::string(digits.array(1).name), "scores");
  EXPECT_EQ(digits.array(0).extents[0], GetParam());
  for (float& value : network.x.flat()) value = 1 - value;
  digits.run(network.x, network.scores);
  EXPECT_EQ(Elements(network.scores), Elements(network(network.x)));
}

TEST_P(PipelineOfOps, RunsWithoutAnAllocation) {
  ASSERT_EQ(kOneThread, 0);
  Network network(GetParam());
  const hologram::Pipeline digits = network.capture();
  digits.run(network.x, network.scores);
  const uint64_t before = allocations;
  for (int k = 0; k < 100; ++k) digits.run(network.x, network.scores);
  EXPECT_EQ(allocations, before);
}

TEST(Pipeline, GoesThroughAFile) {
  Network network(5);
  const hologram::Pipeline digits = network.capture();
  const hologram::Bundle bundle = digits.bundle("none");
  const std::string path = testing::TempDir() + "digits.holo";
  bundle.save(path);
  hologram::Executor exec;
  const auto loaded = hologram::Pipeline::load(exec, path, bundle.trust_hash());
  EXPECT_EQ(loaded.text(), digits.text());
  Tensor<float> scores({5, 10});
  loaded.run(network.x, scores);
  digits.run(network.x, network.scores);
  EXPECT_EQ(Elements(scores), Elements(network.scores));
  EXPECT_EQ(hologram::Pipeline::load(exec, bundle.data()).name(), "digits");
}

TEST(Pipeline, ErrorsNameTheArray) {
  Network network(5);
  const hologram::Pipeline digits = network.capture();
  const auto error = [&](auto&... arrays) -> std::string {
    try {
      digits.run(arrays...);
    } catch (const hologram::Error& thrown) {
      return thrown.message();
    }
    return "";
  };
  Tensor<float> small({4, 10});
  Tensor<double> other({5, 10});
  std::vector<float> span(50);
  EXPECT_EQ(error(network.x, span), "");
  EXPECT_EQ(error(network.x, small),
            "pipeline 'digits': 'scores' has 160 bytes, expected 200, those of f32 (5, 10)");
  EXPECT_EQ(error(network.x, other),
            "pipeline 'digits': 'scores' expects a writable buffer of f32");
  EXPECT_EQ(error(network.x), "pipeline 'digits' expects 2 arrays, found 1");
  const std::vector<float> fixed(50);
  EXPECT_EQ(error(network.x, fixed),
            "pipeline 'digits': 'scores' expects a writable buffer of f32");
}

// What the program itself does with a result is no launch.
TEST(Pipeline, ChangesByTheProgramAreFound) {
  Network network(5);
  hologram::Capture capture("p");
  capture.input("x", network.x);
  const auto hidden = network.ops.matmul(network.x, network.w1);
  hidden.flat()[3] = 9;
  try {
    network.ops.relu(hidden);
    FAIL();
  } catch (const hologram::Error& error) {
    EXPECT_NE(error.message().find("was changed by something else than a launch"),
              std::string::npos)
        << error.message();
  }
  EXPECT_THROW(capture.finish(), hologram::Error);
}

TEST(Pipeline, OtherThreadsAreNotRecorded) {
  Network network(5);
  Network other(3);
  hologram::Capture capture("p");
  EXPECT_THROW(hologram::Capture("q"), hologram::Error);
  capture.input("x", network.x);
  const auto hidden = network.ops.matmul(network.x, network.w1);
  std::thread([&] { other(other.x); }).join();
  capture.output("y", hidden);
  const std::string text = capture.finish().text();
  EXPECT_EQ(text.find("launch 1"), std::string::npos) << text;
}

TEST(Pipeline, KeepsEachLaunchIfAsked) {
  using Launches = hologram::Capture::Launches;
  Network network(7);
  std::vector<float> results[2];
  for (const Launches launches : {Launches::kMerged, Launches::kSeparate}) {
    hologram::Capture capture("p", launches);
    capture.input("x", network.x);
    const Tensor<float> made = network(network.x);
    capture.output("scores", made);
    const hologram::Pipeline pipeline = capture.finish();
    const bool has_all = pipeline.text().find("launch 5") != std::string::npos;
    EXPECT_EQ(has_all, launches == Launches::kSeparate) << pipeline.text();
    pipeline.run(network.x, network.scores);
    results[has_all ? 1 : 0] = Elements(network.scores);
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST(Pipeline, SeveralThreadsRunOne) {
  Network network(7);
  const hologram::Pipeline digits = network.capture();
  const std::vector<float> expected = Elements(network(network.x));
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      Tensor<float> scores({7, 10});
      for (int k = 0; k < 200; ++k) {
        digits.run(network.x, scores);
        wrong += Elements(scores) != expected ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
