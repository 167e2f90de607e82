// hologram doctor: the environment, and a test of every engine.
#include <cstdio>

#include "commands/command_table.h"
#include "commands/commands.h"
#include "commands/options.h"
#include "commands/progress.h"
#include "doctor/report.h"

namespace hologram::tool {

int DoctorCommand(const Arguments& arguments) {
  const Options options = ReadOptions("doctor", arguments);
  if (!options.positional().empty()) throw UsageError{"expected no file"};
  const std::vector<doctor::Finding> machine = doctor::LookAtMachine(OwnVariables());
  std::fputs(doctor::ReportOf(machine).c_str(), stdout);
  if (options.has("--no-test")) return doctor::IsWell(machine) ? 0 : 1;
  std::fflush(stdout);
  const std::vector<doctor::Finding> engines = [] {
    const Progress progress("testing engines");
    return doctor::TestEngines();
  }();
  std::fputs(doctor::ReportOf(engines).c_str(), stdout);
  return doctor::IsWell(machine) && doctor::IsWell(engines) ? 0 : 1;
}

}  // namespace hologram::tool
