#include "driver/source/kernel_text.h"

#include <gtest/gtest.h>

#include <random>

namespace hologram::driver {
namespace {

constexpr const char* kYaml =
    "version: '1.1' # comment\nkernels:\n  - {name: \"k\\u00e9\", n: [1, -2.5e3, true, ~]}\n"
    "  - |\n    text\n  - >-\n    folded\n    \xc3\xa9 here\n";
constexpr const char* kToml =
    "version = '1.1' # comment\n[a.b]\nc = [1, -2.5e3, true, 0x10]\n[[d]]\ne = {f = \"g\\u00e9\"}\n"
    "[[d]]\nh = '''\ntext'''\n";

std::string Json(Result<std::unique_ptr<TextNode>> node) {
  return node.ok() ? ToJson(std::move(node).value(), "f").json : ToString(node.errors()[0]);
}

TEST(KernelText, PlainWordsMeanWhatTheCoreSchemaSays) {
  const std::pair<const char*, const char*> kWords[] = {
      {"", "null"},          {"~", "null"},       {"null", "null"},
      {"True", "true"},      {"false", "false"},  {"no", "\"no\""},
      {"y", "\"y\""},        {"12", "12"},        {"-0", "-0"},
      {"+7", "7"},           {"007", "7"},        {"0x1F", "31"},
      {"0o17", "15"},        {"1.", "1.0"},       {".5", "0.5"},
      {"-.5e+3", "-0.5e+3"}, {"1e3", "1e3"},      {"1.1.0", "\"1.1.0\""},
      {"-", "\"-\""},        {".", "\".\""},      {"1_000", "\"1_000\""},
      {"0x", "\"0x\""},      {"e3", "\"e3\""},    {".inf", "\"inf\""},
      {"-.Inf", "\"-inf\""}, {".nan", "\"nan\""}, {"f32", "\"f32\""},
      {"1e", "\"1e\""},
  };
  for (const auto& [word, json] : kWords) EXPECT_EQ(JsonOfPlainWord(word), json) << word;
}

TEST(KernelText, ReadsBothLanguages) {
  EXPECT_EQ(Json(ParseYaml("{version: '1.0', a: [1, 2.0, x], b: {c: ~, d: 'no'}}", "f")),
            R"({"version":"1.0","a":[1,2.0,"x"],"b":{"c":null,"d":"no"}})");
  EXPECT_EQ(Json(ParseToml("version = '1.0'\na = [1, 2.0, 'x']\n[b]\nd = 1e300\n", "f")),
            R"({"a":[1,2.0,"x"],"b":{"d":1e+300},"version":"1.0"})");
  EXPECT_EQ(Json(ParseYaml("version: '1.1'\nkernels:\n- name: k\n", "f")),
            R"({"source":{"file":"f"},"version":"1.1","kernels":[{"line":3,"col":3,"name":"k"}]})");
  // A source of its own says that places are its own, too.
  EXPECT_EQ(Json(ParseYaml("source: {file: k.py}\nkernels:\n- name: k\n", "f")),
            R"({"source":{"file":"k.py"},"kernels":[{"name":"k"}]})");
}

TEST(KernelText, FindsValuesByTheirPaths) {
  const auto root = ParseYaml("a:\n- {b: 1, 'b.c': 2}\n- [3,\n 4]\nd:\n  e: {'': 5}\n", "f");
  const auto at = [&](const char* path) {
    const TextNode* found = Find(*root.value(), path);
    return found == nullptr ? "" : found->json + " in " + std::to_string(found->at.line);
  };
  EXPECT_EQ(at("a[0].b"), "1 in 2");
  EXPECT_EQ(at("a[0].b.c"), "2 in 2");
  EXPECT_EQ(at("a[1][1]"), "4 in 4");
  EXPECT_EQ(at("d.e"), " in 6");
  for (const char* path : {"a[2]", "a[", "a[]", "a[x]", "a[0", "a.0", "a[0].x", "b", "d[0]", "d.ee",
                           "a[18446744073709551616]", "a[1][1].x"}) {
    EXPECT_EQ(at(path), "") << path;
  }
}

// A line for each value is fine, a path for each is not: these would be 40 GB.
TEST(KernelText, TakesMemoryInProportionToTheText) {
  std::string list = "[1";
  for (int k = 0; k < 200000; ++k) list += ",1";
  const std::string key(200000, 'k');
  EXPECT_EQ(Json(ParseToml(key + " = " + list + "]", "f")).size(), key.size() + list.size() + 6);
  const std::string nested = "{" + std::string(1000, 'k') + ": ";
  std::string deep;
  for (int k = 0; k < 150; ++k) deep += nested;
  EXPECT_TRUE(ParseYaml(deep + list + "]" + std::string(150, '}'), "f").ok());
  EXPECT_GT(Json(ParseYaml(deep + list + "]" + std::string(150, '}'), "f")).size(), list.size());
}

TEST(KernelText, BoundsNesting) {
  const std::string deep(kMaxTextDepth + 5, '[');
  const std::string message = "nested more than " + std::to_string(kMaxTextDepth) + " levels deep";
  EXPECT_NE(Json(ParseYaml(deep, "f")).find(message), std::string::npos);
  EXPECT_NE(Json(ParseToml("a = " + deep + std::string(deep.size(), ']'), "f")).find(message),
            std::string::npos);
  // Tables of dotted keys nest as well, alone and inside of each other, but points in strings and
  // comments are text.
  std::string points;
  for (int k = 0; k < 1000000; ++k) points += "a.";
  const std::string some = points.substr(0, 300);
  for (const std::string& text :
       {points + "a = 1", "[" + points + "a]", "[[" + points + "a]]", "x = {" + points + "a = 1}",
        "x." + some + "a = {" + some + "a = 1}", "x = '''a\\'''\n" + points + "a = 1",
        "x = \"\"\"a\\\"\"\"\"\"\n" + points + "a = 1", "x = 1 # \"\n" + points + "a = 1"}) {
    EXPECT_NE(Json(ParseToml(text, "f")).find(message), std::string::npos) << text.substr(0, 20);
  }
  for (const std::string& text :
       {"a = \"" + points + "\\\"" + points + "\"", "a = '" + points + "'", "a = 1 # " + points,
        "a = \"\"\"\n" + points + "\n'''\"" + points + "\"\"\"", "'" + points + "' = 1",
        some + "a = 1.5\n[b." + some + "b]\nc = [1.5, 2.5]"}) {
    EXPECT_TRUE(ParseToml(text, "f").ok()) << text.substr(0, 20);
  }
  const std::string very_deep(100000, '[');
  EXPECT_FALSE(ParseYaml(very_deep, "f").ok());
  EXPECT_FALSE(ParseToml("a = " + very_deep, "f").ok());
}

TEST(KernelText, CountsColumnsInBytes) {
  const std::string text = "a\xc3\xa9z\n\n\xe2\x82\xac" + std::string(200, 'x') + "\xc3\xa9y\n";
  const PlaceFinder places(text);
  uint64_t line = 1;
  uint64_t character = 1;
  uint32_t column = 1;
  for (size_t i = 0; i < text.size(); ++i, ++column) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) == 0x80) continue;
    const Place place = places.At(line, character);
    EXPECT_EQ(place.line, line);
    EXPECT_EQ(place.column, column) << i;
    ++character;
    if (text[i] != '\n') continue;
    ++line;
    character = 1;
    column = 0;
  }
  // Outside of the text there is nothing to point at, but something to say.
  EXPECT_EQ(places.At(99, 99).line, 4u);
  EXPECT_EQ(PlaceFinder("").At(5, 5).column, 1u);
}

TEST(KernelText, SurvivesEveryTruncationAndManyChanges) {
  std::mt19937 random(1);
  for (const std::string text : {kYaml, kToml}) {
    for (size_t size = 0; size <= text.size(); ++size) {
      Json(ParseYaml(text.substr(0, size), "f"));
      Json(ParseToml(text.substr(0, size), "f"));
    }
    for (int round = 0; round < 20000; ++round) {
      std::string changed = text;
      for (int k = 0; k < 3; ++k) changed[random() % changed.size()] = static_cast<char>(random());
      Json(ParseYaml(changed, "f"));
      Json(ParseToml(changed, "f"));
    }
  }
}

}  // namespace
}  // namespace hologram::driver
