// The formal dialect against sigil.txt.
#include "sigmatics/algebra/meaning.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/quote.h"

namespace hologram::sigmatics {
namespace {

template <class T>
std::string Joined(const std::vector<T>& items) {
  std::ostringstream text;
  for (const T& item : items) text << ' ' << item;
  return text.str();
}

std::string Unquoted(const std::string& quoted) {
  size_t position = 0;
  std::string value;
  std::string error;
  EXPECT_TRUE(Unquote(quoted, &position, &value, &error)) << quoted << ": " << error;
  return value;
}

TEST(Meaning, FormalDialect) {
  std::ifstream file(std::string(HOLOGRAM_TEST_DIR) + "/sigil.txt");
  int cases = 0;
  int values = 0;
  int other_kinds = 0;
  std::string text;
  std::string addresses;
  const auto check_addresses = [&] {
    const Checked<Circuit> circuit = Parse(text);
    if (!circuit.ok()) return;
    std::vector<uint32_t> found;
    for (const auto& address : LiteralOf(circuit.value()).addresses) {
      if (address) found.push_back(*address);
    }
    if (addresses != "any") {
      EXPECT_EQ(Joined(found), addresses) << text;
    }
  };
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    const std::string word = line.substr(0, line.find(' '));
    const std::string rest = line.size() > word.size() ? line.substr(word.size()) : "";
    if (word == "expr") {
      if (cases != 0) check_addresses();
      ++cases;
      text = Unquoted(rest.substr(1));
      addresses = "";
      continue;
    }
    SCOPED_TRACE(text);
    const Checked<Circuit> circuit = Parse(text);
    if (word == "error") {
      ASSERT_FALSE(circuit.ok());
      // The union has more tokens than the formal dialect, so some texts fail later.
      other_kinds += " " + std::string(NameOf(circuit.error().kind)) == rest ? 0 : 1;
      continue;
    }
    ASSERT_TRUE(circuit.ok()) << circuit.error().message;
    if (word == "accepted") {
      addresses = "any";
    } else if (word == "bytes") {
      ++values;
      const std::vector<uint8_t> bytes = LiteralOf(circuit.value()).bytes;
      EXPECT_EQ(Joined(std::vector<int>(bytes.begin(), bytes.end())), rest);
    } else if (word == "words") {
      EXPECT_EQ(Joined(WordsOf(circuit.value())), rest);
    } else {
      ASSERT_EQ(word, "addresses");
      addresses = rest;
    }
    const Checked<Circuit> again = Parse(Print(circuit.value()));
    ASSERT_TRUE(again.ok()) << Print(circuit.value());
    EXPECT_EQ(again.value(), circuit.value());
  }
  check_addresses();
  EXPECT_EQ(cases, 300);
  EXPECT_EQ(values, 195);
  EXPECT_LE(other_kinds, 6);
}

TEST(Meaning, ComposingPrefixesIsApplyingThemOneByOne) {
  // Two prefixes in every combination of 192 x 192, around every fourth class.
  const auto prefix = [](const Transform& t) {
    return "R+" + std::to_string(t.r()) + " D+" + std::to_string(t.d()) + " T+" +
           std::to_string(t.t()) + (t.m() ? " ~" : "") + "@";
  };
  for (uint32_t i = 0; i < kNumTransforms; ++i) {
    for (uint32_t k = 0; k < kNumTransforms; k += 5) {
      const Transform outer = Transform::FromIndex(i);
      const Transform inner = Transform::FromIndex(k);
      const SigilClass c = *SigilClass::FromIndex((i + 4 * k) % 96);
      const std::string text = prefix(outer) + "(" + prefix(inner) + "mark@" + Print(c) + ")";
      const Checked<Circuit> circuit = Parse(text);
      ASSERT_TRUE(circuit.ok()) << text;
      ASSERT_EQ(LiteralOf(circuit.value()).bytes[0], outer(inner(c)).representative()) << text;
    }
  }
}

TEST(Meaning, OfCircuitText) {
  const auto bytes = [](const std::string& text) {
    const std::vector<uint8_t> all = LiteralOf(Parse(text).value()).bytes;
    return Joined(std::vector<int>(all.begin(), all.end()));
  };
  EXPECT_EQ(bytes("merge@c00[c01,c02]"), " 0 2 4");
  EXPECT_EQ(bytes("mark@c[7..9]~"), " 14 32 34");
  EXPECT_EQ(Joined(WordsOf(Parse("merge@c[7..8] . split@c13[c00,c01]").value())),
            " split[ℓ=5] merge[d=1] merge[d=0]");
}

}  // namespace
}  // namespace hologram::sigmatics
