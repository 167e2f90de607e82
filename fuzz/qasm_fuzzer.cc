// OpenQASM -> circuits. Promise: what is accepted keeps the limits and can be run, and every error
// is one line with a place.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/check.h"
#include "fuzzer.h"
#include "statevector/qasm.h"
#include "statevector/run.h"

namespace hologram::fuzz {

std::vector<Bytes> Seeds() {
  std::vector<Bytes> seeds;
  const std::filesystem::path cases(HOLOGRAM_SOURCE_DIR "/tests/statevector/cases");
  for (const auto& entry : std::filesystem::directory_iterator(cases)) {
    std::ifstream file(entry.path(), std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  HOLOGRAM_CHECK(!seeds.empty());
  return seeds;
}

}  // namespace hologram::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hologram;
  const std::string source(data, data + size);
  const Result<statevector::Circuit> parsed = statevector::ParseQasm(source, "fuzz.qasm");
  for (const Diagnostic& error : parsed.errors()) {
    HOLOGRAM_CHECK(error.where.line > 0 && error.where.column > 0);
    HOLOGRAM_CHECK(error.message.find('\n') == std::string::npos);
  }
  if (!parsed.ok()) return 0;
  const statevector::Circuit& circuit = parsed.value();
  HOLOGRAM_CHECK(circuit.qubits <= statevector::kMaxQubits);
  HOLOGRAM_CHECK(circuit.operations.size() <= statevector::kMaxOperations);
  constexpr uint32_t kQubits = 10;
  constexpr size_t kOperations = 1000;
  if (circuit.qubits > kQubits || circuit.operations.size() > kOperations) return 0;
  const auto counts = statevector::CountShots(circuit, 2, 1);
  if (!counts.ok()) return 0;
  uint64_t shots = 0;
  for (const statevector::Count& count : counts.value()) shots += count.shots;
  HOLOGRAM_CHECK(shots == 2);
  return 0;
}
