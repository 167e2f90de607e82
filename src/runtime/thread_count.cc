#include "runtime/thread_count.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/environment.h"
#include "base/files.h"
#include "base/quote.h"
#include "base/words.h"

namespace hologram::runtime {
namespace {

// Quota over period, rounded up; nothing unless both are positive numbers.
std::optional<uint32_t> Ratio(std::string_view quota, std::string_view period) {
  const auto number = [](std::string_view text) {
    int64_t value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    return end.ec == std::errc() ? value : -1;  // "max", or -1 in version 1: no limit
  };
  const int64_t q = number(quota);
  const int64_t p = number(period);
  if (q <= 0 || p <= 0) return std::nullopt;
  return static_cast<uint32_t>(std::clamp<int64_t>((q - 1) / p + 1, 1, kMaxThreads));
}

std::optional<uint32_t> LimitAt(const std::string& folder, bool version_2) {
  const std::string text = version_2 ? TextOfSystemFile(folder + "/cpu.max")
                                     : TextOfSystemFile(folder + "/cpu.cfs_quota_us") + " " +
                                           TextOfSystemFile(folder + "/cpu.cfs_period_us");
  const std::vector<std::string_view> words = WordsOf(text);
  return words.size() == 2 ? Ratio(words[0], words[1]) : std::nullopt;
}

// The smallest limit of the group at `path` below `mount` and the groups above it. Inside of a
// container the path may be that of the host: then the walk ends at the mount, which is the group.
std::optional<uint32_t> LimitUpwards(const std::string& mount, std::string path, bool version_2) {
  std::optional<uint32_t> lowest;
  for (;;) {
    if (const auto limit = LimitAt(mount + path, version_2)) {
      lowest = std::min(lowest.value_or(*limit), *limit);
    }
    if (path.empty()) return lowest;
    path.erase(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  }
}

std::atomic<uint32_t> threads_of_process{0};
std::atomic<bool> has_limits{false};  // of any thread, ever
thread_local constinit uint32_t limit_of_thread = 0;

bool NamesCpu(std::string_view controllers) {
  while (!controllers.empty()) {
    const size_t comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == "cpu") return true;
    controllers.remove_prefix(std::min(comma + 1, controllers.size()));
  }
  return false;
}

}  // namespace

std::optional<uint32_t> GroupLimit(const std::string& root) {
  std::optional<uint32_t> lowest;
  const std::string groups = TextOfSystemFile(root + "/proc/self/cgroup");
  // "0::/path" for version 2, "3:cpu,cpuacct:/path" for version 1.
  for (const std::string_view line : LinesOf(groups)) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers(line.substr(first + 1, second - first - 1));
    std::string path(line.substr(second + 1));
    while (!path.empty() && path.back() == '/') path.pop_back();
    if (!path.empty() && path[0] != '/') continue;
    const bool version_2 = controllers.empty();
    if (!version_2 && !NamesCpu(controllers)) continue;
    const std::string mount = root + "/sys/fs/cgroup";
    auto limit = LimitUpwards(version_2 ? mount : mount + "/" + controllers, path, version_2);
    if (!limit && !version_2) limit = LimitUpwards(mount + "/cpu", path, version_2);
    if (limit) lowest = std::min(lowest.value_or(*limit), *limit);
  }
  return lowest;
}

uint32_t ProcessorsOfThread() {
  // Masks of large machines are longer than cpu_set_t: the call refuses those that are too short.
  for (size_t count = 1024; count <= size_t{1} << 20; count *= 2) {
    const size_t bytes = CPU_ALLOC_SIZE(count);
    const auto release = [](cpu_set_t* mask) { CPU_FREE(mask); };
    const std::unique_ptr<cpu_set_t, decltype(release)> mask(CPU_ALLOC(count), release);
    if (mask == nullptr) break;
    if (sched_getaffinity(0, bytes, mask.get()) == 0) {
      return static_cast<uint32_t>(std::max(1, CPU_COUNT_S(bytes, mask.get())));
    }
  }
  return 1;
}

Status CheckThreads(uint32_t threads) {
  if (threads <= kMaxThreads) return Success{};
  return Error(ErrorCode::kInvalidArgument, "threads: expected 0 to " +
                                                std::to_string(kMaxThreads) + ", found " +
                                                std::to_string(threads));
}

Result<uint32_t> ThreadsFrom(const char* text, uint32_t otherwise) {
  if (text == nullptr || *text == '\0') return otherwise;
  const std::string_view word = text;
  uint32_t value = 0;
  const auto end = std::from_chars(word.data(), word.data() + word.size(), value);
  if (end.ec == std::errc() && end.ptr == word.data() + word.size() && value >= 1 &&
      value <= kMaxThreads) {
    return value;
  }
  return Error(ErrorCode::kInvalidArgument, "HOLOGRAM_NUM_THREADS: expected a number from 1 to " +
                                                std::to_string(kMaxThreads) + ", found " +
                                                Shown(std::string(word)));
}

std::optional<uint32_t> ThreadsOfOpenMp(const char* text) {
  if (text == nullptr) return std::nullopt;
  std::string_view word = text;
  word = word.substr(0, word.find(','));
  while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
  while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
  uint32_t value = 0;
  const auto end = std::from_chars(word.data(), word.data() + word.size(), value);
  if (end.ec != std::errc() || end.ptr != word.data() + word.size() || value == 0) {
    return std::nullopt;
  }
  return std::min(value, kMaxThreads);
}

Result<uint32_t> DefaultThreads() {
  static const uint32_t system = [] {
    const uint32_t processors = std::min(ProcessorsOfThread(), kMaxThreads);
    return std::min(processors, GroupLimit("").value_or(processors));
  }();
  return ThreadsFrom(ReadVariable(Variable::kNumThreads),
                     ThreadsOfOpenMp(ReadVariable(Variable::kOmpNumThreads)).value_or(system));
}

void SetThreadsOfProcess(uint32_t threads) {
  threads_of_process.store(threads, std::memory_order_relaxed);
}

uint32_t SetThreadLimit(uint32_t threads) {
  if (threads != 0) has_limits.store(true, std::memory_order_relaxed);
  return std::exchange(limit_of_thread, threads);
}

HOLOGRAM_LAUNCH_PATH
uint32_t ThreadsOfLaunch(uint32_t otherwise) {
  const uint32_t said = threads_of_process.load(std::memory_order_relaxed);
  const uint32_t threads = said != 0 ? said : otherwise;
  // Memory of a thread is not free to ask for.
  if (!has_limits.load(std::memory_order_relaxed) || limit_of_thread == 0) return threads;
  return std::min(limit_of_thread, threads);
}

}  // namespace hologram::runtime
