#include "frontend/circuit/lower_rows.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <string>

#include "frontend/circuit/row_plan.h"

namespace hologram::frontend {

using isa::Condition;
using isa::Opcode;
using isa::Type;
using sigmatics::CallKind;
using sigmatics::IdentityOf;
using sigmatics::Node;
using sigmatics::NodeId;
using sigmatics::NodeKind;
using sigmatics::ValueGraph;

namespace {

constexpr uint32_t kChunk = isa::kMaxLanesPerBlock;
static_assert(kChunk == 1024);
// A row of 2^32 - 1 elements has 2^22 chunks, whose number has 23 bits.
constexpr uint32_t kLevels = 23;

uint64_t BitsOfFloat(Type type, double value) {
  return *BitsOfLiteral(sigmatics::Literal::OfDouble(value), type);
}

// The reduction of no elements.
uint64_t OfNothing(CallKind reduction, Type type) {
  if (!isa::IsFloat(type)) return IdentityOf(reduction, type);
  const double infinity = std::numeric_limits<double>::infinity();
  switch (reduction) {
    case CallKind::kReduceMin:
      return BitsOfFloat(type, infinity);
    case CallKind::kReduceMax:
      return BitsOfFloat(type, -infinity);
    case CallKind::kReduceProd:
      return BitsOfFloat(type, 1.0);
    default:
      return BitsOfFloat(type, 0.0);
  }
}

class RowLowerer {
 public:
  RowLowerer(const ValueGraph& graph, const CircuitValues::Parameters& parameters,
             size_t num_parameters)
      : graph_(graph),
        emitter_(num_parameters),
        values_(graph, parameters, emitter_),
        inputs_(parameters.inputs),
        in_tree_(parameters.lanes == 0),
        lanes_(in_tree_ ? kChunk : parameters.lanes),
        cut_(parameters.cut),
        checks_lanes_(parameters.checks_lanes),
        size_(isa::Program::RegisterOfParameter(parameters.size)) {}

  void Run(const std::vector<NodeId>& outputs, const std::vector<size_t>& parameters) {
    lane_ = emitter_.Special(isa::Sreg::kLaneX, kCircuitPlace);
    block_ = emitter_.Special(isa::Sreg::kBlockX, kCircuitPlace);
    values_.SetColumnIndex(block_);
    if (checks_lanes_) RequireLanes();
    row_ = emitter_.Allocate();
    Emit(Opcode::kMul, Type::kU32, row_, block_, cut_ == 0 ? size_ : Number(Type::kU32, cut_));
    CountChunks();
    plan_ = RowPlan(graph_, inputs_, outputs, parameters);
    for (size_t stage = 1; stage < plan_.stages().size() && !HasTooMuch(); ++stage) Reduce(stage);
    if (HasTooMuch()) return;
    Store(outputs, parameters);
    values_.Emit({.op = Opcode::kExit});
  }

  Status Finish(isa::Program& program) {
    if (emitter_.overflowed()) return TooManyRegisters();
    if (emitter_.size() > isa::kMaxInstructions) {
      return Error(ErrorCode::kResourceLimit,
                   "the passes of the circuit over a row take more than " +
                       std::to_string(isa::kMaxInstructions) + " instructions");
    }
    emitter_.Finish(program);
    program.default_block = lanes_;
    for (const RowPlan::Kept& kept : plan_.kept()) {
      program.parameters[kept.parameter].direction = isa::Direction::kInOut;
    }
    return Success{};
  }

 private:
  // Each pass computes again what those before it left nowhere, so that passes may have
  // quadratically many instructions: no more are made once there are too many.
  bool HasTooMuch() const {
    return emitter_.overflowed() || emitter_.size() > isa::kMaxInstructions;
  }

  // ---- Short forms

  void Emit(Opcode op, Type type, uint8_t d, uint8_t a, uint8_t b = 0) {
    values_.Emit({.op = op, .type = type, .d = d, .a = a, .b = b});
  }
  uint8_t Number(Type type, uint64_t bits) {
    return emitter_.EntryConstant(type, ImmediateOf(type, bits), kCircuitPlace);
  }
  uint8_t New(Type type, uint64_t bits) {
    const uint8_t reg = emitter_.Allocate();
    values_.Emit({.op = Opcode::kMovImm, .type = type, .d = reg, .imm = ImmediateOf(type, bits)});
    return reg;
  }
  uint8_t Test(Condition condition, uint8_t a, uint8_t b) {
    const uint8_t predicate = emitter_.AllocatePredicate();
    values_.Emit({.op = Opcode::kSet,
                  .type = Type::kU32,
                  .mod = static_cast<uint8_t>(condition),
                  .d = predicate,
                  .a = a,
                  .b = b});
    return predicate;
  }
  void JumpIf(Condition condition, uint8_t a, uint8_t b, Emitter::Label target) {
    const uint8_t predicate = Test(condition, a, b);
    emitter_.BranchIf(predicate, target, kCircuitPlace);
    emitter_.FreePredicate(predicate);
  }

  // Another number of lanes would combine other elements.
  void RequireLanes() {
    const uint8_t lanes = emitter_.Special(isa::Sreg::kBlockDimX, kCircuitPlace);
    const uint8_t wrong = Test(Condition::kNe, lanes, Number(Type::kU32, lanes_));
    std::string text = std::to_string(lanes_);
    if (text.size() > 3) text.insert(text.size() - 3, ",");
    emitter_.Emit({.op = Opcode::kTrap, .mod = 1, .a = wrong},
                  {1, 1, "a block of " + text + (lanes_ == 1 ? " lane" : " lanes"), {}});
    emitter_.FreePredicate(wrong);
  }

  // ---- Passes

  // The rounds of a row: ceil(n / lanes), without a sum that leaves the type.
  void CountChunks() {
    if (cut_ != 0) {
      chunks_ = Number(Type::kU32, cut_ / lanes_);
      return;
    }
    chunks_ = emitter_.Allocate();
    const uint8_t rest = emitter_.Allocate();
    const uint8_t lanes = Number(Type::kU32, lanes_);
    Emit(Opcode::kDiv, Type::kU32, chunks_, size_, lanes);
    Emit(Opcode::kRem, Type::kU32, rest, size_, lanes);
    Emit(Opcode::kMin, Type::kU32, rest, rest, Number(Type::kU32, 1));
    Emit(Opcode::kAdd, Type::kU32, chunks_, chunks_, rest);
    emitter_.Free(rest);
  }

  // Calls `element` where the lane has an element, with its number in the array; `chunk` after it,
  // for all lanes, with the number of the chunk.
  void ForEachChunk(const std::function<void(uint8_t)>& element,
                    const std::function<void(uint8_t)>& chunk) {
    const uint8_t k = New(Type::kU32, 0);
    const Emitter::Label head = emitter_.NewLabel();
    const Emitter::Label beyond = emitter_.NewLabel();
    const Emitter::Label end = emitter_.NewLabel();
    emitter_.Bind(head);
    JumpIf(Condition::kGe, k, chunks_, end);
    const uint8_t in_row = emitter_.Allocate();
    const uint8_t index = emitter_.Allocate();
    Emit(Opcode::kMul, Type::kU32, in_row, k, Number(Type::kU32, lanes_));
    Emit(Opcode::kAdd, Type::kU32, in_row, in_row, lane_);
    // The last of the rows that were cut may be shorter.
    if (cut_ == 0) JumpIf(Condition::kGe, in_row, size_, beyond);
    Emit(Opcode::kAdd, Type::kU32, index, row_, in_row);
    if (cut_ != 0) JumpIf(Condition::kGe, index, size_, beyond);
    values_.SetSharedIndex(in_row);
    element(index);
    emitter_.Bind(beyond);
    emitter_.Free(index);
    emitter_.Free(in_row);
    chunk(k);
    Emit(Opcode::kAdd, Type::kU32, k, k, Number(Type::kU32, 1));
    emitter_.Branch(head, kCircuitPlace);
    emitter_.Bind(end);
    emitter_.Free(k);
  }

  // Numbers that a pass needs are computed once, before it. What is there, and all below it, was
  // computed by an earlier pass.
  void ComputeNumbers(const std::vector<NodeId>& roots) {
    std::vector<NodeId> numbers;
    const auto is_there = [&](NodeId id) { return values_.IsThere(id); };
    for (NodeId id : NeededBy(graph_, roots, is_there)) {
      const Node& node = graph_.node(id);
      const bool once = node.is_number || node.is_constant;
      const bool computed = node.kind == NodeKind::kOp || node.kind == NodeKind::kInput;
      if (computed && once && !is_there(id)) numbers.push_back(id);
    }
    if (numbers.empty()) return;
    values_.Compute(numbers, {}, 0);
    for (NodeId id : numbers) values_.Fix(id, values_.RegisterOf(id));
    values_.Release();
  }

  struct Fold {
    NodeId id = 0;
    Type type = Type::kF32;
    CallKind reduction = CallKind::kReduceSum;
    uint8_t value = 0;            // of the lane
    std::vector<uint8_t> levels;  // of trees over elements: of 2^k chunks
  };

  // True if a lane folds its elements by itself: the circuit says by how many lanes, or the order
  // changes nothing. Else chunks are combined one by one, for the tree over elements.
  bool FoldsInLanes(const Fold& fold) const {
    return !in_tree_ || IsOrderFree(fold.reduction, fold.type);
  }

  // What a lane begins with. A circuit that says by how many lanes begins sums with +0, as kernels
  // do.
  uint64_t Start(const Fold& fold) const {
    const bool sum =
        fold.reduction == CallKind::kReduceSum || fold.reduction == CallKind::kReduceFma;
    if (!in_tree_ && sum) return 0;
    return IdentityOf(fold.reduction, fold.type);
  }

  void Reduce(size_t stage) {
    std::vector<NodeId> roots = plan_.RootsOf(stage);
    ComputeNumbers(roots);
    std::vector<RowPlan::Kept> kept;
    for (const RowPlan::Kept& vector : plan_.kept()) {
      if (vector.stage != stage) continue;
      kept.push_back(vector);
      roots.push_back(vector.id);
    }
    std::vector<Fold> folds;
    for (NodeId id : plan_.stages()[stage]) {
      const Node& node = graph_.node(id);
      Fold fold{id, node.type, node.reduction, 0, {}};
      const uint32_t levels = FoldsInLanes(fold) ? 0 : kLevels;
      for (uint32_t k = 0; k < levels; ++k) {
        fold.levels.push_back(New(fold.type, IdentityOf(fold.reduction, fold.type)));
      }
      fold.value = New(fold.type, Start(fold));
      folds.push_back(std::move(fold));
    }
    ForEachChunk(
        [&](uint8_t index) {
          values_.Compute(roots, {}, index);
          for (const Fold& fold : folds) AddElement(fold);
          for (const RowPlan::Kept& vector : kept) {
            values_.Access(Opcode::kStg, graph_.node(vector.id).type, vector.parameter, index,
                           values_.RegisterOf(vector.id));
          }
          values_.Release();
        },
        [&](uint8_t k) {
          for (const Fold& fold : folds) {
            if (!FoldsInLanes(fold)) AddChunk(fold, k);
          }
        });
    for (const RowPlan::Kept& vector : kept) values_.Keep(vector.id, vector.parameter);
    for (const Fold& fold : folds) {
      if (FoldsInLanes(fold)) {
        CombineLanes(fold, fold.value);
        FinishFold(fold, fold.value);
      } else {
        JoinLevels(fold);
        FinishFold(fold, fold.levels[0]);
        emitter_.Free(fold.value);
      }
    }
  }

  void AddElement(const Fold& fold) {
    const std::vector<NodeId>& sources = graph_.node(fold.id).sources;
    const uint8_t x = values_.RegisterOf(sources[0]);
    if (!FoldsInLanes(fold)) {
      Emit(Opcode::kMov, fold.type, fold.value, x);
    } else if (fold.reduction == CallKind::kReduceFma) {
      values_.Emit({.op = Opcode::kFma,
                    .type = fold.type,
                    .d = fold.value,
                    .a = x,
                    .b = values_.RegisterOf(sources[1]),
                    .c = fold.value});
    } else {
      Emit(FoldOf(fold.reduction), fold.type, fold.value, fold.value, x);
    }
  }

  void CombineLanes(const Fold& fold, uint8_t result) {
    values_.Emit({.op = Opcode::kBlkRed,
                  .type = fold.type,
                  .mod = static_cast<uint8_t>(BlockOpOf(fold.reduction)),
                  .d = result,
                  .a = fold.value});
  }

  // The lanes' values become the result of the chunk, and that part of what is there; the values
  // are made neutral for lanes that have no element in the next chunk.
  void AddChunk(const Fold& fold, uint8_t number) {
    const uint8_t result = emitter_.Allocate();
    CombineLanes(fold, result);
    Emit(Opcode::kMov, fold.type, fold.value,
         Number(fold.type, IdentityOf(fold.reduction, fold.type)));
    // A binary counter of chunks: two folds of 2^k chunks become one of 2^(k+1).
    const Emitter::Label done = emitter_.NewLabel();
    const uint8_t bit = emitter_.Allocate();
    for (uint32_t k = 0; k < kLevels; ++k) {
      if (k + 1 == kLevels) {
        Emit(Opcode::kMov, fold.type, fold.levels[k], result);
        break;
      }
      const Emitter::Label carry = emitter_.NewLabel();
      Emit(Opcode::kAnd, Type::kU32, bit, number, Number(Type::kU32, uint64_t{1} << k));
      JumpIf(Condition::kNe, bit, Number(Type::kU32, 0), carry);
      Emit(Opcode::kMov, fold.type, fold.levels[k], result);
      emitter_.Branch(done, kCircuitPlace);
      emitter_.Bind(carry);
      Emit(FoldOf(fold.reduction), fold.type, result, fold.levels[k], result);
    }
    emitter_.Bind(done);
    emitter_.Free(bit);
    emitter_.Free(result);
  }

  // What is there of each size, from the small ones on; the neutral value where there is nothing.
  void JoinLevels(const Fold& fold) {
    const uint8_t total = fold.levels[0];
    const uint8_t with = emitter_.Allocate();
    for (uint32_t k = 0; k < kLevels; ++k) {
      Emit(Opcode::kAnd, Type::kU32, with, chunks_, Number(Type::kU32, uint64_t{1} << k));
      const uint8_t there = Test(Condition::kNe, with, Number(Type::kU32, 0));
      const uint8_t before =
          k == 0 ? Number(fold.type, IdentityOf(fold.reduction, fold.type)) : total;
      const uint8_t more = emitter_.Allocate();
      Emit(FoldOf(fold.reduction), fold.type, more, fold.levels[k], before);
      values_.Emit(
          {.op = Opcode::kSel, .type = fold.type, .d = total, .a = there, .b = more, .c = before});
      emitter_.Free(more);
      emitter_.FreePredicate(there);
      if (k > 0) emitter_.Free(fold.levels[k]);
    }
    emitter_.Free(with);
  }

  // The result of a row without elements, where lanes begin with something else.
  void FinishFold(const Fold& fold, uint8_t total) {
    const uint64_t nothing = OfNothing(fold.reduction, fold.type);
    if (nothing != Start(fold)) {
      const uint8_t empty = cut_ == 0 ? Test(Condition::kEq, size_, Number(Type::kU32, 0))
                                      : Test(Condition::kGe, row_, size_);
      values_.Emit({.op = Opcode::kSel,
                    .type = fold.type,
                    .d = total,
                    .a = empty,
                    .b = Number(fold.type, nothing),
                    .c = total});
      emitter_.FreePredicate(empty);
    }
    values_.Fix(fold.id, total);
  }

  void Store(const std::vector<NodeId>& outputs, const std::vector<size_t>& parameters) {
    ComputeNumbers(outputs);
    std::vector<NodeId> vectors;
    std::vector<size_t> targets;
    std::vector<size_t> numbers;
    for (size_t k = 0; k < outputs.size(); ++k) {
      if (graph_.IsNumber(outputs[k])) {
        numbers.push_back(k);
      } else {
        vectors.push_back(outputs[k]);
        targets.push_back(parameters[k]);
      }
    }
    if (!numbers.empty()) {
      const Emitter::Label others = emitter_.NewLabel();
      JumpIf(Condition::kNe, lane_, Number(Type::kU32, 0), others);
      for (const size_t k : numbers) {
        values_.Compute({outputs[k]}, {}, 0);
        values_.Access(Opcode::kStg, graph_.node(outputs[k]).type, parameters[k], block_,
                       values_.RegisterOf(outputs[k]));
        values_.Release();
      }
      emitter_.Bind(others);
    }
    if (vectors.empty()) return;
    ForEachChunk(
        [&](uint8_t index) {
          values_.Compute(vectors, {}, index);
          for (size_t k = 0; k < vectors.size(); ++k) {
            values_.Access(Opcode::kStg, graph_.node(vectors[k]).type, targets[k], index,
                           values_.RegisterOf(vectors[k]));
          }
          values_.Release();
        },
        [](uint8_t) {});
  }

  const ValueGraph& graph_;
  Emitter emitter_;
  CircuitValues values_;
  std::vector<size_t> inputs_;  // parameters, by number
  bool in_tree_;                // over elements, chunk by chunk
  uint32_t lanes_;
  uint32_t cut_;
  bool checks_lanes_;
  uint8_t size_;
  uint8_t lane_ = 0;
  uint8_t block_ = 0;
  uint8_t row_ = 0;     // the number of the row's first element
  uint8_t chunks_ = 0;  // of a row: rounds of all lanes
  RowPlan plan_;
};

}  // namespace

Diagnostic TooManyRegisters() {
  return Error(ErrorCode::kResourceLimit, "the circuit needs more registers than there are");
}

bool HasReductions(const ValueGraph& graph, const std::vector<NodeId>& roots) {
  const std::vector<NodeId> needed = NeededBy(graph, roots);
  return std::any_of(needed.begin(), needed.end(),
                     [&](NodeId id) { return graph.node(id).kind == NodeKind::kReduce; });
}

Status CheckRows(const ValueGraph& graph, const std::vector<NodeId>& outputs,
                 const std::vector<NodeId>& faulting) {
  size_t reductions = 0;
  const auto refuse = [](const std::string& what) {
    return Error(ErrorCode::kUnsupported, what + " does not compile to a kernel in this version");
  };
  if (!faulting.empty()) return refuse("a division of integers in a circuit with reductions");
  for (NodeId id : NeededBy(graph, outputs)) {
    const Node& node = graph.node(id);
    if (node.kind != NodeKind::kReduce) continue;
    // What a reduction gives stays in a register to the end.
    if (++reductions > isa::kNumRegisters) return TooManyRegisters();
    if (node.number != 0) {
      return refuse(std::string(NameOf(node.reduction)) + " of the first " +
                    std::to_string(node.number) + " elements");
    }
    if (KeepsRest(node)) {
      return refuse(std::string(NameOf(node.reduction)) +
                    " into a class that keeps its other elements");
    }
  }
  return Success{};
}

Status LowerRows(const ValueGraph& graph, const CircuitValues::Parameters& values,
                 const std::vector<NodeId>& outputs, const std::vector<size_t>& parameters,
                 isa::Program& program) {
  RowLowerer lowerer(graph, values, program.parameters.size());
  lowerer.Run(outputs, parameters);
  return lowerer.Finish(program);
}

}  // namespace hologram::frontend
