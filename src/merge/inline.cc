#include "merge/inline.h"

#include <algorithm>
#include <bitset>
#include <map>
#include <utility>

#include "merge/registers.h"

namespace hologram::merge {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::OperandKind;

// An instruction, and that of the guest that it comes from.
struct Written {
  Instruction instruction;
  uint32_t pc = 0;
};
using Sequence = std::vector<Written>;

// Registers of all instructions, those of parameters included.
std::bitset<isa::kNumRegisters> UsedIn(const isa::Program& program) {
  std::bitset<isa::kNumRegisters> used;
  used.set(0);
  for (size_t k = 0; k < program.parameters.size(); ++k) {
    used.set(isa::Program::RegisterOfParameter(k));
  }
  for (size_t reg = isa::kFirstSpecialRegister; reg < used.size(); ++reg) used.set(reg);
  for (const Instruction& in : program.code) {
    const isa::Uses uses = isa::UsesOf(in);
    if (uses.write) used.set(uses.write->reg);
    uses.ForEachRead([&](const isa::RegisterUse& use) { used.set(use.reg); });
  }
  return used;
}

// Writes the map at one place of the host.
class Writer {
 public:
  Writer(const Host& host, const Values& values, const Guest& guest)
      : host_(host.program),
        host_map_(host.map),
        constants_(static_cast<uint32_t>(host.scalars.size())),
        values_(values),
        guest_(guest),
        used_(UsedIn(host.program.program())) {}

  // The place: the element number is in `index` before instruction `pc`, and `value` is a register
  // with the value of the array that both have, if the map reads it.
  std::optional<Sequence> At(uint32_t pc, uint8_t index, std::optional<uint8_t> value) {
    pc_ = pc;
    index_ = index;
    value_ = value;
    written_.clear();
    const Live live = LiveBehind(host_, pc);
    busy_ = live.registers;
    busy_predicates_ = live.predicates;
    for (size_t k = 0; k <= host_.program().parameters.size(); ++k) busy_.set(k);
    for (size_t k = isa::kFirstSpecialRegister; k < busy_.size(); ++k) busy_.set(k);
    busy_.set(index);
    if (value) busy_.set(*value);
    // A place or a value that is read later than here.
    for (const uint8_t kept : Kept()) busy_.set(kept);
    return WriteNodes() ? std::optional(written_) : std::nullopt;
  }
  // Of the node that the last At() wrote.
  uint8_t RegisterOf(uint32_t node) const { return registers_[node]; }

  Instruction StoreOf(const ElementStore& store) const {
    Instruction in = guest_.program.code[store.pc];
    in.a = HandleOf(store.parameter);
    in.b = index_;
    in.c = registers_[store.node];
    return in;
  }

 private:
  const std::vector<Node>& nodes() const { return guest_.map.nodes; }
  uint8_t HandleOf(uint32_t parameter) const {
    return isa::Program::RegisterOfParameter(guest_.sources[parameter].parameter);
  }

  // Registers of the host that loads of the map are taken from, or go by.
  std::vector<uint8_t> Kept() const {
    std::vector<uint8_t> kept;
    for (const Node& node : nodes()) {
      if (!node.is_load()) continue;
      if (const std::optional<uint8_t> reg = Known(node)) kept.push_back(*reg);
      if (const std::optional<uint8_t> reg = IndexOf(node)) kept.push_back(*reg);
    }
    return kept;
  }

  // The register of an element that the host has stored or loaded before, in the same steps.
  std::optional<uint8_t> Known(const Node& load) const {
    if (const std::optional<uint8_t> stored = Stored(load)) return stored;
    if (host_map_ == nullptr || guest_.sources[load.parameter].is_written) return std::nullopt;
    const size_t buffer = BufferNumber(host_.program(), guest_.sources[load.parameter].parameter);
    for (const Node& own : host_map_->nodes) {
      const uint32_t pc = own.pc - constants_;
      if (!own.is_load() || own.place != load.place || own.parameter != buffer || pc >= pc_ ||
          own.instruction.type != load.instruction.type ||
          host_.BlockOf(pc) != host_.BlockOf(pc_)) {
        continue;
      }
      const uint8_t loaded = host_.program().code[pc].d;
      if (values_.IsKept(loaded, pc + 1, pc_)) return loaded;
    }
    return std::nullopt;
  }

  // What it has stored.
  std::optional<uint8_t> Stored(const Node& load) const {
    const Source& source = guest_.sources[load.parameter];
    if (!source.is_written || load.place != Place{}) return std::nullopt;
    const uint32_t begin = host_.blocks()[host_.BlockOf(pc_)].begin;
    for (uint32_t k = pc_; k-- > begin;) {
      const Instruction& in = host_.program().code[k];
      if (in.op != Opcode::kStg || in.a != HandleOf(load.parameter)) continue;
      const bool is_same = in.b == index_ && in.displacement() == 0 &&
                           in.type == load.instruction.type && values_.IsKept(index_, k, pc_) &&
                           values_.IsKept(in.c, k, pc_);
      return is_same ? std::optional(in.c) : std::nullopt;
    }
    return std::nullopt;
  }

  // The register with the number of the element that a load reads.
  std::optional<uint8_t> IndexOf(const Node& load) const {
    if (load.place.kind == Place::Kind::kQuotient) return std::nullopt;
    if (load.place.kind != Place::Kind::kModulo) return index_;
    const std::optional<uint32_t> found = values_.Definition(index_, pc_);
    if (!found || *found >= pc_ || host_.BlockOf(*found) != host_.BlockOf(pc_)) return std::nullopt;
    const Instruction& in = host_.program().code[*found];
    if (in.op != Opcode::kAdd || in.type != isa::Type::kU32) return std::nullopt;
    // A multiple of the period and what is left. That it is less than the period is proved where
    // the array of that many elements is read there.
    for (const auto& [base, rest] : {std::pair(in.a, in.b), std::pair(in.b, in.a)}) {
      if (values_.IsMultiple(base, *found, load.place.number) &&
          values_.IsKept(rest, *found, pc_)) {
        return rest;
      }
    }
    return std::nullopt;
  }

  // A register that holds nothing; of those that the host never uses, if there is one.
  std::optional<uint8_t> NewRegister() {
    for (const bool any : {false, true}) {
      for (size_t reg = 1; reg < busy_.size(); ++reg) {
        if (busy_[reg] || (!any && used_[reg])) continue;
        busy_.set(reg);
        return static_cast<uint8_t>(reg);
      }
    }
    return std::nullopt;
  }

  std::optional<uint8_t> NewPredicate() {
    for (size_t k = 0; k < busy_predicates_.size(); ++k) {
      if (busy_predicates_[k]) continue;
      busy_predicates_.set(k);
      return static_cast<uint8_t>(k);
    }
    return std::nullopt;
  }

  bool WriteNodes() {
    registers_.assign(nodes().size(), 0);
    own_.assign(nodes().size(), false);
    std::vector<uint32_t> last(nodes().size());
    for (uint32_t k = 0; k < nodes().size(); ++k) {
      for (const uint32_t operand : nodes()[k].operands) last[operand] = k;
    }
    for (const ElementStore& store : guest_.map.stores) last[store.node] = UINT32_MAX;
    for (uint32_t k = 0; k < nodes().size(); ++k) {
      if (!(nodes()[k].is_load() ? WriteLoad(k) : WriteOperation(k))) return false;
      for (const uint32_t operand : nodes()[k].operands) {
        if (last[operand] == k && own_[operand]) Free(operand);
      }
    }
    return true;
  }

  void Free(uint32_t node) {
    own_[node] = false;
    if (isa::UsesOf(nodes()[node].instruction).predicate_write) {
      busy_predicates_.reset(registers_[node]);
    } else {
      busy_.reset(registers_[node]);
    }
  }

  bool WriteLoad(uint32_t k) {
    const Node& node = nodes()[k];
    const Source& source = guest_.sources[node.parameter];
    const std::optional<uint8_t> known = source.is_value ? value_ : Known(node);
    if (known && (!source.is_value || node.place == Place{})) {
      registers_[k] = *known;
      return true;
    }
    if (source.is_value || source.is_written) return false;
    std::optional<uint8_t> index = IndexOf(node);
    const std::optional<uint8_t> made = NewRegister();
    if (!index || !made) return false;
    if (node.place.kind == Place::Kind::kOne) {
      Instruction number;
      number.op = Opcode::kMovImm;
      number.type = isa::Type::kU32;
      index = NewRegister();
      if (!index) return false;
      number.d = *index;
      number.imm = node.place.number;
      written_.push_back({number, node.pc});
      busy_.reset(*index);
    }
    Instruction in = node.instruction;
    in.a = HandleOf(node.parameter);
    in.b = *index;
    in.d = *made;
    written_.push_back({in, node.pc});
    registers_[k] = *made;
    own_[k] = true;
    return true;
  }

  bool WriteOperation(uint32_t k) {
    const Node& node = nodes()[k];
    Instruction in = node.instruction;
    const bool is_predicate = isa::UsesOf(in).predicate_write.has_value();
    const std::optional<uint8_t> made = is_predicate ? NewPredicate() : NewRegister();
    if (!made) return false;
    size_t next = 0;
    for (const isa::Operand& operand : isa::InfoOf(in.op).operands) {
      if (operand.kind == OperandKind::kDst || operand.kind == OperandKind::kPredDst) {
        isa::SetField(in, operand.field, *made);
      } else if (operand.kind == OperandKind::kSrc || operand.kind == OperandKind::kSrcFrom ||
                 operand.kind == OperandKind::kShift || operand.kind == OperandKind::kPredSrc) {
        isa::SetField(in, operand.field, registers_[node.operands[next++]]);
      }
    }
    written_.push_back({in, node.pc});
    registers_[k] = *made;
    own_[k] = true;
    return true;
  }

  const verify::VerifiedProgram& host_;
  const ElementMap* host_map_;
  const uint32_t constants_;  // that are in front of the program of the map
  const Values& values_;
  const Guest& guest_;
  const std::bitset<isa::kNumRegisters> used_;
  uint32_t pc_ = 0;
  uint8_t index_ = 0;
  std::optional<uint8_t> value_;
  std::bitset<isa::kNumRegisters> busy_;
  std::bitset<isa::kNumPredicates> busy_predicates_;
  std::vector<uint8_t> registers_;  // of each node
  std::vector<bool> own_;           // the register is of the node alone
  Sequence written_;
};

// Instructions behind or in place of others.
struct Edit {
  bool replaces = false;
  Sequence sequence;
};

isa::Program Edited(const isa::Program& host, const isa::Program& guest,
                    const std::map<uint32_t, Edit>& edits) {
  isa::Program made = host;
  made.code.clear();
  made.debug.clear();
  const bool has_lines = !host.debug.empty();
  // Lines of another file would be taken for those of this one.
  const bool knows_guest = has_lines && guest.source_file == host.source_file;
  std::vector<uint32_t> place;
  const auto add = [&](const Instruction& in, isa::DebugLine line) {
    made.code.push_back(in);
    if (has_lines) made.debug.push_back(std::move(line));
  };
  for (uint32_t pc = 0; pc < host.code.size(); ++pc) {
    place.push_back(static_cast<uint32_t>(made.code.size()));
    const auto edit = edits.find(pc);
    if (edit == edits.end() || !edit->second.replaces) {
      add(host.code[pc], has_lines ? host.debug[pc] : isa::DebugLine());
    }
    if (edit == edits.end()) continue;
    for (const Written& one : edit->second.sequence) {
      isa::DebugLine line;
      if (knows_guest && !guest.debug.empty()) line = guest.debug[one.pc];
      line.variables.clear();  // they are in other registers
      line.text = line.text.find('{') == std::string::npos ? line.text : "";
      add(one.instruction, std::move(line));
    }
  }
  place.push_back(static_cast<uint32_t>(made.code.size()));
  for (Instruction& in : made.code) {
    if (HasTarget(in)) in.imm = place[in.target()];
  }
  return made;
}

// The instructions that access the parameter; nothing: one of another kind does, or one that is
// not of its type and at an index alone.
std::optional<std::vector<uint32_t>> AccessesOf(const isa::Program& program, uint32_t parameter,
                                                Opcode kind) {
  const uint8_t handle = isa::Program::RegisterOfParameter(parameter);
  std::vector<uint32_t> found;
  for (uint32_t pc = 0; pc < program.code.size(); ++pc) {
    const Instruction& in = program.code[pc];
    const isa::Uses uses = isa::UsesOf(in);
    bool names_it = uses.write && uses.write->reg == handle;
    uses.ForEachRead([&](const isa::RegisterUse& use) { names_it |= use.reg == handle; });
    if (!names_it) continue;
    const bool is_plain = in.op == kind && in.a == handle && in.b != handle &&
                          !(kind == Opcode::kStg && in.c == handle) && in.displacement() == 0 &&
                          in.type == program.parameters[parameter].type;
    if (!is_plain) return std::nullopt;
    found.push_back(pc);
  }
  return found.empty() ? std::nullopt : std::optional(std::move(found));
}

}  // namespace

std::optional<isa::Program> InlineBehindStores(const Host& host, uint32_t parameter,
                                               const Guest& guest) {
  const auto stores = AccessesOf(host.program.program(), parameter, Opcode::kStg);
  if (!stores) return std::nullopt;
  const Values values(host.program, host.scalars);
  Writer writer(host, values, guest);
  std::map<uint32_t, Edit> edits;
  for (const uint32_t pc : *stores) {
    const Instruction& store = host.program.program().code[pc];
    std::optional<Sequence> sequence = writer.At(pc, store.b, store.c);
    if (!sequence) return std::nullopt;
    for (const ElementStore& own : guest.map.stores) {
      sequence->push_back({writer.StoreOf(own), own.pc});
    }
    edits[pc] = {false, std::move(*sequence)};
  }
  return Edited(host.program.program(), guest.program, edits);
}

std::optional<isa::Program> InlineAtLoads(const Host& host, uint32_t parameter,
                                          const Guest& guest) {
  const auto loads = AccessesOf(host.program.program(), parameter, Opcode::kLdg);
  if (!loads || guest.map.stores.size() != 1) return std::nullopt;
  const Values values(host.program, host.scalars);
  Writer writer(host, values, guest);
  std::map<uint32_t, Edit> edits;
  for (const uint32_t pc : *loads) {
    const Instruction& load = host.program.program().code[pc];
    std::optional<Sequence> sequence = writer.At(pc, load.b, std::nullopt);
    if (!sequence) return std::nullopt;
    Instruction take;
    take.op = Opcode::kMov;
    take.type = load.type;
    take.d = load.d;
    take.a = writer.RegisterOf(guest.map.stores[0].node);
    sequence->push_back({take, guest.map.stores[0].pc});
    edits[pc] = {true, std::move(*sequence)};
  }
  isa::Program made = Edited(host.program.program(), guest.program, edits);
  RemoveParameter(made, parameter);
  return made;
}

std::optional<isa::Program> WithoutStores(const isa::Program& host, uint32_t parameter) {
  const auto stores = AccessesOf(host, parameter, Opcode::kStg);
  if (!stores) return std::nullopt;
  std::map<uint32_t, Edit> edits;
  for (const uint32_t pc : *stores) edits[pc] = {true, {}};
  isa::Program made = Edited(host, host, edits);
  RemoveParameter(made, parameter);
  return made;
}

}  // namespace hologram::merge
