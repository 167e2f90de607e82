#include <algorithm>
#include <cstdio>

#include "base/files.h"
#include "base/quote.h"
#include "profile/profile.h"

namespace hologram::profile {
namespace {

constexpr uint64_t kMostSourceBytes = uint64_t{64} << 20;

template <class... Values>
std::string Format(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

std::string Row(const Profile& profile, const LineCount& line, const std::string& source) {
  std::string row =
      Format("%6u %12llu %9.1f %12llu %12llu %6.1f%%", line.where.line,
             static_cast<unsigned long long>(line.executions), line.lanes(),
             static_cast<unsigned long long>(line.loaded),
             static_cast<unsigned long long>(line.stored), 100 * profile.StepsOf(line));
  if (profile.timed()) row += Format(" %6.1f%%", 100 * profile.TimeOf(line));
  return row + "  " + source + "\n";
}

std::string Table(const Profile& profile, Sources& sources) {
  const std::string lanes = "lanes/" + std::to_string(profile.width);
  std::string text = Format("%6s %12s %9s %12s %12s %7s", "line", "executions", lanes.c_str(),
                            "loaded", "stored", "steps");
  text += profile.timed() ? Format(" %7s\n", "time") : "\n";
  std::string file;
  for (const LineCount& line : profile.lines) {
    if (line.where.line == 0 || line.steps == 0) continue;
    if (line.where.file != file) {
      file = line.where.file;
      text += Escape(file, false) + "\n";
    }
    text += Row(profile, line, sources.LineOf(file, line.where.line));
  }
  return text;
}

std::string NativeLines(const NativeTime& native) {
  std::string text = Format("native    %s, one thread: %.4g us a launch, median of %zu\n",
                            native.target.c_str(), native.seconds * 1e6, native.launches);
  if (!native.why_no_samples.empty()) {
    return text + "          no time by line: " + native.why_no_samples + "\n";
  }
  return text;
}

std::string RooflineLines(const Roofline& roofline) {
  std::string text = Format("work      %.0f operations on floats, %s%.0f bytes: %.3g for a byte\n",
                            roofline.operations, roofline.bytes_at_most ? "at most " : "",
                            roofline.bytes, roofline.intensity());
  text +=
      Format("reached   %9.4g GFLOP/s  %9.4g GB/s\n", roofline.operations / roofline.seconds / 1e9,
             roofline.bytes / roofline.seconds / 1e9);
  text += Format("possible  %9.4g GFLOP/s  %9.4g GB/s\n", roofline.most_operations / 1e9,
                 roofline.most_bytes / 1e9);
  return text + Format("limit     %s, of which %.0f%% was reached\n",
                       roofline.is_memory_bound() ? "memory" : "arithmetic",
                       100 * roofline.reached());
}

}  // namespace

std::vector<std::string> Sources::LinesOf(std::string_view text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(EscapeLine(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return lines;
}

std::string Sources::LineOf(const std::string& file, uint32_t number) {
  if (file != file_ || lines_.empty()) {
    file_ = file;
    lines_ = given_;
    const Result<std::vector<uint8_t>> bytes = ReadFile(file, kMostSourceBytes);
    if (bytes.ok()) {
      lines_ = LinesOf({reinterpret_cast<const char*>(bytes.value().data()), bytes.value().size()});
    }
  }
  return number >= 1 && number <= lines_.size() ? lines_[number - 1] : "";
}

std::string TextOf(const Profile& profile, Sources& sources) {
  std::string text = Table(profile, sources);
  if (!profile.counted_by.empty()) {
    text += "counts    by instrumented code, " + profile.counted_by + "\n";
  }
  if (profile.native) text += NativeLines(*profile.native);
  if (profile.roofline) text += RooflineLines(*profile.roofline);
  if (!profile.native) text += "no native code, so no times: " + profile.why_no_native + "\n";
  return text;
}

}  // namespace hologram::profile
