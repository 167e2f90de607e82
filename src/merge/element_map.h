// ElementMap: what a kernel that works element by element computes of each, without its ids: a
// graph of values over loads, with the places that these have among the elements. Tested by
// python/tests/test_merging.py.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hologram/native_abi.h"
#include "isa/program.h"
#include "verify/verified_program.h"

namespace hologram::merge {

// Where an element of an array is, for element number e.
struct Place {
  enum class Kind : uint8_t {
    kSame,      // e
    kModulo,    // e modulo `number`: rows, or planes, share it
    kQuotient,  // e divided by `number`: one for each row
    kOne,       // `number`
  };
  Kind kind = Kind::kSame;
  uint64_t number = 0;
  bool operator==(const Place&) const = default;
};

// One value: a load, or an operation on earlier ones.
struct Node {
  isa::Instruction instruction;    // its registers mean nothing
  std::vector<uint32_t> operands;  // nodes, in the order of its operands
  uint32_t parameter = 0;          // of a load
  Place place;
  uint32_t pc = 0;
  bool is_load() const { return instruction.op == isa::Opcode::kLdg; }
};

struct ElementStore {
  uint32_t parameter = 0;
  uint32_t node = 0;
  uint32_t pc = 0;
};

struct ElementMap {
  uint64_t elements = 0;
  std::vector<Node> nodes;           // only those that stores need
  std::vector<ElementStore> stores;  // each of all elements, in program order
};

// Nothing: the kernel is none in a launch of this shape, may divide by zero, or leaves elements
// out. REQUIRES: all parameters are buffers; the launch stays in its arrays
std::optional<ElementMap> FindElementMap(const verify::VerifiedProgram& program,
                                         const hologram_launch_shape& shape);

}  // namespace hologram::merge
