// Launch conditions of a program's proofs, as data: a small expression graph
// over launch-known values and a list of comparisons. Evaluated table-driven (exactly, in 128 bits)
// by launch::CheckLaunch and compiled into the kernel by the code generator; both read this.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "hologram/native_abi.h"

namespace hologram::verify {

enum class CheckOp : uint8_t {
  kConstant,  // value
  kScalar,    // integer scalar parameter number `value` (parameter index), by its type's sign
  kGridDim,   // grid[value]
  kBlockDim,  // block[value]
  kExtent,    // elements of the buffer that is parameter number `value`
  kIdLow,     // in a window alone (verify/reach.h): the least and the largest id in it; `value` is
  kIdHigh,    // 0 to 2 for block ids, 3 to 5 for global ones
  kAdd,
  kSub,
  kMul,
  kMin,
  kMax,       // of nodes lhs and rhs
  kFloorDiv,  // floor(lhs / rhs); rhs <= 0: the condition counts as failed
};

struct CheckNode {
  CheckOp op = CheckOp::kConstant;
  int64_t value = 0;
  uint32_t lhs = 0;  // indices of earlier nodes
  uint32_t rhs = 0;
  bool operator==(const CheckNode&) const = default;
};

enum class ConditionKind : uint8_t {
  kInBounds,  // a proved access stays inside its buffer or shared array
  kNoWrap,    // an intermediate of an index stays inside its type
  kRace,      // different lanes write different elements
};

// Holds if value(lhs) <= value(rhs), or if one of its `empty` ranges is empty: no lane gets there.
struct LaunchCondition {
  ConditionKind kind = ConditionKind::kInBounds;
  uint32_t lhs = 0;
  uint32_t rhs = 0;
  uint32_t pc = 0;    // the access or arithmetic instruction it is about
  uint32_t slot = 0;  // parameter number, for kInBounds on buffers and kRace
};

// Two buffer parameters, at least one written. They may be the same memory only if same_element.
struct AliasRule {
  uint32_t slot_a = 0;
  uint32_t slot_b = 0;
  // Every pair of accesses is at the same element, in launches where the scalar parameters of each
  // of the pairs are equal (strides of arrays with several dimensions): exact overlap is legal.
  bool same_element = false;
  bool needs_proof = false;  // ... and in which the conditions of the launch check hold
  std::vector<std::pair<uint32_t, uint32_t>> equal;
};

// Bound of a lane's rounds in a nest of loops that are proved to end: at most `constant`
// times the product of the nodes `factors`, each of which counts as 1 if it is less.
struct RoundsBound {
  uint32_t pc = 0;  // of the innermost loop
  uint64_t constant = 1;
  std::vector<uint32_t> factors;
  bool needs_proof = false;  // true only if the conditions of the launch check hold
};

// More rounds are refused unless the budget of a launch allows them.
inline constexpr uint64_t kMostRounds = uint64_t{1} << 32;

// Where no lane comes to an access, its range is empty: the upper bound is below the lower one, and
// every condition on it is written so that it holds then.
// A write that is free of races because the elements of a parameter are all different.
struct UniqueWrite {
  uint32_t pc = 0;
  uint32_t parameter = 0;
};

struct LaunchCheck {
  std::vector<CheckNode> nodes;
  std::vector<LaunchCondition> conditions;
  std::vector<AliasRule> aliases;
  std::vector<RoundsBound> rounds;         // those that may exceed kMostRounds
  std::vector<UniqueWrite> unique_writes;  // launch/unique.h looks at the elements
};

}  // namespace hologram::verify
