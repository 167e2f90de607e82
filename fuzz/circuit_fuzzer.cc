// Circuit text -> calls, meanings, canonical forms and programs. Promises: every error has its
// column in the text; printing and listing calls lose nothing; a canonical form is its own
// canonical form; programs are as use_program.h says.
#include "base/check.h"
#include "frontend/circuit/lower.h"
#include "fuzzer.h"
#include "sigmatics/algebra/meaning.h"
#include "sigmatics/canonical.h"
#include "sigmatics/circuit.h"
#include "sigmatics/lower/call.h"
#include "use_program.h"

namespace hologram::fuzz {

std::vector<Bytes> Seeds() {
  return {};
}

namespace {

template <class T>
void CheckError(const sigmatics::Checked<T>& checked, const std::string& text) {
  if (checked.ok()) return;
  HOLOGRAM_CHECK(checked.error().column <= text.size() + 1);
  HOLOGRAM_CHECK(!checked.error().message.empty());
}

void UseCalls(const sigmatics::Circuit& circuit, const std::string& text) {
  const auto calls = sigmatics::ListCalls(circuit);
  CheckError(calls, text);
  if (!calls.ok()) return;
  const sigmatics::Circuit listed = sigmatics::CircuitOf(calls.value(), circuit.header);
  const auto again = sigmatics::ListCalls(listed);
  HOLOGRAM_CHECK(again.ok() && again.value() == calls.value());
  const auto parsed = sigmatics::Parse(sigmatics::Print(listed));
  HOLOGRAM_CHECK(parsed.ok() && parsed.value() == listed);
}

void UseForm(const sigmatics::Circuit& circuit, sigmatics::Mode mode, const std::string& text) {
  const auto form = sigmatics::CanonicalForm(circuit, mode);
  CheckError(form, text);
  if (!form.ok()) return;
  const std::string printed = sigmatics::Print(form.value().circuit);
  const auto parsed = sigmatics::Parse(printed);
  HOLOGRAM_CHECK(parsed.ok() && parsed.value() == form.value().circuit);
  const auto again = sigmatics::CanonicalForm(parsed.value(), mode);
  HOLOGRAM_CHECK(again.ok() && sigmatics::Print(again.value().circuit) == printed);
}

void UseLowered(const Result<isa::Program>& program) {
  if (program.ok()) return UseProgram(program.value());
  HOLOGRAM_CHECK(!program.errors()[0].message.empty());
}

}  // namespace
}  // namespace hologram::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hologram;
  const std::string text(data, data + size);
  const auto circuit = sigmatics::Parse(text);
  fuzz::CheckError(circuit, text);
  if (!circuit.ok()) return 0;
  const auto again = sigmatics::Parse(sigmatics::Print(circuit.value()));
  HOLOGRAM_CHECK(again.ok() && again.value() == circuit.value());
  const sigmatics::LiteralMeaning literal = sigmatics::LiteralOf(circuit.value());
  HOLOGRAM_CHECK(literal.bytes.size() == literal.addresses.size());
  HOLOGRAM_CHECK(!sigmatics::WordsOf(circuit.value()).empty());
  fuzz::UseCalls(circuit.value(), text);
  for (const auto mode :
       {sigmatics::Mode::kNone, sigmatics::Mode::kMemory, sigmatics::Mode::kGate}) {
    fuzz::UseForm(circuit.value(), mode, text);
  }
  fuzz::UseLowered(frontend::CompileCircuit(text, "fuzz.circuit", "k"));
  fuzz::UseLowered(frontend::CompileCircuitInClassMemory(text, "fuzz.circuit", "k"));
  return 0;
}
