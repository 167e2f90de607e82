#include "codegen/emit/function.h"

#include <algorithm>

namespace hologram::codegen {

using llvm::BasicBlock;
using llvm::ConstantInt;
using llvm::Function;

llvm::DILocation* DebugLines::Begin(Function* function) {
  if (!options_.debug_lines || program_.debug.empty() || program_.source_file.empty()) {
    return nullptr;
  }
  uint32_t line = 1;
  for (const isa::DebugLine& one : program_.debug) {
    if (one.line == 0) continue;
    line = one.line;
    break;
  }
  if (builder_ == nullptr) {
    builder_ = std::make_unique<llvm::DIBuilder>(module_);
    // The whole name at one place, so that readers of the line table alone find the file.
    file_ = builder_->createFile(program_.source_file, "");
    builder_->createCompileUnit(llvm::dwarf::DW_LANG_Python, file_, "hologram", true, "", 0, "",
                                TargetOf(options_.level).debug_tables
                                    ? llvm::DICompileUnit::LineTablesOnly
                                    : llvm::DICompileUnit::DebugDirectivesOnly);
    module_.addModuleFlag(llvm::Module::Warning, "Debug Info Version",
                          llvm::DEBUG_METADATA_VERSION);
    module_.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 4);
  }
  llvm::DISubprogram* scope = builder_->createFunction(
      file_, function->getName(), function->getName(), file_, line,
      builder_->createSubroutineType(builder_->getOrCreateTypeArray({})), line,
      llvm::DINode::FlagZero,
      llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized);
  function->setSubprogram(scope);
  return llvm::DILocation::get(module_.getContext(), line, 1, scope);
}

void DebugLines::Finish() {
  if (builder_ != nullptr) builder_->finalize();
}

std::string Kernel::name() const {
  return plan.program().name.empty() ? "kernel" : plan.program().name;
}

Function* Kernel::AddFunction(llvm::FunctionType* type, const std::string& suffix) const {
  return Function::Create(type, llvm::GlobalValue::InternalLinkage, name() + suffix, module);
}

FunctionState::FunctionState(const Kernel& kernel, Function* function, bool follows_source)
    : kernel_(kernel),
      b_(kernel.module.getContext()),
      function_(function),
      entry_(BasicBlock::Create(kernel.module.getContext(), "entry", function)) {
  b_.SetInsertPoint(entry_);
  b_.SetCurrentDebugLocation(follows_source ? kernel.lines.Begin(function) : nullptr);
}

BasicBlock* FunctionState::NewBlock(const char* name) {
  return BasicBlock::Create(context(), name, function_);
}

llvm::IRBuilder<> FunctionState::AtStart() const {
  return llvm::IRBuilder<>(entry_, entry_->begin());
}

llvm::AllocaInst* FunctionState::NewSlot(llvm::Type* type, const char* name) {
  return AtStart().CreateAlloca(type, nullptr, name);
}

void FunctionState::BranchUnlikely(llvm::Value* condition, BasicBlock* rare, BasicBlock* usual) {
  llvm::MDBuilder metadata(context());
  b_.CreateCondBr(condition, rare, usual, metadata.createBranchWeights(1, 1U << 20));
}

void FunctionState::SetLine(uint32_t pc) {
  if (function_->getSubprogram() == nullptr) return;
  const isa::DebugLine& line = plan().program().debug[pc];
  if (line.line == 0) return;
  b_.SetCurrentDebugLocation(
      llvm::DILocation::get(context(), line.line, line.column, function_->getSubprogram()));
}

llvm::Type* FunctionState::VectorOf(llvm::Type* type) const {
  return plan().scalar ? type : llvm::FixedVectorType::get(type, target().width);
}

llvm::Value* FunctionState::Splat(llvm::Value* scalar) {
  return plan().scalar ? scalar : b_.CreateVectorSplat(target().width, scalar);
}

llvm::Value* FunctionState::Iota(llvm::Type* element, int64_t stride, int64_t first) const {
  std::vector<llvm::Constant*> lanes;
  for (int64_t i = 0; i < target().width; ++i) {
    const auto value = static_cast<uint64_t>(first + i) * static_cast<uint64_t>(stride);
    lanes.push_back(ConstantInt::get(element, value));
  }
  return llvm::ConstantVector::get(lanes);
}

llvm::Value* FunctionState::AnyOf(const Values& masks) {
  llvm::Value* any = masks[0];
  for (size_t u = 1; u < masks.size(); ++u) any = b_.CreateOr(any, masks[u]);
  if (!any->getType()->isVectorTy()) return any;
  llvm::Value* bits = b_.CreateBitCast(any, b_.getIntNTy(target().width));
  return b_.CreateICmpNE(bits, ConstantInt::get(bits->getType(), 0));
}

void SetCpuAttributes(const Kernel& kernel, Function* function) {
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr("no-trapping-math", "true");
  function->addFnAttr("denormal-fp-math", "ieee,ieee");
  function->addFnAttr("target-cpu", kernel.target.cpu);
  function->addFnAttr("no-jump-tables", "true");
  if (!kernel.plan.scalar) {
    const std::string bits = std::to_string(std::clamp(kernel.target.width * 32, 128U, 512U));
    function->addFnAttr("prefer-vector-width", bits);
    function->addFnAttr("min-legal-vector-width", bits);
  }
}

}  // namespace hologram::codegen
