// Plans by hand and recorded: what is refused, what shares memory, and that what is saved, loaded
// and run gives the bits of the launches themselves.
#include "pipeline/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "pipeline/file.h"
#include "pipeline/recorder.h"
#include "plan/encoding.h"
#include "runtime/assembled.h"
#include "runtime/executor.h"

namespace hologram::pipeline {
namespace {

constexpr char kUnaryText[] = R"(
.kernel twice
.param x f32[] in
.param y f32[] out
.param n u32
  sreg.u32 r5, global.x
  setge.u32 p0, r5, r3
  bra.p0 @end
  ldg.f32 r6, [r1 + r5*4]
  add.f32 r7, r6, r6
  stg.f32 [r2 + r5*4], r7
end:
  exit
)";

constexpr char kUpdateText[] = R"(
.kernel count_up
.param y f32[] inout
.param n u32
  sreg.u32 r5, global.x
  setge.u32 p0, r5, r2
  bra.p0 @end
  ldg.f32 r6, [r1 + r5*4]
  add.f32 r7, r6, r6
  stg.f32 [r1 + r5*4], r7
end:
  exit
)";

using KernelPointer = std::shared_ptr<const runtime::Kernel>;

class PipelineTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* text : {test::kAddText, kUnaryText, kUpdateText}) {
      ASSERT_TRUE(executor_.Add(test::Assembled(text), false).ok());
    }
    add_ = executor_.Find("vector_add").value();
    twice_ = executor_.Find("twice").value();
    update_ = executor_.Find("count_up").value();
  }

  static hologram_buffer_ref Ref(std::vector<float>& values) {
    return {values.data(), values.size() * sizeof(float)};
  }

  // A launch, recorded; the error of either.
  Status Launch(Recorder& recorder, const KernelPointer& kernel,
                std::vector<hologram_buffer_ref> buffers, uint64_t n) {
    const std::vector<uint64_t> scalars = {n};
    const runtime::LaunchConfig config;
    HOLOGRAM_RETURN_IF_ERROR(recorder.Before(kernel, buffers, scalars, config));
    HOLOGRAM_RETURN_IF_ERROR(kernel->Launch(buffers, scalars, config));
    recorder.After();
    return Success{};
  }

  static NamedArray Named(const std::string& name, std::vector<float>& values) {
    return {name, isa::Type::kF32, {values.size()}, values.data()};
  }

  // y = twice(twice(x + w)) + x, with a temporary more than at one time is needed.
  Result<std::unique_ptr<const Pipeline>> Chain(size_t n) {
    x_.assign(n, 1.5F);
    w_.assign(n, 2.0F);
    std::vector<float> a(n);
    std::vector<float> b(n);
    std::vector<float> c(n);
    y_.assign(n, 0);
    Recorder recorder;
    HOLOGRAM_RETURN_IF_ERROR(recorder.AddInput(Named("x", x_)));
    HOLOGRAM_RETURN_IF_ERROR(Launch(recorder, add_, {Ref(x_), Ref(w_), Ref(a)}, n));
    HOLOGRAM_RETURN_IF_ERROR(Launch(recorder, twice_, {Ref(a), Ref(b)}, n));
    HOLOGRAM_RETURN_IF_ERROR(Launch(recorder, twice_, {Ref(b), Ref(c)}, n));
    HOLOGRAM_RETURN_IF_ERROR(Launch(recorder, add_, {Ref(c), Ref(x_), Ref(y_)}, n));
    HOLOGRAM_RETURN_IF_ERROR(recorder.AddOutput(Named("y", y_)));
    return recorder.Finish("chain");
  }

  static std::vector<float> Run(const Pipeline& pipeline, std::vector<float> x) {
    std::vector<float> y(x.size(), -1);
    const std::vector<hologram_buffer_ref> arguments = {Ref(x), Ref(y)};
    const Status status = pipeline.Run(arguments);
    EXPECT_TRUE(status.ok()) << status.errors()[0].message;
    return y;
  }

  static std::string ErrorOf(const Status& status) {
    return status.ok() ? "" : status.errors()[0].message;
  }

  runtime::Executor executor_;
  KernelPointer add_;
  KernelPointer twice_;
  KernelPointer update_;
  std::vector<float> x_;
  std::vector<float> w_;
  std::vector<float> y_;
};

TEST_F(PipelineTest, RunsOnNewArrays) {
  const auto made = Chain(300);
  ASSERT_TRUE(made.ok()) << made.errors()[0].message;
  EXPECT_EQ(y_[7], 4 * (1.5F + 2) + 1.5F);
  std::vector<float> x(300);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  w_.assign(300, 99);  // the constant is a copy
  const std::vector<float> y = Run(*made.value(), x);
  for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(y[i], 4 * (x[i] + 2) + x[i]);
}

TEST_F(PipelineTest, TemporariesShareMemory) {
  const auto made = Chain(300);
  ASSERT_TRUE(made.ok());
  const Layout& layout = made.value()->layout();
  constexpr uint64_t kOne = 1216;  // 300 floats, rounded up to 64 bytes
  EXPECT_EQ(layout.unshared, 3 * kOne);
  EXPECT_EQ(layout.bytes, 2 * kOne);
}

// Any two temporaries that live at one time are apart, whatever launches there are.
TEST_F(PipelineTest, MemoryThatIsNeededIsApart) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    Plan plan;
    plan.name = "random";
    plan.num_kernels = 1;
    const auto count = static_cast<uint32_t>(1 + random() % 12);
    for (uint32_t k = 0; k < count; ++k) {
      Array& array = plan.arrays.emplace_back();
      array.bytes = 1 + random() % 500;
    }
    for (size_t k = 0; k < 20; ++k) {
      Step& step = plan.steps.emplace_back();
      for (int j = 0; j < 2; ++j) {
        const auto array = static_cast<uint32_t>(random() % count);
        step.operands.push_back({array, 0, plan.arrays[array].bytes});
      }
    }
    const auto layout = PlanMemory(plan);
    ASSERT_TRUE(layout.ok());
    std::vector<size_t> first(count, SIZE_MAX);
    std::vector<size_t> last(count, 0);
    for (size_t k = 0; k < plan.steps.size(); ++k) {
      for (const Operand& operand : plan.steps[k].operands) {
        first[operand.array] = std::min(first[operand.array], k);
        last[operand.array] = k;
      }
    }
    const auto& places = layout.value().offsets;
    for (uint32_t a = 0; a < count; ++a) {
      if (first[a] == SIZE_MAX) continue;
      EXPECT_EQ(places[a] % kAlignment, 0U);
      EXPECT_LE(places[a] + plan.arrays[a].bytes, layout.value().bytes);
      for (uint32_t b = 0; b < a; ++b) {
        if (first[b] == SIZE_MAX || first[a] > last[b] || first[b] > last[a]) continue;
        EXPECT_TRUE(places[a] + plan.arrays[a].bytes <= places[b] ||
                    places[b] + plan.arrays[b].bytes <= places[a]);
      }
    }
  }
}

TEST_F(PipelineTest, ArgumentsAreChecked) {
  const auto made = Chain(300);
  ASSERT_TRUE(made.ok());
  std::vector<float> x(300);
  std::vector<float> y(300);
  std::vector<float> other(301);
  const auto error = [&](std::vector<hologram_buffer_ref> arguments) {
    return ErrorOf(made.value()->Run(arguments));
  };
  EXPECT_EQ(error({Ref(x)}), "pipeline 'chain' expects 2 arrays, found 1");
  EXPECT_EQ(error({Ref(x), Ref(other)}),
            "pipeline 'chain': 'y' has 1204 bytes, expected 1200, those of f32 (300,)");
  EXPECT_EQ(error({Ref(x), {nullptr, 1200}}), "pipeline 'chain': 'y' is NULL");
  EXPECT_EQ(error({Ref(x), {reinterpret_cast<char*>(other.data()) + 2, 1200}}),
            "pipeline 'chain': 'y' is not aligned to its elements");
  EXPECT_EQ(error({Ref(x), Ref(x)}), "pipeline 'chain': 'y' overlaps 'x'");
  EXPECT_EQ(error({{other.data(), 1200}, {other.data() + 1, 1200}}),
            "pipeline 'chain': 'y' overlaps 'x'");
}

TEST_F(PipelineTest, WhatCannotBeRecordedIsRefused) {
  std::vector<float> x(4, 1);
  std::vector<float> y(4);
  std::vector<float> z(4);
  {
    Recorder recorder;
    EXPECT_EQ(ErrorOf(Launch(recorder, update_, {Ref(y)}, 4)),
              "capture: 'y' of kernel 'count_up' is read and written, and no launch has filled it; "
              "a pipeline keeps nothing from one run to the next");
    EXPECT_EQ(y[0], 0);                                   // it did not run
    EXPECT_FALSE(recorder.AddInput(Named("x", x)).ok());  // the first error stays
    EXPECT_FALSE(recorder.Finish("p").ok());
  }
  {
    Recorder recorder;
    ASSERT_TRUE(recorder.AddInput(Named("x", x)).ok());
    EXPECT_EQ(ErrorOf(Launch(recorder, twice_, {Ref(y), Ref(x)}, 4)),
              "capture: 'y' of kernel 'twice' is an input of the capture, and is written");
  }
  {
    Recorder recorder;
    EXPECT_EQ(
        ErrorOf(Launch(recorder, twice_, {Ref(x), Ref(x)}, 4)),
        "capture: kernel 'twice' writes over an array that it reads, and that no launch has made; "
        "a pipeline keeps nothing from one run to the next");
  }
  {
    Recorder recorder;
    ASSERT_TRUE(Launch(recorder, twice_, {Ref(x), Ref(y)}, 4).ok());
    y[2] = 7;
    EXPECT_EQ(ErrorOf(Launch(recorder, twice_, {Ref(y), Ref(z)}, 4)),
              "capture: 'x' of kernel 'twice' was changed by something else than a launch, which a "
              "run of the pipeline would not repeat");
  }
  {
    Recorder recorder;
    ASSERT_TRUE(recorder.Keep(y.data(), 16).ok());
    EXPECT_EQ(ErrorOf(Launch(recorder, twice_, {Ref(y), Ref(z)}, 4)),
              "capture: 'x' of kernel 'twice' is read before a launch has written it");
  }
  {
    Recorder recorder;
    ASSERT_TRUE(Launch(recorder, twice_, {Ref(x), {y.data(), 8}}, 2).ok());
    EXPECT_EQ(ErrorOf(Launch(recorder, twice_, {Ref(y), Ref(z)}, 4)),
              "capture: 'x' of kernel 'twice' reaches beyond what launches have written of it");
  }
  {
    Recorder recorder;
    runtime::LaunchConfig config;
    config.engine = launch::Engine::kInterpreter;
    const std::vector<hologram_buffer_ref> buffers = {Ref(x), Ref(y)};
    const std::vector<uint64_t> scalars = {4};
    EXPECT_EQ(ErrorOf(recorder.Before(twice_, buffers, scalars, config)),
              "capture: kernel 'twice' is launched on interpreter");
  }
}

TEST_F(PipelineTest, InputsAndOutputsAreChecked) {
  std::vector<float> x(4, 1);
  std::vector<float> y(4);
  const auto after_launch = [&](const NamedArray& output) {
    Recorder recorder;
    EXPECT_TRUE(recorder.AddInput(Named("x", x)).ok());
    EXPECT_TRUE(Launch(recorder, twice_, {Ref(x), Ref(y)}, 4).ok());
    return ErrorOf(recorder.AddOutput(output));
  };
  EXPECT_EQ(after_launch(Named("y", y)), "");
  EXPECT_EQ(after_launch(Named("x", y)), "capture: two arrays are called 'x'");
  EXPECT_EQ(after_launch(Named("z", x)),
            "capture: output 'z' was not written by a launch of the capture");
  EXPECT_EQ(after_launch({"y", isa::Type::kF32, {2}, y.data()}),
            "capture: output 'y' is a part of an array; take all of it, or copy the part");
  EXPECT_EQ(after_launch({"y", isa::Type::kF32, {0}, y.data()}),
            "capture: 'y' has no elements, or too many");
  EXPECT_EQ(after_launch({"y", isa::Type::kF32, {UINT64_MAX, UINT64_MAX}, y.data()}),
            "capture: 'y' has no elements, or too many");
  EXPECT_EQ(after_launch({"a\n", isa::Type::kF32, {4}, y.data()}).substr(0, 26),
            "capture: expected a name w");
  Recorder recorder;
  ASSERT_TRUE(recorder.AddInput(Named("x", x)).ok());
  ASSERT_TRUE(Launch(recorder, twice_, {Ref(x), Ref(y)}, 4).ok());
  EXPECT_EQ(recorder.Finish("p").errors()[0].message, "capture: there is no output");
}

// Where results need not stay, memory that is used again for something else is that.
TEST_F(PipelineTest, MemoryIsUsedAgain) {
  std::vector<float> x(4, 1);
  std::vector<float> scratch(4);
  std::vector<float> y(4);
  Recorder recorder;
  recorder.set_results_stay(false);
  ASSERT_TRUE(recorder.AddInput(Named("x", x)).ok());
  ASSERT_TRUE(Launch(recorder, twice_, {Ref(x), Ref(scratch)}, 4).ok());
  scratch.assign(4, 10);  // a constant by now
  ASSERT_TRUE(recorder.Keep(y.data(), sizeof(float) * y.size()).ok());
  ASSERT_TRUE(Launch(recorder, add_, {Ref(x), Ref(scratch), Ref(y)}, 4).ok());
  ASSERT_TRUE(recorder.AddOutput(Named("y", y)).ok());
  const auto made = recorder.Finish("again");
  ASSERT_TRUE(made.ok()) << made.errors()[0].message;
  EXPECT_EQ(Run(*made.value(), {1, 2, 3, 4}), (std::vector<float>{11, 12, 13, 14}));
}

// What is not kept may be another array with the same bytes by now.
TEST_F(PipelineTest, WhatIsNotKeptIsNotRead) {
  std::vector<float> x(4, 1);
  std::vector<float> y(4);
  Recorder recorder;
  recorder.set_results_stay(false);
  ASSERT_TRUE(recorder.AddInput(Named("x", x)).ok());
  ASSERT_TRUE(Launch(recorder, twice_, {Ref(x), Ref(y)}, 4).ok());
  const Status read = Launch(recorder, twice_, {Ref(y), Ref(x)}, 4);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.errors()[0].message.find("does not belong to the capture"), std::string::npos);
}

// An operation that had to look for a kernel on its way begins again, in other memory.
TEST_F(PipelineTest, LaunchesInMemoryThatWasGivenBackAreDropped) {
  std::vector<float> x(4, 1);
  std::vector<float> scratch[2] = {std::vector<float>(4), std::vector<float>(4)};
  std::vector<float> y(4);
  const size_t bytes = sizeof(float) * x.size();
  Recorder recorder;
  ASSERT_TRUE(recorder.AddInput(Named("x", x)).ok());
  for (std::vector<float>& memory : scratch) {
    ASSERT_TRUE(recorder.Keep(memory.data(), bytes).ok());
    ASSERT_TRUE(Launch(recorder, twice_, {Ref(x), Ref(memory)}, 4).ok());
    if (&memory == scratch) recorder.GiveBack(memory.data(), bytes);
  }
  ASSERT_TRUE(Launch(recorder, twice_, {Ref(scratch[1]), Ref(y)}, 4).ok());
  ASSERT_TRUE(recorder.AddOutput(Named("y", y)).ok());
  const auto made = recorder.Finish("once");
  ASSERT_TRUE(made.ok()) << made.errors()[0].message;
  EXPECT_EQ(made.value()->plan().steps.size(), 2u);
  EXPECT_EQ(Run(*made.value(), {1, 2, 3, 4}), (std::vector<float>{4, 8, 12, 16}));
}

TEST_F(PipelineTest, LaunchesThatRepeatThemselvesAreOne) {
  std::vector<float> x(4, 1);
  std::vector<float> y(4);
  Recorder recorder;
  ASSERT_TRUE(recorder.AddInput(Named("x", x)).ok());
  for (int k = 0; k < 3; ++k) ASSERT_TRUE(Launch(recorder, twice_, {Ref(x), Ref(y)}, 4).ok());
  for (int k = 0; k < 2; ++k) ASSERT_TRUE(Launch(recorder, update_, {Ref(y)}, 4).ok());
  ASSERT_TRUE(recorder.AddOutput(Named("y", y)).ok());
  const auto made = recorder.Finish("p");
  ASSERT_TRUE(made.ok()) << made.errors()[0].message;
  EXPECT_EQ(made.value()->plan().steps.size(), 3U);
  EXPECT_EQ(Run(*made.value(), {1, 2, 3, 4}), (std::vector<float>{8, 16, 24, 32}));
}

// A kernel that leaves parts of its output as they were.
TEST_F(PipelineTest, WhatIsLeftOfAnotherLifeIsFound) {
  std::vector<float> x(8, 1);
  std::vector<float> scratch(8);
  std::vector<float> y(4);
  Recorder recorder;
  ASSERT_TRUE(recorder.AddInput(Named("x", x)).ok());
  ASSERT_TRUE(Launch(recorder, twice_, {Ref(x), Ref(scratch)}, 8).ok());
  // Two of four elements, in a part of that memory.
  ASSERT_TRUE(Launch(recorder, twice_, {{x.data(), 16}, {scratch.data(), 16}}, 2).ok());
  ASSERT_TRUE(Launch(recorder, twice_, {{scratch.data(), 16}, Ref(y)}, 4).ok());
  ASSERT_TRUE(recorder.AddOutput(Named("y", y)).ok());
  const auto made = recorder.Finish("p");
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.errors()[0].message.substr(0, 52),
            "capture: a run gives other values of output 'y' than");
}

TEST_F(PipelineTest, PartsOfArraysAreOneArray) {
  std::vector<float> x(8, 1);
  std::vector<float> y(8);
  Recorder recorder;
  ASSERT_TRUE(recorder.AddInput(Named("x", x)).ok());
  const auto part = [](std::vector<float>& values, size_t first) {
    return hologram_buffer_ref{values.data() + first, 16};
  };
  ASSERT_TRUE(recorder.Keep(y.data(), 32).ok());
  ASSERT_TRUE(Launch(recorder, twice_, {part(x, 0), part(y, 4)}, 4).ok());
  ASSERT_TRUE(Launch(recorder, twice_, {part(x, 4), part(y, 0)}, 4).ok());
  ASSERT_TRUE(recorder.AddOutput(Named("y", y)).ok());
  const auto made = recorder.Finish("swap");
  ASSERT_TRUE(made.ok()) << made.errors()[0].message;
  EXPECT_EQ(Run(*made.value(), {1, 2, 3, 4, 5, 6, 7, 8}),
            (std::vector<float>{10, 12, 14, 16, 2, 4, 6, 8}));
}

TEST_F(PipelineTest, FilesGiveTheSame) {
  const auto made = Chain(300);
  ASSERT_TRUE(made.ok());
  const auto saved = Save(*made.value(), {});
  ASSERT_TRUE(saved.ok());
  runtime::LoadOptions options;
  options.allow_native = false;
  const auto loaded = Load(saved.value(), options, executor_.settings());
  ASSERT_TRUE(loaded.ok()) << loaded.errors()[0].message;
  EXPECT_EQ(loaded.value()->Text(), made.value()->Text());
  EXPECT_EQ(loaded.value()->plan().num_kernels, 2U);  // each program once
  const std::vector<float> x(300, 0.25F);
  EXPECT_EQ(Run(*loaded.value(), x), Run(*made.value(), x));
  const auto again = Save(*loaded.value(), {});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again.value(), saved.value());
}

// Every length and every byte of the section: an error, or a plan that is written the same way.
TEST_F(PipelineTest, DamagedSectionsAreRefused) {
  const auto made = Chain(5);
  ASSERT_TRUE(made.ok());
  const std::vector<uint8_t> good = Encode(made.value()->plan());
  ASSERT_TRUE(Decode(good, 2).ok());
  EXPECT_FALSE(Decode(good, 1).ok());  // a kernel that the bundle has not
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(Decode(std::span(good).first(size), 2).ok()) << size;
  }
  std::vector<uint8_t> longer = good;
  longer.push_back(0);
  EXPECT_FALSE(Decode(longer, 2).ok());
  const Pipeline::Kernels& kernels = made.value()->kernels();
  for (size_t at = 0; at < good.size(); ++at) {
    for (uint32_t bit = 0; bit < 8; ++bit) {
      std::vector<uint8_t> bad = good;
      bad[at] = static_cast<uint8_t>(bad[at] ^ 1U << bit);
      Result<Plan> decoded = Decode(bad, 2);
      if (!decoded.ok()) continue;
      EXPECT_EQ(Encode(decoded.value()), bad) << at;
      const auto pipeline = Pipeline::Make(std::move(decoded).value(), kernels);
      if (!pipeline.ok()) continue;
      std::vector<std::vector<float>> memory;
      std::vector<hologram_buffer_ref> arguments;
      const auto is_large = [](const Step& step) {
        return uint64_t{step.shape.grid[0]} * step.shape.grid[1] * step.shape.grid[2] > 64;
      };
      const auto& steps = pipeline.value()->plan().steps;
      if (std::any_of(steps.begin(), steps.end(), is_large)) continue;
      for (const Array& array : pipeline.value()->arguments()) {
        if (array.bytes > 4096) break;
        memory.emplace_back(array.bytes / 4 + 1);
        arguments.push_back({memory.back().data(), array.bytes});
      }
      (void)pipeline.value()->Run(arguments).ok();  // sanitizers look
    }
  }
}

TEST_F(PipelineTest, PlansThatBreakARuleAreRefused) {
  const auto made = Chain(300);
  ASSERT_TRUE(made.ok());
  const auto error = [&](const auto& change) {
    Plan plan = made.value()->plan();
    change(plan);
    const auto bad = Pipeline::Make(std::move(plan), made.value()->kernels());
    return bad.ok() ? "" : bad.errors()[0].message;
  };
  EXPECT_EQ(error([](Plan& plan) { plan.steps.clear(); }), "pipeline 'chain': it has no launch");
  EXPECT_EQ(error([](Plan& plan) { plan.steps[1].operands[0].first = 4; }),
            "pipeline 'chain': launch 1 reaches outside of its arrays");
  EXPECT_EQ(error([](Plan& plan) { plan.steps[1].operands[0].bytes = UINT64_MAX; }),
            "pipeline 'chain': launch 1 reaches outside of its arrays");
  EXPECT_EQ(error([](Plan& plan) { std::swap(plan.steps[0], plan.steps[1]); }),
            "pipeline 'chain': launch 0 (kernel 'twice'): 'x' is read before it is written");
  EXPECT_EQ(error([](Plan& plan) { plan.steps[0].operands[2] = plan.steps[0].operands[1]; }),
            "pipeline 'chain': launch 0 (kernel 'vector_add'): 'c' is a constant, and the kernel "
            "writes it");
  EXPECT_EQ(error([](Plan& plan) { plan.steps[0].operands[2] = plan.steps[0].operands[0]; }),
            "pipeline 'chain': launch 0 (kernel 'vector_add'): 'c' is an input, and the kernel "
            "writes it");
  EXPECT_EQ(error([](Plan& plan) { plan.steps[3].operands.pop_back(); }),
            "pipeline 'chain': launch 3 (kernel 'vector_add'): too few arrays");
  EXPECT_EQ(error([](Plan& plan) { plan.steps[3].scalars.clear(); }),
            "pipeline 'chain': launch 3 (kernel 'vector_add'): expected 3 arrays and 1 scalars, "
            "found 3 and 0");
  EXPECT_EQ(error([](Plan& plan) { plan.steps.pop_back(); }),
            "pipeline 'chain': no launch writes all of output 'y'");
  EXPECT_EQ(error([](Plan& plan) { plan.steps[0].shape.block[0] = 4096; }).substr(0, 27),
            "pipeline 'chain', launch 0:");
  EXPECT_EQ(error([](Plan& plan) { plan.arrays[1].name = "x"; }),
            "pipeline 'chain': two arrays are called 'x'");
  EXPECT_EQ(error([](Plan& plan) { plan.arrays[3].bytes = kMostArrayBytes; }).substr(0, 16),
            "pipeline 'chain'");
}

}  // namespace
}  // namespace hologram::pipeline
