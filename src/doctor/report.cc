#include "doctor/report.h"

#include <algorithm>

namespace hologram::doctor {

std::string ReportOf(const std::vector<Finding>& findings) {
  constexpr size_t kColumn = 13;
  std::string report;
  for (const Finding& finding : findings) {
    report += finding.state == State::kBad    ? "BAD   "
              : finding.state == State::kNote ? "note  "
                                              : "ok    ";
    report += finding.area;
    report.append(kColumn - std::min(kColumn - 1, finding.area.size()), ' ');
    report += finding.text + '\n';
  }
  return report;
}

bool IsWell(const std::vector<Finding>& findings) {
  return std::none_of(findings.begin(), findings.end(),
                      [](const Finding& finding) { return finding.state == State::kBad; });
}

}  // namespace hologram::doctor
