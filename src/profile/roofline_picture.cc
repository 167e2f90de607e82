#include <algorithm>
#include <cmath>
#include <cstdio>

#include "picture/svg.h"
#include "profile/profile.h"

namespace hologram::profile {
namespace {

using picture::Point;
using picture::Svg;

constexpr double kWidth = 720;
constexpr double kHeight = 430;
constexpr Point kCorner = {74, 56};  // of the field
constexpr Point kEnd = {696, 372};

// Logarithmic axes: powers of ten.
struct Axes {
  int left = 0;
  int right = 0;
  int low = 0;
  int high = 0;

  double X(double intensity) const {
    const double share = (std::log10(intensity) - left) / (right - left);
    return kCorner.x + std::clamp(share, 0.0, 1.0) * (kEnd.x - kCorner.x);
  }
  double Y(double rate) const {
    const double share = (std::log10(rate) - low) / (high - low);
    return kEnd.y - std::clamp(share, 0.0, 1.0) * (kEnd.y - kCorner.y);
  }
};

int Below(double value) {
  return static_cast<int>(std::floor(std::log10(value)));
}

// A launch without operations on floats is where its bytes are worth one for each.
double IntensityOf(const Roofline& roofline) {
  return roofline.intensity() == 0 ? 1 : roofline.intensity();
}

double RateOf(const Roofline& roofline) {
  const double done = roofline.operations == 0 ? roofline.bytes : roofline.operations;
  return done / roofline.seconds;
}

Axes AxesFor(const Roofline& roofline) {
  const double ridge = roofline.most_operations / std::max(roofline.most_bytes, 1.0);
  const double intensity = IntensityOf(roofline);
  Axes axes;
  axes.left = Below(std::min(intensity, ridge) / 3);
  axes.right = Below(std::max(intensity, ridge) * 3) + 1;
  axes.high = Below(roofline.most_operations) + 1;
  const double lowest = std::min(RateOf(roofline), std::pow(10, axes.left) * roofline.memory_bytes);
  axes.low = std::min(Below(std::max(lowest, 1.0)), axes.high - 2);
  return axes;
}

std::string Power(int exponent) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", std::pow(10, exponent));
  return text;
}

void DrawGrid(Svg& svg, const Axes& axes) {
  for (int k = axes.left; k <= axes.right; ++k) {
    const double x = axes.X(std::pow(10, k));
    svg.Line({x, kCorner.y}, {x, kEnd.y}, "grid");
    svg.Text({x, kEnd.y + 17}, Power(k), "small faint", "middle");
  }
  for (int k = axes.low; k <= axes.high; ++k) {
    const double y = axes.Y(std::pow(10, k));
    svg.Line({kCorner.x, y}, {kEnd.x, y}, "grid");
    svg.Text({kCorner.x - 8, y + 4}, Power(k - 9), "small faint", "end");
  }
  svg.Text({(kCorner.x + kEnd.x) / 2, kEnd.y + 38}, "operations on floats for a byte", "faint",
           "middle");
  svg.Text({kCorner.x - 58, kCorner.y - 12}, "GFLOP/s", "faint");
}

// The slope of memory up to its ridge.
void DrawSlope(Svg& svg, const Axes& axes, double bytes, double most, const std::string& style) {
  if (bytes == 0) return;
  const double from = std::max(std::pow(10, axes.left), std::pow(10, axes.low) / bytes);
  const double to = std::min(std::pow(10, axes.right), most / bytes);
  svg.Line({axes.X(from), axes.Y(from * bytes)}, {axes.X(to), axes.Y(to * bytes)}, style);
}

std::string Rate(double rate, const char* unit) {
  char text[48];
  std::snprintf(text, sizeof text, "%.3g %s", rate / 1e9, unit);
  return text;
}

void DrawRoofs(Svg& svg, const Axes& axes, const Roofline& roofline) {
  const double most = roofline.most_operations;
  DrawSlope(svg, axes, roofline.memory_bytes, most, "line dash");
  DrawSlope(svg, axes, roofline.most_bytes, most, "roof");
  const double ridge = axes.X(most / std::max(roofline.most_bytes, 1.0));
  svg.Line({ridge, axes.Y(most)}, {kEnd.x, axes.Y(most)}, "roof");
  svg.Text({kEnd.x - 6, axes.Y(most) - 8}, "arithmetic " + Rate(most, "GFLOP/s"), "small accent",
           "end");
}

void DrawPoint(Svg& svg, const Axes& axes, const Profile& profile) {
  const Roofline& roofline = *profile.roofline;
  const double x = axes.X(IntensityOf(roofline));
  const double y = axes.Y(RateOf(roofline));
  const double roof = std::min(roofline.most_operations,
                               IntensityOf(roofline) * std::max(roofline.most_bytes, 1.0));
  svg.Line({x, axes.Y(roof)}, {x, y}, "line dash");
  svg.Circle({x, y}, 6, "hot");
  char share[32];
  std::snprintf(share, sizeof share, ", %.0f%%", 100 * roofline.reached());
  const bool right = x > (kCorner.x + kEnd.x) / 2;
  const std::string reached = roofline.operations == 0
                                  ? Rate(roofline.bytes / roofline.seconds, "GB/s")
                                  : Rate(RateOf(roofline), "GFLOP/s");
  svg.Text({x + (right ? -12 : 12), y + 5}, profile.kernel + ": " + reached + share, "text",
           right ? "end" : "start");
}

}  // namespace

std::string PictureOf(const Profile& profile) {
  const Roofline& roofline = *profile.roofline;
  Svg svg("Roofline of " + profile.kernel);
  const Axes axes = AxesFor(roofline);
  svg.Text({kCorner.x - 58, 26}, "Roofline of " + profile.kernel, "title");
  svg.Text({kEnd.x, 26}, (profile.native ? profile.native->target : std::string()) + ", one thread",
           "faint", "end");
  DrawGrid(svg, axes);
  DrawRoofs(svg, axes, roofline);
  DrawPoint(svg, axes, profile);
  const std::string note =
      "roof of memory: " + Rate(roofline.most_bytes, "GB/s") +
      " over the bytes of the launch; dashed: " + Rate(roofline.memory_bytes, "GB/s") +
      " over more than caches hold";
  svg.Text({(kCorner.x + kEnd.x) / 2, kEnd.y + 52}, note, "small faint", "middle");
  return svg.Finish(kWidth, kHeight);
}

}  // namespace hologram::profile
