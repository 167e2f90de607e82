#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "base/environment.h"
#include "base/files.h"
#include "base/quote.h"
#include "base/words.h"
#include "doctor/report.h"
#include "engines/code_cache.h"
#include "engines/cpu_features.h"
#include "engines/devices/devices.h"
#include "runtime/compiler_plugin.h"
#include "runtime/install_paths.h"
#include "runtime/thread_count.h"

namespace hologram::doctor {
namespace {

// The first line of a file of the system; empty where there is none.
std::string FirstLine(const std::string& path) {
  const std::string text = TextOfSystemFile(path);
  return Escape(text.substr(0, text.find('\n')), false);
}

std::string ModelName() {
  const std::string text = TextOfSystemFile("/proc/cpuinfo");
  for (const std::string_view line : LinesOf(text)) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      return Escape(line.substr(colon + 2), false);
    }
  }
  return "unknown model";
}

Finding Processor() {
  const std::optional<Target> hardware = engines::HardwareTarget();
  if (!hardware) {
    return {State::kNote, "processor",
            ModelName() + ": native code needs " + kNativeProcessors + ", all is interpreted"};
  }
  const std::string has = ModelName() + ": " + InfoOf(*hardware).name;
  const Result<std::optional<Target>> used = engines::CurrentTarget();
  if (!used.ok()) return {State::kBad, "processor", used.errors()[0].message};
  if (used.value() == hardware) return {State::kGood, "processor", has};
  return {State::kNote, "processor",
          has + ", held down to " + (used.value() ? InfoOf(*used.value()).short_name : "none") +
              " by " + InfoOf(Variable::kCpuLevel).name};
}

Finding Threads() {
  const Result<uint32_t> threads = runtime::DefaultThreads();
  if (!threads.ok()) return {State::kBad, "threads", threads.errors()[0].message};
  std::string why = Counted(runtime::ProcessorsOfThread(), "processor") + " in the affinity mask";
  if (const std::optional<uint32_t> limit = runtime::GroupLimit("")) {
    why += ", the control group has time for " + std::to_string(*limit);
  }
  if (ReadNonEmpty(Variable::kNumThreads) != nullptr) {
    why += std::string(", but ") + InfoOf(Variable::kNumThreads).name + " is set";
  } else if (runtime::ThreadsOfOpenMp(ReadVariable(Variable::kOmpNumThreads))) {
    why += std::string(", but ") + InfoOf(Variable::kOmpNumThreads).name + " is set";
  }
  return {State::kGood, "threads", std::to_string(threads.value()) + ": " + why};
}

Finding Clock() {
  using SteadyClock = std::chrono::steady_clock;
  constexpr int kLooks = 10000;
  const SteadyClock::time_point start = SteadyClock::now();
  SteadyClock::time_point last = start;
  for (int k = 0; k < kLooks; ++k) last = SteadyClock::now();
  const double ns = std::chrono::duration<double, std::nano>(last - start).count() / kLooks;
  const std::string source =
      FirstLine("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  const std::string governor = FirstLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  Finding finding{State::kGood, "clock",
                  (source.empty() ? "unknown source" : source) + ", reading it takes " +
                      std::to_string(static_cast<int>(ns)) + " ns; frequency " +
                      (governor.empty() ? "unknown" : "governor: " + governor)};
  constexpr double kSlow = 200;
  if (ns > kSlow) {
    finding.state = State::kNote;
    finding.text += "; this is slow: traces and times of short work cost that";
  } else if (governor == "powersave") {
    finding.state = State::kNote;
    finding.text += ": first launches after a pause are slower";
  }
  return finding;
}

// "madvise" of "always [madvise] never"
Finding HugePages() {
  const std::string line = FirstLine("/sys/kernel/mm/transparent_hugepage/enabled");
  const size_t open = line.find('[');
  const size_t close = line.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) {
    return {State::kGood, "huge pages", "not known"};
  }
  return {State::kGood, "huge pages", line.substr(open + 1, close - open - 1)};
}

Finding Compiler() {
  if (runtime::HasCompiler()) return {State::kGood, "compiler", "the plugin is there and fits"};
  return {State::kNote, "compiler",
          "none: kernels from source are interpreted: " + runtime::WhyNoCompiler()};
}

struct Content {
  uint64_t files = 0;
  uint64_t bytes = 0;
};

Content ContentOf(const std::string& folder) {
  Content content;
  DIR* const opened = opendir(folder.c_str());
  if (opened == nullptr) return content;
  while (const dirent* entry = readdir(opened)) {
    struct stat about{};
    if (fstatat(dirfd(opened), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(about.st_mode) || about.st_size == 0) continue;
    ++content.files;
    content.bytes += static_cast<uint64_t>(about.st_size);
  }
  closedir(opened);
  return content;
}

Finding Cache() {
  const std::string folder = CodeCache::FolderOfUser();
  if (folder.empty()) {
    return {State::kNote, "cache", "none: each process compiles its kernels again"};
  }
  const Result<CodeCache> cache = CodeCache::Open(folder);
  if (!cache.ok()) return {State::kBad, "cache", cache.errors()[0].message};
  const Content content = ContentOf(folder);
  return {State::kGood, "cache",
          Escape(folder, false) + ": " + Counted(content.files, "file") + ", " +
              std::to_string(content.bytes / 1024) + " KiB"};
}

Finding Library() {
  const Result<std::string> path = runtime::FindStandardLibrary();
  if (path.ok()) return {State::kGood, "kernels", Escape(path.value(), false)};
  return {State::kNote, "kernels", path.errors()[0].message};
}

std::vector<Finding> Devices() {
  std::vector<Finding> findings;
  for (uint32_t k = 0; k < engines::devices::NumDeviceEngines(); ++k) {
    const launch::Engine engine = engines::devices::DeviceEngine(k);
    const std::string title(launch::NameOf(engine));
    const auto devices = engines::devices::DevicesOf(engine);
    if (!devices.ok()) {
      findings.push_back({State::kGood, title, "none: " + devices.errors()[0].message});
      continue;
    }
    if (devices.value()->empty()) {
      findings.push_back({State::kGood, title, "none: no device was found"});
    }
    for (const auto& device : *devices.value()) {
      const engines::devices::DeviceFacts& facts = device->facts();
      const std::string name = Escape(facts.name + ", driver " + facts.driver, false);
      findings.push_back(facts.why_not.empty()
                             ? Finding{State::kGood, title, name}
                             : Finding{State::kNote, title, name + ": " + facts.why_not});
    }
  }
  return findings;
}

// Those of hologram that are set; others, such as HOME, are nobody's news.
std::vector<Finding> VariablesThatAreSet(const std::vector<std::string>& own) {
  std::vector<Finding> findings;
  for (const VariableInfo& info : Variables()) {
    const char* value = ReadVariable(info.variable);
    if (value == nullptr || !std::string(info.name).starts_with("HOLOGRAM_")) continue;
    if (std::find(own.begin(), own.end(), info.name) != own.end()) continue;
    findings.push_back({State::kGood, "variable", std::string(info.name) + "=" + Quote(value)});
  }
  if (HasMoreRightsThanItsUser()) {
    findings.push_back(
        {State::kNote, "variable", "the process has more rights than its user, so none is read"});
  }
  return findings;
}

}  // namespace

std::vector<Finding> LookAtMachine(const std::vector<std::string>& own) {
  std::vector<Finding> findings = {Processor(), Threads(), Clock(),  HugePages(),
                                   Compiler(),  Cache(),   Library()};
  for (const auto& more : {Devices(), VariablesThatAreSet(own)}) {
    findings.insert(findings.end(), more.begin(), more.end());
  }
  return findings;
}

}  // namespace hologram::doctor
