// Programs built without text: the same instructions as written ones, and errors for what does not
// fit together. What they compute is tested by tests/runtime/array_programs_test.cc.
#include <gtest/gtest.h>

#include <string>

#include "bundle/bundle.h"
#include "programs/builder.h"

namespace hologram::isa {
namespace {

using bundle::IdentityOf;
using programs::ElementwiseProgram;
using programs::ProgramBuilder;
using programs::ScalarProgram;

using Builder = ProgramBuilder;

std::string ErrorOf(Builder& builder) {
  const Result<Program> program = builder.Finish();
  return program.ok() ? "built" : program.errors()[0].message;
}

TEST(ProgramBuilder, WritesTheInstructionsInOrder) {
  const Program program = ElementwiseProgram(Opcode::kFma, Type::kF64).value();
  EXPECT_EQ(program.name, "fma_f64");
  ASSERT_EQ(program.parameters.size(), 5u);
  EXPECT_EQ(program.parameters[3].name, "out");
  EXPECT_EQ(program.parameters[3].direction, Direction::kOut);
  const Opcode expected[] = {Opcode::kReadSreg, Opcode::kSet, Opcode::kBra, Opcode::kExit,
                             Opcode::kLdg,      Opcode::kLdg, Opcode::kLdg, Opcode::kFma,
                             Opcode::kStg,      Opcode::kExit};
  ASSERT_EQ(program.code.size(), std::size(expected));
  for (size_t k = 0; k < std::size(expected); ++k) EXPECT_EQ(program.code[k].op, expected[k]);
  EXPECT_EQ(program.code[2].target(), 4u);
}

TEST(ProgramBuilder, EqualProgramsHaveOneIdentity) {
  EXPECT_EQ(IdentityOf(ElementwiseProgram(Opcode::kAdd, Type::kF32).value()),
            IdentityOf(ElementwiseProgram(Opcode::kAdd, Type::kF32).value()));
  EXPECT_NE(IdentityOf(ElementwiseProgram(Opcode::kAdd, Type::kF32).value()),
            IdentityOf(ElementwiseProgram(Opcode::kAdd, Type::kF64).value()));
}

TEST(ProgramBuilder, SaysWhatDoesNotFit) {
  {
    Builder b("k");
    const auto x = b.AddScalar("x", Type::kF32);
    b.Operation(Opcode::kAdd, {x, b.AddScalar("y", Type::kF64)});
    EXPECT_EQ(ErrorOf(b), "program 'k', instruction 0: add: expected f32, found f64");
  }
  {
    Builder b("k");
    const auto x = b.AddScalar("x", Type::kF32);
    b.Operation(Opcode::kAdd, {x});
    EXPECT_EQ(ErrorOf(b), "program 'k', instruction 0: add has more than 1 operands");
  }
  {
    Builder b("k");
    const auto x = b.AddScalar("x", Type::kF32);
    b.Operation(Opcode::kNeg, {x, x});
    EXPECT_EQ(ErrorOf(b), "program 'k', instruction 0: neg has fewer than 2 operands");
  }
  {
    Builder b("k");
    b.Operation(Opcode::kStg, {b.AddScalar("x", Type::kF32)});
    EXPECT_EQ(ErrorOf(b),
              "program 'k', instruction 0: stg does more than compute a value of values");
  }
  {
    Builder b("k");
    b.ReadId(Sreg::kGlobalX);
    b.AddScalar("late", Type::kF32);
    EXPECT_EQ(ErrorOf(b), "program 'k', instruction 1: parameter 'late' comes after code");
  }
  {
    Builder b("k");
    b.Branch(b.NewLabel());
    EXPECT_EQ(ErrorOf(b), "program 'k', instruction 2: a branch to a label that stands nowhere");
  }
  {
    Builder b("k");
    for (int k = 0; k < 300; ++k) b.Constant(Type::kF32, 0);
    EXPECT_EQ(ErrorOf(b), "program 'k', instruction 251: more than 251 values");
  }
  {
    Builder b("k");
    for (int k = 0; k < 65; ++k) b.AddScalar("p" + std::to_string(k), Type::kI8);
    EXPECT_EQ(ErrorOf(b), "program 'k', instruction 0: more than 64 parameters");
  }
  // Types that the instruction does not have are found like those of any other program.
  EXPECT_FALSE(ElementwiseProgram(Opcode::kExp, Type::kI32).ok());
  EXPECT_FALSE(ElementwiseProgram(Opcode::kBra, Type::kI32).ok());
  EXPECT_FALSE(ScalarProgram(Opcode::kFma, Type::kF32).ok());
}

}  // namespace
}  // namespace hologram::isa
