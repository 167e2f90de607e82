#include "device/builder.h"

namespace hologram::device {

Scalar ScalarOf(isa::Type type) {
  constexpr Scalar kScalars[isa::kNumTypes] = {
      Scalar::kI8,  Scalar::kI16, Scalar::kI32, Scalar::kI64, Scalar::kI8,  Scalar::kI16,
      Scalar::kI32, Scalar::kI64, Scalar::kI16, Scalar::kI16, Scalar::kF32, Scalar::kF64};
  return kScalars[static_cast<uint8_t>(type)];
}

Scalar IntegerOf(Scalar type) {
  if (type == Scalar::kF32) return Scalar::kI32;
  return type == Scalar::kF64 ? Scalar::kI64 : type;
}

uint32_t BitsOf(Scalar type) {
  constexpr uint32_t kBits[kNumScalars] = {1, 8, 16, 32, 64, 32, 64};
  return kBits[static_cast<uint8_t>(type)];
}

}  // namespace hologram::device
