#include <algorithm>
#include <unordered_set>

#include "frontend/check.h"
#include "frontend/frontend.h"
#include "frontend/json_reader.h"
#include "frontend/lower.h"

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

void CompileKernel(const Document& document, Kernel& kernel, Reporter& reporter,
                   std::vector<isa::Program>& programs) {
  reporter.set_path("");
  const size_t before = reporter.count();
  const CheckedKernel checked = Checker(document, kernel, reporter).Run();
  if (reporter.count() != before) return;
  CheckAssigned(kernel, checked.symbols, reporter);
  if (reporter.count() != before) return;
  programs.push_back(Lowerer(kernel, checked, reporter).Run(document.file));
}

}  // namespace

Result<std::vector<isa::Program>> CompileJson(std::string_view json, const std::string& source_file,
                                              const std::string& entry) {
  HOLOGRAM_ASSIGN_OR_RETURN(std::vector<Document> documents, ReadJson(json, source_file));
  std::vector<isa::Program> programs;
  Diagnostics errors;
  std::unordered_set<std::string> names;
  for (Document& document : documents) {
    Reporter reporter(document.file);
    for (Kernel& kernel : document.kernels) {
      if (!entry.empty() && kernel.name != entry) continue;
      if (!names.insert(kernel.name).second) {
        reporter.Error(kernel.at, "kernel '" + kernel.name + "' is there twice; rename one");
        continue;
      }
      CompileKernel(document, kernel, reporter, programs);
    }
    for (Diagnostic& error : reporter.errors()) {
      if (errors.size() < Reporter::kMaxErrors) errors.push_back(std::move(error));
    }
  }
  if (!errors.empty()) return errors;
  if (programs.empty()) {
    const std::string found = KernelNames(documents);
    const std::string missing = entry.empty() ? "no kernel" : "no kernel '" + entry + "'";
    return Error(ErrorCode::kNotFound,
                 source_file + " has " + missing + (found.empty() ? "" : "; it has " + found));
  }
  for (const isa::Program& program : programs) {
    HOLOGRAM_RETURN_IF_ERROR(isa::CheckWellFormed(program));
  }
  return programs;
}

}  // namespace hologram::frontend
