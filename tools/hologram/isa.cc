// hologram isa: the instruction table, for people and for programs.
#include <cstdio>

#include "command_table.h"
#include "commands.h"
#include "isa/instruction.h"
#include "json_text.h"
#include "options.h"

namespace hologram::tool {
namespace {

std::string TypesJson(isa::TypeSet set) {
  std::string json = "[";
  for (int i = 0; i < isa::kNumTypes; ++i) {
    const auto type = static_cast<isa::Type>(i);
    if (!isa::Contains(set, type)) continue;
    json += (json.size() == 1 ? "" : ",") + JsonString(isa::NameOf(type));
  }
  return json + "]";
}

}  // namespace

int IsaCommand(const Arguments& arguments) {
  const Options options = ReadOptions("isa", arguments);
  if (!options.positional().empty()) throw UsageError{"expected no file"};
  std::string json = "{\"instructions\":[";
  bool first = true;
  for (const isa::OpcodeInfo& info : isa::AllOpcodes()) {
    const auto opcode = static_cast<unsigned>(info.op);
    if (!options.has("--json")) {
      std::printf("%3u  %-10.*s %.*s\n", opcode, static_cast<int>(info.mnemonic.size()),
                  info.mnemonic.data(), static_cast<int>(info.summary.size()), info.summary.data());
      continue;
    }
    json += std::string(first ? "" : ",") + "{\"opcode\":" + std::to_string(opcode) +
            ",\"mnemonic\":" + JsonString(info.mnemonic) + ",\"name\":" + JsonString(info.name) +
            ",\"types\":" + TypesJson(info.types) + ",\"summary\":" + JsonString(info.summary) +
            "}";
    first = false;
  }
  if (options.has("--json")) std::printf("%s]}\n", json.c_str());
  return 0;
}

}  // namespace hologram::tool
