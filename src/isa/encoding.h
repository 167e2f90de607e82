// Constants of the encoded form of programs, shared by encode.cc and decode.cc. Every byte is
// described in docs/format.md.
#pragma once

#include <array>
#include <cstdint>

#include "isa/program.h"

namespace hologram::isa::encoding {

inline constexpr uint32_t kCodeMagic = 0x53494748;   // "HGIS"
inline constexpr uint32_t kDebugMagic = 0x42444748;  // "HGDB"
inline constexpr uint16_t kMajorVersion = 1;
inline constexpr uint16_t kMinorVersion = 0;

// The default block in one word: x, and above it y and z where one of them is not 1.
inline constexpr uint32_t kBlockBits = 11;
inline uint32_t DefaultBlockWord(const Program& program) {
  const auto [y, z] = program.default_block_yz;
  if (program.HasFlatBlock()) return program.default_block;
  return program.default_block | y << kBlockBits | z << (2 * kBlockBits);
}

inline constexpr size_t kParameterBytes = 4;
// Kinds of parameters.
inline constexpr uint8_t kScalar = 0;
inline constexpr uint8_t kBuffer = 1;
inline constexpr uint8_t kExtent = 2;
inline constexpr uint8_t kStride = 3;
// The direction of a unique buffer; the others are those of Direction.
inline constexpr uint8_t kUniqueIn = 3;
inline constexpr size_t kSharedArrayBytes = 8;
inline constexpr size_t kInstructionBytes = 16;
inline constexpr size_t kSizedTextBytes = 4;      // the smallest: an empty text
inline constexpr size_t kDebugLineBytes = 16;     // the smallest: no text, no variables
inline constexpr size_t kDebugVariableBytes = 5;  // the smallest: an empty name

// Opcodes of this number and above are extensions: bit (opcode - kFirstExtension) of the feature
// words is set if and only if the program uses it, so that a reader that does not know an extension
// reports it before it reads the code.
inline constexpr uint8_t kFirstExtension = 64;
inline constexpr size_t kFeatureWords = 3;
using Features = std::array<uint64_t, kFeatureWords>;

inline Features FeaturesOf(const std::vector<Instruction>& code) {
  Features features{};
  for (const Instruction& instruction : code) {
    const auto opcode = static_cast<uint8_t>(instruction.op);
    if (opcode < kFirstExtension) continue;
    const unsigned bit = opcode - kFirstExtension;
    features[bit / 64] |= uint64_t{1} << (bit % 64);
  }
  return features;
}

}  // namespace hologram::isa::encoding
