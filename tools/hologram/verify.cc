// hologram verify: the door, by hand. Silent when all is well, unless asked to explain.
#include <cstdio>

#include "command_table.h"
#include "commands.h"
#include "load.h"
#include "options.h"
#include "python_frontend.h"
#include "report.h"
#include "verify/verified_program.h"

namespace hologram::tool {
namespace {

bool VerifyFile(KernelFiles& files, size_t k, bool explain,
                std::vector<frontend::CompileTimeValue>& constants) {
  bool ok = true;
  for (frontend::CompiledKernel& kernel : files.Load(k, constants)) {
    const Result<verify::VerifiedProgram> verified = verify::Verify(std::move(kernel.program));
    if (!verified.ok()) {
      PrintErrors(verified.errors());
      ok = false;
      continue;
    }
    if (!explain) continue;
    for (const std::string& line : verify::Explain(verified.value())) {
      std::printf("%s\n", line.c_str());
    }
  }
  return ok;
}

}  // namespace

int VerifyCommand(const Arguments& arguments) {
  const Options options = ReadOptions("verify", arguments);
  std::vector<frontend::CompileTimeValue> constants = CompileTimeValuesOf(options);
  if (options.positional().empty()) throw UsageError{"expected a file"};
  bool ok = true;
  KernelFiles files(options.positional(), "");
  for (size_t k = 0; k < options.positional().size(); ++k) {
    try {
      ok &= VerifyFile(files, k, options.has("--explain"), constants);
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
