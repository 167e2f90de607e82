// A graph of boxes with lines of text: what the pictures of this folder have in common.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "picture/layers.h"
#include "picture/svg.h"

namespace hologram::drawing {

struct TextLine {
  std::string text;
  std::string style = "text";  // a class of picture::Svg
};

struct Card {
  std::vector<TextLine> lines;
  std::string style = "box";
  double heat = 0;  // 0 to 1
  double round = 6;
  bool centred = false;
};

// A mark and what it means, below the picture.
struct Legend {
  std::string mark;
  std::string style;
  std::string text;
};

class Sheet {
 public:
  Sheet(std::string title, std::string subtitle)
      : title_(std::move(title)), subtitle_(std::move(subtitle)) {}

  // Its number.
  size_t Add(Card card);
  void Join(size_t from, size_t to, std::string style = "line");
  void Explain(Legend legend) { legends_.push_back(std::move(legend)); }
  size_t size() const { return cards_.size(); }

  // Errors: kResourceLimit, more boxes than kMostBoxes.
  Result<std::string> Draw() const;

 private:
  std::string title_;
  std::string subtitle_;
  std::vector<Card> cards_;
  std::vector<picture::Edge> edges_;
  std::vector<std::string> styles_;  // of edges
  std::vector<Legend> legends_;
};

}  // namespace hologram::drawing
