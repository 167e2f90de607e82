#include <algorithm>
#include <cstdio>

#include "picture/svg.h"
#include "profile/profile.h"

namespace hologram::profile {
namespace {

using picture::Svg;

constexpr double kLeft = 16;
constexpr double kTop = 74;  // of the first row
constexpr double kRow = 22;
constexpr size_t kMostCharacters = 56;

// Columns from left to right: numbers end at their place, texts and bars begin there.
struct Columns {
  double number = kLeft + 30;
  double source = kLeft + 44;
  double executions;
  double lanes;
  double loaded;
  double stored;
  double share;
  double end;

  explicit Columns(double source_width)
      : executions(source + std::max(source_width, 100.0) + 90),
        lanes(executions + 24),
        loaded(lanes + 64 + 70),
        stored(loaded + 70),
        share(stored + 24),
        end(share + 150) {}
};

std::string Indented(const std::string& line) {
  const size_t spaces = std::min(line.find_first_not_of(' '), line.size());
  return std::string(std::min(spaces, kMostCharacters / 2), ' ') +
         picture::Shortened(line, kMostCharacters - std::min(spaces, kMostCharacters / 2));
}

std::string CountText(uint64_t count) {
  return count == 0 ? "" : picture::Short(static_cast<double>(count));
}

void DrawHead(Svg& svg, const Columns& columns, const Profile& profile) {
  svg.Text({kLeft, 26}, "Lines of " + profile.kernel, "title");
  if (profile.native) {
    char text[96];
    std::snprintf(text, sizeof text, "%s, one thread: %.3g us a launch",
                  profile.native->target.c_str(), profile.native->seconds * 1e6);
    svg.Text({columns.end, 26}, text, "faint", "end");
  }
  const double y = kTop - 14;
  svg.Text({columns.executions, y}, "executions", "small faint", "end");
  svg.Text({columns.lanes, y}, "lanes of " + std::to_string(profile.width), "small faint");
  svg.Text({columns.loaded, y}, "loaded", "small faint", "end");
  svg.Text({columns.stored, y}, "stored", "small faint", "end");
  svg.Text({columns.share, y}, profile.timed() ? "time" : "steps", "small faint");
}

// The lanes that run together, as a scale that is full or not.
void DrawLanes(Svg& svg, double x, double y, double lanes, uint32_t width) {
  constexpr double kScale = 64;
  const double full = lanes * kScale / width;
  svg.Box({x, y - 9}, kScale, 9, "box", 2);
  if (full > 0) svg.Box({x, y - 9}, full, 9, "dot", 2);
}

void DrawRow(Svg& svg, const Columns& columns, double y, const Profile& profile,
             const LineCount& line, const std::string& source) {
  const double share = profile.timed() ? profile.TimeOf(line) : profile.StepsOf(line);
  svg.Heat({kLeft, y - 15}, columns.end - kLeft, kRow - 1, share, 3);
  svg.Text({columns.number, y}, std::to_string(line.where.line), "small faint", "end");
  svg.Text({columns.source, y}, source);
  svg.Text({columns.executions, y}, CountText(line.executions), "text", "end");
  DrawLanes(svg, columns.lanes, y, line.lanes(), profile.width);
  svg.Text({columns.loaded, y}, CountText(line.loaded), "text", "end");
  svg.Text({columns.stored, y}, CountText(line.stored), "text", "end");
  constexpr double kBar = 90;
  if (share > 0.002) svg.Box({columns.share, y - 10}, share * kBar, 11, "hot", 2);
  char text[16];
  std::snprintf(text, sizeof text, "%.1f%%", 100 * share);
  svg.Text({columns.end - 4, y}, text, "text", "end");
}

}  // namespace

std::string LinesPictureOf(const Profile& profile, Sources& sources) {
  std::vector<std::pair<const LineCount*, std::string>> rows;
  double widest = 0;
  for (const LineCount& line : profile.lines) {
    if (line.where.line == 0 || line.steps == 0) continue;
    rows.emplace_back(&line, Indented(sources.LineOf(line.where.file, line.where.line)));
    widest = std::max(widest, picture::WidthOf(rows.back().second));
  }
  const Columns columns(widest);
  Svg svg("Lines of " + profile.kernel);
  DrawHead(svg, columns, profile);
  double y = kTop;
  std::string file;
  for (const auto& [line, source] : rows) {
    if (line->where.file != file) {
      if (!file.empty()) y += kRow / 2;
      file = line->where.file;
      svg.Text({columns.source, y}, file, "small faint");
      y += kRow;
    }
    DrawRow(svg, columns, y, profile, *line, source);
    y += kRow;
  }
  return svg.Finish(columns.end + kLeft, y);
}

}  // namespace hologram::profile
