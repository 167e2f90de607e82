// Hostile documents: deep, truncated, mutated. The reader answers with errors and nothing else.
#include <gtest/gtest.h>

#include <ctime>
#include <random>

#include "frontend/compile_python.h"
#include "frontend/frontend.h"

namespace hologram::frontend {
namespace {

std::string Repeat(const std::string& text, size_t count) {
  std::string all;
  for (size_t i = 0; i < count; ++i) all += text;
  return all;
}

std::string FirstError(const std::string& json, const std::string& entry = "") {
  const Result<std::vector<isa::Program>> programs = CompileJson(json, "k.json", entry);
  return programs.ok() ? "" : ToString(programs.errors()[0]);
}

std::string KernelWith(const std::string& body) {
  return R"({"version":"1.1","kernels":[{"name":"k","params":[{"name":"a","type":)"
         R"({"kind":"device_array","element_type":"f32"}}],"body":[)" +
         body + "]}]}";
}

TEST(BadJson, ALongDocumentIsAnError) {
  const std::string longest = "{" + std::string((size_t{32} << 20) - 2, ' ') + "}";
  EXPECT_EQ(FirstError(longest), FirstError("{}"));
  EXPECT_EQ(FirstError(longest + " "),
            "hologram: error: k.json: the JSON of the kernels is longer than 32 MiB; divide the "
            "kernels among several files");
}

TEST(BadJson, DeepNestingIsAnError) {
  const std::string deep = ": error: JSON is nested more than 2048 levels deep";
  EXPECT_EQ(FirstError(Repeat("[", 100000)), "k.json:1:2049" + deep);
  EXPECT_EQ(FirstError(Repeat("{\"a\":", 100000)), "k.json:1:10241" + deep);
  const std::string negations = Repeat(R"({"type":"unary_op","op":"neg","operand":)", 400) +
                                R"({"type":"literal","value":1})" + Repeat("}", 400);
  const std::string error = FirstError(KernelWith(
      R"({"type":"assign","target":{"type":"index","array":"a","index":{"type":"literal","value":0}},)"
      R"("value":)" +
      negations + "}"));
  EXPECT_TRUE(error.ends_with(": nested more than 256 levels deep")) << error;
}

// A pair of names is not compared with every other pair: these took 20 s of processor time each.
TEST(BadJson, ManyNamesTakeTimeInProportion) {
#ifdef __SANITIZE_ADDRESS__
  constexpr int kMany = 60'000;  // each takes three times as long
#else
  constexpr int kMany = 150'000;
#endif
  constexpr double kMostSeconds = 8;
  std::string params;
  std::string helpers;
  for (int k = 0; k < kMany; ++k) {
    const std::string comma = k == 0 ? "" : ",";
    params += comma + R"({"name":"p)" + std::to_string(k) + R"(","type":"f32"})";
    helpers += comma + R"({"name":"h)" + std::to_string(k) + R"(","params":[],"body":[]})";
  }
  const std::clock_t start = std::clock();
  const std::string error = FirstError(R"({"version":"1.1","kernels":[{"name":"k","params":[)" +
                                       params + R"(],"body":[]}]})");
  EXPECT_TRUE(
      error.ends_with("kernel has " + std::to_string(kMany) + " parameters, the limit is 64"))
      << error;
  EXPECT_TRUE(FirstError(R"({"version":"1.1","kernels":[],"helpers":[)" + helpers + "]}")
                  .ends_with("k.json has no kernel"));
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, kMostSeconds);
}

TEST(BadJson, TextThatIsNotJsonIsPlaced) {
  const auto error = [](const char* text) { return FirstError(text).substr(sizeof "k.json"); };
  const std::string early = "this is not JSON: the text ends too early";
  EXPECT_EQ(error(""), "1:1: error: " + early);
  EXPECT_EQ(error("{\n \"version\": \"1.1"), "2:17: error: " + early);
  EXPECT_EQ(error("{\n \"version\" 12}"),
            "2:12: error: this is not JSON: unexpected number literal; expected ':'");
  EXPECT_EQ(error("{\"a\":\n  true,]"),
            "2:8: error: this is not JSON: unexpected ']'; expected string literal");
  EXPECT_EQ(error("[1, nul]"), "1:8: error: this is not JSON: invalid literal");
  EXPECT_EQ(error("[1e999]"), "1:2: error: a number is too large for f64");
  EXPECT_EQ(error("[1] 2"),
            "1:5: error: this is not JSON: unexpected number literal; expected end of input");
}

TEST(BadJson, IntegersWithAPointOrAnExponentAreCalledThat) {
  const auto error = [](const std::string& number) {
    return FirstError(KernelWith(
        R"({"type":"assign","target":{"type":"index","array":"a","index":{"type":"literal",)"
        R"("kind":"int","value":)" +
        number + R"(}},"value":{"type":"literal","value":1.0}})"));
  };
  const std::string at = "hologram: error: k.json: kernels[0].body[0].target.index.value: ";
  for (const char* number : {"1.0", "1e3", "0.5", "-2.0", "1e19"}) {
    EXPECT_EQ(error(number), at + "an integer has no point and no exponent") << number;
  }
  for (const char* number : {"18446744073709551616", "-9223372036854775809", "1e30"}) {
    EXPECT_EQ(error(number), at + "the integer does not fit in 64 bits") << number;
  }
}

TEST(BadJson, AKeyThatIsThereTwiceIsRefused) {
  EXPECT_EQ(FirstError("{\"version\": \"1.1\",\n \"kernels\": [],\n  \"version\": \"1.0\"}"),
            "k.json:3:3: error: key 'version' is there twice in one object; remove one");
  EXPECT_EQ(FirstError(R"([{"a\"":1, "b":2}, {"a\"":1,"a\"":2}])"),
            "k.json:1:29: error: key 'a\"' is there twice in one object; remove one");
  EXPECT_EQ(FirstError(R"([{"a":1}, {"a":1}])").find("twice"), std::string::npos);
}

// A misspelt name would drop what it names.
TEST(BadJson, AFieldThatNobodyKnowsIsRefused) {
  const std::string yes = R"({"type":"literal","value":true})";
  EXPECT_EQ(FirstError(KernelWith(R"({"type":"if","condition":)" + yes +
                                  R"(,"then_body":[],"else_bdy":[{"type":"return"}]})")),
            "hologram: error: k.json: kernels[0].body[0]: field \"else_bdy\" is not known");
  EXPECT_EQ(FirstError(R"({"version":"1.1","kernel":{},"kernels":[]})"),
            "hologram: error: k.json: field \"kernel\" is not known");
  const std::string call = R"({"type":"call","function":"abs","args":[{"type":"literal",)";
  EXPECT_EQ(
      FirstError(KernelWith(R"({"type":"let","name":"x","value":)" + call +
                            R"("value":1.5,"vlaue":2.5}]}})")),
      "hologram: error: k.json: kernels[0].body[0].value.args[0]: field \"vlaue\" is not known");
  EXPECT_EQ(FirstError(KernelWith(R"({"type":"return","line":1,"end_col":3,"value":null})")), "");
  const std::string range =
      R"({"type":"for","var":"i","start":{"type":"literal","value":0},"stop":{"type":"literal",)"
      R"("value":4},"step":{"type":"literal","value":1},"body":[],"reversed":)";
  EXPECT_EQ(FirstError(KernelWith(range + "true}")), "");
  EXPECT_EQ(FirstError(KernelWith(range + "1}")),
            "hologram: error: k.json: kernels[0].body[0]: reversed must be true or false");
}

TEST(BadJson, KeywordsThatAFunctionHasAreNamed) {
  const auto error = [](const std::string& function, const std::string& keyword) {
    return FirstError(KernelWith(R"({"type":"let","name":"x","value":{"type":"call","function":")" +
                                 function + R"(","args":[{"type":"literal","value":1.5}],)" +
                                 R"("kwargs":{")" + keyword +
                                 R"(":{"type":"literal","value":true}}}})"));
  };
  EXPECT_TRUE(
      error("exp", "slow").ends_with("`exp` has no keyword argument `slow=`; it has: `fast=`"))
      << error("exp", "slow");
  EXPECT_TRUE(error("sqrt", "fast")
                  .ends_with("`sqrt` has no keyword argument `fast=`; write values "
                             "in their places, without names"))
      << error("sqrt", "fast");
}

TEST(BadJson, MissingKernelIsNamed) {
  EXPECT_EQ(FirstError(KernelWith(""), "other"),
            "hologram: error: k.json has no kernel 'other'; it has k");
  EXPECT_EQ(FirstError(R"({"version":"1.1","kernels":[]})"),
            "hologram: error: k.json has no kernel");
}

TEST(BadJson, TruncatedAndMutatedDocumentsNeverCrash) {
  const std::string json = JsonOf("golden", "operators.py");
  for (size_t size = 0; size < json.size(); size += 61) {
    EXPECT_NE(FirstError(json.substr(0, size)), "");
  }
  std::mt19937 random(1);
  for (int round = 0; round < 800; ++round) {
    std::string mutated = json;
    for (int i = 0; i < 3; ++i) {
      mutated[random() % mutated.size()] = static_cast<char>(random() % 96 + 32);
    }
    FirstError(mutated);
  }
}

// Only the first 20 errors are kept; a kernel with errors after them is no good kernel.
TEST(BadJson, KernelsAfterTheLastKeptErrorAreRefused) {
  std::string kernels;
  for (int i = 0; i < 30; ++i) {
    kernels += (i == 0 ? "" : ",") + std::string(R"({"name":"k)") + std::to_string(i) +
               R"(","params":[],"body":[{"type":"let","name":"x","value":"missing"}]})";
  }
  const auto programs =
      CompileJson(R"({"version":"1.1","kernels":[)" + kernels + "]}", "k.json", "");
  ASSERT_FALSE(programs.ok());
  EXPECT_EQ(programs.errors().size(), 20U);
}

TEST(BadJson, AnEmptyWordIsAnError) {
  EXPECT_EQ(
      FirstError(KernelWith(R"({"type":""})")),
      "hologram: error: k.json: kernels[0].body[0].type: expected a word, found an empty string");
  EXPECT_EQ(
      FirstError(KernelWith(R"({"type":"let","name":"x","value":{"type":""}})")),
      "hologram: error: k.json: kernels[0].body[0].value.type: expected a word, found an empty "
      "string");
  EXPECT_EQ(FirstError(KernelWith(R"({"type":"let","name":"x","declared":"f\n32","value":1})")),
            "hologram: error: k.json: kernels[0].body[0].declared: expected an identifier");
}

// Every value of the document replaced by one of another kind, one at a time.
TEST(BadJson, ValuesOfTheWrongKindNeverCrash) {
  const std::string json = JsonOf("golden", "control.py");
  size_t at = 0;
  int number = 0;
  while ((at = json.find(':', at + 1)) != std::string::npos) {
    if (++number % 5 != 0) continue;  // all would take long
    for (const char* value :
         {"null", "[]", "{}", "\"x\"", "\"\"", R"("a\nb")", "-1", "1e300", "true"}) {
      const size_t end = json.find_first_of(",}]", at);
      if (end == std::string::npos) break;
      const std::string changed = json.substr(0, at + 1) + value + json.substr(end);
      const auto programs = CompileJson(changed, "k.json", "");
      for (const Diagnostic& error : programs.errors()) {
        EXPECT_EQ(error.message.find('\n'), std::string::npos) << error.message;
      }
    }
  }
}

}  // namespace
}  // namespace hologram::frontend
