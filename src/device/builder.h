// The target of the lowering of a program for a device: typed values, blocks and functions, one
// lane at a time. A back end implements it (spirv.h); the lowering (lower.h) knows nothing of any.
// Floats of 16 bits are their bits here, so a device needs no such type. Tested by tests/device.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isa/type.h"

namespace hologram::device {

enum class Scalar : uint8_t { kBool, kI8, kI16, kI32, kI64, kF32, kF64 };
inline constexpr int kNumScalars = 7;

// The type of a register of the instruction set.
Scalar ScalarOf(isa::Type type);
// Of the same size. REQUIRES: not kBool.
Scalar IntegerOf(Scalar type);
uint32_t BitsOf(Scalar type);
inline bool IsFloat(Scalar type) {
  return type >= Scalar::kF32;
}

// Numbers that the back end gives out; 0 is none.
using Value = uint32_t;
using Label = uint32_t;
using Function = uint32_t;

enum class Space : uint8_t {
  kGlobal,
  kShared,    // of a block of lanes
  kPrivate,   // of a lane
  kConstant,  // tables
};

// Round: ties to even. Sqrt of f32 as exact as the device has it.
enum class Unary : uint8_t {
  kNot,
  kPopCount,
  kLeadingZeros,
  kNegate,
  kSqrt,
  kFloor,
  kCeil,
  kTrunc,
  kRound,
};
inline constexpr int kNumUnary = 9;

// Shift amounts are below the number of bits. kAnd, kOr and kXor of truth values too.
enum class Binary : uint8_t {
  kAdd,
  kSub,
  kMul,
  kMulHigh,  // unsigned
  kSDiv,     // REQUIRES: the quotient exists
  kUDiv,
  kSRem,
  kURem,
  kAnd,
  kOr,
  kXor,
  kShl,
  kLShr,
  kAShr,
  kFAdd,
  kFSub,
  kFMul,
  kFDiv,
};
inline constexpr int kNumBinary = 18;

// Floats: false on NaN, except kFNe.
enum class Compare : uint8_t {
  kEq,
  kNe,
  kSLt,
  kSLe,
  kSGt,
  kSGe,
  kULt,
  kULe,
  kUGt,
  kUGe,
  kFEq,
  kFNe,
  kFLt,
  kFLe,
  kFGt,
  kFGe,
};
inline constexpr int kNumCompare = 16;

enum class Cast : uint8_t {
  kZeroExtend,
  kSignExtend,
  kTruncate,
  kBits,
  kSignedToFloat,
  kUnsignedToFloat,
  kFloatToSigned,  // toward zero. REQUIRES: it fits
  kFloatToUnsigned,
  kFloat,  // to the other size of floats
};
inline constexpr int kNumCast = 9;

enum class Atomic : uint8_t { kAdd, kSMin, kUMin, kSMax, kUMax, kAnd, kOr, kXor, kExchange };
inline constexpr int kNumAtomic = 9;

// Numbers of the running lane, i32; of a block and of the grid.
enum class Id : uint8_t { kLane, kBlock, kBlockDim, kGridDim };
inline constexpr int kNumIds = 4;

enum class FenceScope : uint8_t { kBlock, kDevice, kSystem };

class Builder {
 public:
  virtual ~Builder() = default;

  virtual Scalar TypeOf(Value value) const = 0;
  virtual Value Constant(Scalar type, uint64_t bits) = 0;
  virtual Value Emit(Unary op, Value a) = 0;
  virtual Value Emit(Binary op, Value a, Value b) = 0;
  virtual Value Emit(Compare op, Value a, Value b) = 0;
  virtual Value Emit(Cast op, Value a, Scalar to) = 0;
  // With a number of the type of `a`.
  Value With(Binary op, Value a, uint64_t bits) { return Emit(op, a, Constant(TypeOf(a), bits)); }
  Value With(Compare op, Value a, uint64_t bits) { return Emit(op, a, Constant(TypeOf(a), bits)); }
  virtual Value Fma(Value a, Value b, Value c) = 0;  // rounded once
  virtual Value Select(Value condition, Value yes, Value no) = 0;

  // ---- Control flow
  virtual Label NewBlock() = 0;
  virtual void Begin(Label block) = 0;  // what is emitted next is there
  virtual Label Current() const = 0;
  virtual void Jump(Label to) = 0;
  virtual void Branch(Value condition, Label yes, Label no) = 0;
  // To cases[k] where the value, i32, is k. REQUIRES: it is below their number.
  virtual void Switch(Value value, std::span<const Label> cases) = 0;
  virtual void Return() = 0;
  // At the start of a block, which `count` others lead to; each of them is set once.
  virtual Value Phi(Scalar type, uint32_t count) = 0;
  virtual void SetIncoming(Value phi, uint32_t k, Value value, Label from) = 0;

  // ---- Memory
  virtual Value Array(Space space, Scalar type, uint32_t count) = 0;  // undefined at first
  // Of a lane: a number in memory, whatever a compiler would like. Loads and stores stay.
  virtual Value Volatile(Scalar type) = 0;
  virtual Value Table(Scalar type, std::span<const uint64_t> entries) = 0;
  virtual Value Element(Value base, Value index) = 0;  // its address; index: i64
  // The same address, of an integer of the size. For updates, which are of integers.
  virtual Value OfInteger(Value address) = 0;
  virtual Value Load(Value address) = 0;
  virtual void Store(Value address, Value value) = 0;
  virtual void StoreAlone(Value address, Value value) = 0;  // no compiler joins it with others
  // Give the old value.
  virtual Value Update(Atomic op, Value address, Value value) = 0;
  virtual Value CompareAndSwap(Value address, Value expected, Value desired) = 0;
  virtual void Barrier() = 0;
  virtual void Fence(FenceScope scope) = 0;
  virtual Value Read(Id id, unsigned dimension) = 0;

  // ---- Parameters of the kernel, in their order
  virtual Value BufferParameter(Scalar type) = 0;
  virtual Value ScalarParameter(Scalar type) = 0;

  // ---- Functions of numbers of one type. Between the two calls everything goes into the function.
  virtual Function BeginFunction(Scalar type, std::span<Value> parameters) = 0;
  virtual void EndFunction(Value result) = 0;
  virtual Value Call(Function function, std::span<const Value> arguments) = 0;
};

}  // namespace hologram::device
