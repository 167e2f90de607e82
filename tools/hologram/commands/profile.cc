// hologram profile: one launch of a kernel, counted by line of its source.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/quote.h"
#include "commands/bindings.h"
#include "commands/command_table.h"
#include "commands/commands.h"
#include "commands/launching.h"
#include "commands/load.h"
#include "commands/options.h"
#include "commands/progress.h"
#include "commands/report.h"
#include "profile/line_counts.h"

namespace hologram::tool {
namespace {

// The lines of a source that can be read; else none.
std::vector<std::string> SourceLines(const std::string& path) {
  std::vector<std::string> lines;
  const Result<std::vector<uint8_t>> bytes = ReadFile(path, kMaxSourceBytes);
  if (!bytes.ok()) return lines;
  const std::string text(bytes.value().begin(), bytes.value().end());
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(EscapeLine(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return lines;
}

void PrintTable(const std::vector<profile::LineCount>& counts) {
  uint64_t steps = 0;
  for (const profile::LineCount& line : counts) steps += line.steps;
  std::printf("%6s %12s %9s %12s %12s %7s\n", "line", "executions", "lanes/16", "loaded", "stored",
              "steps");
  std::string file;
  std::vector<std::string> source;
  for (const profile::LineCount& line : counts) {
    if (line.where.line == 0 || line.steps == 0) continue;
    if (line.where.file != file) {
      file = line.where.file;
      source = SourceLines(file);
      std::printf("%s\n", Escape(file, false).c_str());
    }
    const size_t number = line.where.line;
    const double share =
        100.0 * static_cast<double>(line.steps) / static_cast<double>(std::max<uint64_t>(steps, 1));
    std::printf("%6zu %12llu %9.1f %12llu %12llu %6.1f%%  %s\n", number,
                static_cast<unsigned long long>(line.executions), line.lanes(),
                static_cast<unsigned long long>(line.loaded),
                static_cast<unsigned long long>(line.stored), share,
                number <= source.size() ? source[number - 1].c_str() : "");
  }
}

}  // namespace

int ProfileCommand(const Arguments& arguments) {
  const Options options = ReadOptions("profile", arguments);
  if (options.positional().size() != 1) {
    throw UsageError{"expected one file, found " + std::to_string(options.positional().size())};
  }
  const auto [path, entry] =
      FileOrKernel(options.positional()[0], options.one("--entry").value_or(""));
  const runtime::LaunchConfig config = ConfigFrom(options);
  StepTimes times;
  const auto kernel = Prepare(path, entry, {}, false, ConstantsOf(options), times);
  Bindings bindings(kernel->verified(), path, options);
  launch::Launch launch;
  launch.buffers = bindings.buffers();
  launch.scalars = bindings.scalars();
  launch.budget = config.budget;
  launch.class_base = config.class_base;
  launch.deterministic = config.deterministic;
  launch.shape = OrFail(
      kernel->default_launch().Resolve(config.shape, bindings.buffers(), bindings.scalars()));
  if (OrFail(launch::CheckLaunch(kernel->verified(), launch)) != launch::LaunchTier::kProved) {
    launch.guarded = true;
  }
  const std::vector<profile::LineCount> counts = [&] {
    const Progress progress("counting kernel '" + kernel->name() + "'");
    return OrFail(profile::CountLines(kernel->verified(), launch));
  }();
  bindings.WriteOutputs();
  PrintTable(counts);
  return 0;
}

}  // namespace hologram::tool
