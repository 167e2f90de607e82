// Programs built by C++ code, without text: values are registers with types, labels are numbers
// until Finish(). What does not fit together (types, registers, a label that is nowhere) is
// kept as the first error and returned by Finish(), so that code that builds reads like the
// program.
//
//   ProgramBuilder b("negate");
//   const auto x = b.AddBuffer("x", Type::kF32, Direction::kIn), y = ...;
//   const auto n = b.AddScalar("n", Type::kU32);
//   const auto i = b.GuardedId(n);            // lanes from n on are done
//   b.Store(y, i, b.Operation(Opcode::kNeg, {b.Load(x, i)}));
//   Result<Program> program = b.Finish();     // untrusted, as any other: verify::Verify it
//
// Tested by tests/isa/program_builder_test.cc.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "isa/program.h"

namespace hologram::programs {

class ProgramBuilder {
 public:
  struct Value {
    uint8_t reg = 0;
    isa::Type type = isa::Type::kI8;
  };
  struct Buffer {
    uint8_t reg = 0;
    isa::Type type = isa::Type::kI8;
  };
  struct Predicate {
    uint8_t number = 0;
  };
  struct Label {
    size_t number = 0;
  };

  explicit ProgramBuilder(std::string name) { program_.name = std::move(name); }

  // Parameters, in order, before anything else.
  Buffer AddBuffer(const std::string& name, isa::Type type, isa::Direction direction);
  Value AddScalar(const std::string& name, isa::Type type);

  // Each makes a value in a register of its own.
  Value ReadId(isa::Sreg sreg);
  Value Constant(isa::Type type, uint64_t bits);
  // `op` on values of one type, the type of the first (shifts take a count in u32). Error: an
  // instruction that does anything but compute one value of others.
  Value Operation(isa::Opcode op, std::initializer_list<Value> operands);
  Value Convert(Value value, isa::Type to);
  Value Select(Predicate predicate, Value if_true, Value if_false);
  Value Load(Buffer buffer, Value index);
  void Store(Buffer buffer, Value index, Value value);
  // Gives a value another one, for what changes in a loop.
  void Assign(Value target, Value source);

  // `value` of all lanes of the block, or of those up to the lane's own, combined; a barrier, so
  // that all lanes that have not returned have to come here.
  Value BlockReduce(isa::BlockOp op, Value value);
  Value BlockScan(isa::BlockOp op, Value value);
  // Lanes of a block when the launch does not say.
  void SetDefaultBlock(uint32_t lanes) { program_.default_block = lanes; }

  Predicate Compare(isa::Condition condition, Value a, Value b);
  Label NewLabel();
  void Bind(Label label);  // here
  void Branch(Label label);
  void BranchIf(Predicate predicate, Label label);
  void TrapIf(Predicate predicate);  // the lane faults
  void Exit();
  // global.x, of the lanes in which it is below `count`; the others are done. `count` is u32.
  Value GuardedId(Value count);

  // The program, which ends with EXIT. Once. Errors: see above; those of CheckWellFormed.
  Result<isa::Program> Finish();

 private:
  void Fail(const std::string& what);
  void RequireType(Value value, isa::Type type, const char* what);
  uint8_t NewRegister();
  Value BlockOperation(isa::Opcode opcode, isa::BlockOp op, Value value);
  isa::Parameter& AddParameter(const std::string& name, isa::Type type);
  void Emit(const isa::Instruction& instruction) { program_.code.push_back(instruction); }

  isa::Program program_;
  int next_register_ = 1;
  int next_predicate_ = 0;
  std::vector<std::optional<size_t>> labels_;  // what is there
  std::optional<Diagnostic> error_;
};

// ---- Programs for arrays: element i of each output is made of element i of each input, for i < n,
// the last parameter. All are built, not parsed; the names say operation and types ("add_f32").

// out = op(a), op(a, b), op(a, b, c), with as many inputs as the instruction has operands.
Result<isa::Program> ElementwiseProgram(isa::Opcode op, isa::Type type);
// out = op(a, scalar)
Result<isa::Program> ScalarProgram(isa::Opcode op, isa::Type type);
Result<isa::Program> CastProgram(isa::Type from, isa::Type to);
Result<isa::Program> CopyProgram(isa::Type type);
// out = scalar
Result<isa::Program> FillProgram(isa::Type type);
// out = condition(a, b) ? x : y
Result<isa::Program> SelectProgram(isa::Condition condition, isa::Type type);
// out = a[index], guarded
Result<isa::Program> GatherProgram(isa::Type type);

// ---- Programs for rows and matrices, with the orders of the kernels in kernels/ (docs/isa.md has
// those of BLK.RED and BLK.SCAN), so that bits depend on the program and the data alone.

inline constexpr uint32_t kRowLanes = 256;

// One block of kRowLanes lanes for each row of n elements: out[block] is its reduction. Lane t
// combines the elements t, t + kRowLanes, ... in this order, sums begin with +0, and the lanes are
// combined by BLK.RED. Of nothing: 0, 1, NaN for minima and maxima of floats, else the neutral
// integer. Blocks of another number of lanes are a fault.
Result<isa::Program> ReduceProgram(isa::BlockOp op, isa::Type type);
// The same rows: out[i] is the reduction of the row's elements up to i, BLK.SCAN by chunks of
// kRowLanes, each combined with the last result of the one before.
Result<isa::Program> ScanProgram(isa::BlockOp op, isa::Type type);
// c = a b, m x k by k x n, row-major with rows of lda, ldb and ldc elements. A lane for each
// element of c, which adds its k products, each rounded, in order.
Result<isa::Program> GemmProgram(isa::Type type);

}  // namespace hologram::programs
