#include "device/classes.h"

#include "isa/atlas.h"

namespace hologram::device {

using isa::Opcode;

Value Classes::CheckedClass(uint32_t pc) {
  Value c = registers_.Read(pc, 0, isa::Type::kU8);
  if (!facts_.verified.NeverFaults(pc)) {
    faults_.If(b_.Emit(Compare::kUGe, c, arithmetic_.Like(c, isa::kNumClasses)));
  }
  return c;
}

Value Classes::BoundMap(uint32_t pc) {
  Value c = CheckedClass(pc);
  Value page = registers_.Read(pc, 1, isa::Type::kU8);
  if (!facts_.verified.NeverFaults(pc)) {
    faults_.If(b_.Emit(Compare::kUGe, page, arithmetic_.Like(page, isa::kPagesPerClass)));
  }
  const auto scaled = [&](Value v, uint64_t by) {
    return b_.Emit(Binary::kMul, Wide(v), b_.Constant(Scalar::kI64, by));
  };
  Value place = scaled(c, isa::kBytesPerClass);
  place = b_.Emit(Binary::kAdd, place, scaled(page, isa::kBytesPerPage));
  return b_.Emit(Binary::kAdd, place, Wide(registers_.Read(pc, 2, isa::Type::kU8)));
}

// The steps in ascending order: the one that comes after `k` others is taken.
Value Classes::NeighbourOf(Value c, uint32_t k) {
  const auto number = [&](uint64_t value) { return arithmetic_.Like(c, value & 0xff); };
  Value t = b_.With(Binary::kURem, c, 3);
  Value count = number(0);
  Value found = number(isa::kNoNeighbour);
  for (const isa::NeighbourStep step : isa::kNeighbourSteps) {
    const bool up = step.distance > 0;
    Value present = 0;
    if (step.bit == 1) {
      present = up ? b_.With(Compare::kULt, t, 2) : b_.With(Compare::kUGt, t, 0);
    } else {
      Value rest = b_.With(Binary::kURem, c, uint64_t{step.bit} * 2);
      present = b_.Emit(up ? Compare::kULt : Compare::kUGe, rest, number(step.bit));
    }
    Value is_this = b_.With(Compare::kEq, count, k);
    is_this = b_.Emit(Binary::kAnd, is_this, present);
    Value there = b_.With(Binary::kAdd, c, static_cast<uint64_t>(step.distance));
    found = b_.Select(is_this, there, found);
    Value more = b_.With(Binary::kAdd, count, 1);
    count = b_.Select(present, more, count);
  }
  return found;
}

void Classes::Emit(uint32_t pc, const Ids& ids) {
  const isa::Instruction& in = facts_.program().code[pc];
  if (in.op == Opcode::kClsGet) {
    Value block = Wide(ids[isa::Sreg::kBlockX]);
    Value sum = b_.Emit(Binary::kAdd, block, Wide(parameters_.class_base));
    Value rest = b_.Emit(Binary::kURem, sum, b_.Constant(Scalar::kI64, isa::kNumClasses));
    return registers_.Write(pc, b_.Emit(Cast::kTruncate, rest, Scalar::kI8));
  }
  if (in.op == Opcode::kBoundMap) return registers_.Write(pc, BoundMap(pc));
  Value c = CheckedClass(pc);
  if (in.op == Opcode::kNbrGet) return registers_.Write(pc, NeighbourOf(c, in.mod));
  if (in.op == Opcode::kMirror) {
    Value rest = b_.With(Binary::kURem, c, 6);
    Value low = b_.With(Compare::kULt, rest, 3);
    Value above = b_.With(Binary::kAdd, c, 3);
    Value below = b_.With(Binary::kSub, c, 3);
    return registers_.Write(pc, b_.Select(low, above, below));
  }
  Value t = b_.With(Binary::kURem, c, 3);
  Value middle = b_.With(Compare::kEq, t, 1);
  Value six = b_.Constant(Scalar::kI32, 6);
  registers_.Write(pc, b_.Select(middle, six, b_.Constant(Scalar::kI32, 5)));
}

}  // namespace hologram::device
