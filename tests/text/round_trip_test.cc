// Text <-> programs: nothing is lost on the way, and no text harms the assembler.
#include <gtest/gtest.h>

#include "isa/well_formed_programs.h"
#include "text/immediate.h"
#include "text/text.h"

namespace hologram::text {
namespace {

using isa::Program;

std::string Errors(const Result<std::vector<Program>>& result) {
  std::string text;
  for (const Diagnostic& error : result.errors()) text += ToString(error) + "\n";
  return text;
}

TEST(Text, AssembleIsTheInverseOfDisassembleForRandomPrograms) {
  isa::WellFormedPrograms random(11);
  size_t instructions = 0;
  while (instructions < 50'000) {
    const Program program = random.Next();
    const std::string text = Disassemble(program);
    const Result<std::vector<Program>> assembled = Assemble(text, "t.hasm");
    ASSERT_TRUE(assembled.ok()) << Errors(assembled) << text;
    ASSERT_EQ(assembled.value().size(), 1u);
    ASSERT_EQ(assembled.value()[0], program) << text;
    ASSERT_EQ(Disassemble(assembled.value()[0]), text);
    instructions += program.code.size();
  }
}

TEST(Text, OneFileHoldsSeveralPrograms) {
  isa::WellFormedPrograms random(12);
  std::string text;
  std::vector<Program> programs;
  for (int i = 0; i < 20; ++i) {
    programs.push_back(random.Next());
    programs.back().name = "k" + std::to_string(i);
    text += Disassemble(programs.back());
  }
  const Result<std::vector<Program>> assembled = Assemble(text, "t.hasm");
  ASSERT_TRUE(assembled.ok()) << Errors(assembled);
  EXPECT_EQ(assembled.value(), programs);
}

TEST(Text, EveryInstructionPrintsAsOneLine) {
  isa::WellFormedPrograms random(13);
  for (int i = 0; i < 1000; ++i) {
    for (isa::Instruction instruction : random.Next().code) {
      EXPECT_EQ(ToString(instruction).find('\n'), std::string::npos);
      // Bytes that are no instruction print too.
      instruction.op = static_cast<isa::Opcode>(random.Bits());
      instruction.type = static_cast<isa::Type>(random.Bits());
      instruction.mod = static_cast<uint8_t>(random.Bits());
      EXPECT_FALSE(ToString(instruction).empty());
    }
  }
}

// Whatever happens to a text: an error with a place, or programs that survive the round trip.
void ExpectSane(const std::string& text) {
  const Result<std::vector<Program>> assembled = Assemble(text, "t.hasm");
  if (!assembled.ok()) {
    for (const Diagnostic& error : assembled.errors()) {
      ASSERT_GT(error.where.line, 0u);
      ASSERT_GT(error.where.column, 0u);
      ASSERT_EQ(error.message.find('\n'), std::string::npos);
      ASSERT_LT(error.message.size(), 400u);
    }
    return;
  }
  for (const Program& program : assembled.value()) {
    const Result<std::vector<Program>> again = Assemble(Disassemble(program), "t.hasm");
    ASSERT_TRUE(again.ok()) << Errors(again) << Disassemble(program);
    ASSERT_EQ(again.value()[0], program) << text;
  }
}

TEST(Text, SurvivesMutations) {
  isa::WellFormedPrograms random(14);
  const std::string alphabet = "\n\n ;,:@[]{}\"\\.*+-=rps0123456789xLf\0\xff";
  int accepted = 0;
  for (int i = 0; i < 10'000; ++i) {
    std::string text = Disassemble(random.Next());
    for (uint64_t n = 1 + random.Below(3); n > 0; --n) {
      const size_t position = random.Below(text.size());
      const char c = random.Chance(80) ? alphabet[random.Below(alphabet.size())]
                                       : static_cast<char>(random.Bits());
      switch (random.Below(3)) {
        case 0:
          text[position] = c;
          break;
        case 1:
          text.insert(position, 1, c);
          break;
        default:
          text.erase(position, random.Below(5));
      }
      if (text.empty()) text = ".";
    }
    ExpectSane(text);
    accepted += Assemble(text, "t.hasm").ok() ? 1 : 0;
  }
  EXPECT_GT(accepted, 500);
}

TEST(Text, SurvivesNoise) {
  isa::WellFormedPrograms random(15);
  for (int i = 0; i < 3000; ++i) {
    std::string text(random.Below(200), ' ');
    for (char& c : text) c = static_cast<char>(random.Bits());
    ExpectSane(text);
    ExpectSane(".kernel k\n" + text);
  }
}

TEST(Text, SurvivesLongLines) {
  constexpr size_t kLong = 1'000'000;
  const std::string head = ".kernel k\n";
  for (const char c : {'a', '.', ':', ';', ',', '@', '[', '"', '\\', '0', ' ', '\0', '\xff', '{'}) {
    const std::string run(kLong, c);
    for (const std::string& before :
         {std::string(), head, head + "add.f32 r1, ", head + "exit ; :1:2 ", head + "exit ; :1:2 {",
          head + "mov_imm.f64 r1, 1", head + ".param "}) {
      ExpectSane(before + run);
    }
  }
  std::string labels = head;
  for (size_t i = 0; i < 100'000; ++i) labels += "a" + std::to_string(i) + ":";
  ExpectSane(labels);
  std::string errors;
  for (size_t i = 0; i < 100'000; ++i) errors += "x\n";
  const Result<std::vector<Program>> many = Assemble(head + errors, "t.hasm");
  ASSERT_EQ(many.errors().size(), 101u);
  EXPECT_EQ(ToString(many.errors()[100]), "t.hasm:102:1: error: too many errors, stopped here");
}

TEST(Immediate, NumbersOfEveryType) {
  for (int i = 0; i < isa::kNumTypes; ++i) {
    const auto type = static_cast<isa::Type>(i);
    std::string error;
    EXPECT_EQ(ParseImmediate(PrintImmediate(0, type), type, &error), std::optional<uint64_t>(0));
  }
  std::string error;
  EXPECT_EQ(ParseImmediate("1.5", isa::Type::kF32, &error), std::optional<uint64_t>(0x3fc00000));
  EXPECT_EQ(ParseImmediate("-0", isa::Type::kF32, &error), std::optional<uint64_t>(0x80000000));
  EXPECT_EQ(ParseImmediate("-inf", isa::Type::kF64, &error),
            std::optional<uint64_t>(0xfff0000000000000));
  EXPECT_EQ(ParseImmediate("nan", isa::Type::kF32, &error), std::optional<uint64_t>(0x7fc00000));
  EXPECT_EQ(ParseImmediate("1e-45", isa::Type::kF32, &error), std::optional<uint64_t>(1));
  EXPECT_EQ(ParseImmediate("-1", isa::Type::kI32, &error), std::optional<uint64_t>(UINT64_MAX));
  EXPECT_EQ(ParseImmediate("0xffffffff", isa::Type::kI32, &error),
            std::optional<uint64_t>(UINT64_MAX));
  EXPECT_EQ(ParseImmediate("-9223372036854775808", isa::Type::kI64, &error),
            std::optional<uint64_t>(uint64_t{1} << 63));
  EXPECT_EQ(DescribeImmediate(0x3f80, isa::Type::kBF16), "1.0");
  EXPECT_EQ(DescribeImmediate(0x3555, isa::Type::kF16), "0.333251953125");
  EXPECT_EQ(DescribeImmediate(0x0001, isa::Type::kF16), "5.960464477539063e-08");
  EXPECT_EQ(DescribeImmediate(0xfc00, isa::Type::kF16), "-inf");
  EXPECT_EQ(DescribeImmediate(0x7fc00000, isa::Type::kF32), "nan");
}

}  // namespace
}  // namespace hologram::text
