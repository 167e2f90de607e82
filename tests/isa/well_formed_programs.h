// Random well-formed programs, derived from the operand kinds of instructions.def: every
// instruction, type and field value that CheckWellFormed lets through, with names and source texts
// as hostile as they can be. They need not verify.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "isa/program.h"

namespace hologram::isa {

class WellFormedPrograms {
 public:
  explicit WellFormedPrograms(uint64_t seed) : engine_(seed) {}

  Program Next();
  uint64_t Bits() { return engine_(); }
  // 0 <= result < limit
  uint64_t Below(uint64_t limit) { return engine_() % limit; }
  bool Chance(int percent) { return Below(100) < static_cast<uint64_t>(percent); }
  // Identifiers, empty texts, and bytes of every kind.
  std::string Text();
  std::string Name();

 private:
  void MakeSignature(Program& program);
  void MakeDebug(Program& program);
  Instruction MakeInstruction(const Program& program);
  bool MakeOperand(const Program& program, const Operand& operand, Instruction& instruction);
  bool MakeArrayAddress(const std::vector<SharedArray>& arrays, Instruction& instruction);
  uint64_t Immediate(Type type);
  uint8_t Byte() { return static_cast<uint8_t>(Bits()); }

  std::mt19937_64 engine_;
};

}  // namespace hologram::isa
