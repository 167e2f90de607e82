#include "runtime/install_paths.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <vector>

#include "base/environment.h"

namespace hologram::runtime {

std::string ExecutableFolder() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0 || static_cast<size_t>(length) == sizeof path) return {};
  const std::string text(path, static_cast<size_t>(length));
  const size_t slash = text.rfind('/');
  return slash == std::string::npos ? std::string() : text.substr(0, slash);
}

// A program has no name in the link map, and what dladdr calls it is only how it was called, which
// through PATH is no place.
std::string OwnFolder() {
  Dl_info info{};
  void* extra = nullptr;
  if (dladdr1(reinterpret_cast<const void*>(&OwnFolder), &info, &extra, RTLD_DL_LINKMAP) == 0) {
    return "";
  }
  const auto* map = static_cast<const link_map*>(extra);
  if (map == nullptr || map->l_name == nullptr || *map->l_name == '\0') return ExecutableFolder();
  const std::string path = map->l_name;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string InWords(const std::string& path) {
  if (path.find("/../") == std::string::npos) return path;
  std::error_code error;
  const std::string clean = std::filesystem::weakly_canonical(path, error).string();
  return error || clean.empty() ? path : clean;
}

Result<std::string> FindStandardLibrary() {
  constexpr const char* kFileName = "stdlib.holo";
  std::vector<std::string> places;
  if (const char* named = ReadNonEmpty(Variable::kStdlib); named != nullptr) {
    places = {named};
  } else {
    if (const std::string folder = OwnFolder(); !folder.empty()) {
      places = {folder + "/hologram/" + kFileName, folder + "/../lib/hologram/" + kFileName,
                folder + "/../" + kFileName};  // in a wheel, of the Python package
    }
    if (const std::string folder = ExecutableFolder(); !folder.empty()) {
      places.push_back(folder + "/" + kFileName);
    }
  }
  std::string looked;
  for (const std::string& place : places) {
    if (access(place.c_str(), R_OK) == 0) return place;
    looked += (looked.empty() ? "" : " and ") + InWords(place);
  }
  return Error(ErrorCode::kNotFound, "there is no standard library; looked for " + looked);
}

}  // namespace hologram::runtime
