// The engine that interprets, in place, on the calling thread.
#include "engines/engine.h"
#include "engines/guarded.h"
#include "interpreter/interpreter.h"
#include "launch/fault_text.h"

namespace hologram::engines {

Result<Ran> RunInterpreted(const Task& task, const launch::Way& /*way*/) {
  const verify::VerifiedProgram& program = task.facts.program;
  HOLOGRAM_ASSIGN_OR_RETURN(std::optional<launch::Fault> fault,
                            interpreter::Run(program, task.launch));
  if (!fault) return Ran::kDone;
  if (!KnowsValues(program, task.launch, *fault)) fault->ForgetValues();
  return launch::DescribeFault(program, task.launch, *fault);
}

}  // namespace hologram::engines
