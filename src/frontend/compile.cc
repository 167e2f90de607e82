#include <algorithm>
#include <unordered_set>

#include "frontend/check/checker.h"
#include "frontend/check/instances.h"
#include "frontend/frontend.h"
#include "frontend/json/reader.h"
#include "frontend/lower/lowerer.h"

namespace hologram::frontend {
namespace {

std::string KernelNames(const std::vector<Document>& documents) {
  constexpr size_t kMaxNames = 20;
  std::string names;
  size_t count = 0;
  for (const Document& document : documents) {
    for (const Kernel& kernel : document.kernels) {
      if (++count <= kMaxNames) names += (names.empty() ? "" : ", ") + kernel.name;
    }
  }
  return count > kMaxNames ? names + ", ..." : names;
}

// An entry names a kernel, or an instance: the kernel's name and what follows after `_`.
bool MayBeMeant(const Kernel& kernel, const std::string& entry) {
  return entry.empty() || entry == kernel.name || entry.starts_with(kernel.name + "_");
}

void CompileInstance(const Document& document, Kernel kernel, const Instance& instance,
                     Reporter& reporter, Circuits circuits, std::vector<CompiledKernel>& kernels) {
  reporter.set_path("");
  reporter.set_instance(instance.name == kernel.name ? "" : instance.name);
  kernel.name = instance.name;
  const size_t before = reporter.count();
  const CheckedKernel checked = Checker(document, kernel, instance.names, reporter).Run();
  if (reporter.count() == before) CheckAssigned(kernel, checked.symbols, reporter);
  if (reporter.count() == before && document.exact_literals) {
    CheckWidenings(kernel, checked.symbols, reporter);
  }
  if (reporter.count() == before) {
    kernels.emplace_back();
    kernels.back().program = Lowerer(kernel, checked, reporter).Run(document.file);
    kernels.back().arguments = kernel.arguments;
    kernels.back().warnings = NarrowResults(kernel, checked.symbols, document.file);
    if (circuits != Circuits::kNone) {
      kernels.back().circuit = CircuitOfKernel(kernel, checked, document.file, circuits);
    }
  }
  reporter.set_instance("");
}

Result<std::vector<CompiledKernel>> Compile(std::string_view json, const std::string& source_file,
                                            const std::string& entry, Circuits circuits,
                                            std::vector<CompileTimeValue>& constants) {
  HOLOGRAM_ASSIGN_OR_RETURN(std::vector<Document> documents, ReadJson(json, source_file));
  std::vector<CompiledKernel> kernels;
  Diagnostics errors;
  std::unordered_set<std::string> names;
  std::string found;  // instances of what `entry` may mean
  for (Document& document : documents) {
    Reporter reporter(document.file);
    for (Kernel& kernel : document.kernels) {
      if (!MayBeMeant(kernel, entry)) continue;
      for (const Instance& instance : InstancesOf(document, kernel, constants, reporter)) {
        found += (found.empty() ? "" : ", ") + instance.name;
        if (!IsMeant(instance, kernel, entry)) continue;
        if (!names.insert(instance.name).second) {
          reporter.Error(kernel.at, "kernel '" + instance.name + "' is there twice; rename one");
          continue;
        }
        const size_t before = kernels.size();
        CompileInstance(document, CloneForInstance(kernel), instance, reporter, circuits, kernels);
        if (kernels.size() > before) kernels.back().note = document.note;
      }
    }
    for (Diagnostic& error : reporter.errors()) {
      if (errors.size() < Reporter::kMaxErrors) errors.push_back(std::move(error));
    }
  }
  if (!errors.empty()) return errors;
  if (kernels.empty()) {
    if (found.empty()) found = KernelNames(documents);
    const std::string missing = entry.empty() ? "no kernel" : "no kernel '" + entry + "'";
    return Error(ErrorCode::kNotFound,
                 source_file + " has " + missing + (found.empty() ? "" : "; it has " + found));
  }
  for (const CompiledKernel& kernel : kernels) {
    HOLOGRAM_RETURN_IF_ERROR(isa::CheckWellFormed(kernel.program));
  }
  return kernels;
}

}  // namespace

Result<std::vector<CompiledKernel>> CompileJsonWithCircuits(
    std::string_view json, const std::string& source_file, const std::string& entry,
    std::vector<CompileTimeValue>& constants, Circuits circuits) {
  return Compile(json, source_file, entry, circuits, constants);
}

Result<std::vector<isa::Program>> CompileJson(std::string_view json, const std::string& source_file,
                                              const std::string& entry,
                                              std::vector<CompileTimeValue>& constants) {
  HOLOGRAM_ASSIGN_OR_RETURN(std::vector<CompiledKernel> kernels,
                            Compile(json, source_file, entry, Circuits::kNone, constants));
  std::vector<isa::Program> programs;
  for (CompiledKernel& kernel : kernels) programs.push_back(std::move(kernel.program));
  return programs;
}

Result<std::vector<isa::Program>> CompileJson(std::string_view json, const std::string& source_file,
                                              const std::string& entry) {
  std::vector<CompileTimeValue> constants;
  return CompileJson(json, source_file, entry, constants);
}

}  // namespace hologram::frontend
