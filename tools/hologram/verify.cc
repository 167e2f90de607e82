// hologram verify: the door, by hand. Silent when all is well, unless asked to explain.
#include <optional>

#include "command_table.h"
#include "commands.h"
#include "explain.h"
#include "load.h"
#include "options.h"
#include "python_frontend.h"
#include "report.h"
#include "runtime/compiler_plugin.h"
#include "verify/verified_program.h"

namespace hologram::tool {
namespace {

// What is printed of kernels that are verified.
struct Explained {
  bool accesses = false;
  std::optional<runtime::CompileTarget> target;
};

bool VerifyFile(KernelFiles& files, size_t k, const Explained& explained,
                std::vector<frontend::CompileTimeValue>& constants) {
  bool ok = true;
  if (KindOf(files.path(k)) == FileKind::kBundle) CheckBundle(files.path(k));
  for (frontend::CompiledKernel& kernel : files.Load(k, constants)) {
    const Result<verify::VerifiedProgram> verified = verify::Verify(std::move(kernel.program));
    if (!verified.ok()) {
      PrintErrors(verified.errors());
      ok = false;
      continue;
    }
    if (explained.accesses) ExplainProgram(verified.value(), explained.target);
  }
  return ok;
}

}  // namespace

int VerifyCommand(const Arguments& arguments) {
  const Options options = ReadOptions("verify", arguments);
  std::vector<frontend::CompileTimeValue> constants = CompileTimeValuesOf(options);
  if (options.positional().empty()) throw UsageError{"expected a file"};
  Explained explained;
  explained.accesses = options.has("--explain");
  if (explained.accesses) {
    explained.target = ExplainedTarget(options);
  } else if (options.has("--level")) {
    throw UsageError{"--level belongs to --explain"};
  }
  bool ok = true;
  KernelFiles files(options.positional(), "");
  for (size_t k = 0; k < options.positional().size(); ++k) {
    try {
      ok &= VerifyFile(files, k, explained, constants);
    } catch (const Failure& failure) {
      PrintErrors(failure.errors);
      ok = false;
    } catch (const AlreadyReported&) {
      ok = false;
    }
  }
  if (ok) RequireUsed(constants);
  return ok ? 0 : 1;
}

}  // namespace hologram::tool
