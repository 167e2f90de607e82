#include "launch/missing_lanes.h"

#include <algorithm>

#include "base/wide.h"
#include "isa/condition.h"
#include "isa/opcode_set.h"

namespace hologram::launch {
namespace {

using Int = __int128;
using isa::Instruction;
using isa::Opcode;
using isa::Sreg;
using isa::Type;

// Beyond every number that a kernel can mean; sums of two such still fit 128 bits.
constexpr Int kInfinity = static_cast<Int>(1) << 120;
constexpr Range kAnything = {-kInfinity, kInfinity};
// Joins of one block that keep exact bounds; later ones give up a bound that still moves.
constexpr uint32_t kExactJoins = 3;
// Instructions and values, over all questions: milliseconds, and a hundred times what kernels need.
constexpr uint64_t kMaxWork = uint64_t{1} << 22;

Range Clamped(Int low, Int high) {
  return {std::clamp(low, -kInfinity, kInfinity), std::clamp(high, -kInfinity, kInfinity)};
}

Int Product(Int a, Int b) {
  Int product = 0;
  if (ProductOverflows(a, b, product)) return (a < 0) == (b < 0) ? kInfinity : -kInfinity;
  return std::clamp(product, -kInfinity, kInfinity);
}

Range Multiply(const Range& a, const Range& b) {
  const Int corners[] = {Product(a.low, b.low), Product(a.low, b.high), Product(a.high, b.low),
                         Product(a.high, b.high)};
  return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
}

Range Hull(const Range& a, const Range& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Range OfType(Type type) {
  return isa::IsInteger(type) ? Range{isa::MinOf(type), isa::MaxOf(type)} : kAnything;
}

bool Fits(const Range& range, Type type) {
  const Range all = OfType(type);
  return all.low <= range.low && range.high <= all.high;
}

// Truncating division by a positive divisor; anything of the type otherwise.
Range Divide(const Range& a, const Range& b, Type type) {
  if (b.low <= 0) return OfType(type);
  const Int corners[] = {a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high};
  return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
}

Range Remainder(const Range& a, const Range& b, Type type) {
  if (b.low <= 0) return OfType(type);
  if (a.is_point() && b.is_point()) return {a.low % b.low, a.low % b.low};
  if (a.low >= 0 && a.high < b.low) return a;
  return {a.low < 0 ? std::max(a.low, 1 - b.high) : 0,
          a.high > 0 ? std::min(a.high, b.high - 1) : 0};
}

Range Bits(Opcode op, const Range& a, const Range& b, Type type) {
  if (a.low < 0 || b.low < 0) return OfType(type);
  if (a.is_point() && b.is_point()) {
    const Int value = op == Opcode::kAnd  ? a.low & b.low
                      : op == Opcode::kOr ? a.low | b.low
                                          : a.low ^ b.low;
    return {value, value};
  }
  if (op == Opcode::kAnd) return {0, std::min(a.high, b.high)};
  return OfType(type);
}

}  // namespace

LaneEvaluator::LaneEvaluator(const VerifiedProgram& program)
    : program_(program), code_(program.program().code), work_left_(kMaxWork) {
  for (const verify::LoopFact& loop : program.loops()) {
    for (uint32_t from : loop.back_edges) back_edges_.emplace_back(from, loop.header);
  }
  std::sort(back_edges_.begin(), back_edges_.end());
  int32_t scalars = 0;
  int32_t buffers = 0;
  for (const isa::Parameter& parameter : program.program().parameters) {
    scalar_of_.push_back(parameter.is_buffer ? -1 : scalars++);
    buffer_of_.push_back(parameter.is_buffer ? buffers++ : -1);
  }
  open_.resize(code_.size());
}

LaneAnswer LaneEvaluator::Ask(const LaneQuestion& question) {
  question_ = &question;
  LaneAnswer answer;
  do {
    opened_ = false;
    answer = {};
    answer.ways.resize(code_.size());
    if (!Run(question, answer)) {
      answer.works = answer.idles = true;
      break;
    }
  } while (opened_);
  return answer;
}

bool LaneEvaluator::Spend(uint64_t work) {
  work_left_ -= std::min(work, work_left_);
  return work_left_ != 0;
}

// False if the program is too long-winded to be followed.
bool LaneEvaluator::Run(const LaneQuestion& question, LaneAnswer& answer) {
  if (program_.blocks().empty()) return true;
  if (!Spend(program_.blocks().size() + code_.size() / 16)) return false;
  Start(question);
  while (!pending_.empty()) {
    const uint32_t block = pending_.back();
    pending_.pop_back();
    entries_[block].pending = false;
    const uint64_t length = program_.blocks()[block].end - program_.blocks()[block].begin;
    if (!Spend(length + 3 * program_.live_in()[block].size())) return false;
    if (!RunBlock(block, answer)) continue;
    const Instruction& last = code_[program_.blocks()[block].end - 1];
    const auto& successors = program_.blocks()[block].successors;
    uint8_t way = LaneAnswer::kTaken | LaneAnswer::kNotTaken;
    if (last.conditional()) {
      const uint32_t pc = program_.blocks()[block].end - 1;
      const Predicate& predicate = predicates_[last.a];
      if (predicate.strided && !open_[pc]) open_[pc] = opened_ = strides_ = true;
      if (!open_[pc] && predicate.truth == Truth::kTrue) way = LaneAnswer::kTaken;
      if (!open_[pc] && predicate.truth == Truth::kFalse) way = LaneAnswer::kNotTaken;
      answer.ways[pc] |= way;
    }
    for (size_t s = 0; s < successors.size(); ++s) {
      const bool both = !last.conditional() || successors.size() != 2;
      const uint8_t needed = s == 0 ? LaneAnswer::kTaken : LaneAnswer::kNotTaken;
      if (both || (way & needed) != 0) Leave(block, successors[s], answer);
    }
    if (successors.empty()) Leave(block, verify::kExitBlock, answer);
  }
  return true;
}

void LaneEvaluator::Start(const LaneQuestion& question) {
  const auto& parameters = program_.program().parameters;
  values_.fill(Value{kAnything});
  predicates_.fill({});
  for (size_t k = 0; k < parameters.size(); ++k) {
    Value& value = values_[isa::Program::RegisterOfParameter(k)];
    if (parameters[k].is_buffer || !isa::IsInteger(parameters[k].type)) continue;
    value = AnyOf(parameters[k].type);
    const auto scalar = static_cast<size_t>(scalar_of_[k]);
    if (question.any_launch) {
      value.at_most_scalar = scalar_of_[k];
      continue;
    }
    const uint32_t unused = 128 - isa::BitsOf(parameters[k].type);
    const auto shifted = static_cast<unsigned __int128>(question.scalars[scalar]) << unused;
    const Int number = isa::IsSignedInteger(parameters[k].type)
                           ? static_cast<Int>(shifted) >> unused
                           : static_cast<Int>(shifted >> unused);
    value.range = {number, number};
  }
  constexpr Sreg kSpecial[] = {Sreg::kLaneX, Sreg::kBlockX, Sreg::kBlockDimX, Sreg::kLinear};
  for (size_t i = 0; i < 4; ++i) values_[isa::kFirstSpecialRegister + i] = IdOrSize(kSpecial[i]);
  may_work_ = must_work_ = false;
  entries_.assign(program_.blocks().size(), {});
  pending_.clear();
  JoinInto(entries_[0], 0, false);
  pending_.push_back(0);
}

// Runs a block from its entry. False if the lane ends in it with a fault.
bool LaneEvaluator::RunBlock(uint32_t block, LaneAnswer& answer) {
  const Entry& entry = entries_[block];
  size_t v = 0;
  size_t p = 0;
  for (uint16_t live : program_.live_in()[block]) {
    if (live < isa::kNumRegisters) {
      values_[live] = entry.values[v++];
    } else {
      predicates_[live - isa::kNumRegisters] = entry.predicates[p++];
    }
  }
  may_work_ = entry.may_work;
  must_work_ = entry.must_work;
  for (uint32_t pc = program_.blocks()[block].begin; pc < program_.blocks()[block].end; ++pc) {
    if (code_[pc].op == Opcode::kTrap) {
      answer.may_trap |= MayTrap(code_[pc]);
      if (Traps(code_[pc])) return false;
    }
    if (isa::UsesStream(code_[pc].op) || isa::IsPrint(code_[pc].op)) may_work_ = must_work_ = true;
    if (isa::IsGlobalAccess(code_[pc].op)) {
      if (Overruns(pc)) {
        answer.overrun_pc = answer.overruns ? std::min(answer.overrun_pc, pc) : pc;
        answer.overruns = true;
        return false;
      }
      // A block of which no lane stores anything does nothing, whatever its lanes read.
      if (!isa::IsLoad(code_[pc].op)) may_work_ = must_work_ = true;
    }
    Execute(code_[pc]);
  }
  return true;
}

bool LaneEvaluator::MayTrap(const Instruction& in) const {
  return in.mod == 0 || predicates_[in.a].truth != Truth::kFalse || predicates_[in.a].strided;
}

bool LaneEvaluator::Traps(const Instruction& in) const {
  if (in.mod == 0) return true;
  const Predicate& predicate = predicates_[in.a];
  return predicate.truth == Truth::kTrue && !predicate.strided;
}

void LaneEvaluator::Leave(uint32_t block, uint32_t next, LaneAnswer& answer) {
  if (next == verify::kExitBlock) {
    answer.works |= may_work_;
    answer.idles |= !must_work_;
    return;
  }
  const bool back_edge =
      std::binary_search(back_edges_.begin(), back_edges_.end(), std::pair(block, next));
  Entry& entry = entries_[next];
  if (!JoinInto(entry, next, back_edge) || entry.pending) return;
  entry.pending = true;
  pending_.push_back(next);
}

// Adds the values at hand to what is known on entry of a block. True if that is news.
bool LaneEvaluator::JoinInto(Entry& entry, uint32_t next, bool back_edge) {
  const auto& live = program_.live_in()[next];
  const bool first = entry.visits++ == 0;
  bool changed = first || (may_work_ && !entry.may_work) || (!must_work_ && entry.must_work);
  entry.may_work |= may_work_;
  entry.must_work &= must_work_;
  size_t v = 0;
  size_t p = 0;
  for (uint16_t number : live) {
    if (number < isa::kNumRegisters) {
      const Value& from = values_[number];
      if (first) entry.values.push_back(from);
      Value& into = entry.values[v++];
      if (from == into) continue;
      const Value before = into;
      JoinValue(from, into, entry.visits, back_edge);
      changed |= before != into;
    } else {
      const Predicate& from = predicates_[number - isa::kNumRegisters];
      if (first) entry.predicates.push_back(from);
      Predicate& into = entry.predicates[p++];
      const Predicate joined = {from.truth == into.truth ? from.truth : Truth::kUnknown,
                                from.strided || into.strided};
      changed |= joined != into;
      into = joined;
    }
  }
  return changed;
}

void LaneEvaluator::JoinValue(const Value& from, Value& into, uint32_t visits,
                              bool back_edge) const {
  const Range before = into.range;
  into.range = Hull(from.range, before);
  if (visits > kExactJoins) {
    if (into.range.low != before.low) into.range.low = -kInfinity;
    if (into.range.high != before.high) into.range.high = kInfinity;
  }
  into.of_id |= from.of_id;
  into.strided |= from.strided;
  into.at_least_id &= from.at_least_id;
  if (into.at_most_scalar != from.at_most_scalar) into.at_most_scalar = -1;
  if (!back_edge || !into.of_id || from.range == before) return;
  const Int step = from.range.low - before.low;
  const bool known = step == from.range.high - before.high && !question_->any_launch;
  const Int lanes = static_cast<Int>(question_->lanes);
  if (known && step < lanes && -step < lanes) return;
  into.strided = true;
  into.range = kAnything;
}

void LaneEvaluator::Execute(const Instruction& in) {
  const isa::Uses uses = isa::UsesOf(in);
  if (uses.write) {
    const Value value = Compute(in);
    values_[uses.write->reg] = value;
    return;
  }
  const auto combine = [&](auto truth) {
    const Predicate& a = predicates_[in.a];
    const Predicate& b = predicates_[in.b];
    predicates_[in.d] = {truth(a.truth, b.truth), a.strided || b.strided};
  };
  const auto known = [](bool value) { return value ? Truth::kTrue : Truth::kFalse; };
  if (in.op == Opcode::kSet) {
    predicates_[in.d] = Compare(in);
  } else if (in.op == Opcode::kPand) {
    combine([](Truth a, Truth b) {
      return std::min(a, b) == Truth::kFalse ? Truth::kFalse : std::max(a, b);
    });
  } else if (in.op == Opcode::kPor) {
    combine([](Truth a, Truth b) {
      if (a == Truth::kTrue || b == Truth::kTrue) return Truth::kTrue;
      return std::max(a, b);
    });
  } else if (in.op == Opcode::kPxor) {
    combine([&](Truth a, Truth b) {
      return a == Truth::kUnknown || b == Truth::kUnknown ? Truth::kUnknown : known(a != b);
    });
  } else if (in.op == Opcode::kPnot) {
    const Predicate a = predicates_[in.a];
    predicates_[in.d] = {
        a.truth == Truth::kUnknown ? Truth::kUnknown : known(a.truth == Truth::kFalse), a.strided};
  } else if (in.op == Opcode::kUnityTest) {
    predicates_[in.d] = {Truth::kUnknown, false};
  }
}

LaneEvaluator::Value LaneEvaluator::AnyOf(Type type) const {
  Value value;
  value.range = OfType(type);
  return value;
}

LaneEvaluator::Value LaneEvaluator::Compute(const Instruction& in) const {
  if (in.op == Opcode::kMov) return values_[in.a];
  if (in.op == Opcode::kLoop) return AnyOf(Type::kU32);
  if (in.op == Opcode::kMovImm) {
    Value value = AnyOf(in.type);
    if (!isa::IsInteger(in.type)) return value;
    const uint32_t unused = 64 - isa::BitsOf(in.type);
    const uint64_t shifted = in.imm << unused;
    const Int number = isa::IsSignedInteger(in.type) ? Int{static_cast<int64_t>(shifted) >> unused}
                                                     : Int{shifted >> unused};
    value.range = {number, number};
    return value;
  }
  if (in.op == Opcode::kCvt) return Convert(in);
  if (in.op == Opcode::kSel) return Select(in);
  if (in.op == Opcode::kReadSreg) return IdOrSize(in.sreg());
  if (isa::IsOneOf(in.op, {Opcode::kAdd, Opcode::kSub, Opcode::kMul, Opcode::kMad, Opcode::kMin,
                           Opcode::kMax, Opcode::kAbs, Opcode::kNeg})) {
    return isa::IsInteger(in.type) ? Arithmetic(in) : AnyOf(in.type);
  }
  if (isa::IsOneOf(in.op, {Opcode::kDiv, Opcode::kRem, Opcode::kAnd, Opcode::kOr, Opcode::kXor,
                           Opcode::kShl, Opcode::kShr})) {
    return isa::IsInteger(in.type) ? Logic(in) : AnyOf(in.type);
  }
  // Loads, floats, mathematics, bits of floats: data.
  return AnyOf(in.type);
}

LaneEvaluator::Value LaneEvaluator::Arithmetic(const Instruction& in) const {
  const Value& a = values_[in.a];
  const bool unary = in.op == Opcode::kAbs || in.op == Opcode::kNeg;
  const Value& b = unary ? a : values_[in.b];
  Value value;
  value.of_id = a.of_id || b.of_id;
  value.strided = a.strided || b.strided;
  if (in.op == Opcode::kAdd) {
    value.range = Clamped(a.range.low + b.range.low, a.range.high + b.range.high);
    value.at_least_id = (a.at_least_id && b.range.low >= 0) || (b.at_least_id && a.range.low >= 0);
  } else if (in.op == Opcode::kSub) {
    value.range = Clamped(a.range.low - b.range.high, a.range.high - b.range.low);
    if (b.range.low >= 0) value.at_most_scalar = a.at_most_scalar;
  } else if (in.op == Opcode::kMul || in.op == Opcode::kMad) {
    value.range = Multiply(a.range, b.range);
    value.at_least_id = (a.at_least_id && b.range.low >= 1) || (b.at_least_id && a.range.low >= 1);
  } else if (in.op == Opcode::kMin) {
    value.range = {std::min(a.range.low, b.range.low), std::min(a.range.high, b.range.high)};
    value.at_least_id = a.at_least_id && b.at_least_id;
    value.at_most_scalar = a.at_most_scalar >= 0 ? a.at_most_scalar : b.at_most_scalar;
  } else if (in.op == Opcode::kMax) {
    value.range = {std::max(a.range.low, b.range.low), std::max(a.range.high, b.range.high)};
    value.at_least_id = a.at_least_id || b.at_least_id;
  } else if (in.op == Opcode::kNeg) {
    value.range = {-a.range.high, -a.range.low};
  } else {  // kAbs
    value.range = a.range.low >= 0 ? a.range : Range{0, std::max(-a.range.low, a.range.high)};
  }
  if (in.op != Opcode::kMad) return value;
  const Value& c = values_[in.c];
  value.of_id |= c.of_id;
  value.strided |= c.strided;
  value.at_least_id =
      (value.at_least_id && c.range.low >= 0) || (c.at_least_id && value.range.low >= 0);
  value.range = Clamped(value.range.low + c.range.low, value.range.high + c.range.high);
  return value;
}

LaneEvaluator::Value LaneEvaluator::Logic(const Instruction& in) const {
  const Value& a = values_[in.a];
  const Value& b = values_[in.b];
  Value value = AnyOf(in.type);
  value.of_id = a.of_id || b.of_id;
  value.strided = a.strided || b.strided;
  const Range count = {b.range.low % isa::BitsOf(in.type), b.range.low % isa::BitsOf(in.type)};
  const bool shifts = b.range.is_point() && b.range.low >= 0;
  if (in.op == Opcode::kDiv) {
    value.range = Divide(a.range, b.range, in.type);
    if (b.range.low >= 1) value.at_most_scalar = a.at_most_scalar;
  } else if (in.op == Opcode::kRem) {
    value.range = Remainder(a.range, b.range, in.type);
  } else if ((in.op == Opcode::kShl || in.op == Opcode::kShr) && !shifts) {
    // By an unknown number: anything.
  } else if (in.op == Opcode::kShl) {
    value.range = Multiply(a.range, {Int{1} << count.low, Int{1} << count.low});
    value.at_least_id = a.at_least_id;
  } else if (in.op == Opcode::kShr) {
    value.range = {a.range.low >> count.low, a.range.high >> count.low};
    if (a.range.low >= 0) value.at_most_scalar = a.at_most_scalar;
  } else {
    value.range = Bits(in.op, a.range, b.range, in.type);
  }
  return value;
}

LaneEvaluator::Value LaneEvaluator::Convert(const Instruction& in) const {
  if (!isa::IsInteger(in.type) || !isa::IsInteger(in.source_type())) return AnyOf(in.type);
  Value value = values_[in.a];
  // Of equal or larger size the number is kept, as if nothing wrapped; a smaller type takes part of
  // it on purpose.
  if (isa::SizeOf(in.type) >= isa::SizeOf(in.source_type()) || Fits(value.range, in.type)) {
    return value;
  }
  Value part = AnyOf(in.type);
  part.of_id = value.of_id;
  part.strided = value.strided;
  return part;
}

LaneEvaluator::Value LaneEvaluator::Select(const Instruction& in) const {
  const Predicate& predicate = predicates_[in.a];
  if (predicate.truth == Truth::kTrue) return values_[in.b];
  if (predicate.truth == Truth::kFalse) return values_[in.c];
  const Value& b = values_[in.b];
  Value value = values_[in.c];
  value.range = Hull(value.range, b.range);
  value.of_id |= b.of_id;
  value.strided |= b.strided || predicate.strided;
  value.at_least_id &= b.at_least_id;
  if (value.at_most_scalar != b.at_most_scalar) value.at_most_scalar = -1;
  return value;
}

LaneEvaluator::Value LaneEvaluator::IdOrSize(Sreg sreg) const {
  const size_t d = static_cast<size_t>(sreg) % 3;
  Value value = AnyOf(Type::kU32);
  value.of_id = sreg == Sreg::kLinear || sreg >= Sreg::kGlobalX ||
                (sreg >= Sreg::kBlockX && sreg <= Sreg::kBlockZ);
  value.at_least_id = sreg == Sreg::kLinear || sreg == Sreg::kGlobalX;
  if (question_->any_launch) return value;
  const Range& id = question_->ids[d];
  const Int size = question_->block[d];
  if (sreg == Sreg::kLinear) {
    const bool row = question_->ids[1] == Range{} && question_->ids[2] == Range{};
    value.range = row ? question_->ids[0] : OfType(Type::kU64);
  } else if (sreg >= Sreg::kGlobalX) {
    value.range = id;
  } else if (sreg >= Sreg::kGridDimX) {
    value.range = question_->grid[d];
  } else if (sreg >= Sreg::kBlockDimX) {
    value.range = {size, size};
  } else if (sreg >= Sreg::kBlockX) {
    value.range = {id.low / size, id.high / size};
  } else {
    value.range =
        id.low / size == id.high / size ? Range{id.low % size, id.high % size} : Range{0, size - 1};
  }
  return value;
}

LaneEvaluator::Predicate LaneEvaluator::Compare(const Instruction& in) {
  if (!isa::IsInteger(in.type)) return {};
  const Value& left = values_[in.a];
  const Value& right = values_[in.b];
  const Range& a = left.range;
  const Range& b = right.range;
  Predicate result;
  result.strided = left.strided || right.strided;
  if (question_->any_launch) result.truth = CompareBySize(in);
  if (result.truth != Truth::kUnknown) return result;
  const auto decide = [](bool always, bool never) {
    return always ? Truth::kTrue : never ? Truth::kFalse : Truth::kUnknown;
  };
  switch (in.condition()) {
    case isa::Condition::kEq:
      result.truth = decide(a.is_point() && a == b, a.high < b.low || b.high < a.low);
      break;
    case isa::Condition::kNe:
      result.truth = decide(a.high < b.low || b.high < a.low, a.is_point() && a == b);
      break;
    case isa::Condition::kLt:
      result.truth = decide(a.high < b.low, a.low >= b.high);
      break;
    case isa::Condition::kLe:
      result.truth = decide(a.high <= b.low, a.low > b.high);
      break;
    case isa::Condition::kGt:
      result.truth = decide(a.low > b.high, a.high <= b.low);
      break;
    case isa::Condition::kGe:
      result.truth = decide(a.low >= b.high, a.high < b.low);
      break;
  }
  return result;
}

// A comparison of something at least the id, which is at least the lanes of the launch, with
// something at most a scalar, which is noted in bounds_ as to be at most that.
LaneEvaluator::Truth LaneEvaluator::CompareBySize(const Instruction& in) {
  const Value* id = &values_[in.a];
  const Value* size = &values_[in.b];
  isa::Condition condition = in.condition();
  if (!id->at_least_id) {
    std::swap(id, size);
    condition = isa::Mirrored(condition);
  }
  if (!id->at_least_id || size->at_most_scalar < 0 || id->strided) return Truth::kUnknown;
  const bool strict = condition == isa::Condition::kLt || condition == isa::Condition::kGe;
  const SizeBound bound = {static_cast<uint32_t>(size->at_most_scalar), !strict};
  if (std::find(bounds_.begin(), bounds_.end(), bound) == bounds_.end()) bounds_.push_back(bound);
  const bool holds = condition == isa::Condition::kGe || condition == isa::Condition::kGt ||
                     condition == isa::Condition::kNe;
  return holds ? Truth::kTrue : Truth::kFalse;
}

// True if all lanes of the range index outside of the buffer.
bool LaneEvaluator::Overruns(uint32_t pc) const {
  const verify::AccessFact* access = program_.AccessAt(pc);
  if (access == nullptr || question_->any_length) return false;
  const isa::Parameter& parameter = program_.program().parameters[access->slot];
  const Instruction& in = code_[pc];
  const Value& index = values_[in.b];
  if (question_->any_launch) {
    return parameter.direction != isa::Direction::kIn && index.at_least_id &&
           in.displacement() >= 0;
  }
  const Int size = isa::SizeOf(in.type);
  const auto bytes =
      static_cast<Int>(question_->buffers[static_cast<size_t>(buffer_of_[access->slot])].bytes);
  const Range first = Clamped(index.range.low * size + in.displacement(),
                              index.range.high * size + in.displacement());
  return first.low + size > bytes || first.high < 0;
}

std::optional<std::vector<SizeBound>> DecidingBounds(const VerifiedProgram& program) {
  LaneEvaluator evaluator(program);
  LaneQuestion question;
  question.any_launch = true;
  if (evaluator.Ask(question).works) return std::nullopt;
  question.any_length = true;
  const LaneAnswer conditions = evaluator.Ask(question);
  if (conditions.works && conditions.idles) return std::nullopt;
  return evaluator.bounds();
}

}  // namespace hologram::launch
