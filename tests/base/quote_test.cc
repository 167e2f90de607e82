#include "base/quote.h"

#include <gtest/gtest.h>

#include <random>

#include "base/result.h"

namespace hologram {
namespace {

std::string Unquoted(const std::string& text) {
  size_t position = 0;
  std::string value;
  std::string error;
  if (!Unquote(text, &position, &value, &error)) {
    return std::to_string(position) + ": " + error;
  }
  return position == text.size() ? value : "stopped early";
}

TEST(Quote, RoundTripOfAnyBytes) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes(random() % 12, ' ');
    for (char& c : bytes) c = static_cast<char>(random());
    const std::string quoted = Quote(bytes);
    ASSERT_EQ(Unquoted(quoted), bytes);
    ASSERT_TRUE(IsPlain(quoted));
  }
}

TEST(Quote, KeepsWhatCanBeRead) {
  EXPECT_EQ(Quote("src[i] \u00e4\u20ac\U0001f600"), "\"src[i] \u00e4\u20ac\U0001f600\"");
  EXPECT_EQ(Quote("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(Quote(std::string("\0\n\x7f", 3)), R"("\x00\x0a\x7f")");
}

TEST(Quote, EscapesEveryKindOfBrokenUtf8) {
  EXPECT_EQ(Escape("\xc0\x80", false), "\\xc0\\x80");           // overlong
  EXPECT_EQ(Escape("\xe0\x80\x80", false), "\\xe0\\x80\\x80");  // overlong
  EXPECT_EQ(Escape("\xed\xa0\x80", false), "\\xed\\xa0\\x80");  // surrogate
  EXPECT_EQ(Escape("\xf4\x90\x80\x80", false), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(Escape("\xc3", false), "\\xc3");                    // cut
  EXPECT_EQ(Escape("\xc2\x85", false), "\\xc2\\x85");           // next line
  EXPECT_EQ(Escape("\xe2\x80\xa8", false), "\\xe2\\x80\\xa8");  // line separator
}

TEST(Quote, UnquoteNamesTheFault) {
  EXPECT_EQ(Unquoted("\"abc"), "0: missing closing '\"'");
  EXPECT_EQ(Unquoted("\"a\\n\""), "2: unknown escape; there are \\\", \\\\ and \\xNN");
  EXPECT_EQ(Unquoted("\"\\x4"), "1: unknown escape; there are \\\", \\\\ and \\xNN");
  EXPECT_EQ(Unquoted("\"\\"), "1: unknown escape; there are \\\", \\\\ and \\xNN");
}

TEST(Quote, IdentifiersStayBare) {
  EXPECT_EQ(PrintName("_a9"), "_a9");
  EXPECT_EQ(PrintName("9a"), "\"9a\"");
  EXPECT_EQ(PrintName(""), "\"\"");
  EXPECT_EQ(Shown(std::string(50, 'x')), "'" + std::string(40, 'x') + "...'");
}

TEST(Quote, JsonStringsAreJson) {
  EXPECT_EQ(JsonString("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(JsonString("\x01\n\x7f\xc2\x85"), "\"\\u0001\\u000a\x7f\xc2\x85\"");
  EXPECT_EQ(JsonString("gr\xc3\xbc\xc3\x9f"), "\"gr\xc3\xbc\xc3\x9f\"");
  // What is no UTF-8, byte by byte.
  EXPECT_EQ(JsonString("\xc3("), "\"\\ufffd(\"");
  EXPECT_EQ(JsonString("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\"");
  EXPECT_EQ(JsonString(""), "\"\"");
}

// A file may have any name; what a terminal would obey is shown, not sent.
TEST(Quote, ErrorsShowAnyBytes) {
  Diagnostic error = Error(ErrorCode::kNotFound, "no such file");
  error.where.file = "clear\x1b[2J\xff \u00e9.holo";
  EXPECT_EQ(ToString(error), "hologram: error: clear\\x1b[2J\\xff \u00e9.holo: no such file");
  error.where.line = 3;
  EXPECT_EQ(ToString(error), "clear\\x1b[2J\\xff \u00e9.holo:3:1: error: no such file");
  EXPECT_EQ(ToString(Error(ErrorCode::kNotFound, "no\r \\x1b\n\tfile\x9b\n")),
            "hologram: error: no\\x0d \\x1b\n\tfile\\x9b\n");
}

}  // namespace
}  // namespace hologram
