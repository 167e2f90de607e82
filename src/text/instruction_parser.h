// One instruction of text -> isa::Instruction, by the operand kinds of instructions.def.
#pragma once

#include <optional>
#include <string>

#include "isa/instruction.h"
#include "text/cursor.h"

namespace hologram::text {

struct ParsedInstruction {
  isa::Instruction instruction;
  // The label that a branch names, to be resolved when the kernel is complete, and its place.
  std::string label;
  size_t label_position = 0;
  bool needs_index = false;  // [r1 + 8]: its index register is one that holds 0
};

// Takes the instruction up to the end of the line or its comment. Reports and returns nothing when
// there is an error.
std::optional<ParsedInstruction> ParseInstruction(Cursor& in);

}  // namespace hologram::text
