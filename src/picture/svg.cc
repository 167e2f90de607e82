#include "picture/svg.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/quote.h"

namespace hologram::picture {
namespace {

constexpr double kCharacter = 0.602;  // of the size, in monospaced fonts

// Classes are used by pictures of every kind, so that all have one look.
constexpr std::string_view kStyle = R"(<style>
text{font-family:ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;font-size:13px;fill:#1d2733;white-space:pre}
.paper{fill:#fff}.title{font-size:15px;font-weight:600}.small{font-size:11px}.faint{fill:#66717d}
.good{fill:#1a7f4b}.warn{fill:#b35c00}.accent{fill:#2a6fb5}.hot{fill:#e8590c}.dot{fill:#2a6fb5}
.box{fill:#f4f6f8;stroke:#c3ccd5}.soft{fill:#dce9f6;stroke:#2a6fb5}.heat{fill:#e8590c}
.line{fill:none;stroke:#8a96a3;stroke-width:1.4}.grid{stroke:#c3ccd5;stroke-width:.7}
.roof{stroke:#2a6fb5;stroke-width:2.2;fill:none}.dash{stroke-dasharray:5 4}
.tile{fill:none;stroke:#8a96a3;stroke-width:.6}.frame{fill:none;stroke:#e8590c;stroke-width:2.4}
.back{fill:none;stroke:#2a6fb5;stroke-width:1.4}.tip{fill:#8a96a3}.backtip{fill:#2a6fb5}
@media (prefers-color-scheme:dark){text{fill:#e3e8ee}.paper{fill:#12171d}.faint{fill:#95a1ad}
.good{fill:#4cc38a}.warn{fill:#f0a04b}.accent,.dot,.backtip{fill:#6cb2f7}.hot,.heat{fill:#ff7a33}
.box{fill:#1c242d;stroke:#3a4653}.soft{fill:#1d3350;stroke:#6cb2f7}.line{stroke:#7b8794}
.grid{stroke:#3a4653}.roof,.back{stroke:#6cb2f7}.tip{fill:#7b8794}}
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
<path d="M0 0L8 4L0 8z" class="tip"/></marker>
<marker id="backtip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
<path d="M0 0L8 4L0 8z" class="backtip"/></marker></defs>
)";

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  std::string shown = text;
  if (shown.ends_with(".0")) shown.resize(shown.size() - 2);
  return shown == "-0" ? "0" : shown;
}

std::string At(Point point) {
  return Number(point.x) + " " + Number(point.y);
}

// Text between tags and in attributes.
std::string Safe(std::string_view text) {
  std::string safe;
  for (const char c : Escape(text, false)) {
    if (c == '&') {
      safe += "&amp;";
    } else if (c == '<') {
      safe += "&lt;";
    } else if (c == '>') {
      safe += "&gt;";
    } else if (c == '"') {
      safe += "&quot;";
    } else {
      safe += c;
    }
  }
  return safe;
}

bool IsContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

size_t CharactersOf(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !IsContinuation(c); }));
}

// Not by std::hypot, which is a function of glibc 2.35 where that is there; wheels are for 2.34.
double Distance(Point a, Point b) {
  const double x = a.x - b.x;
  const double y = a.y - b.y;
  return std::sqrt(x * x + y * y);
}

Point Toward(Point from, Point to, double distance) {
  const double length = Distance(from, to);
  if (length == 0) return from;
  const double share = std::min(1.0, distance / length);
  return {from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share};
}

}  // namespace

double WidthOf(std::string_view text, double size) {
  return static_cast<double>(CharactersOf(text)) * kCharacter * size;
}

std::string Shortened(std::string_view text, size_t most) {
  while (text.starts_with('\t') || text.starts_with(' ')) text.remove_prefix(1);
  if (CharactersOf(text) <= most) return std::string(text);
  size_t end = 0;
  for (size_t count = 0; end < text.size(); ++end) {
    if (!IsContinuation(text[end]) && ++count == most) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string Short(double count) {
  constexpr const char* kUnits[] = {"", " k", " M", " G", " T"};
  size_t unit = 0;
  while (count >= 999.5 && unit + 1 < std::size(kUnits)) {
    count /= 1000;
    ++unit;
  }
  char text[32];
  const int digits = count >= 100 || count == std::floor(count) ? 0 : count >= 10 ? 1 : 2;
  std::snprintf(text, sizeof text, "%.*f%s", digits, count, kUnits[unit]);
  return text;
}

void Svg::Box(Point corner, double width, double height, std::string_view style, double round) {
  shapes_ += "<rect x=\"" + Number(corner.x) + "\" y=\"" + Number(corner.y) + "\" width=\"" +
             Number(width) + "\" height=\"" + Number(height) + "\" rx=\"" + Number(round) +
             "\" class=\"" + std::string(style) + "\"/>\n";
}

void Svg::Heat(Point corner, double width, double height, double heat, double round) {
  char opacity[16];
  std::snprintf(opacity, sizeof opacity, "%.2f", 0.55 * std::clamp(heat, 0.0, 1.0));
  shapes_ += "<rect x=\"" + Number(corner.x) + "\" y=\"" + Number(corner.y) + "\" width=\"" +
             Number(width) + "\" height=\"" + Number(height) + "\" rx=\"" + Number(round) +
             "\" class=\"heat\" opacity=\"" + opacity + "\"/>\n";
}

void Svg::Line(Point from, Point to, std::string_view style) {
  shapes_ +=
      "<path d=\"M" + At(from) + "L" + At(to) + "\" class=\"" + std::string(style) + "\"/>\n";
}

void Svg::Circle(Point centre, double radius, std::string_view style) {
  shapes_ += "<circle cx=\"" + Number(centre.x) + "\" cy=\"" + Number(centre.y) + "\" r=\"" +
             Number(radius) + "\" class=\"" + std::string(style) + "\"/>\n";
}

void Svg::Curve(const std::vector<Point>& points, std::string_view style, bool arrow) {
  if (points.size() < 2) return;
  constexpr double kRound = 14;
  std::string path = "M" + At(points[0]);
  for (size_t k = 1; k + 1 < points.size(); ++k) {
    const double room = std::min(
        {kRound, Distance(points[k - 1], points[k]) / 2, Distance(points[k], points[k + 1]) / 2});
    path += "L" + At(Toward(points[k], points[k - 1], room)) + "Q" + At(points[k]) + " " +
            At(Toward(points[k], points[k + 1], room));
  }
  path += "L" + At(points.back());
  shapes_ += "<path d=\"" + path + "\" class=\"" + std::string(style) + "\"";
  if (arrow) {
    const bool back = style.starts_with("back");
    shapes_ += std::string(" marker-end=\"url(#") + (back ? "backtip" : "tip") + ")\"";
  }
  shapes_ += "/>\n";
}

void Svg::Text(Point place, std::string_view text, std::string_view style,
               std::string_view anchor) {
  shapes_ += "<text x=\"" + Number(place.x) + "\" y=\"" + Number(place.y) + "\" class=\"" +
             std::string(style) + "\"";
  if (anchor != "start") shapes_ += " text-anchor=\"" + std::string(anchor) + "\"";
  shapes_ += ">" + Safe(text) + "</text>\n";
}

std::string Svg::Finish(double width, double height) const {
  const std::string size = Number(std::ceil(width)) + " " + Number(std::ceil(height));
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + size + "\" width=\"" +
         Number(std::ceil(width)) + "\" height=\"" + Number(std::ceil(height)) +
         "\" role=\"img\">\n<title>" + Safe(about_) + "</title>\n" + std::string(kStyle) +
         "<rect width=\"100%\" height=\"100%\" class=\"paper\"/>\n" + shapes_ + "</svg>\n";
}

}  // namespace hologram::picture
