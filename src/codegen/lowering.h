// One program -> LLVM IR, for any vector width. The class is split over several files by subject;
// each says at its top how that part works:
//   kernel.cc     functions, arguments, rows        lane_loop.cc  three loop versions, guards
//   block_mode.cc blocks of lanes, regions between barriers, contexts
//   whole_block.cc blocks that are one chunk
//   control.cc    masks, branches, budget           registers.cc  webs in SSA form
//   memory.cc     loads and stores                  atomics.cc    fault.cc
//   steps.cc      ... by strides of the launch
//   local.cc      local arrays                      block_reduce.cc
//   calls.cc      functions that call themselves
//   atlas.cc      classes and phases
//   arithmetic.cc convert.cc math.cc half.cc        entry.cc      the generated launch check
//   ptx.cc        one lane per thread
//   ptx_reduce.cc reductions of a block there
//   remarks.cc    what was emitted, in words
//   cancel.cc     launches that are stopped from outside
#pragma once

#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "codegen/llvm_headers.h"
#include "codegen/plan.h"
#include "codegen/remarks.h"
#include "codegen/target.h"

namespace hologram::codegen {

// One value per sub-vector, or a single scalar.
using Values = llvm::SmallVector<llvm::Value*, 4>;

class Lowering {
 public:
  // `remarks` may be null.
  Lowering(llvm::Module& module, const Plan& plan, const Target& target, const Options& options,
           const llvm::TargetMachine& machine, Remarks* remarks);

  Status Run();

  // ---- For llvm_math_ops.h
  llvm::IRBuilder<>& builder() { return b_; }
  const Target& target() const { return target_; }
  llvm::Value* FusedMultiplyAdd(llvm::Value* a, llvm::Value* b, llvm::Value* c);
  llvm::Value* AnyOf(const Values& masks);
  llvm::BasicBlock* NewBlock(const char* name);
  void BranchUnlikely(llvm::Value* condition, llvm::BasicBlock* rare, llvm::BasicBlock* usual);
  llvm::Type* BitsType(llvm::Type* type);  // integers of the same size
  void Fail(std::string message);
  // functions.cc: what is too long to be repeated at every place that needs it
  using LaneBody = std::function<llvm::Value*(llvm::Value*)>;
  llvm::Function* OneLaneFunction(const std::string& name, llvm::Type* type, const LaneBody& body);
  llvm::Function* EachLaneFunction(llvm::Function* one_lane, llvm::Type* vector);
  llvm::Value* LoadEntry(llvm::ArrayRef<uint64_t> table, llvm::Value* index);
  // lookup.cc
  llvm::Value* LookUp16(const float (&table)[16], llvm::Value* index);

 private:
  class Elsewhere;
  using Value = llvm::Value;
  using Type = llvm::Type;

  // ---- kernel.cc
  void MakeAliasScopes();
  llvm::Function* MakeLanes(bool streaming);
  llvm::Function* MakeBody(llvm::Function* lanes, const char* suffix);
  void MakeInfo(llvm::Function* entry, llvm::Function* default_entry, llvm::Function* body,
                llvm::Function* streaming);
  llvm::FunctionType* LanesType();
  std::vector<Value*> LanesArguments(Value* buffers, Value* scalars, Value* shape, Value* state,
                                     Value* first, Value* last);
  void BindArguments(llvm::Function* lanes);
  void BeginFunction(llvm::Function* function);
  void SetAttributes(llvm::Function* function);
  Value* LoadInvariant(Type* type, Value* base, uint64_t offset);
  Value* ShapeValue(bool block, unsigned dimension);
  bool NeedsExtent(size_t parameter) const;
  const char* StreamingObstacle() const;
  void EmitFlat();

  // ---- debug lines (kernel.cc)
  void SetLine(uint32_t pc);
  void SetFunctionLine(llvm::Function* function);

  // ---- entry.cc
  struct LaunchArguments {
    llvm::Function* function;
    Value* buffers;
    Value* scalars;
    Value* state;
  };
  LaunchArguments BeginLaunch(const char* suffix, bool row);
  void RunLanes(const LaunchArguments& launch, llvm::Function* lanes);
  llvm::Function* MakeMeeting(llvm::Function* lanes, bool row);
  llvm::Function* MakeEntry(llvm::Function* lanes, bool row);
  llvm::Function* MakeShapeEntry(llvm::Function* row);
  bool CanLaunchRow() const;
  bool IsRowSize(const verify::CheckNode& node) const;
  llvm::Function* MakeDefaultEntry(llvm::Function* row, llvm::Function* entry);
  bool HasDefaultLaunch() const;
  Value* DefaultLanes();
  void CheckAdmitted(Value* lanes);
  void InitializeState(Value* state);
  Value* MakeShape(Value* lanes);
  Value* Units();
  void BeginCheck(llvm::Function* function);
  void ReturnFrom(llvm::CallInst* call);
  void LoadShape();
  void LoadArguments(Value* buffers, Value* scalars);
  void CheckShape();
  void CheckBuffers(Value* limit);
  void CheckConditions();
  void CheckRounds();
  void CheckOverlap(llvm::Function* meeting);
  void RejectIf(Value* condition);
  void RejectOutside(Value* v, uint64_t count);
  std::array<Value*, 2> StartsInside(const verify::AliasRule& rule);
  Value* Overlap(const verify::AliasRule& rule);
  Value* PartialOverlap();
  struct Ranged {
    Value* value = nullptr;  // i64
    __int128 low = 0;
    __int128 high = 0;
  };
  Ranged Node(uint32_t index);
  Ranged RowDim(size_t dimension);
  Ranged Combine(const verify::CheckNode& node, const Ranged& a, const Ranged& b, bool compared);
  Ranged Clamped(Ranged result, llvm::Intrinsic::ID checked, const Ranged& a, const Ranged& b,
                 bool compared);
  Ranged FloorDivide(const Ranged& a, const Ranged& b);

  // ---- lane_loop.cc
  struct Limits {
    Value* first;
    Value* last;
  };
  Limits ApplyGuards(Limits limits);
  Value* GuardBound(const LaneGuard& guard);
  void Rematerialize(OperandId id);
  void EmitLaneLoops(Limits limits, const std::vector<uint32_t>& blocks, bool streaming);
  Value* EmitFullLoop(Limits limits, unsigned unroll, const std::vector<uint32_t>& blocks);
  void EmitMasked(Limits limits, const std::vector<uint32_t>& blocks, bool loops);
  Value* EmitMaskedGroup(Limits limits, unsigned unroll, const std::vector<uint32_t>& blocks);
  Value* AlignedFirst(Limits limits);
  void EmitStreamingLoops(Limits limits, const std::vector<uint32_t>& blocks);
  void CallPlainLanes(Limits limits);
  void EmitChunk(Value* x, unsigned unroll, Value* remaining, const std::vector<uint32_t>& blocks);
  void ForgetCopy(unsigned unroll);
  void InitializeLive();
  std::vector<uint32_t> ReachableBlocks() const;
  unsigned UnrollFactor(const std::vector<uint32_t>& blocks) const;
  size_t BodySize(const std::vector<uint32_t>& blocks) const;
  bool HasLoop(const std::vector<uint32_t>& blocks) const;
  bool LoopsOverMemory(const std::vector<uint32_t>& blocks) const;
  bool MasksRest(const std::vector<uint32_t>& blocks) const;
  bool MasksAll(const std::vector<uint32_t>& blocks) const;

  // ---- block_mode.cc
  void EmitBlockMode();
  void EmitBlockLoop(llvm::function_ref<void(Value*)> body);
  void EmitRegions();
  void EmitNextRegion(llvm::BasicBlock* latch);
  void ZeroShared();
  void EmitRegion(uint32_t region);
  Limits LanesOfRegion(uint32_t entry, Value* width);
  void FindRegions();
  std::vector<uint32_t> RegionBlocks(uint32_t entry) const;
  void LoadContext(uint32_t entry);
  void StoreContext();
  Value* ContextArray(OperandId web, Type*& element);
  Value* LaneContext(OperandId web);
  Value* RowContext(OperandId web, bool after);
  Value* ChunkOffset(OperandId web);
  void CommitRow();
  void LoadCounts(Value* context, const llvm::SmallVector<llvm::AllocaInst*, 4>& slots,
                  Value* lane);
  void StoreCounts(Value*& context, const llvm::SmallVector<llvm::AllocaInst*, 4>& slots,
                   Value* lane);
  bool KeptPerRow(OperandId web) const;
  std::vector<OperandId> WebsAcrossBarriers() const;
  Values ReadLanes(Value* array, Type* element, bool as_bool);
  void WriteLanes(Value* array, const Values& values);
  void ArriveAtBarrier(uint32_t block);

  // ---- whole_block.cc
  unsigned WholeLanes() const;
  Value* IsWholeShape(unsigned lanes);
  void EmitWholeBlocks(unsigned lanes);
  void EmitWholeReduction(uint32_t pc);
  void EmitWholeScan(uint32_t pc);

  // ---- control.cc
  void EmitBlocks(const std::vector<uint32_t>& blocks, uint32_t entry);
  void EmitBlock(uint32_t block, const std::vector<uint32_t>& blocks, size_t position);
  bool NeedsAnyCheck(uint32_t block) const;
  void EmitLoop(uint32_t pc);
  Value* Taken(uint32_t block);
  void EmitFence(const isa::Instruction& in);
  void EmitTerminator(uint32_t block, llvm::BasicBlock* next);
  void EndConvergent(uint32_t block);
  void EndVarying(uint32_t block);
  void NoteAgreement(uint32_t pc);
  bool CanGoTogether(uint32_t block, uint32_t to) const;
  llvm::BasicBlock* TogetherTo(uint32_t block, uint32_t to);
  void EndDivergent(uint32_t block, llvm::BasicBlock* next);
  void LeaveDivergent(uint32_t block, llvm::ArrayRef<uint32_t> targets, llvm::BasicBlock* next);
  llvm::BasicBlock* HeadOfNext(uint32_t block, const BlockSet& lanes);
  void PushEdge(uint32_t block, uint32_t to, Values mask);
  void EnterFromConvergent(uint32_t to);
  llvm::BasicBlock* TargetOfEdge(uint32_t from, uint32_t to);
  void Push(uint32_t to, const Values& mask);
  Values MaskOfEdge(uint32_t block, size_t successor);
  struct Counter {
    const llvm::SmallVector<llvm::AllocaInst*, 4>& slots;
    Value* most;
  };
  Counter CounterOf(uint32_t from, uint32_t to) const;
  Values CountBackEdges(uint32_t block, const Values& mask, const Counter& counter);
  void CountScalarBackEdge(uint32_t block, const Counter& counter);
  Values LoadMask(const llvm::SmallVector<llvm::AllocaInst*, 4>& slots);
  Values LoadPending(uint32_t block);
  void StorePending(uint32_t block, const Values& masks);

  // ---- registers.cc
  Type* ScalarType(isa::Type type);
  Type* TypeOfWeb(OperandId id);
  Type* VectorOf(Type* type);
  llvm::AllocaInst* NewSlot(Type* type, const char* name);
  llvm::SmallVector<llvm::AllocaInst*, 4>& SlotsOf(OperandId id);
  Value* ConstantOf(OperandId id);
  Value* Scalar(OperandId id);  // lane 0
  Value* Exact(OperandId id);   // lane 0 as an exact i64
  Value* Vector(OperandId id, unsigned u);
  Values Operand(OperandId id, bool as_scalar);
  void WriteScalar(uint32_t pc, Value* value);
  void WriteAffine(uint32_t pc, Value* exact);
  void Write(uint32_t pc, Values values);
  bool MustBlend(OperandId web) const;
  Value* Splat(Value* scalar);
  Value* Iota(Type* element, int64_t stride, int64_t first);
  Value* Mask(unsigned u);
  bool MaybeNan(OperandId id) const;

  // ---- arithmetic.cc, convert.cc, math.cc
  void EmitInstruction(uint32_t pc);
  bool EmitAffine(uint32_t pc);
  void EmitPure(uint32_t pc);
  void EmitDivision(uint32_t pc);
  void EmitReduce(uint32_t pc);
  llvm::Constant* ReduceIdentity(isa::Opcode op, isa::Type type);
  llvm::Constant* FloatConstant(isa::Type type, double value);
  Value* Operate(const isa::Instruction& in, Value* a, Value* b, Value* c);
  Value* FloatOperation(const isa::Instruction& in, Value* a, Value* b, Value* c);
  Value* IntegerOperation(const isa::Instruction& in, Value* a, Value* b, Value* c);
  Value* MinMax(Value* a, Value* b, bool max);
  Value* MinMaxByRange(Value* a, Value* b, bool max);
  Value* Compare(const isa::Instruction& in, Value* a, Value* b);
  Value* Convert(const isa::Instruction& in, Value* a);
  llvm::Value* FloatToInteger(const isa::Instruction& in, Value* a, Type* type);
  Value* Divide(const isa::Instruction& in, Value* a, Value* b);
  Value* Unary(llvm::Intrinsic::ID id, Value* a);
  // half.cc
  Value* HalfOperation(const isa::Instruction& in, Value* a, Value* b, Value* c);
  Value* Widen(isa::Type half, Value* bits);
  Value* Narrow(isa::Type half, Value* value);
  Value* NarrowBeforeRounding(isa::Type from, Value* value);
  Value* KeepInF64(Value* value, bool is_signed);
  Value* RoundToOdd(Value* value);
  Value* FusedToOdd(Value* a, Value* b, Value* c);
  Type* LikeVector(Type* element, Value* value);
  // software_fma.cc
  Value* SoftwareFma64(Value* a, Value* b, Value* c);
  llvm::Function* MakeFma64();
  Value* Canonical(Value* value);
  Values MathFunction(const isa::Instruction& in, const Values& a, const Values& b);
  Value* ReadId(isa::Sreg sreg);

  // ---- cancel.cc
  bool PollsAt(uint32_t block) const;
  bool Polls() const;
  llvm::GlobalVariable* CancelAddress();
  void EmitPoll();
  void EndCancelled();

  // ---- memory.cc, atomics.cc
  struct Place {
    Value* base = nullptr;    // of element 0
    Value* extent = nullptr;  // elements, i64
    Type* type = nullptr;
    unsigned size = 0;
    int64_t distance = 0;  // from the index to the element
    int32_t slot = -1;     // parameter number, or -1 for shared memory
  };
  Place PlaceOf(uint32_t pc);
  void FaultOutside(uint32_t pc, const Place& place);
  void EmitAccess(uint32_t pc);
  void EmitScalarAccess(uint32_t pc, const Place& place);
  void EmitAffineAccess(uint32_t pc, const Place& place, int64_t stride);
  void EmitStrided(uint32_t pc, const Place& place, int64_t stride);
  void EmitScattered(uint32_t pc, const Place& place, const std::string& why);
  void EmitUniformStore(uint32_t pc, const Place& place);
  Value* LoadShuffled(const Place& place, Value* first, int64_t stride, unsigned u);
  Value* ElementAddress(const Place& place, Value* exact_index);
  Value* LaneAddresses(const Place& place, OperandId index, unsigned u);
  Value* OutOfBounds(const Place& place, OperandId index, Value* value);
  Value* ExtendIndex(OperandId index, Value* value, const Place& place);
  Values StoredValues(uint32_t pc, bool scalar);
  Values CanonicalForStore(Values values);
  void Tag(llvm::Instruction* access, const Place& place);
  OperandId IndexOf(uint32_t pc) const;
  OperandId StoredOperand(uint32_t pc) const;
  void EmitAtomic(uint32_t pc, const Place& place);
  bool EmitReducedAtomic(uint32_t pc, const Place& place);
  Value* FloatUpdate(const isa::Instruction& in, Value* old, Value* value);
  Value* SwappedFloat(Value* old, Value* expected, Value* desired);
  Value* IndicesInMemory(OperandId index, uint32_t pc);
  Values EmitAllTurns(uint32_t pc, const Place& place);
  Values EmitTurns(uint32_t pc, const Place& place, bool alone);
  // `desired`: of compare-and-swap, whose `value` is what is expected.
  Value* AtomicUpdate(uint32_t pc, const Place& place, Value* address, Value* value, Value* desired,
                      bool alone);
  OperandId DesiredOperand(uint32_t pc) const;
  Value* AtomicOperand(uint32_t pc, OperandId id, unsigned u);
  Value* StoredVector(uint32_t pc, unsigned u);
  void EmitLaunchSum(uint32_t pc, const Place& place);  // launch_sums.cc

  // ---- steps.cc
  // An index in the chunk: of lane 0, and from lane to lane, in its own type.
  struct Steps {
    Value* first = nullptr;
    Value* step = nullptr;
  };
  std::optional<uint32_t> MadeBy(OperandId id, uint32_t pc) const;
  std::optional<Steps> StepsOf(OperandId id, uint32_t pc, int depth);
  Values LoadSteps(const Place& place, Value* first, int64_t stride);
  void StoreSteps(const Place& place, Value* first, int64_t stride, const Values& stored);
  Values AccessElements(const Place& place, const Steps& steps, bool is_signed,
                        const Values* stored);
  bool EmitStepped(uint32_t pc, const Place& place);
  void RemarkSteps(uint32_t pc, Value* step, llvm::ArrayRef<int64_t> strides);

  // ---- atlas.cc
  void EmitAtlas(uint32_t pc);
  void EmitPhase(uint32_t pc);
  void EmitService(uint32_t pc, llvm::ArrayRef<OperandId> reads);
  void CallService(uint32_t pc, Value* lane, Value* operands, Value* results, Value* bad);
  Value* ClassOfBlock();
  Value* MirrorOf(Value* c);
  Value* NeighbourOf(Value* c, unsigned k);
  void FaultNotBelow(uint32_t pc, OperandId id, uint32_t limit, uint32_t code);
  Value* PhaseSteps(unsigned u);
  Value* WrapPhase(Value* sum);
  Value* PhaseOfBlock();
  void KeepStepsOfLane0(Value* steps);

  // ---- local.cc
  void AllocateLocal(unsigned lanes);
  bool LocalPerBlock() const;
  void ZeroLocal(Value* lanes, uint64_t step);
  Value* BehindLocal(uint64_t bytes);
  uint32_t ScratchBytes();
  void AllocateBlockLocal();
  void StartLocal();
  void EmitLocalAccess(uint32_t pc, const Place& place);

  // ---- calls.cc
  Value* DepthAddress(unsigned u);
  Value* PlaceAddresses(Value* depth, unsigned u);
  Value* LoadDepth(unsigned u);
  void StoreDepth(Value* depth, unsigned u);
  void EmitCall(uint32_t pc);
  void EmitReturn();
  void EndReturn(uint32_t block);
  void BeginSharedReturns();
  void EndSharedReturn(uint32_t block, llvm::BasicBlock* next);
  void EmitSharedReturns(const std::vector<uint32_t>& blocks);
  Value* OfNumbers(Value* numbers, llvm::function_ref<bool(size_t)> has, size_t count);
  Value* ParkedAddress(uint32_t block);

  // ---- block_reduce.cc
  llvm::Constant* PaddingOf(const isa::Instruction& in);
  Value* ReductionArray(uint32_t pc);
  Value* BlockLanes();
  Value* ReductionRows();
  static isa::Opcode StepOf(isa::BlockOp op);
  void EmitCountedLoop(Value* first, Value* step, Value* end,
                       llvm::function_ref<Value*(Value*)> body);
  void EmitIf(Value* condition, llvm::function_ref<void()> body);
  void FillReductions();
  bool ReducesByRange(const isa::Instruction& in) const;
  Value* FoldRows(const isa::Instruction& step, Value* array, Value* rows, unsigned group,
                  bool quiet);
  Value* FoldRow(const isa::Instruction& step, Value* value, bool whole);
  void StoreForReduction(uint32_t pc);
  void EmitBlockReduction(uint32_t pc);
  void EmitBlockScan(uint32_t pc);
  bool IsWanted(uint32_t barrier) const;
  void KeepReduction(uint32_t pc, Value* value);
  void KeepScan(uint32_t pc);

  // ---- fault.cc
  bool CanRunAgain() const;
  bool MayFault(uint32_t pc) const;
  bool MayRunTwice(uint32_t pc) const;
  void FaultLanes(uint32_t code, uint32_t pc, const Values& bad, const Values& index,
                  bool is_signed = true);
  void FaultAll(uint32_t code, uint32_t pc, Value* bad, Value* index);
  void EmitTrap(uint32_t pc);
  void RecordFault(uint32_t code, uint32_t pc, Value* lane_offset, Value* index);
  Value* LinearLane();

  // ---- remarks.cc
  void Remark(Remarks::About about, uint32_t pc, const llvm::Twine& words);
  void RemarkAccess(uint32_t pc, const llvm::Twine& words);
  void RemarkScattered(uint32_t pc, const Place& place, const llvm::Twine& why);
  void RemarkEdge(uint32_t from, uint32_t to, bool lanes_together);
  void RemarkLanes(const llvm::Twine& words);
  std::string LineOf(uint32_t pc) const;
  std::string PartingWords(uint32_t block) const;
  std::string MaskWords() const;
  std::string ScatterWords(Type* vector, llvm::Align align, bool load) const;

  // ---- ptx.cc
  llvm::Function* MakePtxKernel();
  void SetPtxIds();
  llvm::GlobalVariable* MakePtxShared(Type* type, const char* name);
  void ZeroPtxShared();

  // ---- ptx_reduce.cc
  void PreparePtxReductions();
  void PtxBarrier();
  bool AllLanesCome(uint32_t block) const;
  void NumberPtxLanes(uint32_t block);
  void ShareOut(Value* count, llvm::function_ref<void(Value*)> body);
  void FillPtxArray(uint32_t pc, Value* slots);
  void EmitPtxReduction(uint32_t pc, uint32_t block);
  void EmitPtxScan(uint32_t pc, uint32_t block);
  void KeepPtx(uint32_t pc, Value* value);

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  const Plan& plan_;
  const Target& target_;
  const Options& options_;
  const llvm::TargetMachine& machine_;
  Remarks* remarks_;
  llvm::IRBuilder<> b_;
  Diagnostics errors_;
  std::string name_;

  // ---- One function
  llvm::Function* function_ = nullptr;
  llvm::BasicBlock* entry_ = nullptr;
  std::vector<Value*> data_;    // by parameter
  std::vector<Value*> extent_;  // by parameter, elements; null where no access needs it
  std::vector<Value*> scalar_;  // by parameter
  Value* shape_ = nullptr;
  Value* state_ = nullptr;
  Value* budget_ = nullptr;
  Value* most_rounds_ = nullptr;  // of loops that end and are counted all the same
  Value* alone_ = nullptr;        // no other thread runs a part of the launch; of atomics
  Value* first_ = nullptr;
  Value* last_ = nullptr;
  Value* shared_ = nullptr;
  Value* local_ = nullptr;        // local arrays of local_lanes_ lanes
  Value* local_lanes_ = nullptr;  // i64
  uint32_t scratch_bytes_ = 0;    // of the caller, for each lane of a block
  Value* local_lane_ = nullptr;   // which of them is the first of the chunk, i64
  Value* cancel_ = nullptr;       // the word that stops the launch; null until it is needed
  llvm::BasicBlock* cancelled_ = nullptr;  // ... and where the function ends then
  llvm::GlobalVariable* cancel_address_ = nullptr;
  bool streaming_ = false;
  llvm::Function* plain_lanes_ = nullptr;     // what the streaming form leaves its ends to
  std::array<Value*, isa::kNumSregs> ids_{};  // u32; those that count along x: exact i64 of lane 0
  std::array<Value*, 6> shape_values_{};      // grid, then block
  Value* global_base_ = nullptr;              // global.x where x is 0, i64
  Value* linear_base_ = nullptr;              // linear lane where x is 0, i64

  // ---- The launch check
  llvm::BasicBlock* reject_ = nullptr;  // where failed tests go
  Value* launch_lanes_ = nullptr;       // in the check for rows: the lanes
  bool row_known_ = true;               // ... which are all that its check asks for
  std::vector<Value*> bytes_;           // by parameter
  std::vector<Ranged> nodes_;
  std::vector<bool> compared_;  // by node: nothing is computed from it

  // ---- One copy of the loop body
  unsigned unroll_ = 1;
  bool full_ = false;                  // all lanes of the chunk exist
  bool main_version_ = false;          // this copy runs most lanes: what remarks are about
  llvm::BasicBlock* again_ = nullptr;  // where a fault leads whose chunk is run again under masks
  Values chunk_mask_;                  // which lanes exist; empty if full_
  std::vector<llvm::SmallVector<llvm::AllocaInst*, 4>> slots_;
  std::vector<llvm::SmallVector<llvm::AllocaInst*, 4>> pending_;
  llvm::AllocaInst* parked_ = nullptr;     // where returns are shared: pending masks by block, i16
  llvm::AllocaInst* returning_ = nullptr;  // and the lanes that return
  llvm::AllocaInst* places_ = nullptr;     // by lane, the number of the place
  llvm::BasicBlock* returns_ = nullptr;    // where they are sent there
  llvm::SmallVector<llvm::AllocaInst*, 4> live_;     // lanes that have not faulted
  llvm::SmallVector<llvm::AllocaInst*, 4> counts_;   // back edges taken, i64
  llvm::SmallVector<llvm::AllocaInst*, 4> rounds_;   // those of limited loops, i64
  llvm::SmallVector<llvm::AllocaInst*, 4> arrived_;  // at the barrier that ends the region
  std::vector<llvm::BasicBlock*> heads_;             // by program block
  llvm::BasicBlock* done_ = nullptr;                 // end of the chunk

  // ---- One block
  uint32_t block_ = 0;
  Values mask_;      // lanes that run
  bool all_ = true;  // statically all of them
  // Where control goes when a fault leaves no lane in a divergent block; null elsewhere.
  llvm::BasicBlock* leave_ = nullptr;
  bool rematerializing_ = false;
  bool together_ = false;          // a copy of a divergent block in which no lane waits
  OperandId agreed_ = kNoOperand;  // the predicate that first_agrees_ and last_agrees_ are about:
  Value* first_agrees_ = nullptr;  // its value in the first lane of the chunk
  Value* last_agrees_ = nullptr;   // and in the last; all between have one of them
  Values loops_on_;                // whether the LOOP at the end jumps: once, or by sub-vector
  Values returned_;  // of the RET at the end: the number of the place where lanes go on

  // ---- Block mode
  bool whole_ = false;  // one chunk is the block
  std::vector<uint32_t> region_entries_;
  std::vector<llvm::BasicBlock*> region_heads_;
  uint32_t region_ = 0;
  std::vector<uint32_t> region_blocks_;
  llvm::AllocaInst* next_region_ = nullptr;
  Value* row_ = nullptr;          // number of the row in the block, i64
  Value* row_lanes_ = nullptr;    // lanes of the block before this row, i64
  Value* block_lanes_ = nullptr;  // lanes before this block, i64
  std::vector<Value*> contexts_;  // by web
  Value* alive_ = nullptr;
  std::map<uint32_t, Value*> reductions_;  // arrays of BLK.RED and BLK.SCAN, by pc
  Value* counts_context_ = nullptr;
  Value* rounds_context_ = nullptr;
  bool tracks_alive_ = false;

  // ---- Reductions in PTX
  Value* ptx_reduction_ = nullptr;  // shared memory
  Value* ptx_arrived_ = nullptr;    // how many lanes have come, in shared memory
  Value* ptx_worker_ = nullptr;     // number of this lane among those that work, i64
  Value* ptx_workers_ = nullptr;    // how many these are, i64

  // ---- Metadata
  std::vector<llvm::MDNode*> scopes_;    // by parameter
  std::vector<llvm::MDNode*> no_alias_;  // by parameter
  std::unique_ptr<llvm::DIBuilder> debug_;
  llvm::DIFile* debug_file_ = nullptr;
};

}  // namespace hologram::codegen
