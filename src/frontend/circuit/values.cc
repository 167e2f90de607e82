#include "frontend/circuit/values.h"

#include <algorithm>

#include "isa/atlas.h"

namespace hologram::frontend {

using isa::Instruction;
using isa::Opcode;
using isa::Type;
using sigmatics::Node;
using sigmatics::NodeId;
using sigmatics::NodeKind;
using sigmatics::VariantKind;

// What is read where a value is computed: its sources, and those of predicates among them.
template <class F>
void CircuitValues::ForEachUsed(NodeId id, F use) {
  if (IsThere(id)) return;
  for (NodeId source : graph_.node(id).sources) {
    if (predicates_.contains(source)) {
      ForEachUsed(source, use);
    } else {
      use(source);
    }
  }
}

void CircuitValues::Compute(const std::vector<NodeId>& roots, const std::vector<NodeId>& faulting,
                            uint8_t index) {
  for (NodeId root : roots) Schedule(root);
  for (NodeId root : faulting) Schedule(root);
  FindPredicates(roots, faulting);
  for (size_t i = 0; i < schedule_.size(); ++i) {
    if (predicates_.contains(schedule_[i])) continue;
    ForEachUsed(schedule_[i], [&](NodeId used) { last_use_[used] = i; });
  }
  for (NodeId root : roots) last_use_[root] = schedule_.size();
  for (size_t i = 0; i < schedule_.size(); ++i) {
    if (predicates_.contains(schedule_[i])) continue;
    ComputeNode(schedule_[i], index);
    FreeAfter(schedule_[i], i);
  }
}

void CircuitValues::Release() {
  for (NodeId id : live_) emitter_.Free(registers_.at(id));
  live_.clear();
  schedule_.clear();
  position_.clear();
  last_use_.clear();
  registers_.clear();
  predicates_.clear();
}

void CircuitValues::Emit(const Instruction& instruction) {
  emitter_.Emit(instruction, {1, 1, "", {}});
}

void CircuitValues::Access(Opcode op, Type type, size_t parameter, uint8_t index, uint8_t value) {
  if (parameters_.in_class_memory) return AccessClass(op, type, parameter, index, value);
  Instruction access{.op = op,
                     .type = type,
                     .a = isa::Program::RegisterOfParameter(parameter),
                     .b = index,
                     .mode = isa::kIndexedMode};
  (op == Opcode::kLdg ? access.d : access.c) = value;
  emitter_.Emit(access, {1, 1, "", {{"i", index}}});
}

// Element i of a class is byte 12288 class + size i of the class memory.
void CircuitValues::AccessClass(Opcode op, Type type, size_t number, uint8_t index, uint8_t value) {
  const uint8_t byte = emitter_.Allocate();
  const auto constant = [&](uint64_t bits) {
    return emitter_.EntryConstant(Type::kU64, bits, kCircuitPlace);
  };
  Emit({.op = Opcode::kCvt,
        .type = Type::kU64,
        .mod = static_cast<uint8_t>(Type::kU32),
        .d = byte,
        .a = index});
  Emit({.op = Opcode::kMul,
        .type = Type::kU64,
        .d = byte,
        .a = byte,
        .b = constant(isa::SizeOf(type))});
  Emit({.op = Opcode::kAdd,
        .type = Type::kU64,
        .d = byte,
        .a = byte,
        .b = constant(uint64_t{isa::kBytesPerClass} * number)});
  Instruction access{.op = op, .type = type, .b = byte, .mode = isa::kClassMode};
  (op == Opcode::kLdg ? access.d : access.c) = value;
  Emit(access);
  emitter_.Free(byte);
}

// ---- What is computed, and in which order

// Sources first; without recursion.
void CircuitValues::Schedule(NodeId root) {
  std::vector<std::pair<NodeId, size_t>> path = {{root, 0}};
  while (!path.empty()) {
    auto& [id, next] = path.back();
    const Node& node = graph_.node(id);
    if (position_.contains(id)) {
      path.pop_back();
    } else if (!IsThere(id) && next < node.sources.size()) {
      path.emplace_back(node.sources[next++], 0);
    } else {
      position_.emplace(id, schedule_.size());
      schedule_.push_back(id);
      path.pop_back();
    }
  }
}

// Bools that nothing but conditions read are predicates, made where they are read; they have no
// register. What is used by whom is known from behind: users stand after what they use.
void CircuitValues::FindPredicates(const std::vector<NodeId>& roots,
                                   const std::vector<NodeId>& faulting) {
  constexpr int kMaxDepth = 5;  // of predicates that live at a time
  std::set<NodeId> read_as_value(roots.begin(), roots.end());
  read_as_value.insert(faulting.begin(), faulting.end());
  std::map<NodeId, int> depth;
  for (NodeId id : schedule_) depth[id] = BoolDepth(id, depth);
  for (auto at = schedule_.rbegin(); at != schedule_.rend(); ++at) {
    if (IsThere(*at)) continue;
    const Node& node = graph_.node(*at);
    if (depth[*at] > 0 && depth[*at] <= kMaxDepth && !read_as_value.contains(*at)) {
      predicates_.insert(*at);
    }
    const bool joins = predicates_.contains(*at) && node.variant.kind != VariantKind::kCompare;
    const bool selects = node.kind == NodeKind::kOp && node.variant.kind == VariantKind::kSelect;
    for (size_t k = 0; k < node.sources.size(); ++k) {
      if (!joins && !(selects && k == 0)) read_as_value.insert(node.sources[k]);
    }
  }
}

// How deep comparisons are joined in a bool; 0 for what is none, and for what an earlier stage left
// in a register: its sources are not in the schedule.
int CircuitValues::BoolDepth(NodeId id, const std::map<NodeId, int>& depth) const {
  const Node& node = graph_.node(id);
  if (IsThere(id) || node.kind != NodeKind::kOp) return 0;
  if (node.variant.kind == VariantKind::kCompare) return 1;
  if (node.type != Type::kU8) return 0;
  const auto of = [&](size_t k) { return depth.at(node.sources[k]); };
  if (node.variant.Is(Opcode::kAnd) || node.variant.Is(Opcode::kOr)) {
    return of(0) == 0 || of(1) == 0 ? 0 : 1 + std::max(of(0), of(1));
  }
  return IsNot(node) && of(0) != 0 ? of(0) : 0;
}

// 1 - x, where x is a bool.
bool CircuitValues::IsNot(const Node& node) const {
  if (!node.variant.Is(Opcode::kXor)) return false;
  const Node& one = graph_.node(node.sources[1]);
  return one.kind == NodeKind::kLiteral && one.number == 1;
}

// ---- Registers

void CircuitValues::FreeAfter(NodeId computed, size_t position) {
  for (uint8_t reg : owned_) emitter_.Free(reg);
  owned_.clear();
  const auto free = [&](NodeId id) {
    if (live_.erase(id) != 0) emitter_.Free(registers_.at(id));
  };
  ForEachUsed(computed, [&](NodeId source) {
    if (last_use_.at(source) == position) free(source);
  });
  if (!last_use_.contains(computed)) free(computed);  // kept for its fault only
}

uint64_t ImmediateOf(Type type, uint64_t bits) {
  const uint32_t size = isa::BitsOf(type);
  if (size == 64 || !isa::IsSignedInteger(type) || ((bits >> (size - 1)) & 1) == 0) return bits;
  return bits | (~uint64_t{0} << size);
}

uint8_t CircuitValues::Constant(Type type, uint64_t value) {
  const uint64_t bits = ImmediateOf(type, value);
  if (emitter_.has_room_for_constants()) return emitter_.EntryConstant(type, bits, kCircuitPlace);
  const uint8_t reg = emitter_.Allocate();
  Emit({.op = Opcode::kMovImm, .type = type, .d = reg, .imm = bits});
  owned_.push_back(reg);
  return reg;
}

uint8_t CircuitValues::LongLivedConstant(NodeId id) {
  const Node& node = graph_.node(id);
  const uint64_t bits = ImmediateOf(node.type, node.number);
  if (emitter_.has_room_for_constants()) {
    return emitter_.EntryConstant(node.type, bits, kCircuitPlace);
  }
  const uint8_t reg = emitter_.Allocate();
  Emit({.op = Opcode::kMovImm, .type = node.type, .d = reg, .imm = bits});
  live_.insert(id);
  return reg;
}

// ---- Instructions

void CircuitValues::ComputeNode(NodeId id, uint8_t index) {
  const auto fixed = fixed_.find(id);
  if (fixed != fixed_.end()) {
    registers_[id] = fixed->second;
    return;
  }
  const Node& node = graph_.node(id);
  const auto kept = kept_.find(id);
  if (kept != kept_.end()) {
    registers_[id] = emitter_.Allocate();
    live_.insert(id);
    Access(Opcode::kLdg, node.type, kept->second, index, registers_[id]);
    return;
  }
  switch (node.kind) {
    case NodeKind::kScalar:
      registers_[id] = isa::Program::RegisterOfParameter(node.number == sigmatics::kSizeNumber
                                                             ? parameters_.size
                                                             : parameters_.scalars[node.number]);
      return;
    case NodeKind::kLiteral:
      registers_[id] = LongLivedConstant(id);
      return;
    case NodeKind::kInput:
      registers_[id] = emitter_.Allocate();
      live_.insert(id);
      Access(Opcode::kLdg, node.type, parameters_.inputs[node.number], IndexOf(node.number, index),
             registers_[id]);
      return;
    case NodeKind::kOp:
      break;
    case NodeKind::kReduce:
    case NodeKind::kSoftmax:
      HOLOGRAM_CHECK(false);  // fixed before, or refused
  }
  const uint8_t result = emitter_.Allocate();
  registers_[id] = result;
  live_.insert(id);
  std::vector<uint8_t> sources;
  for (NodeId source : node.sources) {
    sources.push_back(predicates_.contains(source) ? uint8_t{0} : RegisterOf(source));
  }
  ComputeVariant(node, result, sources);
}

uint8_t CircuitValues::IndexOf(uint64_t input, uint8_t index) const {
  switch (parameters_.forms[input]) {
    case InputForm::kShared:
      return shared_index_;
    case InputForm::kColumn:
      return column_index_;
    case InputForm::kPlain:
      break;
  }
  return index;
}

void CircuitValues::Apply(Opcode op, Type type, bool fast, uint8_t d,
                          const std::vector<uint8_t>& sources) {
  Instruction instruction{.op = op, .type = type, .mod = static_cast<uint8_t>(fast ? 1 : 0)};
  size_t next = 0;
  for (const isa::Operand& operand : isa::InfoOf(op).operands) {
    if (operand.kind == isa::OperandKind::kDst) SetField(instruction, operand.field, d);
    if (operand.kind == isa::OperandKind::kSrc || operand.kind == isa::OperandKind::kShift) {
      SetField(instruction, operand.field, sources[next++]);
    }
  }
  Emit(instruction);
}

void CircuitValues::ComputeVariant(const Node& node, uint8_t d, const std::vector<uint8_t>& x) {
  const Type type = node.type;
  const auto number = [&](double value) {
    return Constant(type, *BitsOfLiteral(sigmatics::Literal::OfDouble(value), type));
  };
  const auto apply = [&](Opcode op, std::vector<uint8_t> sources) {
    Apply(op, type, false, d, sources);
  };
  switch (node.variant.kind) {
    case VariantKind::kInstruction:
      Apply(node.variant.op, type, node.variant.fast, d, x);
      return;
    case VariantKind::kCast:
      Emit({.op = Opcode::kCvt,
            .type = type,
            .mod = static_cast<uint8_t>(graph_.node(node.sources[0]).type),
            .d = d,
            .a = x[0]});
      return;
    case VariantKind::kClamp:
      apply(Opcode::kMax, {x[0], x[1]});
      apply(Opcode::kMin, {d, x[2]});
      return;
    case VariantKind::kSelect: {
      const uint8_t predicate = Predicate(node.sources[0]);
      Emit({.op = Opcode::kSel, .type = type, .d = d, .a = predicate, .b = x[1], .c = x[2]});
      emitter_.FreePredicate(predicate);
      return;
    }
    case VariantKind::kCompare: {
      const uint8_t predicate = Compare(node);
      Emit({.op = Opcode::kSel,
            .type = Type::kU8,
            .d = d,
            .a = predicate,
            .b = Constant(Type::kU8, 1),
            .c = Constant(Type::kU8, 0)});
      emitter_.FreePredicate(predicate);
      return;
    }
    // These two as in operations/elementwise.py, of f16 and bf16 with each step rounded.
    case VariantKind::kGelu:
      apply(Opcode::kMul, {x[0], x[0]});
      apply(Opcode::kMul, {d, x[0]});
      apply(Opcode::kMul, {d, number(0.044715)});
      apply(Opcode::kAdd, {x[0], d});
      apply(Opcode::kMul, {d, number(1.5957691216057308)});
      apply(Opcode::kSigmoid, {d});
      apply(Opcode::kMul, {x[0], d});
      return;
    case VariantKind::kGeluErf: {
      const uint8_t half = emitter_.Allocate();
      Apply(Opcode::kMul, type, false, half, {x[0], number(0.5)});
      apply(Opcode::kMul, {x[0], number(0.7071067811865476)});
      apply(Opcode::kErf, {d});
      apply(Opcode::kAdd, {d, number(1)});
      apply(Opcode::kMul, {half, d});
      emitter_.Free(half);
      return;
    }
  }
}

// A predicate that the caller frees.
uint8_t CircuitValues::Predicate(NodeId id) {
  const Node& node = graph_.node(id);
  if (!predicates_.contains(id)) {
    return Set(isa::Condition::kNe, node.type, RegisterOf(id), Constant(node.type, 0));
  }
  if (node.variant.kind == VariantKind::kCompare) return Compare(node);
  const uint8_t result = Predicate(node.sources[0]);
  if (IsNot(node)) {
    Emit({.op = Opcode::kPnot, .d = result, .a = result});
    return result;
  }
  const uint8_t other = Predicate(node.sources[1]);
  const Opcode op = node.variant.Is(Opcode::kAnd) ? Opcode::kPand : Opcode::kPor;
  Emit({.op = op, .d = result, .a = result, .b = other});
  emitter_.FreePredicate(other);
  return result;
}

uint8_t CircuitValues::Compare(const Node& node) {
  return Set(node.variant.condition, graph_.node(node.sources[0]).type, RegisterOf(node.sources[0]),
             RegisterOf(node.sources[1]));
}

uint8_t CircuitValues::Set(isa::Condition condition, Type type, uint8_t a, uint8_t b) {
  const uint8_t predicate = emitter_.AllocatePredicate();
  Emit({.op = Opcode::kSet,
        .type = type,
        .mod = static_cast<uint8_t>(condition),
        .d = predicate,
        .a = a,
        .b = b});
  return predicate;
}

}  // namespace hologram::frontend
