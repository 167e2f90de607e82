// Random circuit text, every construct of the grammar.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace hologram::sigmatics {

class RandomCircuit {
 public:
  explicit RandomCircuit(uint64_t seed) : random_(seed) {}
  // A header in one of four.
  std::string Text();
  std::mt19937_64& random() { return random_; }

 private:
  uint64_t Below(uint64_t n) { return random_() % n; }
  bool OneIn(uint64_t n) { return Below(n) == 0; }
  std::string Class();
  std::string Amount();
  std::string Postfix();
  std::string Sigil();
  std::string Source();
  std::string Range(uint64_t length);
  std::string Operation();
  std::string Prefix();
  std::string Group(int depth);

  std::mt19937_64 random_;
};

}  // namespace hologram::sigmatics
