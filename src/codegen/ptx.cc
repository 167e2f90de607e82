// PTX: the same lowering with one lane per thread. Every web is a scalar, branches are branches,
// and a lane that faults returns. The kernel takes, per parameter, a pointer and its extent in
// elements, or the scalar; then the launch state.
#include <cstddef>

#include "codegen/lowering.h"

namespace hologram::codegen {

using isa::Sreg;
using llvm::BasicBlock;
using llvm::Function;
using llvm::GlobalValue;
namespace intrinsic = llvm::Intrinsic;

void Lowering::SetPtxIds() {
  constexpr intrinsic::ID kTid[] = {intrinsic::nvvm_read_ptx_sreg_tid_x,
                                    intrinsic::nvvm_read_ptx_sreg_tid_y,
                                    intrinsic::nvvm_read_ptx_sreg_tid_z};
  constexpr intrinsic::ID kCta[] = {intrinsic::nvvm_read_ptx_sreg_ctaid_x,
                                    intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                                    intrinsic::nvvm_read_ptx_sreg_ctaid_z};
  constexpr intrinsic::ID kBlockDim[] = {intrinsic::nvvm_read_ptx_sreg_ntid_x,
                                         intrinsic::nvvm_read_ptx_sreg_ntid_y,
                                         intrinsic::nvvm_read_ptx_sreg_ntid_z};
  constexpr intrinsic::ID kGridDim[] = {intrinsic::nvvm_read_ptx_sreg_nctaid_x,
                                        intrinsic::nvvm_read_ptx_sreg_nctaid_y,
                                        intrinsic::nvvm_read_ptx_sreg_nctaid_z};
  const auto read = [&](intrinsic::ID id) { return b_.CreateIntrinsic(id, {}, {}); };
  const auto wide = [&](Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); };
  Value* lane = b_.getInt64(0);
  Value* block = b_.getInt64(0);
  Value* lanes = b_.getInt64(1);
  for (unsigned d = 3; d-- > 0;) {
    Value* tid = read(kTid[d]);
    Value* cta = read(kCta[d]);
    Value* block_dim = read(kBlockDim[d]);
    Value* grid_dim = read(kGridDim[d]);
    shape_values_[d] = grid_dim;
    shape_values_[3 + d] = block_dim;
    ids_[static_cast<size_t>(Sreg::kLaneX) + d] = tid;
    ids_[static_cast<size_t>(Sreg::kBlockX) + d] = cta;
    ids_[static_cast<size_t>(Sreg::kBlockDimX) + d] = block_dim;
    ids_[static_cast<size_t>(Sreg::kGridDimX) + d] = grid_dim;
    ids_[static_cast<size_t>(Sreg::kGlobalX) + d] = b_.CreateAdd(b_.CreateMul(cta, block_dim), tid);
    lane = b_.CreateAdd(b_.CreateMul(lane, wide(block_dim)), wide(tid));
    block = b_.CreateAdd(b_.CreateMul(block, wide(grid_dim)), wide(cta));
    lanes = b_.CreateMul(lanes, wide(block_dim));
  }
  row_lanes_ = lane;
  ids_[static_cast<size_t>(Sreg::kLaneX)] = wide(ids_[static_cast<size_t>(Sreg::kLaneX)]);
  ids_[static_cast<size_t>(Sreg::kGlobalX)] = wide(ids_[static_cast<size_t>(Sreg::kGlobalX)]);
  ids_[static_cast<size_t>(Sreg::kLinear)] = b_.CreateAdd(b_.CreateMul(block, lanes), lane);
  block_lanes_ = lanes;
}

// Memory of each thread block, with undefined contents.
llvm::GlobalVariable* Lowering::MakePtxShared(Type* type, const char* name) {
  constexpr unsigned kSharedSpace = 3;
  auto* variable = new llvm::GlobalVariable(module_, type, false, GlobalValue::InternalLinkage,
                                            llvm::UndefValue::get(type), name, nullptr,
                                            GlobalValue::NotThreadLocal, kSharedSpace);
  variable->setAlignment(llvm::Align(16));
  return variable;
}

// Shared memory of a thread block starts undefined.
void Lowering::ZeroPtxShared() {
  const uint32_t bytes = plan_.program().SharedBytes();
  if (bytes == 0) return;
  llvm::ArrayType* type = llvm::ArrayType::get(b_.getInt8Ty(), bytes);
  shared_ = MakePtxShared(type, "shared");
  BasicBlock* before = b_.GetInsertBlock();
  BasicBlock* body = NewBlock("zero");
  BasicBlock* after = NewBlock("zeroed");
  constexpr uint64_t kWord = 4;
  Value* words = b_.getInt64(bytes / kWord);
  b_.CreateCondBr(b_.CreateICmpULT(row_lanes_, words), body, after);
  b_.SetInsertPoint(body);
  llvm::PHINode* at = b_.CreatePHI(b_.getInt64Ty(), 2);
  b_.CreateAlignedStore(b_.getInt32(0), b_.CreateGEP(b_.getInt32Ty(), shared_, at),
                        llvm::Align(kWord));
  Value* next = b_.CreateAdd(at, block_lanes_);
  at->addIncoming(row_lanes_, before);
  at->addIncoming(next, body);
  b_.CreateCondBr(b_.CreateICmpULT(next, words), body, after);
  b_.SetInsertPoint(after);
  b_.CreateIntrinsic(intrinsic::nvvm_barrier0, {}, {});
}

Function* Lowering::MakePtxKernel() {
  constexpr unsigned kGlobalSpace = 1;
  llvm::PointerType* pointer = llvm::PointerType::get(context_, kGlobalSpace);
  std::vector<Type*> types;
  const auto& parameters = plan_.program().parameters;
  for (const isa::Parameter& parameter : parameters) {
    types.push_back(parameter.is_buffer ? pointer : ScalarType(parameter.type));
    if (parameter.is_buffer) types.push_back(b_.getInt64Ty());
  }
  types.push_back(pointer);
  Function* kernel = Function::Create(llvm::FunctionType::get(b_.getVoidTy(), types, false),
                                      GlobalValue::ExternalLinkage, name_, module_);
  kernel->setCallingConv(llvm::CallingConv::PTX_Kernel);
  function_ = kernel;
  main_version_ = true;  // the only one
  Remark(Remarks::About::kKernel, 0, "a lane to a thread");
  kernel->addFnAttr(llvm::Attribute::NoUnwind);
  entry_ = BasicBlock::Create(context_, "entry", kernel);
  b_.SetInsertPoint(entry_);
  SetFunctionLine(kernel);
  unsigned at = 0;
  for (const isa::Parameter& parameter : parameters) {
    Value* argument = kernel->getArg(at++);
    data_.push_back(parameter.is_buffer ? argument : nullptr);
    scalar_.push_back(parameter.is_buffer ? nullptr : argument);
    extent_.push_back(parameter.is_buffer ? kernel->getArg(at++) : nullptr);
  }
  state_ = kernel->getArg(at);
  SetPtxIds();
  ZeroPtxShared();
  PreparePtxReductions();
  ForgetCopy(1);
  full_ = true;
  if (plan_.counts()) {
    budget_ = LoadInvariant(b_.getInt64Ty(), state_, offsetof(hologram_launch_state, budget));
    most_rounds_ =
        b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, budget_, b_.getInt64(verify::kMostRounds));
    for (auto* slots : {&counts_, &rounds_}) {
      if (!(slots == &counts_ ? plan_.counts_budget : plan_.counts_rounds)) continue;
      slots->push_back(NewSlot(b_.getInt64Ty(), "count"));
      b_.CreateStore(b_.getInt64(0), slots->back());
    }
  }
  StartLocal();
  done_ = NewBlock("done");
  EmitBlocks(ReachableBlocks(), 0);
  b_.SetInsertPoint(done_);
  b_.CreateRetVoid();
  return kernel;
}

}  // namespace hologram::codegen
