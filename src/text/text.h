// The text form of programs (.hasm): assembler and disassembler. Assemble(Disassemble(p)) == p, and
// Disassemble(Assemble(t)) is the canonical form of t.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "isa/program.h"

namespace hologram::text {

// One file may hold several programs. Collects all errors, each with line and column.
Result<std::vector<isa::Program>> Assemble(std::string_view source, const std::string& file);
std::string Disassemble(const isa::Program& program);
// One instruction without its line of context: "add.f32 r2, r0, r1".
std::string ToString(const isa::Instruction& instruction);

}  // namespace hologram::text
