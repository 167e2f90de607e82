// Programs whose lanes keep apart, or nearly do, for the reasons that people have: rows and
// columns, mirrored and exclusive-or partners, parities, diagonals, values that are all the same.
#include <array>

#include "index_programs.h"

namespace hologram::verify::test {
namespace {

using isa::Condition;
using isa::Direction;
using isa::Instruction;
using isa::Opcode;
using isa::Type;

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  isa::Program Run() {
    program_.name = "lanes";
    program_.parameters = {
        {"a", true, Type::kI32, Direction::kInOut}, {"b", true, Type::kU8, Direction::kIn},
        {"c", true, Type::kU32, Direction::kOut},   {"n", false, Type::kU32, Direction::kIn},
        {"m", false, Type::kU32, Direction::kIn},   {"k", false, Type::kI32, Direction::kIn}};
    shared_ = Chance(25);
    if (shared_) program_.shared = {{"s", Type::kI32, 64}};
    type_ = Chance(70) ? Type::kU32 : Type::kI32;
    x_ = Id(shared_ ? isa::Sreg::kLaneX : isa::Sreg::kGlobalX);
    y_ = Id(shared_ ? isa::Sreg::kLaneY : isa::Sreg::kGlobalY);
    if (Chance(20)) x_ = Binary(Opcode::kAdd, x_, Chance(50) ? Constant(1) : Scalar(5));
    divisor_ = 2 + Pick(2);
    width_ = Chance(60) ? Scalar(4) : Constant(1 + Pick(9));
    for (size_t i = 0; i < columns_.size(); ++i) columns_[i] = Column();
    for (size_t i = 0; i < rows_.size(); ++i) rows_[i] = Row();
    flat_ = Chance(40);
    Part(1 + Pick(4), 2 + Pick(3));
    if (shared_ && Chance(40)) {
      Emit({.op = Opcode::kBarSync});
      Part(1 + Pick(2), 1 + Pick(3));
    }
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
    instruction.d = next_register_++;
    Emit(instruction);
    return instruction.d;
  }
  uint8_t Convert(Type from, uint8_t reg) {
    if (from == type_) return reg;
    return Define({.op = Opcode::kCvt, .type = type_, .mod = static_cast<uint8_t>(from), .a = reg});
  }
  uint8_t Id(isa::Sreg sreg) {
    return Convert(
        Type::kU32,
        Define({.op = Opcode::kReadSreg, .type = Type::kU32, .mod = static_cast<uint8_t>(sreg)}));
  }
  uint8_t Constant(uint64_t value) {
    return Define({.op = Opcode::kMovImm, .type = type_, .imm = value});
  }
  uint8_t Scalar(uint8_t reg) { return Convert(reg == 6 ? Type::kI32 : Type::kU32, reg); }
  uint8_t Binary(Opcode op, uint8_t a, uint8_t b) {
    return Define({.op = op, .type = type_, .a = a, .b = b});
  }

  uint8_t Divisor() { return Chance(80) ? Constant(divisor_) : Scalar(5); }

  uint8_t Column() {
    switch (Pick(10)) {
      case 0:
      case 1:
        return x_;
      case 9:  // the lanes of one element; a guard may leave one of them
        return Binary(Opcode::kDiv, x_, Divisor());
      case 2:
        return Binary(Opcode::kAdd, x_, Constant(1 + Pick(2)));
      case 3:
        return Binary(Opcode::kSub, x_, Constant(1));
      case 4:  // from the other end
        return Binary(Opcode::kSub, Binary(Opcode::kSub, width_, Constant(1)), x_);
      case 5:
        return Binary(Opcode::kXor, x_, Chance(50) ? Scalar(5) : Constant(1 + Pick(3)));
      case 6:
        return Binary(Opcode::kSub, Chance(60) ? Scalar(5) : Constant(Pick(9)), x_);
      case 7:
        return Binary(Opcode::kAdd, Binary(Opcode::kMul, x_, Constant(2)), Constant(Pick(3)));
      default:
        return Chance(50) ? Constant(Pick(3)) : Scalar(static_cast<uint8_t>(4 + Pick(3)));
    }
  }

  uint8_t Row() {
    switch (Pick(6)) {
      case 0:
      case 1:
        return y_;
      case 2:
        return Binary(Opcode::kAdd, y_, Constant(1));
      case 3:
        return x_;
      case 4:
        return Binary(Opcode::kSub, Chance(50) ? x_ : y_, Constant(1));
      default:
        return Chance(50) ? Constant(Pick(3)) : Scalar(5);
    }
  }

  // Behind guards, where it is computed again, less can wrap.
  uint8_t SomeColumn() {
    return Chance(40) ? Column() : columns_[Pick(static_cast<uint32_t>(columns_.size()))];
  }
  uint8_t SomeRow() {
    return Chance(30) ? Row() : rows_[Pick(static_cast<uint32_t>(rows_.size()))];
  }

  void Demand(Condition leave, uint8_t a, uint8_t b) {
    const auto p = static_cast<uint8_t>(next_predicate_++ % 16);
    Emit({.op = Opcode::kSet,
          .type = type_,
          .mod = static_cast<uint8_t>(leave),
          .d = p,
          .a = a,
          .b = b});
    exits_.push_back(Emit({.op = Opcode::kBra, .mod = 1, .a = p}));
  }

  void Guards(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      switch (Pick(9)) {
        case 8: {
          const uint8_t part = Binary(Opcode::kRem, Chance(85) ? x_ : SomeColumn(), Divisor());
          Demand(Condition::kNe, part, Chance(80) ? Constant(Pick(2)) : Scalar(5));
          break;
        }
        case 0:
        case 1:
          Demand(Condition::kGe, SomeColumn(), width_);
          break;
        case 2:
          Demand(Condition::kGe, Chance(50) ? y_ : SomeRow(), Scalar(5));
          break;
        case 3: {
          const uint8_t sum = Binary(Chance(80) ? Opcode::kAdd : Opcode::kSub, x_, SomeRow());
          const uint8_t colour = Binary(Opcode::kRem, sum, Constant(Chance(75) ? 2 : 2 + Pick(3)));
          Demand(Condition::kNe, colour, Chance(50) ? Constant(Pick(2)) : Scalar(5));
          break;
        }
        case 4:  // half of the width
          Demand(Condition::kGe, x_, Binary(Opcode::kDiv, width_, Constant(2)));
          break;
        case 5: {
          const uint8_t other = SomeColumn();
          if (other != x_) Demand(Chance(75) ? Condition::kLe : Condition::kLt, other, x_);
          break;
        }
        case 6:
          Demand(Condition::kLt, Chance(50) ? x_ : y_, Constant(1));
          break;
        default:
          Demand(Condition::kGe, x_, SomeColumn());
      }
    }
  }

  void Access() {
    uint8_t index = SomeColumn();
    if (!flat_) index = Binary(Opcode::kAdd, Binary(Opcode::kMul, SomeRow(), width_), index);
    const bool load = Chance(45);
    const bool shared = shared_ && Chance(80);
    Instruction i{
        .op = shared ? (load ? Opcode::kLds : Opcode::kSts) : (load ? Opcode::kLdg : Opcode::kStg),
        .type = Type::kI32,
        .a = static_cast<uint8_t>(shared ? 0 : 1),
        .b = index,
        .mode = isa::kIndexedMode};
    if (load) {
      Define(i);
      return;
    }
    i.c = 6;  // the same for all
    if (Chance(65)) {
      i.c = Define({.op = Opcode::kCvt,
                    .type = Type::kI32,
                    .mod = static_cast<uint8_t>(type_),
                    .a = Chance(80) ? x_ : width_});
    }
    Emit(i);
  }

  void Part(uint32_t guards, uint32_t accesses) {
    Guards(guards);
    for (uint32_t i = 0; i < accesses; ++i) Access();
    for (const uint32_t branch : exits_) program_.code[branch].imm = program_.code.size();
    exits_.clear();
  }

  std::mt19937 random_;
  isa::Program program_;
  bool shared_ = false;
  bool flat_ = false;
  Type type_ = Type::kU32;
  uint8_t x_ = 0;
  uint8_t y_ = 0;
  uint8_t width_ = 0;
  uint32_t divisor_ = 2;
  std::array<uint8_t, 3> columns_{};
  std::array<uint8_t, 2> rows_{};
  std::vector<uint32_t> exits_;
  uint8_t next_register_ = 10;
  uint32_t next_predicate_ = 0;
};

}  // namespace

isa::Program RaceProgram(uint32_t seed) {
  return Generator(seed).Run();
}

}  // namespace hologram::verify::test
