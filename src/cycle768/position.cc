#include "cycle768/position.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sigmatics/algebra/sigil_class.h"

namespace hologram::cycle768 {

uint32_t ClassOf(uint32_t position) {
  return sigmatics::SigilClass::FromByte(static_cast<uint8_t>(ByteOf(position))).index();
}

Checked<uint32_t> AdvanceOf(char gate) {
  switch (gate) {
    case 'I':
      return uint32_t{0};
    case 'T':
      return uint32_t{96};
    case 'S':
    case 'H':
      return uint32_t{192};
    case 'X':
    case 'Y':
    case 'Z':
      return kHalf;
    default:
      return Error{ErrorKind::kUnknownGate, gate, 0,
                   std::string("there is no gate '") + gate + "'; gates are I H X Y Z S T"};
  }
}

Checked<uint32_t> ReadingThreshold(float alpha, float beta) {
  constexpr float kTolerance = 0.001F;
  const float norm = alpha * alpha + beta * beta;
  if (!(std::abs(norm - 1) < kTolerance)) {  // NaN is not normalised
    char text[64];
    std::snprintf(text, sizeof text, "the squares of the amplitudes sum to %g, not to 1",
                  static_cast<double>(norm));
    return Error{ErrorKind::kNotNormalised, 0, 1, text};
  }
  return std::min(static_cast<uint32_t>(std::floor(float{kPositions} * alpha * alpha)), kPositions);
}

}  // namespace hologram::cycle768
