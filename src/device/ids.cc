#include "device/ids.h"

#include <iterator>

namespace hologram::device {

using isa::Opcode;
using isa::Sreg;

namespace {

std::array<bool, isa::kNumSregs> FindRead(const Facts& facts) {
  std::array<bool, isa::kNumSregs> wanted{};
  const std::vector<isa::Instruction>& code = facts.program().code;
  const auto want = [&](Sreg sreg) { wanted[static_cast<size_t>(sreg)] = true; };
  for (const uint32_t b : facts.cfg.order) {
    const verify::BasicBlock& block = facts.cfg.blocks[b];
    for (uint32_t pc = block.begin; pc < block.end; ++pc) {
      if (code[pc].op == Opcode::kReadSreg) want(code[pc].sreg());
      if (code[pc].op == Opcode::kClsGet) want(Sreg::kBlockX);
      facts.cfg.uses[pc].ForEachRead([&](const isa::RegisterUse& use) {
        if (use.reg >= isa::kFirstSpecialRegister) {
          want(isa::kSpecialSregs[use.reg - isa::kFirstSpecialRegister]);
        }
      });
    }
  }
  return wanted;
}

Value ReadId(Builder& b, const Barriers& barriers, Sreg sreg) {
  const auto k = static_cast<unsigned>(sreg);
  if (sreg < Sreg::kGlobalX) return b.Read(static_cast<Id>(k / 3), k % 3);
  if (sreg != Sreg::kLinear) {
    const unsigned d = k % 3;
    Value block = b.Read(Id::kBlock, d);
    Value before = b.Emit(Binary::kMul, block, b.Read(Id::kBlockDim, d));
    return b.Emit(Binary::kAdd, before, b.Read(Id::kLane, d));
  }
  const auto wide = [&](Value value) { return b.Emit(Cast::kZeroExtend, value, Scalar::kI64); };
  Value block = wide(b.Read(Id::kBlock, 2));
  for (unsigned d = 2; d-- > 0;) {
    Value rows = b.Emit(Binary::kMul, block, wide(b.Read(Id::kGridDim, d)));
    block = b.Emit(Binary::kAdd, rows, wide(b.Read(Id::kBlock, d)));
  }
  Value lanes = b.Emit(Binary::kMul, block, wide(barriers.lanes()));
  return b.Emit(Binary::kAdd, lanes, wide(barriers.linear()));
}

}  // namespace

Ids::Ids(const Facts& facts) : are_read_(FindRead(facts)) {}

void Ids::Read(Builder& builder, const Barriers& barriers) {
  static_assert(static_cast<int>(Sreg::kGlobalX) == 3 * kNumIds);
  for (size_t k = 0; k < isa::kNumSregs; ++k) {
    if (are_read_[k]) values_[k] = ReadId(builder, barriers, static_cast<Sreg>(k));
  }
}

void Ids::MoveTo(Builder& builder, Value block, Value blocks) {
  const auto set = [&](Sreg sreg, Value id) {
    if (are_read(sreg)) values_[static_cast<size_t>(sreg)] = id;
  };
  set(Sreg::kBlockX, block);
  set(Sreg::kGridDimX, blocks);
  if (!are_read(Sreg::kGlobalX)) return;
  Value before = builder.Emit(Binary::kMul, block, builder.Read(Id::kBlockDim, 0));
  set(Sreg::kGlobalX, builder.Emit(Binary::kAdd, before, builder.Read(Id::kLane, 0)));
}

void Ids::SetRegisters(Registers& registers) const {
  for (uint32_t k = 0; k < std::size(isa::kSpecialSregs); ++k) {
    registers.SetSpecial(isa::kFirstSpecialRegister + k, (*this)[isa::kSpecialSregs[k]]);
  }
}

Value LinearLane(Builder& builder) {
  Value lane = builder.Read(Id::kLane, 2);
  for (unsigned d = 2; d-- > 0;) {
    Value rows = builder.Emit(Binary::kMul, lane, builder.Read(Id::kBlockDim, d));
    lane = builder.Emit(Binary::kAdd, rows, builder.Read(Id::kLane, d));
  }
  return lane;
}

}  // namespace hologram::device
