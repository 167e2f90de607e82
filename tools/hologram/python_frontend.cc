#include "python_frontend.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "report.h"
#include "runtime/executor.h"

extern "C" char** environ;

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

// Starts the program with its standard output in a pipe; the reading end is returned.
int Spawn(std::vector<std::string> command, pid_t& child) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    Fail(ErrorCode::kResourceLimit, std::string("no pipe: ") + std::strerror(errno));
  }
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  const int error =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error == 0) return ends[0];
  close(ends[0]);
  Fail(ErrorCode::kNotFound, "cannot run '" + command[0] + "': " + std::strerror(error) +
                                 "; HOLOGRAM_PYTHON names the Python interpreter");
}

std::string ReadToEnd(int fd) {
  std::string text;
  char chunk[65536];
  for (;;) {
    const ssize_t got = read(fd, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(chunk, static_cast<size_t>(got));
  }
}

}  // namespace

std::string CompilePython(const std::string& path, const std::string& entry) {
  const char* python = std::getenv("HOLOGRAM_PYTHON");
  if (python == nullptr || *python == '\0') python = "python3";
  // -I -S: nothing of the user's environment is imported, and Python starts fastest.
  std::vector<std::string> command = {python, "-I", "-S", FrontEndScript()};
  if (!entry.empty()) command.push_back("--entry=" + entry);
  command.push_back(path.starts_with("-") ? "./" + path : path);
  pid_t child = 0;
  const int output = Spawn(command, child);
  std::string json = ReadToEnd(output);
  close(output);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return json;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 1) throw AlreadyReported{};
  Fail(ErrorCode::kInvalidKernel,
       std::string("the Python front end (") + python + ") " +
           (WIFEXITED(status) ? "ended with status " + std::to_string(WEXITSTATUS(status))
                              : std::string("was killed")));
}

}  // namespace hologram::tool
