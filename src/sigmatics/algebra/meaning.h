// The two meanings that a circuit has without any data. Literal: the bytes of its sigils, in
// reading order. Operational: words, in the order of execution (the last item of a sequence first).
// Tested by tests/sigmatics/meaning_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sigmatics/circuit.h"

namespace hologram::sigmatics {

struct LiteralMeaning {
  // One for each sigil, and for each class of a range; the generator plays no role.
  std::vector<uint8_t> bytes;
  // The belt address of each, if it has a page. As long as `bytes`.
  std::vector<std::optional<uint32_t>> addresses;
};
LiteralMeaning LiteralOf(const Circuit& circuit);

// UTF-8. One word for each operation (two for evaluate), as for its first sigil; for a range, one
// operation for each class.
std::vector<std::string> WordsOf(const Circuit& circuit);

}  // namespace hologram::sigmatics
