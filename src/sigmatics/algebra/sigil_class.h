// The 96 classes of the sigil algebra: bytes, triples, representatives and belt addresses.
//
//   byte   b7 b6   b5 b4   b3 b2 b1   b0        class = 24 h2 + 8 d + l
//          h2      d       l          ignored   d of (b5 b4): 00 0, 01 1, 10 2, 11 0
//
// Nothing here is arithmetic of bytes: the class of a sum is not a function of the classes.
// The Atlas numbers 96 classes too, by other rules; that is ResonanceClass, and no conversion
// between the two exists. Tested by tests/sigmatics/class_test.cc.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

namespace hologram::sigmatics {

inline constexpr uint32_t kNumSigilClasses = 96;
inline constexpr uint32_t kBeltPages = 48;
inline constexpr uint32_t kBytesPerBeltPage = 256;
inline constexpr uint32_t kBeltSlots = kBeltPages * kBytesPerBeltPage;

struct Triple {
  uint8_t h2 = 0;  // scope, 0..3
  uint8_t d = 0;   // modality, 0..2: neutral, produce, consume
  uint8_t l = 0;   // context, 0..7
  bool operator==(const Triple&) const = default;
};

class SigilClass {
 public:
  SigilClass() = default;

  // Nothing for 96 and above.
  static std::optional<SigilClass> FromIndex(uint64_t index);
  // REQUIRES: h2 < 4, d < 3, l < 8.
  static SigilClass FromTriple(Triple triple);
  static SigilClass FromByte(uint8_t byte);

  uint8_t index() const { return index_; }
  Triple triple() const;
  // The least byte of the class.
  uint8_t representative() const;
  // All bytes of the class, ascending: four where d is 0, else two.
  std::vector<uint8_t> members() const;

  auto operator<=>(const SigilClass&) const = default;

 private:
  explicit SigilClass(uint8_t index) : index_(index) {}
  uint8_t index_ = 0;
};

// 256 * page + byte; nothing for page 48 and above.
std::optional<uint32_t> BeltAddress(uint32_t page, uint8_t byte);
struct BeltSlot {
  uint8_t page = 0;
  uint8_t byte = 0;
  bool operator==(const BeltSlot&) const = default;
};
// The inverse; nothing for addresses of kBeltSlots and above.
std::optional<BeltSlot> BeltSlotOf(uint32_t address);

}  // namespace hologram::sigmatics
