// Name, arguments and action of every command: the one source of its options, its --help, the list
// of commands and the shell completions. Tested by tests/cli.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "commands/commands.h"
#include "commands/options.h"

namespace hologram::tool {

struct OptionInfo {
  std::string_view name;
  std::string_view value;  // placeholder of its value, "NAME=FILE"; empty for a flag
  std::string_view about;  // one line, or several for --help
  std::string_view words;  // values for completion, separated by spaces; "FILE" for any file
};

struct CommandInfo {
  std::string_view name;
  int (*run)(const Arguments&);
  std::string_view arguments;  // "FILE... "
  std::string_view suffixes;   // of its files, for completion, separated by spaces
  std::string_view about;      // one line
  std::string_view more;       // for --help; may be empty
  std::span<const OptionInfo> options;
  std::string_view examples;  // lines for --help
};

std::span<const CommandInfo> AllCommands();
// Null for an unknown name.
const CommandInfo* FindCommand(std::string_view name);

// The arguments of the command called `name` by its options. Throws UsageError.
// REQUIRES: there is such a command.
Options ReadOptions(std::string_view name, const Arguments& arguments);

std::string HelpFor(const CommandInfo& command);
// The list of commands.
std::string Overview();

}  // namespace hologram::tool
