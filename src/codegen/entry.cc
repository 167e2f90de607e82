// The generated launch check. It decides what launch::CheckLaunch decides for a deterministic
// launch with the right number of arguments, but only says yes or "ask somebody else": a launch
// that it rejects goes to the table-driven check, which finds the message. So every test may err on
// the side of rejecting. Each test is a compare and a branch that is never taken in a launch that
// runs: one instruction to the machine, and no result to keep. Expressions are computed in 64 bits;
// where their ranges do not exclude an overflow, an overflow rejects.
//
// Three functions: `entry` takes a shape, `default_entry` derives one from the largest output, and
// both go on in `row`, which has the check of the arguments, if the kernel asks for no size but
// that of its row; else `entry` has that check and `default_entry` calls it.
#include <array>
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
constexpr uint64_t kMaxBytes = uint64_t{1} << 62;  // of a buffer
}  // namespace

// Starts a function of the check: `reject` is where every failed test goes.
void Lowering::BeginCheck(Function* function) {
  BeginFunction(function);
  launch_lanes_ = nullptr;
  row_known_ = true;
  reject_ = NewBlock("reject");
  b_.SetInsertPoint(reject_);
  b_.CreateRet(b_.getInt32(HOLOGRAM_LAUNCH_UNPROVED));
  b_.SetInsertPoint(entry_);
}

void Lowering::RejectIf(Value* condition) {
  BasicBlock* next = NewBlock("check");
  BranchUnlikely(condition, reject_, next);
  b_.SetInsertPoint(next);
}

// Rejects unless 1 <= v <= count.
void Lowering::RejectOutside(Value* v, uint64_t count) {
  RejectIf(b_.CreateICmpUGE(b_.CreateSub(v, b_.getInt64(1)), b_.getInt64(count)));
}

// Lanes of a block, lanes of a dimension, and, where lanes are one row, that the launch is one.
void Lowering::CheckShape() {
  constexpr uint64_t kIds = uint64_t{1} << 32;
  const auto wide = [&](Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); };
  const auto lanes_of = [&](unsigned d) {
    return b_.CreateMul(wide(shape_values_[d]), wide(shape_values_[3 + d]));
  };
  if (plan_.unit == HOLOGRAM_UNIT_LANE) {
    Value* others = b_.getInt32(0);
    for (unsigned at : {1U, 2U, 4U, 5U}) {
      others = b_.CreateOr(others, b_.CreateXor(shape_values_[at], b_.getInt32(1)));
    }
    RejectIf(b_.CreateICmpNE(others, b_.getInt32(0)));
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

void Lowering::LoadArguments(Value* buffers, Value* scalars) {
  const auto& parameters = plan_.program().parameters;
  data_.assign(parameters.size(), nullptr);
  bytes_.assign(parameters.size(), nullptr);
  scalar_.assign(parameters.size(), nullptr);
  uint64_t buffer = 0;
  uint64_t scalar = 0;
  for (size_t k = 0; k < parameters.size(); ++k) {
    if (!parameters[k].is_buffer) {
      scalar_[k] = LoadInvariant(ScalarType(parameters[k].type), scalars, 8 * scalar++);
      continue;
    }
    const uint64_t at = sizeof(hologram_buffer_ref) * buffer++;
    Value* pointer =
        LoadInvariant(b_.getPtrTy(), buffers, at + offsetof(hologram_buffer_ref, data));
    data_[k] = b_.CreatePtrToInt(pointer, b_.getInt64Ty());
    bytes_[k] = LoadInvariant(b_.getInt64Ty(), buffers, at + offsetof(hologram_buffer_ref, bytes));
  }
}

// Sizes below `limit`, addresses below 2^63: so that no difference below wraps.
void Lowering::CheckBuffers(Value* limit) {
  const auto& parameters = plan_.program().parameters;
  std::array<Value*, 4> addresses{};  // joined, by the logarithm of the element's size
  Value* sizes = nullptr;
  const auto join = [&](Value*& to, Value* v) { to = to == nullptr ? v : b_.CreateOr(to, v); };
  for (size_t k = 0; k < parameters.size(); ++k) {
    if (!parameters[k].is_buffer) continue;
    join(addresses[llvm::Log2_32(isa::SizeOf(parameters[k].type))], data_[k]);
    join(sizes, bytes_[k]);
  }
  if (sizes == nullptr) return;
  RejectIf(b_.CreateICmpUGE(sizes, limit));
  Value* all = nullptr;
  Value* misaligned = b_.getInt64(0);
  for (unsigned log2 = 0; log2 < addresses.size(); ++log2) {
    if (addresses[log2] == nullptr) continue;
    join(all, addresses[log2]);
    misaligned = b_.CreateOr(misaligned, b_.CreateAnd(addresses[log2], (1U << log2) - 1));
  }
  RejectIf(b_.CreateICmpSLT(all, b_.getInt64(0)));
  RejectIf(b_.CreateICmpNE(misaligned, b_.getInt64(0)));
  for (Value* data : data_) {
    // A null buffer is legal when it is empty; that is not worth deciding here.
    if (data != nullptr) RejectIf(b_.CreateICmpEQ(data, b_.getInt64(0)));
  }
}

// Goes on unless buffers share memory in a way that the kernel may not allow. Where it allows
// exactly the same memory, `meeting` decides, with the arguments of this function.
void Lowering::CheckOverlap(Function* meeting) {
  const auto& rules = plan_.verified->launch_check().aliases;
  for (const verify::AliasRule& rule : rules) {
    if (!rule.same_element) RejectIf(Overlap(rule));
  }
  if (meeting == nullptr) return;
  BasicBlock* meet = BasicBlock::Create(context_, "meet", function_);
  for (const verify::AliasRule& rule : rules) {
    if (!rule.same_element) continue;
    // Two branches, not one of a disjunction.
    const std::array<Value*, 2> starts = StartsInside(rule);
    for (Value* inside : starts) {
      BasicBlock* next = NewBlock("check");
      BranchUnlikely(inside, meet, next);
      b_.SetInsertPoint(next);
    }
  }
  BasicBlock* go_on = b_.GetInsertBlock();
  b_.SetInsertPoint(meet);
  std::vector<Value*> arguments;
  for (llvm::Argument& argument : function_->args()) arguments.push_back(&argument);
  ReturnFrom(b_.CreateCall(meeting, arguments));
  b_.SetInsertPoint(go_on);
}

// Whether b starts in a, and a in b: one of them is true if they share memory. A buffer that is
// empty may seem to.
std::array<llvm::Value*, 2> Lowering::StartsInside(const verify::AliasRule& rule) {
  Value* distance = b_.CreateSub(data_[rule.slot_b], data_[rule.slot_a]);
  return {b_.CreateICmpULT(distance, bytes_[rule.slot_a]),
          b_.CreateICmpULT(b_.CreateNeg(distance), bytes_[rule.slot_b])};
}

llvm::Value* Lowering::Overlap(const verify::AliasRule& rule) {
  const std::array<Value*, 2> starts = StartsInside(rule);
  return b_.CreateOr(starts[0], starts[1]);
}

// True if two buffers that may be the same memory overlap in another way.
llvm::Value* Lowering::PartialOverlap() {
  Value* partial = b_.getFalse();
  for (const verify::AliasRule& rule : plan_.verified->launch_check().aliases) {
    if (!rule.same_element) continue;
    Value* distance = b_.CreateXor(data_[rule.slot_b], data_[rule.slot_a]);
    Value* other = b_.CreateOr(distance, b_.CreateXor(bytes_[rule.slot_a], bytes_[rule.slot_b]));
    Value* differ = b_.CreateICmpNE(other, b_.getInt64(0));
    for (const auto& [k, l] : rule.equal) {
      differ = b_.CreateOr(differ, b_.CreateICmpNE(scalar_[k], scalar_[l]));
    }
    partial = b_.CreateOr(partial, b_.CreateAnd(Overlap(rule), differ));
  }
  return partial;
}

namespace {

bool Fits(__int128 low, __int128 high) {
  return low >= INT64_MIN && high <= INT64_MAX;
}

}  // namespace

// The result of a + b, a - b or a * b, whose exact range is in `result`. What is too large rejects
// the launch. What is too small is the smallest number, if `compared`: it never exceeds anything.
Lowering::Ranged Lowering::Clamped(Ranged result, intrinsic::ID checked, const Ranged& a,
                                   const Ranged& b, bool compared) {
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
  Value* outside = b_.CreateExtractValue(pair, 1);
  if (compared && checked != intrinsic::smul_with_overflow) {
    // A sum and a difference leave on the side of their first operand.
    Value* smallest = ConstantInt::getSigned(b_.getInt64Ty(), INT64_MIN);
    result.value = b_.CreateSelect(outside, smallest, result.value);
    outside = b_.CreateAnd(outside, b_.CreateICmpSGE(a.value, b_.getInt64(0)));
  }
  RejectIf(outside);
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

Lowering::Ranged Lowering::Combine(const CheckNode& node, const Ranged& a, const Ranged& b,
                                   bool compared) {
  Ranged result;
  switch (node.op) {
    case CheckOp::kAdd:
      result.low = a.low + b.low;
      result.high = a.high + b.high;
      return Clamped(result, intrinsic::sadd_with_overflow, a, b, compared);
    case CheckOp::kSub:
      result.low = a.low - b.high;
      result.high = a.high - b.low;
      return Clamped(result, intrinsic::ssub_with_overflow, a, b, compared);
    case CheckOp::kMul: {
      const __int128 corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
      result.low = *std::min_element(corners, corners + 4);
      result.high = *std::max_element(corners, corners + 4);
      return Clamped(result, intrinsic::smul_with_overflow, a, b, compared);
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
          kMaxBytes};
      break;
    default:
      result = IsRowSize(node) ? Ranged{launch_lanes_, 1, UINT32_MAX}
                               : Combine(node, Node(node.lhs), Node(node.rhs), compared_[index]);
  }
  nodes_[index] = result;
  return result;
}

// Which nodes only go, by way of minima and maxima, to the left side of conditions.
static std::vector<bool> OnlyCompared(const verify::LaunchCheck& check) {
  std::vector<bool> compared(check.nodes.size(), true);
  for (const verify::LaunchCondition& condition : check.conditions) {
    compared[condition.rhs] = false;
  }
  for (size_t n = check.nodes.size(); n-- > 0;) {
    const CheckNode& node = check.nodes[n];
    if (node.op < CheckOp::kAdd) continue;
    const bool passes = (node.op == CheckOp::kMin || node.op == CheckOp::kMax) && compared[n];
    if (passes) continue;
    compared[node.lhs] = false;
    compared[node.rhs] = false;
  }
  return compared;
}

void Lowering::CheckConditions() {
  const verify::LaunchCheck& check = plan_.verified->launch_check();
  nodes_.assign(check.nodes.size(), {});
  compared_ = OnlyCompared(check);
  for (const verify::LaunchCondition& condition : check.conditions) {
    const Ranged lhs = Node(condition.lhs);
    const CheckNode& bound = check.nodes[condition.rhs];
    if (bound.op == CheckOp::kExtent) {
      // In bytes, without the division.
      const auto k = static_cast<size_t>(bound.value);
      const __int128 size = isa::SizeOf(plan_.program().parameters[k].type);
      if (lhs.high <= 0) continue;
      if (Fits(lhs.low * size, lhs.high * size)) {
        Value* bytes = b_.CreateMul(lhs.value, b_.getInt64(static_cast<uint64_t>(size)));
        RejectIf(b_.CreateICmpSGT(bytes, bytes_[k]));
        continue;
      }
    }
    const Ranged rhs = Node(condition.rhs);
    if (lhs.high <= rhs.low) continue;
    RejectIf(b_.CreateICmpSGT(lhs.value, rhs.value));
  }
  CheckRounds();
}

// Of nests of loops that may go round too often: a launch with a larger budget is rejected too.
void Lowering::CheckRounds() {
  constexpr __int128 kMost = verify::kMostRounds;
  for (const verify::RoundsBound& bound : plan_.verified->launch_check().rounds) {
    if (bound.constant > verify::kMostRounds) {
      RejectIf(b_.getTrue());
      continue;
    }
    Ranged rounds;
    rounds.low = rounds.high = static_cast<__int128>(bound.constant);
    rounds.value = b_.getInt64(bound.constant);
    for (const uint32_t node : bound.factors) {
      Ranged factor = Node(node);
      if (factor.low < 1) {
        factor.value = b_.CreateBinaryIntrinsic(intrinsic::smax, factor.value, b_.getInt64(1));
      }
      factor.low = std::max<__int128>(factor.low, 1);
      factor.high = std::max<__int128>(factor.high, 1);
      const Ranged before = rounds;
      rounds.low = before.low * factor.low;
      rounds.high = before.high * factor.high;
      rounds = Clamped(rounds, intrinsic::smul_with_overflow, before, factor, false);
    }
    if (rounds.high <= kMost) continue;
    RejectIf(b_.CreateICmpSGT(rounds.value, b_.getInt64(verify::kMostRounds)));
  }
}

// Kernels of lanes in a row that look at no size but the row's.
bool Lowering::CanLaunchRow() const {
  if (plan_.unit != HOLOGRAM_UNIT_LANE) return false;
  const auto& code = plan_.program().code;
  return std::none_of(code.begin(), code.end(), [](const isa::Instruction& i) {
    const isa::Uses uses = isa::UsesOf(i);
    bool special = false;
    uses.ForEachRead(
        [&](const isa::RegisterUse& use) { special |= use.reg >= isa::kFirstSpecialRegister; });
    return special || (i.op == isa::Opcode::kReadSreg && i.sreg() != isa::Sreg::kGlobalX);
  });
}

// The arguments of a function behind the launch check. `row`: of a launch of one row, whose third
// argument is the number of lanes and whose fourth is what no size of a buffer may reach. Else the
// third is the shape.
Lowering::LaunchArguments Lowering::BeginLaunch(const char* suffix, bool row) {
  Type* pointer = b_.getPtrTy();
  Type* word = b_.getInt64Ty();
  FunctionType* type =
      row ? FunctionType::get(b_.getInt32Ty(), {pointer, pointer, word, word, pointer}, false)
          : FunctionType::get(b_.getInt32Ty(), {pointer, pointer, pointer, pointer}, false);
  Function* function =
      Function::Create(type, GlobalValue::InternalLinkage, name_ + suffix, module_);
  BeginCheck(function);
  for (llvm::Argument& argument : function->args()) {
    if (argument.getType()->isPointerTy()) argument.addAttr(llvm::Attribute::NoAlias);
  }
  launch_lanes_ = row ? function->getArg(2) : nullptr;
  shape_ = row ? static_cast<Value*>(llvm::PoisonValue::get(pointer)) : function->getArg(2);
  if (!row) LoadShape();
  LoadArguments(function->getArg(0), function->getArg(1));
  Value* state = function->getArg(row ? 4 : 3);
  if (scratch_bytes_ != 0) {
    Value* scratch = LoadInvariant(b_.getPtrTy(), state, offsetof(hologram_launch_state, scratch));
    RejectIf(b_.CreateIsNull(scratch));
  }
  return {function, function->getArg(0), function->getArg(1), state};
}

void Lowering::RunLanes(const LaunchArguments& launch, Function* lanes) {
  if (plan_.updates_buffers) {
    b_.CreateStore(b_.getInt32(1),
                   b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), launch.state,
                                                 offsetof(hologram_launch_state, alone)));
  }
  ReturnFrom(b_.CreateCall(
      lanes, LanesArguments(launch.buffers, launch.scalars, shape_, launch.state, b_.getInt64(0),
                            launch_lanes_ != nullptr ? launch_lanes_ : Units())));
}

// Where the check goes when buffers that may be the same memory share some. A function of its own:
// what it keeps would cost registers in every launch.
Function* Lowering::MakeMeeting(Function* lanes, bool row) {
  const auto& rules = plan_.verified->launch_check().aliases;
  if (std::none_of(rules.begin(), rules.end(),
                   [](const verify::AliasRule& rule) { return rule.same_element; })) {
    return nullptr;
  }
  const LaunchArguments launch = BeginLaunch(".meeting", row);
  if (row) launch.function->setCallingConv(llvm::CallingConv::Fast);
  RejectIf(PartialOverlap());
  RunLanes(launch, lanes);
  return launch.function;
}

// The check of the arguments, and the lanes behind it; of a row or the entry. Null if the check of
// a row needs to know more.
Function* Lowering::MakeEntry(Function* lanes, bool row) {
  Function* meeting = MakeMeeting(lanes, row);
  const LaunchArguments launch = BeginLaunch(row ? ".row" : ".entry", row);
  if (row) launch.function->setCallingConv(llvm::CallingConv::Fast);
  if (!row) CheckShape();
  CheckBuffers(row ? static_cast<Value*>(launch.function->getArg(3)) : b_.getInt64(kMaxBytes));
  CheckConditions();
  CheckOverlap(meeting);
  if (!row_known_) {
    launch.function->eraseFromParent();
    if (meeting != nullptr) meeting->eraseFromParent();
    return nullptr;
  }
  RunLanes(launch, lanes);
  return launch.function;
}

void Lowering::LoadShape() {
  for (unsigned d = 0; d < 6; ++d) {
    shape_values_[d] = LoadInvariant(b_.getInt32Ty(), shape_, 4 * d);
  }
}

// Ends a function with a call of another one of this kernel.
void Lowering::ReturnFrom(llvm::CallInst* call) {
  call->setCallingConv(call->getCalledFunction()->getCallingConv());
  call->setTailCallKind(llvm::CallInst::TCK_Tail);
  b_.CreateRet(call);
}

// The entry of a kernel that has one for rows: the launch must be one row, which is then checked.
Function* Lowering::MakeShapeEntry(Function* row) {
  Type* pointer = b_.getPtrTy();
  FunctionType* type =
      FunctionType::get(b_.getInt32Ty(), {pointer, pointer, pointer, pointer}, false);
  Function* entry = Function::Create(type, GlobalValue::InternalLinkage, name_ + ".entry", module_);
  BeginCheck(entry);
  shape_ = entry->getArg(2);
  LoadShape();
  CheckShape();
  ReturnFrom(b_.CreateCall(row, {entry->getArg(0), entry->getArg(1), Units(),
                                 b_.getInt64(kMaxBytes), entry->getArg(3)}));
  return entry;
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
