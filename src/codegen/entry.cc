// The generated launch check. It decides what verify::CheckLaunch decides for a deterministic
// launch with the right number of arguments, but only says yes or "ask somebody else": a launch
// that it rejects goes to the table-driven check, which finds the message. So every test may err on
// the side of rejecting. Each test is a word that is negative when it fails; the words are joined
// with OR and one branch on the sign follows: comparisons would each end in a flag that has to be
// saved. Expressions are computed in 64 bits; where their ranges do not exclude an overflow, an
// overflow rejects.
#include <cstddef>

#include "codegen/lowering.h"

namespace hologram::codegen {

using llvm::BasicBlock;
using llvm::ConstantInt;
using llvm::Function;
using llvm::FunctionType;
using llvm::GlobalValue;
using verify::CheckNode;
using verify::CheckOp;
namespace intrinsic = llvm::Intrinsic;

namespace {
constexpr __int128 kMaxAddress = __int128{1} << 62;  // of buffers, and of their sizes
}  // namespace

void Lowering::RejectIf(Value* condition) {
  RejectIfNegative(b_.CreateSExt(condition, b_.getInt64Ty()));
}

void Lowering::RejectIfNegative(Value* word) {
  reject_ = reject_ == nullptr ? word : b_.CreateOr(reject_, word);
}

// Rejects unless 1 <= v <= count. REQUIRES: v and count are below 2^63.
void Lowering::RejectOutside(Value* v, uint64_t count) {
  RejectIfNegative(b_.CreateSub(v, b_.getInt64(1)));
  RejectIfNegative(b_.CreateSub(b_.getInt64(count), v));
}

// Lanes of a block, lanes of a dimension, and, where lanes are one row, that the launch is one.
void Lowering::CheckShape() {
  constexpr uint64_t kIds = uint64_t{1} << 32;
  const auto wide = [&](Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); };
  // The product of two sizes below 2^32 may have its top bit set; that rejects as well.
  const auto lanes_of = [&](unsigned d) {
    return b_.CreateMul(wide(shape_values_[d]), wide(shape_values_[3 + d]));
  };
  if (plan_.unit == HOLOGRAM_UNIT_LANE) {
    Value* others = nullptr;
    for (unsigned at : {1U, 2U, 4U, 5U}) {
      Value* difference = b_.CreateXor(shape_values_[at], b_.getInt32(1));
      others = others == nullptr ? difference : b_.CreateOr(others, difference);
    }
    RejectIfNegative(b_.CreateNeg(wide(others)));
    RejectOutside(wide(shape_values_[3]), isa::kMaxLanesPerBlock);
    RejectOutside(lanes_of(0), kIds - 1);
    return;
  }
  Value* block = nullptr;
  for (unsigned d = 0; d < 3; ++d) {
    Value* size = wide(shape_values_[3 + d]);
    RejectOutside(size, isa::kMaxLanesPerBlock);
    RejectOutside(lanes_of(d), kIds - 1);
    block = block == nullptr ? size : b_.CreateMul(block, size);
  }
  RejectOutside(block, isa::kMaxLanesPerBlock);
  // All lanes together stay far below 2^63.
  Value* grid_xy = b_.CreateMul(wide(shape_values_[0]), wide(shape_values_[1]));
  RejectIf(b_.CreateICmpUGT(grid_xy, b_.getInt64(uint64_t{1} << 31)));
  RejectIf(b_.CreateICmpUGT(wide(shape_values_[2]), b_.getInt64(uint64_t{1} << 19)));
}

void Lowering::CheckBuffers(Value* buffers) {
  const auto& parameters = plan_.program().parameters;
  data_.assign(parameters.size(), nullptr);
  bytes_.assign(parameters.size(), nullptr);
  Value* misaligned = nullptr;
  Value* large = nullptr;
  uint64_t ordinal = 0;
  const auto join = [&](Value*& to, Value* v) { to = to == nullptr ? v : b_.CreateOr(to, v); };
  for (size_t k = 0; k < parameters.size(); ++k) {
    if (!parameters[k].is_buffer) continue;
    const uint64_t at = sizeof(hologram_buffer_ref) * ordinal++;
    Value* pointer =
        LoadInvariant(b_.getPtrTy(), buffers, at + offsetof(hologram_buffer_ref, data));
    data_[k] = b_.CreatePtrToInt(pointer, b_.getInt64Ty());
    bytes_[k] = LoadInvariant(b_.getInt64Ty(), buffers, at + offsetof(hologram_buffer_ref, bytes));
    const uint64_t low_bits = isa::SizeOf(parameters[k].type) - 1;
    if (low_bits != 0) join(misaligned, b_.CreateAnd(data_[k], b_.getInt64(low_bits)));
    join(large, b_.CreateOr(data_[k], bytes_[k]));
    // A null buffer is legal when it is empty; that is not worth deciding here.
    RejectIfNegative(b_.CreateSub(data_[k], b_.getInt64(1)));
  }
  if (misaligned != nullptr) RejectIfNegative(b_.CreateNeg(misaligned));
  // Nothing reaches kMaxAddress, so that differences of addresses and sizes do not wrap.
  if (large != nullptr) {
    RejectIfNegative(large);
    RejectIfNegative(b_.CreateShl(large, 1));
  }
  for (const verify::AliasRule& rule : plan_.verified->launch_check().aliases) {
    Value* overlap = Overlap(rule);
    if (rule.same_element) {
      join(meet_, overlap);
    } else {
      RejectIfNegative(overlap);
    }
  }
}

// Negative if the two buffers share memory: b - a < bytes of a, and a - b < bytes of b.
llvm::Value* Lowering::Overlap(const verify::AliasRule& rule) {
  Value* distance = b_.CreateSub(data_[rule.slot_b], data_[rule.slot_a]);
  return b_.CreateAnd(b_.CreateSub(distance, bytes_[rule.slot_a]),
                      b_.CreateSub(b_.CreateNeg(distance), bytes_[rule.slot_b]));
}

// Negative if two buffers that may be the same memory overlap in another way.
llvm::Value* Lowering::PartialOverlap() {
  Value* partial = b_.getInt64(0);
  for (const verify::AliasRule& rule : plan_.verified->launch_check().aliases) {
    if (!rule.same_element) continue;
    Value* distance = b_.CreateXor(data_[rule.slot_b], data_[rule.slot_a]);
    Value* other = b_.CreateOr(distance, b_.CreateXor(bytes_[rule.slot_a], bytes_[rule.slot_b]));
    partial = b_.CreateOr(partial, b_.CreateAnd(Overlap(rule), b_.CreateNeg(other)));
  }
  return partial;
}

namespace {

bool Fits(__int128 low, __int128 high) {
  return low >= INT64_MIN && high <= INT64_MAX;
}

}  // namespace

// The result of a + b, a - b or a * b, whose exact range is in `result`.
Lowering::Ranged Lowering::Clamped(Ranged result, intrinsic::ID checked, const Ranged& a,
                                   const Ranged& b) {
  if (Fits(result.low, result.high)) {
    if (checked == intrinsic::sadd_with_overflow) {
      result.value = b_.CreateAdd(a.value, b.value);
    } else if (checked == intrinsic::ssub_with_overflow) {
      result.value = b_.CreateSub(a.value, b.value);
    } else {
      result.value = b_.CreateMul(a.value, b.value);
    }
    return result;
  }
  Value* pair = b_.CreateBinaryIntrinsic(checked, a.value, b.value);
  result.value = b_.CreateExtractValue(pair, 0);
  RejectIf(b_.CreateExtractValue(pair, 1));
  result.low = std::max<__int128>(result.low, INT64_MIN);
  result.high = std::min<__int128>(result.high, INT64_MAX);
  return result;
}

Lowering::Ranged Lowering::FloorDivide(const Ranged& a, const Ranged& b) {
  Ranged result;
  result.low = std::min<__int128>(a.low, -1);
  result.high = std::max<__int128>(a.high, 0);
  Value* bad = b_.CreateICmpSLE(b.value, b_.getInt64(0));
  RejectIf(bad);
  Value* divisor = b_.CreateSelect(bad, b_.getInt64(1), b.value);
  Value* quotient = b_.CreateSDiv(a.value, divisor);
  Value* rest = b_.CreateSRem(a.value, divisor);
  Value* below = b_.CreateICmpSLT(rest, b_.getInt64(0));
  result.value = b_.CreateSub(quotient, b_.CreateZExt(below, b_.getInt64Ty()));
  return result;
}

Lowering::Ranged Lowering::Combine(const CheckNode& node, const Ranged& a, const Ranged& b) {
  Ranged result;
  switch (node.op) {
    case CheckOp::kAdd:
      result.low = a.low + b.low;
      result.high = a.high + b.high;
      return Clamped(result, intrinsic::sadd_with_overflow, a, b);
    case CheckOp::kSub:
      result.low = a.low - b.high;
      result.high = a.high - b.low;
      return Clamped(result, intrinsic::ssub_with_overflow, a, b);
    case CheckOp::kMul: {
      const __int128 corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
      result.low = *std::min_element(corners, corners + 4);
      result.high = *std::max_element(corners, corners + 4);
      return Clamped(result, intrinsic::smul_with_overflow, a, b);
    }
    case CheckOp::kMin:
      result.low = std::min(a.low, b.low);
      result.high = std::min(a.high, b.high);
      result.value = b_.CreateBinaryIntrinsic(intrinsic::smin, a.value, b.value);
      return result;
    case CheckOp::kMax:
      result.low = std::max(a.low, b.low);
      result.high = std::max(a.high, b.high);
      result.value = b_.CreateBinaryIntrinsic(intrinsic::smax, a.value, b.value);
      return result;
    default:
      return FloorDivide(a, b);
  }
}

// In a launch of one row: grid.x * block.x is known, each alone is not, and the others are 1.
bool Lowering::IsRowSize(const CheckNode& node) const {
  if (launch_lanes_ == nullptr || node.op != CheckOp::kMul) return false;
  const auto& nodes = plan_.verified->launch_check().nodes;
  const CheckNode& a = nodes[node.lhs];
  const CheckNode& b = nodes[node.rhs];
  const bool dims = (a.op == CheckOp::kGridDim && b.op == CheckOp::kBlockDim) ||
                    (a.op == CheckOp::kBlockDim && b.op == CheckOp::kGridDim);
  return dims && a.value == 0 && b.value == 0;
}

Lowering::Ranged Lowering::RowDim(size_t dimension) {
  row_known_ &= dimension != 0;
  return {b_.getInt64(1), 1, 1};
}

Lowering::Ranged Lowering::Node(uint32_t index) {
  if (nodes_[index].value != nullptr) return nodes_[index];
  const CheckNode& node = plan_.verified->launch_check().nodes[index];
  const auto k = static_cast<size_t>(node.value);
  const auto wide = [&](Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); };
  Ranged result;
  switch (node.op) {
    case CheckOp::kConstant:
      result = {ConstantInt::getSigned(b_.getInt64Ty(), node.value), node.value, node.value};
      break;
    case CheckOp::kScalar: {
      const isa::Type type = plan_.program().parameters[k].type;
      result.value = b_.CreateIntCast(scalar_[k], b_.getInt64Ty(), isa::IsSignedInteger(type));
      result.low = isa::MinOf(type);
      result.high = std::min<__int128>(isa::MaxOf(type), INT64_MAX);
      if (type == isa::Type::kU64) RejectIf(b_.CreateICmpSLT(result.value, b_.getInt64(0)));
      break;
    }
    case CheckOp::kGridDim:
    case CheckOp::kBlockDim:
      if (launch_lanes_ != nullptr) return RowDim(k);
      if (node.op == CheckOp::kBlockDim) {
        result = {wide(ShapeValue(true, static_cast<unsigned>(k))), 0, isa::kMaxLanesPerBlock};
        break;
      }
      result = {wide(ShapeValue(false, static_cast<unsigned>(k))), 0, UINT32_MAX};
      break;
    case CheckOp::kExtent:
      result = {
          b_.CreateUDiv(bytes_[k], b_.getInt64(isa::SizeOf(plan_.program().parameters[k].type))), 0,
          kMaxAddress};
      break;
    default:
      result = IsRowSize(node) ? Ranged{launch_lanes_, 1, UINT32_MAX}
                               : Combine(node, Node(node.lhs), Node(node.rhs));
  }
  nodes_[index] = result;
  return result;
}

void Lowering::CheckConditions() {
  const verify::LaunchCheck& check = plan_.verified->launch_check();
  nodes_.assign(check.nodes.size(), {});
  for (const verify::LaunchCondition& condition : check.conditions) {
    const Ranged lhs = Node(condition.lhs);
    const Ranged rhs = Node(condition.rhs);
    if (lhs.high <= rhs.low) continue;
    if (Fits(rhs.low - lhs.high, rhs.high - lhs.low)) {
      RejectIfNegative(b_.CreateSub(rhs.value, lhs.value));
    } else {
      RejectIf(b_.CreateICmpSGT(lhs.value, rhs.value));
    }
  }
}

// Kernels of lanes in a row that look at no size but the row's.
bool Lowering::CanLaunchRow() const {
  if (plan_.unit != HOLOGRAM_UNIT_LANE) return false;
  const auto& code = plan_.program().code;
  return std::none_of(code.begin(), code.end(), [](const isa::Instruction& i) {
    const isa::Uses uses = isa::UsesOf(i);
    const bool special = std::any_of(
        uses.reads.begin(), uses.reads.begin() + uses.num_reads,
        [](const isa::RegisterUse& use) { return use.reg >= isa::kFirstSpecialRegister; });
    return special || (i.op == isa::Opcode::kReadSreg && i.sreg() != isa::Sreg::kGlobalX);
  });
}

// `row`: the entry for launches of one row, whose third argument is the number of lanes. Returns
// null if the check needs to know more.
Function* Lowering::MakeEntry(Function* lanes, bool row) {
  Type* pointer = b_.getPtrTy();
  Type* third = row ? static_cast<Type*>(b_.getInt64Ty()) : pointer;
  FunctionType* type =
      FunctionType::get(b_.getInt32Ty(), {pointer, pointer, third, pointer}, false);
  Function* entry = Function::Create(type, GlobalValue::InternalLinkage,
                                     name_ + (row ? ".row_entry" : ".entry"), module_);
  BeginFunction(entry);
  for (unsigned i = 0; i < 4; ++i) {
    if (!row || i != 2) entry->addParamAttr(i, llvm::Attribute::NoAlias);
  }
  Value* buffers = entry->getArg(0);
  Value* scalars = entry->getArg(1);
  reject_ = nullptr;
  meet_ = nullptr;
  launch_lanes_ = row ? entry->getArg(2) : nullptr;
  row_known_ = true;
  shape_ = row ? static_cast<Value*>(llvm::PoisonValue::get(pointer)) : entry->getArg(2);
  for (unsigned d = 0; d < 6 && !row; ++d) {
    shape_values_[d] = LoadInvariant(b_.getInt32Ty(), shape_, 4 * d);
  }
  scalar_.assign(plan_.program().parameters.size(), nullptr);
  uint64_t ordinal = 0;
  for (size_t k = 0; k < scalar_.size(); ++k) {
    const isa::Parameter& parameter = plan_.program().parameters[k];
    if (parameter.is_buffer) continue;
    scalar_[k] = LoadInvariant(ScalarType(parameter.type), scalars, 8 * ordinal++);
  }
  if (!row) CheckShape();
  CheckBuffers(buffers);
  CheckConditions();
  if (!row_known_) {
    entry->eraseFromParent();
    return nullptr;
  }
  BasicBlock* run = NewBlock("run");
  BranchOnCheck(run);
  b_.SetInsertPoint(run);
  llvm::CallInst* call =
      b_.CreateCall(lanes, LanesArguments(buffers, scalars, shape_, entry->getArg(3),
                                          b_.getInt64(0), row ? launch_lanes_ : Units()));
  call->setCallingConv(llvm::CallingConv::Fast);
  call->setTailCallKind(llvm::CallInst::TCK_Tail);
  b_.CreateRet(call);
  return entry;
}

// The entry of a kernel that has one for rows: the launch must be one row, which is then checked.
Function* Lowering::MakeShapeEntry(Function* row) {
  Type* pointer = b_.getPtrTy();
  FunctionType* type =
      FunctionType::get(b_.getInt32Ty(), {pointer, pointer, pointer, pointer}, false);
  Function* entry = Function::Create(type, GlobalValue::InternalLinkage, name_ + ".entry", module_);
  BeginFunction(entry);
  reject_ = nullptr;
  meet_ = nullptr;
  launch_lanes_ = nullptr;
  shape_ = entry->getArg(2);
  for (unsigned d = 0; d < 6; ++d) {
    shape_values_[d] = LoadInvariant(b_.getInt32Ty(), shape_, 4 * d);
  }
  CheckShape();
  BasicBlock* run = NewBlock("run");
  BranchOnCheck(run);
  b_.SetInsertPoint(run);
  llvm::CallInst* call =
      b_.CreateCall(row, {entry->getArg(0), entry->getArg(1), Units(), entry->getArg(3)});
  call->setTailCallKind(llvm::CallInst::TCK_Tail);
  b_.CreateRet(call);
  return entry;
}

// Goes on to `run`, or returns to the caller that somebody else must decide.
void Lowering::BranchOnCheck(BasicBlock* run) {
  const auto negative = [&](Value* word) { return b_.CreateICmpSLT(word, b_.getInt64(0)); };
  if (reject_ == nullptr) reject_ = b_.getInt64(0);
  BasicBlock* reject = NewBlock("reject");
  if (meet_ == nullptr) {
    BranchUnlikely(negative(reject_), reject, run);
  } else {
    BasicBlock* meet = NewBlock("meet");
    BranchUnlikely(negative(b_.CreateOr(reject_, meet_)), meet, run);
    b_.SetInsertPoint(meet);
    b_.CreateCondBr(negative(b_.CreateOr(reject_, PartialOverlap())), reject, run);
  }
  b_.SetInsertPoint(reject);
  b_.CreateRet(b_.getInt32(HOLOGRAM_LAUNCH_UNPROVED));
}

// How many units the launch has.
llvm::Value* Lowering::Units() {
  const auto wide = [&](unsigned at) { return b_.CreateZExt(shape_values_[at], b_.getInt64Ty()); };
  if (plan_.unit == HOLOGRAM_UNIT_LANE) return b_.CreateMul(wide(0), wide(3));
  if (plan_.unit == HOLOGRAM_UNIT_ROW) {
    return b_.CreateMul(b_.CreateMul(wide(1), wide(4)), b_.CreateMul(wide(2), wide(5)));
  }
  return b_.CreateMul(b_.CreateMul(wide(0), wide(1)), wide(2));
}

}  // namespace hologram::codegen
