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
    program_.name = "random";
    flat_ = Chance(50);
    program_.parameters = {
        {"a", true, Type::kI32, Direction::kInOut}, {"b", true, Type::kU8, Direction::kIn},
        {"c", true, Type::kU32, Direction::kOut},   {"n", false, Type::kU32, Direction::kIn},
        {"m", false, Type::kU32, Direction::kIn},   {"k", false, Type::kI32, Direction::kIn}};
    blocky_ = !flat_ && Chance(60);
    if (blocky_) program_.shared = {{"s", Type::kI32, 16}, {"t", Type::kU32, 40}};
    values_ = {{4, Type::kU32}, {5, Type::kU32}, {6, Type::kI32}};
    next_register_ = 10;
    const uint32_t ids = 1 + Pick(3);
    for (uint32_t i = 0; i < ids; ++i) Id();
    Constant(Type::kU32, Pick(4));
    Body(3 + Pick(8), 0);
    Access();
    Emit({.op = Opcode::kExit});
    return std::move(program_);
  }

 private:
  struct Known {
    uint8_t reg;
    Type type;
  };

  uint32_t Pick(uint32_t count) { return static_cast<uint32_t>(random_() % count); }
  bool Chance(uint32_t percent) { return Pick(100) < percent; }

  uint32_t Emit(Instruction instruction) {
    program_.code.push_back(instruction);
    return static_cast<uint32_t>(program_.code.size() - 1);
  }
  uint8_t NewRegister() { return next_register_ < 240 ? next_register_++ : uint8_t{240}; }
  void PatchToHere(uint32_t branch) { program_.code[branch].imm = program_.code.size(); }

  Known Define(Instruction instruction) {
    instruction.d = NewRegister();
    Emit(instruction);
    values_.push_back({instruction.d, instruction.type});
    return values_.back();
  }

  void Id() {
    constexpr isa::Sreg kFlat[] = {isa::Sreg::kGlobalX, isa::Sreg::kGlobalX, isa::Sreg::kGlobalY};
    constexpr isa::Sreg kBlocks[] = {isa::Sreg::kGlobalX,   isa::Sreg::kLaneX,
                                     isa::Sreg::kBlockX,    isa::Sreg::kGlobalY,
                                     isa::Sreg::kBlockDimX, isa::Sreg::kGridDimX};
    const isa::Sreg sreg = flat_ ? kFlat[Pick(3)] : kBlocks[Pick(6)];
    Define({.op = Opcode::kReadSreg, .type = Type::kU32, .mod = static_cast<uint8_t>(sreg)});
  }

  Known Constant(Type type, uint64_t value) {
    return Define({.op = Opcode::kMovImm, .type = type, .imm = value});
  }

  // A known value of the type; recent ones are likelier.
  Known Some(Type type) {
    for (int tries = 0; tries < 12; ++tries) {
      const size_t back = Pick(Chance(60) ? 4 : 40) % values_.size();
      const Known value = values_[values_.size() - 1 - back];
      if (value.type == type) return value;
    }
    for (const Known& value : values_) {
      if (value.type == type) return value;
    }
    return Constant(type, Pick(5));
  }

  Type SomeType() {
    constexpr Type kTypes[] = {Type::kU32, Type::kU32, Type::kU32,
                               Type::kI32, Type::kI64, Type::kU64};
    return kTypes[Pick(6)];
  }

  Known Operand(Type type) { return Chance(25) ? Constant(type, Pick(6)) : Some(type); }

  uint8_t Predicate(int depth) {
    if (depth < 2 && Chance(20)) {
      const uint8_t x = Predicate(depth + 1);
      const uint8_t y = Predicate(depth + 1);
      const uint8_t p = static_cast<uint8_t>(next_predicate_++ % 16);
      const Opcode op = Chance(60) ? Opcode::kPand : Chance(70) ? Opcode::kPor : Opcode::kPnot;
      Emit({.op = op, .d = p, .a = x, .b = op == Opcode::kPnot ? uint8_t{0} : y});
      return p;
    }
    if (!flags_.empty() && Chance(25)) return OfFlag();
    const Type type = SomeType();
    const Known x = Operand(type);
    const Known y = Operand(type);
    const uint8_t p = static_cast<uint8_t>(next_predicate_++ % 16);
    const uint8_t condition = static_cast<uint8_t>(Chance(50) ? 2 + Pick(2) : Pick(6));
    Emit({.op = Opcode::kSet, .type = type, .mod = condition, .d = p, .a = x.reg, .b = y.reg});
    return p;
  }

  // Asks for a condition that was kept in a variable.
  uint8_t OfFlag() {
    const uint8_t flag = flags_[flags_.size() - 1 - Pick(4) % flags_.size()];
    const Known value = Constant(Type::kI32, Chance(80) ? Pick(2) : 2);
    const uint8_t p = static_cast<uint8_t>(next_predicate_++ % 16);
    const auto condition = static_cast<uint8_t>(Chance(90) ? Pick(2) : Pick(6));
    Emit({.op = Opcode::kSet,
          .type = Type::kI32,
          .mod = condition,
          .d = p,
          .a = flag,
          .b = value.reg});
    return p;
  }

  // Keeps a condition: by a selection, by a branch, or in a variable that has one already.
  void Keep(int depth) {
    const bool again = !flags_.empty() && Chance(40);
    const uint8_t flag = again ? flags_[Pick(static_cast<uint32_t>(flags_.size()))] : NewRegister();
    const auto set = [&](uint64_t value) {
      Emit({.op = Opcode::kMovImm, .type = Type::kI32, .d = flag, .imm = value});
    };
    const uint64_t first = Pick(2);
    if (Chance(35)) {
      const uint8_t p = Predicate(0);
      const Known x = Constant(Type::kI32, first);
      const Known y = Chance(80) ? Constant(Type::kI32, 1 - first) : Operand(Type::kI32);
      Emit({.op = Opcode::kSel, .type = Type::kI32, .d = flag, .a = p, .b = x.reg, .c = y.reg});
    } else {
      if (!again || Chance(50)) set(first);
      const uint8_t p = Predicate(0);
      const uint32_t branch = Emit({.op = Opcode::kBra, .mod = 1, .a = p});
      const std::vector<Known> outside = values_;
      const size_t flags = flags_.size();
      if (depth < 3 && Chance(40)) Body(1 + Pick(2), depth + 1);
      set(Chance(80) ? 1 - first : Pick(3));
      values_ = outside;
      flags_.resize(flags);
      PatchToHere(branch);
    }
    if (!again) flags_.push_back(flag);
  }

  // The smaller or the larger of two values, as a conditional expression writes it, or nearly.
  void Clamp() {
    const Type type = SomeType();
    const Known x = Some(type);
    const Known y = Operand(type);
    const uint8_t p = static_cast<uint8_t>(next_predicate_++ % 16);
    const auto condition = static_cast<uint8_t>(2 + Pick(4));
    Emit({.op = Opcode::kSet, .type = type, .mod = condition, .d = p, .a = x.reg, .b = y.reg});
    Known a = Chance(50) ? x : y;
    Known b = a.reg == x.reg ? y : x;
    if (Chance(30)) {
      Known& other = Chance(50) ? a : b;
      const Known one = Constant(type, 1);
      const Opcode op = Chance(50) ? Opcode::kAdd : Opcode::kSub;
      other = Define({.op = op, .type = type, .a = other.reg, .b = one.reg});
    }
    Define({.op = Opcode::kSel, .type = type, .a = p, .b = a.reg, .c = b.reg});
  }

  // (size - k * n) * id: blocks that overlap.
  void Overlap() {
    const Type type = Chance(50) ? Type::kI32 : Type::kI64;
    const Known size = Constant(type, 16 + Pick(20));
    const Known times = Constant(type, 1 + Pick(3));
    const Known n = Some(type);
    const Known id = Some(type);
    const Known less = Define({.op = Opcode::kMul, .type = type, .a = n.reg, .b = times.reg});
    const Opcode op = Chance(80) ? Opcode::kSub : Opcode::kAdd;
    const Known stride = Define({.op = op, .type = type, .a = size.reg, .b = less.reg});
    const Known product = Define({.op = Opcode::kMul, .type = type, .a = stride.reg, .b = id.reg});
    const Known lane = Some(type);
    Define({.op = Opcode::kAdd, .type = type, .a = product.reg, .b = lane.reg});
  }

  void Compute() {
    const Type type = SomeType();
    constexpr Opcode kOps[] = {Opcode::kAdd, Opcode::kAdd, Opcode::kAdd, Opcode::kSub, Opcode::kSub,
                               Opcode::kMul, Opcode::kMul, Opcode::kDiv, Opcode::kRem, Opcode::kRem,
                               Opcode::kMin, Opcode::kMax, Opcode::kAnd, Opcode::kXor};
    switch (Pick(9)) {
      case 4:
        return Chance(70) ? Reduce(type) : OfClass();
      case 0: {
        const Type from = SomeType();
        const Known x = Some(from);
        Define({.op = Opcode::kCvt, .type = type, .mod = static_cast<uint8_t>(from), .a = x.reg});
        return;
      }
      case 1: {
        const Known x = Some(type);
        const Known count = Constant(Type::kU32, Pick(4));
        const Opcode op = Chance(50) ? Opcode::kShl : Opcode::kShr;
        Define({.op = op, .type = type, .a = x.reg, .b = count.reg});
        return;
      }
      case 2: {
        const uint8_t p = Predicate(0);
        const Known x = Operand(type);
        const Known y = Operand(type);
        Define({.op = Opcode::kSel, .type = type, .a = p, .b = x.reg, .c = y.reg});
        return;
      }
      case 3: {
        const Known x = Some(type);
        const Known y = Operand(type);
        const Known z = Some(type);
        Define({.op = Opcode::kMad, .type = type, .a = x.reg, .b = y.reg, .c = z.reg});
        return;
      }
      default: {
        const Known x = Some(type);
        const Known y = Operand(type);
        Define({.op = kOps[Pick(14)], .type = type, .a = x.reg, .b = y.reg});
      }
    }
  }

  Known Byte(uint32_t limit) {
    const Known x = Some(Type::kU32);
    const auto from = static_cast<uint8_t>(Type::kU32);
    const Known byte = Define({.op = Opcode::kCvt, .type = Type::kU8, .mod = from, .a = x.reg});
    if (limit == 0 || Chance(20)) return byte;
    const Known divisor = Constant(Type::kU8, limit);
    return Define({.op = Opcode::kRem, .type = Type::kU8, .a = byte.reg, .b = divisor.reg});
  }

  void OfClass() {
    if (next_register_ + 12 >= 240) return;
    const Known c = Byte(96);
    const uint32_t way = Pick(4);
    if (way == 0) {
      Define({.op = Opcode::kNbrCount, .type = Type::kU32, .a = c.reg});
    } else if (way == 1) {
      const Known page = Byte(48);
      const Known byte = Byte(0);
      Define(
          {.op = Opcode::kBoundMap, .type = Type::kU64, .a = c.reg, .b = page.reg, .c = byte.reg});
    } else {
      const Opcode op = way == 2 ? Opcode::kMirror : Opcode::kNbrGet;
      const auto index = static_cast<uint8_t>(way == 2 ? 0 : Pick(6));
      const Known other = Define({.op = op, .type = Type::kU8, .mod = index, .a = c.reg});
      const auto from = static_cast<uint8_t>(Type::kU8);
      Define({.op = Opcode::kCvt, .type = Type::kU32, .mod = from, .a = other.reg});
    }
  }

  void Reduce(Type type) {
    constexpr Opcode kOps[] = {Opcode::kReduceAdd, Opcode::kReduceMin, Opcode::kReduceMax};
    const uint32_t count = 1 + Pick(3);
    if (next_register_ + count >= 240) return;
    std::vector<Known> values;
    for (uint32_t i = 0; i < count; ++i) values.push_back(Operand(type));
    const uint8_t first = next_register_;
    for (const Known& value : values) Define({.op = Opcode::kMov, .type = type, .a = value.reg});
    if (next_register_ != first + count) return;
    Define({.op = kOps[Pick(3)], .type = type, .a = first, .imm = count});
  }

  void Access() {
    constexpr Type kIndex[] = {Type::kU32, Type::kU32, Type::kI32, Type::kI64, Type::kU64};
    const uint8_t slot = static_cast<uint8_t>(1 + Pick(3));
    const Type type = program_.parameters[slot - 1u].type;
    const Known index = Some(kIndex[Pick(5)]);
    if (blocky_ && Chance(50)) return SharedAccess(index);
    if (slot == 1 && Chance(15)) return Atomic(Opcode::kAtg, slot, type, index);
    const int64_t elements = Chance(80) ? 0 : static_cast<int64_t>(Pick(5)) - 2;
    const auto bytes = static_cast<uint64_t>(elements * static_cast<int64_t>(SizeOf(type)));
    const bool load = slot == 2 || (slot == 1 && Chance(50));
    Instruction i{.op = load ? Opcode::kLdg : Opcode::kStg,
                  .type = type,
                  .a = slot,
                  .b = index.reg,
                  .mode = isa::kIndexedMode,
                  .imm = bytes};
    if (!load) {
      i.c = Some(type).reg;
      Emit(i);
      return;
    }
    const Known data = Define(i);
    if (type == Type::kU8) {
      Define({.op = Opcode::kCvt,
              .type = Chance(50) ? Type::kU32 : Type::kI32,
              .mod = static_cast<uint8_t>(type),
              .a = data.reg});
    }
  }

  void Atomic(Opcode op, uint8_t array, Type type, Known index) {
    constexpr isa::AtomicOp kOps[] = {isa::AtomicOp::kAdd, isa::AtomicOp::kAdd, isa::AtomicOp::kMax,
                                      isa::AtomicOp::kExchange};
    Instruction i{.op = op,
                  .type = type,
                  .mod = static_cast<uint8_t>(kOps[Pick(4)]),
                  .a = array,
                  .b = index.reg,
                  .c = Some(type).reg,
                  .mode = isa::kIndexedMode};
    if (Chance(15)) {
      i.op = op == Opcode::kAtg ? Opcode::kAtgCas : Opcode::kAtsCas;
      i.mod = Some(type).reg;
    }
    if (Chance(40)) {
      Define(i);
    } else {
      i.d = NewRegister();
      Emit(i);
    }
  }

  void SharedAccess(Known index) {
    const uint8_t array = static_cast<uint8_t>(Pick(2));
    const Type type = program_.shared[array].type;
    const uint32_t kind = Pick(10);
    if (kind == 0) return Atomic(Opcode::kAts, array, type, index);
    if (kind < 6) {
      const uint8_t value = Some(type).reg;
      Emit({.op = Opcode::kSts,
            .type = type,
            .a = array,
            .b = index.reg,
            .c = value,
            .mode = isa::kIndexedMode});
    } else {
      Define({.op = Opcode::kLds,
              .type = type,
              .a = array,
              .b = index.reg,
              .mode = isa::kIndexedMode});
    }
  }

  void If(int depth) {
    const uint8_t p = Predicate(0);
    const uint32_t branch = Emit({.op = Opcode::kBra, .mod = 1, .a = p});
    const std::vector<Known> outside = values_;
    const size_t flags = flags_.size();
    if (Chance(10)) {
      Emit({.op = Opcode::kExit});
    } else {
      Body(1 + Pick(5), depth + 1);
      if (!loop_exits_.empty() && Chance(15)) {
        loop_exits_.back().push_back(Emit({.op = Opcode::kBra}));
      }
    }
    values_ = outside;
    flags_.resize(flags);
    PatchToHere(branch);
  }

  // A variable that one way through a branch changes.
  void Merge(int depth) {
    const Type type = SomeType();
    const Known before = Some(type);
    const uint8_t variable = NewRegister();
    Emit({.op = Opcode::kMov, .type = type, .d = variable, .a = before.reg});
    const uint8_t p = Predicate(0);
    const uint32_t branch = Emit({.op = Opcode::kBra, .mod = 1, .a = p});
    const std::vector<Known> outside = values_;
    const size_t flags = flags_.size();
    if (depth < 3) Body(1 + Pick(2), depth + 1);
    const Known after = Operand(type);
    Emit({.op = Opcode::kMov, .type = type, .d = variable, .a = after.reg});
    values_ = outside;
    flags_.resize(flags);
    PatchToHere(branch);
    values_.push_back({variable, type});
  }

  void Loop(int depth) {
    const Type type = Chance(60) ? Type::kU32 : Chance(50) ? Type::kI32 : Type::kI64;
    const Known start = Operand(type);
    const Known bound = Operand(type);
    const Known step = Chance(75) ? Constant(type, 1 + Pick(3)) : Operand(type);
    const uint8_t counter = NewRegister();
    Emit({.op = Opcode::kMov, .type = type, .d = counter, .a = start.reg});
    const auto header = program_.code.size();
    const uint8_t p = static_cast<uint8_t>(next_predicate_++ % 16);
    // The exit test: counter >= bound, mostly; wrong ones too.
    const bool down = Chance(25);
    const Condition leave = Chance(10) ? static_cast<Condition>(Pick(6))
                            : down     ? (Chance(50) ? Condition::kLe : Condition::kLt)
                                       : (Chance(70) ? Condition::kGe : Condition::kGt);
    Emit({.op = Opcode::kSet,
          .type = type,
          .mod = static_cast<uint8_t>(leave),
          .d = p,
          .a = counter,
          .b = bound.reg});
    const uint32_t exit = Emit({.op = Opcode::kBra, .mod = 1, .a = p});
    const std::vector<Known> outside = values_;
    const size_t flags = flags_.size();
    loop_exits_.emplace_back();
    values_.push_back({counter, type});
    Body(1 + Pick(4), depth + 1);
    Advance(type, counter, step.reg, down);
    Emit({.op = Opcode::kBra, .imm = header});
    values_ = outside;
    flags_.resize(flags);
    PatchToHere(exit);
    for (const uint32_t branch : loop_exits_.back()) PatchToHere(branch);
    loop_exits_.pop_back();
    if (Chance(50)) values_.push_back({counter, type});
  }

  // A body that runs once more than its counter says.
  void CountedLoop(int depth) {
    const Known start = Operand(Type::kU32);
    const uint8_t counter = NewRegister();
    if (Chance(60)) {
      const Known limit = Constant(Type::kU32, 1 + Pick(6));
      Emit({.op = Opcode::kMin, .type = Type::kU32, .d = counter, .a = start.reg, .b = limit.reg});
    } else {
      Emit({.op = Opcode::kMov, .type = Type::kU32, .d = counter, .a = start.reg});
    }
    const auto header = program_.code.size();
    const std::vector<Known> outside = values_;
    const size_t flags = flags_.size();
    loop_exits_.emplace_back();
    values_.push_back({counter, Type::kU32});
    Body(1 + Pick(4), depth + 1);
    if (Chance(10)) {
      const Known other = Some(Type::kU32);
      Emit({.op = Opcode::kMov, .type = Type::kU32, .d = counter, .a = other.reg});
    }
    Emit({.op = Opcode::kLoop, .a = counter, .imm = header});
    values_ = outside;
    flags_.resize(flags);
    for (const uint32_t branch : loop_exits_.back()) PatchToHere(branch);
    loop_exits_.pop_back();
    if (Chance(50)) values_.push_back({counter, Type::kU32});
  }

  void Advance(Type type, uint8_t counter, uint8_t step, bool down) {
    if (down && Chance(40)) {
      const Known two = Constant(type, 2);
      Emit({.op = Opcode::kDiv, .type = type, .d = counter, .a = counter, .b = two.reg});
    } else if (!down && Chance(10)) {
      const Known two = Constant(type, 2);
      Emit({.op = Opcode::kMul, .type = type, .d = counter, .a = counter, .b = two.reg});
    } else {
      const Opcode op = down ? Opcode::kSub : Opcode::kAdd;
      Emit({.op = op, .type = type, .d = counter, .a = counter, .b = step});
    }
  }

  void Body(uint32_t statements, int depth) {
    for (uint32_t s = 0; s < statements && program_.code.size() < 150; ++s) {
      if (blocky_ && Chance(depth == 0 ? 15 : 4)) Emit({.op = Opcode::kBarSync});
      const uint32_t kind = Pick(23);
      if (kind == 20) {
        Keep(depth);
      } else if (kind == 21) {
        Clamp();
      } else if (kind == 22) {
        Overlap();
      } else if (kind < 8 || depth > 3) {
        Compute();
      } else if (kind < 12) {
        Access();
      } else if (kind < 16) {
        If(depth);
      } else if (kind < 18) {
        Merge(depth);
      } else if (Chance(75)) {
        Loop(depth);
      } else {
        CountedLoop(depth);
      }
    }
  }

  std::mt19937 random_;
  isa::Program program_;
  bool flat_ = false;
  bool blocky_ = false;  // with shared memory and barriers
  std::vector<Known> values_;
  std::vector<uint8_t> flags_;  // variables of conditions
  std::vector<std::vector<uint32_t>> loop_exits_;
  uint8_t next_register_ = 10;
  uint32_t next_predicate_ = 0;
};

}  // namespace

isa::Program IndexProgram(uint32_t seed) {
  return Generator(seed).Run();
}

}  // namespace hologram::verify::test
