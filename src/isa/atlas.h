// Facts about the Atlas: 96 classes with a mirror and neighbours, their memory of 48 pages of 256
// bytes each, and the cycle of 768 phases.
//
// The label of a class is 48 e1 + 24 e2 + 12 e3 + 6 e6 + 3 e7 + t with bits e and t in {0, 1, 2}.
// The mirror flips e7. Neighbours flip one of e1, e2, e3, e6 or step t by one. Everything here is
// computed by these formulas; tests/isa/atlas_test.cc compares it with the table written out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace hologram::isa {

inline constexpr uint32_t kNumClasses = 96;
inline constexpr uint32_t kPagesPerClass = 48;
inline constexpr uint32_t kBytesPerPage = 256;
inline constexpr uint32_t kBytesPerClass = kPagesPerClass * kBytesPerPage;
inline constexpr uint32_t kClassMemoryBytes = kNumClasses * kBytesPerClass;
inline constexpr uint32_t kNumPhases = 768;
inline constexpr uint8_t kNoNeighbour = 0xff;

// From a class to those that may be its neighbours, ascending. `bit`: the class must have (or lack)
// the bit that the step flips; the steps by one are limited by t.
struct NeighbourStep {
  int8_t distance;
  uint8_t bit;  // 48, 24, 12 or 6; 1 for steps of t
};
inline constexpr std::array<NeighbourStep, 10> kNeighbourSteps = {{{-48, 48},
                                                                   {-24, 24},
                                                                   {-12, 12},
                                                                   {-6, 6},
                                                                   {-1, 1},
                                                                   {1, 1},
                                                                   {6, 6},
                                                                   {12, 12},
                                                                   {24, 24},
                                                                   {48, 48}}};

// All of these: REQUIRES class_index < kNumClasses.
uint8_t Mirror(uint8_t class_index);
uint32_t NumNeighbours(uint8_t class_index);  // 5 or 6
// Neighbour k < 6 in ascending order; kNoNeighbour if there are not that many.
uint8_t Neighbour(uint8_t class_index, uint32_t k);
// Classes 1 and 4: all bits but e7 are zero and t is in the middle.
bool IsUnity(uint8_t class_index);

// ---- Class memory

// The byte in the memory of all classes. REQUIRES: class_index < 96, page < 48.
uint32_t PhiAddress(uint32_t class_index, uint32_t page, uint32_t byte);
// Page and byte in one word, the byte above the page.
uint32_t PackPhi(uint16_t page, uint8_t byte);
struct Phi {
  uint16_t page;
  uint8_t byte;
  bool operator==(const Phi&) const = default;
};
Phi UnpackPhi(uint32_t packed);
// Of the byte `offset` in a class; nothing at kBytesPerClass and above.
std::optional<Phi> PhiOfOffset(uint32_t offset);
// `size` bytes at `offset` of the memory of all classes are in one class.
bool IsInOneClass(uint64_t offset, uint32_t size);

// ---- Phases

uint32_t AdvancePhase(uint32_t phase, uint64_t delta);
struct PhaseParts {
  uint32_t class_index;  // phase / 8
  uint32_t sub_phase;    // phase mod 8; it owns the pages [6 sub_phase, 6 sub_phase + 6)
  bool operator==(const PhaseParts&) const = default;
};
PhaseParts SplitPhase(uint32_t phase);
inline constexpr uint32_t kPagesPerSubPhase = 6;

// The phases begin, begin + 1, ... of the cycle: `span` of them.
struct PhaseWindow {
  uint32_t begin = 0;
  uint32_t span = kNumPhases;
  bool IsValid() const { return begin < kNumPhases && span >= 1 && span <= kNumPhases; }
  bool Contains(uint32_t phase) const;  // REQUIRES: IsValid()
};

// ---- Sets of classes

struct ClassMask {
  uint64_t low = 0;   // classes 0..63
  uint32_t high = 0;  // classes 64..95
  bool Contains(uint32_t class_index) const;
  void Add(uint32_t class_index);  // REQUIRES: class_index < kNumClasses
  bool IsMirrorClosed() const;     // with every class it has its mirror
  bool operator==(const ClassMask&) const = default;
};

// Of a lane, all its pools that are not freed together.
inline constexpr uint64_t kMaxPoolBytes = 256 * 1024;
// Of a lane in a launch, those that it has freed included.
inline constexpr uint32_t kMaxPools = 4096;

}  // namespace hologram::isa
