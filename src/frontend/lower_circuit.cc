#include "frontend/lower_circuit.h"

#include <algorithm>
#include <map>
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
  CircuitLowerer(const sigmatics::ValueGraph& graph, const sigmatics::Header& header)
      : graph_(graph), header_(header), emitter_(AddParameters()) {}

  isa::Program Run(const std::vector<NodeId>& outputs, const std::vector<NodeId>& faulting) {
    for (NodeId root : outputs) Schedule(root);
    for (NodeId root : faulting) Schedule(root);
    for (size_t i = 0; i < schedule_.size(); ++i) {
      for (NodeId source : graph_.node(schedule_[i]).sources) last_use_[source] = i;
    }
    // Outputs are needed to the end.
    for (NodeId output : outputs) last_use_[output] = schedule_.size();
    const uint8_t index = emitter_.Special(isa::Sreg::kGlobalX, kPlace);
    index_ = index;
    const Emitter::Label exit = emitter_.NewLabel();
    const uint8_t beyond = emitter_.AllocatePredicate();
    const auto size = isa::Program::RegisterOfParameter(program_.parameters.size() - 1);
    Emit({.op = Opcode::kSet,
          .type = Type::kU32,
          .mod = static_cast<uint8_t>(isa::Condition::kGe),
          .d = beyond,
          .a = index,
          .b = size});
    emitter_.BranchIf(beyond, exit, kPlace);
    emitter_.FreePredicate(beyond);
    for (size_t i = 0; i < schedule_.size(); ++i) {
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
    for (const sigmatics::HeaderParameter& input : header_.inputs) {
      if (input.is_scalar) {
        scalar_parameters_.push_back(program_.parameters.size());
        program_.parameters.push_back({input.scalar, false, input.type, isa::Direction::kIn});
      } else {
        input_parameters_.push_back(program_.parameters.size());
        buffers_[input.buffer] = program_.parameters.size();
        program_.parameters.push_back({Print(input.buffer), true, input.type, isa::Direction::kIn});
      }
    }
    for (const sigmatics::HeaderParameter& output : header_.outputs) {
      const auto [at, is_new] = buffers_.emplace(output.buffer, program_.parameters.size());
      if (is_new) {
        program_.parameters.push_back(
            {Print(output.buffer), true, output.type, isa::Direction::kOut});
      } else {
        program_.parameters[at->second].direction = isa::Direction::kInOut;
      }
    }
    program_.parameters.push_back({header_.size, false, Type::kU32, isa::Direction::kIn});
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
    for (NodeId source : graph_.node(computed).sources) {
      const NodeKind kind = graph_.node(source).kind;
      const bool own = kind == NodeKind::kInput || kind == NodeKind::kOp;
      if (own && last_use_.at(source) == position) emitter_.Free(RegisterOf(source));
    }
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
    for (NodeId source : node.sources) sources.push_back(RegisterOf(source));
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
        const Type condition = graph_.node(node.sources[0]).type;
        const uint8_t predicate = emitter_.AllocatePredicate();
        Emit({.op = Opcode::kSet,
              .type = condition,
              .mod = static_cast<uint8_t>(isa::Condition::kNe),
              .d = predicate,
              .a = x[0],
              .b = Constant(condition, 0)});
        Emit({.op = Opcode::kSel, .type = type, .d = d, .a = predicate, .b = x[1], .c = x[2]});
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
  const auto parsed = sigmatics::Parse(text);
  if (!parsed.ok()) return At(text, source_file, parsed.error());
  if (!parsed.value().header) {
    return At(text, source_file,
              {sigmatics::ErrorKind::kSemantic, 1,
               "a kernel's circuit begins with its parameters, as in (f32 c00) -> (f32 c01) over "
               "n ..."});
  }
  // The canonical form first, so that the program depends on nothing else.
  const auto canonical = CanonicalForm(parsed.value(), sigmatics::Mode::kMemory);
  if (!canonical.ok()) return At(text, source_file, canonical.error());
  for (const sigmatics::Call& call : canonical.value().calls) {
    const bool whole = call.kind == sigmatics::CallKind::kReduceSum ||
                       call.kind == sigmatics::CallKind::kReduceMin ||
                       call.kind == sigmatics::CallKind::kReduceMax ||
                       call.kind == sigmatics::CallKind::kSoftmax;
    if (!whole) continue;
    return Diagnostic{ErrorCode::kUnsupported,
                      {source_file, 1, 1},
                      std::string(NameOf(call.kind)) +
                          " in a circuit does not compile to a kernel in this version; write the "
                          "kernel in Python, with block_reduce_add and its relatives"};
  }
  const sigmatics::Header& header = *canonical.value().circuit.header;
  sigmatics::ValueGraph graph;
  sigmatics::ClassValues values(graph, &header);
  for (const sigmatics::Call& call : canonical.value().calls) {
    HOLOGRAM_CHECK(!values.Run(call).has_value());
  }
  std::vector<NodeId> outputs;
  for (const auto& output : header.outputs) outputs.push_back(*values.at(output.buffer));
  CircuitLowerer lowerer(graph, header);
  isa::Program program = lowerer.Run(outputs, values.faulting());
  if (!lowerer.fits()) {
    return Diagnostic{ErrorCode::kResourceLimit,
                      {source_file, 1, 1},
                      "the circuit needs more registers than there are"};
  }
  program.name = name;
  program.source_file = source_file;
  // Parameters are where the canonical form has them, under the names of the text.
  const sigmatics::Header& written = *parsed.value().header;
  size_t next = 0;
  for (const auto& input : written.inputs) {
    program.parameters[next++].name = input.is_scalar ? input.scalar : Print(input.buffer);
  }
  for (const auto& output : written.outputs) {
    const bool in_place = std::any_of(
        written.inputs.begin(), written.inputs.end(),
        [&](const auto& input) { return !input.is_scalar && input.buffer == output.buffer; });
    if (!in_place) program.parameters[next++].name = Print(output.buffer);
  }
  program.parameters.back().name = written.size;
  for (size_t i = 0; i < program.code.size(); ++i) {
    if (!isa::IsGlobalAccess(program.code[i].op)) continue;
    program.debug[i].text = program.parameters[program.code[i].a - 1U].name + "[i]";
  }
  return program;
}

}  // namespace hologram::frontend
