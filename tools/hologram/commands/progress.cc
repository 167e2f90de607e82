#include "commands/progress.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string_view>
#include <system_error>

#include "base/environment.h"

namespace hologram::tool {
namespace {

bool IsWanted() {
  const char* asked = ReadVariable(Variable::kProgress);
  if (asked != nullptr && std::string_view(asked) == "always") return true;
  return isatty(STDERR_FILENO) == 1;
}

}  // namespace

Progress::Progress(std::string step) : step_(std::move(step)) {
  if (!IsWanted()) return;
  try {
    thread_ = std::thread([this] { Show(); });
  } catch (const std::system_error&) {
    // Without a thread there is no line; the work goes on.
  }
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    done_ = true;
  }
  wakes_.notify_one();
  thread_.join();
}

void Progress::Show() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (int seconds = 1;; ++seconds) {
    if (wakes_.wait_for(lock, std::chrono::seconds(1), [this] { return done_; })) {
      if (seconds > 1) std::fputs("\r\x1b[K", stderr);
      return;
    }
    std::fprintf(stderr, "\rhologram: %s, %d s\x1b[K", step_.c_str(), seconds);
    std::fflush(stderr);
  }
}

}  // namespace hologram::tool
