// Messages (golden files, one circuit a line; HOLOGRAM_BLESS=1 rewrites what comes out), printing
// and parsing as inverses on random circuits, and hostile text.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sigmatics/algebra/meaning.h"
#include "sigmatics/circuit.h"
#include "sigmatics/random_circuit.h"

namespace hologram::sigmatics {
namespace {

constexpr std::string_view kSeparator = "====\n";

std::string Process(const std::string& input) {
  std::istringstream lines(input);
  std::string output;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) continue;
    const Checked<Circuit> circuit = Parse(line);
    if (circuit.ok()) {
      output += Print(circuit.value()) + "\n";
    } else {
      const CircuitError& error = circuit.error();
      output += std::to_string(error.column) + ": " + std::string(NameOf(error.kind)) + ": " +
                error.message + "\n";
    }
  }
  return output;
}

TEST(Parser, GoldenFiles) {
  const char* variable = std::getenv("HOLOGRAM_BLESS");
  const bool bless = variable != nullptr && *variable != '\0';
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(HOLOGRAM_TEST_DIR) + "/golden")) {
    ++files;
    std::ifstream file(entry.path(), std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    const std::string text = content.str();
    const std::string input = text.substr(0, text.find(kSeparator));
    const std::string output = Process(input);
    if (bless) {
      std::ofstream(entry.path(), std::ios::binary) << input << kSeparator << output;
      continue;
    }
    EXPECT_EQ(input + std::string(kSeparator) + output, text) << entry.path();
  }
  EXPECT_GE(files, 2);
}

TEST(Parser, PrintIsTheInverse) {
  RandomCircuit random(7);
  for (int i = 0; i < 5000; ++i) {
    const std::string text = random.Text();
    const Checked<Circuit> circuit = Parse(text);
    ASSERT_TRUE(circuit.ok()) << text << "\n" << circuit.error().message;
    const std::string printed = Print(circuit.value());
    const Checked<Circuit> again = Parse(printed);
    ASSERT_TRUE(again.ok()) << printed << "\n" << again.error().message;
    ASSERT_EQ(again.value(), circuit.value()) << text << "\n" << printed;
    ASSERT_EQ(Print(again.value()), printed);
  }
}

std::string Repeated(const std::string& text, size_t count) {
  std::string all;
  for (size_t i = 0; i < count; ++i) all += text;
  return all;
}

std::string KindOf(const std::string& text) {
  const Checked<Circuit> circuit = Parse(text);
  return circuit.ok() ? "ok" : std::string(NameOf(circuit.error().kind));
}

TEST(Parser, DeepNestingIsAnError) {
  EXPECT_EQ(KindOf(Repeated("(", kMaxNesting - 1) + "mark@c00" + Repeated(")", kMaxNesting - 1)),
            "ok");
  EXPECT_EQ(KindOf(Repeated("(", 10'000) + "mark@c00" + Repeated(")", 10'000)), "limit");
  EXPECT_EQ(KindOf(Repeated("(", 1'000'000)), "limit");
  EXPECT_EQ(KindOf(Repeated("R+1@", 200'000) + "mark@c00"), "limit");
}

TEST(Parser, LongTextTakesLinearTime) {
  const auto start = std::chrono::steady_clock::now();
  const std::string marks = Repeated("mark@c00.", 110'000) + "mark@c01";
  ASSERT_LT(marks.size(), kMaxTextBytes);
  const Checked<Circuit> circuit = Parse(marks);
  ASSERT_TRUE(circuit.ok());
  EXPECT_EQ(WordsOf(circuit.value()).size(), 110'001U);
  EXPECT_EQ(LiteralOf(circuit.value()).bytes.back(), 2);
  EXPECT_EQ(KindOf(Repeated("mark@c00.", 110'000)), "syntax");
  EXPECT_EQ(KindOf(Repeated("9", 1'000'000)), "syntax");
  EXPECT_EQ(KindOf("mark@c" + Repeated("9", 1'000'000)), "range");
  EXPECT_EQ(KindOf("mark@c" + Repeated("0", 1'000'000)), "ok");
  EXPECT_EQ(KindOf("copy@#" + Repeated("9", 1'000'000) + "->c00"), "range");
  EXPECT_EQ(KindOf(Repeated("^", 1'000'000)), "syntax");
  EXPECT_EQ(KindOf(Repeated(" ", 1'000'000)), "syntax");
  EXPECT_EQ(KindOf(Repeated("/", 1'000'000)), "syntax");  // a comment
  EXPECT_EQ(KindOf(Repeated("a", 1'000'000)), "lexical");
  EXPECT_EQ(KindOf(Repeated(" ", kMaxTextBytes + 1)), "limit");
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_LT(seconds.count(), 20.0);  // what is quadratic would take hours
}

TEST(Parser, AnyBytesGiveAnAnswer) {
  std::mt19937_64 random(3);
  const std::string alphabet = "mark@c0519.(|)^+-~RDT[]<>,:$#fe \xc3\xff";
  int accepted = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::string text(random() % 24, ' ');
    for (char& c : text) c = alphabet[random() % alphabet.size()];
    if (i % 2 == 0) text = "mark@c05" + text;
    const Checked<Circuit> circuit = Parse(text);
    if (!circuit.ok()) {
      EXPECT_GE(circuit.error().column, 1U);
      EXPECT_LE(circuit.error().column, text.size() + 1);
      EXPECT_FALSE(circuit.error().message.empty());
      continue;
    }
    ++accepted;
    EXPECT_EQ(Parse(Print(circuit.value())).value(), circuit.value());
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace hologram::sigmatics
