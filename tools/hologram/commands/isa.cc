// hologram isa: the instruction table, for people and for programs.
#include <cstdio>

#include "commands/command_table.h"
#include "commands/commands.h"
#include "commands/options.h"
#include "isa/instruction.h"
#include "isa/manual.h"

namespace hologram::tool {

int IsaCommand(const Arguments& arguments) {
  const Options options = ReadOptions("isa", arguments);
  if (!options.positional().empty()) throw UsageError{"expected no file"};
  if (options.has("--json")) {
    std::fputs(isa::IsaJson().c_str(), stdout);
    return 0;
  }
  for (const isa::OpcodeInfo& info : isa::AllOpcodes()) {
    std::printf("%3u  %-10.*s %.*s\n", static_cast<unsigned>(info.op),
                static_cast<int>(info.mnemonic.size()), info.mnemonic.data(),
                static_cast<int>(info.summary.size()), info.summary.data());
  }
  return 0;
}

}  // namespace hologram::tool
