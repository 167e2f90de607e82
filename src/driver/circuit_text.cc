#include "driver/circuit_text.h"

#include <cstdio>

#include "base/quote.h"

namespace hologram::driver {

std::string CallText(const sigmatics::Call& call) {
  std::string text(sigmatics::NameOf(call.kind));
  for (const sigmatics::CallField& field : sigmatics::FieldsOf(call)) {
    text += " " + field.name + "=" + field.text;
  }
  return text;
}

std::string CallsText(const sigmatics::Canonical& canonical) {
  std::string text;
  if (canonical.circuit.header) text = sigmatics::Print(*canonical.circuit.header) + "\n";
  for (const sigmatics::Call& call : canonical.calls) text += CallText(call) + "\n";
  return text;
}

Result<std::string> CircuitsText(const std::vector<frontend::KernelCircuit>& circuits, bool calls) {
  Diagnostics obstacles;
  std::string text;
  for (const frontend::KernelCircuit& circuit : circuits) {
    if (circuit.obstacle) {
      obstacles.push_back(*circuit.obstacle);
      continue;
    }
    if (circuits.size() > 1) text += "// " + circuit.name + "\n";
    text += calls ? CallsText(circuit.form) : sigmatics::Print(circuit.form.circuit) + "\n";
  }
  if (!obstacles.empty()) return obstacles;
  return text;
}

std::string SavedText(size_t original, size_t canonical) {
  const auto ops = [](size_t count) { return Counted(count, "op"); };
  const double fewer =
      original == 0 ? 0
                    : 100 * (1 - static_cast<double>(canonical) / static_cast<double>(original));
  char percent[32];
  std::snprintf(percent, sizeof percent, "%.1f", fewer);
  return ops(original) + " -> " + ops(canonical) + " (" + percent + " % fewer)";
}

}  // namespace hologram::driver
