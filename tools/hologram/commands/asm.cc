// hologram asm and hologram disasm: text to bundle and back.
#include <cstdio>

#include "base/files.h"
#include "bundle/bundle.h"
#include "commands/command_table.h"
#include "commands/commands.h"
#include "commands/load.h"
#include "commands/options.h"
#include "commands/report.h"
#include "text/text.h"

namespace hologram::tool {
namespace {

std::string OnlyFile(const Options& options) {
  if (options.positional().size() == 1) return options.positional()[0];
  throw UsageError{"expected one file, found " + std::to_string(options.positional().size())};
}

void RequireKind(const std::string& path, driver::FileKind kind, const char* suffix) {
  if (OrFail(driver::KindOf(path)) == kind) return;
  Fail(ErrorCode::kInvalidArgument, path + ": expected a " + suffix + " file");
}

}  // namespace

int AsmCommand(const Arguments& arguments) {
  const Options options = ReadOptions("asm", arguments);
  const std::string path = OnlyFile(options);
  RequireKind(path, driver::FileKind::kAssembly, ".hasm");
  const std::string stem = path.substr(0, path.size() - std::string_view(".hasm").size());
  const std::string output = options.one("-o").value_or(stem + ".holo");
  OrFail(CheckNotInput(output, {path}));
  bundle::BundleWriter writer;
  for (const isa::Program& program : LoadPrograms(path, "")) writer.AddProgram(program);
  OrFail(WriteFile(output, OrFail(writer.Finish())));
  return 0;
}

int DisasmCommand(const Arguments& arguments) {
  const Options options = ReadOptions("disasm", arguments);
  const std::string path = OnlyFile(options);
  RequireKind(path, driver::FileKind::kBundle, ".holo");
  const auto output = options.one("-o");
  if (output) OrFail(CheckNotInput(*output, {path}));
  std::string text;
  for (const isa::Program& program : LoadPrograms(path, "")) {
    if (!text.empty()) text += '\n';
    text += hologram::text::Disassemble(program);
  }
  if (output) {
    OrFail(WriteFile(*output, BytesOf(text)));
  } else {
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
  return 0;
}

}  // namespace hologram::tool
