#include "command_call.h"

#include "commands/commands.h"

namespace hologram::python {

int RunCommandLine(const std::vector<nanobind::bytes>& arguments,
                   const std::vector<std::string>& own) {
  std::vector<std::string> texts;
  for (const nanobind::bytes& argument : arguments) {
    texts.emplace_back(argument.c_str(), argument.size());
  }
  return tool::RunCommandLine(texts, own);
}

}  // namespace hologram::python
