// Circuits at their limits (limits.txt, a golden file; HOLOGRAM_BLESS=1 rewrites what comes out):
// every limit has a message and a place, and nothing takes long, overflows the stack or aborts.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "sigmatics/canonical.h"
#include "sigmatics/circuit.h"

namespace hologram::sigmatics {
namespace {

constexpr std::string_view kEndOfInput = "====\n";

// "\x20" is a blank.
std::string Unescaped(const std::string& text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "\\x") != 0) {
      bytes += text[i];
      continue;
    }
    bytes += static_cast<char>(std::stoi(text.substr(i + 2, 2), nullptr, 16));
    i += 3;
  }
  return bytes;
}

std::string Shown(const CircuitError& error) {
  return std::to_string(error.column) + ": " + std::string(NameOf(error.kind)) + ": " +
         error.message;
}

std::string Answer(const std::string& mode, const std::string& text) {
  const Checked<Circuit> circuit = Parse(text);
  if (!circuit.ok()) return Shown(circuit.error());
  if (mode == "parse") return "ok";
  const Mode known = mode == "none" ? Mode::kNone : mode == "gate" ? Mode::kGate : Mode::kMemory;
  const Checked<Canonical> form = CanonicalForm(circuit.value(), known);
  if (!form.ok()) return Shown(form.error());
  return "ok " + std::to_string(form.value().original_operations) + " -> " +
         std::to_string(form.value().canonical_operations);
}

TEST(Limits, HaveMessagesWithPlaces) {
  const std::string path = std::string(HOLOGRAM_TEST_DIR) + "/limits.txt";
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  const std::string text = content.str();
  const std::string input = text.substr(0, text.find(kEndOfInput));
  const auto start = std::chrono::steady_clock::now();
  std::istringstream lines(input);
  std::string output;
  int limits = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream words(line);
    std::string mode;
    std::string circuit;
    std::string part;
    words >> mode;
    for (size_t count = 0; words >> count >> part;) {
      const std::string bytes = Unescaped(part);
      for (size_t i = 0; i < count; ++i) circuit += bytes;
    }
    const std::string answer = Answer(mode, circuit);
    EXPECT_FALSE(answer.starts_with("0: ")) << line << ": no place: " << answer;
    limits += answer.find(": limit: ") == std::string::npos ? 0 : 1;
    output += answer + "\n";
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_LT(seconds.count(), 30.0);  // what is quadratic would take hours
  EXPECT_GE(limits, 8);
  const char* bless = std::getenv("HOLOGRAM_BLESS");
  if (bless != nullptr && *bless != '\0') {
    std::ofstream(path, std::ios::binary) << input << kEndOfInput << output;
    return;
  }
  EXPECT_EQ(input + std::string(kEndOfInput) + output, text) << path;
}

}  // namespace
}  // namespace hologram::sigmatics
