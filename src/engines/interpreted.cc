// The interpreter as a backend. Also the cold path of native launches that their own check refused.
// Runs on the calling thread always.
#include "engines/engine.h"
#include "engines/guarded.h"
#include "interpreter/interpreter.h"

namespace hologram::engines {
namespace {

// Why a launch is refused. Where arguments break the proofs (`i < n - 1` with n = 0), lanes seem to
// share elements that they do not have: then the first access out of bounds is the news.
Diagnostics RefusalOf(const verify::VerifiedProgram& program, const launch::Launch& launch,
                      Diagnostics errors) {
  if (!launch.deterministic || !program.races().empty()) return errors;
  launch::Launch relaxed = launch;
  relaxed.deterministic = false;
  relaxed.prints = nullptr;
  const Result<launch::LaunchTier> tier = launch::CheckLaunch(program, relaxed);
  if (!tier.ok() || tier.value() != launch::LaunchTier::kGuarded) return errors;
  const Result<std::optional<launch::Fault>> run = RunOnCopies(program, relaxed, /*commit=*/false);
  if (!run.ok() || !run.value()) return errors;
  return {launch::DescribeFault(program, launch, *run.value())};
}

class InterpreterBackend final : public Backend {
 public:
  std::string_view name() const override { return "interpreter"; }
  Status Available() const override { return Success{}; }
  Status CanRun(const RunnableKernel&) const override { return Success{}; }

  Result<Outcome> Launch(const RunnableKernel& kernel, const launch::Launch& launch,
                         const Parallelism&) const override {
    const verify::VerifiedProgram& program = *kernel.program;
    Result<launch::LaunchTier> tier = launch::CheckLaunch(program, launch);
    if (!tier.ok()) return RefusalOf(program, launch, std::move(tier).errors());
    Outcome outcome;
    outcome.guarded = tier.value() == launch::LaunchTier::kGuarded;
    Result<std::optional<launch::Fault>> run = outcome.guarded
                                                   ? RunOnCopies(program, launch, /*commit=*/true)
                                                   : interpreter::Run(program, launch);
    if (!run.ok()) return run.errors();
    if (run.value()) {
      launch::Fault fault = *run.value();
      // A launch on copies is the interpreter's on every engine.
      if (!outcome.guarded && !KnowsValues(program, launch, fault)) fault.variables.clear();
      return launch::DescribeFault(program, launch, fault);
    }
    if (outcome.guarded) outcome.guarded_pc = launch::FindUnproved(program, launch);
    return outcome;
  }
};

}  // namespace

const Backend& Interpreter() {
  static const InterpreterBackend backend;
  return backend;
}

}  // namespace hologram::engines
