// The command `hologram`: picks the subcommand and turns what it throws into messages and exit
// codes. 0 ok; 2 for an unknown subcommand or option, or option text without the documented shape;
// 1 for everything else. Tested by tests/cli.
#include <cstdio>
#include <new>
#include <string_view>

#include "commands.h"
#include "options.h"
#include "python_frontend.h"
#include "report.h"

namespace hologram::tool {
namespace {

struct Command {
  std::string_view name;
  int (*run)(const Arguments&);
  const char* usage;
};

constexpr Command kCommands[] = {
    {"compile", CompileCommand,
     "FILE... [-o OUT] [--entry NAME] [--emit json|asm|holo|obj|llvm|ptx] [--stats]\n"
     "          [--level v2|v3|v4] [--arch sm_80|sm_90] [--native all|none] [--header FILE]\n"
     "          [--set-const NAME=VALUE[,VALUE...]]"},
    {"run", RunCommand,
     "FILE [--entry NAME] [--in NAME=FILE] [--out NAME=FILE:TYPE:COUNT] [--set NAME=VALUE]\n"
     "          [--grid X,Y,Z] [--block X,Y,Z] [--backend auto|interpreter|cpu|cuda]\n"
     "          [--set-const NAME=VALUE] [--budget N] [--nondeterministic] [--expect HASH] "
     "[--time]"},
    {"verify", VerifyCommand, "FILE... [--explain] [--set-const NAME=VALUE[,VALUE...]]"},
    {"asm", AsmCommand, "FILE.hasm [-o OUT.holo]"},
    {"disasm", DisasmCommand, "FILE.holo [-o OUT.hasm]"},
    {"inspect", InspectCommand, "FILE.holo [--json]"},
    {"isa", IsaCommand, "[--json]"},
    {"devices", DevicesCommand, ""},
};

void PrintUsage(std::FILE* out) {
  std::fprintf(out, "usage: hologram COMMAND ...\n");
  for (const Command& command : kCommands) {
    std::fprintf(out, "  %-8.*s%s\n", static_cast<int>(command.name.size()), command.name.data(),
                 command.usage);
  }
}

int RunOne(const Command& command, const Arguments& arguments) {
  for (const std::string& argument : arguments) {
    if (argument != "--help" && argument != "-h") continue;
    std::printf("usage: hologram %.*s %s\n", static_cast<int>(command.name.size()),
                command.name.data(), command.usage);
    return 0;
  }
  try {
    return command.run(arguments);
  } catch (const UsageError& error) {
    std::fprintf(stderr, "hologram: error: %s; see hologram %.*s --help\n", error.message.c_str(),
                 static_cast<int>(command.name.size()), command.name.data());
    return 2;
  } catch (const Failure& failure) {
    PrintErrors(failure.errors);
  } catch (const AlreadyReported&) {
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "hologram: error: no memory\n");
  }
  return 1;
}

int Main(const Arguments& arguments) {
  if (arguments.empty()) {
    PrintUsage(stderr);
    return 2;
  }
  if (arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") {
    PrintUsage(stdout);
    return 0;
  }
  if (arguments[0] == "--version") {
    std::printf("hologram %s\n", HOLOGRAM_VERSION);
    return 0;
  }
  for (const Command& command : kCommands) {
    if (command.name == arguments[0]) {
      return RunOne(command, {arguments.begin() + 1, arguments.end()});
    }
  }
  std::fprintf(stderr, "hologram: error: unknown command '%s'; see hologram --help\n",
               arguments[0].c_str());
  return 2;
}

}  // namespace
}  // namespace hologram::tool

int main(int argc, char** argv) {
  return hologram::tool::Main({argv + (argc > 0 ? 1 : 0), argv + argc});
}
