#include "picture/layers.h"

#include <gtest/gtest.h>

#include <random>

namespace hologram::picture {
namespace {

Graph RandomGraph(uint32_t seed) {
  std::mt19937 random(seed);
  Graph graph;
  const size_t nodes = 1 + random() % 30;
  for (size_t k = 0; k < nodes; ++k) {
    Node node;
    node.width = 20 + static_cast<double>(random() % 200);
    node.height = 20 + static_cast<double>(random() % 80);
    graph.nodes.push_back(node);
  }
  const size_t edges = random() % (2 * nodes);
  for (size_t k = 0; k < edges; ++k) {
    Edge edge;
    edge.from = random() % nodes;
    edge.to = random() % nodes;
    graph.edges.push_back(edge);
  }
  return graph;
}

bool Overlap(const Node& a, const Node& b) {
  return a.corner.x < b.corner.x + b.width && b.corner.x < a.corner.x + a.width &&
         a.corner.y < b.corner.y + b.height && b.corner.y < a.corner.y + a.height;
}

TEST(Layers, BoxesLieApartAndArrowsLeadDownOrClose) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    Graph graph = RandomGraph(seed);
    Arrange(graph);
    for (size_t a = 0; a < graph.nodes.size(); ++a) {
      const Node& node = graph.nodes[a];
      EXPECT_GE(node.corner.x, -0.01) << seed;
      EXPECT_LE(node.corner.x + node.width, graph.width + 0.01) << seed;
      EXPECT_LE(node.corner.y + node.height, graph.height + 0.01) << seed;
      for (size_t b = 0; b < a; ++b) EXPECT_FALSE(Overlap(node, graph.nodes[b])) << seed;
    }
    for (const Edge& edge : graph.edges) {
      const Node& from = graph.nodes[edge.from];
      const Node& to = graph.nodes[edge.to];
      ASSERT_GE(edge.points.size(), 2U);
      EXPECT_DOUBLE_EQ(edge.points.front().y, from.corner.y + from.height);
      EXPECT_DOUBLE_EQ(edge.points.back().y, to.corner.y);
      EXPECT_GT(edge.points.back().x, to.corner.x);
      EXPECT_LT(edge.points.back().x, to.corner.x + to.width);
      EXPECT_TRUE(edge.back || from.corner.y + from.height < to.corner.y) << seed;
    }
  }
}

TEST(Layers, AChainIsStraightAndALoopGoesBack) {
  Graph graph;
  for (int k = 0; k < 3; ++k) graph.nodes.push_back({100, 40, {}});
  graph.edges = {{0, 1, false, {}}, {1, 2, false, {}}, {2, 1, false, {}}};
  Arrange(graph);
  EXPECT_EQ(graph.nodes[0].corner.x, graph.nodes[2].corner.x);
  EXPECT_FALSE(graph.edges[1].back);
  EXPECT_TRUE(graph.edges[2].back);
}

TEST(Svg, TextIsSafe) {
  Svg svg("a < b & \"c\"");
  svg.Text({1, 2}, "x[i] < 3 && y\x01");
  const std::string file = svg.Finish(10, 10);
  EXPECT_NE(file.find("<title>a &lt; b &amp; &quot;c&quot;</title>"), std::string::npos);
  EXPECT_NE(file.find(">x[i] &lt; 3 &amp;&amp; y\\x01</text>"), std::string::npos);
  EXPECT_EQ(Shortened("    if x < 3:", 6), "if x …");
  EXPECT_EQ(Shortened("short", 6), "short");
  EXPECT_EQ(Short(999), "999");
  EXPECT_EQ(Short(1024), "1.02 k");
  EXPECT_EQ(Short(12'345'678), "12.3 M");
}

}  // namespace
}  // namespace hologram::picture
