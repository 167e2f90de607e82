#include "random_program.h"

#include <sstream>

namespace hologram::tests {
namespace {

using isa::Type;

uint64_t FloatEdge(Random& random, Type type) {
  static const std::vector<uint64_t> kF32 = {0x00000000, 0x80000000, 0x3f800000, 0xbf800000,
                                             0x00000001, 0x807fffff, 0x7f7fffff, 0x7f800000,
                                             0xff800000, 0x7fc00000, 0xffc12345, 0x7f812345,
                                             0x4f000000, 0xcf000001, 0x3f000000, 0x40490fdb};
  static const std::vector<uint64_t> kF64 = {
      0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
      0x0000000000000001, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
      0x7ff8000000000000, 0xfff8123456789abc, 0x7ff4123456789abc, 0x43e0000000000000,
      0x3fe0000000000000, 0x41e0000000000000, 0x400921fb54442d18, 0x36a0000000000000};
  static const std::vector<uint64_t> kF16 = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x0001, 0x83ff,
                                             0x7bff, 0x7c00, 0xfc00, 0x7e00, 0xfe12, 0x7d23,
                                             0x7800, 0xf401, 0x3800, 0x4248};
  if (type == Type::kF16) return random.Pick(kF16);
  if (type == Type::kBF16) return random.Pick(kF32) >> 16;
  return random.Pick(type == Type::kF32 ? kF32 : kF64);
}

}  // namespace

const std::vector<Type>& AllTypes() {
  static const std::vector<Type> kTypes = {Type::kI8,  Type::kI16,  Type::kI32, Type::kI64,
                                           Type::kU8,  Type::kU16,  Type::kU32, Type::kU64,
                                           Type::kF16, Type::kBF16, Type::kF32, Type::kF64};
  return kTypes;
}

const std::vector<Type>& IntegerTypes() {
  static const std::vector<Type> kTypes(AllTypes().begin(), AllTypes().begin() + 8);
  return kTypes;
}

uint64_t Random::ValueOf(Type type) {
  const uint64_t mask = ~uint64_t{0} >> (64 - isa::BitsOf(type));
  const uint32_t way = Below(4);
  if (way == 0) return Bits() & mask;
  if (isa::IsFloat(type)) {
    if (way == 1) return FloatEdge(*this, type);
    // A number of everyday size: exponent near that of 1.
    const uint32_t fraction = type == Type::kF16 ? 10 : type == Type::kF64 ? 52 : 23;
    const uint64_t one = type == Type::kF16 ? 15 : type == Type::kF64 ? 1023 : 127;
    const uint64_t sign = uint64_t{1} << (type == Type::kF16 ? 15 : type == Type::kF64 ? 63 : 31);
    const uint64_t exponent = one - 8 + Below(16);
    const uint64_t bits = (Bits() & (sign | ((uint64_t{1} << fraction) - 1))) | exponent
                                                                                    << fraction;
    return type == Type::kBF16 ? bits >> 16 : bits;
  }
  if (way == 1) {
    const uint64_t top = uint64_t{1} << (isa::BitsOf(type) - 1);
    return (Pick<uint64_t>({0, 1, ~uint64_t{0}, top, top - 1, top + 1}) + Below(2)) & mask;
  }
  return (uint64_t{Below(40)} - 20) & mask;
}

std::string TestLaunch::ToText() const {
  std::ostringstream out;
  out << "grid " << shape.grid[0] << "," << shape.grid[1] << "," << shape.grid[2] << " block "
      << shape.block[0] << "," << shape.block[1] << "," << shape.block[2] << " budget " << budget
      << " class_base " << class_base << "\nscalars" << std::hex;
  for (const uint64_t scalar : scalars) out << " " << scalar;
  out << std::dec << "\nbuffer bytes";
  for (const auto& buffer : buffers) out << " " << buffer.size();
  return out.str();
}

}  // namespace hologram::tests
