#include "driver/stats.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "base/quote.h"
#include "driver/circuit_text.h"

namespace hologram::driver {
namespace {

// "1 op -> 1 op (0.0 % fewer), " of a circuit: what its canonical form saves, whether or not the
// program was made of it.
std::string OperationsText(const frontend::KernelCircuit& circuit) {
  if (circuit.obstacle) return "";
  return SavedText(circuit.form.original_operations, circuit.form.canonical_operations) + ", ";
}

// ", as written (9 instructions by its circuit)" of a circuit that the program was not made of.
std::string AsWrittenText(const frontend::KernelCircuit& circuit, bool through) {
  if (circuit.obstacle || through) return "";
  const Result<isa::Program> program = frontend::CompileKernelCircuit(circuit);
  if (!program.ok())
    return ", as written (not by its circuit: " + program.errors()[0].message + ")";
  return ", as written (" + std::to_string(program.value().code.size()) +
         " instructions by its circuit)";
}

// "no circuit: a while loop in line 12" says of the kernel what its error says of its circuit.
std::string KindText(const frontend::KernelCircuit& circuit) {
  if (!circuit.obstacle) {
    const auto& calls = circuit.form.calls;
    const bool reduces = std::any_of(calls.begin(), calls.end(), sigmatics::IsReduction);
    const bool rows = reduces || circuit.form.circuit.header->lanes != 0;
    return rows ? "rows" : "element-wise";
  }
  const std::string& message = circuit.obstacle->message;
  const size_t reason = message.find("is no circuit: ");
  if (reason == std::string::npos) return "no circuit";
  std::string text = message.substr(reason + 3);
  if (circuit.obstacle->where.line != 0) {
    text += " (line " + std::to_string(circuit.obstacle->where.line) + ")";
  }
  return text;
}

}  // namespace

std::string StatsText(const Compiled& compiled, const std::vector<NativeSizes>& sizes,
                      const CompileTimes& times) {
  const auto number = [](size_t count) { return std::to_string(count); };
  std::string text;
  size_t circuits = 0;
  size_t through = 0;
  size_t original = 0;
  size_t canonical = 0;
  size_t instructions = 0;
  for (size_t i = 0; i < compiled.programs.size(); ++i) {
    const verify::VerifiedProgram& program = compiled.programs[i];
    const frontend::KernelCircuit& circuit = compiled.circuits[i];
    size_t proved = 0;
    for (const auto& access : program.accesses()) {
      proved += access.tier == verify::Tier::kProved ? 1 : 0;
    }
    instructions += program.source().code.size();
    through += compiled.through[i] ? 1 : 0;
    if (!circuit.obstacle) {
      ++circuits;
      original += circuit.form.original_operations;
      canonical += circuit.form.canonical_operations;
    }
    text += "Compiled " + program.program().name + ": " + OperationsText(circuit) +
            number(program.source().code.size()) + " instructions, " + KindText(circuit) +
            AsWrittenText(circuit, compiled.through[i]) + "; " + number(proved) +
            " accesses proved, " + number(program.accesses().size() - proved) + " guarded";
    for (size_t k = 0; i < sizes.size() && k < sizes[i].size(); ++k) {
      const NativeSize& size = sizes[i][k];
      text += std::string(k == 0 ? ", native code " : ", ") + InfoOf(size.target).short_name + " " +
              number(size.bytes) + " bytes";
    }
    text += "\n";
  }
  const size_t count = compiled.programs.size();
  text += "Compiled " + Counted(count, "kernel") + ": ";
  if (circuits != 0) {
    text += Counted(circuits, "circuit") + ", " + SavedText(original, canonical) + ", " +
            number(through) + " compiled by way of " + (circuits == 1 ? "it" : "them") + "; ";
  }
  char spent[96];
  std::snprintf(spent, sizeof spent, "front end %.1f ms, verify %.0f us\n", times.frontend_ms,
                times.verify_us);
  return text + number(instructions) + " instructions\n" + spent;
}

}  // namespace hologram::driver
