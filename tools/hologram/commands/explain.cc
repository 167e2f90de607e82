#include "commands/explain.h"

#include <cstdio>
#include <string>

#include "base/quote.h"
#include "commands/report.h"
#include "engines/cpu_features.h"
#include "runtime/compiler_plugin.h"
#include "runtime/explain.h"

namespace hologram::tool {
namespace {

void Note(const std::string& message) {
  PrintNote(Error(ErrorCode::kUnsupported, message));
}

}  // namespace

std::optional<Target> ExplainedTarget(const Options& options) {
  const auto level = options.one("--level");
  if (level == "none") return std::nullopt;
  const std::optional<Target> named = level ? FindBundleTarget(*level) : std::optional<Target>();
  if (level && !named) {
    Fail(ErrorCode::kInvalidArgument,
         "--level: expected none, " + BundleTargetNames() + ", found " + Shown(*level));
  }
  const std::string missing = "what native code makes of loops and accesses is not explained: ";
  if (!runtime::HasCompiler()) {
    Note(missing + "no compiler plugin: " + runtime::WhyNoCompiler());
    return std::nullopt;
  }
  if (named) return named;
  if (const std::optional<Target> host = OrFail(engines::CurrentTarget())) return host;
  Note(missing + "this processor runs none; --level v4 tells what others do");
  return std::nullopt;
}

void ExplainProgram(const verify::VerifiedProgram& verified, std::optional<Target> target) {
  const runtime::Explanation explanation = OrFail(runtime::Explain(verified, target));
  for (const Diagnostic& note : explanation.notes) PrintNote(note);
  std::fputs(explanation.text.c_str(), stdout);
}

}  // namespace hologram::tool
