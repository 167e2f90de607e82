#include "runtime/explain.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string_view>

#include "runtime/compiler_plugin.h"

namespace hologram::runtime {
namespace {

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
Status AddRemarks(const verify::VerifiedProgram& verified, std::string_view remarks, Lines& lines) {
  std::map<uint32_t, std::string> accesses;
  Lines others;
  while (!remarks.empty()) {
    std::string_view line = remarks.substr(0, remarks.find('\n'));
    remarks.remove_prefix(std::min(line.size() + 1, remarks.size()));
    const std::string about(NextField(line));
    auto pc =
        static_cast<uint32_t>(std::strtoul(std::string(NextField(line)).c_str(), nullptr, 10));
    if (pc >= verified.program().code.size()) {
      return Error(ErrorCode::kInternal,
                   "the compiler plugin explains an instruction that is not there");
    }
    if (about == "access") {
      accesses[pc] = line;
      continue;
    }
    const bool kernel = about == "kernel";
    const int64_t order = kernel ? -1 : int64_t{pc};
    if (kernel) pc = DefinitionOf(verified.program());
    const std::string name = kernel ? verified.program().name + "  " : "";
    others.emplace(order,
                   verify::PlaceInWords(verified, pc) + about + "  " + name + std::string(line));
  }
  for (auto& [pc, line] : lines) {
    const auto words = accesses.find(static_cast<uint32_t>(pc));
    if (words != accesses.end()) line += "; " + words->second;
  }
  others.merge(lines);
  lines = std::move(others);
  return Success{};
}

}  // namespace

Result<Explanation> Explain(const verify::VerifiedProgram& verified, std::optional<Target> target) {
  Lines lines;
  const std::vector<std::string> proofs = verify::Explain(verified);
  for (size_t k = 0; k < proofs.size(); ++k) {
    lines.emplace(verified.accesses()[k].pc, proofs[k]);
  }
  Explanation explanation;
  if (target) {
    const auto remarks = Compile(verified, *target, CompileOutput::kRemarks);
    if (remarks.ok()) {
      const std::string text(remarks.value().begin(), remarks.value().end());
      HOLOGRAM_RETURN_IF_ERROR(AddRemarks(verified, text, lines));
    } else {
      explanation.notes = remarks.errors();
    }
  }
  for (const verify::RaceLine& race : verify::ExplainRaces(verified)) {
    lines.emplace(race.pc, race.text);
  }
  for (const auto& [pc, line] : lines) explanation.text += line + "\n";
  return explanation;
}

}  // namespace hologram::runtime
