#include "scalar_atlas.h"

#include "hologram/native_abi.h"

namespace hologram::tests {
namespace {

using isa::Opcode;
using isa::Type;

// The digits of a label: e1, e2, e3, e6, e7 and t.
struct Label {
  uint64_t e[4];
  uint64_t e7;
  uint64_t t;
};

Label LabelOf(uint64_t c) {
  return {{c / 48, c / 24 % 2, c / 12 % 2, c / 6 % 2}, c / 3 % 2, c % 3};
}

bool AreNeighbours(uint64_t a, uint64_t b) {
  const Label x = LabelOf(a);
  const Label y = LabelOf(b);
  if (x.e7 != y.e7) return false;
  int different = 0;
  for (int i = 0; i < 4; ++i) different += x.e[i] != y.e[i] ? 1 : 0;
  const bool next = x.t + 1 == y.t || y.t + 1 == x.t;
  return (different == 1 && x.t == y.t) || (different == 0 && next);
}

// The neighbour number k, or all of them in `count`.
uint64_t FindNeighbour(uint64_t c, uint64_t k, uint64_t* count) {
  uint64_t found = 255;
  *count = 0;
  for (uint64_t other = 0; other < 96; ++other) {
    if (!AreNeighbours(c, other)) continue;
    if (*count == k) found = other;
    ++*count;
  }
  return found;
}

}  // namespace

AtlasResult OfClass(const isa::Instruction& in, const uint64_t (&operands)[3]) {
  const uint64_t c = operands[0];
  if (c >= 96) return {{}, HOLOGRAM_FAULT_INVALID_CLASS, static_cast<int64_t>(c)};
  uint64_t count = 0;
  const uint64_t neighbour = FindNeighbour(c, in.mod, &count);
  switch (in.op) {
    case Opcode::kMirror: {
      const Label label = LabelOf(c);
      return {{Type::kU8, c - 3 * label.e7 + 3 * (1 - label.e7)}, 0, 0};
    }
    case Opcode::kNbrCount:
      return {{Type::kU32, count}, 0, 0};
    case Opcode::kNbrGet:
      return {{Type::kU8, neighbour}, 0, 0};
    default:
      break;
  }
  if (operands[1] >= 48) {
    return {{}, HOLOGRAM_FAULT_INVALID_COORDINATES, static_cast<int64_t>(operands[1])};
  }
  return {{Type::kU64, (c * 48 + operands[1]) * 256 + operands[2]}, 0, 0};
}

}  // namespace hologram::tests
