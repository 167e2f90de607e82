#include "sigmatics/algebra/sigil_class.h"

#include "base/check.h"

namespace hologram::sigmatics {

std::optional<SigilClass> SigilClass::FromIndex(uint64_t index) {
  if (index >= kNumSigilClasses) return std::nullopt;
  return SigilClass(static_cast<uint8_t>(index));
}

SigilClass SigilClass::FromTriple(Triple triple) {
  HOLOGRAM_CHECK(triple.h2 < 4 && triple.d < 3 && triple.l < 8);
  return SigilClass(static_cast<uint8_t>(24 * triple.h2 + 8 * triple.d + triple.l));
}

SigilClass SigilClass::FromByte(uint8_t byte) {
  constexpr uint8_t kModality[4] = {0, 1, 2, 0};
  return FromTriple({static_cast<uint8_t>(byte >> 6), kModality[(byte >> 4) & 3],
                     static_cast<uint8_t>((byte >> 1) & 7)});
}

Triple SigilClass::triple() const {
  return {static_cast<uint8_t>(index_ / 24), static_cast<uint8_t>(index_ % 24 / 8),
          static_cast<uint8_t>(index_ % 8)};
}

uint8_t SigilClass::representative() const {
  const Triple t = triple();
  return static_cast<uint8_t>(t.h2 << 6 | t.d << 4 | t.l << 1);
}

std::vector<uint8_t> SigilClass::members() const {
  const uint8_t least = representative();
  std::vector<uint8_t> bytes = {least, static_cast<uint8_t>(least | 1)};
  if (triple().d == 0) {
    bytes.push_back(static_cast<uint8_t>(least | 0x30));
    bytes.push_back(static_cast<uint8_t>(least | 0x31));
  }
  return bytes;
}

std::optional<uint32_t> BeltAddress(uint32_t page, uint8_t byte) {
  if (page >= kBeltPages) return std::nullopt;
  return page * kBytesPerBeltPage + byte;
}

std::optional<BeltSlot> BeltSlotOf(uint32_t address) {
  if (address >= kBeltSlots) return std::nullopt;
  return BeltSlot{static_cast<uint8_t>(address / kBytesPerBeltPage),
                  static_cast<uint8_t>(address % kBytesPerBeltPage)};
}

}  // namespace hologram::sigmatics
