// One instruction: a 16-byte word that is both the decoded form and the encoded form, and the
// description of its operands, derived from instructions.def. There is no per-instruction code
// here. Tested by tests/isa.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "isa/type.h"

namespace hologram::isa {

inline constexpr int kNumRegisters = 256;
inline constexpr int kNumPredicates = 16;
inline constexpr int kNumBarriers = 16;
inline constexpr uint32_t kMaxCallDepth = 256;
// R252..R255 are read-only: lane.x, block.x, block_dim.x (u32), linear global id (u64).
inline constexpr int kFirstSpecialRegister = 252;

enum class Opcode : uint8_t {
#define OP(code, Name, mnemonic, types, operands, summary) k##Name = code,
#include "isa/instructions.def"
};

enum class Condition : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };
inline constexpr int kNumConditions = 6;

enum class AtomicOp : uint8_t { kAdd, kMin, kMax, kAnd, kOr, kXor, kExchange };
inline constexpr int kNumAtomicOps = 7;

// How BLK.RED and BLK.SCAN combine two values: as ADD and so on. Floats know the first four. Each
// has a form for the block and one for each warp of it, which is written with a `w` before it.
enum class BlockOp : uint8_t { kAdd, kMin, kMax, kMul, kAnd, kOr, kXor };
inline constexpr int kNumBlockOps = 7;
inline constexpr int kNumBlockForms = 2 * kNumBlockOps;
inline constexpr uint32_t kLanesPerWarp = 32;  // neighbours by their number in the block

// Who must see accesses in order, for MEMFENCE.
enum class Scope : uint8_t { kThread, kBlock, kDevice, kSystem };
inline constexpr int kNumScopes = 4;

inline constexpr int kNumNeighbours = 6;    // of a class, at most
inline constexpr size_t kMaxTextBytes = 8;  // of one PRINT.TEXT

// Sources of READ_SREG. All u32, except kLinear (u64): block_linear * lanes_per_block +
// lane_linear. kGlobal = block * block_dim + lane; a launch in which it does not fit 32 bits is
// refused.
enum class Sreg : uint8_t {
  kLaneX,
  kLaneY,
  kLaneZ,
  kBlockX,
  kBlockY,
  kBlockZ,
  kBlockDimX,
  kBlockDimY,
  kBlockDimZ,
  kGridDimX,
  kGridDimY,
  kGridDimZ,
  kGlobalX,
  kGlobalY,
  kGlobalZ,
  kLinear,
};
inline constexpr int kNumSregs = 16;

// Contents of the read-only registers, from kFirstSpecialRegister on.
inline constexpr Sreg kSpecialSregs[] = {Sreg::kLaneX, Sreg::kBlockX, Sreg::kBlockDimX,
                                         Sreg::kLinear};
// REQUIRES: reg >= kFirstSpecialRegister
constexpr Sreg SpecialSreg(uint8_t reg) {
  return kSpecialSregs[reg - kFirstSpecialRegister];
}

// Address modes, stored in Instruction::mode of memory instructions. An element of an array:
// effective byte = index * sizeof(T) + imm, computed exactly, never wrapping.
inline constexpr uint8_t kIndexedMode = 4;
// Of LDG and STG: byte `imm`, or byte rb, of the class memory (isa/atlas.h).
inline constexpr uint8_t kPhiMode = 1;
inline constexpr uint8_t kClassMode = 3;

struct Instruction {
  Opcode op = Opcode::kExit;
  Type type = Type::kI8;  // kI8 when the instruction has no type suffix
  uint8_t mod = 0;  // condition, source type, atomic op, block op, sreg, accuracy, barrier id,
                    // scope, neighbour, has-predicate, register of CAS
  uint8_t d = 0;
  uint8_t a = 0;
  uint8_t b = 0;
  uint8_t c = 0;
  uint8_t mode = 0;  // kIndexedMode, kPhiMode or kClassMode in memory instructions, else 0
  uint64_t imm = 0;  // immediate bits, branch target, count, delta, signed byte displacement

  bool operator==(const Instruction&) const = default;
  int64_t displacement() const { return static_cast<int64_t>(imm); }
  Condition condition() const { return static_cast<Condition>(mod); }
  AtomicOp atomic_op() const { return static_cast<AtomicOp>(mod); }
  BlockOp block_op() const { return static_cast<BlockOp>(mod % kNumBlockOps); }
  bool is_of_warp() const { return mod >= kNumBlockOps; }  // REQUIRES: BLK.RED or BLK.SCAN
  Scope scope() const { return static_cast<Scope>(mod); }
  Sreg sreg() const { return static_cast<Sreg>(mod); }
  Type source_type() const { return static_cast<Type>(mod); }
  bool fast() const { return mod == 1; }
  bool in_class_memory() const { return mode == kPhiMode || mode == kClassMode; }
  bool conditional() const { return op == Opcode::kBra && mod == 1; }
  // It has a target and may also go on behind it.
  bool branches() const { return conditional() || op == Opcode::kLoop; }
  uint32_t target() const { return static_cast<uint32_t>(imm); }
};
static_assert(sizeof(Instruction) == 16);

enum class OperandKind : uint8_t {
  kDst,
  kSrc,
  kSrcFrom,
  kShift,  // registers
  kPredDst,
  kPredSrc,
  kOptPred,  // predicates
  kGlobalAddress,
  kSharedAddress,
  kLocalAddress,
  kRun,
  kCount,
  kCounter,
  kImmediate,
  kTarget,
  kCondition,
  kSreg,
  kAtomicOp,
  kAccuracy,
  kBarrierId,
  kScope,
  kBlockOp,
  kByte,
  kWord,  // registers of a type of their own
  kDelta,
  kNeighbour,
  kText,
  kFormat,  // written only where it is not empty
};

enum class Field : uint8_t { kNone, kD, kA, kB, kC, kMod };

struct Operand {
  OperandKind kind;
  Field field;
};

enum class TypeSet : uint8_t {
  kNone,
  kAll,
  kFloat,
  kInteger,
  kSignedOrFloat,
  kAtomic,
  kU32U64,
  kU8,
  kU32,
  kU64,
  kF64,
  kDyadic,
  kSwapped,
};
bool Contains(TypeSet set, Type type);

// The row of one opcode in instructions.def.
struct OpcodeInfo {
  Opcode op;
  std::string_view name;      // "Add"
  std::string_view mnemonic;  // "add"
  TypeSet types;
  std::span<const Operand> operands;
  std::string_view summary;
};

// All instructions in opcode order.
std::span<const OpcodeInfo> AllOpcodes();
// nullptr for a number that is not an instruction.
const OpcodeInfo* FindOpcode(uint8_t code);
inline const OpcodeInfo& InfoOf(Opcode op) {
  return *FindOpcode(static_cast<uint8_t>(op));
}

uint8_t GetField(const Instruction& instruction, Field field);
void SetField(Instruction& instruction, Field field, uint8_t value);

// A register that an instruction reads or writes, with the type it has there. `type` is empty for
// an element index, which may have any integer type.
struct RegisterUse {
  uint8_t reg;
  std::optional<Type> type;
  bool operator==(const RegisterUse&) const = default;
};

// Registers `first`, `first` + 1, ... that an instruction reads, all of one type.
struct RegisterRun {
  uint8_t first = 0;
  uint16_t count = 0;
  Type type = Type::kI8;
};

// The operands of one instruction, sorted by what is done with them.
struct Uses {
  std::array<RegisterUse, 4> reads{};
  int num_reads = 0;
  RegisterRun run;  // read too
  std::optional<RegisterUse> write;
  std::array<uint8_t, 2> predicate_reads{};
  int num_predicate_reads = 0;
  std::optional<uint8_t> predicate_write;

  // Calls f(RegisterUse) for every register that is read.
  template <class F>
  void ForEachRead(F f) const {
    for (int i = 0; i < num_reads; ++i) f(reads[static_cast<size_t>(i)]);
    for (uint32_t i = 0; i < run.count; ++i) {
      f(RegisterUse{static_cast<uint8_t>(run.first + i), run.type});
    }
  }
};
Uses UsesOf(const Instruction& instruction);

inline bool IsGlobalAccess(Opcode op) {
  return op == Opcode::kLdg || op == Opcode::kStg || op == Opcode::kAtg || op == Opcode::kAtgCas ||
         op == Opcode::kAtgFloat;
}
inline bool IsSharedAccess(Opcode op) {
  return op == Opcode::kLds || op == Opcode::kSts || op == Opcode::kAts || op == Opcode::kAtsCas ||
         op == Opcode::kAtsFloat;
}
inline bool IsLocalAccess(Opcode op) {
  return op == Opcode::kLdl || op == Opcode::kStl;
}
inline bool IsAccess(Opcode op) {
  return IsGlobalAccess(op) || IsSharedAccess(op) || IsLocalAccess(op);
}
inline bool IsCompareAndSwap(Opcode op) {
  return op == Opcode::kAtgCas || op == Opcode::kAtsCas;
}
inline bool IsFloatAtomic(Opcode op) {
  return op == Opcode::kAtgFloat || op == Opcode::kAtsFloat;
}
inline bool IsAtomic(Opcode op) {
  return op == Opcode::kAtg || op == Opcode::kAts || IsCompareAndSwap(op) || IsFloatAtomic(op);
}
// In which order lanes do it changes no bit of what stays in memory.
inline bool IsOrderless(const Instruction& in) {
  return (in.op == Opcode::kAtg || in.op == Opcode::kAts) && in.atomic_op() != AtomicOp::kExchange;
}
// Floats have no bits to combine.
inline bool HasFloatForm(AtomicOp op) {
  return op <= AtomicOp::kMax || op == AtomicOp::kExchange;
}
inline bool IsLoad(Opcode op) {
  return op == Opcode::kLdg || op == Opcode::kLds || op == Opcode::kLdl;
}
inline bool IsStore(Opcode op) {
  return op == Opcode::kStg || op == Opcode::kSts || op == Opcode::kStl;
}
inline bool IsReduce(Opcode op) {
  return op >= Opcode::kReduceAdd && op <= Opcode::kReduceMul;
}
inline bool IsPool(Opcode op) {
  return op >= Opcode::kPoolAlloc && op <= Opcode::kPoolStore;
}
// It faults for a register that names no class.
inline bool TakesClass(Opcode op) {
  return op == Opcode::kMirror || op == Opcode::kNbrCount || op == Opcode::kNbrGet ||
         op == Opcode::kBoundMap || op == Opcode::kResAccum;
}
// It sees or changes what launches leave to each other: phase, resonance, class memory.
inline bool UsesStream(Opcode op) {
  return op == Opcode::kPhaseGet || op == Opcode::kPhaseAdv || op == Opcode::kResAccum ||
         op == Opcode::kUnityTest || IsPool(op);
}
inline bool IsPrint(Opcode op) {
  return op == Opcode::kPrint || op == Opcode::kPrintText || op == Opcode::kPrintEnd;
}
// Compiled code calls back for it, lane by lane.
inline bool IsServed(Opcode op) {
  return IsPrint(op) || op == Opcode::kResAccum || op == Opcode::kUnityTest || IsPool(op);
}
// It decides which instruction comes next.
inline bool IsJump(Opcode op) {
  return op >= Opcode::kBra && op <= Opcode::kExit;
}
inline bool HasTarget(Opcode op) {
  return op == Opcode::kBra || op == Opcode::kCall || op == Opcode::kLoop;
}
// All lanes of a block meet there.
inline bool IsBarrier(Opcode op) {
  return op == Opcode::kBarSync || op == Opcode::kBlkRed || op == Opcode::kBlkScan;
}

// The bytes of a TEXT or FORMAT operand, and back. REQUIRES: at most kMaxTextBytes, none is zero
std::string TextOf(uint64_t imm);
uint64_t ImmediateOf(std::string_view text);

std::string_view NameOf(Condition condition);  // "lt"
std::string_view NameOf(AtomicOp op);          // "add"
std::string_view NameOf(BlockOp op);           // "add"
std::string_view NameOfBlockForm(int mod);     // "add", "wadd"
Opcode OpcodeOf(BlockOp op);                   // kAdd
// The bits that change no bit of what they are combined with: -0 for sums of floats, NaN for their
// minima and maxima. REQUIRES: the type has the operation.
uint64_t NeutralBits(BlockOp op, Type type);
std::string_view NameOf(Scope scope);  // "block"
std::string_view NameOf(Sreg sreg);    // "lane.x"

}  // namespace hologram::isa
