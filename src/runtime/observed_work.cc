#include "runtime/observed_work.h"

#include <string>
#include <string_view>
#include <utility>

#include "observe/counters.h"

namespace hologram::runtime {

using observe::Count;
using observe::Counter;

Result<verify::VerifiedProgram> VerifySeen(isa::Program program) {
  observe::Span span("verify", program.name);
  span.Number("instructions", program.code.size());
  Count(Counter::kProgramsVerified);
  return verify::Verify(std::move(program));
}

Result<std::vector<verify::VerifiedProgram>> VerifyAll(std::vector<isa::Program> programs) {
  std::vector<verify::VerifiedProgram> all;
  Diagnostics errors;
  for (isa::Program& program : programs) {
    Result<verify::VerifiedProgram> verified = VerifySeen(std::move(program));
    if (verified.ok()) {
      all.push_back(std::move(verified).value());
    } else {
      errors.insert(errors.end(), verified.errors().begin(), verified.errors().end());
    }
  }
  if (!errors.empty()) return errors;
  return all;
}

namespace {

std::string_view NameOf(CompileOutput output) {
  switch (output) {
    case CompileOutput::kObject:
      return "code";
    case CompileOutput::kCheckedObject:
      return "code of the checked form";
    case CompileOutput::kInstrumentedObject:
      return "instrumented code";
    case CompileOutput::kAssembly:
      return "assembly";
    case CompileOutput::kLlvm:
      return "LLVM IR";
    case CompileOutput::kRemarks:
      return "remarks";
  }
  return "";
}

}  // namespace

ObservedCompile::ObservedCompile(const verify::VerifiedProgram& program,
                                 std::span<const Target> targets, CompileOutput output)
    : span_("compile", program.program().name), targets_(targets.size()), start_(observe::Now()) {
  std::string names;
  for (const Target target : targets) {
    names += (names.empty() ? "" : " ") + std::string(InfoOf(target).short_name);
  }
  span_.Text("target", names);
  span_.Text("output", NameOf(output));
  span_.Number("instructions", program.program().code.size());
}

void ObservedCompile::End(bool succeeded) {
  Count(Counter::kCompileNanoseconds, observe::Now() - start_);
  Count(succeeded ? Counter::kCompiles : Counter::kCompileErrors, targets_);
  if (!succeeded) span_.Text("end", "failed");
}

}  // namespace hologram::runtime
