// Registers of programs that are put together: renumbering, values that are known, and which are
// free at a place. Tested by python/tests/test_merging.py.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <span>

#include "isa/program.h"
#include "verify/verified_program.h"

namespace hologram::merge {

using RegisterMap = std::array<uint8_t, isa::kNumRegisters>;
RegisterMap Identity();

// Whether `imm` is the number of an instruction.
bool HasTarget(const isa::Instruction& in);

// Every register of code and debug lines by its new number.
void Renumber(isa::Program& program, const RegisterMap& to);

// The program for launches with these scalars: they are constants in front of its code, and the
// parameters are the buffers. Nothing: a parameter or an instruction cannot be renumbered.
// REQUIRES: as many scalars as it has
std::optional<isa::Program> WithScalars(const isa::Program& program,
                                        std::span<const uint64_t> scalars);

// The program without a parameter that no instruction names. REQUIRES: none describes a shape
void RemoveParameter(isa::Program& program, size_t parameter);

// The program with scalars in place of parameters that describe shapes, so that more may follow.
// Nothing: a parameter cannot be of another program.
std::optional<isa::Program> WithoutShapes(const isa::Program& program);

// How many buffers come before a parameter: the number of its operand, if it is one.
size_t BufferNumber(const isa::Program& program, size_t parameter);

// The parameter that arrives in a register; nothing: it is another register.
std::optional<size_t> ParameterOf(const isa::Program& program, uint8_t reg);

// Facts about the values of registers, by looking back from a place.
class Values {
 public:
  // Keeps both. `scalars` are those of the launch.
  Values(const verify::VerifiedProgram& program, std::span<const uint64_t> scalars);

  // The instruction whose result is in the register at `pc`, on every path; nothing: not known.
  std::optional<uint32_t> Definition(uint8_t reg, uint32_t pc) const;
  // Whether the register has the same value at both. REQUIRES: from <= to, in one block
  bool IsKept(uint8_t reg, uint32_t from, uint32_t to) const;
  std::optional<uint64_t> Constant(uint8_t reg, uint32_t pc) const;
  // Whether the value is a multiple of `factor` wherever no step to it wraps.
  bool IsMultiple(uint8_t reg, uint32_t pc, uint64_t factor) const;

 private:
  bool IsMultipleWithin(uint8_t reg, uint32_t pc, uint64_t factor, int depth) const;

  const verify::VerifiedProgram& program_;
  std::array<std::optional<uint64_t>, isa::kNumRegisters> scalars_;  // that nothing overwrites
  // The only instruction that writes the register; none: there are several, or it is a parameter.
  std::array<std::optional<uint32_t>, isa::kNumRegisters> only_;
};

// The registers that some path reads behind an instruction before it writes them.
struct Live {
  std::bitset<isa::kNumRegisters> registers;
  std::bitset<isa::kNumPredicates> predicates;
};
Live LiveBehind(const verify::VerifiedProgram& program, uint32_t pc);

}  // namespace hologram::merge
