// For analyses that know some instructions and assume the worst of all others. Engines switch over
// all instructions instead, so that a forgotten one does not compile.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "isa/instruction.h"

namespace hologram::isa {

inline bool IsOneOf(Opcode op, std::initializer_list<Opcode> set) {
  return std::find(set.begin(), set.end(), op) != set.end();
}

}  // namespace hologram::isa
