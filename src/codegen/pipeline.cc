// The passes between lowered LLVM IR and an object.
//
// IR: lanes need stack slots turned into values, invariants moved out and common parts joined;
// the other functions are straight code. Machine code for x86: LLVM's own pipeline without the
// passes that look for what generated kernels never contain (exceptions, garbage collection, TLS,
// tiles, hardening, library calls). Each of those costs little, but a kernel is small, has four to
// six functions, and pays every pass, and every analysis that the pass asks for, in each.
// tests/codegen and every native test run through this; bench/compile_times.cc shows what it costs.
#include "codegen/pipeline.h"

#include <algorithm>

#include "codegen/exact_ties.h"
#include "codegen/lane_loads.h"
#include "codegen/llvm_passes.h"
#include "codegen/quiet_nans.h"

namespace hologram::codegen {
namespace {

// x + (c ? 1 : 0) as c ? x + 1 : x, which is one masked instruction of AVX-512; InstCombine makes
// the former.
struct MaskedCounts : llvm::PassInfoMixin<MaskedCounts> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    using namespace llvm::PatternMatch;
    for (llvm::BasicBlock& block : function) {
      for (llvm::Instruction& in : llvm::make_early_inc_range(block)) {
        llvm::Value* mask = nullptr;
        llvm::Value* x = nullptr;
        if (!in.getType()->isVectorTy()) continue;
        if (!match(&in, m_c_Add(m_OneUse(m_ZExt(m_Value(mask))), m_Value(x)))) continue;
        if (!mask->getType()->getScalarType()->isIntegerTy(1)) continue;
        llvm::IRBuilder<> b(&in);
        llvm::Value* more = b.CreateAdd(x, llvm::ConstantInt::get(x->getType(), 1));
        in.replaceAllUsesWith(b.CreateSelect(mask, more, x));
        in.eraseFromParent();
      }
    }
    return llvm::PreservedAnalyses::none();
  }
};

// a | b | c | d as (a | b) | (c | d): the conditions of a launch check are joined one after the
// other, and each step of the chain would wait for the one before.
struct BalancedOrs : llvm::PassInfoMixin<BalancedOrs> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    llvm::SmallVector<llvm::Instruction*, 16> roots;
    for (llvm::BasicBlock& block : function) {
      for (llvm::Instruction& in : block) {
        if (IsOr(&in) && !(in.hasOneUse() && IsOr(*in.user_begin()))) roots.push_back(&in);
      }
    }
    for (llvm::Instruction* root : roots) Balance(*root);
    return llvm::PreservedAnalyses::none();
  }

 private:
  static bool IsOr(const llvm::Value* v) {
    const auto* in = llvm::dyn_cast<llvm::Instruction>(v);
    return in != nullptr && in->getOpcode() == llvm::Instruction::Or;
  }

  static void Balance(llvm::Instruction& root) {
    using namespace llvm::PatternMatch;
    llvm::SmallVector<llvm::Value*, 64> terms;  // last to first
    llvm::SmallVector<llvm::Instruction*, 64> chain;
    llvm::Value* rest = &root;
    llvm::Value* next = nullptr;
    llvm::Value* term = nullptr;
    while ((rest == &root || rest->hasOneUse()) &&
           match(rest, m_Or(m_Value(next), m_Value(term)))) {
      chain.push_back(llvm::cast<llvm::Instruction>(rest));
      terms.push_back(term);
      rest = next;
    }
    if (terms.size() < 3) return;
    terms.push_back(rest);
    llvm::IRBuilder<> b(&root);
    while (terms.size() > 1) {
      for (size_t i = 0; i < terms.size() / 2; ++i) {
        terms[i] = b.CreateOr(terms[2 * i], terms[2 * i + 1]);
      }
      const size_t odd = terms.size() % 2;
      if (odd != 0) terms[terms.size() / 2] = terms.back();
      terms.resize(terms.size() / 2 + odd);
    }
    root.replaceAllUsesWith(terms[0]);
    for (llvm::Instruction* one : chain) one->eraseFromParent();
  }
};

// Names of passes as LLVM prints them.
constexpr llvm::StringLiteral kUnneeded[] = {
    // Types, intrinsics, libraries and instrumentation that are not generated.
    "Expand large div/rem",
    "Expand large fp convert",
    "Lower AMX intrinsics",
    "Lower AMX type for load/store",
    "Canonicalize Freeze Instructions in Loops",
    "Merge contiguous icmps into a memcmp",
    "Expand memcmp() to load/stores",
    "Lower Garbage Collection Instructions",
    "Shadow Stack GC Lowering",
    "Lower constant intrinsics",
    "Replace intrinsics with calls to vector library",
    "Partially inline calls to library functions",
    "Expand vector predication intrinsics",
    "Instrument function entry/exit with calls to e.g. mcount() (post inlining)",
    "TLS Variable Hoist",
    "Interleaved Access Pass",
    "X86 Partial Reduction",
    "Expand indirectbr instructions",
    "Exception handling preparation",
    "Prepare callbr",
    "Safe Stack instrumentation pass",
    "Local Dynamic TLS Access Clean-up",
    "X86 PIC Global Base Reg Initialization",
    "Argument Stack Rebase",
    "X86 Windows Fixup Buffer Security Check",
    "X86 DynAlloca Expander",
    "Tile Register Pre-configure",
    "Tile Register Configure",
    "X86 Lower Tile Copy",
    "Init Undef Pass",
    "Fixup Statepoint Caller Saved",
    "Insert KCFI indirect call checks",
    "Analyze Machine Code For Garbage Collection",
    "Insert fentry calls",
    "Insert XRay ops",
    "Implement the 'patchable-function' attribute",
    "X86 Indirect Branch Tracking",
    "X86 Atom pad short functions",
    "X86 Discriminate Memory Operands",
    "X86 Insert Cache Prefetches",
    "X86 insert wait instruction",
    "Contiguously Lay Out Funclets",
    "StackMap Liveness Analysis",
    "Machine Sanitizer Binary Metadata",
    "Stack Frame Layout Analysis",
    "Pseudo Probe Inserter",
    "Unpack machine instruction bundles",
    // Hardening, which needs a function attribute or an option.
    "X86 Load Value Injection (LVI) Load Hardening",
    "X86 Load Value Injection (LVI) Ret-Hardening",
    "X86 Speculative Execution Side Effect Suppression",
    "X86 speculative load hardening",
    "X86 Indirect Thunks",
    "X86 Return Thunks",
    // Variables for debuggers: kernels carry lines only.
    "Assignment Tracking Analysis",
    "Remove Redundant DEBUG_VALUE analysis",
    "Live DEBUG_VALUE analysis",
    // Needs lifetime markers, virtual base registers, an option, and statistics.
    "Merge disjoint stack slots",
    "Local Stack Slot Allocation",
    "Early If-Conversion",
    "Register Allocation Pass Scoring",
    // Found nothing, or nothing that a loop feels, in any kernel. Lane loops come in the shape that
    // they shall have (codegen/lanes/lane_loop.h), which leaves strength reduction the address
    // arithmetic
    // of
    // inner loops: scalar code beside vectors, for an eighth of the compile time.
    "Constant Hoisting",
    "Loop Strength Reduction",
    "Machine InstCombiner",
    "Post RA top-down list latency scheduler",
    "Shrink Wrapping analysis",
    "X86 Domain Reassignment Pass",
    "X86 LEA Optimize",
};

// Takes time that grows with the square of the blocks of a function: more than half of all for
// 5,000, which programs have that return to many places.
constexpr llvm::StringLiteral kQuadratic = "Branch Probability Basic Block Placement";
constexpr size_t kManyBlocks = 2000;

class ShortPipeline : public llvm::legacy::PassManager {
 public:
  explicit ShortPipeline(const llvm::Module& module) {
    many_blocks_ = std::any_of(module.begin(), module.end(), [](const llvm::Function& function) {
      return function.size() > kManyBlocks;
    });
  }

  void add(llvm::Pass* pass) override {
    const llvm::StringRef name = pass->getPassName();
    const bool unneeded =
        std::find(std::begin(kUnneeded), std::end(kUnneeded), name) != std::end(kUnneeded);
    if (unneeded || (many_blocks_ && name == kQuadratic)) {
      delete pass;
    } else {
      llvm::legacy::PassManager::add(pass);
    }
  }

 private:
  bool many_blocks_;
};

// The choice of instructions makes two loads of one vector where its elements are extended for one
// use, as for a comparison in 64 bits, and not for another, as an index. If another thread changes
// them in between, what was checked is not what is used. It leaves volatile loads as they are.
void LoadOnce(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::BasicBlock& block : function) {
      for (llvm::Instruction& instruction : block) {
        auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
        if (load == nullptr || load->hasOneUse()) continue;
        if (load->getType()->isIntOrIntVectorTy() && load->getType()->isVectorTy()) {
          load->setVolatile(true);
        }
      }
    }
  }
}

llvm::FunctionPassManager PassesForLoops(const Target& target, bool has_short_loops) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
  if (has_short_loops) {
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopFullUnrollPass()));
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));  // of local arrays
  }
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  if (target.avx512) passes.addPass(MaskedCounts());
  if (target.avx512) passes.addPass(QuietNans());
  if (target.is_wasm) passes.addPass(ExactTies());
  if (target.family == Family::kX86) passes.addPass(LaneLoads());
  passes.addPass(llvm::DCEPass());
  return passes;
}

// Stubs and launch checks have no slots and no loops, and instruction selection finds what
// InstCombine would.
llvm::FunctionPassManager PassesForStraightCode() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(BalancedOrs());
  return passes;
}

// Loops of lowered code have either.
bool IsStraight(const llvm::Function& function) {
  for (const llvm::BasicBlock& block : function) {
    for (const llvm::Instruction& in : block) {
      if (llvm::isa<llvm::AllocaInst>(in) || llvm::isa<llvm::PHINode>(in)) return false;
    }
  }
  return true;
}

}  // namespace

void Optimize(llvm::Module& module, llvm::TargetMachine& machine, const Target& target,
              bool has_short_loops) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::FunctionPassManager for_loops = PassesForLoops(target, has_short_loops);
  llvm::FunctionPassManager for_straight_code = PassesForStraightCode();
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    (IsStraight(function) ? for_straight_code : for_loops).run(function, functions);
    functions.clear(function, function.getName());
  }
  llvm::DeadArgumentEliminationPass().run(module, modules);
  LoadOnce(module);
}

Result<std::vector<uint8_t>> Emit(llvm::Module& module, llvm::TargetMachine& machine, bool text) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager whole;
  ShortPipeline shortened(module);
  const bool x86 = machine.getTargetTriple().isX86();
  llvm::legacy::PassManager& passes = x86 ? shortened : whole;
  const llvm::CodeGenFileType kind =
      text ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  if (machine.addPassesToEmitFile(passes, out, nullptr, kind, true)) {
    return Error(ErrorCode::kUnsupported, "this LLVM cannot write such a file");
  }
  passes.run(module);
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

}  // namespace hologram::codegen
