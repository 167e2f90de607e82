// Calls: circuit.txt, text and back on random circuits, and what Resolve refuses.
#include "sigmatics/lower/call.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/quote.h"
#include "sigmatics/call_listing.h"
#include "sigmatics/random_circuit.h"

namespace hologram::sigmatics {
namespace {

Circuit Parsed(const std::string& text) {
  Checked<Circuit> circuit = Parse(text);
  EXPECT_TRUE(circuit.ok()) << text << "\n" << circuit.error().message;
  return std::move(circuit).value();
}

std::string Listed(const std::string& text) {
  const Checked<std::vector<Call>> calls = ListCalls(Parsed(text));
  return calls.ok() ? ListingOf(calls.value()) : "error: " + calls.error().message;
}

std::string Resolved(const std::string& text) {
  const Checked<std::vector<Call>> calls = Resolve(Parsed(text));
  if (calls.ok()) return Print(CircuitOf(calls.value()));
  return std::to_string(calls.error().column) + ": " + calls.error().message;
}

TEST(Calls, CircuitDialect) {
  std::ifstream file(std::string(HOLOGRAM_TEST_DIR) + "/circuit.txt");
  int cases = 0;
  int errors = 0;
  std::string text;
  std::string wanted;
  const auto check = [&] {
    if (text.empty() && wanted.empty()) return;
    SCOPED_TRACE(text);
    const Checked<Circuit> circuit = Parse(text);
    if (wanted == "error") {
      ++errors;
      EXPECT_TRUE(!circuit.ok() || !ListCalls(circuit.value()).ok());
      return;
    }
    ASSERT_TRUE(circuit.ok()) << circuit.error().message;
    const Checked<std::vector<Call>> calls = ListCalls(circuit.value());
    ASSERT_TRUE(calls.ok()) << calls.error().message;
    std::vector<Call> without_pages = calls.value();
    for (Call& call : without_pages) {
      for (Operand& source : call.sources) source.sigil.page.reset();
      call.destination.sigil.page.reset();
    }
    EXPECT_EQ(ListingOf(without_pages), wanted);
  };
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    if (line.starts_with("expr ")) {
      check();
      ++cases;
      size_t position = 0;
      std::string error;
      wanted.clear();
      ASSERT_TRUE(Unquote(line.substr(5), &position, &text, &error)) << line;
    } else if (line == "error") {
      wanted = line;
    } else {
      wanted += line.substr(5) + "\n";
    }
  }
  check();
  EXPECT_EQ(cases, 138);
  EXPECT_EQ(errors, 26);
}

TEST(Calls, TextIsLossless) {
  RandomCircuit random(11);
  int kinds[kNumCallKinds] = {};
  for (int i = 0; i < 6000; ++i) {
    const std::string text = random.Text();
    const Circuit circuit = Parsed(text);
    const Checked<std::vector<Call>> calls = ListCalls(circuit);
    if (!calls.ok()) {
      EXPECT_EQ(calls.error().kind, ErrorKind::kSemantic);
      continue;
    }
    for (const Call& call : calls.value()) ++kinds[static_cast<size_t>(call.kind)];
    const std::string printed = Print(CircuitOf(calls.value(), circuit.header));
    const Checked<std::vector<Call>> again = ListCalls(Parsed(printed));
    ASSERT_TRUE(again.ok()) << printed << "\n" << again.error().message;
    ASSERT_EQ(again.value(), calls.value()) << text << "\n" << printed;
  }
  for (int i = 0; i < kNumCallKinds; ++i) {
    EXPECT_GT(kinds[i], 20) << NameOf(static_cast<CallKind>(i));
  }
}

// Every variant, in every form it has.
TEST(Calls, EveryVariantHasALosslessText) {
  for (const Variant& variant : AllVariants()) {
    const std::string name = "merge:" + TextOf(variant);
    const char* operands[] = {"", "@c00[c00,c03]", "@c00[c01,c03]", "@c00[$a,#2.5,c03]"};
    const std::string text = name + operands[NumSources(variant)];
    const Checked<std::vector<Call>> calls = ListCalls(Parsed(text));
    ASSERT_TRUE(calls.ok()) << text << ": " << calls.error().message;
    EXPECT_EQ(calls.value()[0].variant, variant);
    EXPECT_EQ(calls.value()[0].sources.size(), NumSources(variant));
    EXPECT_EQ(ListCalls(Parsed(Print(CircuitOf(calls.value())))).value(), calls.value());
  }
}

TEST(Calls, Pages) {
  EXPECT_EQ(Listed("copy@c05@3->c06@17"), "Copy src=5 page_src=3 dst=6 page_dst=17\n");
  EXPECT_EQ(Listed("mark@c05@47"), "Mark class=5 page=47\n");
}

TEST(Calls, RangesBecomeTheRunsOfTheirImages) {
  EXPECT_EQ(Listed("~@ merge@c[0..9]"),
            "MergeRange start=0 end=7 variant=Add\nMergeRange start=16 end=17 variant=Add\n");
  EXPECT_EQ(Listed("R+1@ mark@c[70..75]"), "MarkRange start=0 end=3\nMarkRange start=94 end=95\n");
  EXPECT_EQ(Listed("mark@c[7..9]^+1"), "Mark class=0\nMarkRange start=9 end=10\n");
  EXPECT_EQ(Listed("T+1@ mark@c[0..95]"), "MarkRange start=0 end=95\n");
  EXPECT_EQ(Listed("merge:exp@c[7..8]^+1"),
            "Merge src=0 dst=0 variant=Exp\nMerge src=9 dst=9 variant=Exp\n");
  EXPECT_EQ(Listed("merge@c[7..8]^+1"),
            "error: merge of one range takes a variant of one operand, as in merge:exp@c[0..9]; "
            "here a class of the range stands alone");
  // Pairs stay together, so the three ranges break where any of them does.
  EXPECT_EQ(Listed("~@ merge@c[0..3][c[4..7],c[14..17]]"),
            "MergeRange start=0 end=1 ctx_start=4 ctx_end=5 dst_start=22 dst_end=23 variant=Add\n"
            "MergeRange start=2 end=3 ctx_start=6 ctx_end=7 dst_start=8 dst_end=9 variant=Add\n");
}

// Each range expands to exactly the images of its classes, for all transforms of some ranges.
TEST(Calls, RunsCoverTheImage) {
  for (uint32_t i = 0; i < kNumTransforms; ++i) {
    const Transform t = Transform::FromIndex(i);
    for (const auto& [first, last] : {std::pair{0, 95}, {5, 14}, {70, 75}, {23, 24}, {30, 61}}) {
      const std::string text = "R+" + std::to_string(t.r()) + "D+" + std::to_string(t.d()) + "T+" +
                               std::to_string(t.t()) + (t.m() ? "~" : "") + "@mark@c[" +
                               std::to_string(first) + ".." + std::to_string(last) + "]";
      std::bitset<96> wanted;
      for (int c = first; c <= last; ++c) {
        wanted.set(t(*SigilClass::FromIndex(static_cast<uint64_t>(c))).index());
      }
      std::bitset<96> found;
      size_t count = 0;
      for (const Call& call : Resolve(Parsed(text)).value()) {
        found.set(call.destination.sigil.base.index());
        ++count;
      }
      EXPECT_EQ(found, wanted) << text;
      EXPECT_EQ(count, wanted.count()) << text;
    }
  }
}

TEST(Calls, ShapesThatDoNotCompile) {
  EXPECT_EQ(Listed("copy@c05"),
            "error: copy needs source and destination to be compiled: write copy@c05->c06");
  EXPECT_EQ(Listed("swap@c05"),
            "error: swap needs two classes to be compiled: write swap@c05<->c06");
  EXPECT_EQ(Listed("split@c05"),
            "error: split needs source, context and destination to be compiled: write "
            "split@c00[c01,c02]");
  EXPECT_EQ(Listed("softmax@c05"),
            "error: softmax needs source and destination to be compiled: write softmax@c05->c06");
  EXPECT_EQ(Listed("merge:exp@c00[c01,c02]"),
            "error: merge:exp takes one operand: write merge:exp@c00[c00,c01]");
  EXPECT_EQ(Listed("merge:add@c00[c01,c02,c03]"),
            "error: merge:add takes two operands: write merge:add@c00[c01,c02]");
  EXPECT_EQ(Listed("merge:fma@c00[c01,c02]"),
            "error: merge:fma takes three operands: write merge:fma@c00[c01,c02,c03]");
  EXPECT_EQ(Listed("merge:fma@c[0..9]"),
            "error: merge:fma takes three operands: write merge:fma@c00[c01,c02,c03]");
}

TEST(Calls, QuotedGroups) {
  EXPECT_EQ(Resolved("(quote@c03 . mark@c10 . copy@c10->c11) . mark@c00 . evaluate@c03"),
            "mark@c00 . mark@c10 . copy@c10->c11");
  // Slots are contexts: c11 has the same one. A thunk may be evaluated often, and in thunks.
  EXPECT_EQ(Resolved("(quote@c03 . mark@c10) . (quote@c04 . evaluate@c11 . evaluate@c03) . "
                     "evaluate@c04"),
            "mark@c10 . mark@c10");
  EXPECT_EQ(Resolved("quote@c01 . mark@c10 . quote@c02 . evaluate@c01"), "");
  EXPECT_EQ(Resolved("mark@c05 . evaluate@c06"),
            "12: evaluate: nothing is quoted in slot 6; write (quote@c06 . ...) before it");
  EXPECT_EQ(Resolved("(quote@c01 . evaluate@c01)"),
            "14: evaluate: nothing is quoted in slot 1; write (quote@c01 . ...) before it");
}

TEST(Calls, ThunksOfThunksEndAtALimit) {
  std::string text = "(quote@c00 . mark@c20)";
  for (int i = 0; i < 40; ++i) {
    text += " . (quote@c01 . evaluate@c00 . evaluate@c00) . (quote@c00 . evaluate@c01)";
  }
  const Checked<std::vector<Call>> calls = Resolve(Parsed(text + " . evaluate@c00"));
  ASSERT_FALSE(calls.ok());
  EXPECT_EQ(calls.error().kind, ErrorKind::kLimit);
}

TEST(Calls, BranchesMustBeIndependent) {
  EXPECT_EQ(Resolved("mark@c00 || mark@c01 || copy@c02->c03"),
            "mark@c00 . mark@c01 . copy@c02->c03");
  EXPECT_EQ(Resolved("copy@c00->c01 || copy@c00->c02"), "copy@c00->c01 . copy@c00->c02");
  EXPECT_EQ(Resolved("mark@c00 || mark@c01 || copy@c01->c03"),
            "25: branches of || must be independent: this one and one before it write and read "
            "c01");
  EXPECT_EQ(Resolved("copy@c00->c01 || copy@c02->c01"),
            "18: branches of || must be independent: this one and one before it both write c01");
  EXPECT_EQ(Resolved("copy@c00->c01 || mark@c00"),
            "18: branches of || must be independent: this one and one before it read and write "
            "c00");
  EXPECT_EQ(Resolved("(quote@c00 . mark@c09) . (evaluate@c00 || (quote@c08 . mark@c20))"),
            "43: branches of || must be independent: this one and one before it use a quoted slot");
}

TEST(Calls, LongCircuitsTakeLinearTime) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "(quote@c01||";
  text += "mark@c02";
  for (int i = 0; i < 70'000; ++i) text += ".mark@c02";
  for (int i = 0; i < 200; ++i) text += ")";
  EXPECT_FALSE(Resolve(Parsed(text)).ok());  // all branches quote the same slot
  text.clear();
  for (int i = 0; i < 90'000; ++i) text += "quote@c01.";
  EXPECT_TRUE(Resolve(Parsed(text + "mark@c00")).value().empty());
}

}  // namespace
}  // namespace hologram::sigmatics
