// Programs that were built, not parsed: verified, and run on arrays.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "programs/builder.h"
#include "runtime/executor.h"

namespace hologram::runtime {
namespace {

using isa::Opcode;
using isa::Type;

constexpr uint32_t kSize = 300;

// Runs a program whose buffers hold `arrays` (the last one is the output) and whose scalars are
// `scalars` and kSize; returns the output.
template <class T>
std::vector<T> Output(Result<isa::Program> program, std::vector<std::vector<T>> arrays,
                      std::vector<uint64_t> scalars = {}) {
  if (!program.ok()) {
    ADD_FAILURE() << ToString(program.errors()[0]);
    return {};
  }
  const std::string name = program.value().name;
  Executor executor;
  const Status added = executor.Add(std::move(program).value(), false);
  if (!added.ok()) {
    ADD_FAILURE() << ToString(added.errors()[0]);
    return {};
  }
  std::vector<hologram_buffer_ref> buffers;
  arrays.emplace_back(kSize);
  for (std::vector<T>& array : arrays) buffers.push_back({array.data(), array.size() * sizeof(T)});
  scalars.push_back(kSize);
  const auto outcome = executor.Find(name).value()->Launch(buffers, scalars, {});
  EXPECT_TRUE(outcome.ok()) << ToString(outcome.errors()[0]);
  EXPECT_FALSE(outcome.ok() && outcome.value().guarded()) << "not proved";
  return arrays.back();
}

std::vector<float> Floats(float first, float step) {
  std::vector<float> values(kSize);
  for (uint32_t i = 0; i < kSize; ++i) values[i] = first + step * static_cast<float>(i);
  return values;
}

uint64_t BitsOf(float value) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

TEST(ArrayPrograms, ComputeElementByElement) {
  const std::vector<float> a = Floats(-3, 0.5f);
  const std::vector<float> b = Floats(7, -0.25f);
  const std::vector<float> c = Floats(1, 1);
  const auto negative = Output<float>(programs::ElementwiseProgram(Opcode::kNeg, Type::kF32), {a});
  const auto sum = Output<float>(programs::ElementwiseProgram(Opcode::kAdd, Type::kF32), {a, b});
  const auto fused =
      Output<float>(programs::ElementwiseProgram(Opcode::kFma, Type::kF32), {a, b, c});
  const auto scaled =
      Output<float>(programs::ScalarProgram(Opcode::kMul, Type::kF32), {a}, {BitsOf(3)});
  const auto copied = Output<float>(programs::CopyProgram(Type::kF32), {a});
  const auto filled = Output<float>(programs::FillProgram(Type::kF32), {}, {BitsOf(2.5f)});
  const auto chosen =
      Output<float>(programs::SelectProgram(isa::Condition::kLt, Type::kF32), {a, b, a, c});
  ASSERT_EQ(chosen.size(), size_t{kSize});
  for (uint32_t i = 0; i < kSize; ++i) {
    EXPECT_EQ(negative[i], -a[i]);
    EXPECT_EQ(sum[i], a[i] + b[i]);
    EXPECT_EQ(fused[i], a[i] * b[i] + c[i]) << "exact in these numbers";
    EXPECT_EQ(scaled[i], 3 * a[i]);
    EXPECT_EQ(copied[i], a[i]);
    EXPECT_EQ(filled[i], 2.5f);
    EXPECT_EQ(chosen[i], a[i] < b[i] ? a[i] : c[i]);
  }
}

TEST(ArrayPrograms, GatherAndIntegers) {
  std::vector<uint32_t> a(kSize);
  std::vector<uint32_t> index(kSize);
  for (uint32_t i = 0; i < kSize; ++i) {
    a[i] = 1000 + i;
    index[i] = kSize - 1 - i;
  }
  EXPECT_EQ(Output<uint32_t>(programs::GatherProgram(Type::kU32), {a, index})[0], 1000 + kSize - 1);
  EXPECT_EQ(Output<uint32_t>(programs::ElementwiseProgram(Opcode::kShl, Type::kU32), {a, a})[3],
            1003u << (1003 % 32));
  EXPECT_EQ(Output<uint32_t>(programs::CastProgram(Type::kU32, Type::kI32), {a})[5], 1005u);
}

// Runs a program with `grid` blocks of `block` lanes; the last array is the output.
template <class T>
Result<std::vector<T>> Launched(Result<isa::Program> program, std::vector<std::vector<T>> arrays,
                                const std::vector<uint64_t>& scalars, uint32_t grid,
                                uint32_t block) {
  if (!program.ok()) return program.errors();
  const std::string name = program.value().name;
  Executor executor;
  const Status added = executor.Add(std::move(program).value(), false);
  if (!added.ok()) return added.errors();
  std::vector<hologram_buffer_ref> buffers;
  for (std::vector<T>& array : arrays) buffers.push_back({array.data(), array.size() * sizeof(T)});
  LaunchConfig config;
  config.shape.grid = {grid, 1, 1};
  config.shape.block = {block, 1, 1};
  const auto outcome = executor.Find(name).value()->Launch(buffers, scalars, config);
  if (!outcome.ok()) return outcome.errors();
  EXPECT_FALSE(outcome.value().guarded()) << name << ": not proved";
  return arrays.back();
}

constexpr isa::BlockOp kBlockOps[] = {isa::BlockOp::kAdd, isa::BlockOp::kMin, isa::BlockOp::kMax,
                                      isa::BlockOp::kMul, isa::BlockOp::kAnd, isa::BlockOp::kOr,
                                      isa::BlockOp::kXor};

uint32_t Combined(isa::BlockOp op, uint32_t a, uint32_t b) {
  switch (op) {
    case isa::BlockOp::kAdd:
      return a + b;
    case isa::BlockOp::kMin:
      return std::min(a, b);
    case isa::BlockOp::kMax:
      return std::max(a, b);
    case isa::BlockOp::kMul:
      return a * b;
    case isa::BlockOp::kAnd:
      return a & b;
    case isa::BlockOp::kOr:
      return a | b;
    case isa::BlockOp::kXor:
      return a ^ b;
  }
  return 0;
}

// Rows of none, one and several chunks, whole and not, by every operation.
TEST(RowPrograms, ReduceAndScanIntegers) {
  constexpr uint32_t kRows = 3;
  for (const isa::BlockOp op : kBlockOps) {
    const auto neutral = static_cast<uint32_t>(isa::NeutralBits(op, Type::kU32));
    for (const uint32_t n : {0u, 1u, 255u, 256u, 257u, 1000u}) {
      std::vector<uint32_t> a(size_t{kRows} * n);
      for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<uint32_t>(i * 2654435761u) | 1u;
      std::vector<uint32_t> sums;
      std::vector<uint32_t> running;
      for (uint32_t row = 0; row < kRows; ++row) {
        uint32_t value = neutral;
        for (uint32_t i = 0; i < n; ++i) {
          value = Combined(op, value, a[size_t{row} * n + i]);
          running.push_back(value);
        }
        sums.push_back(value);
      }
      const auto reduced =
          Launched<uint32_t>(programs::ReduceProgram(op, Type::kU32),
                             {a, std::vector<uint32_t>(kRows)}, {n}, kRows, programs::kRowLanes);
      ASSERT_TRUE(reduced.ok()) << ToString(reduced.errors()[0]);
      EXPECT_EQ(reduced.value(), sums) << NameOf(op) << " of " << n;
      const auto scanned =
          Launched<uint32_t>(programs::ScanProgram(op, Type::kU32),
                             {a, std::vector<uint32_t>(a.size())}, {n}, kRows, programs::kRowLanes);
      ASSERT_TRUE(scanned.ok()) << ToString(scanned.errors()[0]);
      EXPECT_EQ(scanned.value(), running) << NameOf(op) << " of " << n;
    }
  }
}

// Sums of floats have the order that the header states; of nothing there is +0, or NaN.
TEST(RowPrograms, ReduceAndScanFloats) {
  constexpr uint32_t kCount = 700;
  std::vector<float> a(kCount);
  for (uint32_t i = 0; i < kCount; ++i) a[i] = 1.0f / (1.0f + static_cast<float>(i));
  std::vector<float> lanes(programs::kRowLanes);
  for (uint32_t i = 0; i < kCount; ++i) lanes[i % programs::kRowLanes] += a[i];
  // The tree of BLK.RED: rows of 16 lanes, neighbouring rows first, then the 16 slots.
  for (size_t rows = 16; rows > 1; rows /= 2) {
    for (size_t k = 0; k < rows / 2 * 16; ++k) {
      lanes[k] = lanes[k / 16 * 32 + k % 16] + lanes[k / 16 * 32 + 16 + k % 16];
    }
  }
  for (size_t step = 8; step > 0; step /= 2) {
    for (size_t k = 0; k < step; ++k) lanes[k] += lanes[k + step];
  }
  const auto run = [](Result<isa::Program> program, const std::vector<float>& in, size_t out) {
    const auto n = static_cast<uint32_t>(in.size());
    return Launched<float>(std::move(program), {in, std::vector<float>(out)}, {n}, 1,
                           programs::kRowLanes)
        .value();
  };
  const auto sum = programs::ReduceProgram(isa::BlockOp::kAdd, Type::kF32);
  EXPECT_EQ(run(sum, a, 1)[0], lanes[0]);
  EXPECT_EQ(BitsOf(run(sum, {}, 1)[0]), BitsOf(0.0f));
  EXPECT_TRUE(std::isnan(run(programs::ReduceProgram(isa::BlockOp::kMax, Type::kF32), {}, 1)[0]));
  EXPECT_EQ(run(programs::ReduceProgram(isa::BlockOp::kMin, Type::kF32), a, 1)[0], a.back());
  // What the first element has is kept, -0 and all; the sums of a row agree within rounding.
  const auto scan = run(programs::ScanProgram(isa::BlockOp::kAdd, Type::kF32), a, kCount);
  double exact = 0;
  for (uint32_t i = 0; i < kCount; ++i) {
    exact += static_cast<double>(a[i]);
    EXPECT_NEAR(static_cast<double>(scan[i]), exact, 1e-5);
    if (i > 0) {
      EXPECT_GE(scan[i], scan[i - 1]);
    }
  }
  EXPECT_EQ(BitsOf(run(programs::ScanProgram(isa::BlockOp::kAdd, Type::kF32), {-0.0f}, 1)[0]),
            BitsOf(-0.0f));
}

TEST(RowPrograms, RefuseBlocksOfOtherSizes) {
  const std::vector<float> a(10, 1.0f);
  const auto wrong = Launched<float>(programs::ReduceProgram(isa::BlockOp::kAdd, Type::kF32),
                                     {a, std::vector<float>(1)}, {10}, 1, 128);
  EXPECT_FALSE(wrong.ok());
}

TEST(RowPrograms, GemmAddsItsProductsInOrder) {
  constexpr uint32_t m = 5, n = 7, k = 9, lda = 11, ldb = 8, ldc = 10;
  std::vector<float> a(size_t{m} * lda);
  std::vector<float> b(size_t{k} * ldb);
  for (size_t i = 0; i < a.size(); ++i) a[i] = 1.0f / static_cast<float>(i + 1);
  for (size_t i = 0; i < b.size(); ++i) b[i] = 3.0f / static_cast<float>(2 * i + 1);
  std::vector<float> expected(size_t{m} * ldc);
  for (uint32_t i = 0; i < m; ++i) {
    for (uint32_t j = 0; j < n; ++j) {
      float sum = 0;
      for (uint32_t p = 0; p < k; ++p) {
        const volatile float product = a[i * lda + p] * b[p * ldb + j];  // rounded by itself
        sum += product;
      }
      expected[i * ldc + j] = sum;
    }
  }
  const auto c = Launched<float>(programs::GemmProgram(Type::kF32),
                                 {a, b, std::vector<float>(size_t{m} * ldc)},
                                 {m, n, k, lda, ldb, ldc}, 1, 256);
  ASSERT_TRUE(c.ok()) << ToString(c.errors()[0]);
  EXPECT_EQ(c.value(), expected);
}

TEST(RowPrograms, ExistForEveryTypeThatHasThem) {
  int accepted = 0;
  for (int t = 0; t < isa::kNumTypes; ++t) {
    const auto type = static_cast<Type>(t);
    const auto check = [&](Result<isa::Program> program) {
      ASSERT_TRUE(program.ok()) << ToString(program.errors()[0]);
      const std::string name = program.value().name;
      const auto verified = verify::Verify(std::move(program).value());
      EXPECT_TRUE(verified.ok()) << name << ": " << ToString(verified.errors()[0]);
      accepted += verified.ok() ? 1 : 0;
    };
    check(programs::GemmProgram(type));
    for (const isa::BlockOp op : kBlockOps) {
      if (isa::IsFloat(type) && op >= isa::BlockOp::kAnd) {
        EXPECT_FALSE(programs::ReduceProgram(op, type).ok());
        continue;
      }
      check(programs::ReduceProgram(op, type));
      check(programs::ScanProgram(op, type));
    }
  }
  EXPECT_GE(accepted, 156);
}

// Every operation that computes a value of values, for every type that it has, is accepted.
TEST(ArrayPrograms, EveryOperationVerifies) {
  int accepted = 0;
  for (const isa::OpcodeInfo& info : isa::AllOpcodes()) {
    for (int t = 0; t < isa::kNumTypes; ++t) {
      const Type type = static_cast<Type>(t);
      if (!isa::Contains(info.types, type)) continue;
      Result<isa::Program> program = programs::ElementwiseProgram(info.op, type);
      if (!program.ok()) continue;
      const auto verified = verify::Verify(std::move(program).value());
      EXPECT_TRUE(verified.ok()) << info.mnemonic << ": " << ToString(verified.errors()[0]);
      ++accepted;
    }
  }
  EXPECT_GE(accepted, 200);
}

}  // namespace
}  // namespace hologram::runtime
