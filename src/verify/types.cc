// A forward dataflow over, for each register, the set of types it may hold (unset is one more
// member). Sets only grow, so it ends; a read is legal if the set has exactly one member.
#include "verify/types.h"

#include <bit>

namespace hologram::verify {
namespace {

using isa::Direction;
using isa::Instruction;
using isa::Opcode;
using isa::Type;

constexpr uint16_t kUnset = 1u << 15;
using State = std::array<uint16_t, kNumSlots>;

constexpr uint16_t Bit(Type type) {
  return static_cast<uint16_t>(1u << static_cast<unsigned>(type));
}
constexpr uint16_t kPredicateSet = 1;

class TypeChecker {
 public:
  TypeChecker(const isa::Program& program, const Cfg& cfg, Diagnostics& errors)
      : program_(program), cfg_(cfg), errors_(errors) {}

  Types Run() {
    types_.index_type.assign(program_.code.size(), Type::kU32);
    if (!Solve()) return {};
    for (const uint32_t b : cfg_.order) {
      State state = entry_[b];
      for (uint32_t pc = cfg_.blocks[b].begin; pc < cfg_.blocks[b].end; ++pc) {
        CheckInstruction(pc, state);
        Apply(pc, state);
      }
    }
    return std::move(types_);
  }

 private:
  static constexpr size_t kMaxErrors = 20;

  void Fail(uint32_t pc, const std::string& message) {
    if (errors_.size() >= kMaxErrors) return;
    std::string text = "instruction " + std::to_string(cfg_.SourcePc(pc)) + ": " + message;
    // The copies of a function fail alike.
    for (const Diagnostic& known : errors_) {
      if (!cfg_.source_pc.empty() && known.message == text) return;
    }
    errors_.push_back({ErrorCode::kInvalidProgram, program_.LocationOf(pc), std::move(text)});
  }

  State EntryState() const {
    State state;
    state.fill(kUnset);
    for (size_t k = 0; k < program_.parameters.size(); ++k) {
      const isa::Parameter& p = program_.parameters[k];
      state[isa::Program::RegisterOfParameter(k)] = Bit(p.is_buffer ? Type::kU64 : p.type);
    }
    for (uint32_t r = isa::kFirstSpecialRegister; r < isa::kNumRegisters; ++r) {
      state[r] = Bit(r == isa::kNumRegisters - 1 ? Type::kU64 : Type::kU32);
    }
    return state;
  }

  void Apply(uint32_t pc, State& state) const {
    const isa::Uses& uses = cfg_.uses[pc];
    if (uses.write) state[uses.write->reg] = Bit(*uses.write->type);
    if (uses.predicate_write) state[kFirstPredicate + *uses.predicate_write] = kPredicateSet;
  }

  bool Solve() {
    entry_.assign(cfg_.num_blocks(), State{});
    entry_[0] = EntryState();
    constexpr size_t kMaxPasses = 100;
    size_t passes = 0;
    for (bool changed = true; changed;) {
      changed = false;
      if (++passes > kMaxPasses) {
        errors_.push_back(TooComplex(program_, "what types registers hold"));
        return false;
      }
      for (const uint32_t b : cfg_.order) {
        State state = entry_[b];
        for (uint32_t pc = cfg_.blocks[b].begin; pc < cfg_.blocks[b].end; ++pc) Apply(pc, state);
        for (const uint32_t to : cfg_.blocks[b].successors) {
          if (to != kExitBlock) changed |= Merge(state, entry_[to]);
        }
      }
    }
    return true;
  }

  static bool Merge(const State& from, State& to) {
    uint16_t grown = 0;
    for (size_t i = 0; i < from.size(); ++i) {
      grown = static_cast<uint16_t>(grown | (from[i] & ~to[i]));
      to[i] = static_cast<uint16_t>(to[i] | from[i]);
    }
    return grown != 0;
  }

  // "r5" or "r5 ('x')".
  std::string NameOfRegister(uint32_t pc, uint8_t reg) const {
    std::string name = 'r' + std::to_string(reg);
    if (pc < program_.debug.size()) {
      for (const isa::DebugVariable& v : program_.debug[pc].variables) {
        if (v.reg == reg) return name + " ('" + v.name + "')";
      }
    }
    return name;
  }

  void CheckRead(uint32_t pc, const isa::RegisterUse& use, const State& state) {
    const uint16_t held = state[use.reg];
    if ((held & kUnset) != 0) {
      Fail(pc, NameOfRegister(pc, use.reg) + (held == kUnset
                                                  ? " is read before it is set"
                                                  : " is read but not set on every path to here"));
    } else if (std::popcount(held) != 1) {
      Fail(pc, NameOfRegister(pc, use.reg) + " holds values of different types, depending on the " +
                   "path to here");
    } else {
      const auto type = static_cast<Type>(std::countr_zero(held));
      if (!use.type) {
        types_.index_type[pc] = type;
        if (!IsInteger(type)) {
          Fail(pc, "expected an integer as element index, found " + std::string(NameOf(type)) +
                       " in " + NameOfRegister(pc, use.reg));
        }
      } else if (type != *use.type) {
        Fail(pc, "expected " + std::string(NameOf(*use.type)) + " in " +
                     NameOfRegister(pc, use.reg) + ", found " + std::string(NameOf(type)));
      }
    }
  }

  void CheckWrite(uint32_t pc, uint8_t reg) {
    if (reg >= isa::kFirstSpecialRegister) {
      Fail(pc, 'r' + std::to_string(reg) + " is a special register and cannot be written");
    } else if (reg >= 1 && reg <= program_.parameters.size()) {
      Fail(pc, 'r' + std::to_string(reg) + " holds parameter '" +
                   program_.parameters[reg - 1u].name + "' and cannot be written");
    }
  }

  void CheckBuffer(uint32_t pc, const Instruction& instruction) {
    const size_t k = instruction.a - size_t{1};
    if (instruction.a == 0 || k >= program_.parameters.size() ||
        !program_.parameters[k].is_buffer) {
      return Fail(pc, 'r' + std::to_string(instruction.a) + " is no buffer parameter");
    }
    const isa::Parameter& p = program_.parameters[k];
    if (p.type != instruction.type) {
      Fail(pc, "expected " + std::string(NameOf(p.type)) + ", the element type of '" + p.name +
                   "', found " + std::string(NameOf(instruction.type)));
    }
    if (isa::IsLoad(instruction.op) && p.direction == Direction::kOut) {
      Fail(pc, "'" + p.name + "' is an output and cannot be read; declare it inout");
    }
    if (!isa::IsLoad(instruction.op) && p.direction == Direction::kIn) {
      Fail(pc, "'" + p.name + "' is an input and cannot be written; declare it out or inout");
    }
    if (isa::IsAtomic(instruction.op) && p.direction == Direction::kOut) {
      Fail(pc, "'" + p.name + "' is updated by an atomic operation; declare it inout");
    }
  }

  void CheckInstruction(uint32_t pc, const State& state) {
    const Instruction& instruction = program_.code[pc];
    const isa::Uses& uses = cfg_.uses[pc];
    uses.ForEachRead([&](const isa::RegisterUse& use) { CheckRead(pc, use, state); });
    for (int i = 0; i < uses.num_predicate_reads; ++i) {
      const uint8_t p = uses.predicate_reads[static_cast<size_t>(i)];
      if ((state[kFirstPredicate + p] & kUnset) != 0) {
        Fail(pc, 'p' + std::to_string(p) + " is read but not set on every path to here");
      }
    }
    if (uses.write) CheckWrite(pc, uses.write->reg);
    if (isa::IsGlobalAccess(instruction.op)) CheckBuffer(pc, instruction);
  }

  const isa::Program& program_;
  const Cfg& cfg_;
  Diagnostics& errors_;
  Types types_;
  std::vector<State> entry_;
};

}  // namespace

Types CheckTypes(const isa::Program& program, const Cfg& cfg, Diagnostics& errors) {
  return TypeChecker(program, cfg, errors).Run();
}

}  // namespace hologram::verify
