// Memory mode with a header: values -> calls, in canonical order and with canonical names.
//
// Parameters are c00, c01, ... and $a, $b, ... in the order of the header (a buffer that is input
// and output counts where it is an input), temporaries the lowest free classes behind them. Values
// are computed in the order in which the outputs need them, each right into the output that it is
// the value of where nothing needs that class any more.
#include <algorithm>
#include <array>
#include <map>

#include "base/check.h"
#include "sigmatics/canonical.h"
#include "sigmatics/values/class_values.h"

namespace hologram::sigmatics {
namespace {

// $a, $b, ... without $n, which is the size.
std::string ScalarName(uint64_t number) {
  constexpr std::string_view kSize = "n";
  if (number == kSizeNumber) return std::string(kSize);
  constexpr std::string_view kLetters = "abcdefghijklmopqrstuvwxyz";
  std::string name(1, kLetters[number % kLetters.size()]);
  if (number >= kLetters.size()) name += std::to_string(number / kLetters.size());
  return name;
}

class Emitter {
 public:
  Emitter(const ValueGraph& graph, const Header& header) : graph_(graph) { NameParameters(header); }

  // `outputs`: the values of the header's outputs, in its order.
  Checked<std::vector<Call>> Run(const std::vector<NodeId>& outputs, std::vector<NodeId> faulting) {
    outputs_ = outputs;
    std::sort(faulting.begin(), faulting.end(),
              [&](NodeId a, NodeId b) { return graph_.Before(a, b); });
    for (NodeId root : outputs) Schedule(root);
    for (NodeId root : faulting) Schedule(root);
    FindLastUses();
    ChooseHomes();
    for (size_t i = 0; i < schedule_.size(); ++i) {
      if (!Compute(i)) {
        return CircuitError{ErrorKind::kLimit, 1,
                            "the circuit needs more than 96 classes at a time"};
      }
    }
    CopyOutputs();
    return std::move(calls_);
  }

  const Header& header() const { return header_; }

 private:
  static constexpr size_t kEnd = SIZE_MAX;

  void NameParameters(const Header& header) {
    std::map<SigilClass, SigilClass> names;
    uint64_t scalars = 0;
    const auto add = [&](const HeaderParameter& parameter) {
      HeaderParameter named = parameter;
      if (parameter.is_scalar) {
        named.scalar = ScalarName(scalars++);
        return named;
      }
      const auto fresh = *SigilClass::FromIndex(names.size());
      named.buffer = names.emplace(parameter.buffer, fresh).first->second;
      return named;
    };
    for (const HeaderParameter& parameter : header.inputs) {
      header_.inputs.push_back(add(parameter));
      if (!parameter.is_scalar) inputs_.push_back(header_.inputs.back().buffer);
    }
    for (const HeaderParameter& parameter : header.outputs) {
      header_.outputs.push_back(add(parameter));
    }
    header_.size = ScalarName(kSizeNumber);
    header_.lanes = header.lanes;
    header_.cut = header.cut;
    for (size_t i = 0; i < names.size(); ++i) used_[i] = true;
  }

  bool IsComputed(NodeId id) const {
    const NodeKind kind = graph_.node(id).kind;
    return kind == NodeKind::kOp || kind == NodeKind::kReduce || kind == NodeKind::kSoftmax;
  }

  // Sources first; without recursion, since a circuit may be a chain of any length.
  void Schedule(NodeId root) {
    std::vector<std::pair<NodeId, size_t>> path = {{root, 0}};
    while (!path.empty()) {
      auto& [id, next] = path.back();
      const Node& node = graph_.node(id);
      if (!IsComputed(id) || position_.contains(id)) {
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

  void FindLastUses() {
    for (size_t i = 0; i < schedule_.size(); ++i) {
      for (NodeId source : graph_.node(schedule_[i]).sources) last_use_[source] = i;
    }
  }

  // The input in a class, if it is one.
  std::optional<uint64_t> InputIn(SigilClass c) const {
    const auto found = std::find(inputs_.begin(), inputs_.end(), c);
    if (found == inputs_.end()) return std::nullopt;
    return static_cast<uint64_t>(found - inputs_.begin());
  }

  // An output may be computed in place if what it held is not needed afterwards.
  void ChooseHomes() {
    std::map<uint64_t, size_t> last_use_of_input;
    for (const auto& [id, position] : last_use_) {
      if (graph_.node(id).kind == NodeKind::kInput) {
        last_use_of_input[graph_.node(id).number] = position;
      }
    }
    for (NodeId output : outputs_) {
      if (graph_.node(output).kind == NodeKind::kInput) {
        last_use_of_input[graph_.node(output).number] = kEnd;
      }
    }
    for (size_t k = 0; k < outputs_.size(); ++k) {
      const NodeId value = outputs_[k];
      if (!IsComputed(value) || home_.contains(value)) continue;
      const SigilClass c = header_.outputs[k].buffer;
      if (const auto input = InputIn(c)) {
        const auto last = last_use_of_input.find(*input);
        const bool needed = last != last_use_of_input.end() && last->second > position_.at(value);
        if (needed || !MayReplaceInput(value, *input)) continue;
      }
      home_.emplace(value, c);
    }
    for (NodeId output : outputs_) last_use_[output] = kEnd;
  }

  // A reduction keeps the other elements of its destination. The input's would be kept by one that
  // is a number; others would be copied over the input before it is read.
  bool MayReplaceInput(NodeId value, uint64_t input) const {
    const Node& node = graph_.node(value);
    if (node.kind != NodeKind::kReduce) return true;
    if (!KeepsRest(node)) return false;
    const Node& rest = graph_.node(node.sources[1]);
    return rest.kind == NodeKind::kInput && rest.number == input;
  }

  Operand PlaceOf(NodeId id) const {
    const Node& node = graph_.node(id);
    Operand operand;
    switch (node.kind) {
      case NodeKind::kInput:
        return ClassOperand(inputs_[node.number]);
      case NodeKind::kScalar:
        operand.kind = Operand::Kind::kScalar;
        operand.scalar = ScalarName(node.number);
        return operand;
      case NodeKind::kLiteral:
        operand.kind = Operand::Kind::kLiteral;
        operand.literal = LiteralOfBits(node.number, node.type);
        return operand;
      default:
        return ClassOperand(place_.at(id));
    }
  }

  std::optional<SigilClass> FreeClass(bool fresh) {
    for (size_t i = 0; i < kNumSigilClasses; ++i) {
      if (used_[i] || (fresh && held_vector_[i])) continue;
      used_[i] = true;
      return SigilClass::FromIndex(i);
    }
    return std::nullopt;
  }

  bool Compute(size_t position) {
    const NodeId id = schedule_[position];
    const Node& node = graph_.node(id);
    Call call;
    for (NodeId source : node.sources) call.sources.push_back(PlaceOf(source));
    std::optional<Operand> rest;
    if (KeepsRest(node)) {
      rest = call.sources[1];
      call.sources.pop_back();
    }
    // Reductions read classes: a literal or a scalar comes to be in one first.
    std::vector<SigilClass> constants;
    for (size_t k = 0; node.kind != NodeKind::kOp && k < call.sources.size(); ++k) {
      if (call.sources[k].kind != Operand::Kind::kLiteral &&
          call.sources[k].kind != Operand::Kind::kScalar) {
        continue;
      }
      const std::optional<SigilClass> holder = FreeClass(false);
      if (!holder) return false;
      held_vector_[holder->index()] = true;
      AddCopyOfConstant(node.sources[k], *holder);
      call.sources[k] = ClassOperand(*holder);
      constants.push_back(*holder);
    }
    // A temporary that is read here for the last time may be written here.
    for (NodeId source : node.sources) {
      if (IsComputed(source) && !home_.contains(source) && last_use_.at(source) == position) {
        // A reduction writes one element of its destination, after all others were read.
        if (node.kind == NodeKind::kOp) used_[place_.at(source).index()] = false;
      }
    }
    const auto home = home_.find(id);
    // What a class held would be the rest of a reduction that is to be one number.
    const bool fresh = node.kind == NodeKind::kReduce && !rest;
    const std::optional<SigilClass> c = home != home_.end() ? home->second : FreeClass(fresh);
    if (!c) return false;
    if (!fresh) held_vector_[c->index()] = true;
    place_[id] = *c;
    call.destination = ClassOperand(*c);
    switch (node.kind) {
      case NodeKind::kReduce:
        call.kind = node.reduction;
        if (rest && rest->kind == Operand::Kind::kLiteral && home == home_.end()) {
          AddCopyOfConstant(node.sources[1], *c);
        } else if (rest && !(*rest == call.destination)) {
          AddCopy(*rest, call.destination);
        }
        break;
      case NodeKind::kSoftmax:
        call.kind = CallKind::kSoftmax;
        break;
      default:
        call.variant = node.variant;
        call.kind = CallKind::kMerge;
        if (node.variant.Is(isa::Opcode::kSub) || node.variant.Is(isa::Opcode::kDiv)) {
          call.kind = CallKind::kSplit;
        }
        GiveLiteralsTypes(node, call);
        break;
    }
    if (node.kind != NodeKind::kOp && node.number != 0) call.count = node.number;
    const bool mark = IsMarkInPlace(node, call);
    if (mark) {
      call = Call();
      call.destination = ClassOperand(*c);
    }
    calls_.push_back(std::move(call));
    for (SigilClass holder : constants) used_[holder.index()] = false;
    for (NodeId source : node.sources) {
      if (node.kind != NodeKind::kOp && IsComputed(source) && !home_.contains(source) &&
          last_use_.at(source) == position) {
        used_[place_.at(source).index()] = false;
      }
    }
    return true;
  }

  // Literals that nothing gives the type that they have say it themselves: conditions, operands of
  // casts, and the first of those that decide the type if all of them are literals.
  void GiveLiteralsTypes(const Node& node, Call& call) const {
    std::optional<size_t> first;
    bool all = true;
    const auto say = [&](size_t k) {
      const isa::Type type = graph_.node(node.sources[k]).type;
      Literal& literal = call.sources[k].literal;
      if (literal.own_type() != type) literal.type = type;
    };
    for (uint32_t k = 0; k < call.sources.size(); ++k) {
      const bool literal = call.sources[k].kind == Operand::Kind::kLiteral;
      if (AcceptsAnyType(node.variant, k)) {
        if (literal) say(k);
      } else if (!IsShiftAmount(node.variant, k)) {
        if (!first) first = k;
        all = all && literal;
      }
    }
    if (all && first) say(*first);
  }

  static bool IsMarkInPlace(const Node& node, const Call& call) {
    return node.kind == NodeKind::kOp && node.variant.Is(isa::Opcode::kNeg) &&
           isa::IsFloat(node.type) && call.sources[0] == call.destination;
  }

  void AddCopy(const Operand& source, const Operand& destination) {
    Call copy;
    copy.kind = CallKind::kCopy;
    copy.sources.push_back(source);
    copy.destination = destination;
    calls_.push_back(std::move(copy));
  }

  // Into a class whose type nothing else says.
  void AddCopyOfConstant(NodeId id, SigilClass c) {
    Operand constant = PlaceOf(id);
    const isa::Type type = graph_.node(id).type;
    if (constant.kind == Operand::Kind::kLiteral && constant.literal.own_type() != type) {
      constant.literal.type = type;
    }
    AddCopy(constant, ClassOperand(c));
  }

  // All at once: an output may hold the input that another output is to hold.
  void CopyOutputs() {
    struct Move {
      Operand from;
      Operand to;
    };
    std::vector<Move> moves;
    for (size_t k = 0; k < outputs_.size(); ++k) {
      const Operand to = ClassOperand(header_.outputs[k].buffer);
      const Operand from = PlaceOf(outputs_[k]);
      if (!(from == to)) moves.push_back({from, to});
    }
    while (!moves.empty()) {
      const auto free = std::find_if(moves.begin(), moves.end(), [&](const Move& move) {
        return std::none_of(moves.begin(), moves.end(),
                            [&](const Move& other) { return other.from == move.to; });
      });
      if (free != moves.end()) {
        AddCopy(free->from, free->to);
        moves.erase(free);
        continue;
      }
      // Only circles are left: exchanging two classes settles one of them.
      const Move first = moves.front();
      Call swap;
      swap.kind = CallKind::kSwap;
      swap.sources.push_back(first.to);
      swap.destination = first.from;
      calls_.push_back(std::move(swap));
      moves.erase(moves.begin());
      for (Move& move : moves) {
        if (move.from == first.to) {
          move.from = first.from;
        } else if (move.from == first.from) {
          move.from = first.to;
        }
      }
      std::erase_if(moves, [](const Move& move) { return move.from == move.to; });
    }
    if (calls_.empty()) {
      // Every output keeps what it holds; there is no empty circuit.
      AddCopy(ClassOperand(header_.outputs[0].buffer), ClassOperand(header_.outputs[0].buffer));
    }
  }

  const ValueGraph& graph_;
  Header header_;
  std::vector<SigilClass> inputs_;
  std::vector<NodeId> outputs_;
  std::vector<NodeId> schedule_;
  std::map<NodeId, size_t> position_;
  std::map<NodeId, size_t> last_use_;
  std::map<NodeId, SigilClass> home_;
  std::map<NodeId, SigilClass> place_;
  std::array<bool, kNumSigilClasses> used_{};
  std::array<bool, kNumSigilClasses> held_vector_{};
  std::vector<Call> calls_;
};

}  // namespace

Checked<Canonical> FormOfValues(const Header& header, const ValueGraph& graph,
                                const std::vector<NodeId>& outputs,
                                const std::vector<NodeId>& faulting, size_t original_operations) {
  Emitter emitter(graph, header);
  Canonical canonical;
  HOLOGRAM_ASSIGN_OR_RETURN(canonical.calls, emitter.Run(outputs, faulting));
  canonical.circuit = CircuitOf(canonical.calls, emitter.header());
  canonical.original_operations = original_operations;
  canonical.canonical_operations = canonical.calls.size();
  const Call& only = canonical.calls[0];
  if (canonical.calls.size() == 1 && only.kind == CallKind::kCopy &&
      only.sources[0] == only.destination) {
    canonical.canonical_operations = 0;
  }
  return canonical;
}

Checked<Canonical> KernelForm(const Header& header, const std::vector<Call>& calls) {
  ValueGraph graph;
  ClassValues values(graph, &header);
  for (const Call& call : calls) {
    if (auto error = values.Run(call)) return *error;
  }
  std::vector<NodeId> outputs;
  for (const HeaderParameter& output : header.outputs) {
    const auto wrong = [&](const std::string& message) {
      return CircuitError{ErrorKind::kSemantic, 1, "the output " + Print(output.buffer) + message};
    };
    const std::optional<NodeId> value = values.at(output.buffer);
    if (!value) return wrong(" is never written");
    const isa::Type type = graph.node(*value).type;
    if (type != output.type) {
      return wrong(" is " + std::string(isa::NameOf(output.type)) + ", but its value is " +
                   std::string(isa::NameOf(type)));
    }
    outputs.push_back(*value);
  }
  return FormOfValues(header, graph, outputs, values.faulting(), calls.size());
}

}  // namespace hologram::sigmatics
