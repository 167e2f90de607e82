// PTX of one kernel for NVIDIA devices from sm_70 on: exact division and roots, no contraction, no
// flushing of subnormals. Values are registers that are written once; integers of 8 and 16 bits are
// in registers of 32, with zeros above. The same calls give the same text. Tested by tests/ptx.
#pragma once

#include <array>
#include <map>
#include <unordered_map>

#include "device/builder.h"

namespace hologram::device {

class PtxWriter final : public Builder {
 public:
  explicit PtxWriter(std::string name);

  // The module, with `heading` as its first lines. REQUIRES: all functions have ended; called once.
  std::string Finish(const std::string& heading);
  // Bytes of the arrays of a block of lanes.
  uint32_t shared_bytes() const { return shared_bytes_; }
  bool uses_f64() const { return uses_f64_; }
  bool uses_atomics64() const { return uses_atomics64_; }

  Scalar TypeOf(Value value) const override { return values_[value].type; }
  Value Constant(Scalar type, uint64_t bits) override;
  Value Emit(Unary op, Value a) override;
  Value Emit(Binary op, Value a, Value b) override;
  Value Emit(Compare op, Value a, Value b) override;
  Value Emit(Cast op, Value a, Scalar to) override;
  Value Fma(Value a, Value b, Value c) override;
  Value Select(Value condition, Value yes, Value no) override;
  Label NewBlock() override { return ++last_label_; }
  void Begin(Label block) override;
  Label Current() const override;
  void Jump(Label to) override;
  void Branch(Value condition, Label yes, Label no) override;
  void Switch(Value value, std::span<const Label> cases) override;
  void Return() override;
  Value Phi(Scalar type, uint32_t count) override;
  void SetIncoming(Value phi, uint32_t k, Value value, Label from) override;
  Value Array(Space space, Scalar type, uint32_t count) override;
  Value Volatile(Scalar type) override { return Array(Space::kPrivate, type, 1); }
  Value Table(Scalar type, std::span<const uint64_t> entries) override;
  Value Element(Value base, Value index) override;
  Value OfInteger(Value address) override;
  Value Load(Value address) override;
  void Store(Value address, Value value) override;
  void StoreAlone(Value address, Value value) override { Store(address, value); }
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
  enum class Kind : uint8_t {
    kRegister,
    kConstant,
    kVariable,  // of a lane: the address of a value that is a register
    kAddress,   // a register, of 32 bits for shared memory and else of 64, and a distance
  };
  struct ValueFact {
    Scalar type = Scalar::kI32;
    Kind kind = Kind::kRegister;
    Space space = Space::kGlobal;  // of addresses
    bool is_signed = false;        // how `narrow` was extended
    uint32_t number = 0;           // of the register
    uint32_t narrow = 0;           // a value of 32 bits that this one was extended from
    uint64_t bits = 0;             // of a constant; of an address, its distance in bytes
  };
  enum class End : uint8_t { kOpen, kJump, kBranch, kText, kReturn };
  struct Block {
    Label label = 0;
    size_t begin = 0;  // of its text, in the text of its function
    End end = End::kOpen;
    Value condition = 0;
    Label yes = 0;
    Label no = 0;
    std::string moves;         // into the phis of the blocks that it leads to
    std::string text;          // of kText
    std::vector<Label> named;  // in it
  };
  // A list of registers for each of pred, 32 and 64 bits, f32 and f64.
  static constexpr int kNumFiles = 5;
  struct FunctionCode {
    std::string name;
    std::string head;       // result and parameters
    std::string variables;  // shared and local arrays
    std::string start;      // before the first block
    std::string code;
    std::vector<Block> blocks;
    std::unordered_map<Label, size_t> block_of;
    std::array<uint32_t, kNumFiles> registers{};
    uint32_t num_parameters = 0;
  };
  // An operand of an instruction.
  struct Piece {
    enum class As : uint8_t { kValue, kAddress, kLabel } as;
    uint32_t number;
  };
  static Piece V(Value value) { return {Piece::As::kValue, value}; }
  static Piece At(Value address) { return {Piece::As::kAddress, address}; }
  static Piece To(Label label) { return {Piece::As::kLabel, label}; }

  FunctionCode& function() { return functions_.back(); }
  Value NewValue(Scalar type, Kind kind);
  Value NewRegister(Scalar type);
  Value Alias(Value of, Scalar type);
  template <class... Parts>
  void Line(std::string& text, const Parts&... parts) const {
    (Put(text, parts), ...);
    text += ";\n";
  }
  template <class... Parts>
  void Code(const Parts&... parts) {
    Line(function().code, parts...);
  }
  static void Put(std::string& text, std::string_view part) { text += part; }
  void Put(std::string& text, const Piece& piece) const;
  static void PutConstant(std::string& text, const ValueFact& fact);
  Value Held(Value value);
  Value Extended(Value value, Scalar to, bool is_signed);
  Value Masked(Value value);
  Value Small(Value value, bool is_signed);
  Value SelectTruth(Value condition, Value yes, Value no);
  Value FloatOperation(Binary op, Value a, Value b);
  Value DivideByConstant(Binary op, Scalar type, Value a, uint32_t divisor);
  Value QuotientOf(Value a, uint32_t divisor);
  Value Shifted(Binary op, Value a, Value b);
  Value Base(Space space, Scalar type, const std::string& symbol, std::string& text);
  void PutCases(std::string& text, Value value, std::span<const Label> cases, uint32_t first);
  void EndBlock(End end, Value condition, Label yes, Label no);
  void PutFunction(std::string& out, const FunctionCode& function);
  void PutBlock(std::string& out, const FunctionCode& function, size_t k,
                const std::vector<bool>& used);

  std::string name_;
  std::vector<ValueFact> values_{1};
  Label last_label_ = 0;
  uint32_t shared_bytes_ = 0;
  bool uses_f64_ = false;
  bool uses_atomics64_ = false;
  std::array<std::unordered_map<uint64_t, Value>, kNumScalars> constants_;  // by bits
  std::map<std::vector<uint64_t>, std::string> tables_;                     // their symbols
  std::string globals_;
  std::string ended_;                          // functions that are complete
  std::vector<FunctionCode> functions_;        // the kernel first, the one being written last
  std::vector<Scalar> results_;                // of functions, by number
  std::unordered_map<Value, Value> incoming_;  // by phi: the register that jumps to it write
};

}  // namespace hologram::device
