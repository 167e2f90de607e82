// The parameters that a launch takes from shapes, and programs whose signature lies about them.
#include "launch/array_shape.h"

#include <gtest/gtest.h>

namespace hologram::launch {
namespace {

using isa::Opcode;
using isa::Parameter;
using isa::Program;
using isa::Source;
using isa::Type;

Parameter Buffer(const std::string& name, uint8_t rank) {
  Parameter parameter;
  parameter.name = name;
  parameter.is_buffer = true;
  parameter.type = Type::kF32;
  parameter.rank = rank;
  return parameter;
}

Parameter Derived(Source source, uint8_t array, uint8_t dimension) {
  Parameter parameter;
  parameter.name = "x";
  parameter.type = Type::kU32;
  parameter.source = source;
  parameter.array = array;
  parameter.dimension = dimension;
  return parameter;
}

// a has three dimensions, b one; n is an argument.
Program Shaped() {
  Program program;
  Parameter n;
  n.name = "n";
  n.type = Type::kU32;
  program.parameters = {Buffer("a", 3),
                        n,
                        Buffer("b", 0),
                        Derived(Source::kStride, 0, 1),
                        Derived(Source::kExtent, 0, 2),
                        Derived(Source::kStride, 0, 0),
                        Derived(Source::kExtent, 2, 0)};
  program.code = {{.op = Opcode::kExit}};
  return program;
}

TEST(ArrayShape, ValuesComeFromTheShapes) {
  const Program program = Shaped();
  ASSERT_TRUE(isa::CheckWellFormed(program).ok());
  EXPECT_EQ(program.NumArguments(), 3U);
  const ArrayShape a = ArrayShape::Contiguous(std::array<uint64_t, 3>{2, 3, 5});
  const ArrayShape b = ArrayShape::Contiguous(std::array<uint64_t, 1>{7});
  const auto values = ShapeScalars(program, std::array{a, b});
  ASSERT_TRUE(values.ok());
  EXPECT_EQ(values.value(), (std::vector<uint64_t>{5, 5, 15, 7}));
  ArrayShape apart = a;
  apart.strides = {100, 10, 1};
  EXPECT_EQ(ShapeScalars(program, std::array{apart, b}).value(),
            (std::vector<uint64_t>{10, 5, 100, 7}));
}

TEST(ArrayShape, RefusesWhatTheProgramDoesNotTake) {
  const Program program = Shaped();
  const ArrayShape b = ArrayShape::Contiguous(std::array<uint64_t, 1>{7});
  const auto error = [&](const ArrayShape& a) {
    const auto values = ShapeScalars(program, std::array{a, b});
    return values.ok() ? "no error" : values.errors()[0].message;
  };
  EXPECT_EQ(error(b), "array 'a' needs 3 dimensions; the argument has 1");
  EXPECT_EQ(error({}), "array 'a' needs 3 dimensions; the argument has no shape");
  EXPECT_EQ(error(ArrayShape::Contiguous(std::array<uint64_t, 6>{1, 1, 1, 1, 1, 1})),
            "array 'a' needs 3 dimensions; the argument has 5");
  ArrayShape gaps = ArrayShape::Contiguous(std::array<uint64_t, 3>{2, 3, 5});
  gaps.strides = {30, 10, 2};
  EXPECT_EQ(error(gaps),
            "array 'a' has gaps in its last dimension (stride 2); copy it to a contiguous one");
  constexpr uint64_t kLarge = uint64_t{1} << 40;
  const std::string span =
      "array 'a' spans more than 2^32 elements, which is more than an array of several dimensions "
      "can have; declare it with one dimension and compute its index in u64";
  const auto contiguous = [](uint64_t x, uint64_t y, uint64_t z) {
    return ArrayShape::Contiguous(std::array<uint64_t, 3>{x, y, z});
  };
  EXPECT_EQ(error(contiguous(1, 1, kLarge)), span);
  EXPECT_EQ(error(contiguous(1 << 10, 1 << 11, 1 << 11)), "no error");  // the last place: 2^32 - 1
  EXPECT_EQ(error(contiguous(1 << 10, 1 << 11, (1 << 11) + 1)), span);
  EXPECT_EQ(error(contiguous(kLarge, kLarge, kLarge)), span);  // products beyond 64 bits
  // Of one row the stride is never used, but the kernel is given it.
  ArrayShape one = contiguous(1, 1, 5);
  one.strides[1] = kLarge;
  EXPECT_EQ(error(one),
            "array 'a' has stride 1099511627776 in dimension 1, which is more than u32 holds");
  EXPECT_EQ(error(contiguous(0, 3, 5)), "no error");
}

TEST(ArrayShape, ProgramsAreWellFormed) {
  const auto error = [](const auto& change) {
    Program program = Shaped();
    change(program);
    const Status status = CheckWellFormed(program);
    return status.ok() ? "no error" : status.errors()[0].message;
  };
  EXPECT_EQ(error([](Program& p) { p.parameters[0].rank = 1; }),
            "parameter 'a' has rank 1, allowed are 2 to 4 for buffers");
  EXPECT_EQ(error([](Program& p) { p.parameters[0].rank = 5; }),
            "parameter 'a' has rank 5, allowed are 2 to 4 for buffers");
  EXPECT_EQ(error([](Program& p) { p.parameters[1].rank = 2; }),
            "parameter 'n' has rank 2, allowed are 2 to 4 for buffers");
  EXPECT_EQ(error([](Program& p) { p.parameters.push_back(Buffer("c", 0)); }),
            "parameter 'c' stands after one of a shape");
  EXPECT_EQ(error([](Program& p) { p.parameters[3].type = Type::kU64; }),
            "parameter 'x', taken from a shape, is not u32");
  EXPECT_EQ(error([](Program& p) { p.parameters[3].array = 1; }),
            "parameter 'x', taken from a shape, is of no array");
  EXPECT_EQ(error([](Program& p) { p.parameters[3].array = 3; }),
            "parameter 'x', taken from a shape, is of no array");
  EXPECT_EQ(error([](Program& p) { p.parameters[3].dimension = 2; }),
            "parameter 'x', taken from a shape, is of dimension 2 of 2");
  EXPECT_EQ(error([](Program& p) { p.parameters[6].dimension = 1; }),
            "parameter 'x', taken from a shape, is of dimension 1 of 1");
  const std::vector<uint8_t> code = isa::EncodeCode(Shaped());
  const auto again = isa::DecodeProgram(code, isa::EncodeDebug(Shaped()));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again.value(), Shaped());
  EXPECT_EQ(isa::EncodeCode(again.value()), code);
}

}  // namespace
}  // namespace hologram::launch
