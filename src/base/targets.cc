#include "base/targets.h"

#include <vector>

namespace hologram {
namespace {

template <class Has>
std::optional<Target> Find(std::string_view short_name, Has has) {
  for (const TargetInfo& info : kTargets) {
    if (has(info) && info.short_name == short_name) return info.target;
  }
  return std::nullopt;
}

template <class Has>
std::string ShortNames(Has has) {
  std::vector<std::string> names;
  for (const TargetInfo& info : kTargets) {
    if (has(info)) names.emplace_back(info.short_name);
  }
  std::string text;
  for (size_t k = 0; k < names.size(); ++k) {
    text += (k == 0 ? "" : k + 1 == names.size() ? " or " : ", ") + names[k];
  }
  return text;
}

bool IsInBundles(const TargetInfo& info) {
  return info.section != 0;
}

}  // namespace

std::optional<Target> FindTarget(Family family, std::string_view short_name) {
  return Find(short_name, [family](const TargetInfo& info) { return info.family == family; });
}

std::string ShortNamesOf(Family family) {
  return ShortNames([family](const TargetInfo& info) { return info.family == family; });
}

std::optional<Target> FindBundleTarget(std::string_view short_name) {
  return Find(short_name, IsInBundles);
}

std::string BundleTargetNames() {
  return ShortNames(IsInBundles);
}

}  // namespace hologram
