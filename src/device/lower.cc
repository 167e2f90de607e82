#include "device/lower.h"

#include <algorithm>
#include <limits>

#include "device/math.h"
#include "device/memory.h"
#include "device/reductions.h"
#include "device/state.h"
#include "isa/atlas.h"
#include "isa/half.h"
#include "math/functions.h"

namespace hologram::device {

using isa::Opcode;
using isa::Sreg;
using verify::kExitBlock;

namespace {

// How often a lane waits at the end of the blocks of the program.
uint32_t CountPlaces(const Facts& facts) {
  uint32_t count = 0;
  for (const uint32_t b : facts.cfg.order) {
    const Opcode op = facts.program().code[facts.cfg.blocks[b].end - 1].op;
    if (op == Opcode::kBarSync) ++count;
    if (op == Opcode::kBlkRed || op == Opcode::kBlkScan) count += Reductions::kPlaces;
  }
  return count;
}

// The parameters of the kernel, and what they are.
class ParameterList {
 public:
  ParameterList(Builder& builder, const Facts& facts, bool coarsens)
      : b_(builder), facts_(facts), coarsens_(coarsens) {}

  Parameters Make(std::vector<Argument>& arguments) {
    using Kind = Argument::Kind;
    const std::vector<isa::Parameter>& parameters = facts_.program().parameters;
    const std::vector<bool> compared = Compared();
    Parameters made;
    made.buffers.resize(parameters.size());
    made.extents.resize(parameters.size());
    made.scalars.resize(parameters.size());
    for (uint32_t k = 0; k < parameters.size(); ++k) {
      const Scalar type = ScalarOf(parameters[k].type);
      if (!parameters[k].is_buffer) {
        made.scalars[k] = b_.ScalarParameter(type);
        arguments.push_back({Kind::kScalar, k});
        continue;
      }
      made.buffers[k] = b_.BufferParameter(type);
      arguments.push_back({Kind::kBuffer, k});
      if (!compared[k]) continue;
      made.extents[k] = b_.ScalarParameter(Scalar::kI64);
      arguments.push_back({Kind::kExtent, k});
    }
    const auto add = [&](bool wanted, Kind kind, Scalar type) -> Value {
      if (!wanted) return 0;
      arguments.push_back({kind, 0});
      return b_.ScalarParameter(type);
    };
    made.budget = add(facts_.counts_budget, Kind::kBudget, Scalar::kI64);
    made.rounds = add(facts_.counts_rounds, Kind::kRounds, Scalar::kI64);
    made.class_base = add(Uses(Opcode::kClsGet), Kind::kClassBase, Scalar::kI32);
    made.blocks = add(coarsens_, Kind::kBlocks, Scalar::kI32);
    made.together = add(coarsens_, Kind::kTogether, Scalar::kI32);
    if (facts_.may_fault) {
      arguments.push_back({Kind::kFault, 0});
      made.fault = b_.BufferParameter(Scalar::kI32);
    }
    return made;
  }

 private:
  bool Uses(Opcode op) const {
    const std::vector<isa::Instruction>& code = facts_.program().code;
    return std::any_of(code.begin(), code.end(),
                       [=](const isa::Instruction& in) { return in.op == op; });
  }

  // By parameter: an index of it is compared with its length.
  std::vector<bool> Compared() const {
    std::vector<bool> compared(facts_.program().parameters.size(), false);
    for (const verify::AccessFact& fact : facts_.verified.accesses()) {
      if (fact.global() && fact.tier == verify::Tier::kGuarded) compared[fact.slot] = true;
    }
    return compared;
  }

  Builder& b_;
  const Facts& facts_;
  const bool coarsens_;
};

// A sum, minimum, maximum or product of no register.
uint64_t EmptyFold(Opcode step, isa::Type type) {
  const bool is_float = isa::IsFloat(type);
  if (step == Opcode::kAdd) return 0;
  if (step == Opcode::kMul) return is_float ? isa::FloatBits(1, type) : 1;
  const bool min = step == Opcode::kMin;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (is_float) return isa::FloatBits(min ? kInfinity : -kInfinity, type);
  return static_cast<uint64_t>(min ? isa::MaxOf(type) : isa::MinOf(type));
}

class Kernel {
 public:
  Kernel(Builder& builder, Division division, const Facts& facts, const Parameters& parameters)
      : b_(builder),
        facts_(facts),
        parameters_(parameters),
        arithmetic_(builder, division),
        functions_(arithmetic_),
        registers_(builder, facts),
        barriers_(builder, facts, CountPlaces(facts)),
        faults_(builder, barriers_, parameters),
        memory_(arithmetic_, facts, registers_, faults_, parameters),
        reductions_(arithmetic_, facts, registers_, barriers_) {}

  void Emit() {
    Start();
    if (parameters_.together != 0) return EmitCoarsened();
    for (uint32_t b = 0; b < facts_.cfg.num_blocks(); ++b) labels_.push_back(b_.NewBlock());
    barriers_.Enter(labels_[0]);
    for (const uint32_t b : facts_.cfg.order) EmitBlock(b);
    faults_.End();
    barriers_.End();
    registers_.End();
  }

 private:
  const isa::Instruction& At(uint32_t pc) const { return facts_.program().code[pc]; }
  Value Number(uint64_t value) { return b_.Constant(Scalar::kI32, value); }
  Value Wide(Value value) { return b_.Emit(Cast::kZeroExtend, value, Scalar::kI64); }

  // ---- The start of the kernel
  std::array<bool, isa::kNumSregs> WantedIds() const;
  Value ReadId(Sreg sreg);
  Value LinearLane();
  void Start();

  // ---- Several lanes of the program in one of the device
  void UseCopy(size_t copy, Value block);
  Value GoesOn(size_t place);
  void EmitTogether(Value first, Label otherwise);
  void EmitAlone(Value first);
  void EmitCoarsened();

  // ---- Control flow
  void EmitBlock(uint32_t block);
  void EmitEnd(uint32_t block);
  void Go(uint32_t from, uint32_t to);
  Label Edge(uint32_t from, uint32_t to);
  void CountEdge(Facts::Count count);

  // ---- Instructions
  void EmitInstruction(uint32_t pc);
  void EmitComputed(uint32_t pc);
  void EmitDivision(uint32_t pc);
  void EmitReduce(uint32_t pc);
  bool EmitEndOfRange(uint32_t pc);
  void EmitPredicate(uint32_t pc, Binary op);
  void EmitFence(const isa::Instruction& in);
  void EmitTrap(uint32_t pc);
  void EmitClass(uint32_t pc);
  Value NeighbourOf(Value c, uint32_t k);
  Value BoundMap(uint32_t pc);
  Value CheckedClass(uint32_t pc);
  std::vector<Value> Operands(uint32_t pc);
  void Write(uint32_t pc, Value value);

  Builder& b_;
  const Facts& facts_;
  const Parameters& parameters_;
  Arithmetic arithmetic_;
  MathFunctions functions_;
  Registers registers_;
  Barriers barriers_;
  Faults faults_;
  Memory memory_;
  Reductions reductions_;
  Ids ids_{};
  Value budget_taken_ = 0;
  Value rounds_taken_ = 0;
  Value loop_counter_ = 0;     // of a LOOP, before it
  std::vector<Label> labels_;  // by block
};

// ---- The start of the kernel

std::array<bool, isa::kNumSregs> Kernel::WantedIds() const {
  constexpr Sreg kSpecial[] = {Sreg::kLaneX, Sreg::kBlockX, Sreg::kBlockDimX, Sreg::kLinear};
  std::array<bool, isa::kNumSregs> wanted{};
  const auto want = [&](Sreg sreg) { wanted[static_cast<size_t>(sreg)] = true; };
  for (const uint32_t b : facts_.cfg.order) {
    const verify::BasicBlock& block = facts_.cfg.blocks[b];
    for (uint32_t pc = block.begin; pc < block.end; ++pc) {
      if (At(pc).op == Opcode::kReadSreg) want(At(pc).sreg());
      if (At(pc).op == Opcode::kClsGet) want(Sreg::kBlockX);
      facts_.cfg.uses[pc].ForEachRead([&](const isa::RegisterUse& use) {
        if (use.reg >= isa::kFirstSpecialRegister) {
          want(kSpecial[use.reg - isa::kFirstSpecialRegister]);
        }
      });
    }
  }
  return wanted;
}

// In the block, x first.
Value Kernel::LinearLane() {
  Value lane = b_.Read(Id::kLane, 2);
  for (unsigned d = 2; d-- > 0;) {
    Value rows = b_.Emit(Binary::kMul, lane, b_.Read(Id::kBlockDim, d));
    lane = b_.Emit(Binary::kAdd, rows, b_.Read(Id::kLane, d));
  }
  return lane;
}

Value Kernel::ReadId(Sreg sreg) {
  const auto k = static_cast<unsigned>(sreg);
  if (sreg < Sreg::kGlobalX) return b_.Read(static_cast<Id>(k / 3), k % 3);
  if (sreg != Sreg::kLinear) {
    const unsigned d = k % 3;
    Value block = b_.Read(Id::kBlock, d);
    Value before = b_.Emit(Binary::kMul, block, b_.Read(Id::kBlockDim, d));
    return b_.Emit(Binary::kAdd, before, b_.Read(Id::kLane, d));
  }
  Value block = Wide(b_.Read(Id::kBlock, 2));
  for (unsigned d = 2; d-- > 0;) {
    Value rows = b_.Emit(Binary::kMul, block, Wide(b_.Read(Id::kGridDim, d)));
    block = b_.Emit(Binary::kAdd, rows, Wide(b_.Read(Id::kBlock, d)));
  }
  Value lanes = b_.Emit(Binary::kMul, block, Wide(barriers_.lanes()));
  return b_.Emit(Binary::kAdd, lanes, Wide(barriers_.linear()));
}

void Kernel::Start() {
  static_assert(static_cast<int>(Sreg::kGlobalX) == 3 * kNumIds);
  const std::array<bool, isa::kNumSregs> wanted = WantedIds();
  const isa::Program& program = facts_.program();
  const bool blocks = facts_.verified.uses_barrier() || !program.shared.empty();
  if (blocks || wanted[static_cast<size_t>(Sreg::kLinear)]) {
    Value width = b_.Read(Id::kBlockDim, 0);
    Value area = b_.Emit(Binary::kMul, width, b_.Read(Id::kBlockDim, 1));
    Value lanes = b_.Emit(Binary::kMul, area, b_.Read(Id::kBlockDim, 2));
    barriers_.Start(LinearLane(), lanes);
  }
  for (size_t k = 0; k < isa::kNumSregs; ++k) {
    if (wanted[k]) ids_[k] = ReadId(static_cast<Sreg>(k));
  }
  constexpr Sreg kSpecial[] = {Sreg::kLaneX, Sreg::kBlockX, Sreg::kBlockDimX, Sreg::kLinear};
  for (uint32_t k = 0; k < 4; ++k) {
    registers_.SetSpecial(isa::kFirstSpecialRegister + k, ids_[static_cast<size_t>(kSpecial[k])]);
  }
  for (uint32_t k = 0; k < program.parameters.size(); ++k) {
    // A buffer is its number, for a program that looks at the handle.
    registers_.SetParameter(
        k, program.parameters[k].is_buffer ? b_.Constant(Scalar::kI64, k) : parameters_.scalars[k]);
  }
  const auto counter = [&](bool wanted_here) -> Value {
    if (!wanted_here) return 0;
    Value made = b_.Array(Space::kPrivate, Scalar::kI64, 1);
    b_.Store(made, b_.Constant(Scalar::kI64, 0));
    return made;
  };
  budget_taken_ = counter(facts_.counts_budget);
  rounds_taken_ = counter(facts_.counts_rounds);
  memory_.ClearLocal();
  reductions_.Start();
  if (!blocks) return;
  memory_.ClearShared(barriers_);
  b_.Barrier();
}

// ---- Several lanes of the program in one of the device

// What is emitted next is of the copy of registers that belongs to a lane of the block.
void Kernel::UseCopy(size_t copy, Value block) {
  registers_.Use(copy);
  const auto set = [&](Sreg sreg, Value id) {
    Value& known = ids_[static_cast<size_t>(sreg)];
    if (known != 0) known = id;
  };
  set(Sreg::kBlockX, block);
  set(Sreg::kGridDimX, parameters_.blocks);
  registers_.SetSpecial(isa::kFirstSpecialRegister + 1, ids_[static_cast<size_t>(Sreg::kBlockX)]);
  if (ids_[static_cast<size_t>(Sreg::kGlobalX)] == 0) return;
  Value before = b_.Emit(Binary::kMul, block, b_.Read(Id::kBlockDim, 0));
  set(Sreg::kGlobalX, b_.Emit(Binary::kAdd, before, b_.Read(Id::kLane, 0)));
}

// Of the copy in use, at the end of a block of the chain that is not the last: whether the lane
// goes to the next one. 0: it does.
Value Kernel::GoesOn(size_t place) {
  const verify::BasicBlock& range = facts_.cfg.blocks[facts_.chain[place]];
  if (range.successors.size() == 1) return 0;
  Value taken = registers_.ReadPredicate(range.end - 1, 0);
  if (range.successors[0] == facts_.chain[place + 1]) return taken;
  return b_.Emit(Unary::kNot, taken);
}

// Instruction by instruction for all lanes, if all of them come to the last block.
void Kernel::EmitTogether(Value first, Label otherwise) {
  std::vector<std::array<Value, isa::kNumSregs>> ids;
  for (size_t k = 0; k < kBlocksTogether; ++k) {
    UseCopy(k, b_.With(Binary::kAdd, first, k));
    ids.push_back(ids_);
  }
  const auto emit = [&](uint32_t block) {
    const verify::BasicBlock& range = facts_.cfg.blocks[block];
    for (uint32_t pc = range.begin; pc < range.end; ++pc) {
      for (size_t k = 0; k < kBlocksTogether; ++k) {
        registers_.Use(k);
        ids_ = ids[k];
        EmitInstruction(pc);
      }
    }
  };
  Value all = 0;
  for (size_t place = 0; place + 1 < facts_.chain.size(); ++place) {
    emit(facts_.chain[place]);
    for (size_t k = 0; k < kBlocksTogether; ++k) {
      registers_.Use(k);
      Value goes_on = GoesOn(place);
      if (goes_on != 0) all = all == 0 ? goes_on : b_.Emit(Binary::kAnd, all, goes_on);
    }
  }
  if (all != 0) {
    const Label body = b_.NewBlock();
    b_.Branch(all, body, otherwise);
    b_.Begin(body);
  }
  emit(facts_.chain.back());
  b_.Return();
}

// One lane after the other, as far as there are any.
void Kernel::EmitAlone(Value first) {
  Value left = b_.Emit(Binary::kSub, parameters_.blocks, first);
  Value fewer = b_.Emit(Compare::kULt, left, parameters_.together);
  Value count = b_.Select(fewer, left, parameters_.together);
  EmitLoop(b_, Number(0), Number(1), count, [&](Value i) {
    UseCopy(kBlocksTogether, b_.Emit(Binary::kAdd, first, i));
    const Label next = b_.NewBlock();
    for (size_t place = 0; place < facts_.chain.size(); ++place) {
      const verify::BasicBlock& range = facts_.cfg.blocks[facts_.chain[place]];
      for (uint32_t pc = range.begin; pc < range.end; ++pc) EmitInstruction(pc);
      Value goes_on = place + 1 < facts_.chain.size() ? GoesOn(place) : 0;
      if (goes_on == 0) continue;
      const Label further = b_.NewBlock();
      b_.Branch(goes_on, further, next);
      b_.Begin(further);
    }
    b_.Jump(next);
    b_.Begin(next);
  });
  b_.Return();
}

void Kernel::EmitCoarsened() {
  registers_.MakeCopies(kBlocksTogether + 1);
  Value first = b_.Emit(Binary::kMul, b_.Read(Id::kBlock, 0), parameters_.together);
  Value behind = b_.With(Binary::kAdd, first, kBlocksTogether);
  Value are_there = b_.Emit(Compare::kULe, behind, parameters_.blocks);
  Value wanted = b_.With(Compare::kEq, parameters_.together, kBlocksTogether);
  const Label together = b_.NewBlock();
  const Label alone = b_.NewBlock();
  b_.Branch(b_.Emit(Binary::kAnd, are_there, wanted), together, alone);
  b_.Begin(together);
  EmitTogether(first, alone);
  b_.Begin(alone);
  EmitAlone(first);
}

// ---- Control flow

void Kernel::EmitBlock(uint32_t block) {
  b_.Begin(labels_[block]);
  registers_.Begin(block);
  const verify::BasicBlock& range = facts_.cfg.blocks[block];
  for (uint32_t pc = range.begin; pc < range.end; ++pc) EmitInstruction(pc);
  EmitEnd(block);
}

// Counts, or faults, in the block that is being written.
void Kernel::CountEdge(Facts::Count count) {
  const bool budget = count == Facts::Count::kBudget;
  Value counter = budget ? budget_taken_ : rounds_taken_;
  Value taken = b_.Load(counter);
  faults_.If(b_.Emit(Compare::kUGe, taken, budget ? parameters_.budget : parameters_.rounds));
  b_.Store(counter, b_.Emit(Binary::kAdd, taken, b_.Constant(Scalar::kI64, 1)));
}

// From the block that is being written, which ends.
void Kernel::Go(uint32_t from, uint32_t to) {
  if (to == kExitBlock) return barriers_.Leave();
  const Facts::Count count = facts_.CountOf(from, to);
  if (count != Facts::Count::kNot) CountEdge(count);
  registers_.SetEdge(from, to);
  b_.Jump(labels_[to]);
}

// Where a branch goes to: the block itself, or one that counts, or ends the lane; that is written
// behind the branch.
Label Kernel::Edge(uint32_t from, uint32_t to) {
  if (to == kExitBlock || facts_.CountOf(from, to) != Facts::Count::kNot) return b_.NewBlock();
  registers_.SetEdge(from, to);
  return labels_[to];
}

void Kernel::EmitEnd(uint32_t block) {
  const verify::BasicBlock& range = facts_.cfg.blocks[block];
  const uint32_t pc = range.end - 1;
  const std::vector<uint32_t>& to = range.successors;
  if (to.empty() || At(pc).op == Opcode::kExit) return barriers_.Leave();
  if (to.size() == 1) return Go(block, to[0]);
  Value taken = 0;
  if (At(pc).op == Opcode::kLoop) {
    // The counter before the instruction is not the result that it has written.
    taken = b_.With(Compare::kNe, loop_counter_, 0);
  } else {
    taken = registers_.ReadPredicate(pc, 0);
  }
  const Label yes = Edge(block, to[0]);
  const Label no = Edge(block, to[1]);
  b_.Branch(taken, yes, no);
  for (const auto& [label, target] : {std::pair(yes, to[0]), std::pair(no, to[1])}) {
    if (target != kExitBlock && label == labels_[target]) continue;
    b_.Begin(label);
    Go(block, target);
  }
}

// ---- Instructions

std::vector<Value> Kernel::Operands(uint32_t pc) {
  const isa::Uses& uses = facts_.cfg.uses[pc];
  std::vector<Value> found(3, 0);
  for (size_t k = 0; k < static_cast<size_t>(uses.num_reads); ++k) {
    found[k] = registers_.Read(pc, k, *uses.reads[k].type);
  }
  return found;
}

void Kernel::Write(uint32_t pc, Value value) {
  registers_.Write(pc, facts_.WantsCanonical(pc) ? arithmetic_.Canonical(value) : value);
}

void Kernel::EmitComputed(uint32_t pc) {
  const std::vector<Value> x = Operands(pc);
  Write(pc, arithmetic_.Result(At(pc), x[0], x[1], x[2]));
}

void Kernel::EmitDivision(uint32_t pc) {
  const isa::Instruction& in = At(pc);
  if (isa::IsFloat(in.type)) return EmitComputed(pc);
  const std::vector<Value> x = Operands(pc);
  Value zero = arithmetic_.Like(x[1], 0);
  if (!facts_.verified.NeverFaults(pc)) faults_.If(b_.Emit(Compare::kEq, x[1], zero));
  Value divisor = x[1];
  const std::optional<uint64_t> number =
      facts_.ssa.built ? facts_.NumberIn(facts_.ssa.reads[pc][1]) : std::nullopt;
  const uint64_t minus_one = ~uint64_t{0} >> (64 - isa::BitsOf(in.type));
  const bool may_overflow = !number || (*number & minus_one) == minus_one;
  if (isa::IsSignedInteger(in.type) && may_overflow) {
    // MIN / 1 = MIN and MIN rem 1 = 0
    const uint64_t lowest = uint64_t{1} << (isa::BitsOf(in.type) - 1);
    Value is_lowest = b_.Emit(Compare::kEq, x[0], arithmetic_.Like(x[0], lowest));
    Value by_minus_one = b_.Emit(Compare::kEq, x[1], arithmetic_.Like(x[1], minus_one));
    Value overflow = b_.Emit(Binary::kAnd, is_lowest, by_minus_one);
    divisor = b_.Select(overflow, arithmetic_.Like(x[1], 1), x[1]);
  }
  registers_.Write(pc, arithmetic_.Result(in, x[0], divisor, 0));
}

// Registers, folded from the first; of none, what the operation starts with.
void Kernel::EmitReduce(uint32_t pc) {
  const isa::Instruction& in = At(pc);
  constexpr Opcode kSteps[] = {Opcode::kAdd, Opcode::kMin, Opcode::kMax, Opcode::kMul};
  const Opcode step = kSteps[static_cast<size_t>(in.op) - static_cast<size_t>(Opcode::kReduceAdd)];
  const std::vector<Value> run = registers_.ReadRun(pc);
  if (run.empty()) {
    return registers_.Write(pc, b_.Constant(ScalarOf(in.type), EmptyFold(step, in.type)));
  }
  Value folded = run[0];
  for (size_t k = 1; k < run.size(); ++k) {
    folded = arithmetic_.Combine(step, in.type, folded, run[k]);
  }
  // The smaller of one and the same: a NaN becomes canonical.
  if (isa::IsHalf(in.type) && run.size() == 1) {
    folded = arithmetic_.Combine(Opcode::kMin, in.type, folded, folded);
  }
  Write(pc, folded);
}

// The test of a loop whose rounds are known; false: it is another comparison.
bool Kernel::EmitEndOfRange(uint32_t pc) {
  const CountedLoop* const loop = facts_.CountedAt(facts_.cfg.block_of[pc]);
  if (loop == nullptr || loop->test != pc) return false;
  registers_.Write(pc, registers_.HasEnded(*loop));
  return true;
}

void Kernel::EmitPredicate(uint32_t pc, Binary op) {
  Value first = registers_.ReadPredicate(pc, 0);
  registers_.Write(pc, b_.Emit(op, first, registers_.ReadPredicate(pc, 1)));
}

void Kernel::EmitFence(const isa::Instruction& in) {
  if (in.scope() == isa::Scope::kThread) return;
  constexpr FenceScope kScopes[isa::kNumScopes] = {FenceScope::kBlock, FenceScope::kBlock,
                                                   FenceScope::kDevice, FenceScope::kSystem};
  b_.Fence(kScopes[in.mod]);
}

void Kernel::EmitTrap(uint32_t pc) {
  if (At(pc).mod == 1) return faults_.If(registers_.ReadPredicate(pc, 0));
  faults_.Always();
}

// ---- Classes

Value Kernel::CheckedClass(uint32_t pc) {
  Value c = registers_.Read(pc, 0, isa::Type::kU8);
  if (!facts_.verified.NeverFaults(pc)) {
    faults_.If(b_.Emit(Compare::kUGe, c, arithmetic_.Like(c, isa::kNumClasses)));
  }
  return c;
}

Value Kernel::BoundMap(uint32_t pc) {
  Value c = CheckedClass(pc);
  Value page = registers_.Read(pc, 1, isa::Type::kU8);
  if (!facts_.verified.NeverFaults(pc)) {
    faults_.If(b_.Emit(Compare::kUGe, page, arithmetic_.Like(page, isa::kPagesPerClass)));
  }
  const auto scaled = [&](Value v, uint64_t by) {
    return b_.Emit(Binary::kMul, Wide(v), b_.Constant(Scalar::kI64, by));
  };
  Value place = scaled(c, isa::kBytesPerClass);
  place = b_.Emit(Binary::kAdd, place, scaled(page, isa::kBytesPerPage));
  return b_.Emit(Binary::kAdd, place, Wide(registers_.Read(pc, 2, isa::Type::kU8)));
}

// The steps in ascending order: the one that comes after `k` others is taken.
Value Kernel::NeighbourOf(Value c, uint32_t k) {
  const auto number = [&](uint64_t value) { return arithmetic_.Like(c, value & 0xff); };
  Value t = b_.With(Binary::kURem, c, 3);
  Value count = number(0);
  Value found = number(isa::kNoNeighbour);
  for (const isa::NeighbourStep step : isa::kNeighbourSteps) {
    const bool up = step.distance > 0;
    Value present = 0;
    if (step.bit == 1) {
      present = up ? b_.With(Compare::kULt, t, 2) : b_.With(Compare::kUGt, t, 0);
    } else {
      Value rest = b_.With(Binary::kURem, c, uint64_t{step.bit} * 2);
      present = b_.Emit(up ? Compare::kULt : Compare::kUGe, rest, number(step.bit));
    }
    Value is_this = b_.With(Compare::kEq, count, k);
    is_this = b_.Emit(Binary::kAnd, is_this, present);
    Value there = b_.With(Binary::kAdd, c, static_cast<uint64_t>(step.distance));
    found = b_.Select(is_this, there, found);
    Value more = b_.With(Binary::kAdd, count, 1);
    count = b_.Select(present, more, count);
  }
  return found;
}

void Kernel::EmitClass(uint32_t pc) {
  const isa::Instruction& in = At(pc);
  if (in.op == Opcode::kClsGet) {
    Value block = Wide(ids_[static_cast<size_t>(Sreg::kBlockX)]);
    Value sum = b_.Emit(Binary::kAdd, block, Wide(parameters_.class_base));
    Value rest = b_.Emit(Binary::kURem, sum, b_.Constant(Scalar::kI64, isa::kNumClasses));
    return registers_.Write(pc, b_.Emit(Cast::kTruncate, rest, Scalar::kI8));
  }
  if (in.op == Opcode::kBoundMap) return registers_.Write(pc, BoundMap(pc));
  Value c = CheckedClass(pc);
  if (in.op == Opcode::kNbrGet) return registers_.Write(pc, NeighbourOf(c, in.mod));
  if (in.op == Opcode::kMirror) {
    Value rest = b_.With(Binary::kURem, c, 6);
    Value low = b_.With(Compare::kULt, rest, 3);
    Value above = b_.With(Binary::kAdd, c, 3);
    Value below = b_.With(Binary::kSub, c, 3);
    return registers_.Write(pc, b_.Select(low, above, below));
  }
  Value t = b_.With(Binary::kURem, c, 3);
  Value middle = b_.With(Compare::kEq, t, 1);
  Value six = Number(6);
  registers_.Write(pc, b_.Select(middle, six, Number(5)));
}

void Kernel::EmitInstruction(uint32_t pc) {
  const isa::Instruction& in = At(pc);
  switch (in.op) {
    case Opcode::kLdg:
    case Opcode::kStg:
    case Opcode::kLds:
    case Opcode::kSts:
    case Opcode::kLdl:
    case Opcode::kStl:
    case Opcode::kAtg:
    case Opcode::kAts:
    case Opcode::kAtgCas:
    case Opcode::kAtsCas:
    case Opcode::kAtgFloat:
    case Opcode::kAtsFloat:
      return memory_.Access(pc);
    case Opcode::kMov:
    case Opcode::kCvt:
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kMul:
    case Opcode::kMad:
    case Opcode::kFma:
    case Opcode::kMin:
    case Opcode::kMax:
    case Opcode::kAbs:
    case Opcode::kNeg:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kNot:
    case Opcode::kShl:
    case Opcode::kShr:
    case Opcode::kPopc:
    case Opcode::kSqrt:
    case Opcode::kFloor:
    case Opcode::kCeil:
    case Opcode::kTrunc:
    case Opcode::kRound:
    case Opcode::kBitcast:
      return EmitComputed(pc);
    case Opcode::kDiv:
    case Opcode::kRem:
      return EmitDivision(pc);
    case Opcode::kMovImm:
      return registers_.Write(pc, b_.Constant(ScalarOf(in.type), in.imm));
    case Opcode::kSet: {
      if (EmitEndOfRange(pc)) return;
      const std::vector<Value> x = Operands(pc);
      return registers_.Write(pc, arithmetic_.Compare(in.condition(), in.type, x[0], x[1]));
    }
    case Opcode::kSel: {
      const std::vector<Value> x = Operands(pc);
      return registers_.Write(pc, b_.Select(registers_.ReadPredicate(pc, 0), x[0], x[1]));
    }
    case Opcode::kLoop: {
      // What the branch at the end of the block looks at is the counter before.
      loop_counter_ = registers_.Read(pc, 0, isa::Type::kU32);
      Value more = b_.With(Compare::kNe, loop_counter_, 0);
      Value less = b_.With(Binary::kSub, loop_counter_, 1);
      return registers_.Write(pc, b_.Select(more, less, loop_counter_));
    }
    case Opcode::kBra:
    case Opcode::kExit:
      return;  // the end of the block
    case Opcode::kBarSync:
      barriers_.Sync();
      return registers_.Forget();
    case Opcode::kBlkRed:
    case Opcode::kBlkScan:
      return reductions_.Emit(pc);
    case Opcode::kMemFence:
      return EmitFence(in);
    case Opcode::kReduceAdd:
    case Opcode::kReduceMin:
    case Opcode::kReduceMax:
    case Opcode::kReduceMul:
      return EmitReduce(pc);
    case Opcode::kExp:
    case Opcode::kLog:
    case Opcode::kLog2:
    case Opcode::kLog10:
    case Opcode::kRsqrt:
    case Opcode::kSin:
    case Opcode::kCos:
    case Opcode::kTan:
    case Opcode::kTanh:
    case Opcode::kSigmoid:
    case Opcode::kErf:
    case Opcode::kPow:
    case Opcode::kExp2:
    case Opcode::kExpm1:
    case Opcode::kLog1p:
    case Opcode::kAtan2: {
      const std::vector<Value> x = Operands(pc);
      return registers_.Write(pc, functions_.Call(in, x[0], x[1]));
    }
    case Opcode::kPand:
      return EmitPredicate(pc, Binary::kAnd);
    case Opcode::kPor:
      return EmitPredicate(pc, Binary::kOr);
    case Opcode::kPxor:
      return EmitPredicate(pc, Binary::kXor);
    case Opcode::kPnot:
      return registers_.Write(pc, b_.Emit(Unary::kNot, registers_.ReadPredicate(pc, 0)));
    case Opcode::kReadSreg: {
      Value id = ids_[static_cast<size_t>(in.sreg())];
      const bool wide = in.type == isa::Type::kU64;
      if (wide) id = b_.Emit(Cast::kZeroExtend, id, Scalar::kI64);
      return registers_.Write(pc, wide ? id : b_.Emit(Cast::kTruncate, id, Scalar::kI32));
    }
    case Opcode::kTrap:
      return EmitTrap(pc);
    case Opcode::kClsGet:
    case Opcode::kMirror:
    case Opcode::kNbrCount:
    case Opcode::kNbrGet:
    case Opcode::kBoundMap:
      return EmitClass(pc);
    // Refused before (device/facts.cc).
    case Opcode::kCall:
    case Opcode::kRet:
    case Opcode::kUnityTest:
    case Opcode::kResAccum:
    case Opcode::kPhaseGet:
    case Opcode::kPhaseAdv:
    case Opcode::kPoolAlloc:
    case Opcode::kPoolFree:
    case Opcode::kPoolLoad:
    case Opcode::kPoolStore:
    case Opcode::kPrint:
    case Opcode::kPrintText:
    case Opcode::kPrintEnd:
      return;
  }
}

}  // namespace

Result<std::vector<Argument>> Lower(const verify::VerifiedProgram& program, Division division,
                                    Coarsening coarsening, Builder& builder) {
  HOLOGRAM_ASSIGN_OR_RETURN(const Facts facts, FindFacts(program));
  std::vector<Argument> arguments;
  const bool coarsens = coarsening == Coarsening::kWherePossible && !facts.chain.empty();
  const Parameters parameters = ParameterList(builder, facts, coarsens).Make(arguments);
  Kernel(builder, division, facts, parameters).Emit();
  return arguments;
}

}  // namespace hologram::device
