#include "device/memory.h"

namespace hologram::device {

using isa::AtomicOp;

namespace {

// Among the registers that an access reads. The first one of a buffer is its handle.
size_t IndexOperand(const verify::AccessFact& fact) {
  return fact.global() ? 1 : 0;
}

}  // namespace

void Faults::If(Value bad) {
  const Label next = b_.NewBlock();
  b_.Branch(bad, Block(), next);
  b_.Begin(next);
}

void Faults::Always() {
  b_.Jump(Block());
  b_.Begin(b_.NewBlock());  // nothing comes here
}

Label Faults::Block() {
  if (block_ == 0) block_ = b_.NewBlock();
  return block_;
}

void Faults::End() {
  if (block_ == 0) return;
  b_.Begin(block_);
  b_.Store(parameters_.fault, b_.Constant(Scalar::kI32, 1));
  barriers_.Leave();
}

Memory::Memory(Arithmetic& arithmetic, const Facts& facts, Registers& registers, Faults& faults,
               const Parameters& parameters)
    : arithmetic_(arithmetic),
      b_(arithmetic.builder()),
      facts_(facts),
      registers_(registers),
      faults_(faults),
      parameters_(parameters) {
  for (const isa::SharedArray& array : facts.program().shared) {
    shared_.push_back(b_.Array(Space::kShared, ScalarOf(array.type), array.count));
  }
  for (const isa::LocalArray& array : facts.program().locals) {
    local_.push_back(b_.Array(Space::kPrivate, ScalarOf(array.type), array.count));
  }
}

void Memory::ClearShared(Barriers& barriers) {
  for (size_t k = 0; k < shared_.size(); ++k) {
    Value count = b_.Constant(Scalar::kI32, facts_.program().shared[k].count);
    Value zero = b_.Constant(b_.TypeOf(shared_[k]), 0);
    EmitLoop(b_, barriers.linear(), barriers.lanes(), count, [&](Value i) {
      Value place = b_.Emit(Cast::kZeroExtend, i, Scalar::kI64);
      b_.Store(b_.Element(shared_[k], place), zero);
    });
  }
}

void Memory::ClearLocal() {
  for (size_t k = 0; k < local_.size(); ++k) {
    Value first = b_.Constant(Scalar::kI32, 0);
    Value step = b_.Constant(Scalar::kI32, 1);
    Value count = b_.Constant(Scalar::kI32, facts_.program().locals[k].count);
    Value zero = b_.Constant(b_.TypeOf(local_[k]), 0);
    if (facts_.program().locals[k].count == 1) {
      b_.Store(local_[k], zero);
      continue;
    }
    EmitLoop(b_, first, step, count, [&](Value i) {
      Value place = b_.Emit(Cast::kZeroExtend, i, Scalar::kI64);
      b_.StoreAlone(b_.Element(local_[k], place), zero);
    });
  }
}

Value Memory::ExtentOf(const verify::AccessFact& fact) {
  if (fact.local) return b_.Constant(Scalar::kI64, facts_.program().locals[fact.slot].count);
  if (fact.shared) return b_.Constant(Scalar::kI64, facts_.program().shared[fact.slot].count);
  return parameters_.extents[fact.slot];
}

// `element` is the index, extended, and the distance. A negative one looks like a large one; an
// index of 64 bits may have wrapped.
Value Memory::OutOfBounds(isa::Type type, Value index, Value element, int64_t distance,
                          Value extent) {
  Value outside = b_.Emit(Compare::kUGe, element, extent);
  if (distance == 0 || isa::BitsOf(type) < 64) return outside;
  Value wrapped = 0;
  if (isa::IsSignedInteger(type)) {
    wrapped = b_.Emit(distance > 0 ? Compare::kSLt : Compare::kSGt, element, index);
  } else if (distance > 0) {
    wrapped = b_.Emit(Compare::kULt, element, index);
  } else {
    wrapped = b_.Emit(Compare::kULt, index,
                      b_.Constant(Scalar::kI64, uint64_t{0} - static_cast<uint64_t>(distance)));
  }
  return b_.Emit(Binary::kOr, outside, wrapped);
}

Value Memory::Address(uint32_t pc, const verify::AccessFact& fact) {
  const isa::Instruction& in = facts_.program().code[pc];
  Value index = registers_.Read(pc, IndexOperand(fact), fact.index_type);
  Value element = arithmetic_.Extend(fact.index_type, index);
  const int64_t distance =
      fact.global() ? in.displacement() / static_cast<int64_t>(isa::SizeOf(in.type)) : 0;
  if (distance != 0) {
    element =
        b_.Emit(Binary::kAdd, element, b_.Constant(Scalar::kI64, static_cast<uint64_t>(distance)));
  }
  if (fact.tier == verify::Tier::kGuarded) {
    Value extent = ExtentOf(fact);
    faults_.If(OutOfBounds(fact.index_type, index, element, distance, extent));
  }
  if (fact.local) return b_.Element(local_[fact.slot], element);
  if (fact.shared) return b_.Element(shared_[fact.slot], element);
  return b_.Element(parameters_.buffers[fact.slot], element);
}

Value Memory::Update(const isa::Instruction& in, Value address, Value value) {
  if (isa::IsInteger(in.type)) {
    constexpr Atomic kSigned[isa::kNumAtomicOps] = {
        Atomic::kAdd, Atomic::kSMin, Atomic::kSMax,     Atomic::kAnd,
        Atomic::kOr,  Atomic::kXor,  Atomic::kExchange,
    };
    Atomic op = kSigned[static_cast<size_t>(in.atomic_op())];
    if (op == Atomic::kSMin && isa::IsUnsigned(in.type)) op = Atomic::kUMin;
    if (op == Atomic::kSMax && isa::IsUnsigned(in.type)) op = Atomic::kUMax;
    return b_.Update(op, address, value);
  }
  // Of floats only where no other lane comes to the element (device/facts.cc refuses the others).
  Value old = b_.Load(address);
  Value next = value;
  if (in.atomic_op() != AtomicOp::kExchange) {
    constexpr isa::Opcode kSteps[] = {isa::Opcode::kAdd, isa::Opcode::kMin, isa::Opcode::kMax};
    const isa::Opcode step = kSteps[static_cast<size_t>(in.atomic_op())];
    next = arithmetic_.Combine(step, in.type, old, value);
    if (!isa::IsHalf(in.type)) next = arithmetic_.Canonical(next);
  }
  b_.Store(address, next);
  return old;
}

// Bits decide.
Value Memory::CompareAndSwap(const isa::Instruction& in, Value address, Value expected,
                             Value desired) {
  const Scalar type = ScalarOf(in.type);
  const auto bits = [&](Value v) { return b_.Emit(Cast::kBits, v, IntegerOf(type)); };
  Value place = b_.OfInteger(address);
  Value given = bits(expected);
  return b_.Emit(Cast::kBits, b_.CompareAndSwap(place, given, bits(desired)), type);
}

void Memory::Access(uint32_t pc) {
  const verify::AccessFact* fact = facts_.verified.AccessAt(pc);
  if (fact == nullptr) return;  // unreachable
  const isa::Instruction& in = facts_.program().code[pc];
  Value address = Address(pc, *fact);
  if (isa::IsLoad(in.op)) return registers_.Write(pc, b_.Load(address));
  const size_t first = IndexOperand(*fact) + 1;
  Value stored = registers_.Read(pc, first, in.type);
  if (facts_.makes_canonical[pc]) stored = arithmetic_.Canonical(stored);
  if (isa::IsStore(in.op)) return b_.Store(address, stored);
  if (isa::IsCompareAndSwap(in.op)) {
    return registers_.Write(
        pc, CompareAndSwap(in, address, stored, registers_.Read(pc, first + 1, in.type)));
  }
  registers_.Write(pc, Update(in, address, stored));
}

}  // namespace hologram::device
