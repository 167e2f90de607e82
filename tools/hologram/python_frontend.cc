#include "python_frontend.h"

#include <unistd.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "child_process.h"
#include "report.h"
#include "runtime/places.h"

namespace hologram::tool {
namespace {

// The package lies in <prefix>/share/hologram/python, also in a build folder (a link to the
// sources), or in python/ of the sources when the binary is in build/<preset>/bin.
std::string FrontEndScript() {
  constexpr const char* kPlaces[] = {"/../share/hologram/python", "/../../../python"};
  const std::string folder = runtime::ExecutableFolder();
  for (const char* place : kPlaces) {
    const std::string script = folder + place + "/hologram/frontend/__main__.py";
    if (access(script.c_str(), R_OK) == 0) return script;
  }
  Fail(ErrorCode::kNotFound, "the Python front end is missing: looked in " + folder + kPlaces[0] +
                                 " and " + folder + kPlaces[1]);
}

}  // namespace

std::string CompilePython(const std::string& path, const std::string& entry) {
  const char* python = std::getenv("HOLOGRAM_PYTHON");
  if (python == nullptr || *python == '\0') python = "python3";
  // -I -S: nothing of the user's environment is imported, and Python starts fastest.
  std::vector<std::string> command = {python, "-I", "-S", FrontEndScript(), "--rest"};
  if (!entry.empty()) command.push_back("--entry=" + entry);
  command.push_back(path.starts_with("-") ? "./" + path : path);
  ChildResult result = RunChild(command, "HOLOGRAM_PYTHON names the Python interpreter");
  if (result.status == 0) return std::move(result.output);
  if (result.status == 1) throw AlreadyReported{std::move(result.output)};
  Fail(ErrorCode::kInvalidKernel,
       std::string("the Python front end (") + python + ") " +
           (result.status > 0 ? "ended with status " + std::to_string(result.status)
                              : std::string("was killed")));
}

}  // namespace hologram::tool
