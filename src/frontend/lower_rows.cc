#include "frontend/lower_rows.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace hologram::frontend {

using isa::Condition;
using isa::Opcode;
using isa::Type;
using sigmatics::CallKind;
using sigmatics::Node;
using sigmatics::NodeId;
using sigmatics::NodeKind;
using sigmatics::ValueGraph;

namespace {

constexpr uint32_t kChunk = isa::kMaxLanesPerBlock;
constexpr uint32_t kChunkBits = 10;
static_assert(kChunk == 1U << kChunkBits);
// A row of 2^32 - 1 elements has 2^22 chunks, whose number has 23 bits.
constexpr uint32_t kLevels = 32 - kChunkBits + 1;

// All nodes that the roots need, sources first.
std::vector<NodeId> Needed(const ValueGraph& graph, const std::vector<NodeId>& roots) {
  std::vector<NodeId> order;
  std::set<NodeId> seen;
  for (NodeId root : roots) {
    std::vector<std::pair<NodeId, size_t>> path = {{root, 0}};
    while (!path.empty()) {
      auto& [id, next] = path.back();
      if (next == 0 && seen.contains(id)) {
        path.pop_back();
      } else if (next < graph.node(id).sources.size()) {
        path.emplace_back(graph.node(id).sources[next++], 0);
      } else {
        if (seen.insert(id).second) order.push_back(id);
        path.pop_back();
      }
    }
  }
  return order;
}

isa::BlockOp BlockOpOf(CallKind reduction) {
  switch (reduction) {
    case CallKind::kReduceMin:
      return isa::BlockOp::kMin;
    case CallKind::kReduceMax:
      return isa::BlockOp::kMax;
    default:
      return isa::BlockOp::kAdd;
  }
}

uint64_t BitsOfNumber(Type type, __int128 value) {
  return static_cast<uint64_t>(value) &
         (isa::BitsOf(type) == 64 ? ~uint64_t{0} : (uint64_t{1} << isa::BitsOf(type)) - 1);
}

uint64_t BitsOfFloat(Type type, double value) {
  return *BitsOfLiteral(sigmatics::Literal::OfDouble(value), type);
}

// What changes no bit of a combination: -0 for sums, NaN for min and max of floats.
uint64_t Identity(CallKind reduction, Type type) {
  if (isa::IsFloat(type)) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return BitsOfFloat(type, reduction == CallKind::kReduceSum ? -0.0 : nan);
  }
  if (reduction == CallKind::kReduceSum) return 0;
  return BitsOfNumber(type,
                      reduction == CallKind::kReduceMin ? isa::MaxOf(type) : isa::MinOf(type));
}

// The reduction of no elements.
uint64_t OfNothing(CallKind reduction, Type type) {
  if (!isa::IsFloat(type)) return Identity(reduction, type);
  const double infinity = std::numeric_limits<double>::infinity();
  if (reduction == CallKind::kReduceSum) return BitsOfFloat(type, 0.0);
  return BitsOfFloat(type, reduction == CallKind::kReduceMin ? infinity : -infinity);
}

class RowLowerer {
 public:
  RowLowerer(const ValueGraph& graph, const CircuitValues::Parameters& parameters,
             size_t num_parameters)
      : graph_(graph),
        emitter_(num_parameters),
        values_(graph, parameters, emitter_),
        size_(isa::Program::RegisterOfParameter(parameters.size)) {}

  void Run(const std::vector<NodeId>& outputs, const std::vector<size_t>& parameters) {
    lane_ = emitter_.Special(isa::Sreg::kLaneX, kCircuitPlace);
    block_ = emitter_.Special(isa::Sreg::kBlockX, kCircuitPlace);
    RequireChunkOfLanes();
    row_ = emitter_.Allocate();
    Emit(Opcode::kMul, Type::kU32, row_, block_, size_);
    CountChunks();
    FindStages(outputs);
    for (size_t stage = 1; stage < stages_.size(); ++stage) Reduce(stages_[stage]);
    Store(outputs, parameters);
    values_.Emit({.op = Opcode::kExit});
  }

  bool Finish(isa::Program& program) {
    emitter_.Finish(program);
    program.default_block = kChunk;
    return !emitter_.overflowed();
  }

 private:
  // ---- Short forms

  void Emit(Opcode op, Type type, uint8_t d, uint8_t a, uint8_t b = 0) {
    values_.Emit({.op = op, .type = type, .d = d, .a = a, .b = b});
  }
  uint8_t Number(Type type, uint64_t bits) {
    return emitter_.EntryConstant(type, bits, kCircuitPlace);
  }
  uint8_t New(Type type, uint64_t bits) {
    const uint8_t reg = emitter_.Allocate();
    values_.Emit({.op = Opcode::kMovImm, .type = type, .d = reg, .imm = bits});
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
  void RequireChunkOfLanes() {
    const uint8_t lanes = emitter_.Special(isa::Sreg::kBlockDimX, kCircuitPlace);
    const uint8_t wrong = Test(Condition::kNe, lanes, Number(Type::kU32, kChunk));
    emitter_.Emit({.op = Opcode::kTrap, .mod = 1, .a = wrong},
                  {1, 1, "a block of 1,024 lanes", {}});
    emitter_.FreePredicate(wrong);
  }

  // Reductions by how many others they wait for, from 1 on.
  void FindStages(const std::vector<NodeId>& outputs) {
    std::map<NodeId, size_t> stage_of;
    for (NodeId id : Needed(graph_, outputs)) {
      size_t stage = 0;
      for (NodeId source : graph_.node(id).sources) stage = std::max(stage, stage_of.at(source));
      if (graph_.node(id).kind == NodeKind::kReduce) {
        if (stages_.size() <= ++stage) stages_.resize(stage + 1);
        stages_[stage].push_back(id);
      }
      stage_of[id] = stage;
    }
  }

  // ---- Passes

  // ceil(n / 1024), without a sum that leaves the type.
  void CountChunks() {
    chunks_ = emitter_.Allocate();
    const uint8_t rest = emitter_.Allocate();
    const uint8_t most = Number(Type::kU32, kChunk - 1);
    const uint8_t bits = Number(Type::kU32, kChunkBits);
    Emit(Opcode::kShr, Type::kU32, chunks_, size_, bits);
    Emit(Opcode::kAnd, Type::kU32, rest, size_, most);
    Emit(Opcode::kAdd, Type::kU32, rest, rest, most);
    Emit(Opcode::kShr, Type::kU32, rest, rest, bits);
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
    const uint8_t index = emitter_.Allocate();
    Emit(Opcode::kMul, Type::kU32, index, k, Number(Type::kU32, kChunk));
    Emit(Opcode::kAdd, Type::kU32, index, index, lane_);
    JumpIf(Condition::kGe, index, size_, beyond);
    Emit(Opcode::kAdd, Type::kU32, index, row_, index);
    element(index);
    emitter_.Bind(beyond);
    emitter_.Free(index);
    chunk(k);
    Emit(Opcode::kAdd, Type::kU32, k, k, Number(Type::kU32, 1));
    emitter_.Branch(head, kCircuitPlace);
    emitter_.Bind(end);
    emitter_.Free(k);
  }

  // Numbers that a pass needs are computed once, before it.
  void ComputeNumbers(const std::vector<NodeId>& roots) {
    std::vector<NodeId> numbers;
    for (NodeId id : Needed(graph_, roots)) {
      const Node& node = graph_.node(id);
      const bool once = node.is_number || node.is_constant;
      if (node.kind == NodeKind::kOp && once && !values_.IsFixed(id) && IsReady(id)) {
        numbers.push_back(id);
      }
    }
    if (numbers.empty()) return;
    values_.Compute(numbers, {}, 0);
    for (NodeId id : numbers) values_.Fix(id, values_.RegisterOf(id));
    values_.Release();
  }

  // All reductions in it were computed.
  bool IsReady(NodeId id) const {
    const std::vector<NodeId> needed = Needed(graph_, {id});
    return std::all_of(needed.begin(), needed.end(), [&](NodeId part) {
      return graph_.node(part).kind != NodeKind::kReduce || values_.IsFixed(part);
    });
  }

  struct Sum {
    NodeId id = 0;
    Type type = Type::kF32;
    CallKind reduction = CallKind::kReduceSum;
    uint8_t value = 0;            // of the lane
    std::vector<uint8_t> levels;  // of sums: of 2^k chunks; else the one result
  };

  void Reduce(const std::vector<NodeId>& reductions) {
    std::vector<NodeId> roots;
    for (NodeId id : reductions) roots.push_back(graph_.node(id).sources[0]);
    ComputeNumbers(roots);
    std::vector<Sum> sums;
    for (NodeId id : reductions) {
      const Node& node = graph_.node(id);
      Sum sum{id, node.type, node.reduction, 0, {}};
      const uint64_t identity = Identity(sum.reduction, sum.type);
      const uint32_t levels = sum.reduction == CallKind::kReduceSum ? kLevels : 1;
      for (uint32_t k = 0; k < levels; ++k) sum.levels.push_back(New(sum.type, identity));
      sum.value = New(sum.type, identity);
      sums.push_back(std::move(sum));
    }
    ForEachChunk(
        [&](uint8_t index) {
          values_.Compute(roots, {}, index);
          for (size_t k = 0; k < sums.size(); ++k) {
            Emit(Opcode::kMov, sums[k].type, sums[k].value, values_.RegisterOf(roots[k]));
          }
          values_.Release();
        },
        [&](uint8_t k) {
          for (const Sum& sum : sums) AddChunk(sum, k);
        });
    for (const Sum& sum : sums) {
      FinishSum(sum);
      emitter_.Free(sum.value);
    }
  }

  // The lanes' values become the result of the chunk, and that part of what is there; the values
  // are made neutral for lanes that have no element in the next chunk.
  void AddChunk(const Sum& sum, uint8_t number) {
    const uint8_t result = emitter_.Allocate();
    values_.Emit({.op = Opcode::kBlkRed,
                  .type = sum.type,
                  .mod = static_cast<uint8_t>(BlockOpOf(sum.reduction)),
                  .d = result,
                  .a = sum.value});
    Emit(Opcode::kMov, sum.type, sum.value, Number(sum.type, Identity(sum.reduction, sum.type)));
    if (sum.reduction != CallKind::kReduceSum) {
      const Opcode op = sum.reduction == CallKind::kReduceMin ? Opcode::kMin : Opcode::kMax;
      Emit(op, sum.type, sum.levels[0], sum.levels[0], result);
      emitter_.Free(result);
      return;
    }
    // A binary counter of chunks: two sums of 2^k chunks become one of 2^(k+1).
    const Emitter::Label done = emitter_.NewLabel();
    const uint8_t bit = emitter_.Allocate();
    for (uint32_t k = 0; k < kLevels; ++k) {
      if (k + 1 == kLevels) {
        Emit(Opcode::kMov, sum.type, sum.levels[k], result);
        break;
      }
      const Emitter::Label carry = emitter_.NewLabel();
      Emit(Opcode::kAnd, Type::kU32, bit, number, Number(Type::kU32, uint64_t{1} << k));
      JumpIf(Condition::kNe, bit, Number(Type::kU32, 0), carry);
      Emit(Opcode::kMov, sum.type, sum.levels[k], result);
      emitter_.Branch(done, kCircuitPlace);
      emitter_.Bind(carry);
      Emit(Opcode::kAdd, sum.type, result, sum.levels[k], result);
    }
    emitter_.Bind(done);
    emitter_.Free(bit);
    emitter_.Free(result);
  }

  // What is there of each size, from the small ones on; the neutral value where there is nothing.
  void FinishSum(const Sum& sum) {
    const uint8_t total = sum.levels[0];
    if (sum.reduction == CallKind::kReduceSum) {
      const uint8_t with = emitter_.Allocate();
      for (uint32_t k = 0; k < kLevels; ++k) {
        Emit(Opcode::kAnd, Type::kU32, with, chunks_, Number(Type::kU32, uint64_t{1} << k));
        const uint8_t there = Test(Condition::kNe, with, Number(Type::kU32, 0));
        const uint8_t before = k == 0 ? Number(sum.type, Identity(sum.reduction, sum.type)) : total;
        const uint8_t more = emitter_.Allocate();
        Emit(Opcode::kAdd, sum.type, more, sum.levels[k], before);
        values_.Emit(
            {.op = Opcode::kSel, .type = sum.type, .d = total, .a = there, .b = more, .c = before});
        emitter_.Free(more);
        emitter_.FreePredicate(there);
        if (k > 0) emitter_.Free(sum.levels[k]);
      }
      emitter_.Free(with);
    }
    const uint8_t nothing = Test(Condition::kEq, size_, Number(Type::kU32, 0));
    values_.Emit({.op = Opcode::kSel,
                  .type = sum.type,
                  .d = total,
                  .a = nothing,
                  .b = Number(sum.type, OfNothing(sum.reduction, sum.type)),
                  .c = total});
    emitter_.FreePredicate(nothing);
    values_.Fix(sum.id, total);
  }

  void Store(const std::vector<NodeId>& outputs, const std::vector<size_t>& parameters) {
    ComputeNumbers(outputs);
    std::vector<NodeId> vectors;
    std::vector<size_t> targets;
    const Emitter::Label others = emitter_.NewLabel();
    JumpIf(Condition::kNe, lane_, Number(Type::kU32, 0), others);
    for (size_t k = 0; k < outputs.size(); ++k) {
      if (!graph_.IsNumber(outputs[k])) {
        vectors.push_back(outputs[k]);
        targets.push_back(parameters[k]);
        continue;
      }
      values_.Compute({outputs[k]}, {}, 0);
      values_.Access(Opcode::kStg, graph_.node(outputs[k]).type, parameters[k], block_,
                     values_.RegisterOf(outputs[k]));
      values_.Release();
    }
    emitter_.Bind(others);
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
  uint8_t size_;
  uint8_t lane_ = 0;
  uint8_t block_ = 0;
  uint8_t row_ = 0;     // the number of the row's first element
  uint8_t chunks_ = 0;  // of a row
  std::vector<std::vector<NodeId>> stages_;
};

}  // namespace

bool HasReductions(const ValueGraph& graph, const std::vector<NodeId>& roots) {
  const std::vector<NodeId> needed = Needed(graph, roots);
  return std::any_of(needed.begin(), needed.end(),
                     [&](NodeId id) { return graph.node(id).kind == NodeKind::kReduce; });
}

Status CheckRows(const ValueGraph& graph, const std::vector<NodeId>& outputs,
                 const std::vector<NodeId>& faulting) {
  const auto refuse = [](const std::string& what) {
    return Error(ErrorCode::kUnsupported, what + " does not compile to a kernel in this version");
  };
  if (!faulting.empty()) return refuse("a division of integers in a circuit with reductions");
  for (NodeId id : Needed(graph, outputs)) {
    const Node& node = graph.node(id);
    if (node.kind != NodeKind::kReduce) continue;
    if (node.number != 0) {
      return refuse(std::string(NameOf(node.reduction)) + " of the first " +
                    std::to_string(node.number) + " elements");
    }
    if (node.sources.size() == 2) {
      return refuse(std::string(NameOf(node.reduction)) +
                    " into a class that keeps its other elements");
    }
  }
  return Success{};
}

bool LowerRows(const ValueGraph& graph, const CircuitValues::Parameters& values,
               const std::vector<NodeId>& outputs, const std::vector<size_t>& parameters,
               isa::Program& program) {
  RowLowerer lowerer(graph, values, program.parameters.size());
  lowerer.Run(outputs, parameters);
  return lowerer.Finish(program);
}

}  // namespace hologram::frontend
