// The subcommands: one file each, named after it. They throw UsageError (exit code 2), Failure or
// AlreadyReported (exit code 1), or return the exit code.
#pragma once

#include <string>
#include <vector>

namespace hologram::tool {

using Arguments = std::vector<std::string>;

// The whole command, with the arguments after its name. `own`: variables of the environment that
// the caller has set for this, not the user. Gives the exit code.
int RunCommandLine(const Arguments& arguments, const Arguments& own = {});
// The `own` of the command that runs.
const Arguments& OwnVariables();

int CompileCommand(const Arguments& arguments);
int RunCommand(const Arguments& arguments);
int VerifyCommand(const Arguments& arguments);
int AsmCommand(const Arguments& arguments);
int DisasmCommand(const Arguments& arguments);
int CircuitCommand(const Arguments& arguments);
int InspectCommand(const Arguments& arguments);
int IsaCommand(const Arguments& arguments);
int KernelsCommand(const Arguments& arguments);
int DevicesCommand(const Arguments& arguments);
int DoctorCommand(const Arguments& arguments);
int BenchCommand(const Arguments& arguments);
int ProfileCommand(const Arguments& arguments);
int DrawCommand(const Arguments& arguments);
int DebugCommand(const Arguments& arguments);
int QsimCommand(const Arguments& arguments);
int CycleCommand(const Arguments& arguments);
int CompletionCommand(const Arguments& arguments);

}  // namespace hologram::tool
