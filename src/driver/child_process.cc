#include "driver/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/environment.h"

extern "C" char** environ;

namespace hologram::driver {
namespace {

// Starts the program, with its standard output in `output` if that is a descriptor.
Status Spawn(std::vector<std::string> command, const std::string& advice, int output,
             pid_t& child) {
  // PATH and much else of the environment would choose what runs with these rights.
  if (HasMoreRightsThanItsUser()) {
    return Error(
        ErrorCode::kUnsupported,
        "'" + command[0] + "' is not run: this program has more rights than its user, whose " +
            "environment would choose what is run; give the command no more rights, or use "
            "files that need no compiler");
  }
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (output >= 0) posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  const int error =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return Success{};
  return Error(ErrorCode::kNotFound,
               "cannot run '" + command[0] + "': " + std::strerror(error) + "; " + advice);
}

int StatusOf(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
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
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return Error(ErrorCode::kResourceLimit, std::string("no pipe: ") + std::strerror(errno));
  }
  pid_t child = 0;
  const Status started = Spawn(std::move(command), advice, ends[1], child);
  close(ends[1]);
  if (!started.ok()) {
    close(ends[0]);
    return started.errors();
  }
  ChildResult result;
  result.output = ReadToEnd(ends[0]);
  close(ends[0]);
  result.status = StatusOf(child);
  return result;
}

Result<int> RunForeground(std::vector<std::string> command, const std::string& advice) {
  pid_t child = 0;
  HOLOGRAM_RETURN_IF_ERROR(Spawn(std::move(command), advice, -1, child));
  struct sigaction ignore{};
  struct sigaction before{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGINT, &ignore, &before);
  const int status = StatusOf(child);
  sigaction(SIGINT, &before, nullptr);
  return status;
}

}  // namespace hologram::driver
