// hologram profile: one launch of a kernel, counted and timed by line of its source, and its
// roofline.
#include "profile/profile.h"

#include <cstdio>
#include <optional>
#include <string>

#include "base/files.h"
#include "commands/bindings.h"
#include "commands/command_table.h"
#include "commands/commands.h"
#include "commands/launching.h"
#include "commands/load.h"
#include "commands/options.h"
#include "commands/progress.h"
#include "commands/report.h"

namespace hologram::tool {
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
  const std::optional<std::string> svg = options.one("--svg");
  const std::optional<std::string> lines = options.one("--lines");
  for (const auto& output : {svg, lines}) {
    if (output) OrFail(CheckNotInput(*output, {path}));
  }
  launch::Launch launch;
  launch.buffers = bindings.buffers();
  launch.scalars = bindings.scalars();
  launch.budget = config.budget;
  launch.class_base = config.class_base;
  launch.deterministic = config.deterministic;
  launch.shape = OrFail(
      kernel->default_launch().Resolve(config.shape, bindings.buffers(), bindings.scalars()));
  const profile::Profile made = [&] {
    const Progress progress("profiling kernel '" + kernel->name() + "'");
    return OrFail(profile::MakeProfile(kernel->verified(), launch, config));
  }();
  bindings.WriteOutputs();
  profile::Sources sources;
  std::fputs(profile::TextOf(made, sources).c_str(), stdout);
  if (lines) OrFail(WriteFile(*lines, BytesOf(profile::LinesPictureOf(made, sources))));
  if (!svg) return 0;
  if (!made.roofline) {
    Fail(ErrorCode::kUnsupported, "--svg: there is no roofline without native code");
  }
  OrFail(WriteFile(*svg, BytesOf(profile::PictureOf(made))));
  return 0;
}

}  // namespace hologram::tool
