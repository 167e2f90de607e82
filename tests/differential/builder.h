// Writes instructions and resolves labels, for the random program generators.
#pragma once

#include <vector>

#include "isa/program.h"

namespace hologram::tests {

class Builder {
 public:
  using Label = size_t;

  uint8_t Buffer(const std::string& name, isa::Type type, isa::Direction direction) {
    program_.parameters.push_back({name, true, type, direction});
    return isa::Program::RegisterOfParameter(program_.parameters.size() - 1);
  }
  uint8_t Scalar(const std::string& name, isa::Type type) {
    program_.parameters.push_back({name, false, type, isa::Direction::kIn});
    return isa::Program::RegisterOfParameter(program_.parameters.size() - 1);
  }
  uint8_t Shared(const std::string& name, isa::Type type, uint32_t count) {
    program_.shared.push_back({name, type, count});
    return static_cast<uint8_t>(program_.shared.size() - 1);
  }

  uint8_t Local(const std::string& name, isa::Type type, uint32_t count) {
    program_.locals.push_back({name, type, count});
    return static_cast<uint8_t>(program_.locals.size() - 1);
  }

  uint32_t LocalCount(size_t array) const { return program_.locals[array].count; }

  Label NewLabel() {
    targets_.push_back(0);
    return targets_.size() - 1;
  }
  void Bind(Label label) { targets_[label] = program_.code.size(); }
  void Bra(Label label) {
    isa::Instruction in;
    in.op = isa::Opcode::kBra;
    in.imm = label;
    program_.code.push_back(in);
  }
  void BraIf(uint8_t predicate, Label label) {
    Bra(label);
    program_.code.back().mod = 1;
    program_.code.back().a = predicate;
  }

  void Loop(uint8_t counter, Label label) {
    Bra(label);
    program_.code.back().op = isa::Opcode::kLoop;
    program_.code.back().a = counter;
  }
  void Call(Label label) {
    Bra(label);
    program_.code.back().op = isa::Opcode::kCall;
  }
  void Ret() { Op(isa::Opcode::kRet, isa::Type::kI8, 0); }
  // Of the registers that the last instruction reduces.
  void SetCount(uint32_t count) { SetImmediate(count); }
  // Of the last instruction.
  void SetImmediate(uint64_t bits) { program_.code.back().imm = bits; }

  // d = op(a, b, c); unused operands stay 0.
  void Op(isa::Opcode op, isa::Type type, uint8_t d, uint8_t a = 0, uint8_t b = 0, uint8_t c = 0,
          uint8_t mod = 0) {
    isa::Instruction in;
    in.op = op;
    in.type = type;
    in.mod = mod;
    in.d = d;
    in.a = a;
    in.b = b;
    in.c = c;
    program_.code.push_back(in);
  }
  void Immediate(isa::Type type, uint8_t d, uint64_t bits) {
    Op(isa::Opcode::kMovImm, type, d);
    const uint32_t unused = 64 - isa::BitsOf(type);
    const uint64_t high = bits << unused;
    program_.code.back().imm = isa::IsSignedInteger(type)
                                   ? static_cast<uint64_t>(static_cast<int64_t>(high) >> unused)
                                   : high >> unused;
  }
  void Set(isa::Condition condition, isa::Type type, uint8_t predicate, uint8_t a, uint8_t b) {
    Op(isa::Opcode::kSet, type, predicate, a, b, 0, static_cast<uint8_t>(condition));
  }
  void Sreg(isa::Sreg sreg, uint8_t d) {
    Op(isa::Opcode::kReadSreg, sreg == isa::Sreg::kLinear ? isa::Type::kU64 : isa::Type::kU32, d, 0,
       0, 0, static_cast<uint8_t>(sreg));
  }
  // `base` is a slot register or a shared array; the value is in d (loads, atomics) and c.
  void Access(isa::Opcode op, isa::Type type, uint8_t base, uint8_t index, uint8_t d, uint8_t c,
              int64_t elements = 0, uint8_t mod = 0) {
    Op(op, type, d, base, index, c, mod);
    program_.code.back().mode = isa::kIndexedMode;
    program_.code.back().imm =
        static_cast<uint64_t>(elements * static_cast<int64_t>(isa::SizeOf(type)));
  }
  void Exit() { Op(isa::Opcode::kExit, isa::Type::kI8, 0); }
  void Barrier(uint8_t id) { Op(isa::Opcode::kBarSync, isa::Type::kI8, 0, 0, 0, 0, id); }

  // Puts the basic blocks in another order, chosen by shuffle(order), which keeps block 0 first: a
  // lane can then meet code in any order, and paths that part far apart.
  template <class Shuffle>
  void ShuffleBlocks(Shuffle shuffle) {
    std::vector<bool> starts(program_.code.size() + 1, false);
    for (const size_t target : targets_) starts[target] = true;
    for (size_t pc = 0; pc < program_.code.size(); ++pc) {
      const isa::Opcode op = program_.code[pc].op;
      if (isa::IsJump(op)) starts[pc + 1] = true;
    }
    std::vector<size_t> begins = {0};
    for (size_t pc = 1; pc < program_.code.size(); ++pc) {
      if (starts[pc]) begins.push_back(pc);
    }
    std::vector<size_t> order(begins.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    shuffle(order);
    Relayout(begins, order);
  }

  isa::Program Finish(std::string name) {
    for (isa::Instruction& in : program_.code) {
      if (isa::HasTarget(in.op)) in.imm = targets_[in.imm];
    }
    program_.name = std::move(name);
    return std::move(program_);
  }

 private:
  void Relayout(const std::vector<size_t>& begins, const std::vector<size_t>& order) {
    const std::vector<isa::Instruction> old = program_.code;
    std::vector<size_t> moved(old.size() + 1, 0);  // new position of each block's first instruction
    std::vector<Label> block_labels;
    for (size_t i = 0; i < begins.size(); ++i) block_labels.push_back(NewLabel());
    program_.code.clear();
    for (const size_t block : order) {
      const size_t end = block + 1 < begins.size() ? begins[block + 1] : old.size();
      moved[begins[block]] = program_.code.size();
      targets_[block_labels[block]] = begins[block];
      for (size_t pc = begins[block]; pc < end; ++pc) program_.code.push_back(old[pc]);
      const isa::Instruction& last = program_.code.back();
      // A call comes back to what follows it.
      const bool falls = !isa::IsJump(last.op) || last.branches() || last.op == isa::Opcode::kCall;
      if (falls && block + 1 < begins.size()) Bra(block_labels[block + 1]);
    }
    moved[old.size()] = program_.code.size();
    for (size_t& target : targets_) target = moved[target];
  }

  isa::Program program_;
  std::vector<size_t> targets_;
};

}  // namespace hologram::tests
