// Programs and their bytes: one program has one encoding, nothing else is accepted.
#include <gtest/gtest.h>

#include <set>

#include "isa/program.h"
#include "isa/well_formed_programs.h"

namespace hologram::isa {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kHeaderBytes = 48;

std::string FirstError(const Result<Program>& result) {
  return result.ok() ? "accepted" : result.errors()[0].message;
}

Program Saxpy() {
  Program program;
  program.name = "saxpy";
  program.source_file = "k.py";
  program.parameters = {{"a", false, Type::kF32, Direction::kIn},
                        {"x", true, Type::kF32, Direction::kIn},
                        {"y", true, Type::kF32, Direction::kInOut}};
  Instruction read;
  read.op = Opcode::kReadSreg;
  read.type = Type::kU32;
  read.mod = static_cast<uint8_t>(Sreg::kGlobalX);
  read.d = 4;
  Instruction load;
  load.op = Opcode::kLdg;
  load.type = Type::kF32;
  load.d = 5;
  load.a = 2;
  load.b = 4;
  load.mode = kIndexedMode;
  load.imm = 8;
  program.code = {read, load, Instruction{}};
  program.debug.resize(3);
  program.debug[1] = {12, 5, "x[i + 2]", {{"i", 4}}};
  return program;
}

TEST(Encode, TheBytesAreFixed) {
  const Bytes bytes = EncodeCode(Saxpy());
  const Bytes expected = {
      'H', 'G',  'I', 'S', 1, 0,  0, 0,                           // magic, version 1.0
      3,   0,    0,   0,   0, 0,  0, 0,                           // 3 parameters, no shared arrays
      3,   0,    0,   0,   0, 0,  0, 0,                           // 3 instructions, reserved
      0,   0x10, 0,   0,   0, 0,  0, 0,                           // feature of opcode 76
      0,   0,    0,   0,   0, 0,  0, 0,                           //
      0,   0,    0,   0,   0, 0,  0, 0,                           //
      0,   10,   0,   0,   1, 10, 0, 0, 1, 10, 2, 0,              // f32, f32[] in, f32[] inout
      0,   0,    0,   0,                                          // padding
      76,  6,    12,  4,   0, 0,  0, 0, 0, 0,  0, 0, 0, 0, 0, 0,  // sreg.u32 r4, global.x
      0,   10,   0,   5,   2, 4,  0, 4, 8, 0,  0, 0, 0, 0, 0, 0,  // ldg.f32 r5, [r2 + r4*4 + 8]
      29,  0,    0,   0,   0, 0,  0, 0, 0, 0,  0, 0, 0, 0, 0, 0,  // exit
  };
  EXPECT_EQ(bytes, expected);
}

TEST(Encode, DecodeIsTheInverseForRandomPrograms) {
  WellFormedPrograms random(1);
  std::set<Opcode> seen;
  size_t instructions = 0;
  while (instructions < 50'000) {
    const Program program = random.Next();
    ASSERT_TRUE(CheckWellFormed(program).ok());
    const Result<Program> decoded = DecodeProgram(EncodeCode(program), EncodeDebug(program));
    ASSERT_TRUE(decoded.ok()) << FirstError(decoded);
    ASSERT_EQ(decoded.value(), program);
    instructions += program.code.size();
    for (const Instruction& instruction : program.code) seen.insert(instruction.op);
  }
  EXPECT_EQ(seen.size(), AllOpcodes().size());
}

TEST(Encode, DebugInformationIsNotIdentity) {
  Program program = Saxpy();
  const Bytes code = EncodeCode(program);
  program.name = "other";
  program.parameters[0].name = "b";
  program.debug.clear();
  program.default_block = 64;
  EXPECT_EQ(EncodeCode(program), code);
  std::swap(program.parameters[0], program.parameters[1]);
  EXPECT_NE(EncodeCode(program), code);
}

TEST(Decode, WithoutDebugInformationThereAreNoNames) {
  const Result<Program> decoded = DecodeProgram(EncodeCode(Saxpy()), {});
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded.value().name, "");
  EXPECT_TRUE(decoded.value().debug.empty());
  EXPECT_EQ(decoded.value().code, Saxpy().code);
}

TEST(Decode, RefusesEveryTruncationAndExtension) {
  WellFormedPrograms random(2);
  for (int i = 0; i < 20; ++i) {
    const Program program = i == 0 ? Saxpy() : random.Next();
    const Bytes code = EncodeCode(program);
    const Bytes debug = EncodeDebug(program);
    for (size_t size = 0; size < code.size(); ++size) {
      ASSERT_FALSE(DecodeProgram(Bytes(code.begin(), code.begin() + long(size)), debug).ok());
    }
    for (size_t size = 1; size < debug.size(); ++size) {
      ASSERT_FALSE(DecodeProgram(code, Bytes(debug.begin(), debug.begin() + long(size))).ok());
    }
    Bytes longer = code;
    longer.push_back(0);
    EXPECT_FALSE(DecodeProgram(longer, debug).ok());
    longer = debug;
    longer.push_back(0);
    EXPECT_FALSE(DecodeProgram(code, longer).ok());
  }
}

void Mutate(WellFormedPrograms& random, Bytes& bytes) {
  for (uint64_t n = 1 + random.Below(4); n > 0 && !bytes.empty(); --n) {
    uint8_t& byte = bytes[random.Below(bytes.size())];
    byte = static_cast<uint8_t>(random.Chance(50) ? byte ^ (1u << random.Below(8)) : random.Bits());
  }
}

TEST(Decode, WhatIsAcceptedAfterAMutationEncodesToTheSameBytes) {
  WellFormedPrograms random(3);
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Program program = random.Next();
    Bytes code = EncodeCode(program);
    Bytes debug = EncodeDebug(program);
    Mutate(random, i % 2 == 0 ? code : debug);
    const Result<Program> decoded = DecodeProgram(code, debug);
    if (!decoded.ok()) continue;
    ++accepted;
    ASSERT_EQ(EncodeCode(decoded.value()), code);
    ASSERT_EQ(EncodeDebug(decoded.value()), debug);
  }
  EXPECT_GT(accepted, 1000);
}

std::string DecodeErrorAfter(size_t position, uint8_t value) {
  Bytes code = EncodeCode(Saxpy());
  code[position] = value;
  return FirstError(DecodeProgram(code, {}));
}

TEST(Decode, MessagesSayWhatIsWrong) {
  EXPECT_EQ(FirstError(DecodeProgram({}, {})), "program ends inside its header");
  EXPECT_EQ(DecodeErrorAfter(0, 'X'), "program does not begin with its magic number");
  EXPECT_EQ(DecodeErrorAfter(4, 2), "program has format version 2.0, this library reads 1.0");
  EXPECT_EQ(DecodeErrorAfter(23, 0x7f),
            "program promises 2130706432 local arrays, but only 52 bytes follow");
  EXPECT_EQ(DecodeErrorAfter(11, 1),
            "program promises 16777219 parameters, but only 64 bytes follow");
  EXPECT_EQ(DecodeErrorAfter(15, 0x7f),
            "program promises 2130706432 shared arrays, but only 52 bytes follow");
  EXPECT_EQ(DecodeErrorAfter(19, 0xff),
            "program promises 4278190083 instructions, but only 48 bytes follow");
  EXPECT_EQ(DecodeErrorAfter(47, 0x80),
            "program needs extension 255, which this library does not know");
  EXPECT_EQ(DecodeErrorAfter(24, 1), "feature bits of the program do not match its instructions");
  EXPECT_EQ(DecodeErrorAfter(kHeaderBytes + 1, 12),
            "parameter 0 has an unknown kind, type or direction");
  EXPECT_EQ(DecodeErrorAfter(kHeaderBytes + 2, 4),
            "parameter 0 has an unknown kind, type or direction");
  EXPECT_EQ(DecodeErrorAfter(kHeaderBytes + 13, 1), "padding before the instructions is not zero");
  EXPECT_EQ(DecodeErrorAfter(64 + 16 + 6, 1),
            "instruction 1: a field that ldg does not use is not zero");
  EXPECT_EQ(DecodeErrorAfter(64 + 16, 63), "instruction 1: unknown opcode 63");
}

// A file of 1 GiB would else become a program of many times that.
TEST(Decode, CountsHaveTheLimitsOfPrograms) {
  Program many = Saxpy();
  many.parameters.resize(kMaxParameters + 1);
  EXPECT_EQ(FirstError(DecodeProgram(EncodeCode(many), {})),
            "program has 65 parameters, the limit is 64");
  many = Saxpy();
  many.shared.resize(kMaxSharedArrays + 1);
  EXPECT_EQ(FirstError(DecodeProgram(EncodeCode(many), {})),
            "program has 17 shared arrays, the limit is 16");
  many = Saxpy();
  many.locals.resize(kMaxLocalArrays + 1);
  EXPECT_EQ(FirstError(DecodeProgram(EncodeCode(many), {})),
            "program has 17 local arrays, the limit is 16");
  many = Saxpy();
  many.code.resize(kMaxInstructions + 1);
  EXPECT_EQ(FirstError(DecodeProgram(EncodeCode(many), {})),
            "program has 65537 instructions, the limit is 65536");
  many = Saxpy();
  many.debug.resize(kMaxInstructions + 1);
  EXPECT_EQ(FirstError(DecodeProgram(EncodeCode(Saxpy()), EncodeDebug(many))),
            "program has 65537 debug lines, the limit is 65536");
  many = Saxpy();
  many.debug[0].variables.resize(kMaxDebugVariables + 1);
  EXPECT_EQ(FirstError(DecodeProgram(EncodeCode(Saxpy()), EncodeDebug(many))),
            "program has 25 debug variables of one line, the limit is 24");
  const Status status = CheckWellFormed(many);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.errors()[0].message,
            "program has 25 debug variables of one line, the limit is 24");
}

TEST(Decode, DebugInformationMustFitTheCode) {
  Program other = Saxpy();
  other.parameters.pop_back();
  EXPECT_EQ(FirstError(DecodeProgram(EncodeCode(Saxpy()), EncodeDebug(other))),
            "debug information names 2 parameters, the program has 3");
  other = Saxpy();
  other.debug.pop_back();
  EXPECT_EQ(FirstError(DecodeProgram(EncodeCode(Saxpy()), EncodeDebug(other))),
            "debug information has 2 lines for 3 instructions");
  other = Saxpy();
  other.default_block = 2000;
  EXPECT_EQ(FirstError(DecodeProgram(EncodeCode(Saxpy()), EncodeDebug(other))),
            "default block has 2000 lanes, allowed are 1 to 1024");
  other.default_block = 64;
  other.default_block_yz = {8, 4};
  EXPECT_EQ(FirstError(DecodeProgram(EncodeCode(Saxpy()), EncodeDebug(other))),
            "default block has 2048 lanes, allowed are 1 to 1024");
  Bytes debug = EncodeDebug(Saxpy());
  debug[9] |= 0x08;  // a y of 1, and a z
  debug[10] |= 0x40;
  EXPECT_EQ(FirstError(DecodeProgram(EncodeCode(Saxpy()), debug)),
            "the default block is not written as it should be");
}

}  // namespace
}  // namespace hologram::isa
