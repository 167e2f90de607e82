// Tables derived from instructions.def, and the operand walk that everything else is written with.
#include "isa/instruction.h"

#include <algorithm>

#include "isa/half.h"

namespace hologram::isa {
namespace {

// One constexpr array of operands per instruction. The dummy first element keeps arrays of
// instructions without operands non-empty.
#define DST(f)                   \
  , Operand {                    \
    OperandKind::kDst, Field_##f \
  }
#define SRC(f)                   \
  , Operand {                    \
    OperandKind::kSrc, Field_##f \
  }
#define SRC_FROM(f)                  \
  , Operand {                        \
    OperandKind::kSrcFrom, Field_##f \
  }
#define SHIFT(f)                   \
  , Operand {                      \
    OperandKind::kShift, Field_##f \
  }
#define PDST(f)                      \
  , Operand {                        \
    OperandKind::kPredDst, Field_##f \
  }
#define PSRC(f)                      \
  , Operand {                        \
    OperandKind::kPredSrc, Field_##f \
  }
#define OPT_PRED(f)                  \
  , Operand {                        \
    OperandKind::kOptPred, Field_##f \
  }
#define GLOBAL                                \
  , Operand {                                 \
    OperandKind::kGlobalAddress, Field::kNone \
  }
#define SHARED                                \
  , Operand {                                 \
    OperandKind::kSharedAddress, Field::kNone \
  }
#define RUN(f)                   \
  , Operand {                    \
    OperandKind::kRun, Field_##f \
  }
#define COUNT                         \
  , Operand {                         \
    OperandKind::kCount, Field::kNone \
  }
#define COUNTER(f)                   \
  , Operand {                        \
    OperandKind::kCounter, Field_##f \
  }
#define LOCAL                                \
  , Operand {                                \
    OperandKind::kLocalAddress, Field::kNone \
  }
#define IMMEDIATE                         \
  , Operand {                             \
    OperandKind::kImmediate, Field::kNone \
  }
#define TARGET                         \
  , Operand {                          \
    OperandKind::kTarget, Field::kNone \
  }
#define CONDITION                         \
  , Operand {                             \
    OperandKind::kCondition, Field::kNone \
  }
#define SREG                         \
  , Operand {                        \
    OperandKind::kSreg, Field::kNone \
  }
#define ATOMIC_OP                        \
  , Operand {                            \
    OperandKind::kAtomicOp, Field::kNone \
  }
#define ACCURACY                         \
  , Operand {                            \
    OperandKind::kAccuracy, Field::kNone \
  }
#define BARRIER_ID                        \
  , Operand {                             \
    OperandKind::kBarrierId, Field::kNone \
  }
#define SCOPE                         \
  , Operand {                         \
    OperandKind::kScope, Field::kNone \
  }
#define BLOCK_OP                        \
  , Operand {                           \
    OperandKind::kBlockOp, Field::kNone \
  }
#define BYTE(f)                   \
  , Operand {                     \
    OperandKind::kByte, Field_##f \
  }
#define WORD(f)                   \
  , Operand {                     \
    OperandKind::kWord, Field_##f \
  }
#define DELTA                         \
  , Operand {                         \
    OperandKind::kDelta, Field::kNone \
  }
#define NEIGHBOUR                         \
  , Operand {                             \
    OperandKind::kNeighbour, Field::kNone \
  }
#define TEXT                         \
  , Operand {                        \
    OperandKind::kText, Field::kNone \
  }
#define FORMAT                         \
  , Operand {                          \
    OperandKind::kFormat, Field::kNone \
  }
constexpr Field Field_a = Field::kA;
constexpr Field Field_b = Field::kB;
constexpr Field Field_c = Field::kC;
constexpr Field Field_d = Field::kD;
constexpr Field Field_mod = Field::kMod;
constexpr Operand kDummy{OperandKind::kTarget, Field::kNone};
#define OP(code, Name, mnemonic, types, operands, summary) \
  constexpr Operand kOperands##Name[] = {kDummy operands};
#include "isa/instructions.def"

const OpcodeInfo kOpcodes[] = {
#define OP(code, Name, mnemonic, types, operands, summary) \
  {Opcode::k##Name,                                        \
   #Name,                                                  \
   mnemonic,                                               \
   TypeSet::types,                                         \
   std::span<const Operand>(kOperands##Name).subspan(1),   \
   summary},
#define DST(f)
#define SRC(f)
#define SRC_FROM(f)
#define SHIFT(f)
#define PDST(f)
#define PSRC(f)
#define OPT_PRED(f)
#define GLOBAL
#define SHARED
#define LOCAL
#define RUN(f)
#define COUNT
#define COUNTER(f)
#define IMMEDIATE
#define TARGET
#define CONDITION
#define SREG
#define ATOMIC_OP
#define ACCURACY
#define BARRIER_ID
#define SCOPE
#define BLOCK_OP
#define BYTE(f)
#define WORD(f)
#define DELTA
#define NEIGHBOUR
#define TEXT
#define FORMAT
#include "isa/instructions.def"
};

std::array<const OpcodeInfo*, 256> MakeIndex() {
  std::array<const OpcodeInfo*, 256> index{};
  for (const OpcodeInfo& info : kOpcodes) index[static_cast<uint8_t>(info.op)] = &info;
  return index;
}

void AddRead(Uses& uses, uint8_t reg, std::optional<Type> type) {
  uses.reads[static_cast<size_t>(uses.num_reads++)] = {reg, type};
}

void AddPredicateRead(Uses& uses, uint8_t predicate) {
  uses.predicate_reads[static_cast<size_t>(uses.num_predicate_reads++)] = predicate;
}

}  // namespace

bool Contains(TypeSet set, Type type) {
  switch (set) {
    case TypeSet::kNone:
      return false;
    case TypeSet::kAll:
      return true;
    case TypeSet::kFloat:
      return IsFloat(type);
    case TypeSet::kInteger:
      return IsInteger(type);
    case TypeSet::kSignedOrFloat:
      return !IsUnsigned(type);
    case TypeSet::kAtomic:
      return IsInteger(type) && SizeOf(type) >= 4;
    case TypeSet::kU32U64:
      return type == Type::kU32 || type == Type::kU64;
    case TypeSet::kU8:
      return type == Type::kU8;
    case TypeSet::kU32:
      return type == Type::kU32;
    case TypeSet::kU64:
      return type == Type::kU64;
    case TypeSet::kF64:
      return type == Type::kF64;
    case TypeSet::kDyadic:
      return type == Type::kF32 || type == Type::kF64 || type == Type::kI32 || type == Type::kI64;
    case TypeSet::kSwapped:
      return IsFloat(type) || Contains(TypeSet::kAtomic, type);
  }
  return false;
}

std::span<const OpcodeInfo> AllOpcodes() {
  return kOpcodes;
}

const OpcodeInfo* FindOpcode(uint8_t code) {
  static const std::array<const OpcodeInfo*, 256> kIndex = MakeIndex();
  return kIndex[code];
}

uint8_t GetField(const Instruction& instruction, Field field) {
  switch (field) {
    case Field::kNone:
      return 0;
    case Field::kD:
      return instruction.d;
    case Field::kA:
      return instruction.a;
    case Field::kB:
      return instruction.b;
    case Field::kC:
      return instruction.c;
    case Field::kMod:
      return instruction.mod;
  }
  return 0;
}

void SetField(Instruction& instruction, Field field, uint8_t value) {
  switch (field) {
    case Field::kNone:
      break;
    case Field::kD:
      instruction.d = value;
      break;
    case Field::kA:
      instruction.a = value;
      break;
    case Field::kB:
      instruction.b = value;
      break;
    case Field::kC:
      instruction.c = value;
      break;
    case Field::kMod:
      instruction.mod = value;
      break;
  }
}

Uses UsesOf(const Instruction& instruction) {
  Uses uses;
  for (const Operand& operand : InfoOf(instruction.op).operands) {
    const uint8_t value = GetField(instruction, operand.field);
    switch (operand.kind) {
      case OperandKind::kDst:
        uses.write = RegisterUse{value, instruction.type};
        break;
      case OperandKind::kSrc:
        AddRead(uses, value, instruction.type);
        break;
      case OperandKind::kSrcFrom:
        AddRead(uses, value, instruction.source_type());
        break;
      case OperandKind::kShift:
        AddRead(uses, value, Type::kU32);
        break;
      case OperandKind::kPredDst:
        uses.predicate_write = value;
        break;
      case OperandKind::kPredSrc:
        AddPredicateRead(uses, value);
        break;
      case OperandKind::kOptPred:
        if (instruction.mod == 1) AddPredicateRead(uses, value);
        break;
      case OperandKind::kGlobalAddress:
        if (instruction.in_class_memory()) {
          if (instruction.mode == kClassMode) AddRead(uses, instruction.b, Type::kU64);
          break;
        }
        AddRead(uses, instruction.a, Type::kU64);
        AddRead(uses, instruction.b, std::nullopt);
        break;
      case OperandKind::kSharedAddress:
      case OperandKind::kLocalAddress:
        AddRead(uses, instruction.b, std::nullopt);
        break;
      case OperandKind::kRun: {
        const uint64_t room = static_cast<uint64_t>(kNumRegisters) - value;
        uses.run = {value, static_cast<uint16_t>(std::min(instruction.imm, room)),
                    instruction.type};
        break;
      }
      case OperandKind::kCounter:
        AddRead(uses, value, Type::kU32);
        uses.write = RegisterUse{value, Type::kU32};
        break;
      case OperandKind::kByte:
        AddRead(uses, value, Type::kU8);
        break;
      case OperandKind::kWord:
        // An access of class memory in the form that engines run: its pool is fixed, no register.
        if (instruction.in_class_memory() &&
            (operand.field == Field::kA || instruction.mode == kPhiMode)) {
          break;
        }
        AddRead(uses, value, Type::kU64);
        break;
      case OperandKind::kDelta:
      case OperandKind::kNeighbour:
      case OperandKind::kText:
      case OperandKind::kFormat:
      case OperandKind::kCount:
      case OperandKind::kImmediate:
      case OperandKind::kTarget:
      case OperandKind::kCondition:
      case OperandKind::kSreg:
      case OperandKind::kAtomicOp:
      case OperandKind::kAccuracy:
      case OperandKind::kBarrierId:
      case OperandKind::kScope:
      case OperandKind::kBlockOp:
        break;
    }
  }
  return uses;
}

std::string TextOf(uint64_t imm) {
  std::string text;
  for (; imm != 0; imm >>= 8) text += static_cast<char>(imm & 0xff);
  return text;
}

uint64_t ImmediateOf(std::string_view text) {
  uint64_t imm = 0;
  for (size_t i = text.size(); i-- > 0;) imm = imm << 8 | static_cast<uint8_t>(text[i]);
  return imm;
}

std::string_view NameOf(Condition condition) {
  constexpr std::string_view kNames[kNumConditions] = {"eq", "ne", "lt", "le", "gt", "ge"};
  return kNames[static_cast<uint8_t>(condition)];
}

std::string_view NameOf(AtomicOp op) {
  constexpr std::string_view kNames[kNumAtomicOps] = {"add", "min", "max",     "and",
                                                      "or",  "xor", "exchange"};
  return kNames[static_cast<uint8_t>(op)];
}

std::string_view NameOfBlockForm(int mod) {
  constexpr std::string_view kNames[kNumBlockForms] = {"add",  "min",  "max",  "mul",  "and",
                                                       "or",   "xor",  "wadd", "wmin", "wmax",
                                                       "wmul", "wand", "wor",  "wxor"};
  return kNames[mod];
}

std::string_view NameOf(BlockOp op) {
  return NameOfBlockForm(static_cast<int>(op));
}

Opcode OpcodeOf(BlockOp op) {
  constexpr Opcode kOps[kNumBlockOps] = {Opcode::kAdd, Opcode::kMin, Opcode::kMax, Opcode::kMul,
                                         Opcode::kAnd, Opcode::kOr,  Opcode::kXor};
  return kOps[static_cast<uint8_t>(op)];
}

namespace {

// 1 and the quiet NaN, of f16, bf16, f32 and f64.
uint64_t OneBits(Type type) {
  switch (type) {
    case Type::kF16:
      return 0x3c00;
    case Type::kBF16:
      return 0x3f80;
    case Type::kF32:
      return 0x3f800000;
    case Type::kF64:
      return 0x3ff0000000000000;
    default:
      return 1;
  }
}

uint64_t NanBits(Type type) {
  switch (type) {
    case Type::kF16:
      return kCanonicalNanF16;
    case Type::kBF16:
      return kCanonicalNanBF16;
    case Type::kF32:
      return 0x7fc00000;
    default:
      return 0x7ff8000000000000;
  }
}

}  // namespace

uint64_t NeutralBits(BlockOp op, Type type) {
  const uint64_t sign = uint64_t{1} << (BitsOf(type) - 1);
  const uint64_t mask = sign | (sign - 1);
  switch (op) {
    case BlockOp::kMin:
      return IsFloat(type) ? NanBits(type) : static_cast<uint64_t>(MaxOf(type)) & mask;
    case BlockOp::kMax:
      return IsFloat(type) ? NanBits(type) : static_cast<uint64_t>(MinOf(type)) & mask;
    case BlockOp::kMul:
      return OneBits(type);
    case BlockOp::kAnd:
      return mask;
    case BlockOp::kAdd:
      return IsFloat(type) ? sign : 0;
    default:
      return 0;
  }
}

std::string_view NameOf(Scope scope) {
  constexpr std::string_view kNames[kNumScopes] = {"thread", "block", "device", "system"};
  return kNames[static_cast<uint8_t>(scope)];
}

std::string_view NameOf(Sreg sreg) {
  constexpr std::string_view kNames[kNumSregs] = {
      "lane.x",      "lane.y",      "lane.z",      "block.x",    "block.y",    "block.z",
      "block_dim.x", "block_dim.y", "block_dim.z", "grid_dim.x", "grid_dim.y", "grid_dim.z",
      "global.x",    "global.y",    "global.z",    "linear"};
  return kNames[static_cast<uint8_t>(sreg)];
}

}  // namespace hologram::isa
