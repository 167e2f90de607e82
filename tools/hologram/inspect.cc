// hologram inspect: what a bundle holds, after every section was compared with its hash.
#include <cstdio>

#include "base/quote.h"
#include "command_table.h"
#include "commands.h"
#include "files.h"
#include "isa/bundle.h"
#include "load.h"
#include "options.h"
#include "report.h"

namespace hologram::tool {
namespace {

constexpr isa::NativeLevel kLevels[] = {isa::NativeLevel::kX86V2, isa::NativeLevel::kX86V3,
                                        isa::NativeLevel::kX86V4, isa::NativeLevel::kAArch64};

const char* NameOf(isa::Direction direction) {
  switch (direction) {
    case isa::Direction::kIn:
      return "in";
    case isa::Direction::kOut:
      return "out";
    case isa::Direction::kInOut:
      return "inout";
  }
  return "in";
}

// "a: in f32[], n: u32"
std::string Signature(const isa::Program& program) {
  std::string text;
  for (size_t k = 0; k < program.NumArguments(); ++k) {
    const isa::Parameter& parameter = program.parameters[k];
    text += (text.empty() ? "" : ", ") + parameter.name + ": ";
    if (parameter.is_buffer) text += std::string(NameOf(parameter.direction)) + " ";
    text += isa::NameOf(parameter.type);
    if (!parameter.is_buffer) continue;
    text += "[" + std::string(parameter.rank == 0 ? 0 : parameter.rank - 1U, ',') + "]";
  }
  return text;
}

void PrintText(const isa::BundleReader& reader, const std::vector<isa::Program>& programs) {
  std::printf("trust hash  %s\n", ToHex(reader.trust_hash()).c_str());
  for (size_t i = 0; i < programs.size(); ++i) {
    const isa::Program& program = programs[i];
    std::printf("%s(%s)\n  id        %s\n  code      %zu instructions, block %u, shared %u bytes\n",
                program.name.c_str(), Signature(program).c_str(),
                ToHex(reader.IdentityOf(i)).c_str(), program.code.size(), program.default_block,
                program.SharedBytes());
    for (isa::NativeLevel level : kLevels) {
      const auto native = reader.NativeSection(i, level);
      if (!native) continue;
      std::printf("  native    %s, %zu bytes\n", isa::NameOf(level).c_str(), native->bytes.size());
    }
  }
}

std::string ParameterJson(const isa::Parameter& parameter) {
  return "{\"name\":" + JsonString(parameter.name) +
         ",\"kind\":" + (parameter.is_buffer ? "\"buffer\"" : "\"scalar\"") +
         ",\"type\":" + JsonString(isa::NameOf(parameter.type)) +
         ",\"direction\":" + JsonString(NameOf(parameter.direction)) +
         (parameter.rank == 0 ? "" : ",\"rank\":" + std::to_string(parameter.rank)) + "}";
}

std::string ProgramJson(const isa::BundleReader& reader, size_t i, const isa::Program& program) {
  std::string json = "{\"name\":" + JsonString(program.name) +
                     ",\"id\":" + JsonString(ToHex(reader.IdentityOf(i))) + ",\"parameters\":[";
  for (size_t k = 0; k < program.NumArguments(); ++k) {
    json += (k == 0 ? "" : ",") + ParameterJson(program.parameters[k]);
  }
  json += "],\"instructions\":" + std::to_string(program.code.size()) +
          ",\"block\":" + std::to_string(program.default_block) +
          ",\"shared_bytes\":" + std::to_string(program.SharedBytes()) + ",\"native\":[";
  bool first = true;
  for (isa::NativeLevel level : kLevels) {
    const auto native = reader.NativeSection(i, level);
    if (!native) continue;
    json += std::string(first ? "" : ",") + "{\"level\":" + JsonString(isa::NameOf(level)) +
            ",\"bytes\":" + std::to_string(native->bytes.size()) + "}";
    first = false;
  }
  return json + "]}";
}

void PrintJson(const isa::BundleReader& reader, const std::vector<isa::Program>& programs) {
  std::string json =
      "{\"trust_hash\":" + JsonString(ToHex(reader.trust_hash())) + ",\"programs\":[";
  for (size_t i = 0; i < programs.size(); ++i) {
    json += (i == 0 ? "" : ",") + ProgramJson(reader, i, programs[i]);
  }
  std::printf("%s]}\n", json.c_str());
}

}  // namespace

int InspectCommand(const Arguments& arguments) {
  const Options options = ReadOptions("inspect", arguments);
  if (options.positional().size() != 1) {
    throw UsageError{"expected one file, found " + std::to_string(options.positional().size())};
  }
  const std::string& path = options.positional()[0];
  if (KindOf(path) != FileKind::kBundle) {
    Fail(ErrorCode::kInvalidArgument, path + ": expected a .holo file");
  }
  const std::vector<isa::Program> programs = LoadPrograms(path, "");
  const std::vector<uint8_t> bytes = OrFail(ReadFile(path));
  const isa::BundleReader reader = OrFail(isa::BundleReader::Open(bytes));
  if (const Status status = reader.CheckAll(); !status.ok()) {
    Diagnostics errors = status.errors();
    for (Diagnostic& error : errors) error.where.file = path;
    throw Failure{errors};
  }
  if (options.has("--json")) {
    PrintJson(reader, programs);
  } else {
    PrintText(reader, programs);
  }
  return 0;
}

}  // namespace hologram::tool
