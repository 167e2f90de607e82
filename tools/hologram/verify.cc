// hologram verify: the door, by hand. Silent when all is well, unless asked to explain.
#include <cstdio>

#include "commands.h"
#include "load.h"
#include "options.h"
#include "python_frontend.h"
#include "report.h"
#include "verify/verified_program.h"

namespace hologram::tool {
namespace {

const char* VerbOf(isa::Opcode op) {
  if (isa::IsAtomic(op)) return "updates";
  return isa::IsLoad(op) ? "reads" : "writes";
}

// "k.py:5:9: writes c[i]: proved: ..."
void ExplainAccess(const verify::VerifiedProgram& verified, const verify::AccessFact& access) {
  const isa::Program& program = verified.program();
  const Location where = program.LocationOf(access.pc);
  std::string line;
  if (where.file.empty()) {
    line = program.name + ": instruction " + std::to_string(access.pc) + ": ";
  } else {
    line =
        where.file + ":" + std::to_string(where.line) + ":" + std::to_string(where.column) + ": ";
  }
  const std::string& target =
      access.shared ? program.shared[access.slot].name : program.parameters[access.slot].name;
  const bool has_text = access.pc < program.debug.size() && !program.debug[access.pc].text.empty();
  line += VerbOf(program.code[access.pc].op);
  line += " " + (has_text ? program.debug[access.pc].text : target) + ": ";
  line += access.tier == verify::Tier::kProved ? "proved" : "guarded";
  if (!access.reason.empty()) line += ": " + access.reason;
  std::printf("%s\n", line.c_str());
}

bool VerifyFile(const std::string& path, bool explain) {
  bool ok = true;
  for (isa::Program& program : LoadPrograms(path, "")) {
    const Result<verify::VerifiedProgram> verified = verify::Verify(std::move(program));
    if (!verified.ok()) {
      PrintErrors(verified.errors());
      ok = false;
      continue;
    }
    if (!explain) continue;
    for (const verify::AccessFact& access : verified.value().accesses()) {
      ExplainAccess(verified.value(), access);
    }
  }
  return ok;
}

}  // namespace

int VerifyCommand(const Arguments& arguments) {
  const Options options(arguments, {"--explain"}, {});
  if (options.positional().empty()) throw UsageError{"expected a file"};
  bool ok = true;
  for (const std::string& path : options.positional()) {
    try {
      ok &= VerifyFile(path, options.has("--explain"));
    } catch (const Failure& failure) {
      PrintErrors(failure.errors);
      ok = false;
    } catch (const AlreadyReported&) {
      ok = false;
    }
  }
  return ok ? 0 : 1;
}

}  // namespace hologram::tool
