// The functions of the kernel language: name, arity, and what each becomes. Tested by
// tests/frontend.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "isa/instruction.h"

namespace hologram::frontend {

enum class BuiltinKind : uint8_t {
  kId,           // get_global_id(d): `sreg` + d
  kBarrier,      // barrier()
  kUnique,       // unique(array)
  kShared,       // shared(dtype, n)
  kLocal,        // local(dtype, n)
  kCast,         // f32(x): to `type`
  kBoolCast,     // bool(x)
  kFloatMath,    // sqrt(x), atan2(y, x): `op` on one or two floats
  kAbs,          // abs(x)
  kMinMax,       // min(a, b): `op`
  kFma,          // fma(a, b, c)
  kSelect,       // select(condition, a, b)
  kAtomic,       // atomic_add(array, index, value): `atomic`
  kAtomicFirst,  // atomic_add_u32(array, value): element 0 of an array of `type`
  kAtomicSwap,   // atomic_cas(array, index, expected, desired)
  kBlockReduce,  // block_reduce_add(x), warp_scan_add(x): `op`, `block_op`, `of_warp`
  kLen,          // len(array)
  kBitcast,      // bitcast(u32, x)
  kPopc,         // popc(x)
  kUnsupported,  // known, but not in this version
};

struct Builtin {
  std::string name;
  BuiltinKind kind = BuiltinKind::kUnsupported;
  uint8_t min_arguments = 0;
  uint8_t max_arguments = 0;
  isa::Opcode op = isa::Opcode::kExit;
  isa::Sreg sreg = isa::Sreg::kLaneX;
  isa::AtomicOp atomic = isa::AtomicOp::kAdd;
  isa::BlockOp block_op = isa::BlockOp::kAdd;
  bool of_warp = false;  // kBlockReduce: of 32 lanes
  std::optional<isa::Type> type =
      std::nullopt;       // casts and atomics of one type; f32 for names like `expf`
  bool has_fast = false;  // takes fast=True
  std::string hint = "";  // kUnsupported: what to write instead
};

// nullptr if the language has no such function.
const Builtin* FindBuiltin(std::string_view name);

// The name of a function close to this one, or empty.
std::string NearestBuiltin(std::string_view name);

}  // namespace hologram::frontend
