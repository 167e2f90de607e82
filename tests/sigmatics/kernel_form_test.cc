// Memory mode with a header: texts, and random kernels executed before and after.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "sigmatics/canonical.h"
#include "sigmatics/execute.h"

namespace hologram::sigmatics {
namespace {

std::string KernelCanon(const std::string& text) {
  const Checked<Circuit> circuit = Parse(text);
  if (!circuit.ok()) return "parse: " + circuit.error().message;
  const Checked<Canonical> form = CanonicalForm(circuit.value(), Mode::kMemory);
  if (!form.ok()) return std::to_string(form.error().column) + ": " + form.error().message;
  return Print(form.value().circuit);
}

const std::string kTwo = "(f32 c00, f32 c01) -> (f32 c02) over n ";
const std::string kOne = "(f32 c00) -> (f32 c01) over n ";

TEST(KernelForm, NamesAndOrder) {
  EXPECT_EQ(KernelCanon("(f32 c40, f32 c07) -> (f32 c09) over m merge@c07[c40,c09]"),
            kTwo + "merge@c00[c01,c02]");
  EXPECT_EQ(KernelCanon("(f32 $alpha, f32 c01, f32 $beta) -> (f32 c09) over n "
                        "merge:mul@$beta[c01,c33] . merge@$alpha[c33,c09]"),
            "(f32 $a, f32 c00, f32 $b) -> (f32 c01) over n "
            "merge:mul@c00[$b,c02] . merge@c02[$a,c01]");
  // Temporaries are the lowest free classes; the last value goes right into its output.
  EXPECT_EQ(
      KernelCanon(kTwo + "merge:exp@c01[c01,c90] . merge:exp@c00[c00,c91] . split@c91[c90,c02]"),
      kTwo + "merge:exp@c00[c00,c03] . merge:exp@c01[c01,c04] . split@c03[c04,c02]");
}

TEST(KernelForm, CopiesAndDeadStoresVanish) {
  EXPECT_EQ(KernelCanon(kTwo + "copy@c00->c10 . copy@c01->c11 . merge:mul@c00[c00,c12] . "
                               "copy@#1.0->c02 . swap@c10<->c11 . merge@c10[c11,c02]"),
            kTwo + "merge@c00[c01,c02]");
  EXPECT_EQ(KernelCanon(kOne + "copy@c00->c01"), kOne + "copy@c00->c01");
  EXPECT_EQ(KernelCanon("(f32 c00) -> (f32 c00) over n mark@c00 . mark@c00"),
            "(f32 c00) -> (f32 c00) over n copy@c00->c00");
}

TEST(KernelForm, CommonSubexpressionsAreComputedOnce) {
  EXPECT_EQ(
      KernelCanon(kTwo + "merge:mul@c00[c01,c10] . merge:mul@c01[c00,c11] . merge@c10[c11,c02]"),
      kTwo + "merge:mul@c00[c01,c03] . merge@c03[c03,c02]");
}

TEST(KernelForm, InPlace) {
  EXPECT_EQ(KernelCanon("(f32 $a, f32 c00, f32 c01) -> (f32 c01) over n merge:fma@$a[c00,c01,c01]"),
            "(f32 $a, f32 c00, f32 c01) -> (f32 c01) over n merge:fma@c00[$a,c01,c01]");
  EXPECT_EQ(KernelCanon("(f32 c00, f32 c01) -> (f32 c00, f32 c01) over n swap@c00<->c01"),
            "(f32 c00, f32 c01) -> (f32 c00, f32 c01) over n swap@c00<->c01");
  EXPECT_EQ(KernelCanon("(f32 c00, f32 c01) -> (f32 c00, f32 c01) over n "
                        "merge@c00[c01,c05] . split@c00[c01,c01] . copy@c05->c00"),
            "(f32 c00, f32 c01) -> (f32 c00, f32 c01) over n "
            "merge@c00[c01,c02] . split@c00[c01,c01] . copy@c02->c00");
  EXPECT_EQ(KernelCanon("(f32 c00) -> (f32 c00) over n mark@c00"),
            "(f32 c00) -> (f32 c00) over n mark@c00");
}

TEST(KernelForm, SignsAndConstants) {
  EXPECT_EQ(KernelCanon(kTwo + "copy@c01->c05 . mark@c05 . merge@c00[c05,c02]"),
            kTwo + "split@c00[c01,c02]");
  EXPECT_EQ(KernelCanon(kOne + "split:div@c00[#4,c01]"), kOne + "merge:mul@c00[#0.25,c01]");
  EXPECT_EQ(KernelCanon(kOne + "split:div@c00[#3,c01]"), kOne + "split:div@c00[#3.0,c01]");
  EXPECT_EQ(KernelCanon(kOne + "merge:mul@#2[c00,c01]"), kOne + "merge@c00[c00,c01]");
  EXPECT_EQ(KernelCanon(kOne + "merge:mul@c00[#0.1,c01]"), kOne + "merge:mul@c00[#0.1,c01]");
  // x * 1 keeps the payload of a NaN that was loaded; of a computed value it is the value.
  EXPECT_EQ(KernelCanon(kOne + "merge:mul@c00[#1,c01]"), kOne + "merge:mul@c00[#1.0,c01]");
  EXPECT_EQ(KernelCanon(kOne + "merge@c00[c00,c02] . merge:mul@c02[#1,c01]"),
            kOne + "merge@c00[c00,c01]");
  EXPECT_EQ(
      KernelCanon("(i32 c00) -> (i32 c01) over n merge:mul@c00[#1,c02] . merge:neg@c02[c02,c02] . "
                  "merge:sub@#7[c02,c01]"),
      "(i32 c00) -> (i32 c01) over n merge@c00[#7,c01]");
  EXPECT_EQ(
      KernelCanon("(u8 c00) -> (u8 c01) over n copy@c00->c01 . mark@c01 . mark@c01 . mark@c01"),
      "(u8 c00) -> (u8 c01) over n merge:xor@c00[#128,c01]");
}

// Where a sign was written does not matter, beside products of 0, 1 and 2 and inside them too.
TEST(KernelForm, SignsHaveOnePlace) {
  const std::vector<std::vector<std::string>> ways = {
      {"merge:mul@c00[c01,c03] . mark@c03 . merge:exp@c03[c03,c02]",
       "mark@c00 . merge:mul@c00[c01,c03] . merge:exp@c03[c03,c02]",
       "mark@c01 . merge:mul@c01[c00,c03] . merge:exp@c03[c03,c02]",
       "merge:mul@c00[#-1.0,c03] . merge:mul@c03[c01,c03] . merge:exp@c03[c03,c02]",
       "merge:mul@c00[c01,c03] . split:div@c03[#-1.0,c03] . merge:exp@c03[c03,c02]"},
      {"merge:mul@c00[#2.0,c03] . merge:mul@c03[c01,c03] . split@c01[c03,c02]",
       "merge:mul@c00[#-2.0,c03] . merge:mul@c03[c01,c03] . merge@c01[c03,c02]",
       "merge@c00[c00,c03] . mark@c03 . merge:mul@c03[c01,c03] . merge@c01[c03,c02]",
       "split:div@c00[#-0.5,c03] . merge:mul@c03[c01,c03] . merge@c03[c01,c02]"},
      {"merge:mul@c00[#0.0,c03] . split@c01[c03,c02]",
       "merge:mul@c00[#-0.0,c03] . merge@c01[c03,c02]",
       "mark@c00 . merge:mul@c00[#0.0,c03] . merge@c01[c03,c02]",
       "merge:mul@c00[#0.0,c03] . mark@c03 . merge@c01[c03,c02]"},
      {"merge@c00[c01,c02]", "merge:mul@c00[#1.0,c00] . merge@c00[c01,c02]",
       "mark@c00 . merge:mul@c00[#-1.0,c00] . split@c01[#0.0,c01] . merge@c00[c01,c02]",
       "merge:fma@c00[#1.0,c01,c02]", "merge:mad@c01[#1.0,c00,c02]",
       "mark@c00 . merge:fma@c00[#-1.0,c01,c02]"},
      {"merge:mul@c00[c01,c02]", "merge:fma@c00[c01,#-0.0,c02]", "merge:mad@c01[c00,#-0.0,c02]"},
      {"merge:mul@c00[c01,c03] . merge:abs@c03[c03,c02]",
       "mark@c01 . merge:mul@c00[c01,c03] . merge:abs@c03[c03,c02]"},
      {"merge:lt@c00[#0.0,c03] . merge:select@c03[c00,c01,c02]",
       "copy@c00->c04 . mark@c04 . merge:gt@c04[#-0.0,c03] . merge:select@c03[c00,c01,c02]"},
      {"mark@c00 . split@c00[c01,c02]", "mark@c01 . split@c01[c00,c02]"},
      {"merge:mul@c00[#3.0,c03] . merge@#2.0[c03,c03] . merge:exp@c03[c03,c02]",
       "merge:mul@c00[#-3.0,c03] . split@#2.0[c03,c03] . merge:exp@c03[c03,c02]"},
  };
  for (const std::vector<std::string>& texts : ways) {
    for (const std::string& text : texts)
      EXPECT_EQ(KernelCanon(kTwo + text), KernelCanon(kTwo + texts[0]));
  }
  // A sign goes where it costs nothing.
  EXPECT_EQ(KernelCanon(kTwo + "merge:mul@c00[#3.0,c03] . mark@c01 . split@c01[c03,c02]"),
            kTwo + "merge:mul@c00[#-3.0,c03] . split@c03[c01,c02]");
  EXPECT_EQ(KernelCanon(kOne + "split@#-3.0[c00,c01]"), kOne + "split@#-3.0[c00,c01]");
  // Stored, the NaN of one has a sign.
  EXPECT_NE(KernelCanon(kTwo + "merge:mul@c00[c01,c02] . mark@c02"),
            KernelCanon(kTwo + "mark@c00 . merge:mul@c00[c01,c02]"));
}

TEST(KernelForm, Comparisons) {
  const std::string chosen = kTwo + "merge:lt@c00[c01,c03] . merge:select@c03[c00,c01,c02]";
  EXPECT_EQ(KernelCanon(kTwo + "merge:gt@c01[c00,c05] . merge:select@c05[c00,c01,c02]"), chosen);
  EXPECT_EQ(KernelCanon(kTwo + "merge:lt@c00[c01,c05] . merge:xor@c05[#1,c05] . "
                               "merge:select@c05[c01,c00,c02]"),
            chosen);
  // With NaN, not less is not greater or equal.
  EXPECT_NE(KernelCanon(kTwo + "merge:ge@c00[c01,c05] . merge:select@c05[c01,c00,c02]"), chosen);
  const std::string ints = "(i32 c00, i32 c01) -> (i32 c02) over n ";
  EXPECT_EQ(KernelCanon(ints + "merge:ge@c00[c01,c05] . merge:select@c05[c01,c00,c02]"),
            ints + "merge:lt@c00[c01,c03] . merge:select@c03[c00,c01,c02]");
  EXPECT_EQ(KernelCanon(kTwo + "merge:ne@c00[#0.0,c05] . merge:select@c05[c00,c01,c02]"),
            kTwo + "merge:select@c00[c00,c01,c02]");
  EXPECT_EQ(KernelCanon(kTwo + "merge:eq@#-0.0[c00,c05] . merge:select@c05[c00,c01,c02]"),
            kTwo + "merge:select@c00[c01,c00,c02]");
  EXPECT_EQ(KernelCanon(kTwo + "merge:ne@c01[c00,c05] . merge:select@c05[c00,c01,c02]"),
            kTwo + "merge:eq@c00[c01,c03] . merge:select@c03[c01,c00,c02]");
  const std::string flags = "(f32 c00, f32 c01) -> (u8 c02) over n ";
  EXPECT_EQ(KernelCanon(flags + "merge:eq@c01[c00,c03] . merge:xor@c03[#1,c02]"),
            flags + "merge:ne@c00[c01,c02]");
  EXPECT_EQ(KernelCanon(flags + "merge:lt@c00[c01,c03] . merge:xor@c03[#1,c02]"),
            flags + "merge:lt@c00[c01,c03] . merge:xor@c03[#1,c02]");
  EXPECT_EQ(KernelCanon(flags + "merge:lt@c00[c01,c03] . merge@c03[#1.0,c02]"),
            "63: #1.0 is no u8");
}

TEST(KernelForm, LiteralsFold) {
  const std::string bytes = "(u8 c00) -> (u8 c01) over n ";
  EXPECT_EQ(KernelCanon(bytes + "merge@#250:u8[#7,c02] . merge@c00[c02,c01]"),
            bytes + "merge@c00[#1,c01]");
  EXPECT_EQ(KernelCanon(bytes + "merge:lt@#-1:i8[#1,c02] . merge:select@c02[c00,#3,c01]"),
            bytes + "copy@c00->c01");
  EXPECT_EQ(KernelCanon(bytes + "merge:le@#nan[#1.0,c02] . merge:select@c02[c00,#3,c01]"),
            bytes + "copy@#3->c01");
  // Sums of floats are not folded: what rounds is the machine's business.
  EXPECT_EQ(KernelCanon(kOne + "merge@#1.0[#2.0,c02] . merge@c00[c02,c01]"),
            kOne + "merge@#1.0[#2.0,c02] . merge@c00[c02,c01]");
}

// A literal says its type where nothing else does.
TEST(KernelForm, LiteralsWithTypes) {
  const std::string header = "(f32 c00) -> (u32 c01) over n ";
  const std::string text = header + "merge:lt@c00[#1.0,c02] . merge:select@c02[#1:u32,#0,c01]";
  EXPECT_EQ(KernelCanon(text), text);
  EXPECT_EQ(KernelCanon(header + "merge:lt@c00[#1:f32,c02] . copy@#0:u32->c03 . "
                                 "merge:select@c02[#1,c03,c01]"),
            text);
  EXPECT_EQ(KernelCanon("() -> (f64 c00) over n copy@#0.1:f64->c00"),
            "() -> (f64 c00) over n copy@#0.1->c00");
  EXPECT_EQ(KernelCanon("() -> (f64 c00) over n copy@#1:i8->c05 . merge:f64@c05[c05,c00]"),
            "() -> (f64 c00) over n copy@#1.0->c00");
  EXPECT_EQ(KernelCanon("() -> (f32 c00) over n merge:f32@#257:u16[#257:u16,c00]"),
            "() -> (f32 c00) over n merge:f32@#257:u16[#257:u16,c00]");
  EXPECT_EQ(KernelCanon("(f32 c00) -> (f32 c01) over n merge@c00[#1.0:f64,c01]"),
            "31: #1.0:f64 is no f32");
  EXPECT_EQ(KernelCanon("() -> (u8 c00) over n copy@#300:u8->c00"), "23: #300:u8 is no u8");
  EXPECT_EQ(KernelCanon("() -> (u8 c00) over n copy@#3:u9->c00"),
            "parse: expected a type, found 'u9'");
  EXPECT_EQ(KernelCanon("() -> (u8 c00) over n copy@#3:->c00"),
            "parse: expected a type, found '->'");
}

// What floats do not allow stays as it is.
TEST(KernelForm, NoReassociation) {
  const std::string left = KernelCanon(kTwo + "merge@c00[c01,c02] . merge@c02[c00,c02]");
  const std::string right = KernelCanon(kTwo + "merge@c00[c00,c02] . merge@c02[c01,c02]");
  EXPECT_NE(left, right);
  EXPECT_EQ(KernelCanon(kOne + "merge@c00[#0.0,c01]"), kOne + "merge@c00[#0.0,c01]");
  EXPECT_EQ(KernelCanon(kOne + "merge:mul@c00[#-1.0,c01]"), kOne + "merge:mul@c00[#-1.0,c01]");
  EXPECT_EQ(KernelCanon(kOne + "split@c00[c00,c01]"), kOne + "split@c00[c00,c01]");
}

// Five kernels, ten ways to write each, one text for each kernel.
TEST(KernelForm, EqualKernelsHaveEqualText) {
  const std::vector<std::vector<std::string>> kernels = {
      {
          "merge@c00[c01,c02]",
          "merge@c01[c00,c02]",
          "merge:add@c00[c01,c02]",
          "copy@c00->c50 . merge@c50[c01,c02]",
          "copy@c00->c02 . merge@c01[c02,c02]",
          "swap@c00<->c01 . merge@c00[c01,c02]",
          "mark@c01 . split@c00[c01,c02]",
          "mark@c00 . mark@c01 . mark@c00 . mark@c01 . merge@c00[c01,c02]",
          "merge:mul@c00[c01,c02] . merge@c00[c01,c02]",
          "(quote@c03 . merge@c00[c01,c02]) . evaluate@c03",
      },
      {
          "merge@c00[c01,c03] . merge:tanh@c03[c03,c02]",
          "merge@c01[c00,c44] . merge:tanh@c44[c44,c02]",
          "merge@c00[c01,c02] . merge:tanh@c02[c02,c02]",
          "merge@c00[c01,c02] . merge:tanh@c02[c02,c05] . copy@c05->c02",
          "(T+1@merge@c07[c00,c01]) . merge:tanh@c02[c02,c02]",
          "merge@c00[c01,c03] . merge@c01[c00,c04] . merge:tanh@c04[c04,c02]",
          "mark@c00 . split@c01[c00,c02] . merge:tanh@c02[c02,c02]",
          "merge@c00[c01,c02] . swap@c02<->c00 . merge:tanh@c00[c00,c02]",
          "merge@c00[c01,c02] . mark@c00 . merge:tanh@c02[c02,c02]",
          "merge:exp@c01[c01,c02] . merge@c00[c01,c02] . merge:tanh@c02[c02,c02]",
      },
      {
          "split@c00[c01,c02] . merge:mul@c02[c02,c02]",
          "split@c00[c01,c10] . split@c00[c01,c11] . merge:mul@c10[c11,c02]",
          "mark@c01 . merge@c00[c01,c02] . merge:mul@c02[c02,c02]",
          "mark@c01 . merge@c01[c00,c02] . merge:mul@c02[c02,c02]",
          "split@c00[c01,c02] . mark@c02 . merge:mul@c02[c02,c02]",
          "split@c00[c01,c02] . copy@c02->c03 . merge:mul@c03[c02,c02]",
          "merge:sub@c00[c01,c02] . merge:mul@c02[c02,c02]",
          "split@c00[c01,c02] . copy@c02->c03 . mark@c03 . mark@c02 . merge:mul@c03[c02,c02]",
          "copy@c00->c08 . copy@c01->c09 . (split@c08[c09,c02] . merge:mul@c02[c02,c02])",
          "(R+1@split@c72[c73,c74]) . merge:mul@c02[c02,c02]",
      },
      {
          "merge:max@c00[#0.0,c05] . merge:mul@c05[c01,c02]",
          "merge:max@#0.0[c00,c05] . merge:mul@c05[c01,c02]",
          "merge:max@#0[c00,c05] . merge:mul@c01[c05,c02]",
          "copy@#0.0->c06 . merge:max@c00[c06,c05] . merge:mul@c01[c05,c02]",
          "merge:max@c00[#0e5,c02] . merge:mul@c02[c01,c02]",
          "merge:max@c00[#0.0,c02] . merge:max@c02[c02,c02] . merge:mul@c02[c01,c02]",
          "merge:max@c00[#0.0,c02] . merge:min@c02[c02,c02] . merge:mul@c02[c01,c02]",
          "merge:max@c00[#0.0,c02] . split@c02[#0.0,c02] . merge:mul@c02[c01,c02]",
          "merge:max@c00[#0.0,c02] . merge:mul@c02[#1.0,c02] . merge:mul@c02[c01,c02]",
          "merge:max@c00[#0.0,c02] . mark@c02 . mark@c01 . merge:mul@c02[c01,c02]",
      },
      {
          "merge:abs@c00[c00,c05] . split:div@c05[#8.0,c06] . merge@c06[c01,c02]",
          "merge:abs@c00[c00,c05] . merge:mul@c05[#0.125,c06] . merge@c06[c01,c02]",
          "merge:abs@c00[c00,c05] . merge:mul@#0.125[c05,c06] . merge@c01[c06,c02]",
          "mark@c00 . merge:abs@c00[c00,c05] . split:div@c05[#8,c06] . merge@c06[c01,c02]",
          "merge:abs@c00[c00,c05] . merge:abs@c05[c05,c05] . split:div@c05[#8,c06] . "
          "merge@c06[c01,c02]",
          "merge:abs@c00[c00,c02] . split:div@c02[#8,c02] . merge@c01[c02,c02]",
          "merge:abs@c00[c00,c02] . split:div@c02[#8,c02] . mark@c02 . split@c01[c02,c02]",
          "copy@#8->c30 . copy@#8.0->c31 . merge:abs@c00[c00,c02] . split:div@c02[#8,c02] . "
          "merge@c01[c02,c02]",
          "merge:abs@c00[c00,c02] . copy@c02->c07 . split:div@c07[#8,c02] . merge@c01[c02,c02]",
          "merge:abs@c00[c00,c02] . split:div@c02[#8e0,c02] . mark@c01 . split@c02[c01,c02]",
      },
  };
  for (const std::vector<std::string>& ways : kernels) {
    EXPECT_GE(ways.size(), 10U);
    for (const std::string& way : ways) {
      if (&way == &ways[0]) continue;
      EXPECT_EQ(KernelCanon(kTwo + way), KernelCanon(kTwo + ways[0])) << way;
    }
  }
  // Types and roles are part of the identity.
  EXPECT_NE(KernelCanon("(f64 c00, f64 c01) -> (f64 c02) over n merge@c00[c01,c02]"),
            KernelCanon(kTwo + "merge@c00[c01,c02]"));
  EXPECT_NE(KernelCanon(kTwo + "split@c00[c01,c02]"), KernelCanon(kTwo + "split@c01[c00,c02]"));
}

TEST(KernelForm, DivisionThatMayStopTheKernelStays) {
  const std::string header = "(i32 c00, i32 c01) -> (i32 c02) over n ";
  EXPECT_EQ(KernelCanon(header + "split:div@c00[c01,c05] . copy@c00->c02"),
            header + "split:div@c00[c01,c03] . copy@c00->c02");
  EXPECT_EQ(KernelCanon(header + "split:div@c00[#3,c05] . copy@c00->c02"),
            header + "copy@c00->c02");
}

TEST(KernelForm, Reductions) {
  EXPECT_EQ(KernelCanon(kOne + "copy@c00->c07 . reduce_sum@c07->c01"),
            kOne + "reduce_sum@c00->c01");
  EXPECT_EQ(KernelCanon(kOne + "softmax@c00->c05 . softmax@c00->c01"), kOne + "softmax@c00->c01");
  EXPECT_EQ(KernelCanon(kOne + "merge:mul@c00[c00,c03] . reduce_sum@c03->c01#100"),
            kOne + "merge:mul@c00[c00,c02] . reduce_sum@c02->c01#100");
  // A reduction is one number for all elements, and so is what is computed of numbers.
  EXPECT_EQ(KernelCanon(kOne + "reduce_max@c00->c05 . split@c00[c05,c01]"),
            kOne + "reduce_max@c00->c02 . split@c00[c02,c01]");
  EXPECT_EQ(KernelCanon(kOne + "reduce_max@c00->c05 . merge@c05[#1,c06] . reduce_sum@c06->c01"),
            "73: ReduceSum takes a vector, and c06 holds one number");
  EXPECT_EQ(
      KernelCanon("(f32 c00) -> (f32 c01) over k merge:f32@$k[$k,c02] . merge:mul@c00[c02,c01]"),
      kOne + "merge:f32@$n[$n,c02] . merge:mul@c00[c02,c01]");
  // A class that held a vector is not taken for a number, or the vector would be its rest.
  EXPECT_EQ(
      KernelCanon(kOne + "merge:exp@c00[c00,c02] . merge:abs@c02[c02,c02] . reduce_sum@c02->c03 . "
                         "merge:tanh@c00[c00,c04] . merge@c03[c04,c05] . reduce_max@c05->c06 . "
                         "merge@c06[c03,c01]"),
      kOne +
          "merge:exp@c00[c00,c02] . merge:abs@c02[c02,c02] . reduce_sum@c02->c03 . "
          "merge:tanh@c00[c00,c02] . merge@c02[c03,c02] . reduce_max@c02->c04 . "
          "merge@c03[c04,c01]");
  EXPECT_EQ(KernelCanon("(f32 c00) -> (f32 c00) over n reduce_sum@c00->c01 . copy@c01->c00"),
            "(f32 c00) -> (f32 c00) over n reduce_sum@c00->c01 . copy@c01->c00");
  // Rows: how many lanes, cut into pieces, with an array that all share.
  const std::string rows = "(f32 c00, shared f32 c01) -> (f32 c02) over n by 64 cut 128 ";
  EXPECT_EQ(KernelCanon("(f32 c07, shared f32 c03) -> (f32 c02) over k by 64 cut 128 "
                        "reduce_fma@c03[c07,c00] . reduce_prod@c07->c01 . merge@c01[c00,c02]"),
            rows + "reduce_prod@c00->c03 . reduce_fma@c00[c01,c04] . merge@c03[c04,c02]");
  EXPECT_EQ(KernelCanon(kOne + "reduce_and@c00->c01"), "31: ReduceAnd has no f32 form");
  EXPECT_EQ(KernelCanon(kOne + "reduce_fma@c00[c00,c01]"),
            "31: ReduceFma adds one product after the other: the header says by how many lanes, as "
            "in (f32 c00, f32 c01) -> (f32 c02) over n by 64 ...");
  EXPECT_EQ(KernelCanon("(f32 c00, f64 c01) -> (f32 c02) over n by 4 reduce_fma@c00[c01,c02]"),
            "45: c01 is f64, expected f32");
  EXPECT_EQ(
      KernelCanon("(f32 c00) -> (f32 c01) over n by 4 copy@c00->c01 . reduce_fma@c00[c00,c01]"),
      "52: ReduceFma into c01, which holds a vector");
  // The other elements of the destination stay.
  EXPECT_EQ(KernelCanon(kTwo + "copy@c01->c02 . reduce_sum@c00->c02"),
            kTwo + "copy@c01->c02 . reduce_sum@c00->c02");
}

// A circuit of rows over c00 to c07, two of them inputs. Classes hold vectors or numbers.
std::string RandomRows(std::mt19937_64& random) {
  const auto below = [&](uint64_t n) { return static_cast<size_t>(random() % n); };
  const bool by_lanes = below(2) == 0;
  std::map<std::string, bool> is_vector = {{"c00", true}, {"c01", true}};
  const auto any = [&](bool vector) {
    std::vector<std::string> classes;
    for (const auto& [name, is] : is_vector) {
      if (is || !vector) classes.push_back(name);
    }
    return classes.empty() ? std::string() : classes[below(classes.size())];
  };
  std::string text;
  const auto add = [&](const std::string& call, const std::string& to, bool vector) {
    text += (text.empty() ? "" : " . ") + call;
    is_vector[to] = vector;
  };
  for (size_t i = 0, length = 2 + below(12); i < length; ++i) {
    const std::string x = any(true);
    const std::string y = any(true);
    const std::string z = any(false);
    const std::string to = "c0" + std::to_string(below(8));
    const bool keeps = is_vector.contains(to) && is_vector[to];
    switch (below(4)) {
      case 0: {
        constexpr const char* kWords[] = {"reduce_sum", "reduce_prod", "reduce_max"};
        if (!x.empty()) add(std::string(kWords[below(3)]) + "@" + x + "->" + to, to, keeps);
        break;
      }
      case 1:
        if (by_lanes && !x.empty() && !keeps)
          add("reduce_fma@" + x + "[" + y + "," + to + "]", to, false);
        break;
      case 2:
        add("copy@" + z + "->" + to, to, is_vector[z]);
        break;
      default:
        add("merge:mul@" + z + "[#2.5," + to + "]", to, is_vector[z]);
        break;
    }
  }
  add("copy@" + any(false) + "->c07", "c07", true);
  return std::string("(f32 c00, f32 c01) -> (f32 c01, f32 c07) over n ") +
         (by_lanes ? "by 64 " : "") + text;
}

TEST(KernelForm, RandomRowsKeepTheirForm) {
  std::mt19937_64 random(17);
  int circuits = 0;
  for (int n = 0; n < 3000; ++n) {
    const std::string text = RandomRows(random);
    const std::string canonical = KernelCanon(text);
    if (!canonical.starts_with("(f32")) continue;  // a reduction of a number
    ++circuits;
    ASSERT_EQ(KernelCanon(canonical), canonical) << text;
  }
  EXPECT_GT(circuits, 1000);
}

TEST(KernelForm, Refusals) {
  EXPECT_EQ(KernelCanon(kOne + "merge@c00[c05,c01]"),
            "31: c05 is read before it is written, and is no input of the header");
  EXPECT_EQ(KernelCanon(kOne + "merge@c00[$a,c01]"), "31: the header has no scalar $a");
  EXPECT_EQ(KernelCanon("(f32 c00, f64 c01) -> (f32 c02) over n merge@c00[c01,c02]"),
            "40: c01 is f64, expected f32; a cast is written merge:f32@c01[c01,c95]");
  EXPECT_EQ(KernelCanon(kOne + "merge:xor@c00[c00,c01]"), "31: xor has no f32 form");
  EXPECT_EQ(KernelCanon("(i32 c00) -> (i32 c01) over n merge@c00[#2.5,c01]"), "31: #2.5 is no i32");
  EXPECT_EQ(KernelCanon("(u8 c00) -> (u8 c01) over n merge@c00[#256,c01]"), "29: #256 is no u8");
  EXPECT_EQ(KernelCanon("(i32 c00) -> (i32 c00) over n mark@c00"),
            "31: mark flips signs of floats and the highest bit of u8; c00 is i32");
  EXPECT_EQ(KernelCanon(kOne + "merge@c00[c00,c02]"), "1: the output c01 is never written");
  EXPECT_EQ(KernelCanon("(f32 c00) -> (f64 c01) over n copy@c00->c01"),
            "1: the output c01 is f64, but its value is f32");
  EXPECT_EQ(KernelCanon(kOne + "copy@c00@3->c01"),
            "31: memory mode: classes have no pages; leave out the @");
  EXPECT_EQ(KernelCanon("mark@c00 . copy@$a->c01"),
            "12: $a needs a header, as in (f32 c00, f32 $a) -> (f32 c01) over n ...");
}

// Random kernels: the same bits before and after, idempotent, never more calls.
TEST(KernelForm, RandomKernelsComputeTheSame) {
  std::mt19937_64 random(13);
  int shorter = 0;
  for (int n = 0; n < 3000; ++n) {
    const std::string text = RandomKernel(random);
    const Checked<Circuit> circuit = Parse(text);
    ASSERT_TRUE(circuit.ok()) << text << "\n" << circuit.error().message;
    const Checked<Canonical> form = CanonicalForm(circuit.value(), Mode::kMemory);
    ASSERT_TRUE(form.ok()) << text << "\n" << form.error().message;
    const std::string canonical = Print(form.value().circuit);
    ASSERT_EQ(KernelCanon(canonical), canonical) << text;
    shorter += form.value().canonical_operations < form.value().original_operations ? 1 : 0;
    ASSERT_LE(form.value().canonical_operations, form.value().original_operations + 2) << text;
    for (uint64_t data = 0; data < 3; ++data) {
      ASSERT_EQ(ExecuteKernel(text, data), ExecuteKernel(canonical, data)) << text << "\n"
                                                                           << canonical;
    }
  }
  EXPECT_GT(shorter, 1000);
}

TEST(KernelForm, LongChainsTakeNoStack) {
  std::string text = kOne + "copy@c00->c01";
  for (int i = 0; i < 40'000; ++i) text += ".merge:exp@c01[c01,c01]";
  const std::string canonical = KernelCanon(text);
  EXPECT_TRUE(canonical.starts_with(kOne + "merge:exp@c00[c00,c02] . merge:exp@c02[c02,c02]"))
      << canonical.substr(0, 100);
}

}  // namespace
}  // namespace hologram::sigmatics
