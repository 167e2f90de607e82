// SPIR-V 1.0 of one kernel for OpenCL: physical addresses of 64 bits, no contraction, what of the
// optional parts of a device the kernel needs as capabilities and nothing else. The same calls give
// the same bytes.
#pragma once

#include <array>
#include <map>
#include <unordered_map>

#include "device/builder.h"

namespace hologram::device {

class SpirvWriter final : public Builder {
 public:
  explicit SpirvWriter(std::string name);

  // The module. REQUIRES: all functions have ended; called once.
  std::vector<uint32_t> Finish();
  // Bytes of the arrays of a block of lanes.
  uint32_t shared_bytes() const { return shared_bytes_; }
  bool uses_f64() const { return scalar_types_[static_cast<size_t>(Scalar::kF64)] != 0; }
  bool uses_atomics64() const { return uses_atomics64_; }

  Scalar TypeOf(Value value) const override { return values_[value].type; }
  Value Constant(Scalar type, uint64_t bits) override;
  Value Emit(Unary op, Value a) override;
  Value Emit(Binary op, Value a, Value b) override;
  Value Emit(Compare op, Value a, Value b) override;
  Value Emit(Cast op, Value a, Scalar to) override;
  Value Fma(Value a, Value b, Value c) override;
  Value Select(Value condition, Value yes, Value no) override;
  Label NewBlock() override { return NewId(); }
  void Begin(Label block) override;
  Label Current() const override { return functions_.back().current; }
  void Jump(Label to) override;
  void Branch(Value condition, Label yes, Label no) override;
  void Switch(Value value, std::span<const Label> cases) override;
  void Return() override;
  Value Phi(Scalar type, uint32_t count) override;
  void SetIncoming(Value phi, uint32_t k, Value value, Label from) override;
  Value Array(Space space, Scalar type, uint32_t count) override;
  Value Volatile(Scalar type) override;
  Value Table(Scalar type, std::span<const uint64_t> entries) override;
  Value Element(Value base, Value index) override;
  Value OfInteger(Value address) override;
  Value Load(Value address) override;
  void Store(Value address, Value value) override;
  void StoreAlone(Value address, Value value) override;
  Value Update(Atomic op, Value address, Value value) override;
  Value CompareAndSwap(Value address, Value expected, Value desired) override;
  void Barrier() override;
  void Fence(FenceScope scope) override;
  Value Read(Id id, unsigned dimension) override;
  Value BufferParameter(Scalar type) override;
  Value ScalarParameter(Scalar type) override;
  Function BeginFunction(Scalar type, std::span<Value> parameters) override;
  void EndFunction(Value result) override;
  Value Call(Function function, std::span<const Value> arguments) override;

 private:
  using Words = std::vector<uint32_t>;
  struct ValueFact {
    Scalar type = Scalar::kI32;
    Space space = Space::kGlobal;  // of addresses
    bool is_array = false;
    bool is_volatile = false;
    uint32_t phi_at = 0;  // first operand of a phi, in the code of its function
  };
  struct FunctionCode {
    uint32_t id = 0;
    uint32_t type = 0;    // of the function
    uint32_t result = 0;  // its type
    Label first = 0;
    Label current = 0;
    Words parameters;
    Words variables;
    Words code;
  };

  uint32_t NewId();
  Value NewValue(Scalar type);
  Value NewAddress(Scalar type, Space space, bool is_array);
  static void Put(Words& words, uint32_t op, std::span<const uint32_t> operands);
  void Code(uint32_t op, std::initializer_list<uint32_t> operands);
  void Global(uint32_t op, std::initializer_list<uint32_t> operands);
  Value CodeValue(uint32_t op, Scalar type, std::initializer_list<uint32_t> operands);
  Value Extended(uint32_t number, Scalar type, std::initializer_list<uint32_t> operands);
  uint32_t TypeId(Scalar type);
  uint32_t PointerType(Space space, uint32_t to);
  uint32_t ArrayType(Scalar type, uint32_t count);
  uint32_t FunctionType(uint32_t result, std::span<const uint32_t> parameters);
  uint32_t TypeOnce(uint32_t op, std::vector<uint32_t> operands);
  uint32_t Word(uint32_t value) { return Constant(Scalar::kI32, value); }
  void PutFunction(Words& out, const FunctionCode& function, uint32_t control);

  std::string name_;
  std::vector<ValueFact> values_;  // by number; labels have one too
  uint32_t imported_ = 0;
  uint32_t shared_bytes_ = 0;
  bool uses_atomics64_ = false;
  std::array<uint32_t, kNumScalars> scalar_types_{};
  std::array<uint32_t, kNumIds> id_variables_{};
  std::array<Value, kNumIds> id_vectors_{};
  std::map<std::vector<uint32_t>, uint32_t> types_;                         // by words
  std::array<std::unordered_map<uint64_t, Value>, kNumScalars> constants_;  // by bits
  std::map<std::vector<uint64_t>, Value> tables_;
  Words decorations_;
  Words globals_;
  Words ended_;                          // functions that are complete
  std::vector<FunctionCode> functions_;  // the kernel first, the one being written last
  std::vector<uint32_t> parameter_types_;
};

}  // namespace hologram::device
