// Differences between the levels: lanes per vector, what vectors can do, and the LLVM machine.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "codegen/codegen.h"

namespace llvm {
class TargetMachine;
}

namespace hologram::codegen {

// Table sizes of register permutations: nothing, bytes among 64 of them (TBL), or 32-bit
// numbers among 8 or 16 of them (VPERMPS).
enum class Permutes { kNothing, kBytes, kEight, kSixteen };
// Stores past the caches: none, in the order of the others, or ordered by a fence only.
enum class Streams { kNothing, kOrdered, kFenced };

// A row of base/targets.def, and what vectors can do there.
struct Target : TargetInfo {
  unsigned width;      // lanes per vector; 1: one lane per thread (PTX)
  unsigned registers;  // vector registers, which bounds how many copies of a loop body pay
  bool fused;          // has a fused multiply-add instruction
  bool avx512;
  bool loads_under_mask;       // of 32 and 64 bits
  bool converts_f16;           // has instructions between f16 and f32
  bool chooses_by_comparison;  // its MIN and MAX are x < y ? x : y and x > y ? x : y
  Permutes permutes;
  bool is_aarch64;
  bool lane_per_thread;  // of a GPU: what a block shares, many threads change at once
  bool keeps_f16_nan;    // its conversion to f16 keeps a canonical NaN
  bool debug_tables;     // its assembler takes tables of lines; others only directives
  bool shares_divisors;  // vectors divide by products with the reciprocal of a shared divisor
  Streams streams;
  bool is_wasm;  // functions for a host, which calls them by name: no tables, no word that cancels
  bool relaxed_madd;  // its fused multiply-add is that instruction, on 128 bits
};

const Target& TargetOf(Level level);
// The same processor, for code that runs one lane after the other.
Target OneLaneOf(Target target);
inline bool IsWasm(Level level) {
  return InfoOf(level).family == Family::kWasm;
}
inline bool IsPtx(Level level) {
  return InfoOf(level).family == Family::kPtx;
}

// Initialises LLVM's targets on first use.
Result<std::unique_ptr<llvm::TargetMachine>> MakeMachine(const Target& target);

}  // namespace hologram::codegen
