#include "frontend/library.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <mutex>

#include "base/check.h"
#include "frontend/json/reader.h"

namespace hologram::frontend {
namespace {

constexpr std::string_view kSeparator = "__";

// A helper as kernel JSON in which some characters are short for the fragments that occur most.
struct Row {
  std::string_view name;
  std::string_view text;
};

constexpr Row kRows[] = {
// by name
#define FRAGMENT(character, text)
#define HELPER(name, text) {name, text},
#include "frontend/library.inc"
#undef FRAGMENT
#undef HELPER
};

std::string_view Fragment(char character) {
  switch (character) {
#define FRAGMENT(short_for_it, text) \
  case short_for_it:                 \
    return text;
#define HELPER(name, text)
#include "frontend/library.inc"
#undef FRAGMENT
#undef HELPER
    default:
      return {};
  }
}

std::unique_ptr<const Helper> Read(const Row& row) {
  std::string json = R"({"version":"1.1","kernels":[],"helpers":[)";
  for (const char& character : row.text) {
    const std::string_view fragment = Fragment(character);
    json += fragment.empty() ? std::string_view(&character, 1) : fragment;
  }
  json += "]}";
  Result<std::vector<Document>> documents = ReadJson(json, "library.inc");
  HOLOGRAM_CHECK(documents.ok());
  auto helper = std::make_unique<Helper>(std::move(documents.value()[0].helpers[0]));
  helper->in_library = true;
  return helper;
}

}  // namespace

const Helper* FindLibraryHelper(std::string_view name) {
  static std::mutex mutex;
  static std::array<std::unique_ptr<const Helper>, std::size(kRows)> helpers;
  const Row* row = std::lower_bound(std::begin(kRows), std::end(kRows), name,
                                    [](const Row& a, std::string_view b) { return a.name < b; });
  if (row == std::end(kRows) || row->name != name) return nullptr;
  const std::lock_guard lock(mutex);
  std::unique_ptr<const Helper>& helper = helpers[static_cast<size_t>(row - kRows)];
  if (helper == nullptr) helper = Read(*row);
  return helper.get();
}

bool IsForLibraryOnly(std::string_view name) {
  return name.starts_with('_') || name.find(kSeparator) != std::string_view::npos;
}

std::vector<std::string_view> FormsOf(std::string_view function) {
  std::vector<std::string_view> forms;
  for (const Row& row : kRows) {
    const size_t length = function.size() + kSeparator.size();
    if (row.name.size() > length && row.name.starts_with(function) &&
        row.name.substr(function.size(), kSeparator.size()) == kSeparator) {
      forms.push_back(row.name.substr(length));
    }
  }
  return forms;
}

const std::vector<std::string>& LibraryFunctions() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const Row& row : kRows) {
      if (row.name.starts_with('_')) continue;  // for the library itself
      std::string name(row.name.substr(0, row.name.find(kSeparator)));
      if (names.empty() || names.back() != name) names.push_back(std::move(name));
    }
    return names;
  }();
  return kNames;
}

}  // namespace hologram::frontend
