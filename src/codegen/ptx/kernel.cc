#include "codegen/ptx/kernel.h"

#include "codegen/emit/control_flow.h"
#include "codegen/emit/idioms.h"
#include "codegen/instructions/instruction_set.h"
#include "codegen/plan/regions.h"
#include "codegen/ptx/reductions.h"
#include "codegen/ptx/shared_memory.h"

namespace hologram::codegen::ptx {

using isa::Sreg;
using llvm::BasicBlock;
using llvm::Function;
using llvm::Type;
using llvm::Value;
namespace intrinsic = llvm::Intrinsic;

namespace {

void EmitFence(FunctionState& f, const isa::Instruction& in) {
  if (in.scope() == isa::Scope::kThread) return;
  constexpr intrinsic::ID kFence[] = {intrinsic::not_intrinsic, intrinsic::nvvm_membar_cta,
                                      intrinsic::nvvm_membar_gl, intrinsic::nvvm_membar_sys};
  f.builder().CreateIntrinsic(kFence[in.mod], {}, {});
}

Function* AddKernel(const Kernel& kernel) {
  constexpr unsigned kGlobalSpace = 1;
  llvm::IRBuilder<> b(kernel.module.getContext());
  llvm::PointerType* pointer = llvm::PointerType::get(kernel.module.getContext(), kGlobalSpace);
  std::vector<Type*> types;
  for (const isa::Parameter& parameter : kernel.plan.program().parameters) {
    types.push_back(parameter.is_buffer ? pointer : ScalarType(b, parameter.type));
    if (parameter.is_buffer) types.push_back(b.getInt64Ty());
  }
  types.push_back(pointer);
  Function* function =
      Function::Create(llvm::FunctionType::get(b.getVoidTy(), types, false),
                       llvm::GlobalValue::ExternalLinkage, kernel.name(), kernel.module);
  function->setCallingConv(llvm::CallingConv::PTX_Kernel);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  return function;
}

// Without the limits of back edges, which are loaded later.
Arguments BindArguments(FunctionState& f) {
  Arguments bound;
  unsigned at = 0;
  for (const isa::Parameter& parameter : f.plan().program().parameters) {
    Value* argument = f.function()->getArg(at++);
    bound.data.push_back(parameter.is_buffer ? argument : nullptr);
    bound.scalar.push_back(parameter.is_buffer ? nullptr : argument);
    bound.extent.push_back(parameter.is_buffer ? f.function()->getArg(at++) : nullptr);
  }
  bound.state = f.function()->getArg(at);
  return bound;
}

// The thread's place in the launch.
struct Thread {
  std::array<Value*, 6> shape{};  // grid, then block
  std::array<Value*, 3> lane{};
  std::array<Value*, 3> block{};
  std::array<Value*, 3> global{};
  Value* linear_lane = nullptr;  // in the block, i64
  Value* block_lanes = nullptr;  // i64
  Value* linear = nullptr;       // in the launch, i64
};

Thread ReadThread(FunctionState& f) {
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
  llvm::IRBuilder<>& b = f.builder();
  const auto read = [&](intrinsic::ID id) { return b.CreateIntrinsic(id, {}, {}); };
  const auto wide = [&](Value* v) { return b.CreateZExt(v, b.getInt64Ty()); };
  Thread thread;
  Value* lane = b.getInt64(0);
  Value* block = b.getInt64(0);
  Value* lanes = b.getInt64(1);
  for (unsigned d = 3; d-- > 0;) {
    Value* tid = thread.lane[d] = read(kTid[d]);
    Value* cta = thread.block[d] = read(kCta[d]);
    Value* block_dim = thread.shape[3 + d] = read(kBlockDim[d]);
    Value* grid_dim = thread.shape[d] = read(kGridDim[d]);
    thread.global[d] = b.CreateAdd(b.CreateMul(cta, block_dim), tid);
    lane = b.CreateAdd(b.CreateMul(lane, wide(block_dim)), wide(tid));
    block = b.CreateAdd(b.CreateMul(block, wide(grid_dim)), wide(cta));
    lanes = b.CreateMul(lanes, wide(block_dim));
  }
  thread.linear_lane = lane;
  thread.lane[0] = wide(thread.lane[0]);
  thread.global[0] = wide(thread.global[0]);
  thread.linear = b.CreateAdd(b.CreateMul(block, lanes), lane);
  thread.block_lanes = lanes;
  return thread;
}

// Shared memory of a thread block starts undefined.
Value* MakeSharedArrays(FunctionState& f, const Thread& thread) {
  const uint32_t bytes = f.plan().program().SharedBytes();
  if (bytes == 0) return nullptr;
  llvm::IRBuilder<>& b = f.builder();
  llvm::ArrayType* type = llvm::ArrayType::get(b.getInt8Ty(), bytes);
  Value* shared = AddSharedMemory(f.kernel(), type, "shared");
  BasicBlock* before = b.GetInsertBlock();
  BasicBlock* body = f.NewBlock("zero");
  BasicBlock* after = f.NewBlock("zeroed");
  constexpr uint64_t kWord = 4;
  Value* words = b.getInt64(bytes / kWord);
  b.CreateCondBr(b.CreateICmpULT(thread.linear_lane, words), body, after);
  b.SetInsertPoint(body);
  llvm::PHINode* at = b.CreatePHI(b.getInt64Ty(), 2);
  b.CreateAlignedStore(b.getInt32(0), b.CreateGEP(b.getInt32Ty(), shared, at), llvm::Align(kWord));
  Value* next = b.CreateAdd(at, thread.block_lanes);
  at->addIncoming(thread.linear_lane, before);
  at->addIncoming(next, body);
  b.CreateCondBr(b.CreateICmpULT(next, words), body, after);
  b.SetInsertPoint(after);
  EmitBarrier(f);
  return shared;
}

// What is at the start of the kernel.
struct Start {
  Arguments arguments;
  Thread thread;
  Value* shared = nullptr;
  ReductionMemory reductions;
};

Result<Start> MakeStart(FunctionState& f) {
  Start start;
  start.arguments = BindArguments(f);
  start.thread = ReadThread(f);
  start.arguments.shape = start.thread.shape;
  start.shared = MakeSharedArrays(f, start.thread);
  HOLOGRAM_ASSIGN_OR_RETURN(start.reductions, AddReductionMemory(f));
  LoadBudget(f, start.arguments);
  return start;
}

// All that writes the kernel: each part has what it needs from those before it.
class KernelWriter {
 public:
  KernelWriter(FunctionState& f, const Start& start, Remarks* remarks)
      : f_(f),
        start_(start),
        ids_(f, start.thread.shape),
        chunk_(f),
        position_(f.plan()),
        remarks_(f, chunk_, position_, remarks),
        registers_(f, start.arguments, ids_, chunk_, position_),
        faults_(f, ids_, chunk_, start.arguments.state),
        polls_(f, f.kernel().scopes, start.arguments.state),
        local_(f, ids_, chunk_, Regions(), start.arguments.state),
        shared_(f),
        instructions_(
            {f, start.arguments, ids_, chunk_, registers_, faults_, remarks_, local_, shared_},
            EmitFence),
        back_edges_(f, start.arguments, chunk_, faults_),
        control_(f, chunk_, position_, registers_, faults_, remarks_, polls_, back_edges_,
                 instructions_.emitters()),
        reductions_(f, ids_, registers_, start.reductions, start.thread.block_lanes) {}

  void Emit() {
    const Thread& thread = start_.thread;
    for (unsigned d = 0; d < 3; ++d) {
      ids_.Set(Sreg::kLaneX, d, thread.lane[d]);
      ids_.Set(Sreg::kBlockX, d, thread.block[d]);
      ids_.Set(Sreg::kGlobalX, d, thread.global[d]);
    }
    ids_.StartThread(thread.linear_lane, thread.linear);
    shared_.Use(start_.shared);
    remarks_.BeginMainVersion();  // the only one
    chunk_.BeginOutside();
    back_edges_.Begin();
    local_.StartChunk();
    chunk_.MakeEnd();
    control_.Emit(ReachableBlocks(f_.plan()), 0, reductions_);
    f_.builder().CreateRetVoid();
  }

 private:
  FunctionState& f_;
  const Start& start_;
  LaneIds ids_;
  Chunk chunk_;
  Position position_;
  RemarkWriter remarks_;
  Registers registers_;
  Faults faults_;
  Polls polls_;
  LocalArrays local_;
  SharedArrays shared_;
  InstructionSet instructions_;
  BackEdges back_edges_;
  ControlFlow control_;
  Reductions reductions_;
};

}  // namespace

Status MakeKernel(const Kernel& kernel, Remarks* remarks) {
  if (remarks != nullptr) remarks->Add(Remarks::About::kKernel, 0, "a lane to a thread");
  FunctionState f(kernel, AddKernel(kernel), true);
  HOLOGRAM_ASSIGN_OR_RETURN(const Start start, MakeStart(f));
  KernelWriter(f, start, remarks).Emit();
  return Success{};
}

}  // namespace hologram::codegen::ptx
