// Pictures as SVG text: shapes in the order in which they are drawn, with the colours of one theme,
// light or dark as the reader's screen is. Tested by tests/picture.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hologram::picture {

struct Point {
  double x = 0;
  double y = 0;
};

// The width of a text in the font of pictures, of `size` pixels: every character has the same.
double WidthOf(std::string_view text, double size = 13);

// At most `most` characters, with "…" at the end of a text that was longer; without tabs at its
// begin.
std::string Shortened(std::string_view text, size_t most);

// "12.3 k", "4.56 M": a count in at most six characters.
std::string Short(double count);

// `style` is one or more of the classes in svg.cc: "box", "line", "text", "small", "faint", "good",
// "warn", ...
class Svg {
 public:
  // `about` is for readers who do not see the picture.
  explicit Svg(std::string about) : about_(std::move(about)) {}

  void Box(Point corner, double width, double height, std::string_view style, double round = 6);
  // The same with a colour from cold to hot behind it: 0 to 1.
  void Heat(Point corner, double width, double height, double heat, double round = 6);
  void Line(Point from, Point to, std::string_view style);
  void Circle(Point centre, double radius, std::string_view style);
  // Through all points, with round corners; an arrow at its end if `arrow`.
  void Curve(const std::vector<Point>& points, std::string_view style, bool arrow);
  // `anchor`: "start", "middle" or "end".
  void Text(Point place, std::string_view text, std::string_view style = "text",
            std::string_view anchor = "start");

  // The whole file.
  std::string Finish(double width, double height) const;

 private:
  std::string about_;
  std::string shapes_;
};

}  // namespace hologram::picture
