#include "commands/progress.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string_view>
#include <system_error>

#include "base/environment.h"
#include "base/quote.h"

namespace hologram::tool {
namespace {

bool IsWanted() {
  const char* asked = ReadVariable(Variable::kProgress);
  if (asked != nullptr && std::string_view(asked) == "always") return true;
  return isatty(STDERR_FILENO) == 1;
}

// "  [=====     ] 48 %, 13 s left"; empty while nothing is known.
std::string Bar(const Share* share, int seconds) {
  constexpr int kCells = 20;
  const uint64_t all = share == nullptr ? 0 : share->all.load(std::memory_order_relaxed);
  if (all == 0) return "";
  const uint64_t done = share->done.load(std::memory_order_relaxed);
  const double part = std::min(1.0, static_cast<double>(done) / static_cast<double>(all));
  const auto full = static_cast<size_t>(part * kCells);
  std::string bar = "  [" + std::string(full, '=') + std::string(kCells - full, ' ') + "] " +
                    std::to_string(static_cast<int>(part * 100)) + " %";
  if (part > 0) {
    bar += ", " + std::to_string(static_cast<int>(seconds * (1 - part) / part + 0.5)) + " s left";
  }
  return bar;
}

}  // namespace

Progress::Progress(const std::string& step, const Share* share)
    : step_(Escape(step, /*in_quotes=*/false)), share_(share) {
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
    std::fprintf(stderr, "\rhologram: %s, %d s%s\x1b[K", step_.c_str(), seconds,
                 Bar(share_, seconds).c_str());
    std::fflush(stderr);
  }
}

}  // namespace hologram::tool
