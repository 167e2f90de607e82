// A class of the Atlas: its number is a vertex label of that graph, which has mirror pairs and
// neighbours (isa/atlas.h). It is not a SigilClass: the algebra's mirror leaves 32 classes where
// they are, the graph's moves every one. The two types do not convert into each other.
// Tested by tests/sigmatics/class_test.cc.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "isa/atlas.h"

namespace hologram::sigmatics {

class ResonanceClass {
 public:
  ResonanceClass() = default;
  // Nothing for 96 and above.
  static std::optional<ResonanceClass> FromIndex(uint64_t index) {
    if (index >= isa::kNumClasses) return std::nullopt;
    return ResonanceClass(static_cast<uint8_t>(index));
  }

  uint8_t index() const { return index_; }
  ResonanceClass mirror() const { return ResonanceClass(isa::Mirror(index_)); }
  // Five or six, ascending.
  std::vector<ResonanceClass> neighbours() const {
    std::vector<ResonanceClass> all;
    for (uint32_t k = 0; k < isa::NumNeighbours(index_); ++k) {
      all.push_back(ResonanceClass(isa::Neighbour(index_, k)));
    }
    return all;
  }

  auto operator<=>(const ResonanceClass&) const = default;

 private:
  explicit ResonanceClass(uint8_t index) : index_(index) {}
  uint8_t index_ = 0;
};

}  // namespace hologram::sigmatics
