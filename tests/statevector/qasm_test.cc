// OpenQASM: circuits in cases/ with their exact amplitudes and probabilities, expressions, and
// texts that want to take for ever. What is refused, with its messages, is in
// tests/cli/golden/bad-qasm.txt.
#include "statevector/qasm.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "statevector/run.h"

namespace hologram::statevector {
namespace {

const std::string kHead = "OPENQASM 2.0;\ninclude \"qelib1.inc\";\n";

std::string ReadText(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::filesystem::path> Cases() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(HOLOGRAM_TEST_DIR "/cases")) {
    if (entry.path().extension() == ".qasm") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Every way that the measurements can go, with its probability.
struct Branches {
  const Circuit& circuit;
  std::map<std::string, double> probabilities = {};

  void Follow(size_t at, StateVector state, Outcome outcome, double probability) {
    for (; at < circuit.operations.size(); ++at) {
      const Operation& operation = circuit.operations[at];
      if (!Happens(operation, outcome)) continue;
      if (operation.kind == Operation::Kind::kMatrix || operation.kind == Operation::Kind::kSwap) {
        std::vector<uint32_t> controls;
        for (uint32_t q = 0; q < circuit.qubits; ++q) {
          if ((operation.controls >> q & 1) != 0) controls.push_back(q);
        }
        ASSERT_TRUE(
            operation.kind == Operation::Kind::kSwap
                ? state.Swap(operation.target, operation.other, controls).ok()
                : state.Apply(circuit.matrices[operation.matrix], operation.target, controls).ok());
        continue;
      }
      const double one = state.ProbabilityOfOne(operation.target).value();
      for (const bool result : {false, true}) {
        const double share = result ? one : 1 - one;
        if (share < 1e-12) continue;
        StateVector branch = state.Copy().value();
        const double draw = result ? 0 : 1 - 0x1p-53;
        Outcome seen = outcome;
        if (operation.kind == Operation::Kind::kReset) {
          ASSERT_TRUE(branch.Reset(operation.target, draw).ok());
        } else {
          ASSERT_EQ(branch.Measure(operation.target, draw).value(), result);
          const uint64_t mask = uint64_t{1} << operation.bit % 64;
          uint64_t& word = seen[operation.bit / 64];
          word = result ? word | mask : word & ~mask;
        }
        Follow(at + 1, std::move(branch), seen, probability * share);
      }
      return;
    }
    probabilities[TextOf(circuit, outcome)] += probability;
  }

  bool Happens(const Operation& operation, const Outcome& outcome) const {
    if (operation.condition == kUnconditional) return true;
    const Condition& condition = circuit.conditions[operation.condition];
    const ClassicalRegister& reg = circuit.registers[condition.which];
    for (uint32_t i = 0; i < reg.size; ++i) {
      const uint32_t bit = reg.first + i;
      if ((outcome[bit / 64] >> bit % 64 & 1) != (condition.value >> i & 1)) return false;
    }
    return true;
  }
};

// "// amplitude 011 = 0.5 -0.5" (highest qubit first) and "// probability 01 1 = 0.25"; what is not
// listed is 0, if anything of its kind is.
TEST(Qasm, Cases) {
  size_t amplitudes = 0;
  size_t probabilities = 0;
  for (const std::filesystem::path& path : Cases()) {
    SCOPED_TRACE(path.filename());
    const std::string text = ReadText(path);
    const Result<Circuit> parsed = ParseQasm(text, path.filename());
    ASSERT_TRUE(parsed.ok()) << ToString(parsed.errors()[0]);
    const Circuit& circuit = parsed.value();
    std::map<size_t, Amplitude> expected_amplitudes;
    std::map<std::string, double> expected_probabilities;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const size_t equals = line.find(" = ");
      if (line.starts_with("// amplitude ")) {
        std::istringstream numbers(line.substr(equals + 3));
        double real = 0;
        double imaginary = 0;
        numbers >> real >> imaginary;
        expected_amplitudes[std::stoul(line.substr(13, equals - 13), nullptr, 2)] = {real,
                                                                                     imaginary};
      } else if (line.starts_with("// probability ")) {
        expected_probabilities[line.substr(15, equals - 15)] = std::stod(line.substr(equals + 3));
      }
    }
    ASSERT_FALSE(expected_amplitudes.empty() && expected_probabilities.empty());
    if (!expected_amplitudes.empty()) {
      const StateVector state = FinalState(circuit).value();
      for (size_t i = 0; i < state.amplitudes().size(); ++i) {
        EXPECT_LT(std::abs(state.amplitudes()[i] - expected_amplitudes[i]), 1e-13) << i;
        ++amplitudes;
      }
    }
    if (!expected_probabilities.empty()) {
      Branches branches{circuit};
      branches.Follow(0, StateVector::Create(circuit.qubits).value(), {}, 1);
      EXPECT_EQ(branches.probabilities.size(), expected_probabilities.size());
      for (const auto& [outcome, probability] : expected_probabilities) {
        EXPECT_NEAR(branches.probabilities[outcome], probability, 1e-13) << outcome;
        ++probabilities;
      }
    }
  }
  EXPECT_GE(amplitudes, 50U);
  EXPECT_GE(probabilities, 20U);
}

// The angle of a u1, by its matrix.
Amplitude Angle(const std::string& expression) {
  const Result<Circuit> circuit =
      ParseQasm(kHead + "gate g(a,b) q { u1(" + expression + ") q; }\nqreg q[1];\ng(0.75,-3) q[0];",
                "f.qasm");
  EXPECT_TRUE(circuit.ok()) << ToString(circuit.errors()[0]);
  return circuit.ok() ? circuit.value().matrices[0][3] : Amplitude(0);
}

TEST(Qasm, Expressions) {
  const std::map<std::string, double> values = {
      {"pi", M_PI},
      {"-pi/2", -M_PI / 2},
      {"1+2*3-4/8", 6.5},
      {"(1+2)*3", 9},
      {"2-1-1", 0},
      {"8/4/2", 1},
      {"-2^2", -4},
      {"2^-1", 0.5},
      {"2^3^2", 512},
      {"(-2)^3", -8},
      {"2^0.5", std::sqrt(2.0)},
      {"--1", 1},
      {"2*-a", -1.5},
      {"-a*b", 2.25},
      {"a-b", 3.75},
      {"sin(a)^2+cos(a)^2", 1},
      {"tan(a)", std::tan(0.75)},
      {"exp(ln(a))", 0.75},
      {"sqrt(2)", std::sqrt(2.0)},
      {"1.5e-3", 0.0015},
      {"1e2", 100},
      {".5", 0.5},
      {"3.", 3},
      {"1e-999", 0},
      {std::string(900, '1') + "e-899", 1.1111111111111112}};
  for (const auto& [text, value] : values) {
    EXPECT_LT(std::abs(Angle(text) - std::polar(1.0, value)), 1e-15) << text;
  }
}

double SecondsToRefuse(const std::string& text, const std::string& expected) {
  const auto start = std::chrono::steady_clock::now();
  const Result<Circuit> circuit = ParseQasm(text, "f.qasm");
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  EXPECT_FALSE(circuit.ok()) << expected;
  if (!circuit.ok()) {
    EXPECT_EQ(ToString(circuit.errors()[0]), "f.qasm:" + expected);
  }
  return time.count();
}

std::string Repeated(const std::string& text, size_t count) {
  std::string result;
  for (size_t i = 0; i < count; ++i) result += text;
  return result;
}

// Texts that would take memory, time or stack without limits. 5 s is far more than any takes, and
// far less than one of them would.
TEST(Qasm, HostileTextsAreRefusedSoon) {
  const std::string one = kHead + "qreg q[1];\n";
  std::string doubling = kHead + "gate g0 a { x a; }\n";
  std::string empty = kHead + "gate g0 a { }\n";
  std::string deep = kHead + "gate g0 a { x a; }\n";
  for (int i = 1; i <= 100; ++i) {
    const std::string below = "g" + std::to_string(i - 1) + " a; ";
    doubling += "gate g" + std::to_string(i) + " a { " + below + below + "}\n";
    empty += "gate g" + std::to_string(i) + " a { " + below + below + "}\n";
  }
  for (int i = 1; i <= 30'000; ++i) {
    deep += "gate g" + std::to_string(i) + " a { g" + std::to_string(i - 1) + " a; }\n";
  }
  const std::string digits(1'000'000, '9');
  const std::vector<std::pair<std::string, std::string>> texts = {
      {one + "rx(" + std::string(10'000, '(') + "1" + std::string(10'000, ')') + ") q[0];",
       "4:260: error: the expression is nested more than 256 levels deep"},
      {one + "rx(" + std::string(1'000'000, '-') + "1) q[0];",
       "4:260: error: the expression is nested more than 256 levels deep"},
      {one + "rx(" + Repeated("2^", 500'000) + "1) q[0];",
       "4:516: error: the expression is nested more than 256 levels deep"},
      {one + "rx(" + Repeated("sin(", 10'000) + ") q[0];",
       "4:1028: error: the expression is nested more than 256 levels deep"},
      {doubling + "qreg q[1];\ng40 q[0];",
       "105:1: error: g40 stands for 1099511627776 operations after 0, a circuit has at most "
       "1000000"},
      {doubling + "qreg q[1];\ng100 q[0];",
       "105:1: error: g100 stands for at least 72057594037927936 operations after 0, a circuit has "
       "at most 1000000"},
      {doubling + "qreg q[3];\nx q[0];\ng18 q[0];g19 q;",
       "106:10: error: g19 stands for 1572864 operations after 262145, a circuit has at most "
       "1000000"},
      {empty + "qreg q[1];\ng30 q[0];",
       "105:1: error: expanding g30 takes 4294967293 steps after 0, a circuit has at most "
       "33554432"},
      {deep, "259:15: error: definitions use definitions more than 256 levels deep"},
      {kHead + "qreg q[" + digits + "];",
       "3:8: error: the number '" + std::string(40, '9') + "...' is too large"},
      {one + "rx(" + digits + ") q[0];",
       "4:4: error: the number '" + std::string(40, '9') + "...' is too large"},
      {one + "rx(1e999) q[0];", "4:4: error: the number '1e999' is too large"},
      {one + std::string(1'000'000, 'x') + " q[0];",
       "4:1: error: there is no gate '" + std::string(40, 'x') + "...'"},
      {one + Repeated("h q;", 300'000) + "frob q[0];", "4:1200001: error: there is no gate 'frob'"},
      {one + "x " + Repeated("q,", 500'000) + "q;",
       "4:55: error: more than 26 qubits in a statement"},
      {one + "barrier " + Repeated("q,", 500'000) + "q;",
       "4:61: error: more than 26 qubits in a statement"},
      {one + "x q[0]; \xff\xfe", "4:9: error: unexpected '\\xff'"},
      {one + "x q[0]; \xc3\xa4", "4:9: error: unexpected '\\xc3'"},
      {std::string(1'000'000, '\0'), "1:1: error: unexpected '\\x00'"},
      {std::string(1'000'000, '{'),
       "1:1: error: expected OPENQASM 2.0; at the beginning, found '{'"},
      {std::string(1'000'000, '\n') + "x",
       "1000001:1: error: expected OPENQASM 2.0; at the beginning, found 'x'"},
      {"// " + std::string(1'000'000, '\xff'),
       "1:1000004: error: expected OPENQASM 2.0; at the beginning, found the end"},
  };
  for (const auto& [text, expected] : texts) EXPECT_LT(SecondsToRefuse(text, expected), 5);
  EXPECT_EQ(ToString(ParseQasm(std::string(kMaxQasmBytes + 1, ' '), "f.qasm").errors()[0]),
            "hologram: error: f.qasm: the file has 16777217 bytes, at most 16777216 are read");
}

// An expression of a definition is evaluated at each call, so its length counts each time.
TEST(Qasm, LongExpressionsInDefinitionsAreCounted) {
  const std::string text = kHead + "gate g a { rx(1" + Repeated("+1", 100'000) +
                           ") a; }\nqreg q[1];\n" + Repeated("g q[0];\n", 1000);
  EXPECT_EQ(ToString(ParseQasm(text, "f.qasm").errors()[0]),
            "f.qasm:171:1: error: expanding g takes 200006 steps after 33400997, a circuit has at "
            "most 33554432");
}

// Random changes of valid circuits: a circuit that can be run, or an error with a place.
TEST(Qasm, ChangedTexts) {
  std::vector<std::string> seeds;
  for (const std::filesystem::path& path : Cases()) seeds.push_back(ReadText(path));
  ASSERT_GE(seeds.size(), 5U);
  std::mt19937 random(1);
  const auto below = [&](size_t n) { return random() % n; };
  size_t good = 0;
  constexpr size_t kTexts = 20'000;
  for (size_t n = 0; n < kTexts; ++n) {
    std::string text = seeds[below(seeds.size())];
    for (size_t k = 1 + below(4); k > 0; --k) {
      const size_t at = below(text.size());
      const std::string& other = seeds[below(seeds.size())];
      switch (below(5)) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, below(20));
          break;
        case 2:
          text.insert(at, other.substr(below(other.size()), below(40)));
          break;
        case 3:
          text[at] = ";,()[]{}+-*/^=.09azqe \"\n"[below(23)];
          break;
        default:
          text.insert(at, text.substr(below(text.size()), below(40)));
      }
      if (text.empty()) text = ";";
    }
    const Result<Circuit> circuit = ParseQasm(text, "f.qasm");
    if (!circuit.ok()) {
      ASSERT_GT(circuit.errors()[0].where.line, 0U) << text;
      ASSERT_GT(circuit.errors()[0].where.column, 0U) << text;
      ASSERT_EQ(circuit.errors()[0].message.find('\n'), std::string::npos) << text;
      continue;
    }
    ++good;
    if (circuit.value().qubits > 8) continue;
    const auto counts = CountShots(circuit.value(), 3, n);
    if (!counts.ok()) continue;
    uint64_t shots = 0;
    for (const Count& count : counts.value()) shots += count.shots;
    ASSERT_EQ(shots, 3U) << text;
  }
  EXPECT_GT(good, kTexts / 20);
  EXPECT_GT(kTexts - good, kTexts / 20);
}

}  // namespace
}  // namespace hologram::statevector
