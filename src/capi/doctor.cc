// The report of `hologram doctor` for programs. Tested by tests/doctor.
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "capi/guard.h"
#include "doctor/report.h"
#include "hologram/observe.h"

using hologram::capi::FromException;

namespace doctor = hologram::doctor;

hologram_error* hologram_doctor(uint32_t with_test, char** text, int32_t* is_well) try {
  HOLOGRAM_NOT_NULL(text);
  std::vector<doctor::Finding> findings = doctor::LookAtMachine();
  if (with_test != 0) {
    const std::vector<doctor::Finding> engines = doctor::TestEngines();
    findings.insert(findings.end(), engines.begin(), engines.end());
  }
  const std::string report = doctor::ReportOf(findings);
  auto* copy = static_cast<char*>(std::malloc(report.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, report.c_str(), report.size() + 1);
  *text = copy;
  if (is_well != nullptr) *is_well = doctor::IsWell(findings) ? 1 : 0;
  return nullptr;
} catch (...) {
  return FromException();
}
