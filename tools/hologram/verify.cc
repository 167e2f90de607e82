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

bool VerifyFile(const std::string& path, bool explain,
                std::vector<frontend::CompileTimeValue>& constants) {
  bool ok = true;
  for (isa::Program& program : LoadPrograms(path, "", constants)) {
    const Result<verify::VerifiedProgram> verified = verify::Verify(std::move(program));
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
  for (const std::string& path : options.positional()) {
    try {
      ok &= VerifyFile(path, options.has("--explain"), constants);
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
