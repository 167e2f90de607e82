// Programs in which the lanes of a block work together on a row, and the product of matrices.
#include <string>

#include "programs/builder.h"

namespace hologram::programs {

using isa::BlockOp;
using isa::Condition;
using isa::Direction;
using isa::NeutralBits;
using isa::Opcode;
using isa::OpcodeOf;
using isa::Program;
using isa::Sreg;
using isa::Type;
namespace {

using Buffer = ProgramBuilder::Buffer;
using Label = ProgramBuilder::Label;
using Predicate = ProgramBuilder::Predicate;
using Value = ProgramBuilder::Value;

// What the lanes of one block do with the n elements of their row.
class RowBuilder {
 public:
  RowBuilder(BlockOp op, Type type, const char* what)
      : op_(op),
        type_(type),
        b_(std::string(what) + "_" + std::string(NameOf(op)) + "_" + std::string(NameOf(type))),
        a_(b_.AddBuffer("a", type, Direction::kIn)),
        out_(b_.AddBuffer("out", type, Direction::kOut)),
        n_(b_.AddScalar("n", Type::kU32)) {
    b_.SetDefaultBlock(kRowLanes);
    lanes_ = U32(kRowLanes);
    b_.TrapIf(b_.Compare(Condition::kNe, b_.ReadId(Sreg::kBlockDimX), lanes_));
    lane_ = b_.ReadId(Sreg::kLaneX);
    block_ = b_.ReadId(Sreg::kBlockX);
    row_ = b_.Operation(Opcode::kMul, {block_, n_});
    neutral_ = b_.Constant(type, NeutralBits(op, type));
  }

  Result<Program> Reduce() {
    const bool is_sum = op_ == BlockOp::kAdd;
    const Value sum = b_.Constant(type_, is_sum ? 0 : NeutralBits(op_, type_));
    ForChunks([&](Value i, Predicate outside) {
      const Label next = b_.NewLabel();
      b_.BranchIf(outside, next);
      b_.Assign(sum, Combine(sum, Element(i)));
      b_.Bind(next);
    });
    const Value total = b_.BlockReduce(op_, sum);
    const Label done = b_.NewLabel();
    b_.BranchIf(b_.Compare(Condition::kNe, lane_, U32(0)), done);
    b_.Store(out_, block_, total);
    b_.Bind(done);
    return b_.Finish();
  }

  Result<Program> Scan() {
    const Value carry = b_.Constant(type_, NeutralBits(op_, type_));
    const Value value = b_.Constant(type_, NeutralBits(op_, type_));
    const Predicate inner = b_.Compare(Condition::kNe, lane_, U32(kRowLanes - 1));
    ForChunks([&](Value i, Predicate outside) {
      const Label no_element = b_.NewLabel();
      const Label not_stored = b_.NewLabel();
      b_.Assign(value, neutral_);
      b_.BranchIf(outside, no_element);
      b_.Assign(value, Element(i));
      b_.Bind(no_element);
      const Value result = Combine(carry, b_.BlockScan(op_, value));
      b_.BranchIf(outside, not_stored);
      b_.Store(out_, b_.Operation(Opcode::kAdd, {row_, i}), result);
      b_.Bind(not_stored);
      // All lanes get what the last one has: the others add what changes nothing.
      b_.Assign(carry, b_.BlockReduce(op_, b_.Select(inner, neutral_, result)));
    });
    return b_.Finish();
  }

 private:
  Value U32(uint32_t value) { return b_.Constant(Type::kU32, value); }
  Value Element(Value i) { return b_.Load(a_, b_.Operation(Opcode::kAdd, {row_, i})); }
  Value Combine(Value a, Value b) { return b_.Operation(OpcodeOf(op_), {a, b}); }

  // `body(i, outside)` for i = lane, lane + kRowLanes, ... until all lanes are past the row's end;
  // it is for all lanes, with `outside` where i has no element.
  template <class Body>
  void ForChunks(const Body& body) {
    const Value one = U32(1);
    const Value rest = b_.Operation(Opcode::kRem, {n_, lanes_});
    const Value chunks = b_.Operation(Opcode::kAdd, {b_.Operation(Opcode::kDiv, {n_, lanes_}),
                                                     b_.Operation(Opcode::kMin, {rest, one})});
    const Value k = U32(0);
    const Label loop = b_.NewLabel();
    const Label end = b_.NewLabel();
    b_.Bind(loop);
    b_.BranchIf(b_.Compare(Condition::kGe, k, chunks), end);
    const Value i = b_.Operation(Opcode::kAdd, {b_.Operation(Opcode::kMul, {k, lanes_}), lane_});
    body(i, b_.Compare(Condition::kGe, i, n_));
    b_.Assign(k, b_.Operation(Opcode::kAdd, {k, one}));
    b_.Branch(loop);
    b_.Bind(end);
  }

  const BlockOp op_;
  const Type type_;
  ProgramBuilder b_;
  const Buffer a_;
  const Buffer out_;
  const Value n_;
  Value lanes_;
  Value lane_;
  Value block_;
  Value row_;
  Value neutral_;
};

}  // namespace

Result<Program> ReduceProgram(BlockOp op, Type type) {
  return RowBuilder(op, type, "reduce").Reduce();
}

Result<Program> ScanProgram(BlockOp op, Type type) {
  return RowBuilder(op, type, "scan").Scan();
}

Result<Program> GemmProgram(Type type) {
  ProgramBuilder b("gemm_" + std::string(NameOf(type)));
  const Buffer left = b.AddBuffer("a", type, Direction::kIn);
  const Buffer right = b.AddBuffer("b", type, Direction::kIn);
  const Buffer out = b.AddBuffer("c", type, Direction::kOut);
  const Value m = b.AddScalar("m", Type::kU32);
  const Value n = b.AddScalar("n", Type::kU32);
  const Value k = b.AddScalar("k", Type::kU32);
  const Value lda = b.AddScalar("lda", Type::kU32);
  const Value ldb = b.AddScalar("ldb", Type::kU32);
  const Value ldc = b.AddScalar("ldc", Type::kU32);
  const auto at = [&](Value row, Value stride, Value column) {
    return b.Operation(Opcode::kAdd, {b.Operation(Opcode::kMul, {row, stride}), column});
  };
  const Value t = b.GuardedId(b.Operation(Opcode::kMul, {m, n}));
  const Value i = b.Operation(Opcode::kDiv, {t, n});
  const Value j = b.Operation(Opcode::kRem, {t, n});
  const Value sum = b.Constant(type, 0);
  const Value p = b.Constant(Type::kU32, 0);
  const Value one = b.Constant(Type::kU32, 1);
  const Label loop = b.NewLabel();
  const Label end = b.NewLabel();
  b.Bind(loop);
  b.BranchIf(b.Compare(Condition::kGe, p, k), end);
  const Value x = b.Load(left, at(i, lda, p));
  const Value y = b.Load(right, at(p, ldb, j));
  b.Assign(sum, b.Operation(Opcode::kAdd, {sum, b.Operation(Opcode::kMul, {x, y})}));
  b.Assign(p, b.Operation(Opcode::kAdd, {p, one}));
  b.Branch(loop);
  b.Bind(end);
  b.Store(out, at(i, ldc, j), sum);
  return b.Finish();
}

}  // namespace hologram::programs
