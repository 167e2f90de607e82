// Memory mode without a header: rules, random circuits executed on random memories, and the laws of
// the form.
#include <gtest/gtest.h>

#include <random>

#include "sigmatics/algebra/transform.h"
#include "sigmatics/canonical.h"
#include "sigmatics/execute.h"

namespace hologram::sigmatics {
namespace {

const std::string kNothing = "copy@c00->c00";

std::string Canon(const std::string& text) {
  const Checked<Circuit> circuit = Parse(text);
  if (!circuit.ok()) return "parse: " + circuit.error().message;
  const Checked<Canonical> form = CanonicalForm(circuit.value(), Mode::kMemory);
  if (!form.ok()) return std::to_string(form.error().column) + ": " + form.error().message;
  return Print(form.value().circuit);
}

TEST(MemoryForm, Rules) {
  EXPECT_EQ(Canon("mark@c05 . mark@c05"), kNothing);
  EXPECT_EQ(Canon("mark@c05 . mark@c06 . mark@c05"), "mark@c06");
  EXPECT_EQ(Canon("mark@c05 . copy@c05->c06 . mark@c05"), "mark@c05 . copy@c05->c06 . mark@c05");
  EXPECT_EQ(Canon("swap@c01<->c02 . swap@c02<->c01"), kNothing);
  EXPECT_EQ(Canon("copy@c04->c04 . swap@c03<->c03"), kNothing);
  EXPECT_EQ(Canon("copy@c01->c02 . copy@c01->c02"), "copy@c01->c02");
  EXPECT_EQ(Canon("copy@c01->c02 . copy@c02->c01"), "copy@c01->c02");
  EXPECT_EQ(Canon("copy@c01->c02 . copy@c03->c02"), "copy@c03->c02");
  EXPECT_EQ(Canon("merge@c00[c01,c02] . merge@c01[c00,c02]"), "merge@c00[c01,c02]");
  EXPECT_EQ(Canon("merge@c00[c01,c02] . reduce_sum@c00->c02"),
            "merge@c00[c01,c02] . reduce_sum@c00->c02");
  EXPECT_EQ(Canon("reduce_sum@c00->c02 . copy@c07->c02"), "copy@c07->c02");
  // Nested pairs, which go one after the other.
  EXPECT_EQ(Canon("swap@c01<->c02 . mark@c01 . mark@c01 . swap@c01<->c02"), kNothing);
  EXPECT_EQ(Canon("mark@c01 . copy@c01->c09 . mark@c01 . copy@c03->c09"), "copy@c03->c09");
}

TEST(MemoryForm, OrderIsFoata) {
  EXPECT_EQ(Canon("mark@c09 . copy@c09->c10 . mark@c01"), "mark@c01 . mark@c09 . copy@c09->c10");
  EXPECT_EQ(Canon("mark@c01 || mark@c00"), "mark@c00 . mark@c01");
}

// The gate rules do not hold here, and are not applied.
TEST(MemoryForm, GateRulesDoNotApply) {
  EXPECT_EQ(Canon("mark@c07 . mark@c07"), kNothing);
  const std::string hadamard_twice = "copy@c05->c06 . mark@c21 . copy@c05->c06 . mark@c21";
  EXPECT_EQ(Canon(hadamard_twice), "copy@c05->c06");
}

std::string RandomText(std::mt19937_64& random, uint64_t classes, uint64_t length) {
  const auto c = [&] { return Print(*SigilClass::FromIndex(random() % classes)); };
  std::string text;
  for (uint64_t i = 0; i < length; ++i) {
    if (i != 0) text += " . ";
    switch (random() % 6) {
      case 0:
      case 1:
        text += "mark@" + c();
        break;
      case 2:
        text += "copy@" + c() + "->" + c();
        break;
      case 3:
        text += "swap@" + c() + "<->" + c();
        break;
      case 4:
        text += (random() % 2 == 0 ? "merge@" : "split@") + c() + "[" + c() + "," + c() + "]";
        break;
      default:
        text += (random() % 2 == 0 ? "reduce_sum@" : "softmax@") + c() + "->" + c();
        break;
    }
  }
  return text;
}

Memory Executed(const std::vector<Call>& calls, uint64_t seed) {
  Memory memory = RandomMemory(seed);
  for (const Call& call : calls) Execute(call, memory);
  return memory;
}

std::vector<Call> ResolvedOf(const std::string& text) {
  return Resolve(Parse(text).value()).value();
}

TEST(MemoryForm, RandomCircuitsComputeTheSame) {
  std::mt19937_64 random(17);
  int shorter = 0;
  for (int n = 0; n < 4000; ++n) {
    const std::string text = RandomText(random, 2 + random() % 5, 1 + random() % 20);
    const Checked<Canonical> form = CanonicalForm(Parse(text).value(), Mode::kMemory);
    ASSERT_TRUE(form.ok()) << text;
    const std::string canonical = Print(form.value().circuit);
    ASSERT_LE(form.value().canonical_operations, form.value().original_operations);
    shorter += form.value().canonical_operations < form.value().original_operations ? 1 : 0;
    ASSERT_EQ(Canon(canonical), canonical) << text;
    for (uint64_t seed = 0; seed < 2; ++seed) {
      ASSERT_EQ(Executed(ResolvedOf(text), seed), Executed(ResolvedOf(canonical), seed))
          << text << "\n"
          << canonical;
    }
  }
  EXPECT_GT(shorter, 2000);
}

// Every circuit of three calls over three classes: 19,683 of them.
TEST(MemoryForm, AllShortCircuitsComputeTheSame) {
  std::vector<std::string> calls;
  const std::vector<std::string> classes = {"c00", "c01", "c02"};
  for (const std::string& a : classes) {
    calls.push_back("mark@" + a);
    for (const std::string& b : classes) {
      calls.push_back("copy@" + a + "->" + b);
      calls.push_back("swap@" + a + "<->" + b);
      if (a == b) calls.push_back("merge@" + a + "[c02,c01]");
      if (a == b) calls.push_back("reduce_sum@c00->" + a);
    }
  }
  size_t count = 0;
  for (const std::string& first : calls) {
    for (const std::string& second : calls) {
      for (const std::string& third : calls) {
        ++count;
        std::string text = first;
        text.append(" . ").append(second).append(" . ").append(third);
        const std::vector<Call> resolved = ResolvedOf(text);
        const Checked<Canonical> form = MemoryForm(resolved);
        ASSERT_TRUE(form.ok());
        ASSERT_EQ(Executed(resolved, 5), Executed(form.value().calls, 5))
            << text << "\n"
            << Print(form.value().circuit);
      }
    }
  }
  EXPECT_EQ(count, 27U * 27U * 27U);
}

// Independent neighbours may change places without a change of the form.
TEST(MemoryForm, DoesNotDependOnTheOrderOfIndependentCalls) {
  std::mt19937_64 random(23);
  for (int n = 0; n < 1500; ++n) {
    std::vector<Call> calls = ResolvedOf(RandomText(random, 6, 12));
    const std::string form = Print(MemoryForm(calls).value().circuit);
    for (int k = 0; k < 40; ++k) {
      const size_t i = random() % (calls.size() - 1);
      if (FootprintOf(calls[i]).IsIndependentOf(FootprintOf(calls[i + 1]))) {
        std::swap(calls[i], calls[i + 1]);
      }
    }
    ASSERT_EQ(Print(MemoryForm(calls).value().circuit), form) << Print(CircuitOf(calls));
  }
}

// Relabelling by a transform commutes with the form, up to the order inside a step, which is by
// class: form(g w) = form(g form(w)), and both have the same number of calls.
TEST(MemoryForm, IsEquivariant) {
  std::mt19937_64 random(29);
  for (int n = 0; n < 600; ++n) {
    const std::string text = RandomText(random, 6, 10);
    const Transform g = Transform::FromIndex(static_cast<uint32_t>(random() % kNumTransforms));
    const std::string prefix = "R+" + std::to_string(g.r()) + " D+" + std::to_string(g.d()) +
                               " T+" + std::to_string(g.t()) + (g.m() ? " ~@" : "@");
    ASSERT_EQ(Canon(prefix + "(" + text + ")"), Canon(prefix + "(" + Canon(text) + ")")) << text;
  }
}

}  // namespace
}  // namespace hologram::sigmatics
