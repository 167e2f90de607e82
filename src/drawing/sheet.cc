#include "drawing/sheet.h"

#include <algorithm>
#include <utility>

#include "base/quote.h"
#include "drawing/drawing.h"

namespace hologram::drawing {
namespace {

using picture::Point;
using picture::Svg;
using picture::WidthOf;

constexpr double kMargin = 24;
constexpr double kPadding = 12;
constexpr double kLineHeight = 19;
constexpr double kHead = 62;
constexpr double kTitleSize = 15;
constexpr double kSmall = 11;

double WidthOfLine(const TextLine& line) {
  const bool small = line.style.find("small") != std::string::npos;
  return WidthOf(line.text, small ? kSmall : 13);
}

picture::Node NodeOf(const Card& card) {
  picture::Node node;
  for (const TextLine& line : card.lines) node.width = std::max(node.width, WidthOfLine(line));
  node.width += 2 * kPadding;
  node.height = static_cast<double>(card.lines.size()) * kLineHeight + kPadding;
  return node;
}

void DrawCard(Svg& svg, const Card& card, Point corner, const picture::Node& node) {
  svg.Box(corner, node.width, node.height, card.style, card.round);
  if (card.heat > 0) svg.Heat(corner, node.width, node.height, card.heat, card.round);
  double y = corner.y + kPadding / 2 + kLineHeight - 5;
  for (const TextLine& line : card.lines) {
    const double x = card.centred ? corner.x + node.width / 2 : corner.x + kPadding;
    svg.Text({x, y}, line.text, line.style, card.centred ? "middle" : "start");
    y += kLineHeight;
  }
}

}  // namespace

size_t Sheet::Add(Card card) {
  cards_.push_back(std::move(card));
  return cards_.size() - 1;
}

void Sheet::Join(size_t from, size_t to, std::string style) {
  picture::Edge edge;
  edge.from = from;
  edge.to = to;
  edges_.push_back(std::move(edge));
  styles_.push_back(std::move(style));
}

Result<std::string> Sheet::Draw() const {
  if (cards_.size() > kMostBoxes) {
    return Error(ErrorCode::kResourceLimit, "a picture has at most " + std::to_string(kMostBoxes) +
                                                " boxes, this would have " +
                                                std::to_string(cards_.size()));
  }
  picture::Graph graph;
  for (const Card& card : cards_) graph.nodes.push_back(NodeOf(card));
  graph.edges = edges_;
  picture::Arrange(graph);
  double legend = 0;
  for (const Legend& one : legends_) legend += WidthOf(one.mark + " " + one.text, kSmall) + 22;
  const double content =
      std::max({graph.width, legend, WidthOf(title_, kTitleSize), WidthOf(subtitle_, kSmall)});
  const double shift = kMargin + std::max(0.0, (content - graph.width) / 2);
  const auto moved = [&](Point point) { return Point{point.x + shift, point.y + kHead}; };

  Svg svg(title_);
  svg.Text({kMargin, 28}, title_, "title");
  svg.Text({kMargin, 46}, subtitle_, "small faint");
  for (size_t e = 0; e < graph.edges.size(); ++e) {
    std::vector<Point> points;
    for (const Point& point : graph.edges[e].points) points.push_back(moved(point));
    svg.Curve(points, graph.edges[e].back ? "back" : styles_[e], true);
  }
  for (size_t k = 0; k < cards_.size(); ++k) {
    DrawCard(svg, cards_[k], moved(graph.nodes[k].corner), graph.nodes[k]);
  }
  const double bottom = kHead + graph.height + 34;
  double x = kMargin;
  for (const Legend& one : legends_) {
    svg.Text({x, bottom}, one.mark, "small " + one.style);
    svg.Text({x + WidthOf(one.mark + " ", kSmall), bottom}, one.text, "small faint");
    x += WidthOf(one.mark + " " + one.text, kSmall) + 22;
  }
  return svg.Finish(content + 2 * kMargin, bottom + (legends_.empty() ? 0 : 18));
}

}  // namespace hologram::drawing
