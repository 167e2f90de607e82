// hologram inspect: checks a bundle's hashes and lists its contents.
#include <cstdio>
#include <optional>

#include "base/files.h"
#include "bundle/bundle.h"
#include "commands/command_table.h"
#include "commands/commands.h"
#include "commands/load.h"
#include "commands/options.h"
#include "commands/report.h"
#include "driver/manifest.h"
#include "pipeline/file.h"
#include "runtime/native/elf_loader.h"

namespace hologram::tool {
namespace {

// ", of version 6 of the native ABI: not used by this version"
std::string OtherAbi(const bundle::NativeCode& native) {
  const Result<uint32_t> version = runtime::NativeCode::AbiVersionOf(native.bytes);
  if (!version.ok() || version.value() == HOLOGRAM_NATIVE_ABI_VERSION) return "";
  return ", of version " + std::to_string(version.value()) +
         " of the native ABI: not used by this version";
}

void PrintNative(const bundle::BundleReader& reader, size_t program, bundle::SectionType type,
                 const char* word) {
  for (const TargetInfo& target : kTargets) {
    if (target.section == 0) continue;
    const auto native = reader.NativeSection(program, bundle::LevelOf(target.target), type);
    if (!native) continue;
    std::printf("  %s   %s, %zu bytes%s\n", word, target.name, native->bytes.size(),
                OtherAbi(*native).c_str());
  }
}

// "256", "16,16,1"
std::string BlockText(const isa::Program& program) {
  const auto [x, y, z] = program.DefaultBlock();
  if (program.HasFlatBlock()) return std::to_string(x);
  return std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z);
}

void PrintText(const bundle::BundleReader& reader, const std::vector<isa::Program>& programs) {
  std::printf("trust hash  %s\n", ToHex(reader.trust_hash()).c_str());
  for (size_t i = 0; i < programs.size(); ++i) {
    const isa::Program& program = programs[i];
    std::printf("%s(%s)\n  id        %s\n  code      %zu instructions, block %s, shared %u bytes\n",
                program.name.c_str(), SignatureOf(program).c_str(),
                ToHex(reader.IdentityOf(i)).c_str(), program.code.size(),
                BlockText(program).c_str(), program.SharedBytes());
    PrintNative(reader, i, bundle::SectionType::kNative, "native ");
    PrintNative(reader, i, bundle::SectionType::kChecked, "checked");
  }
}

// Checked against the programs, which are those of the bundle. Throws Failure.
std::optional<pipeline::Plan> PlanOf(const bundle::BundleReader& reader,
                                     const std::vector<isa::Program>& programs) {
  std::optional<pipeline::Plan> plan = OrFail(pipeline::ReadPlan(reader));
  if (!plan) return plan;
  std::vector<const isa::Program*> kernels;
  for (const isa::Program& program : programs) kernels.push_back(&program);
  OrFail(pipeline::CheckFlow(*plan, kernels));
  return plan;
}

void PrintPipeline(const pipeline::Plan& plan, const std::vector<isa::Program>& programs) {
  const pipeline::Layout layout = OrFail(pipeline::PlanMemory(plan));
  const std::string text = pipeline::TextOf(
      plan, layout, [&](uint32_t kernel) { return std::string_view(programs[kernel].name); });
  std::fputs(text.c_str(), stdout);
}

}  // namespace

int InspectCommand(const Arguments& arguments) {
  const Options options = ReadOptions("inspect", arguments);
  if (options.positional().size() != 1) {
    throw UsageError{"expected one file, found " + std::to_string(options.positional().size())};
  }
  const std::string& path = options.positional()[0];
  if (!IsBundle(path)) {
    Fail(ErrorCode::kInvalidArgument, path + ": expected a .holo file");
  }
  OrFail(driver::CheckBundle(path));
  const std::vector<isa::Program> programs = LoadPrograms(path, "");
  const std::vector<uint8_t> bytes = OrFail(ReadProgramFile(path));
  const bundle::BundleReader reader = OrFail(bundle::BundleReader::Open(bytes));
  const std::optional<pipeline::Plan> plan = PlanOf(reader, programs);
  if (options.has("--json")) {
    std::fputs(driver::BundleJson(reader, programs, plan).c_str(), stdout);
  } else {
    PrintText(reader, programs);
    if (plan) PrintPipeline(*plan, programs);
  }
  return 0;
}

}  // namespace hologram::tool
