// Element operation of a merge or split. Every pure instruction of the instruction set is
// a variant, under its mnemonic (`exp`, `exp_fast` where there is a fast form); so are casts, under
// the name of the type, and four functions made of several instructions.
//
// Which instructions are pure is read off instructions.def: those whose operands are a destination
// and one to three registers of the type. SET writes no register, so comparisons are of their own
// kind, one for each condition. Tested by tests/sigmatics/variant_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/instruction.h"

namespace hologram::sigmatics {

enum class VariantKind : uint8_t {
  kInstruction,  // `op`, fast or precise
  kCast,         // to `type`; as CVT, and the identity from the type itself
  kGelu,         // x sigmoid(2 sqrt(2 / pi) (x + 0.044715 x^3)), which is the form by tanh
  kGeluErf,      // 0.5 x (1 + erf(x sqrt(1/2)))
  kClamp,        // clamp(x, low, high) = min(max(x, low), high)
  kSelect,       // select(c, x, y) = c != 0 ? x : y
  kCompare,      // lt(x, y) = x < y ? 1 : 0, a u8; with NaN 0, except ne
};

struct Variant {
  VariantKind kind = VariantKind::kInstruction;
  isa::Opcode op = isa::Opcode::kAdd;
  bool fast = false;
  isa::Type type = isa::Type::kI8;
  isa::Condition condition = isa::Condition::kEq;

  bool operator==(const Variant&) const = default;
  bool Is(isa::Opcode opcode) const { return kind == VariantKind::kInstruction && op == opcode; }
  bool Is(isa::Condition wanted) const {
    return kind == VariantKind::kCompare && condition == wanted;
  }
};

constexpr Variant VariantOf(isa::Opcode op, bool fast = false) {
  Variant variant;
  variant.op = op;
  variant.fast = fast;
  return variant;
}
constexpr Variant VariantOf(isa::Condition condition) {
  Variant variant;
  variant.kind = VariantKind::kCompare;
  variant.condition = condition;
  return variant;
}
constexpr Variant CastTo(isa::Type type) {
  Variant variant;
  variant.kind = VariantKind::kCast;
  variant.type = type;
  return variant;
}
constexpr Variant SelectVariant() {
  Variant variant;
  variant.kind = VariantKind::kSelect;
  return variant;
}

// Every variant, in the order of the instruction set.
const std::vector<Variant>& AllVariants();
// By its text in a circuit ("exp_fast").
std::optional<Variant> FindVariant(std::string_view text);
std::string TextOf(const Variant& variant);
// As in listings of calls ("ExpFast").
std::string NameOf(const Variant& variant);

uint32_t NumSources(const Variant& variant);  // 1 to 3
// Result type for sources of `type`: the same, except for comparisons.
isa::Type ResultType(const Variant& variant, isa::Type type);
// The type of source k where the destination of an instruction, or x of the others, has `type`:
// shifts take a u32 as their second, a select any condition, a cast any value.
bool AcceptsAnyType(const Variant& variant, uint32_t source);
bool IsShiftAmount(const Variant& variant, uint32_t source);
// False for sqrt of integers and its like.
bool HasType(const Variant& variant, isa::Type type);
// Its first two sources may change places without a change of any bit.
bool IsCommutative(const Variant& variant);
// Integer division stops a kernel that divides by zero, so it must stay where it is.
bool MayFault(const Variant& variant, isa::Type type);

}  // namespace hologram::sigmatics
