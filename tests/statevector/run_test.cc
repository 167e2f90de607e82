// Shots: statistics with a fixed seed, both ways to run against each other, the order of bits.
#include "statevector/run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/philox.h"
#include "statevector/qasm.h"

namespace hologram::statevector {
namespace {

Circuit Parsed(const std::string& body) {
  const Result<Circuit> circuit =
      ParseQasm("OPENQASM 2.0;\ninclude \"qelib1.inc\";\n" + body, "f.qasm");
  EXPECT_TRUE(circuit.ok()) << ToString(circuit.errors()[0]);
  return circuit.value();
}

std::map<std::string, uint64_t> CountsOf(const Circuit& circuit, uint64_t shots, uint64_t seed) {
  std::map<std::string, uint64_t> counts;
  std::string before;
  const Result<std::vector<Count>> found = CountShots(circuit, shots, seed);
  for (const Count& count : found.value()) {
    const std::string text = TextOf(circuit, count.outcome);
    EXPECT_LT(before, text);
    before = text;
    counts[text] = count.shots;
  }
  return counts;
}

// The sum of (seen - expected)^2 / expected, which is about its degrees of freedom.
double ChiSquare(const std::map<std::string, uint64_t>& counts,
                 const std::map<std::string, double>& probabilities, uint64_t shots) {
  double sum = 0;
  uint64_t seen = 0;
  for (const auto& [text, probability] : probabilities) {
    const double expected = probability * static_cast<double>(shots);
    const uint64_t count = counts.contains(text) ? counts.at(text) : 0;
    sum += std::pow(static_cast<double>(count) - expected, 2) / expected;
    seen += count;
  }
  EXPECT_EQ(seen, shots);  // nothing else was seen
  return sum;
}

const std::string kBiased = "qreg q[2];\ncreg c[2];\nry(2*pi/3) q[0];\ncry(0.9) q[0],q[1];\n";
const double kOne = 0.75;
const double kBoth = kOne * std::pow(std::sin(0.45), 2);
const std::map<std::string, double> kBiasedProbabilities = {
    {"00", 1 - kOne}, {"01", kOne - kBoth}, {"11", kBoth}};

// 13.8 is exceeded by chance once in a thousand seeds; these are fixed.
TEST(Run, CountsFollowTheProbabilities) {
  const Circuit once = Parsed(kBiased + "measure q -> c;");
  EXPECT_TRUE(MeasuresLast(once));
  // The same, but each shot by itself.
  const Circuit each = Parsed(kBiased + "measure q -> c;\nx q[0];");
  EXPECT_FALSE(MeasuresLast(each));
  std::map<std::string, uint64_t> before;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    constexpr uint64_t kShots = 100'000;
    const auto counts = CountsOf(once, kShots, seed);
    EXPECT_LT(ChiSquare(counts, kBiasedProbabilities, kShots), 13.8);
    EXPECT_LT(ChiSquare(CountsOf(each, kShots, seed), kBiasedProbabilities, kShots), 13.8);
    EXPECT_EQ(CountsOf(once, kShots, seed), counts);
    EXPECT_NE(counts, before);
    before = counts;
  }
  // The test can fail.
  EXPECT_GT(ChiSquare(before, {{"00", 0.24}, {"01", 0.61}, {"11", 0.15}}, 100'000), 13.8);
}

// What the header promises of the numbers, shot by shot.
TEST(Run, DrawsAreThoseOfPhilox) {
  constexpr uint64_t kShots = 1000;
  constexpr uint64_t kSeed = 12345;
  const Circuit once = Parsed(kBiased + "measure q -> c;");
  std::map<std::string, uint64_t> expected;
  for (uint64_t shot = 0; shot < kShots; ++shot) {
    const double u = PhiloxUniform(kSeed, 0, shot);
    // Basis states in the order 00, 01, 10 (impossible), 11.
    ++expected[u < 1 - kOne ? "00" : u < 1 - kBoth ? "01" : "11"];
  }
  EXPECT_EQ(CountsOf(once, kShots, kSeed), expected);
  const Circuit each =
      Parsed(kBiased + "measure q[0] -> c[0];\nreset q[0];\nmeasure q[1] -> c[1];");
  expected.clear();
  for (uint64_t shot = 0; shot < kShots; ++shot) {
    const bool low = PhiloxUniform(kSeed, 0, shot) < kOne;
    const bool high = low && PhiloxUniform(kSeed, 2, shot) < kBoth / kOne;  // 1 is the reset's
    ++expected[std::string(high ? "1" : "0") + (low ? "1" : "0")];
  }
  EXPECT_EQ(CountsOf(each, kShots, kSeed), expected);
}

TEST(Run, BitsAndRegistersInOrder) {
  using Counts = std::map<std::string, uint64_t>;
  EXPECT_EQ(CountsOf(Parsed("qreg q[3];creg a[3];creg b[2];creg d[1];x q[0];measure q -> a;"
                            "measure q[0] -> b[1];"),
                     5, 1),
            (Counts{{"0 10 001", 5}}));
  // The last measurement into a bit counts, bits without one are 0.
  EXPECT_EQ(
      CountsOf(Parsed("qreg q[2];creg c[2];x q[1];measure q[1] -> c[0];measure q[0] -> c[0];"), 5,
               1),
      (Counts{{"00", 5}}));
  // As many bits as there may be, across words.
  std::string all = "qreg q[2];x q[1];";
  std::string text;
  for (int r = 0; r < 4; ++r) {
    const std::string name = "c" + std::to_string(r);
    all += "creg " + name + "[64];measure q[1] -> " + name + "[" + std::to_string(60 + r) + "];";
    text = std::string(static_cast<size_t>(3 - r), '0') + "1" +
           std::string(static_cast<size_t>(60 + r), '0') + (r == 0 ? "" : " ") + text;
  }
  EXPECT_EQ(CountsOf(Parsed(all), 2, 1), (Counts{{text, 2}}));
  EXPECT_EQ(
      CountsOf(Parsed(all + "if (c3==9223372036854775808) x q[0];measure q[0] -> c0[0];"), 1, 1)
          .begin()
          ->first.back(),
      '1');
}

TEST(Run, WhatIsComputedOnce) {
  const auto once = [](const std::string& body) {
    return MeasuresLast(Parsed("qreg q[2];creg c[2];" + body));
  };
  EXPECT_TRUE(once("reset q;h q;measure q[0] -> c[0];h q[1];measure q[1] -> c[1];"));
  EXPECT_TRUE(once("measure q -> c;measure q -> c;barrier q;"));
  EXPECT_FALSE(once("measure q[0] -> c[0];cx q[0],q[1];measure q[1] -> c[1];"));
  EXPECT_FALSE(once("h q[0];reset q[0];measure q[0] -> c[0];"));
  EXPECT_FALSE(once("if (c==0) h q[0];measure q[0] -> c[0];"));
  EXPECT_FALSE(once("measure q[0] -> c[0];swap q[1],q[0];"));
}

std::string ErrorOf(const Circuit& circuit, uint64_t shots) {
  const auto counts = CountShots(circuit, shots, 1);
  return counts.ok() ? "" : counts.errors()[0].message;
}

TEST(Run, Errors) {
  const Circuit bell = Parsed("qreg q[2];creg c[2];h q[0];cx q[0],q[1];measure q -> c;");
  EXPECT_EQ(ErrorOf(bell, 0), "expected 1 to 1000000 shots, found 0");
  EXPECT_EQ(ErrorOf(bell, 1'000'001), "expected 1 to 1000000 shots, found 1000001");
  EXPECT_EQ(ErrorOf(Parsed("qreg q[2];creg c[2];h q[0];"), 1),
            "nothing is measured; write creg c[N]; and measure q -> c;");
  EXPECT_EQ(ErrorOf(Parsed(""), 1), "nothing is measured; write creg c[N]; and measure q -> c;");
  // Refused before memory is taken or time spent.
  EXPECT_EQ(
      ErrorOf(Parsed("qreg q[24];creg c[1];measure q[0] -> c[0];h q;measure q[0] -> c[0];"),
              1'000'000),
      "27000000 operations on the 16777216 amplitudes of 24 qubits are too many, there may be "
      "262144");
  EXPECT_EQ(FinalState(Parsed("qreg q[1];creg c[1];if(c==0) x q[0];")).errors()[0].message,
            "the circuit has a condition or resets a qubit that was used: there is no one final "
            "state");
}

}  // namespace
}  // namespace hologram::statevector
