// The functions of an object: `lanes` runs a range of units with all arguments in registers, `body`
// unpacks the arguments for it, `entry` (entry.cc) checks the launch first. Also what every
// function needs: attributes, alias scopes, source lines.
#include <algorithm>
#include <cstddef>

#include "codegen/cancel.h"
#include "codegen/lowering.h"

namespace hologram::codegen {

using isa::Sreg;
using llvm::BasicBlock;
using llvm::Function;
using llvm::FunctionType;
using llvm::GlobalValue;

Lowering::Lowering(llvm::Module& module, const Plan& plan, const Target& target,
                   const Options& options, const llvm::TargetMachine& machine, Remarks* remarks)
    : module_(module),
      context_(module.getContext()),
      plan_(plan),
      target_(target),
      options_(options),
      machine_(machine),
      remarks_(remarks),
      b_(module.getContext()),
      name_(plan.program().name.empty() ? "kernel" : plan.program().name) {}

void Lowering::Fail(std::string message) {
  if (!errors_.empty()) return;
  errors_.push_back({ErrorCode::kUnsupported, {}, name_ + ": " + std::move(message)});
}

Status Lowering::Run() {
  MakeAliasScopes();
  Remark(Remarks::About::kKernel, 0, target_.name);
  if (IsPtx(options_.level)) {
    MakePtxKernel();
  } else {
    scratch_bytes_ = ScratchBytes();
    Function* lanes = MakeLanes(false);
    Function* body = MakeBody(lanes, ".body");
    Function* streaming = nullptr;
    plain_lanes_ = lanes;
    const char* obstacle = StreamingObstacle();
    if (obstacle == nullptr) streaming = MakeBody(MakeLanes(true), ".streaming");
    Remark(Remarks::About::kKernel, 0,
           obstacle == nullptr ? llvm::Twine("stores past the caches in large launches")
                               : "no stores past the caches: " + llvm::Twine(obstacle));
    Function* row = CanLaunchRow() ? MakeEntry(lanes, true) : nullptr;
    Function* entry = row != nullptr ? MakeShapeEntry(row) : MakeEntry(lanes, false);
    Function* default_entry = HasDefaultLaunch() ? MakeDefaultEntry(row, entry) : nullptr;
    MakeInfo(entry, default_entry, body, streaming);
  }
  if (debug_ != nullptr) debug_->finalize();
  if (!errors_.empty()) return errors_;
  return Success{};
}

// Two slots may be the same memory only where the verifier says that every lane stays at its own
// element; such a pair keeps its program order.
void Lowering::MakeAliasScopes() {
  llvm::MDBuilder metadata(context_);
  llvm::MDNode* domain = metadata.createAnonymousAliasScopeDomain("launch");
  const size_t count = plan_.program().parameters.size();
  std::vector<llvm::Metadata*> scopes;
  for (size_t k = 0; k < count; ++k) {
    scopes.push_back(metadata.createAnonymousAliasScope(domain, "buffer" + std::to_string(k)));
    scopes_.push_back(llvm::MDNode::get(context_, {scopes[k]}));
  }
  for (size_t k = 0; k < count; ++k) {
    std::vector<llvm::Metadata*> others;
    for (size_t j = 0; j < count; ++j) {
      bool may_coincide = j == k;
      for (const verify::AliasRule& rule : plan_.verified->launch_check().aliases) {
        const bool pair =
            (rule.slot_a == j && rule.slot_b == k) || (rule.slot_a == k && rule.slot_b == j);
        may_coincide |= pair && rule.same_element;
      }
      if (!may_coincide) others.push_back(scopes[j]);
    }
    no_alias_.push_back(llvm::MDNode::get(context_, others));
  }
}

bool Lowering::NeedsExtent(size_t parameter) const {
  if (options_.unchecked) return false;
  for (const verify::AccessFact& fact : plan_.verified->accesses()) {
    if (fact.global() && fact.slot == parameter && fact.tier == verify::Tier::kGuarded) return true;
  }
  return false;
}

// Why there is no streaming form; null if there is. It has one contiguous store per lane, by all
// lanes of the row that pass the guards.
const char* Lowering::StreamingObstacle() const {
  if (plan_.unit != HOLOGRAM_UNIT_LANE) return "the lanes are not one row";
  if (plan_.may_fault) return "lanes may fault";
  if (!plan_.program().locals.empty()) return "local arrays";
  const auto& code = plan_.program().code;
  int stores = 0;
  for (uint32_t pc = 0; pc < code.size(); ++pc) {
    if (isa::IsAtomic(code[pc].op) || isa::IsPrint(code[pc].op)) return "atomics or print";
    if (!isa::IsStore(code[pc].op)) continue;
    const verify::AccessFact* fact = plan_.verified->AccessAt(pc);
    if (fact == nullptr || fact->stride != 1 || fact->tier != verify::Tier::kProved) {
      return "a store is not contiguous";
    }
    const OperandId index = IndexOf(pc);
    const bool known = IsFixed(index) || plan_.webs[static_cast<size_t>(index)].invariant;
    if (!known || plan_.KindOf(index) != Kind::kAffine) return "a store moves on in a loop";
    if (plan_.divergent[plan_.verified->BlockOf(pc)] != 0) return "a store is under a condition";
    ++stores;
  }
  if (stores == 1) return nullptr;
  return stores == 0 ? "nothing is stored" : "several stores";
}

void Lowering::SetAttributes(Function* function) {
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr("no-trapping-math", "true");
  function->addFnAttr("denormal-fp-math", "ieee,ieee");
  function->addFnAttr("target-cpu", target_.cpu);
  function->addFnAttr("no-jump-tables", "true");
  if (!plan_.scalar) {
    const std::string bits = std::to_string(std::min(512U, target_.width * 32));
    function->addFnAttr("prefer-vector-width", bits);
    function->addFnAttr("min-legal-vector-width", bits);
  }
}

void Lowering::SetFunctionLine(Function* function) {
  const isa::Program& program = plan_.program();
  if (!options_.debug_lines || program.debug.empty() || program.source_file.empty()) return;
  uint32_t line = 1;
  for (const isa::DebugLine& one : program.debug) {
    if (one.line == 0) continue;
    line = one.line;
    break;
  }
  if (debug_ == nullptr) {
    debug_ = std::make_unique<llvm::DIBuilder>(module_);
    // The whole name at one place, so that readers of the line table alone find the file.
    debug_file_ = debug_->createFile(program.source_file, "");
    // In PTX tables of lines would declare the target "debug"; directives do not.
    debug_->createCompileUnit(llvm::dwarf::DW_LANG_Python, debug_file_, "hologram", true, "", 0, "",
                              IsPtx(options_.level) ? llvm::DICompileUnit::DebugDirectivesOnly
                                                    : llvm::DICompileUnit::LineTablesOnly);
    module_.addModuleFlag(llvm::Module::Warning, "Debug Info Version",
                          llvm::DEBUG_METADATA_VERSION);
    module_.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 4);
  }
  llvm::DISubprogram* scope = debug_->createFunction(
      debug_file_, function->getName(), function->getName(), debug_file_, line,
      debug_->createSubroutineType(debug_->getOrCreateTypeArray({})), line, llvm::DINode::FlagZero,
      llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized);
  function->setSubprogram(scope);
  b_.SetCurrentDebugLocation(llvm::DILocation::get(context_, line, 1, scope));
}

void Lowering::SetLine(uint32_t pc) {
  if (debug_ == nullptr || function_->getSubprogram() == nullptr) return;
  const isa::DebugLine& line = plan_.program().debug[pc];
  if (line.line == 0) return;
  b_.SetCurrentDebugLocation(
      llvm::DILocation::get(context_, line.line, line.column, function_->getSubprogram()));
}

void Lowering::BeginFunction(Function* function) {
  function_ = function;
  local_ = nullptr;
  cancel_ = nullptr;
  cancelled_ = nullptr;
  SetAttributes(function);
  entry_ = BasicBlock::Create(context_, "entry", function);
  b_.SetInsertPoint(entry_);
  b_.SetCurrentDebugLocation(llvm::DebugLoc());
  SetFunctionLine(function);
}

FunctionType* Lowering::LanesType() {
  std::vector<Type*> types;
  const auto& parameters = plan_.program().parameters;
  for (size_t k = 0; k < parameters.size(); ++k) {
    types.push_back(parameters[k].is_buffer ? b_.getPtrTy() : ScalarType(parameters[k].type));
    if (parameters[k].is_buffer && NeedsExtent(k)) types.push_back(b_.getInt64Ty());
  }
  types.insert(types.end(), {b_.getInt64Ty(), b_.getInt64Ty(), b_.getPtrTy(), b_.getPtrTy()});
  return FunctionType::get(b_.getInt32Ty(), types, false);
}

llvm::Value* Lowering::LoadInvariant(Type* type, Value* base, uint64_t offset) {
  Value* address = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), base, offset);
  llvm::LoadInst* load = b_.CreateLoad(type, address);
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
  return load;
}

// The arguments of `lanes`, from those of the public functions.
std::vector<llvm::Value*> Lowering::LanesArguments(Value* buffers, Value* scalars, Value* shape,
                                                   Value* state, Value* first, Value* last) {
  std::vector<Value*> arguments;
  const auto& parameters = plan_.program().parameters;
  uint64_t buffer = 0;
  uint64_t scalar = 0;
  for (size_t k = 0; k < parameters.size(); ++k) {
    if (!parameters[k].is_buffer) {
      arguments.push_back(LoadInvariant(ScalarType(parameters[k].type), scalars, 8 * scalar++));
      continue;
    }
    const uint64_t at = sizeof(hologram_buffer_ref) * buffer++;
    arguments.push_back(
        LoadInvariant(b_.getPtrTy(), buffers, at + offsetof(hologram_buffer_ref, data)));
    if (!NeedsExtent(k)) continue;
    Value* bytes =
        LoadInvariant(b_.getInt64Ty(), buffers, at + offsetof(hologram_buffer_ref, bytes));
    arguments.push_back(b_.CreateUDiv(bytes, b_.getInt64(isa::SizeOf(parameters[k].type))));
  }
  arguments.insert(arguments.end(), {first, last, shape, state});
  return arguments;
}

void Lowering::BindArguments(Function* lanes) {
  data_.clear();
  extent_.clear();
  scalar_.clear();
  unsigned at = 0;
  const auto& parameters = plan_.program().parameters;
  for (size_t k = 0; k < parameters.size(); ++k) {
    Value* argument = lanes->getArg(at++);
    argument->setName(parameters[k].name);
    data_.push_back(parameters[k].is_buffer ? argument : nullptr);
    scalar_.push_back(parameters[k].is_buffer ? nullptr : argument);
    extent_.push_back(parameters[k].is_buffer && NeedsExtent(k) ? lanes->getArg(at++) : nullptr);
  }
  first_ = lanes->getArg(at);
  last_ = lanes->getArg(at + 1);
  shape_ = lanes->getArg(at + 2);
  state_ = lanes->getArg(at + 3);
  for (unsigned i : {2U, 3U}) {
    lanes->addParamAttr(at + i, llvm::Attribute::NoAlias);
    lanes->addParamAttr(at + i, llvm::Attribute::NonNull);
  }
  for (unsigned d = 0; d < 6; ++d) {
    shape_values_[d] = LoadInvariant(b_.getInt32Ty(), shape_, 4 * d);
  }
  ids_ = {};
  for (unsigned d = 0; d < 3; ++d) {
    ids_[static_cast<size_t>(Sreg::kGridDimX) + d] = shape_values_[d];
    ids_[static_cast<size_t>(Sreg::kBlockDimX) + d] = shape_values_[3 + d];
  }
  if (plan_.counts()) {
    budget_ = LoadInvariant(b_.getInt64Ty(), state_, offsetof(hologram_launch_state, budget));
    most_rounds_ =
        b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, budget_, b_.getInt64(verify::kMostRounds));
  }
  if (plan_.updates_buffers && !IsPtx(options_.level)) {
    Value* alone = b_.CreateLoad(
        b_.getInt32Ty(), b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), state_,
                                                       offsetof(hologram_launch_state, alone)));
    alone_ = b_.CreateICmpNE(alone, b_.getInt32(0));
  }
}

llvm::Value* Lowering::ShapeValue(bool block, unsigned dimension) {
  return shape_values_[(block ? 3 : 0) + dimension];
}

Function* Lowering::MakeLanes(bool streaming) {
  Function* lanes = Function::Create(LanesType(), GlobalValue::InternalLinkage,
                                     name_ + (streaming ? ".lanes.streaming" : ".lanes"), module_);
  lanes->setCallingConv(llvm::CallingConv::Fast);
  lanes->addFnAttr(llvm::Attribute::NoInline);
  BeginFunction(lanes);
  BindArguments(lanes);
  streaming_ = streaming;
  if (plan_.unit == HOLOGRAM_UNIT_BLOCK) {
    EmitBlockMode();
  } else {
    EmitFlat();
  }
  if (streaming && !IsPtx(options_.level) && options_.level != Level::kAArch64) {
    b_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
  }
  b_.CreateRet(b_.getInt32(HOLOGRAM_LAUNCH_DONE));
  EndCancelled();
  return lanes;
}

namespace {

// Lanes of a row that take about as long as a launch may run without a look at what stops it.
uint64_t LanesOfPiece(const Plan& plan, size_t body_size) {
  constexpr uint64_t kInstructions = uint64_t{1} << 28;
  constexpr uint64_t kFewest = 1024;
  uint64_t rounds = 1;  // of loops that do not look themselves
  for (const verify::LoopFact& loop : plan.verified->loops()) {
    if (loop.nest_rounds <= kShortRounds) rounds = std::max(rounds, loop.nest_rounds);
  }
  return std::max(kFewest, kInstructions / (rounds * (1 + body_size)));
}

}  // namespace

void Lowering::EmitFlat() {
  const bool streaming = streaming_;
  streaming_ = false;
  global_base_ = b_.getInt64(0);
  linear_base_ = b_.getInt64(0);
  const std::vector<uint32_t> blocks = ReachableBlocks();
  const bool one_row = plan_.unit == HOLOGRAM_UNIT_LANE;
  Remark(Remarks::About::kKernel, 0, one_row ? "all lanes in one row" : "lanes row by row");
  if (one_row) {
    return EmitLaneLoops({first_, last_}, blocks, streaming);
  }
  const auto wide = [&](Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); };
  Value* width = b_.CreateMul(wide(ShapeValue(false, 0)), wide(ShapeValue(true, 0)));
  Value* height = b_.CreateMul(wide(ShapeValue(false, 1)), wide(ShapeValue(true, 1)));
  BasicBlock* before = b_.GetInsertBlock();
  BasicBlock* body = NewBlock("row");
  BasicBlock* after = NewBlock("rows.after");
  Value* first_y = b_.CreateURem(first_, height);
  Value* first_z = b_.CreateUDiv(first_, height);
  b_.CreateCondBr(b_.CreateICmpULT(first_, last_), body, after);
  b_.SetInsertPoint(body);
  llvm::PHINode* row = b_.CreatePHI(b_.getInt64Ty(), 2, "row");
  llvm::PHINode* y = b_.CreatePHI(b_.getInt64Ty(), 2, "y");
  llvm::PHINode* z = b_.CreatePHI(b_.getInt64Ty(), 2, "z");
  ids_[static_cast<size_t>(Sreg::kGlobalY)] = b_.CreateTrunc(y, b_.getInt32Ty());
  ids_[static_cast<size_t>(Sreg::kGlobalZ)] = b_.CreateTrunc(z, b_.getInt32Ty());
  // A row that is so long that it could not be stopped in time is run in pieces.
  BasicBlock* row_begin = b_.GetInsertBlock();
  BasicBlock* piece = NewBlock("piece");
  BasicBlock* more = NewBlock("piece.next");
  BasicBlock* pieces_after = NewBlock("pieces.after");
  b_.CreateBr(piece);
  b_.SetInsertPoint(piece);
  llvm::PHINode* first = b_.CreatePHI(b_.getInt64Ty(), 2, "first");
  first->addIncoming(b_.getInt64(0), row_begin);
  Value* end = b_.CreateNSWAdd(first, b_.getInt64(LanesOfPiece(plan_, BodySize(blocks))));
  Value* last = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, width);
  EmitLaneLoops({first, last}, blocks, streaming);
  BranchUnlikely(b_.CreateICmpSLT(end, width), more, pieces_after);
  b_.SetInsertPoint(more);
  EmitPoll();
  first->addIncoming(end, b_.GetInsertBlock());
  b_.CreateBr(piece);
  b_.SetInsertPoint(pieces_after);
  Value* next = b_.CreateAdd(row, b_.getInt64(1));
  Value* next_y = b_.CreateAdd(y, b_.getInt64(1));
  Value* wraps = b_.CreateICmpEQ(next_y, height);
  BasicBlock* latch = b_.GetInsertBlock();
  row->addIncoming(first_, before);
  row->addIncoming(next, latch);
  y->addIncoming(first_y, before);
  y->addIncoming(b_.CreateSelect(wraps, b_.getInt64(0), next_y), latch);
  z->addIncoming(first_z, before);
  z->addIncoming(b_.CreateAdd(z, b_.CreateZExt(wraps, b_.getInt64Ty())), latch);
  b_.CreateCondBr(b_.CreateICmpULT(next, last_), body, after);
  b_.SetInsertPoint(after);
}

Function* Lowering::MakeBody(Function* lanes, const char* suffix) {
  Type* pointer = b_.getPtrTy();
  FunctionType* type = FunctionType::get(
      b_.getVoidTy(), {pointer, pointer, pointer, pointer, b_.getInt64Ty(), b_.getInt64Ty()},
      false);
  Function* body = Function::Create(type, GlobalValue::InternalLinkage, name_ + suffix, module_);
  BeginFunction(body);
  llvm::CallInst* call =
      b_.CreateCall(lanes, LanesArguments(body->getArg(0), body->getArg(1), body->getArg(2),
                                          body->getArg(3), body->getArg(4), body->getArg(5)));
  call->setCallingConv(llvm::CallingConv::Fast);
  b_.CreateRetVoid();
  return body;
}

void Lowering::MakeInfo(Function* entry, Function* default_entry, Function* body,
                        Function* streaming) {
  llvm::PointerType* pointer = b_.getPtrTy();
  llvm::StructType* type =
      llvm::StructType::get(context_, {b_.getInt32Ty(), b_.getInt32Ty(), pointer, pointer, pointer,
                                       pointer, b_.getInt32Ty(), b_.getInt32Ty(), pointer});
  llvm::Constant* none = llvm::ConstantPointerNull::get(pointer);
  llvm::Constant* value = llvm::ConstantStruct::get(
      type, {b_.getInt32(HOLOGRAM_NATIVE_ABI_VERSION), b_.getInt32(plan_.unit), entry, body,
             streaming == nullptr ? none : streaming,
             default_entry == nullptr ? none : default_entry, b_.getInt32(scratch_bytes_),
             b_.getInt32(0), cancel_address_ == nullptr ? none : cancel_address_});
  auto* info = new llvm::GlobalVariable(module_, type, true, GlobalValue::ExternalLinkage, value,
                                        "hologram_info");
  info->setAlignment(llvm::Align(alignof(hologram_kernel_info)));
}

}  // namespace hologram::codegen
