// Places for the boxes of a graph whose arrows lead down, as far as it has no cycles: boxes in
// layers, few crossings, arrows that pass no box. Tested by tests/picture.
#pragma once

#include <cstddef>
#include <vector>

#include "picture/svg.h"

namespace hologram::picture {

struct Node {
  double width = 0;
  double height = 0;
  Point corner;  // set by Arrange: its upper left one
};

struct Edge {
  size_t from = 0;
  size_t to = 0;
  bool back = false;          // set by Arrange: it closes a cycle, and leads up beside the boxes
  std::vector<Point> points;  // set by Arrange
};

struct Graph {
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  double width = 0;  // set by Arrange
  double height = 0;
};

// REQUIRES: edges lead from and to nodes.
void Arrange(Graph& graph);

}  // namespace hologram::picture
