#include "sigmatics/values/variant.h"

#include <algorithm>

#include "isa/opcode_set.h"

namespace hologram::sigmatics {
namespace {

using isa::Opcode;
using isa::OperandKind;

struct Sources {
  uint32_t count = 0;
  bool has_fast = false;
};

// Nothing for an instruction that is not pure, or that a circuit has another word for.
std::optional<Sources> SourcesOf(const isa::OpcodeInfo& info) {
  if (info.op == Opcode::kMov || isa::TakesClass(info.op)) return std::nullopt;
  Sources sources;
  bool has_destination = false;
  for (const isa::Operand& operand : info.operands) {
    switch (operand.kind) {
      case OperandKind::kDst:
        has_destination = true;
        break;
      case OperandKind::kSrc:
      case OperandKind::kShift:
        ++sources.count;
        break;
      case OperandKind::kAccuracy:
        sources.has_fast = true;
        break;
      default:
        return std::nullopt;
    }
  }
  if (!has_destination || sources.count == 0) return std::nullopt;
  return sources;
}

std::vector<Variant> MakeVariants() {
  std::vector<Variant> variants;
  for (const isa::OpcodeInfo& info : isa::AllOpcodes()) {
    const std::optional<Sources> sources = SourcesOf(info);
    if (!sources) continue;
    variants.push_back(VariantOf(info.op));
    if (!sources->has_fast) continue;
    variants.push_back(VariantOf(info.op, true));
  }
  for (int i = 0; i < isa::kNumTypes; ++i) {
    variants.push_back(CastTo(static_cast<isa::Type>(i)));
  }
  for (VariantKind kind :
       {VariantKind::kGelu, VariantKind::kGeluErf, VariantKind::kClamp, VariantKind::kSelect}) {
    Variant variant;
    variant.kind = kind;
    variants.push_back(variant);
  }
  for (int i = 0; i < isa::kNumConditions; ++i) {
    variants.push_back(VariantOf(static_cast<isa::Condition>(i)));
  }
  return variants;
}

}  // namespace

const std::vector<Variant>& AllVariants() {
  static const std::vector<Variant> variants = MakeVariants();
  return variants;
}

std::string TextOf(const Variant& variant) {
  switch (variant.kind) {
    case VariantKind::kInstruction:
      return std::string(isa::InfoOf(variant.op).mnemonic) + (variant.fast ? "_fast" : "");
    case VariantKind::kCast:
      return std::string(isa::NameOf(variant.type));
    case VariantKind::kGelu:
      return "gelu";
    case VariantKind::kGeluErf:
      return "gelu_erf";
    case VariantKind::kClamp:
      return "clamp";
    case VariantKind::kSelect:
      return "select";
    case VariantKind::kCompare:
      return std::string(isa::NameOf(variant.condition));
  }
  return "";
}

std::optional<Variant> FindVariant(std::string_view text) {
  for (const Variant& variant : AllVariants()) {
    if (TextOf(variant) == text) return variant;
  }
  return std::nullopt;
}

std::string NameOf(const Variant& variant) {
  if (variant.kind == VariantKind::kInstruction) {
    return std::string(isa::InfoOf(variant.op).name) + (variant.fast ? "Fast" : "");
  }
  std::string name;
  bool upper = true;
  for (const char c : TextOf(variant)) {
    if (c == '_') {
      upper = true;
      continue;
    }
    name += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    upper = false;
  }
  return name;
}

uint32_t NumSources(const Variant& variant) {
  switch (variant.kind) {
    case VariantKind::kInstruction:
      return SourcesOf(isa::InfoOf(variant.op))->count;
    case VariantKind::kClamp:
    case VariantKind::kSelect:
      return 3;
    case VariantKind::kCast:
    case VariantKind::kGelu:
    case VariantKind::kGeluErf:
      return 1;
    case VariantKind::kCompare:
      return 2;
  }
  return 0;
}

isa::Type ResultType(const Variant& variant, isa::Type type) {
  return variant.kind == VariantKind::kCompare ? isa::Type::kU8 : type;
}

bool AcceptsAnyType(const Variant& variant, uint32_t source) {
  return variant.kind == VariantKind::kCast ||
         (variant.kind == VariantKind::kSelect && source == 0);
}

bool IsShiftAmount(const Variant& variant, uint32_t source) {
  return source == 1 && (variant.Is(Opcode::kShl) || variant.Is(Opcode::kShr));
}

bool HasType(const Variant& variant, isa::Type type) {
  switch (variant.kind) {
    case VariantKind::kInstruction:
      return isa::Contains(isa::InfoOf(variant.op).types, type);
    case VariantKind::kGelu:
    case VariantKind::kGeluErf:
      return isa::IsFloat(type);
    case VariantKind::kCast:
    case VariantKind::kClamp:
    case VariantKind::kSelect:
    case VariantKind::kCompare:
      return true;
  }
  return false;
}

bool IsCommutative(const Variant& variant) {
  if (variant.Is(isa::Condition::kEq) || variant.Is(isa::Condition::kNe)) return true;
  if (variant.kind != VariantKind::kInstruction) return false;
  return isa::IsOneOf(variant.op,
                      {Opcode::kAdd, Opcode::kMul, Opcode::kMad, Opcode::kFma, Opcode::kMin,
                       Opcode::kMax, Opcode::kAnd, Opcode::kOr, Opcode::kXor});
}

bool MayFault(const Variant& variant, isa::Type type) {
  return isa::IsInteger(type) && (variant.Is(Opcode::kDiv) || variant.Is(Opcode::kRem));
}

}  // namespace hologram::sigmatics
