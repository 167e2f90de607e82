// Circuits as kernels: equal circuits give equal programs, memory is touched once for each input
// and output, and every variant of every type that has it passes the verifier.
#include <gtest/gtest.h>

#include <chrono>

#include "frontend/circuit/lower.h"
#include "sigmatics/values/variant.h"
#include "verify/verified_program.h"

namespace hologram::frontend {
namespace {

isa::Program Compiled(const std::string& text) {
  Result<isa::Program> program = CompileCircuit(text, "k.circuit", "k");
  EXPECT_TRUE(program.ok()) << text << "\n" << ToString(program.errors()[0]);
  return std::move(program).value();
}

std::string ErrorOf(const std::string& text) {
  const Result<isa::Program> program = CompileCircuit(text, "k.circuit", "k");
  return program.ok() ? "ok" : ToString(program.errors()[0]);
}

size_t Count(const isa::Program& program, isa::Opcode op) {
  size_t count = 0;
  for (const isa::Instruction& instruction : program.code) count += instruction.op == op ? 1 : 0;
  return count;
}

TEST(Circuit, EqualCircuitsAreEqualPrograms) {
  const std::string header = "(f32 c00, f32 c01) -> (f32 c02) over n ";
  const std::vector<std::string> ways = {
      header + "merge@c00[c01,c03] . merge:tanh@c03[c03,c02]",
      header + "merge@c01[c00,c44] . copy@c44->c45 . merge:tanh@c45[c45,c02]",
      header + "mark@c00 . split@c01[c00,c02] . merge:tanh@c02[c02,c02]",
      "(f32 c20, f32 c90) -> (f32 c07) over m merge@c20[c90,c07] . merge:tanh@c07[c07,c07]",
  };
  for (const std::string& way : ways) {
    EXPECT_EQ(isa::EncodeCode(Compiled(way)), isa::EncodeCode(Compiled(ways[0]))) << way;
  }
  EXPECT_NE(isa::EncodeCode(Compiled(header + "merge@c00[c01,c02]")),
            isa::EncodeCode(Compiled(header + "split@c00[c01,c02]")));
}

// Predicates of numbers are computed before the pass that reads them, which has a register for
// them and nothing of what they are made of.
TEST(Circuit, ConditionsOfNumbersAreValuesInTheNextPass) {
  const std::string header = "(column f32 c00, f32 c01) -> (f32 c02) over n by 64 ";
  const std::string conditions = "merge:ge@c00[#3.0,c03] . merge:eq@c00[c00,c04] . ";
  const std::string end = " . merge:select@c05[#0.0,c01,c02]";
  const std::vector<std::string> circuits = {
      header + conditions + "merge:and@c03[c04,c05]" + end,
      header + conditions + "merge:or@c03[c04,c05]" + end,
      header + "merge:ge@c00[#3.0,c03] . merge:xor@c03[#1,c05]" + end,
      header + conditions + "merge:and@c03[c04,c06] . merge:lt@c01[#0.0,c07] . " +
          "merge:or@c06[c07,c05]" + end,
      "(column u8 c00, f32 c02) -> (f32 c01) over n by 64 merge:xor@c00[#1,c03] . "
      "merge:select@c03[c02,#0.0,c01]",
      "(f32 c00) -> (f32 c01) over n by 64 reduce_max@c00->c02 . merge:gt@c02[#1.0,c03] . "
      "merge:eq@c02[c02,c04] . merge:and@c03[c04,c05] . merge:select@c05[c00,#0.0,c06] . "
      "reduce_sum@c06->c07 . split@c06[c07,c08] . merge:select@c05[c08,c00,c01]",
  };
  for (const std::string& text : circuits) {
    const auto verified = verify::Verify(Compiled(text));
    EXPECT_TRUE(verified.ok()) << text << "\n" << ToString(verified.errors()[0]);
  }
}

// What is reduced may be the same number for all elements: the canonical form has it in a class.
TEST(Circuit, ReductionsOfConstants) {
  const std::string select = "merge:eq@c00[c00,c03] . merge:select@c03[";
  const std::vector<std::string> circuits = {
      "(f64 c00) -> (f64 c01) over n copy@#1.0:f64->c03 . reduce_sum@c03->c01",
      "(f32 c00) -> (f32 c01) over n by 64 " + select + "#2.0,#2.0,c03] . reduce_max@c03->c01",
      "(f64 c00, f64 $s) -> (f64 c01) over n " + select + "$s,$s,c03] . reduce_prod@c03->c01",
      "(f64 c00) -> (f64 c01) over n copy@#0.5:f64->c03 . softmax@c03->c01",
      "(f64 c00) -> (f64 c01) over n by 64 copy@#0.5:f64->c03 . reduce_fma@c03[c03,c01]",
      "(f64 c00) -> (f64 c01) over n by 64 copy@#0.5:f64->c03 . reduce_fma@c00[c03,c01]",
      "(i64 c00) -> (i64 c01, i64 c02) over n copy@#7:i64->c03 . reduce_sum@c03->c01 . "
      "reduce_min@c00->c04 . merge@c04[#1,c02]",
      "(f32 c00) -> (f32 c01) over n copy@$n->c03 . reduce_max@c03->c04 . merge:f32@c04[c04,c01]",
  };
  for (const std::string& text : circuits) {
    const auto verified = verify::Verify(Compiled(text));
    EXPECT_TRUE(verified.ok()) << text << "\n" << ToString(verified.errors()[0]);
    const auto file = CompileCircuitFile(text, "k.circuit", "k");
    ASSERT_TRUE(file.ok());
    const std::string canonical = sigmatics::Print(file.value().circuit.form.circuit);
    const auto again = CompileCircuitFile(canonical, "k.circuit", "k");
    ASSERT_TRUE(again.ok()) << canonical << "\n" << ToString(again.errors()[0]);
    EXPECT_EQ(sigmatics::Print(again.value().circuit.form.circuit), canonical);
    EXPECT_EQ(isa::EncodeCode(again.value().program), isa::EncodeCode(Compiled(text)));
  }
}

// n softmaxes one behind the other, each of which waits for the one before.
std::string Softmaxes(size_t n) {
  std::string text = "(f32 c00) -> (f32 c01) over n softmax@c00->c02";
  for (size_t i = 1; i < n; ++i) text += " . softmax@c02->c02";
  return text + " . copy@c02->c01";
}

// `n` steps on each element before the first of `passes` sums.
std::string LongPasses(size_t n, size_t passes) {
  std::string text = "(f32 c00) -> (f32 c00) over n by 64 merge:exp@c00[c00,c02]";
  for (size_t i = 0; i < n; ++i) text += " . merge:mul@c02[c00,c02]";
  for (size_t i = 0; i < passes; ++i) {
    text += " . reduce_sum@c02->c03 . merge:mul@c02[c03,c02]";
  }
  return text + " . copy@c02->c00";
}

// What a pass needs is computed again in it, so the passes together may be quadratically long. They
// took 20 s for 2,000 softmaxes, and hours for as many steps as fit a text, before they were
// refused.
TEST(Circuit, LongCircuitsAlongRowsAreRefusedInLinearTime) {
  const std::string registers =
      "k.circuit:1:1: error: the circuit needs more registers than there are";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(ErrorOf(Softmaxes(30)), "ok");
  for (const size_t n : {100U, 500U, 2000U, 4000U})
    EXPECT_EQ(ErrorOf(Softmaxes(n)), registers) << n;
  EXPECT_EQ(ErrorOf(LongPasses(100, 3)), "ok");
  EXPECT_EQ(ErrorOf(LongPasses(20000, 60)),
            "k.circuit:1:1: error: the passes of the circuit over a row take more than 65536 "
            "instructions");
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(taken.count(), 10.0);  // about 1 s in a release build
}

// Chains of element-wise calls: one loop, temporaries in registers.
TEST(Circuit, ChainsMoveTheirInputsAndOutputsOnly) {
  struct Chain {
    std::string text;
    size_t loads;
    size_t stores;
  };
  const std::vector<Chain> chains = {
      {"(f32 c00, f32 c01) -> (f32 c02) over n merge@c00[c01,c03] . merge:gelu@c03[c03,c02]", 2, 1},
      {"(f32 c00, f32 $s, f32 c01) -> (f32 c02) over n merge:mul@c00[$s,c03] . "
       "merge@c03[c01,c04] . merge:max@c04[#0.0,c02]",
       2, 1},
      {"(f32 c00, f32 $m, f32 $d) -> (f32 c01) over n split@c00[$m,c02] . split:div@c02[$d,c03] . "
       "merge:clamp@c03[#-1.0,#1.0,c01]",
       1, 1},
      {"(f32 c00, f32 c01) -> (f32 c00, f32 c01) over n swap@c00<->c01", 2, 2},
      {"(f32 c00, f32 c01) -> (f32 c00) over n merge@c00[c01,c00]", 2, 1},
      {"(f32 c00) -> (f32 c01) over n merge:mul@c00[c00,c01] . merge@c00[c00,c05]", 1, 1},
      {"() -> (i32 c00) over n copy@#7->c00", 0, 1},
  };
  for (const Chain& chain : chains) {
    isa::Program program = Compiled(chain.text);
    EXPECT_EQ(Count(program, isa::Opcode::kLdg), chain.loads) << chain.text;
    EXPECT_EQ(Count(program, isa::Opcode::kStg), chain.stores) << chain.text;
    const Result<verify::VerifiedProgram> verified = verify::Verify(std::move(program));
    EXPECT_TRUE(verified.ok()) << chain.text << "\n" << ToString(verified.errors()[0]);
  }
}

// Comparisons that only conditions read are predicates; no 0 or 1 is made of them.
TEST(Circuit, ConditionsArePredicates) {
  struct Chosen {
    std::string text;
    size_t sets;
    size_t selects;
  };
  const std::string header = "(f32 c00, f32 c01) -> (f32 c02) over n ";
  const std::vector<Chosen> circuits = {
      {header + "merge:lt@c00[c01,c03] . merge:select@c03[c00,c01,c02]", 1, 1},
      {header + "merge:lt@c00[c01,c03] . merge:lt@c01[#0.0,c04] . merge:and@c03[c04,c05] . "
                "merge:select@c05[c00,c01,c02]",
       2, 1},
      {header + "merge:lt@c00[c01,c03] . merge:xor@c03[#1,c03] . merge:lt@c01[#0.0,c04] . "
                "merge:or@c03[c04,c05] . merge:select@c05[c00,c01,c02]",
       2, 1},
      // Two conditions: the comparison is made twice, which costs less than a register.
      {header + "merge:lt@c00[c01,c03] . merge:select@c03[c00,#1.0,c04] . "
                "merge:select@c03[#2.0,c01,c05] . merge@c04[c05,c02]",
       2, 2},
      // As a value too: one comparison, in a register.
      {"(f32 c00, f32 c01) -> (f32 c02, u8 c03) over n merge:lt@c00[c01,c03] . "
       "merge:select@c03[c00,c01,c02]",
       2, 2},
      {"(f32 c00, f32 c01) -> (u8 c03) over n merge:lt@c00[c01,c03]", 1, 1},
  };
  for (const Chosen& circuit : circuits) {
    isa::Program program = Compiled(circuit.text);
    // One more says whether the lane has an element.
    EXPECT_EQ(Count(program, isa::Opcode::kSet), circuit.sets + 1) << circuit.text;
    EXPECT_EQ(Count(program, isa::Opcode::kSel), circuit.selects) << circuit.text;
    const Result<verify::VerifiedProgram> verified = verify::Verify(std::move(program));
    EXPECT_TRUE(verified.ok()) << circuit.text << "\n" << ToString(verified.errors()[0]);
  }
}

TEST(Circuit, EveryVariantOfEveryTypePassesTheVerifier) {
  int programs = 0;
  for (const sigmatics::Variant& variant : sigmatics::AllVariants()) {
    for (int i = 0; i < isa::kNumTypes; ++i) {
      const auto type = static_cast<isa::Type>(i);
      if (!HasType(variant, type)) continue;
      const std::string name(isa::NameOf(type));
      const bool cast = variant.kind == sigmatics::VariantKind::kCast;
      const bool shift = IsShiftAmount(variant, 1);
      const std::string result =
          cast ? TextOf(variant) : std::string(isa::NameOf(ResultType(variant, type)));
      const std::string header = "(" + name + " c00, " + (shift ? "u32" : name) + " c01, " + name +
                                 " c02) -> (" + result + " c03) over n ";
      const char* operands[] = {"", "@c00[c00,c03]", "@c00[c01,c03]", "@c00[c01,c02,c03]"};
      const std::string text = header + "merge:" + TextOf(variant) + operands[NumSources(variant)];
      const Result<verify::VerifiedProgram> verified = verify::Verify(Compiled(text));
      EXPECT_TRUE(verified.ok()) << text << "\n" << ToString(verified.errors()[0]);
      ++programs;
    }
  }
  EXPECT_GT(programs, 300);
}

TEST(Circuit, NegativeLiteralsAreImmediatesOfTheirTypes) {
  for (const char* type : {"i8", "i16", "i32", "i64"}) {
    const std::string t = type;
    const std::string header = "(" + t + " c00) -> (" + t + " c01) over n ";
    for (const char* body :
         {"merge:max@c00[#-7,c01]", "reduce_max@c00->c01", "reduce_and@c00->c01"}) {
      const Result<verify::VerifiedProgram> verified = verify::Verify(Compiled(header + body));
      EXPECT_TRUE(verified.ok()) << t << ": " << body;
    }
  }
}

// Every word of rows, of every type that it has.
TEST(Circuit, ReductionsOfEveryTypeVerify) {
  int programs = 0;
  for (const char* word : {"reduce_sum", "reduce_min", "reduce_max", "reduce_prod", "reduce_and",
                           "reduce_or", "reduce_xor"}) {
    for (const char* type : {"i8", "u16", "i32", "u64", "f16", "bf16", "f32", "f64"}) {
      const std::string t = type;
      const bool bits = std::string(word).find_first_of("o") != std::string::npos;
      for (const char* rows : {"", "by 1 ", "by 48 ", "by 1024 ", "by 256 cut 4096 "}) {
        const std::string text =
            "(" + t + " c00) -> (" + t + " c01) over n " + rows + word + "@c00->c01";
        const Result<isa::Program> program = CompileCircuit(text, "k.circuit", "k");
        if (!program.ok()) {
          EXPECT_TRUE(t.find('f') != std::string::npos &&
                      (bits || std::string(word) == "reduce_and"))
              << text << ": " << ToString(program.errors()[0]);
          continue;
        }
        const Result<verify::VerifiedProgram> verified = verify::Verify(program.value());
        EXPECT_TRUE(verified.ok()) << text << "\n" << ToString(verified.errors()[0]);
        ++programs;
      }
    }
  }
  EXPECT_EQ(programs, 5 * (7 * 4 + 4 * 4));
}

TEST(Circuit, ParametersHaveTheNamesOfTheText) {
  const isa::Program program = Compiled(
      "(f32 $c, f32 c07, f64 $n1, f32 c03) -> (f32 c03, f32 c01) over count "
      "merge:mul@c07[$c,c01] . merge@c01[c03,c03]");
  std::vector<std::string> names;
  for (const isa::Parameter& parameter : program.parameters) names.push_back(parameter.name);
  EXPECT_EQ(names, (std::vector<std::string>{"c", "c07", "n1", "c03", "c01", "count"}));
  EXPECT_EQ(program.parameters[1].direction, isa::Direction::kIn);
  EXPECT_EQ(program.parameters[3].direction, isa::Direction::kInOut);
  EXPECT_EQ(program.parameters[4].direction, isa::Direction::kOut);
}

TEST(Circuit, Refusals) {
  EXPECT_EQ(ErrorOf("mark@c00"),
            "k.circuit:1:1: error: a kernel's circuit begins with its parameters, as in (f32 c00) "
            "-> (f32 c01) over n ...");
  EXPECT_EQ(ErrorOf("(f32 c00) -> (f32 c01) over n\n  mark@c99"),
            "k.circuit:2:8: error: class 'c99' is above c95");
  EXPECT_EQ(ErrorOf("(f32 c00) -> (f32 c01) over n reduce_sum@c00->c01#100"),
            "k.circuit:1:1: error: ReduceSum of the first 100 elements does not compile to a "
            "kernel in this version");
  EXPECT_EQ(ErrorOf("(f32 c00, f32 c01) -> (f32 c01) over n reduce_max@c00->c01"),
            "k.circuit:1:1: error: ReduceMax into a class that keeps its other elements does not "
            "compile to a kernel in this version");
  EXPECT_EQ(ErrorOf("(i32 c00, i32 c01) -> (i32 c02) over n split:div@c00[c01,c03] . "
                    "reduce_max@c03->c02"),
            "k.circuit:1:1: error: a division of integers in a circuit with reductions does not "
            "compile to a kernel in this version");
  EXPECT_EQ(ErrorOf("(f32 c00, shared f32 c01) -> (f32 c02) over n merge:mul@c00[c01,c02]"),
            "k.circuit:1:1: error: an array that rows share needs rows, as in over n by 64");
  EXPECT_EQ(ErrorOf("(f32 c00, column f32 c01) -> (f32 c02) over n merge:mul@c00[c01,c02]"),
            "k.circuit:1:1: error: a column needs rows, as in over n by 64");
  // In place, and still no abort: what the input held would be the rest of the reduction.
  EXPECT_TRUE(CompileCircuit("(f32 c00) -> (f32 c00) over n by 4 reduce_fma@c00[c00,c02] . "
                             "copy@c02->c00",
                             "k.circuit", "k")
                  .ok());
  EXPECT_EQ(ErrorOf("(f32 $n) -> (f32 c01) over n copy@$n->c01"),
            "k.circuit:1:1: error: the header has the name n twice");
  EXPECT_EQ(ErrorOf("(f32 $c01) -> (f32 c01) over n copy@$c01->c01"),
            "k.circuit:1:1: error: the header has the name c01 twice");
}

}  // namespace
}  // namespace hologram::frontend
