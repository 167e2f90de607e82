// Picks the subcommand and turns what it throws into messages and exit
// codes. 0 ok; 2 for an unknown subcommand or option, or option text without the documented shape;
// 1 for everything else. Tested by tests/cli.
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/quote.h"
#include "base/spelling.h"
#include "commands/command_table.h"
#include "commands/commands.h"
#include "commands/load.h"
#include "commands/options.h"
#include "commands/report.h"
#include "observe/trace.h"

namespace hologram::tool {
namespace {

Arguments own_variables;

int RunOne(const CommandInfo& command, const Arguments& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    if (argument != "--help" && argument != "-h") continue;
    std::fputs(HelpFor(command).c_str(), stdout);
    return 0;
  }
  try {
    OrFail(observe::StartTraceOfEnvironment());
    const int code = command.run(arguments);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    std::fprintf(stderr, "hologram: error: standard output cannot be written\n");
  } catch (const UsageError& error) {
    std::fprintf(stderr, "hologram: error: %s; see hologram %.*s --help\n",
                 Escape(error.message, /*in_quotes=*/false).c_str(),
                 static_cast<int>(command.name.size()), command.name.data());
    return 2;
  } catch (const Failure& failure) {
    PrintErrors(failure.errors);
  } catch (const AlreadyReported&) {
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "hologram: error: no memory\n");
  } catch (const std::length_error&) {  // a size that no memory has
    std::fprintf(stderr, "hologram: error: no memory\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hologram: error: a mistake of this program: %s\n", error.what());
  }
  return 1;
}

}  // namespace

const Arguments& OwnVariables() {
  return own_variables;
}

int RunCommandLine(const Arguments& arguments, const Arguments& own) {
  own_variables = own;
  if (arguments.empty()) {
    std::fputs(Overview().c_str(), stderr);
    return 2;
  }
  if (arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") {
    const CommandInfo* command = arguments.size() > 1 ? FindCommand(arguments[1]) : nullptr;
    std::fputs(command == nullptr ? Overview().c_str() : HelpFor(*command).c_str(), stdout);
    return 0;
  }
  if (arguments[0] == "--version") {
    std::printf("hologram %s\n", HOLOGRAM_VERSION);
    return 0;
  }
  if (const CommandInfo* command = FindCommand(arguments[0])) {
    return RunOne(*command, {arguments.begin() + 1, arguments.end()});
  }
  std::vector<std::string_view> names;
  for (const CommandInfo& command : AllCommands()) names.push_back(command.name);
  const std::string near = Nearest(arguments[0], names);
  std::fprintf(stderr, "hologram: error: unknown command '%s'; %ssee hologram --help\n",
               Escape(arguments[0], /*in_quotes=*/false).c_str(),
               near.empty() ? "" : ("did you mean '" + near + "'? ").c_str());
  return 2;
}

}  // namespace hologram::tool
