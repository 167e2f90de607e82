// Programs of one block whose lanes meet at barriers in loops: trees, scans, sorting networks and
// rounds over rows, right or nearly so. What a lane does depends on its number and on counters that
// are the same for all lanes.
#include <array>

#include "index_programs.h"

namespace hologram::verify::test {
namespace {

using isa::Condition;
using isa::Instruction;
using isa::Opcode;
using isa::Type;

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  isa::Program Run() {
    program_.name = "tree";
    program_.parameters = {{"a", true, Type::kI32, isa::Direction::kOut},
                           {"b", true, Type::kU8, isa::Direction::kIn},
                           {"c", true, Type::kU32, isa::Direction::kIn},
                           {"n", false, Type::kU32, isa::Direction::kIn},
                           {"m", false, Type::kU32, isa::Direction::kIn},
                           {"k", false, Type::kI32, isa::Direction::kIn}};
    constexpr std::array<uint32_t, 4> kSizes = {4, 8, 8, 5};
    program_.default_block = kSizes[Pick(4)];
    if (Chance(20)) program_.default_block_yz[0] = 2;
    program_.shared = {{"s", Type::kI32, Chance(70) ? 64 : program_.default_block}};
    type_ = Chance(50) ? Type::kU32 : Type::kI32;
    lane_ = Id(isa::Sreg::kLaneX);
    if (program_.default_block_yz[0] > 1 && Chance(60)) {
      lane_ = Binary(Opcode::kAdd,
                     Binary(Opcode::kMul, Id(isa::Sreg::kLaneY), Constant(program_.default_block)),
                     lane_);
    }
    size_ = Chance(60) ? Constant(program_.default_block) : Id(isa::Sreg::kBlockDimX);
    zero_ = Constant(0);
    counters_ = {Constant(1 + Pick(3)), Constant(Pick(3))};
    choice_ = Constant(1 + Pick(2));
    Statements(0, 2 + Pick(3));
    Emit({.op = Opcode::kExit});
    return std::move(program_);
  }

 private:
  uint32_t Pick(uint32_t count) { return static_cast<uint32_t>(random_() % count); }
  bool Chance(uint32_t percent) { return Pick(100) < percent; }

  uint32_t Emit(Instruction instruction) {
    program_.code.push_back(instruction);
    return static_cast<uint32_t>(program_.code.size() - 1);
  }
  uint8_t Define(Instruction instruction) {
    // The last ones are used again where a program is long.
    if (next_register_ < 230) ++next_register_;
    instruction.d = next_register_;
    Emit(instruction);
    return instruction.d;
  }
  uint8_t Id(isa::Sreg sreg) {
    const uint8_t id =
        Define({.op = Opcode::kReadSreg, .type = Type::kU32, .mod = static_cast<uint8_t>(sreg)});
    if (type_ == Type::kU32) return id;
    return Define(
        {.op = Opcode::kCvt, .type = type_, .mod = static_cast<uint8_t>(Type::kU32), .a = id});
  }
  uint8_t Constant(uint64_t value) {
    return Define({.op = Opcode::kMovImm, .type = type_, .imm = value});
  }
  uint8_t Binary(Opcode op, uint8_t a, uint8_t b) {
    return Define({.op = op, .type = type_, .a = a, .b = b});
  }
  uint8_t Counter() { return Chance(15) ? choice_ : counters_[Chance(75) ? 0 : 1]; }
  uint8_t Twice(uint8_t a) { return Binary(Opcode::kMul, a, Constant(2)); }

  uint8_t Index() {
    switch (Pick(11)) {
      case 0:
      case 1:
        return lane_;
      case 2:
        return Binary(Opcode::kAdd, lane_, Counter());
      case 3:
        return Binary(Opcode::kSub, lane_, Counter());
      case 4:
        return Binary(Opcode::kMul, Twice(Counter()), lane_);
      case 5:
        return Binary(Opcode::kAdd, Binary(Opcode::kMul, Twice(Counter()), lane_), Counter());
      case 6:
        return Binary(Opcode::kXor, lane_, Counter());
      case 7:
        return Binary(Opcode::kSub,
                      Binary(Opcode::kMul, Counter(),
                             Binary(Opcode::kAdd, Twice(lane_), Constant(1 + Pick(2)))),
                      Constant(1));
      case 8:
        return Binary(Opcode::kSub, Binary(Opcode::kSub, size_, Constant(1)), lane_);
      case 9:
        return Binary(Opcode::kAdd, Binary(Opcode::kMul, Counter(), size_), lane_);
      default:
        return Chance(50) ? Counter() : Constant(Pick(4));
    }
  }

  uint32_t LeaveIf(Condition leave, uint8_t a, uint8_t b) {
    const auto p = static_cast<uint8_t>(next_predicate_++ % 16);
    Emit({.op = Opcode::kSet,
          .type = type_,
          .mod = static_cast<uint8_t>(leave),
          .d = p,
          .a = a,
          .b = b});
    return Emit({.op = Opcode::kBra, .mod = 1, .a = p});
  }

  // Around what only some lanes do.
  uint32_t Guard() {
    switch (Pick(7)) {
      case 0:
        return LeaveIf(
            Condition::kNe,
            Binary(Opcode::kRem, lane_, Twice(Binary(Opcode::kOr, Counter(), Constant(1)))), zero_);
      case 1:
        return LeaveIf(Condition::kGe, lane_, Counter());
      case 2:
        return LeaveIf(Condition::kLt, lane_, Counter());
      case 3:
        return LeaveIf(Condition::kGe, Binary(Opcode::kAdd, lane_, Counter()), size_);
      case 4:
        return LeaveIf(Condition::kNe, Binary(Opcode::kAnd, lane_, Counter()), zero_);
      case 5:
        return LeaveIf(Condition::kLe, Binary(Opcode::kXor, lane_, Counter()), lane_);
      default:
        return LeaveIf(Condition::kNe, lane_, Chance(50) ? Counter() : zero_);
    }
  }

  void Access() {
    const bool load = Chance(50);
    Instruction i{.op = load ? Opcode::kLds : Opcode::kSts,
                  .type = Type::kI32,
                  .a = 0,
                  .b = Index(),
                  .mode = isa::kIndexedMode};
    if (load) {
      Define(i);
      return;
    }
    i.c = Define(
        {.op = Opcode::kCvt, .type = Type::kI32, .mod = static_cast<uint8_t>(type_), .a = lane_});
    Emit(i);
  }

  // A counter that is the same for all lanes, but for the few whose end is data of the lane.
  void Loop(int depth) {
    const uint32_t kind = Pick(4);
    const uint8_t step = Constant(kind < 2 ? 2 : 1);
    const std::array<uint8_t, 2> outer = counters_;
    const uint8_t counter = Constant(kind == 1 ? 8 : kind == 0 ? 1 : Pick(2));
    const uint8_t end = Chance(6) ? lane_ : kind == 1 ? zero_ : Chance(50) ? size_ : Constant(4);
    counters_ = {counter, outer[0]};
    const auto head = static_cast<uint32_t>(program_.code.size());
    const uint32_t leave = LeaveIf(kind == 1 ? Condition::kLe : Condition::kGe, counter, end);
    const uint8_t first_register = next_register_;
    Statements(depth + 1, 1 + Pick(3));
    next_register_ = first_register;
    constexpr std::array<Opcode, 4> kSteps = {Opcode::kMul, Opcode::kDiv, Opcode::kAdd,
                                              Opcode::kAdd};
    Emit({.op = kSteps[kind], .type = type_, .d = counter, .a = counter, .b = step});
    Emit({.op = Opcode::kBra, .imm = head});
    program_.code[leave].imm = program_.code.size();
    counters_ = outer;
    if (Chance(50)) counters_[0] = counter;
  }

  void Statements(int depth, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      if (depth < 2 && Chance(40)) {
        Loop(depth);
      } else if (Chance(35)) {
        Emit({.op = Opcode::kBarSync});
      } else {
        const uint32_t leave = Chance(70) ? Guard() : 0;
        for (uint32_t k = 1 + Pick(2); k > 0; --k) Access();
        if (Chance(15)) {
          Emit({.op = Opcode::kMovImm, .type = type_, .d = choice_, .imm = Pick(4)});
        }
        if (leave != 0) program_.code[leave].imm = program_.code.size();
        if (Chance(60)) Emit({.op = Opcode::kBarSync});
      }
    }
  }

  std::mt19937 random_;
  isa::Program program_;
  Type type_ = Type::kU32;
  uint8_t lane_ = 0;
  uint8_t size_ = 0;
  uint8_t zero_ = 0;
  std::array<uint8_t, 2> counters_{};
  uint8_t choice_ = 0;  // set here and there, by some lanes or by all
  uint8_t next_register_ = 9;
  uint32_t next_predicate_ = 0;
};

}  // namespace

isa::Program TreeProgram(uint32_t seed) {
  return Generator(seed).Run();
}

}  // namespace hologram::verify::test
