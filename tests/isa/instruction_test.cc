// What is derived from instructions.def, and the checks of single instructions.
#include "isa/instruction.h"

#include <gtest/gtest.h>

#include <set>

#include "isa/program.h"
#include "isa/well_formed_programs.h"

namespace hologram::isa {
namespace {

TEST(Instructions, TheTableIsInOpcodeOrderAndNamesAreUnique) {
  std::set<std::string_view> mnemonics;
  int last = -1;
  for (const OpcodeInfo& info : AllOpcodes()) {
    EXPECT_GT(static_cast<int>(info.op), last);
    last = static_cast<int>(info.op);
    EXPECT_TRUE(mnemonics.insert(info.mnemonic).second) << info.mnemonic;
    EXPECT_EQ(FindOpcode(static_cast<uint8_t>(info.op)), &info);
    EXPECT_FALSE(info.summary.empty());
  }
  EXPECT_EQ(FindOpcode(63), nullptr);
  EXPECT_EQ(FindOpcode(255), nullptr);
}

// No two operands of one instruction may live in one field of the word.
TEST(Instructions, OperandsDoNotShareFields) {
  for (const OpcodeInfo& info : AllOpcodes()) {
    std::multiset<std::string> used;
    for (const Operand& operand : info.operands) {
      switch (operand.kind) {
        case OperandKind::kGlobalAddress:
          used.insert({"a", "b", "imm", "mode"});
          break;
        case OperandKind::kSharedAddress:
        case OperandKind::kLocalAddress:
          used.insert({"a", "b", "mode"});
          break;
        case OperandKind::kCount:
        case OperandKind::kDelta:
        case OperandKind::kText:
        case OperandKind::kFormat:
        case OperandKind::kImmediate:
        case OperandKind::kTarget:
          used.insert("imm");
          break;
        case OperandKind::kCondition:
        case OperandKind::kSreg:
        case OperandKind::kAtomicOp:
        case OperandKind::kAccuracy:
        case OperandKind::kBarrierId:
        case OperandKind::kScope:
        case OperandKind::kBlockOp:
        case OperandKind::kNeighbour:
          used.insert("mod");
          break;
        case OperandKind::kSrcFrom:
        case OperandKind::kOptPred:
          used.insert("mod");
          [[fallthrough]];
        case OperandKind::kDst:
        case OperandKind::kSrc:
        case OperandKind::kShift:
        case OperandKind::kRun:
        case OperandKind::kCounter:
        case OperandKind::kByte:
        case OperandKind::kWord:
        case OperandKind::kPredDst:
        case OperandKind::kPredSrc:
          used.insert(operand.field == Field::kMod
                          ? std::string("mod")
                          : std::string(1, "0dabc"[static_cast<int>(operand.field)]));
          break;
      }
    }
    EXPECT_EQ(used.size(), std::set<std::string>(used.begin(), used.end()).size()) << info.mnemonic;
    EXPECT_EQ(used.count("0"), 0u) << info.mnemonic;
  }
}

TEST(Instructions, UsesListReadsAndWrites) {
  Instruction atomic;
  atomic.op = Opcode::kAtg;
  atomic.type = Type::kU32;
  atomic.d = 1;
  atomic.a = 2;
  atomic.b = 3;
  atomic.c = 4;
  const Uses uses = UsesOf(atomic);
  ASSERT_EQ(uses.num_reads, 3);
  EXPECT_EQ(uses.reads[0], (RegisterUse{2, Type::kU64}));
  EXPECT_EQ(uses.reads[1], (RegisterUse{3, std::nullopt}));
  EXPECT_EQ(uses.reads[2], (RegisterUse{4, Type::kU32}));
  EXPECT_EQ(uses.write, (RegisterUse{1, Type::kU32}));
  EXPECT_EQ(uses.num_predicate_reads, 0);
}

TEST(WellFormed, RefusesFieldsThatAreNotUsed) {
  WellFormedPrograms random(21);
  for (int i = 0; i < 500; ++i) {
    Program program = random.Next();
    if (program.code.empty()) continue;
    Instruction& instruction = program.code[random.Below(program.code.size())];
    const Instruction original = instruction;
    std::set<Field> used;
    for (const Operand& operand : InfoOf(original.op).operands) {
      used.insert(operand.field);
      if (IsAccess(original.op)) used.insert({Field::kA, Field::kB});
    }
    for (Field field : {Field::kA, Field::kB, Field::kC, Field::kD}) {
      if (used.count(field) != 0) continue;
      instruction = original;
      SetField(instruction, field, 1);
      ASSERT_FALSE(CheckWellFormed(program).ok());
    }
  }
}

std::string ErrorOf(const Instruction& instruction) {
  Program program;
  program.code = {instruction};
  const Status status = CheckWellFormed(program);
  return status.ok() ? "accepted" : status.errors()[0].message;
}

TEST(WellFormed, NamesAreText) {
  Program program;
  Instruction exit;
  exit.op = Opcode::kExit;
  program.code = {exit};
  const auto error = [&] {
    const Status status = CheckWellFormed(program);
    return status.ok() ? "accepted" : status.errors()[0].message;
  };
  program.name =
      "gr\xc3\xb6\xc3\x9f"
      "e 2";
  EXPECT_EQ(error(), "accepted");
  program.name = "\x1b[31m";
  EXPECT_EQ(error(), "the name of the program is no text without control characters: '\\x1b[31m'");
  program.name = "k";
  program.parameters.push_back({});
  program.parameters[0].name = std::string("a\0b", 3);
  EXPECT_EQ(error(), "the name of a parameter is no text without control characters: 'a\\x00b'");
  program.parameters.clear();
  program.locals.push_back({});
  program.locals[0].name = "\xff";
  EXPECT_EQ(error(), "the name of a local array is no text without control characters: '\\xff'");
  program.locals.clear();
  program.debug = {{1, 1, "x[i\t+ 1]", {}}};
  EXPECT_EQ(error(), "accepted");
  program.debug[0].text = "x[\x1b]2;title\a]";
  EXPECT_EQ(error(), "the debug information has text with control characters");
}

TEST(WellFormed, MessagesSayWhatIsWrong) {
  Instruction move;
  move.op = Opcode::kMovImm;
  move.type = Type::kI8;
  move.imm = 0x80;
  EXPECT_EQ(ErrorOf(move), "instruction 0: immediate does not fit type i8");
  move.imm = static_cast<uint64_t>(-128);
  EXPECT_EQ(ErrorOf(move), "accepted");
  move.type = static_cast<Type>(12);
  EXPECT_EQ(ErrorOf(move), "instruction 0: unknown type 12");

  Instruction atomic;
  atomic.op = Opcode::kAtgFloat;
  atomic.type = Type::kF32;
  atomic.mode = kIndexedMode;
  atomic.mod = static_cast<uint8_t>(AtomicOp::kXor);
  EXPECT_EQ(ErrorOf(atomic), "instruction 0: xor has no form for floats");
  atomic.type = Type::kI32;
  EXPECT_EQ(ErrorOf(atomic), "instruction 0: atgf has no form for type i32");
  atomic.op = Opcode::kAtgCas;
  atomic.type = Type::kU16;
  EXPECT_EQ(ErrorOf(atomic), "instruction 0: atg.cas has no form for type u16");

  Instruction sreg;
  sreg.op = Opcode::kReadSreg;
  sreg.type = Type::kU64;
  sreg.mod = 200;
  EXPECT_EQ(ErrorOf(sreg), "instruction 0: special register 200 does not exist");

  Instruction branch;
  branch.op = Opcode::kBra;
  branch.imm = 2;
  EXPECT_EQ(ErrorOf(branch), "instruction 0: branch target 2 is past the end (1 instructions)");
  branch.imm = 1;
  EXPECT_EQ(ErrorOf(branch), "accepted");
  branch.a = 3;
  EXPECT_EQ(ErrorOf(branch), "instruction 0: an unconditional branch names a predicate");
  branch.mod = 1;
  branch.a = 16;
  EXPECT_EQ(ErrorOf(branch), "instruction 0: predicate p16 does not exist");

  Instruction load;
  load.op = Opcode::kLdg;
  load.type = Type::kF32;
  EXPECT_EQ(ErrorOf(load), "instruction 0: address mode 0 is not supported");
  load.mode = kIndexedMode;
  load.imm = 2;
  EXPECT_EQ(ErrorOf(load), "instruction 0: displacement is no multiple of the element size");
}

}  // namespace
}  // namespace hologram::isa
