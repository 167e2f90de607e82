// The verifier's words about each access, and the code generator's about what it made of them.
#include "commands/explain.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "base/quote.h"
#include "commands/report.h"
#include "engines/cpu_features.h"
#include "runtime/native_bundle.h"

namespace hologram::tool {
namespace {

using runtime::CompileOutput;

void Note(const std::string& message) {
  PrintNote(Error(ErrorCode::kUnsupported, message));
}

std::string_view NextField(std::string_view& line) {
  const size_t end = std::min(line.find('\t'), line.size());
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return field;
}

// Where the kernel is defined: of its ends, the one that stands at the definition.
uint32_t DefinitionOf(const isa::Program& program) {
  uint32_t found = 0;
  uint32_t line = UINT32_MAX;
  for (uint32_t pc = 0; pc < program.code.size(); ++pc) {
    if (program.code[pc].op != isa::Opcode::kExit) continue;
    const Location where = program.LocationOf(pc);
    if (where.line == 0 || where.line >= line) continue;
    line = where.line;
    found = pc;
  }
  return found;
}

// Lines by instruction, in program order; those of the kernel come first.
using Lines = std::multimap<int64_t, std::string>;

// Adds the remarks (plugin/code.h): those of accesses to their lines, all others as lines.
void AddRemarks(const verify::VerifiedProgram& verified, std::string_view remarks, Lines& lines) {
  std::map<uint32_t, std::string> accesses;
  Lines others;
  while (!remarks.empty()) {
    std::string_view line = remarks.substr(0, remarks.find('\n'));
    remarks.remove_prefix(std::min(line.size() + 1, remarks.size()));
    const std::string about(NextField(line));
    auto pc =
        static_cast<uint32_t>(std::strtoul(std::string(NextField(line)).c_str(), nullptr, 10));
    if (pc >= verified.program().code.size()) {
      Fail(ErrorCode::kInternal, "the compiler plugin explains an instruction that is not there");
    }
    if (about == "access") {
      accesses[pc] = line;
      continue;
    }
    const bool kernel = about == "kernel";
    const int64_t order = kernel ? -1 : int64_t{pc};
    if (kernel) pc = DefinitionOf(verified.program());
    const std::string name = kernel ? verified.program().name + "  " : "";
    others.emplace(order, PlaceInWords(verified, pc) + about + "  " + name + std::string(line));
  }
  for (auto& [pc, line] : lines) {
    const auto words = accesses.find(static_cast<uint32_t>(pc));
    if (words != accesses.end()) line += "; " + words->second;
  }
  others.merge(lines);
  lines = std::move(others);
}

}  // namespace

std::optional<Target> ExplainedTarget(const Options& options) {
  const auto level = options.one("--level");
  if (level == "none") return std::nullopt;
  const std::optional<Target> named =
      level ? FindTarget(Family::kX86, *level) : std::optional<Target>();
  if (level && !named) {
    Fail(ErrorCode::kInvalidArgument,
         "--level: expected v2, v3, v4 or none, found " + Shown(*level));
  }
  const std::string missing = "what native code makes of loops and accesses is not explained: ";
  if (!runtime::HasCompiler()) {
    Note(missing + "no compiler plugin: " + runtime::WhyNoCompiler());
    return std::nullopt;
  }
  if (named) return named;
  if (const std::optional<Target> host = OrFail(engines::CurrentTarget())) return host;
  Note(missing + "this processor runs none; --level v4 tells what others do");
  return std::nullopt;
}

void ExplainProgram(const verify::VerifiedProgram& verified, std::optional<Target> target) {
  Lines lines;
  const std::vector<std::string> proofs = verify::Explain(verified);
  for (size_t k = 0; k < proofs.size(); ++k) {
    lines.emplace(verified.accesses()[k].pc, proofs[k]);
  }
  if (target) {
    const auto remarks = runtime::Compile(verified, *target, CompileOutput::kRemarks);
    if (remarks.ok()) {
      const std::string text(remarks.value().begin(), remarks.value().end());
      AddRemarks(verified, text, lines);
    } else {
      PrintNote(remarks.errors()[0]);
    }
  }
  for (const verify::RaceLine& race : verify::ExplainRaces(verified)) {
    lines.emplace(race.pc, race.text);
  }
  for (const auto& [pc, line] : lines) std::printf("%s\n", line.c_str());
}

}  // namespace hologram::tool
