#include "device/lower.h"

#include "device/ids.h"
#include "device/instructions.h"
#include "device/state.h"

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

class Kernel {
 public:
  Kernel(Builder& builder, Division division, const Facts& facts, const Parameters& parameters)
      : b_(builder),
        facts_(facts),
        parameters_(parameters),
        arithmetic_(builder, division),
        registers_(builder, facts),
        barriers_(builder, facts, CountPlaces(facts)),
        faults_(builder, barriers_, parameters),
        instructions_(arithmetic_, facts, registers_, barriers_, faults_, parameters),
        ids_(facts) {}

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

  Builder& b_;
  const Facts& facts_;
  const Parameters& parameters_;
  Arithmetic arithmetic_;
  Registers registers_;
  Barriers barriers_;
  Faults faults_;
  Instructions instructions_;
  Ids ids_;
  Value budget_taken_ = 0;
  Value rounds_taken_ = 0;
  std::vector<Label> labels_;  // by block
};

void Kernel::Start() {
  const isa::Program& program = facts_.program();
  const bool blocks = facts_.verified.uses_barrier() || !program.shared.empty();
  if (blocks || ids_.are_read(Sreg::kLinear)) {
    Value width = b_.Read(Id::kBlockDim, 0);
    Value area = b_.Emit(Binary::kMul, width, b_.Read(Id::kBlockDim, 1));
    Value lanes = b_.Emit(Binary::kMul, area, b_.Read(Id::kBlockDim, 2));
    barriers_.Start(LinearLane(b_), lanes);
  }
  ids_.Read(b_, barriers_);
  ids_.SetRegisters(registers_);
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
  instructions_.Start(blocks);
}

// ---- Several lanes of the program in one of the device

// What is emitted next is of the copy of registers that belongs to a lane of the block.
void Kernel::UseCopy(size_t copy, Value block) {
  registers_.Use(copy);
  ids_.MoveTo(b_, block, parameters_.blocks);
  ids_.SetRegisters(registers_);
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
  std::vector<Ids> ids;
  for (size_t k = 0; k < kBlocksTogether; ++k) {
    UseCopy(k, b_.With(Binary::kAdd, first, k));
    ids.push_back(ids_);
  }
  const auto emit = [&](uint32_t block) {
    const verify::BasicBlock& range = facts_.cfg.blocks[block];
    for (uint32_t pc = range.begin; pc < range.end; ++pc) {
      for (size_t k = 0; k < kBlocksTogether; ++k) {
        registers_.Use(k);
        instructions_.Emit(pc, ids[k]);
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
  EmitLoop(b_, b_.Constant(Scalar::kI32, 0), b_.Constant(Scalar::kI32, 1), count, [&](Value i) {
    UseCopy(kBlocksTogether, b_.Emit(Binary::kAdd, first, i));
    const Label next = b_.NewBlock();
    for (size_t place = 0; place < facts_.chain.size(); ++place) {
      const verify::BasicBlock& range = facts_.cfg.blocks[facts_.chain[place]];
      for (uint32_t pc = range.begin; pc < range.end; ++pc) instructions_.Emit(pc, ids_);
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
  for (uint32_t pc = range.begin; pc < range.end; ++pc) instructions_.Emit(pc, ids_);
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
  if (to.empty() || facts_.program().code[pc].op == Opcode::kExit) return barriers_.Leave();
  if (to.size() == 1) return Go(block, to[0]);
  Value taken = instructions_.IsTaken(pc);
  const Label yes = Edge(block, to[0]);
  const Label no = Edge(block, to[1]);
  b_.Branch(taken, yes, no);
  for (const auto& [label, target] : {std::pair(yes, to[0]), std::pair(no, to[1])}) {
    if (target != kExitBlock && label == labels_[target]) continue;
    b_.Begin(label);
    Go(block, target);
  }
}

}  // namespace

Result<std::vector<Argument>> Lower(const verify::VerifiedProgram& program, Division division,
                                    Coarsening coarsening, Builder& builder) {
  HOLOGRAM_ASSIGN_OR_RETURN(const Facts facts, FindFacts(program));
  std::vector<Argument> arguments;
  const bool coarsens = coarsening == Coarsening::kWherePossible && !facts.chain.empty();
  const Parameters parameters = MakeParameters(builder, facts, coarsens, arguments);
  Kernel(builder, division, facts, parameters).Emit();
  return arguments;
}

}  // namespace hologram::device
