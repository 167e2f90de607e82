// What an executor has to say about its kernels: which there are, where from, which one wins.
#include <algorithm>
#include <map>
#include <utility>

#include "runtime/executor.h"

namespace hologram::runtime {
namespace {

// Calls visit(name, id, file, origin) for each kernel of the directories.
template <class Visit>
void VisitDirectories(const std::vector<KernelDirectory>& directories, Origin origin,
                      const Visit& visit) {
  for (const KernelDirectory& directory : directories) {
    for (const auto& [file_name, file] : directory.files()) {
      for (const auto& [name, kernel] : file.kernels) visit(name, kernel->id(), file.path, origin);
    }
  }
}

void AddErrors(const KernelDirectory& directory, Diagnostics& errors) {
  errors.insert(errors.end(), directory.errors().begin(), directory.errors().end());
  for (const auto& [name, file] : directory.files()) {
    errors.insert(errors.end(), file.errors.begin(), file.errors.end());
  }
}

}  // namespace

std::string_view NameOf(Origin origin) {
  switch (origin) {
    case Origin::kBuiltIn:
      return "built-in";
    case Origin::kBundled:
      return "bundled";
    case Origin::kUser:
      return "user";
  }
  return "user";
}

template <class Visit>
void Executor::ForEach(const Visit& visit) const {
  const auto visit_loaded = [&](const LoadedByName& kernels, Origin origin) {
    for (const auto& [name, loaded] : kernels) {
      visit(name, loaded.kernel->id(), loaded.file, origin);
    }
  };
  VisitDirectories(user_, Origin::kUser, visit);
  visit_loaded(loaded_, Origin::kBundled);
  VisitDirectories(bundled_, Origin::kBundled, visit);
  visit_loaded(built_in_, Origin::kBuiltIn);
}

std::vector<std::string> Executor::NamesOf(bool built_in) const {
  std::vector<std::string> names;
  ForEach([&](const std::string& name, const std::string&, const std::string&, Origin origin) {
    if (built_in || origin != Origin::kBuiltIn) names.push_back(name);
  });
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Diagnostics Executor::ErrorsOfPlaces() const {
  Diagnostics errors;
  for (const KernelDirectory& directory : user_) AddErrors(directory, errors);
  for (const KernelDirectory& directory : bundled_) AddErrors(directory, errors);
  errors.insert(errors.end(), standard_errors_.begin(), standard_errors_.end());
  return errors;
}

std::vector<std::string> Executor::Names() {
  const std::lock_guard lock(mutex_);
  Refresh();
  return NamesOf(true);
}

Listing Executor::List() {
  const std::lock_guard lock(mutex_);
  Refresh();
  LoadDefaultLibrary();
  std::map<std::string, std::vector<ListedKernel>> by_name;  // in the order in which they win
  ForEach([&](const std::string& name, const std::string& id, const std::string& file,
              Origin origin) { by_name[name].push_back({name, id, origin, file, false, ""}); });
  Listing listing;
  for (auto& [name, kernels] : by_name) {
    for (size_t k = 0; k < kernels.size(); ++k) {
      kernels[k].shadowed = k != 0;
      if (k != 0) kernels[k].shadowed_by = kernels[0].file;
      listing.kernels.push_back(kernels[k]);
    }
  }
  listing.errors = ErrorsOfPlaces();
  return listing;
}

}  // namespace hologram::runtime
