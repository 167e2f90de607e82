// Programs that were built, not parsed: verified, and run on arrays.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "isa/program_builder.h"
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
  EXPECT_FALSE(outcome.ok() && outcome.value().guarded) << "not proved";
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
  const auto negative = Output<float>(isa::ElementwiseProgram(Opcode::kNeg, Type::kF32), {a});
  const auto sum = Output<float>(isa::ElementwiseProgram(Opcode::kAdd, Type::kF32), {a, b});
  const auto fused = Output<float>(isa::ElementwiseProgram(Opcode::kFma, Type::kF32), {a, b, c});
  const auto scaled = Output<float>(isa::ScalarProgram(Opcode::kMul, Type::kF32), {a}, {BitsOf(3)});
  const auto copied = Output<float>(isa::CopyProgram(Type::kF32), {a});
  const auto filled = Output<float>(isa::FillProgram(Type::kF32), {}, {BitsOf(2.5f)});
  const auto chosen =
      Output<float>(isa::SelectProgram(isa::Condition::kLt, Type::kF32), {a, b, a, c});
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
  EXPECT_EQ(Output<uint32_t>(isa::GatherProgram(Type::kU32), {a, index})[0], 1000 + kSize - 1);
  EXPECT_EQ(Output<uint32_t>(isa::ElementwiseProgram(Opcode::kShl, Type::kU32), {a, a})[3],
            1003u << (1003 % 32));
  EXPECT_EQ(Output<uint32_t>(isa::CastProgram(Type::kU32, Type::kI32), {a})[5], 1005u);
}

// Every operation that computes a value of values, for every type that it has, is accepted.
TEST(ArrayPrograms, EveryOperationVerifies) {
  int accepted = 0;
  for (const isa::OpcodeInfo& info : isa::AllOpcodes()) {
    for (int t = 0; t < isa::kNumTypes; ++t) {
      const Type type = static_cast<Type>(t);
      if (!isa::Contains(info.types, type)) continue;
      Result<isa::Program> program = isa::ElementwiseProgram(info.op, type);
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
