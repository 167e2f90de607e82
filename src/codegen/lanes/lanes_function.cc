#include "codegen/lanes/lanes_function.h"

#include "codegen/instructions/instruction_set.h"
#include "codegen/lanes/block_mode.h"
#include "codegen/lanes/flat_rows.h"
#include "codegen/lanes/row_pieces.h"

namespace hologram::codegen {
namespace {

// The compiler keeps accesses on their side; on a processor that costs no instruction.
void EmitCpuFence(FunctionState& f, const isa::Instruction& in) {
  if (in.scope() == isa::Scope::kThread) return;
  const bool one_thread = in.scope() == isa::Scope::kBlock;  // runs all lanes of a block
  f.builder().CreateFence(llvm::AtomicOrdering::AcquireRelease,
                          one_thread ? llvm::SyncScope::SingleThread : llvm::SyncScope::System);
}

// All that writes one function: each part has what it needs from those before it.
class LanesFunction {
 public:
  LanesFunction(const Kernel& kernel, llvm::Function* function, const Regions& regions,
                LanesForm form, const Callees& callees, Remarks* remarks)
      : f_(kernel, function, true),
        args_(BindLanes(f_)),
        ids_(f_, form == LanesForm::kColumns ? Exchanged(args_.shape) : args_.shape),
        chunk_(f_),
        position_(kernel.plan),
        remarks_(f_, chunk_, position_, remarks),
        registers_(f_, args_, ids_, chunk_, position_),
        faults_(f_, ids_, chunk_, args_.state),
        polls_(f_, kernel.scopes, args_.state),
        local_(f_, ids_, chunk_, regions, args_.state),
        shared_(f_),
        instructions_({f_, args_, ids_, chunk_, registers_, faults_, remarks_, local_, shared_},
                      EmitCpuFence),
        back_edges_(f_, args_, chunk_, faults_),
        control_(f_, chunk_, position_, registers_, faults_, remarks_, polls_, back_edges_,
                 instructions_.emitters()),
        invariants_(registers_, position_, instructions_.emitters()),
        chunks_(ids_, chunk_, registers_, faults_, local_, remarks_, back_edges_, control_,
                instructions_.log(), regions.tracks_alive),
        loop_(f_, ids_, chunk_, registers_, faults_, remarks_, instructions_.places(), invariants_,
              chunks_, callees.other, form == LanesForm::kStreaming),
        pieces_(f_, ids_, chunk_, registers_, invariants_, instructions_.emitters().division),
        regions_(regions),
        form_(form),
        to_pieces_(callees.pieces),
        to_columns_(callees.columns) {}

  void Emit() {
    llvm::IRBuilder<>& b = f_.builder();
    if (to_pieces_ != nullptr) pieces_.CallWhereLong(to_pieces_);
    if (to_columns_ != nullptr) CallColumns();
    if (f_.plan().unit == HOLOGRAM_UNIT_BLOCK) {
      BlockMode(f_, args_, ids_, chunk_, registers_, faults_, remarks_, local_, shared_,
                back_edges_, invariants_, chunks_, loop_, regions_)
          .Emit();
    } else {
      RowPieces* pieces = form_ == LanesForm::kPieces ? &pieces_ : nullptr;
      FlatRows rows(f_, args_, ids_, remarks_, polls_, loop_, pieces);
      form_ == LanesForm::kColumns ? rows.EmitColumns() : rows.Emit();
    }
    if (form_ == LanesForm::kStreaming && f_.target().streams == Streams::kFenced) {
      b.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
    }
    b.CreateRet(b.getInt32(HOLOGRAM_LAUNCH_DONE));
    polls_.EmitEnd();
  }

 private:
  // x and y of grid and block.
  static std::array<llvm::Value*, 6> Exchanged(std::array<llvm::Value*, 6> shape) {
    std::swap(shape[0], shape[1]);
    std::swap(shape[3], shape[4]);
    return shape;
  }

  // Returns what they do, if the rows are as many as lanes of some vectors.
  void CallColumns() {
    constexpr uint64_t kVectors = 2;
    llvm::IRBuilder<>& b = f_.builder();
    llvm::BasicBlock* many = f_.NewBlock("columns");
    llvm::BasicBlock* few = f_.NewBlock("rows");
    llvm::Value* rows = b.CreateSub(args_.last, args_.first);
    b.CreateCondBr(b.CreateICmpSGE(rows, b.getInt64(kVectors * f_.target().width)), many, few);
    b.SetInsertPoint(many);
    std::vector<llvm::Value*> arguments;
    for (llvm::Argument& argument : f_.function()->args()) arguments.push_back(&argument);
    llvm::CallInst* call = b.CreateCall(to_columns_, arguments);
    call->setCallingConv(llvm::CallingConv::Fast);
    b.CreateRet(call);
    b.SetInsertPoint(few);
  }

  FunctionState f_;
  const Arguments args_;
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
  Invariants invariants_;
  ChunkBody chunks_;
  LaneLoop loop_;
  RowPieces pieces_;
  const Regions& regions_;
  LanesForm form_;
  llvm::Function* to_pieces_;
  llvm::Function* to_columns_;
};

}  // namespace

llvm::Function* MakeLanes(const Kernel& kernel, const Regions& regions, LanesForm form,
                          const Callees& callees, Remarks* remarks) {
  constexpr const char* kSuffixes[] = {".lanes", ".lanes.streaming", ".lanes.one_by_one",
                                       ".lanes.pieces", ".lanes.columns"};
  llvm::Function* lanes =
      kernel.AddFunction(LanesType(kernel), kSuffixes[static_cast<size_t>(form)]);
  lanes->setCallingConv(llvm::CallingConv::Fast);
  lanes->addFnAttr(llvm::Attribute::NoInline);
  SetCpuAttributes(kernel, lanes);
  LanesFunction(kernel, lanes, regions, form, callees, remarks).Emit();
  return lanes;
}

}  // namespace hologram::codegen
