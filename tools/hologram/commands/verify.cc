// hologram verify: the door, by hand. Silent when all is well, unless asked to explain. Kernels
// whose launches are all refused because of races are valid: deterministic=False allows them.
#include <optional>

#include "commands/command_table.h"
#include "commands/commands.h"
#include "commands/explain.h"
#include "commands/load.h"
#include "commands/options.h"
#include "commands/progress.h"
#include "commands/report.h"
#include "runtime/compiler_plugin.h"
#include "verify/verified_program.h"

namespace hologram::tool {
namespace {

// What is printed of kernels that are verified.
struct Explained {
  bool accesses = false;
  std::optional<Target> target;
};

void NoteRaces(const verify::VerifiedProgram& verified) {
  for (const verify::RaceFact& race : verified.races()) {
    const size_t end = race.message.rfind(verify::kOrderMatters);
    PrintNote({ErrorCode::kInvalidArgument, verified.program().LocationOf(race.pc),
               race.message.substr(0, end) + "; its launches are refused without " +
                   "deterministic=False (library) or --nondeterministic (command)",
               nullptr});
  }
}

bool VerifyFile(driver::KernelFiles& files, size_t k, const Explained& explained,
                driver::Constants& constants) {
  bool ok = true;
  if (IsBundle(files.path(k))) OrFail(driver::CheckBundle(files.path(k)));
  auto kernels = [&] {
    const Progress progress("reading " + files.path(k));
    return files.Load(k, constants);
  }();
  for (frontend::CompiledKernel& kernel : OrThrow(std::move(kernels))) {
    const std::string name = kernel.program.name;
    const Result<verify::VerifiedProgram> verified = [&] {
      const Progress progress("verifying kernel '" + name + "'");
      return verify::Verify(std::move(kernel.program));
    }();
    if (!verified.ok()) {
      PrintErrors(verified.errors());
      ok = false;
      continue;
    }
    if (explained.accesses) {
      ExplainProgram(verified.value(), explained.target);
    } else {
      NoteRaces(verified.value());
    }
  }
  return ok;
}

}  // namespace

int VerifyCommand(const Arguments& arguments) {
  const Options options = ReadOptions("verify", arguments);
  driver::Constants constants = ConstantsOf(options);
  if (options.positional().empty()) throw UsageError{"expected a file"};
  Explained explained;
  explained.accesses = options.has("--explain");
  if (explained.accesses) {
    explained.target = ExplainedTarget(options);
  } else if (options.has("--level")) {
    throw UsageError{"--level belongs to --explain"};
  }
  bool ok = true;
  driver::KernelFiles files = OrFail(driver::KernelFiles::Open(options.positional(), {}));
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
