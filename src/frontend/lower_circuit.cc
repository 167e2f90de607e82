#include "frontend/lower_circuit.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "frontend/emitter.h"
#include "sigmatics/canonical.h"
#include "sigmatics/kernel_values.h"
#include "sigmatics/value_graph.h"

namespace hologram::frontend {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Type;
using sigmatics::Node;
using sigmatics::NodeId;
using sigmatics::NodeKind;
using sigmatics::Variant;
using sigmatics::VariantKind;

// A circuit is one expression: instructions point to its first byte.
constexpr Position kPlace = {1, 1};

class CircuitLowerer {
 public:
  // Parameter k of the circuit becomes parameter order[k] of the program.
  CircuitLowerer(const sigmatics::ValueGraph& graph, const sigmatics::Header& header,
                 const std::vector<size_t>& order)
      : graph_(graph), header_(header), order_(order), emitter_(AddParameters()) {}

  isa::Program Run(const std::vector<NodeId>& outputs, const std::vector<NodeId>& faulting) {
    for (NodeId root : outputs) Schedule(root);
    for (NodeId root : faulting) Schedule(root);
    FindPredicates(outputs, faulting);
    for (size_t i = 0; i < schedule_.size(); ++i) {
      if (predicates_.contains(schedule_[i])) continue;
      ForEachUsed(schedule_[i], [&](NodeId used) { last_use_[used] = i; });
    }
    // Outputs are needed to the end.
    for (NodeId output : outputs) last_use_[output] = schedule_.size();
    const uint8_t index = emitter_.Special(isa::Sreg::kGlobalX, kPlace);
    index_ = index;
    const Emitter::Label exit = emitter_.NewLabel();
    const uint8_t beyond = emitter_.AllocatePredicate();
    const auto size = isa::Program::RegisterOfParameter(order_.back());
    Emit({.op = Opcode::kSet,
          .type = Type::kU32,
          .mod = static_cast<uint8_t>(isa::Condition::kGe),
          .d = beyond,
          .a = index,
          .b = size});
    emitter_.BranchIf(beyond, exit, kPlace);
    emitter_.FreePredicate(beyond);
    for (size_t i = 0; i < schedule_.size(); ++i) {
      if (predicates_.contains(schedule_[i])) continue;
      Compute(schedule_[i]);
      FreeAfter(schedule_[i], i);
    }
    for (size_t k = 0; k < outputs.size(); ++k) {
      const size_t parameter = buffers_.at(header_.outputs[k].buffer);
      const Node& node = graph_.node(outputs[k]);
      const bool unchanged =
          node.kind == NodeKind::kInput && input_parameters_[node.number] == parameter;
      if (unchanged) continue;
      Access(Opcode::kStg, node.type, parameter, RegisterOf(outputs[k]));
    }
    emitter_.Bind(exit);
    Emit({.op = Opcode::kExit});
    emitter_.Finish(program_);
    return std::move(program_);
  }

  bool fits() const { return !emitter_.overflowed(); }

 private:
  // How many there are. Called before any other member is used.
  size_t AddParameters() {
    program_.parameters.resize(order_.size());
    size_t next = 0;
    const auto add = [&](isa::Parameter parameter) {
      const size_t number = order_[next++];
      program_.parameters[number] = std::move(parameter);
      return number;
    };
    const auto buffer = [](const sigmatics::HeaderParameter& given, isa::Direction direction) {
      return isa::Parameter{Print(given.buffer), true, given.type, direction};
    };
    for (const sigmatics::HeaderParameter& input : header_.inputs) {
      if (input.is_scalar) {
        scalar_parameters_.push_back(add({input.scalar, false, input.type, isa::Direction::kIn}));
      } else {
        input_parameters_.push_back(add(buffer(input, isa::Direction::kIn)));
        buffers_[input.buffer] = input_parameters_.back();
      }
    }
    for (const sigmatics::HeaderParameter& output : header_.outputs) {
      const auto known = buffers_.find(output.buffer);
      if (known == buffers_.end()) {
        buffers_[output.buffer] = add(buffer(output, isa::Direction::kOut));
      } else {
        program_.parameters[known->second].direction = isa::Direction::kInOut;
      }
    }
    add({header_.size, false, Type::kU32, isa::Direction::kIn});
    HOLOGRAM_CHECK(next == order_.size());
    return program_.parameters.size();
  }

  // Sources first; without recursion.
  void Schedule(NodeId root) {
    std::vector<std::pair<NodeId, size_t>> path = {{root, 0}};
    while (!path.empty()) {
      auto& [id, next] = path.back();
      const Node& node = graph_.node(id);
      if (position_.contains(id)) {
        path.pop_back();
      } else if (next < node.sources.size()) {
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
  void FindPredicates(const std::vector<NodeId>& outputs, const std::vector<NodeId>& faulting) {
    constexpr int kMaxDepth = 5;  // of predicates that live at a time
    std::set<NodeId> read_as_value(outputs.begin(), outputs.end());
    read_as_value.insert(faulting.begin(), faulting.end());
    std::map<NodeId, int> depth;
    for (NodeId id : schedule_) depth[id] = BoolDepth(id, depth);
    for (auto at = schedule_.rbegin(); at != schedule_.rend(); ++at) {
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

  // How deep comparisons are joined in a bool; 0 for what is none.
  int BoolDepth(NodeId id, const std::map<NodeId, int>& depth) const {
    const Node& node = graph_.node(id);
    if (node.kind != NodeKind::kOp) return 0;
    if (node.variant.kind == VariantKind::kCompare) return 1;
    if (node.type != Type::kU8) return 0;
    const auto of = [&](size_t k) { return depth.at(node.sources[k]); };
    if (node.variant.Is(Opcode::kAnd) || node.variant.Is(Opcode::kOr)) {
      return of(0) == 0 || of(1) == 0 ? 0 : 1 + std::max(of(0), of(1));
    }
    return IsNot(node) && of(0) != 0 ? of(0) : 0;
  }

  // 1 - x, where x is a bool.
  bool IsNot(const Node& node) const {
    if (!node.variant.Is(Opcode::kXor)) return false;
    const Node& one = graph_.node(node.sources[1]);
    return one.kind == NodeKind::kLiteral && one.number == 1;
  }

  // What is read where a value is computed: its sources, and those of predicates among them.
  template <class F>
  void ForEachUsed(NodeId id, F use) {
    for (NodeId source : graph_.node(id).sources) {
      if (predicates_.contains(source)) {
        ForEachUsed(source, use);
      } else {
        use(source);
      }
    }
  }

  // A predicate that the caller frees.
  uint8_t Predicate(NodeId id) {
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

  uint8_t Compare(const Node& node) {
    return Set(node.variant.condition, graph_.node(node.sources[0]).type,
               RegisterOf(node.sources[0]), RegisterOf(node.sources[1]));
  }

  uint8_t Set(isa::Condition condition, Type type, uint8_t a, uint8_t b) {
    const uint8_t predicate = emitter_.AllocatePredicate();
    Emit({.op = Opcode::kSet,
          .type = type,
          .mod = static_cast<uint8_t>(condition),
          .d = predicate,
          .a = a,
          .b = b});
    return predicate;
  }

  void Emit(const Instruction& instruction) { emitter_.Emit(instruction, {1, 1, "", {}}); }

  void Access(Opcode op, Type type, size_t parameter, uint8_t value) {
    Instruction access{.op = op,
                       .type = type,
                       .a = isa::Program::RegisterOfParameter(parameter),
                       .b = index_,
                       .mode = isa::kIndexedMode};
    (op == Opcode::kLdg ? access.d : access.c) = value;
    emitter_.Emit(access, {1, 1, "", {{"i", index_}}});
  }

  uint8_t RegisterOf(NodeId id) const { return registers_.at(id); }

  uint8_t Constant(Type type, uint64_t bits) {
    if (emitter_.has_room_for_constants()) return emitter_.EntryConstant(type, bits, kPlace);
    const uint8_t reg = emitter_.Allocate();
    Emit({.op = Opcode::kMovImm, .type = type, .d = reg, .imm = bits});
    owned_.emplace_back(reg);
    return reg;
  }

  void FreeAfter(NodeId computed, size_t position) {
    for (uint8_t reg : owned_) emitter_.Free(reg);
    owned_.clear();
    ForEachUsed(computed, [&](NodeId source) {
      const NodeKind kind = graph_.node(source).kind;
      const bool own = kind == NodeKind::kInput || kind == NodeKind::kOp;
      if (own && last_use_.at(source) == position) emitter_.Free(RegisterOf(source));
    });
    // Kept for its fault only.
    if (graph_.node(computed).kind == NodeKind::kOp && !last_use_.contains(computed)) {
      emitter_.Free(RegisterOf(computed));
    }
  }

  void Compute(NodeId id) {
    const Node& node = graph_.node(id);
    switch (node.kind) {
      case NodeKind::kScalar:
        registers_[id] = isa::Program::RegisterOfParameter(scalar_parameters_[node.number]);
        return;
      case NodeKind::kLiteral:
        registers_[id] = LongLivedConstant(node.type, node.number);
        return;
      case NodeKind::kInput:
        registers_[id] = emitter_.Allocate();
        Access(Opcode::kLdg, node.type, input_parameters_[node.number], registers_[id]);
        return;
      case NodeKind::kOp:
        break;
      case NodeKind::kReduce:
      case NodeKind::kSoftmax:
        HOLOGRAM_CHECK(false);  // refused before
    }
    const uint8_t result = emitter_.Allocate();
    registers_[id] = result;
    std::vector<uint8_t> sources;
    for (NodeId source : node.sources) {
      sources.push_back(predicates_.contains(source) ? uint8_t{0} : RegisterOf(source));
    }
    ComputeVariant(node, result, sources);
  }

  uint8_t LongLivedConstant(Type type, uint64_t bits) {
    if (emitter_.has_room_for_constants()) return emitter_.EntryConstant(type, bits, kPlace);
    const uint8_t reg = emitter_.Allocate();
    Emit({.op = Opcode::kMovImm, .type = type, .d = reg, .imm = bits});
    return reg;
  }

  void Apply(Opcode op, Type type, bool fast, uint8_t d, const std::vector<uint8_t>& sources) {
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

  void ComputeVariant(const Node& node, uint8_t d, const std::vector<uint8_t>& x) {
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
      case VariantKind::kGelu:
        apply(Opcode::kMul, {x[0], x[0]});
        apply(Opcode::kMul, {d, x[0]});
        apply(Opcode::kMul, {d, number(0.044715)});
        apply(Opcode::kAdd, {x[0], d});
        apply(Opcode::kMul, {d, number(0.7978845608)});
        apply(Opcode::kTanh, {d});
        break;
      case VariantKind::kGeluErf:
        apply(Opcode::kMul, {x[0], number(0.7071067811865476)});
        apply(Opcode::kErf, {d});
        break;
    }
    // 0.5 x (1 + ...)
    apply(Opcode::kAdd, {d, number(1)});
    apply(Opcode::kMul, {d, x[0]});
    apply(Opcode::kMul, {d, number(0.5)});
  }

  const sigmatics::ValueGraph& graph_;
  const sigmatics::Header& header_;
  const std::vector<size_t>& order_;
  isa::Program program_;
  std::vector<size_t> input_parameters_;   // of each input buffer
  std::vector<size_t> scalar_parameters_;  // of each scalar
  std::map<sigmatics::SigilClass, size_t> buffers_;
  Emitter emitter_;
  uint8_t index_ = 0;
  std::vector<NodeId> schedule_;
  std::map<NodeId, size_t> position_;
  std::map<NodeId, size_t> last_use_;
  std::map<NodeId, uint8_t> registers_;
  std::set<NodeId> predicates_;
  std::vector<uint8_t> owned_;  // constants that live for one operation
};

Diagnostic At(std::string_view text, const std::string& file,
              const sigmatics::CircuitError& error) {
  const size_t offset = error.column == 0 ? 0 : error.column - 1;
  uint32_t line = 1;
  size_t begin = 0;
  for (size_t i = 0; i < offset && i < text.size(); ++i) {
    if (text[i] != '\n') continue;
    ++line;
    begin = i + 1;
  }
  return {ErrorCode::kInvalidText,
          {file, line, static_cast<uint32_t>(offset - begin + 1)},
          error.message};
}

}  // namespace

Result<isa::Program> CompileCircuit(std::string_view text, const std::string& source_file,
                                    const std::string& name) {
  HOLOGRAM_ASSIGN_OR_RETURN(CompiledKernel kernel, CompileCircuitFile(text, source_file, name));
  return std::move(kernel.program);
}

Result<CompiledKernel> CompileCircuitFile(std::string_view text, const std::string& source_file,
                                          const std::string& name) {
  const auto parsed = sigmatics::Parse(text);
  if (!parsed.ok()) return At(text, source_file, parsed.error());
  if (!parsed.value().header) {
    return At(text, source_file,
              {sigmatics::ErrorKind::kSemantic, 1,
               "a kernel's circuit begins with its parameters, as in (f32 c00) -> (f32 c01) over "
               "n ..."});
  }
  // The canonical form first, so that the program depends on nothing else.
  auto canonical = CanonicalForm(parsed.value(), sigmatics::Mode::kMemory);
  if (!canonical.ok()) return At(text, source_file, canonical.error());
  const sigmatics::Header& written = *parsed.value().header;
  // The names of the text, where the canonical form has its own.
  std::vector<std::string> names;
  for (const auto& input : written.inputs) {
    names.push_back(input.is_scalar ? input.scalar : Print(input.buffer));
  }
  for (const auto& output : written.outputs) {
    const bool in_place = std::any_of(
        written.inputs.begin(), written.inputs.end(),
        [&](const auto& input) { return !input.is_scalar && input.buffer == output.buffer; });
    if (!in_place) names.push_back(Print(output.buffer));
  }
  names.push_back(written.size);
  std::vector<size_t> order(names.size());
  std::iota(order.begin(), order.end(), size_t{0});
  Result<isa::Program> program = LowerCanonical(canonical.value(), order, names);
  if (!program.ok()) {
    Diagnostic error = program.errors()[0];
    error.where = {source_file, 1, 1};
    return error;
  }
  CompiledKernel kernel;
  kernel.program = std::move(program).value();
  kernel.program.name = name;
  kernel.program.source_file = source_file;
  kernel.circuit.name = name;
  kernel.circuit.source_file = source_file;
  kernel.circuit.form = std::move(canonical).value();
  kernel.circuit.parameters = kernel.program.parameters;
  kernel.circuit.order = std::move(order);
  return kernel;
}

Result<isa::Program> LowerCanonical(const sigmatics::Canonical& canonical,
                                    const std::vector<size_t>& order,
                                    const std::vector<std::string>& names) {
  for (const sigmatics::Call& call : canonical.calls) {
    const bool whole = call.kind == sigmatics::CallKind::kReduceSum ||
                       call.kind == sigmatics::CallKind::kReduceMin ||
                       call.kind == sigmatics::CallKind::kReduceMax ||
                       call.kind == sigmatics::CallKind::kSoftmax;
    if (!whole) continue;
    return Error(ErrorCode::kUnsupported,
                 std::string(NameOf(call.kind)) +
                     " in a circuit does not compile to a kernel in this version; write the "
                     "kernel in Python, with block_reduce_add and its relatives");
  }
  const sigmatics::Header& header = *canonical.circuit.header;
  sigmatics::ValueGraph graph;
  sigmatics::ClassValues values(graph, &header);
  for (const sigmatics::Call& call : canonical.calls) {
    HOLOGRAM_CHECK(!values.Run(call).has_value());
  }
  std::vector<NodeId> outputs;
  for (const auto& output : header.outputs) outputs.push_back(*values.at(output.buffer));
  CircuitLowerer lowerer(graph, header, order);
  isa::Program program = lowerer.Run(outputs, values.faulting());
  if (!lowerer.fits()) {
    return Error(ErrorCode::kResourceLimit, "the circuit needs more registers than there are");
  }
  for (size_t k = 0; k < order.size(); ++k) program.parameters[order[k]].name = names[k];
  for (size_t i = 0; i < program.code.size(); ++i) {
    if (!isa::IsGlobalAccess(program.code[i].op)) continue;
    program.debug[i].text = program.parameters[program.code[i].a - 1U].name + "[i]";
  }
  return program;
}

}  // namespace hologram::frontend
