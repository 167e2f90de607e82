#include "verify/lane_numbers.h"

#include <algorithm>
#include <bit>

namespace hologram::verify {
namespace {

using isa::Condition;
using isa::Instruction;
using isa::Opcode;
using isa::Sreg;
using isa::Type;

// The low bits of a number as a type has them.
uint64_t Extended(Type type, uint64_t number) {
  const uint32_t unused = 64 - isa::BitsOf(type);
  if (isa::IsSignedInteger(type)) {
    return static_cast<uint64_t>(static_cast<int64_t>(number << unused) >> unused);
  }
  return number << unused >> unused;
}

bool Less(Type type, uint64_t a, uint64_t b) {
  return isa::IsSignedInteger(type) ? static_cast<int64_t>(a) < static_cast<int64_t>(b) : a < b;
}

bool Holds(Condition condition, Type type, uint64_t a, uint64_t b) {
  switch (condition) {
    case Condition::kEq:
      return a == b;
    case Condition::kNe:
      return a != b;
    case Condition::kLt:
      return Less(type, a, b);
    case Condition::kLe:
      return !Less(type, b, a);
    case Condition::kGt:
      return Less(type, b, a);
    case Condition::kGe:
      return !Less(type, a, b);
  }
  return false;
}

// Empty: division by zero.
std::optional<uint64_t> Divide(Type type, uint64_t a, uint64_t b, bool remainder) {
  if (b == 0) return std::nullopt;
  if (!isa::IsSignedInteger(type)) return remainder ? a % b : a / b;
  const auto x = static_cast<int64_t>(a);
  const auto y = static_cast<int64_t>(b);
  if (y == -1) return remainder ? 0 : 0 - a;
  return static_cast<uint64_t>(remainder ? x % y : x / y);
}

struct Operation {
  Opcode op;
  uint64_t (*result)(Type type, uint64_t a, uint64_t b, uint64_t c);
};

uint64_t Shifted(Type type, uint64_t a, uint64_t count) {
  if (!isa::IsSignedInteger(type)) return a >> (count % isa::BitsOf(type));
  return static_cast<uint64_t>(static_cast<int64_t>(a) >> (count % isa::BitsOf(type)));
}

uint64_t OnesOf(Type type, uint64_t a) {
  return static_cast<uint64_t>(std::popcount(a << (64 - isa::BitsOf(type))));
}

// Those that follow from numbers; the result is cut to its type.
constexpr Operation kOperations[] = {
    {Opcode::kMov, [](Type, uint64_t a, uint64_t, uint64_t) { return a; }},
    {Opcode::kAdd, [](Type, uint64_t a, uint64_t b, uint64_t) { return a + b; }},
    {Opcode::kSub, [](Type, uint64_t a, uint64_t b, uint64_t) { return a - b; }},
    {Opcode::kMul, [](Type, uint64_t a, uint64_t b, uint64_t) { return a * b; }},
    {Opcode::kMad, [](Type, uint64_t a, uint64_t b, uint64_t c) { return a * b + c; }},
    {Opcode::kMin, [](Type t, uint64_t a, uint64_t b, uint64_t) { return Less(t, a, b) ? a : b; }},
    {Opcode::kMax, [](Type t, uint64_t a, uint64_t b, uint64_t) { return Less(t, b, a) ? a : b; }},
    {Opcode::kAbs,
     [](Type t, uint64_t a, uint64_t, uint64_t) { return Less(t, a, 0) ? 0 - a : a; }},
    {Opcode::kNeg, [](Type, uint64_t a, uint64_t, uint64_t) { return 0 - a; }},
    {Opcode::kAnd, [](Type, uint64_t a, uint64_t b, uint64_t) { return a & b; }},
    {Opcode::kOr, [](Type, uint64_t a, uint64_t b, uint64_t) { return a | b; }},
    {Opcode::kXor, [](Type, uint64_t a, uint64_t b, uint64_t) { return a ^ b; }},
    {Opcode::kNot, [](Type, uint64_t a, uint64_t, uint64_t) { return ~a; }},
    {Opcode::kShl,
     [](Type t, uint64_t a, uint64_t b, uint64_t) { return a << (b % isa::BitsOf(t)); }},
    {Opcode::kShr, [](Type t, uint64_t a, uint64_t b, uint64_t) { return Shifted(t, a, b); }},
    {Opcode::kPopc, [](Type t, uint64_t a, uint64_t, uint64_t) { return OnesOf(t, a); }},
};

// Empty: not computed here. REQUIRES: an integer type; what is not an operand is 0.
std::optional<uint64_t> Apply(const Instruction& in, uint64_t a, uint64_t b, uint64_t c) {
  if (in.op == Opcode::kMovImm) return in.imm;
  if (in.op == Opcode::kDiv || in.op == Opcode::kRem) {
    return Divide(in.type, a, b, in.op == Opcode::kRem);
  }
  if (in.op == Opcode::kCvt || in.op == Opcode::kBitcast) {
    return isa::IsInteger(in.source_type()) ? std::optional(a) : std::nullopt;
  }
  for (const Operation& operation : kOperations) {
    if (operation.op == in.op) return operation.result(in.type, a, b, c);
  }
  return std::nullopt;
}

bool HasPredicateResult(Opcode op) {
  return op == Opcode::kPand || op == Opcode::kPor || op == Opcode::kPxor || op == Opcode::kPnot;
}

uint64_t Combine(Opcode op, bool a, bool b) {
  if (op == Opcode::kPand) return a && b ? 1 : 0;
  if (op == Opcode::kPor) return a || b ? 1 : 0;
  if (op == Opcode::kPxor) return a != b ? 1 : 0;
  return a ? 0 : 1;
}

}  // namespace

LaneNumbers::LaneNumbers(const isa::Program& program, const Ssa& ssa, bool ids)
    : program_(program), ssa_(ssa), ids_(ids) {
  for (const uint32_t size : program.DefaultBlock()) num_lanes_ *= size;
}

void LaneNumbers::Enter(const PhiNumbers& phis) {
  phis_ = &phis;
  known_.clear();
}

std::optional<uint64_t> LaneNumbers::OneOf(ValueId v) {
  const Numbers& numbers = Of(v);
  return numbers.size() == 1 ? std::optional(numbers[0]) : std::nullopt;
}

const LaneNumbers::Numbers& LaneNumbers::Find(ValueId v, int depth) {
  const auto known = known_.find(v);
  if (known != known_.end()) return known->second;
  Numbers numbers;
  if (depth < kMaxDepth) numbers = Compute(v, depth + 1);
  work_ += 1 + numbers.size() / 16;
  return known_.emplace(v, std::move(numbers)).first->second;
}

LaneNumbers::Numbers LaneNumbers::Compute(ValueId v, int depth) {
  const Value& value = ssa_.values[v];
  switch (value.kind) {
    case ValueKind::kParameter:
      return {};
    case ValueKind::kSpecial:
      return OfSreg(isa::SpecialSreg(static_cast<uint8_t>(value.slot)));
    case ValueKind::kPhi: {
      const auto given = phis_->find(v);
      return given == phis_->end() ? Numbers{} : Numbers{given->second};
    }
    case ValueKind::kInstruction:
      return ComputeInstruction(value.place, depth);
  }
  return {};
}

LaneNumbers::Numbers LaneNumbers::OfSreg(Sreg sreg) {
  const auto size = program_.DefaultBlock();
  const auto d = static_cast<size_t>(sreg) % 3;
  switch (sreg) {
    case Sreg::kLaneX:
    case Sreg::kLaneY:
    case Sreg::kLaneZ: {
      if (!ids_) return {};
      Numbers numbers(num_lanes_);
      const uint32_t below = d == 0 ? 1 : d == 1 ? size[0] : size[0] * size[1];
      for (uint32_t lane = 0; lane < num_lanes_; ++lane) numbers[lane] = lane / below % size[d];
      return numbers;
    }
    case Sreg::kBlockDimX:
    case Sreg::kBlockDimY:
    case Sreg::kBlockDimZ:
      reads_size_ = true;
      return {size[d]};
    default:
      return {};
  }
}

LaneNumbers::Numbers LaneNumbers::ComputeInstruction(uint32_t pc, int depth) {
  const Instruction& in = program_.code[pc];
  if (in.op == Opcode::kReadSreg) return OfSreg(in.sreg());
  const bool logic = HasPredicateResult(in.op);
  if (!logic && !isa::IsInteger(in.type)) return {};
  // Numbers stay where they are while more are found.
  constexpr size_t kMaxOperands = 3;
  const Numbers* operands[kMaxOperands] = {};
  size_t count = 0;
  bool same = true;
  const auto read = [&](ValueId v) {
    if (v == kNone) return true;
    if (count == kMaxOperands) return false;
    const Numbers& numbers = Find(v, depth);
    if (numbers.empty()) return false;
    same &= numbers.size() == 1;
    operands[count++] = &numbers;
    return true;
  };
  for (const ValueId v : ssa_.predicate_reads[pc]) {
    if (!read(v)) return {};
  }
  for (const ValueId v : ssa_.reads[pc]) {
    if (!read(v)) return {};
  }
  const auto at = [&](size_t k, size_t lane) -> uint64_t {
    if (k >= count) return 0;
    return operands[k]->size() == 1 ? operands[k]->front() : (*operands[k])[lane];
  };
  Numbers numbers(same ? 1 : num_lanes_);
  for (size_t lane = 0; lane < numbers.size(); ++lane) {
    const uint64_t a = at(0, lane);
    const uint64_t b = at(1, lane);
    const uint64_t c = at(2, lane);
    if (logic) {
      numbers[lane] = Combine(in.op, a != 0, b != 0);
    } else if (in.op == Opcode::kSet) {
      numbers[lane] = Holds(in.condition(), in.type, a, b) ? 1 : 0;
    } else if (in.op == Opcode::kSel) {
      numbers[lane] = a != 0 ? b : c;
    } else {
      const auto result = Apply(in, a, b, c);
      if (!result) return {};
      numbers[lane] = Extended(in.type, *result);
    }
  }
  return numbers;
}

}  // namespace hologram::verify
