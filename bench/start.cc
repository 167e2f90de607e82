// What an application pays before its first result, and for the library on disk.
#include "start.h"

#include <dlfcn.h>
#include <elf.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <vector>

#include "bench_kernels.h"
#include "workbench.h"

extern char** environ;

namespace hologram::bench {
namespace {

// The bytes of an ELF file that `strip` keeps, but for the table of sections: up to the end of the
// last segment that is loaded. 0 if it cannot be read.
double LoadedFileBytes(const char* path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return 0;
  uint64_t end = 0;
  for (unsigned k = 0; k < header.e_phnum; ++k) {
    Elf64_Phdr segment{};
    file.seekg(static_cast<std::streamoff>(header.e_phoff + k * sizeof segment));
    if (!file.read(reinterpret_cast<char*>(&segment), sizeof segment)) return 0;
    if (segment.p_type == PT_LOAD) end = std::max(end, segment.p_offset + segment.p_filesz);
  }
  return static_cast<double>(end);
}

// From the call that starts a process to its byte; 0 if it did not come.
double OneStart() {
  int answer[2];
  if (pipe(answer) != 0) return 0;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, answer[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, answer[0]);
  char path[] = "/proc/self/exe";
  std::string argument = kFirstResultArgument;
  char* arguments[] = {path, argument.data(), nullptr};
  pid_t child = 0;
  const double start = NowNs();
  const bool spawned = posix_spawn(&child, path, &actions, nullptr, arguments, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(answer[1]);
  char byte = 0;
  const bool came = spawned && read(answer[0], &byte, 1) == 1;
  const double ns = NowNs() - start;
  close(answer[0]);
  if (spawned) waitpid(child, nullptr, 0);
  return came ? ns : 0;
}

}  // namespace

int FirstResult() {
  Executor executor;
  executor.load_beside(bench_kernels::file, bench_kernels::hash);
  auto add = NativeOf<Floats, Floats, Floats, uint32_t>(executor, "vector_add");
  const uint32_t n = 1000;
  Floats a(n), b(n), c(n);
  std::fill(a.begin(), a.end(), 1.0f);
  std::fill(b.begin(), b.end(), 2.0f);
  add(a, b, c, n);
  if (c[n - 1] != 3.0f) return 1;
  return write(STDOUT_FILENO, "r", 1) == 1 ? 0 : 1;
}

void Start(Executor&, Report& report) {
  if (report.Wants("libhologram.so, stripped")) {
    Dl_info info{};
    const bool found = dladdr(reinterpret_cast<void*>(&hologram_executor_create), &info) != 0;
    const double bytes = found ? LoadedFileBytes(info.dli_fname) : 0;
    report.AtMost("libhologram.so, stripped", "", bytes > 0 ? bytes / 1e6 : 1e9, 5.0, "MB");
  }
  if (report.Wants("start to first result")) {
    std::vector<double> times;
    for (int k = 0; k < 21; ++k) times.push_back(OneStart());
    const bool all = *std::min_element(times.begin(), times.end()) > 0;
    report.AtMost("start to first result", "vector_add", all ? Median(times) / 1e6 : 1e9, 5.0,
                  "ms");
  }
}

}  // namespace hologram::bench
