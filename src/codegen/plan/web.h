// A web is a set of definitions of one register that reach common uses; a register that is used for
// two purposes becomes two webs. A web is kept in one scalar (uniform), in the scalar of the first
// lane of a vector plus a stride (affine), or in vectors (varying). Facts come from the verifier;
// what is decided here is only how values are kept and which blocks run under a mask.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/instruction.h"

namespace hologram::codegen {

enum class Kind : uint8_t { kUniform, kAffine, kVarying };

inline constexpr uint16_t kFirstPredicateSlot = 256;

struct Web {
  uint16_t slot = 0;  // register, or kFirstPredicateSlot + predicate
  isa::Type type = isa::Type::kU8;
  Kind kind = Kind::kUniform;
  int64_t stride = 0;  // of kAffine
  std::vector<uint32_t> definitions;
  bool local = true;        // never live into a block
  bool invariant = false;   // one definition, from ids, parameters and constants only
  bool maybe_nan = false;   // may hold a NaN that was computed and is not yet canonical
  bool keeps_bits = false;  // also holds bits that were given: never such a NaN
  bool is_predicate() const { return slot >= kFirstPredicateSlot; }
};

// An operand: the number of a web, or Fixed(r) for a register that is never written (parameters and
// special registers).
using OperandId = int32_t;
constexpr OperandId Fixed(uint8_t reg) {
  return -1 - static_cast<int32_t>(reg);
}
constexpr bool IsFixed(OperandId id) {
  return id < 0;
}
constexpr uint8_t FixedRegister(OperandId id) {
  return static_cast<uint8_t>(-1 - id);
}
// Whether it is the read-only register that holds `sreg`.
constexpr bool IsFixedId(OperandId id, isa::Sreg sreg) {
  return IsFixed(id) && FixedRegister(id) >= isa::kFirstSpecialRegister &&
         isa::SpecialSreg(FixedRegister(id)) == sreg;
}

inline constexpr OperandId kNoOperand = INT32_MIN;
struct InstructionOperands {
  std::array<OperandId, 4> reads{kNoOperand, kNoOperand, kNoOperand, kNoOperand};
  std::array<OperandId, 2> predicates{kNoOperand, kNoOperand};
  OperandId write = kNoOperand;  // register or predicate
};

}  // namespace hologram::codegen
