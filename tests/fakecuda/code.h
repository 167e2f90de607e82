// PTX decoded for the machine: what computes is a step, a function over the lanes of a warp; what
// touches memory or moves lanes is done by the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ptx.h"

namespace fakecuda {

inline constexpr uint32_t kLanes = 32;
// Room of one register, for all lanes of a warp: 64 bits each. Narrower ones use the beginning.
inline constexpr uint32_t kSlot = kLanes * 8;

// Which lanes take part: all ones or 0 for each.
struct Mask {
  alignas(64) uint32_t on[kLanes] = {};
  uint32_t count = 0;
  bool full() const { return count == kLanes; }
};

struct Inst;
using Step = void (*)(const Inst& in, std::byte* frame, const Mask& mask);

enum class Kind : uint8_t {
  kStep,
  kLoad,
  kStore,
  kAtomic,
  kBranch,
  kReturn,
  kBarrier,
  kFence,
  kCall,
};
enum class Where : uint8_t { kGlobal, kShared, kLocal };
enum class Change : uint8_t { kAdd, kMin, kMax, kAnd, kOr, kXor, kExchange, kSwap };

struct Inst {
  Kind kind = Kind::kStep;
  Where where = Where::kGlobal;
  Change change = Change::kAdd;
  bool is_signed = false;
  bool negated = false;
  bool narrow = false;  // an address of 32 bits
  uint8_t size = 4;     // of an access, or of a register that is moved
  Step step = nullptr;
  uint32_t d = 0;  // slots, in bytes
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t c = 0;
  uint32_t guard = 0;   // of a branch; 0: always
  uint32_t target = 0;  // a piece; of a call, a function
  int64_t distance = 0;
  std::vector<uint32_t> arguments;  // slots
  uint32_t line = 0;
};

// A straight piece of code: only its last instruction moves lanes.
struct Piece {
  std::vector<Inst> code;
};

struct Code {
  std::string name;
  std::vector<PtxParameter> parameters;
  std::vector<uint32_t> parameter_slots;  // what LD.PARAM reads
  uint32_t result_slot = 0;
  uint32_t slots = 0;  // of a frame
  // Numbers that are in each frame, and the ids of lanes: by slot.
  std::map<uint32_t, uint64_t> constants;
  std::map<uint32_t, std::string> ids;
  std::vector<Piece> pieces;
  uint32_t shared_bytes = 0;
  uint32_t local_bytes = 0;
};

struct Program {
  std::vector<Code> functions;  // the kernel is the last one
  const Code& kernel() const { return functions.back(); }
};

// `tables`: where they are. Throws PtxError.
Program Decode(const PtxModule& module, const std::map<std::string, uint64_t>& tables);

uint32_t SizeOfType(const std::string& type);

// The step of an instruction that computes; null: there is none of this name. (steps.cc)
Step FindStep(const std::vector<std::string>& op);
// FMA rounds twice from now on, as some devices do it: the probe has to find it.
void BreakFma();

}  // namespace fakecuda
