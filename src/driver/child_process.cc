#include "driver/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

extern "C" char** environ;

namespace hologram::driver {
namespace {

// Starts the program with its standard output in a pipe; the reading end is returned.
Result<int> Spawn(std::vector<std::string> command, const std::string& advice, pid_t& child) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return Error(ErrorCode::kResourceLimit, std::string("no pipe: ") + std::strerror(errno));
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
  return Error(ErrorCode::kNotFound,
               "cannot run '" + command[0] + "': " + std::strerror(error) + "; " + advice);
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

Result<ChildResult> RunChild(std::vector<std::string> command, const std::string& advice) {
  pid_t child = 0;
  HOLOGRAM_ASSIGN_OR_RETURN(const int output, Spawn(std::move(command), advice, child));
  ChildResult result;
  result.output = ReadToEnd(output);
  close(output);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

}  // namespace hologram::driver
