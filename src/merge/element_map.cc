#include "merge/element_map.h"

#include <algorithm>
#include <array>
#include <utility>

#include "merge/registers.h"

namespace hologram::merge {
namespace {

using isa::Condition;
using isa::Instruction;
using isa::Opcode;
using isa::OperandKind;
using isa::Sreg;

// by[0] global.x + by[1] global.y + by[2] global.z + number, exactly.
struct Affine {
  std::array<int64_t, 3> by{};
  int64_t number = 0;
  bool is_number() const { return by == std::array<int64_t, 3>{}; }
};

// Computes a value of a lane from values of the same, and nothing else, and does not fault. Integer
// division is asked for by itself.
bool IsPure(Opcode op) {
  const auto code = static_cast<uint8_t>(op);
  const auto is_in = [&](Opcode first, Opcode last) {
    return static_cast<uint8_t>(first) <= code && code <= static_cast<uint8_t>(last);
  };
  return is_in(Opcode::kMov, Opcode::kSel) || is_in(Opcode::kExp, Opcode::kSigmoid) ||
         is_in(Opcode::kRem, Opcode::kPnot) || is_in(Opcode::kErf, Opcode::kAtan2) ||
         op == Opcode::kPopc;
}

class Finder {
 public:
  Finder(const verify::VerifiedProgram& program, const hologram_launch_shape& shape)
      : verified_(program), program_(program.program()), shape_(shape) {
    for (size_t d = 0; d < 3; ++d) extents_[d] = int64_t{shape.grid[d]} * shape.block[d];
  }

  std::optional<ElementMap> Find() {
    for (uint32_t pc = 0; pc < program_.code.size(); ++pc) {
      if (program_.code[pc].op == Opcode::kExit) break;
      if (!Step(pc)) return std::nullopt;
    }
    return Finish();
  }

 private:
  // What a register holds: a number made of ids, a value of elements, or both where it is constant.
  struct Held {
    std::optional<Affine> affine;
    std::optional<uint32_t> node;
  };
  struct Predicate {
    std::optional<uint32_t> node;
    // It holds where the id is at least this: the lane is none of the elements.
    std::optional<std::pair<size_t, int64_t>> outside;
  };
  struct Access {
    uint32_t node = 0;  // of a load; of a store the value
    uint32_t parameter = 0;
    Affine index;
    uint32_t pc = 0;
  };

  bool Step(uint32_t pc) {
    const Instruction& in = program_.code[pc];
    if (in.op == Opcode::kReadSreg) return ReadId(in);
    if (in.op == Opcode::kBra) return Guard(in);
    if (in.op == Opcode::kLdg || in.op == Opcode::kStg) return AddAccess(in, pc);
    return Compute(in, pc);
  }

  bool ReadId(const Instruction& in) {
    if (in.type != isa::Type::kU32) return false;
    Affine id;
    const size_t d = static_cast<size_t>(in.sreg()) - static_cast<size_t>(Sreg::kGlobalX);
    if (in.sreg() < Sreg::kGlobalX || d > 2) return false;
    id.by[d] = 1;
    registers_[in.d] = {id, std::nullopt};
    return true;
  }

  // A branch to the end for lanes that are none of the elements.
  bool Guard(const Instruction& in) {
    const bool leaves =
        in.target() >= program_.code.size() || program_.code[in.target()].op == Opcode::kExit;
    if (!in.conditional() || !leaves || !predicates_[in.a].outside) return false;
    const auto [d, end] = *predicates_[in.a].outside;
    extents_[d] = std::min(extents_[d], end);
    return end > 0;
  }

  bool AddAccess(const Instruction& in, uint32_t pc) {
    const std::optional<size_t> parameter = ParameterOf(program_, in.a);
    const std::optional<Affine>& index = registers_[in.b].affine;
    if (!parameter || !index || in.in_class_memory() || in.displacement() != 0 ||
        in.type != program_.parameters[*parameter].type) {
      return false;
    }
    Access access{0, static_cast<uint32_t>(*parameter), *index, pc};
    if (in.op == Opcode::kStg) {
      if (!registers_[in.c].node) return false;
      access.node = *registers_[in.c].node;
      stores_.push_back(access);
      return true;
    }
    access.node = static_cast<uint32_t>(map_.nodes.size());
    map_.nodes.push_back({in, {}, access.parameter, {}, pc});
    loads_.push_back(access);
    registers_[in.d] = {std::nullopt, access.node};
    return true;
  }

  bool Compute(const Instruction& in, uint32_t pc) {
    if (!IsPure(in.op)) return false;
    const bool divides = in.op == Opcode::kDiv || in.op == Opcode::kRem;
    if (divides && isa::IsInteger(in.type) && !verified_.NeverFaults(pc)) return false;
    Node node{in, {}, 0, {}, pc};
    bool is_value = true;
    const isa::Uses uses = isa::UsesOf(in);
    for (const isa::Operand& operand : isa::InfoOf(in.op).operands) {
      const uint8_t value = isa::GetField(in, operand.field);
      std::optional<uint32_t> read;
      if (operand.kind == OperandKind::kSrc || operand.kind == OperandKind::kSrcFrom ||
          operand.kind == OperandKind::kShift) {
        read = registers_[value].node;
      } else if (operand.kind == OperandKind::kPredSrc) {
        read = predicates_[value].node;
      } else {
        continue;
      }
      is_value = is_value && read.has_value();
      node.operands.push_back(read.value_or(0));
    }
    Held held;
    held.affine = AffineOf(in);
    Predicate predicate;
    if (in.op == Opcode::kSet) predicate.outside = OutsideOf(in);
    if (is_value) {
      held.node = predicate.node = static_cast<uint32_t>(map_.nodes.size());
      map_.nodes.push_back(std::move(node));
    } else if (!held.affine && !predicate.outside) {
      return false;  // a value that is made of ids
    }
    if (uses.write) registers_[uses.write->reg] = held;
    if (uses.predicate_write) predicates_[*uses.predicate_write] = predicate;
    return true;
  }

  // The least and the largest value over the lanes that are left; nothing: it is none of the type.
  bool Fits(const Affine& value, isa::Type type) const {
    __int128 low = value.number;
    __int128 high = value.number;
    for (size_t d = 0; d < 3; ++d) {
      const __int128 reach = static_cast<__int128>(value.by[d]) * (extents_[d] - 1);
      (reach < 0 ? low : high) += reach;
    }
    return low >= isa::MinOf(type) && high <= isa::MaxOf(type);
  }

  std::optional<Affine> AffineOf(const Instruction& in) const {
    if (!isa::IsInteger(in.type)) return std::nullopt;
    std::optional<Affine> made;
    const std::optional<Affine>& a = registers_[in.a].affine;
    const std::optional<Affine>& b = registers_[in.b].affine;
    if (in.op == Opcode::kMovImm) {
      made = Affine{{}, SignedValue(in)};
    } else if (in.op == Opcode::kMov ||
               (in.op == Opcode::kCvt && isa::IsInteger(in.source_type()))) {
      made = a;
    } else if (in.op == Opcode::kAdd && a && b) {
      made = Sum(*a, *b, 1);
    } else if (in.op == Opcode::kSub && a && b) {
      made = Sum(*a, *b, -1);
    } else if (in.op == Opcode::kMul && a && b && (a->is_number() || b->is_number())) {
      made = a->is_number() ? Scaled(*b, a->number) : Scaled(*a, b->number);
    }
    return made && Fits(*made, in.type) ? made : std::nullopt;
  }

  static int64_t SignedValue(const Instruction& in) {
    const unsigned shift = 64 - isa::BitsOf(in.type);
    if (!isa::IsSignedInteger(in.type)) return static_cast<int64_t>(in.imm);
    return static_cast<int64_t>(in.imm << shift) >> shift;
  }

  static std::optional<Affine> Scaled(const Affine& value, int64_t factor) {
    Affine made;
    bool wraps = __builtin_mul_overflow(value.number, factor, &made.number);
    for (size_t d = 0; d < 3; ++d) {
      wraps = __builtin_mul_overflow(value.by[d], factor, &made.by[d]) || wraps;
    }
    return wraps ? std::nullopt : std::optional(made);
  }

  static std::optional<Affine> Sum(const Affine& a, const Affine& b, int64_t factor) {
    const std::optional<Affine> other = Scaled(b, factor);
    if (!other) return std::nullopt;
    Affine made;
    bool wraps = __builtin_add_overflow(a.number, other->number, &made.number);
    for (size_t d = 0; d < 3; ++d) {
      wraps = __builtin_add_overflow(a.by[d], other->by[d], &made.by[d]) || wraps;
    }
    return wraps ? std::nullopt : std::optional(made);
  }

  std::optional<std::pair<size_t, int64_t>> OutsideOf(const Instruction& in) const {
    if (!isa::IsInteger(in.type) || in.condition() != Condition::kGe) return std::nullopt;
    const std::optional<Affine>& id = registers_[in.a].affine;
    const std::optional<Affine>& end = registers_[in.b].affine;
    if (!id || !end || !end->is_number() || id->number != 0) return std::nullopt;
    for (size_t d = 0; d < 3; ++d) {
      Affine only;
      only.by[d] = 1;
      if (id->by == only.by) return std::pair(d, end->number);
    }
    return std::nullopt;
  }

  // Whether the number goes up by `wanted` with id d, as far as that has more than one value.
  bool GoesBy(const Affine& index, size_t d, int64_t wanted) const {
    return extents_[d] == 1 || index.by[d] == wanted;
  }

  std::optional<Place> PlaceOf(const Affine& index) const {
    const int64_t row = extents_[0];
    const int64_t plane = row * extents_[1];
    if (GoesBy(index, 0, 0) && GoesBy(index, 1, 0) && GoesBy(index, 2, 0)) {
      const bool is_same = row * extents_[1] * extents_[2] == 1 && index.number == 0;
      return is_same ? Place{} : Place{Place::Kind::kOne, static_cast<uint64_t>(index.number)};
    }
    if (index.number != 0) return std::nullopt;
    if (GoesBy(index, 0, 0) && GoesBy(index, 1, 1) && GoesBy(index, 2, extents_[1])) {
      return Place{Place::Kind::kQuotient, static_cast<uint64_t>(row)};
    }
    if (!GoesBy(index, 0, 1)) return std::nullopt;
    if (GoesBy(index, 1, row) && GoesBy(index, 2, plane)) return Place{};
    if (GoesBy(index, 1, row) && GoesBy(index, 2, 0)) {
      return Place{Place::Kind::kModulo, static_cast<uint64_t>(plane)};
    }
    if (GoesBy(index, 1, 0) && GoesBy(index, 2, 0)) {
      return Place{Place::Kind::kModulo, static_cast<uint64_t>(row)};
    }
    return std::nullopt;
  }

  std::optional<ElementMap> Finish() {
    int64_t elements = 1;
    for (const int64_t extent : extents_) {
      if (__builtin_mul_overflow(elements, extent, &elements)) return std::nullopt;
    }
    map_.elements = static_cast<uint64_t>(elements);
    for (const Access& load : loads_) {
      const std::optional<Place> place = PlaceOf(load.index);
      if (!place) return std::nullopt;
      map_.nodes[load.node].place = *place;
    }
    for (const Access& store : stores_) {
      if (PlaceOf(store.index) != Place{}) return std::nullopt;
      const auto writes_too = [&](const Access& other) {
        return &other != &store && other.parameter == store.parameter;
      };
      // It would be read behind a store, or written twice.
      if (std::any_of(loads_.begin(), loads_.end(), writes_too) ||
          std::any_of(stores_.begin(), stores_.end(), writes_too)) {
        return std::nullopt;
      }
      map_.stores.push_back({store.parameter, store.node, store.pc});
    }
    if (map_.stores.empty()) return std::nullopt;
    KeepNeeded();
    return std::move(map_);
  }

  void KeepNeeded() {
    std::vector<bool> is_needed(map_.nodes.size());
    for (const ElementStore& store : map_.stores) is_needed[store.node] = true;
    for (size_t k = map_.nodes.size(); k-- > 0;) {
      if (!is_needed[k]) continue;
      for (const uint32_t operand : map_.nodes[k].operands) is_needed[operand] = true;
    }
    std::vector<uint32_t> number(map_.nodes.size());
    std::vector<Node> kept;
    for (size_t k = 0; k < map_.nodes.size(); ++k) {
      if (!is_needed[k]) continue;
      number[k] = static_cast<uint32_t>(kept.size());
      for (uint32_t& operand : map_.nodes[k].operands) operand = number[operand];
      kept.push_back(std::move(map_.nodes[k]));
    }
    for (ElementStore& store : map_.stores) store.node = number[store.node];
    map_.nodes = std::move(kept);
  }

  const verify::VerifiedProgram& verified_;
  const isa::Program& program_;
  const hologram_launch_shape& shape_;
  std::array<int64_t, 3> extents_{};
  std::array<Held, isa::kNumRegisters> registers_;
  std::array<Predicate, isa::kNumPredicates> predicates_;
  std::vector<Access> loads_;
  std::vector<Access> stores_;
  ElementMap map_;
};

}  // namespace

std::optional<ElementMap> FindElementMap(const verify::VerifiedProgram& program,
                                         const hologram_launch_shape& shape) {
  const isa::Program& source = program.program();
  if (!source.shared.empty() || !source.locals.empty() || program.recursive()) return std::nullopt;
  return Finder(program, shape).Find();
}

}  // namespace hologram::merge
