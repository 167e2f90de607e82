#include "frontend/library.h"

#include "base/check.h"
#include "frontend/json/reader.h"

namespace hologram::frontend {
namespace {

constexpr const char* kLibrary =
#include "frontend/library.inc"
    ;

std::vector<Helper> ReadLibrary() {
  Result<std::vector<Document>> documents = ReadJson(kLibrary, "library.inc");
  HOLOGRAM_CHECK(documents.ok());
  std::vector<Helper> helpers = std::move(documents.value()[0].helpers);
  for (Helper& helper : helpers) helper.in_library = true;
  return helpers;
}

}  // namespace

const std::vector<Helper>& Library() {
  static const std::vector<Helper> kHelpers = ReadLibrary();
  return kHelpers;
}

const Helper* FindLibraryHelper(const std::string& name) {
  for (const Helper& helper : Library()) {
    if (helper.name == name) return &helper;
  }
  return nullptr;
}

}  // namespace hologram::frontend
