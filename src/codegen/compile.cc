// Compile: plan, lower, optimise, emit, and check that the object needs nothing from outside.
#include <algorithm>
#include <optional>

#include "codegen/codegen.h"
#include "codegen/emit/alias_scopes.h"
#include "codegen/instructions/wide.h"
#include "codegen/kernel.h"
#include "codegen/pipeline.h"
#include "codegen/plan/columns.h"
#include "codegen/plan/lane_by_lane.h"
#include "codegen/plan/order.h"
#include "codegen/ptx/kernel.h"
#include "llvm/Object/ObjectFile.h"
#include "verify/transposed.h"

namespace hologram::codegen {
namespace {

// Generated code calls nothing: a library call that LLVM inserted would be resolved by chance.
Status CheckSymbols(const std::vector<uint8_t>& object) {
  const llvm::StringRef bytes(reinterpret_cast<const char*>(object.data()), object.size());
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "kernel"));
  if (!file) {
    llvm::consumeError(file.takeError());
    return Error(ErrorCode::kInternal, "the object that was made cannot be read back");
  }
  for (const llvm::object::SymbolRef& symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    const bool undefined = flags && (*flags & llvm::object::SymbolRef::SF_Undefined) != 0;
    const std::string text = name ? name->str() : std::string();
    if (!flags) llvm::consumeError(flags.takeError());
    if (!name) llvm::consumeError(name.takeError());
    // A host gives these to every module of WebAssembly.
    if (text == "__stack_pointer" || text == "__memory_base") continue;
    if (undefined && !text.empty()) {
      return Error(ErrorCode::kUnsupported,
                   "native code would need '" + text + "' from outside; run it interpreted");
    }
  }
  return Success{};
}

// Leaves the name of the module, which is the kernel's, as the only one beside the entry.
void HideNames(llvm::Module& module) {
  const auto hide = [](llvm::GlobalValue& value) {
    if (value.hasInternalLinkage()) value.setLinkage(llvm::GlobalValue::PrivateLinkage);
  };
  for (llvm::Function& function : module) hide(function);
  for (llvm::GlobalVariable& global : module.globals()) hide(global);
}

// Code for devices and for WebAssembly calls nothing, so it has no services of the runtime.
bool IsRefused(const verify::VerifiedProgram& program, Level level, uint32_t pc) {
  const isa::Instruction& in = program.program().code[pc];
  if (isa::IsServed(in.op)) return true;
  if (IsPtx(level)) return isa::IsAtomic(in.op) && isa::IsFloat(in.type);
  return isa::UsesStream(in.op) || program.IsLaunchSum(pc);
}

Status CheckInstructions(const verify::VerifiedProgram& program, Level level) {
  if (!IsPtx(level) && !IsWasm(level)) return Success{};
  const auto& code = program.program().code;
  for (uint32_t pc = 0; pc < code.size(); ++pc) {
    if (!IsRefused(program, level, pc)) continue;
    const std::string uses = "'" + program.program().name + "' uses " +
                             std::string(isa::InfoOf(code[pc].op).mnemonic) +
                             ", for which there is no ";
    return Error(ErrorCode::kUnsupported,
                 uses + (IsPtx(level) ? "PTX; it runs on the CPU"
                                      : "WebAssembly; the engine interprets it"));
  }
  return Success{};
}

// Loops of so few rounds, those inside them included, that they are written out.
bool HasShortLoops(const Plan& plan) {
  constexpr uint64_t kFewRounds = 16;
  const auto& loops = plan.verified->loops();
  return std::any_of(loops.begin(), loops.end(),
                     [](const verify::LoopFact& loop) { return loop.nest_rounds <= kFewRounds; });
}

}  // namespace

Result<std::vector<uint8_t>> Compile(const verify::VerifiedProgram& program, const Options& options,
                                     Output output) {
  if (program.blocks().empty()) {
    return Error(ErrorCode::kUnsupported, "a program without instructions has no native code");
  }
  HOLOGRAM_RETURN_IF_ERROR(CheckInstructions(program, options.level));
  if (options.instrumented && (IsPtx(options.level) || IsWasm(options.level))) {
    return Error(ErrorCode::kUnsupported, "only code for this processor is instrumented");
  }
  Target target = TargetOf(options.level);
  Plan plan =
      MakePlan(program, target.lane_per_thread ? Lanes::kThreads : Lanes::kVectors, options);
  const Target one_lane = OneLaneOf(target);
  const Keeping keeping = FindLog(plan, target.width);
  const bool gains = keeping == Keeping::kVectors && GainsLaneByLane(plan, target);
  std::optional<Plan> by_lanes;
  if (gains || keeping != Keeping::kVectors) {
    by_lanes = MakePlan(program, Lanes::kOneByOne, options);
  }
  // A chunk that fills the log is begun again: it would be counted twice.
  const bool begins_again = keeping == Keeping::kVectorsOrLanes && options.instrumented;
  if (keeping == Keeping::kLanes || begins_again || (gains && by_lanes->scalar)) {
    target = one_lane;
    plan = *by_lanes;
  }
  std::optional<verify::VerifiedProgram> cut;
  std::optional<Plan> in_pieces;
  if (plan.rows.piece && keeping == Keeping::kVectors && !plan.order.lane_by_lane) {
    cut.emplace(program.InPieces());
    in_pieces = MakePlan(*cut, Lanes::kVectors, options);
    // Their updates wait as those of whole rows do.
    if (!in_pieces->rows.piece || FindLog(*in_pieces, target.width) != Keeping::kVectors) {
      in_pieces.reset();
    }
  }
  std::optional<verify::VerifiedProgram> exchanged;
  std::optional<Plan> in_columns;
  if (!IsPtx(options.level) && keeping == Keeping::kVectors && !plan.order.lane_by_lane &&
      MayGainByColumns(plan)) {
    exchanged = verify::Transposed(program);
    if (exchanged) in_columns = MakePlan(*exchanged, Lanes::kVectors, options);
    if (exchanged && !GainsByColumns(plan, *in_columns, target)) in_columns.reset();
  }
  HOLOGRAM_ASSIGN_OR_RETURN(const std::unique_ptr<llvm::TargetMachine> machine,
                            MakeMachine(target));
  llvm::LLVMContext context;
  llvm::Module module(program.program().name, context);
  module.setTargetTriple(target.triple);
  module.setDataLayout(machine->createDataLayout());
  module.setPICLevel(llvm::PICLevel::BigPIC);
  Remarks remarks;
  Remarks* asked = output == Output::kRemarks ? &remarks : nullptr;
  remarks.Add(Remarks::About::kKernel, 0, target.name);
  const AliasScopes scopes(context, plan);
  DebugLines lines(module, plan.program(), options);
  const Kernel kernel{module, plan, target, options, *machine, scopes, lines};
  if (IsPtx(options.level)) {
    HOLOGRAM_RETURN_IF_ERROR(ptx::MakeKernel(kernel, asked));
  } else {
    std::optional<Kernel> single;
    if (keeping == Keeping::kVectorsOrLanes && !begins_again) {
      single.emplace(Kernel{module, *by_lanes, one_lane, options, *machine, scopes, lines});
    }
    std::optional<Kernel> pieces;
    if (in_pieces)
      pieces.emplace(Kernel{module, *in_pieces, target, options, *machine, scopes, lines});
    std::optional<Kernel> columns;
    if (in_columns)
      columns.emplace(Kernel{module, *in_columns, target, options, *machine, scopes, lines});
    MakeKernel(
        kernel,
        {single ? &*single : nullptr, pieces ? &*pieces : nullptr, columns ? &*columns : nullptr},
        asked);
  }
  lines.Finish();
  if (output == Output::kRemarks) {
    const std::string text = remarks.Text();
    return std::vector<uint8_t>(text.begin(), text.end());
  }
  std::string problem;
  llvm::raw_string_ostream problem_out(problem);
  if (llvm::verifyModule(module, &problem_out)) {
    return Error(ErrorCode::kInternal, "code generator: " + problem_out.str());
  }
  Optimize(module, *machine, target, HasShortLoops(plan));
  DefineWideProduct(module, target);
  if (output == Output::kLlvm) {
    std::string text;
    llvm::raw_string_ostream out(text);
    module.print(out, nullptr);
    out.flush();
    return std::vector<uint8_t>(text.begin(), text.end());
  }
  const bool text = output == Output::kAssembly || IsPtx(options.level);
  // A debugger has nothing to show in code without source lines, and profilers take the name of the
  // kernel: the standard library is a thirtieth smaller.
  if (!text && !IsWasm(options.level) && !lines.any()) HideNames(module);
  HOLOGRAM_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, Emit(module, *machine, text));
  if (!text) HOLOGRAM_RETURN_IF_ERROR(CheckSymbols(bytes));
  return bytes;
}

}  // namespace hologram::codegen
