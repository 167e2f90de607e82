// The interpreter as a backend. Also the cold path of native launches that their own check refused.
// Runs on the calling thread always.
#include "backends/backend.h"
#include "backends/guarded_run.h"
#include "interpreter/interpreter.h"

namespace hologram::backends {
namespace {

class InterpreterBackend final : public Backend {
 public:
  std::string_view name() const override { return "interpreter"; }
  Status Available() const override { return Success{}; }
  Status CanRun(const RunnableKernel&) const override { return Success{}; }

  Result<Outcome> Launch(const RunnableKernel& kernel, const verify::Launch& launch,
                         const Parallelism&) const override {
    const verify::VerifiedProgram& program = *kernel.program;
    HOLOGRAM_ASSIGN_OR_RETURN(const verify::LaunchTier tier, verify::CheckLaunch(program, launch));
    Outcome outcome;
    outcome.guarded = tier == verify::LaunchTier::kGuarded;
    Result<std::optional<verify::Fault>> run = outcome.guarded
                                                   ? RunOnCopies(program, launch, /*commit=*/true)
                                                   : interpreter::Run(program, launch);
    if (!run.ok()) return run.errors();
    if (run.value()) return verify::DescribeFault(program, launch, *run.value());
    if (outcome.guarded) outcome.guarded_pc = verify::FindUnproved(program, launch);
    return outcome;
  }
};

}  // namespace

const Backend& Interpreter() {
  static const InterpreterBackend backend;
  return backend;
}

}  // namespace hologram::backends
