// The manual of the instruction set, derived from instructions.def: `hologram isa` prints it, and
// docs/isa.md is IsaMarkdown() (a test compares them; scripts/bless updates the file).
#pragma once

#include <string>

namespace hologram::isa {

std::string IsaMarkdown();
// {"instructions":[{"opcode":0,"mnemonic":"ldg","name":"Ldg","form":"...","types":[...],"operands":[...],"summary":"..."}]}
std::string IsaJson();

}  // namespace hologram::isa
