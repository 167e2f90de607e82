// The structures of DLPack that describe an array in memory (github.com/dmlc/dlpack, version 1; the
// names are ours), and its element types as those of the ISA.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

#include "isa/type.h"

namespace hologram::isa {

struct DlDevice {
  int32_t type;
  int32_t id;
};
struct DlType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};
struct DlTensor {
  void* data;
  DlDevice device;
  int32_t rank;
  DlType type;
  int64_t* shape;
  int64_t* strides;  // in elements; null: C-contiguous
  uint64_t byte_offset;
};
inline constexpr int32_t kDlCpu = 1;
inline constexpr int32_t kDlCuda = 2;
inline constexpr int32_t kDlCudaHost = 3;
inline constexpr int32_t kDlCudaManaged = 13;
inline constexpr uint8_t kDlBool = 6;

// In memory that the CPU reaches.
inline bool IsHost(const DlTensor& tensor) {
  return tensor.device.type == kDlCpu || tensor.device.type == kDlCudaHost;
}

// A bool is a u8; nothing for what no kernel has.
constexpr std::optional<Type> TypeOfDlpack(DlType type) {
  if (type.lanes != 1 || type.bits < 8 || type.bits > 64 || !std::has_single_bit(type.bits)) {
    return std::nullopt;
  }
  const int log2 = std::countr_zero(type.bits) - 3;
  const auto later = [log2](Type first, int steps_less) {
    return static_cast<Type>(static_cast<int>(first) + log2 - steps_less);
  };
  switch (type.code) {
    case 0:
      return later(Type::kI8, 0);
    case 1:
      return later(Type::kU8, 0);
    case 2:
      if (log2 == 0) return std::nullopt;
      return log2 == 1 ? Type::kF16 : later(Type::kF32, 2);
    case 4:
      if (log2 != 1) return std::nullopt;
      return Type::kBF16;
    case kDlBool:
      if (log2 != 0) return std::nullopt;
      return Type::kU8;
    default:
      return std::nullopt;
  }
}

}  // namespace hologram::isa
