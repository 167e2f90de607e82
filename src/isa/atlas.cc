#include "isa/atlas.h"

namespace hologram::isa {
namespace {

constexpr bool HasBit(uint32_t class_index, uint32_t bit) {
  return class_index / bit % 2 != 0;
}

constexpr bool IsStep(uint32_t class_index, NeighbourStep step) {
  const bool up = step.distance > 0;
  if (step.bit != 1) return HasBit(class_index, step.bit) != up;
  const uint32_t t = class_index % 3;
  return up ? t < 2 : t > 0;
}

struct NeighbourTable {
  std::array<std::array<uint8_t, 6>, kNumClasses> neighbours{};
  std::array<uint8_t, kNumClasses> counts{};
};

constexpr NeighbourTable MakeTable() {
  NeighbourTable table;
  for (uint32_t c = 0; c < kNumClasses; ++c) {
    table.neighbours[c].fill(kNoNeighbour);
    for (const NeighbourStep step : kNeighbourSteps) {
      if (!IsStep(c, step)) continue;
      table.neighbours[c][table.counts[c]++] =
          static_cast<uint8_t>(static_cast<int>(c) + step.distance);
    }
  }
  return table;
}

constexpr NeighbourTable kTable = MakeTable();

}  // namespace

uint8_t Mirror(uint8_t class_index) {
  return static_cast<uint8_t>(class_index % 6 < 3 ? class_index + 3 : class_index - 3);
}

uint32_t NumNeighbours(uint8_t class_index) {
  return kTable.counts[class_index];
}

uint8_t Neighbour(uint8_t class_index, uint32_t k) {
  return kTable.neighbours[class_index][k];
}

bool IsUnity(uint8_t class_index) {
  return class_index == 1 || class_index == 4;
}

uint32_t PhiAddress(uint32_t class_index, uint32_t page, uint32_t byte) {
  return class_index * kBytesPerClass + page * kBytesPerPage + byte;
}

uint32_t PackPhi(uint16_t page, uint8_t byte) {
  return uint32_t{byte} << 16 | page;
}

Phi UnpackPhi(uint32_t packed) {
  return {static_cast<uint16_t>(packed), static_cast<uint8_t>(packed >> 16)};
}

std::optional<Phi> PhiOfOffset(uint32_t offset) {
  if (offset >= kBytesPerClass) return std::nullopt;
  return Phi{static_cast<uint16_t>(offset / kBytesPerPage),
             static_cast<uint8_t>(offset % kBytesPerPage)};
}

bool IsInOneClass(uint64_t offset, uint32_t size) {
  return offset < kClassMemoryBytes && offset % kBytesPerClass + size <= kBytesPerClass;
}

uint32_t AdvancePhase(uint32_t phase, uint64_t delta) {
  return static_cast<uint32_t>((phase + delta % kNumPhases) % kNumPhases);
}

PhaseParts SplitPhase(uint32_t phase) {
  return {phase / 8, phase % 8};
}

bool PhaseWindow::Contains(uint32_t phase) const {
  return (phase + kNumPhases - begin) % kNumPhases < span;
}

bool ClassMask::Contains(uint32_t class_index) const {
  if (class_index >= kNumClasses) return false;
  return class_index < 64 ? (low >> class_index & 1) != 0 : (high >> (class_index - 64) & 1) != 0;
}

void ClassMask::Add(uint32_t class_index) {
  if (class_index < 64) {
    low |= uint64_t{1} << class_index;
  } else {
    high |= uint32_t{1} << (class_index - 64);
  }
}

bool ClassMask::IsMirrorClosed() const {
  for (uint8_t c = 0; c < kNumClasses; ++c) {
    if (Contains(c) && !Contains(Mirror(c))) return false;
  }
  return true;
}

}  // namespace hologram::isa
