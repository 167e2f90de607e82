#include "base/targets.h"

#include <vector>

namespace hologram {

std::optional<Target> FindTarget(Family family, std::string_view short_name) {
  for (const TargetInfo& info : kTargets) {
    if (info.family == family && info.short_name == short_name) return info.target;
  }
  return std::nullopt;
}

std::string ShortNamesOf(Family family) {
  std::vector<std::string> names;
  for (const TargetInfo& info : kTargets) {
    if (info.family == family) names.emplace_back(info.short_name);
  }
  std::string text;
  for (size_t k = 0; k < names.size(); ++k) {
    text += (k == 0 ? "" : k + 1 == names.size() ? " or " : ", ") + names[k];
  }
  return text;
}

}  // namespace hologram
